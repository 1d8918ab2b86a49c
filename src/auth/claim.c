/*
 * Reading what a request says of its sender. Both forms are brought to the same parts first, so
 * that completeness, dates and the credential are checked in one place.
 *
 * Nothing is copied but what was percent-encoded; parts are views of the request.
 */
#include "auth/claim.h"

#include <time.h>

#include "auth/uri.h"
#include "base/encode.h"

#define ALGORITHM "AWS4-HMAC-SHA256"

/* The parts that both forms name, as found; empty if absent. */
struct parts {
    struct slice credential;
    struct slice signed_headers;
    struct slice signature;
    struct slice date;
    struct slice expires;
    struct slice session_token;
    bool repeated; /* one of them was named twice: other readers might take the other one */
};

const struct auth_header *claim_header(const struct auth_request *request, struct slice name)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (slice_equal(request->headers[i].name, name))
            return &request->headers[i];
    }
    return NULL;
}

static struct slice header_value(const struct auth_request *request, struct slice name)
{
    const struct auth_header *header = claim_header(request, name);

    return header == NULL ? SLICE_EMPTY : header->value;
}

enum status claim_mismatch(struct error *error)
{
    return error_set(error, ERROR_INVALID_SIGNATURE,
                     "The request signature we calculated does not match the signature you "
                     "provided. Check your AWS Secret Access Key and signing method. Consult the "
                     "service documentation for details.");
}

/* ---- Taking texts apart ---- */

/* Cuts `text` at the first `separator`: returns what is before it and leaves what is after. */
static struct slice take_until(struct slice *text, uint8_t separator)
{
    const uint8_t *end = text->n == 0 ? NULL : memchr(text->p, separator, text->n);
    struct slice before = *text;

    if (end == NULL) {
        *text = SLICE_EMPTY;
        return before;
    }
    before.n = (size_t)(end - text->p);
    *text = slice_from(*text, before.n + 1);
    return before;
}

static struct slice trim_left(struct slice text)
{
    while (text.n > 0 && (text.p[0] == ' ' || text.p[0] == '\t'))
        text = slice_from(text, 1);
    return text;
}

static void note_part(struct parts *parts, struct slice *part, struct slice value)
{
    if (part->p != NULL)
        parts->repeated = true;
    *part = value;
}

static struct slice *header_part(struct parts *parts, struct slice name)
{
    if (slice_is(name, "Credential"))
        return &parts->credential;
    if (slice_is(name, "SignedHeaders"))
        return &parts->signed_headers;
    return slice_is(name, "Signature") ? &parts->signature : NULL;
}

static void header_parts(struct slice authorization, struct parts *ret_parts)
{
    const struct slice scheme = SLICE_LIT(ALGORITHM " ");

    if (!slice_has_prefix(authorization, scheme))
        return;
    authorization = slice_from(authorization, scheme.n);
    while (authorization.n > 0) {
        struct slice value = trim_left(take_until(&authorization, ','));
        struct slice *part = header_part(ret_parts, take_until(&value, '='));

        if (part != NULL)
            note_part(ret_parts, part, value);
    }
}

static struct slice *presigned_part(struct parts *parts, struct slice name)
{
    if (slice_is(name, "X-Amz-Credential"))
        return &parts->credential;
    if (slice_is(name, "X-Amz-SignedHeaders"))
        return &parts->signed_headers;
    if (slice_is(name, "X-Amz-Signature"))
        return &parts->signature;
    if (slice_is(name, "X-Amz-Date"))
        return &parts->date;
    if (slice_is(name, "X-Amz-Security-Token"))
        return &parts->session_token;
    return slice_is(name, "X-Amz-Expires") ? &parts->expires : NULL;
}

static void presigned_parts(struct slice query, struct arena *arena, struct parts *ret_parts)
{
    while (query.n > 0) {
        struct slice value = take_until(&query, '&');
        struct slice *part = presigned_part(ret_parts, take_until(&value, '='));

        if (part != NULL)
            note_part(ret_parts, part, uri_decode(arena, value));
    }
}

static bool has_algorithm(struct slice query)
{
    while (query.n > 0) {
        struct slice value = take_until(&query, '&');

        if (slice_is(take_until(&value, '='), "X-Amz-Algorithm"))
            return true;
    }
    return false;
}

/* ---- Which form ---- */

static enum status check_form(const struct auth_request *request, struct error *error,
                              bool *ret_presigned)
{
    const struct auth_header *header = claim_header(request, SLICE_LIT("authorization"));
    bool presigned = has_algorithm(request->query);
    size_t count = 0;

    for (size_t i = 0; i < request->header_count; i++)
        count += slice_is(request->headers[i].name, "authorization");
    if (presigned && count > 0)
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' "
                         "as HTTP header.");
    if (count > 1)
        return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                         "Authorization header must be given once.");
    if (!presigned && (header == NULL || header->value.n == 0))
        return error_set(error, ERROR_MISSING_TOKEN, "Request is missing Authentication Token");
    *ret_presigned = presigned;
    return ST_OK;
}

static enum status read_parts(const struct auth_request *request, struct arena *arena,
                              struct error *error, bool *ret_presigned, struct parts *ret_parts)
{
    *ret_parts = (struct parts){0};
    TRY(check_form(request, error, ret_presigned));
    if (*ret_presigned)
        presigned_parts(request->query, arena, ret_parts);
    else
        header_parts(header_value(request, SLICE_LIT("authorization")), ret_parts);
    if (ret_parts->repeated)
        return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                         "Each part of the credentials must be given once.");
    if (!*ret_presigned)
        ret_parts->date = header_value(request, SLICE_LIT("x-amz-date"));
    if (ret_parts->session_token.n == 0)
        ret_parts->session_token = header_value(request, SLICE_LIT("x-amz-security-token"));
    return ST_OK;
}

/* ---- What is missing ---- */

static const char *if_absent(struct slice part, const char *text)
{
    return part.n == 0 ? text : "";
}

static enum status header_incomplete(const struct auth_request *request, const struct parts *parts,
                                     struct slice date, struct error *error)
{
    return error_set(
        error, ERROR_INCOMPLETE_SIGNATURE, "%s%s%s%sAuthorization=%" PRISLICE,
        if_absent(parts->credential, "Authorization header requires 'Credential' parameter. "),
        if_absent(parts->signature, "Authorization header requires 'Signature' parameter. "),
        if_absent(parts->signed_headers,
                  "Authorization header requires 'SignedHeaders' parameter. "),
        if_absent(date, "Authorization header requires existence of either a 'X-Amz-Date' or a "
                        "'Date' header. "),
        SLICE_ARG(header_value(request, SLICE_LIT("authorization"))));
}

static enum status query_incomplete(const struct parts *parts, struct error *error)
{
#define MUST_INCLUDE "AWS query-string parameters must include "
    return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                     "%s%s%s%sRe-examine the query-string parameters.",
                     if_absent(parts->credential, MUST_INCLUDE "'X-Amz-Credential'. "),
                     if_absent(parts->signature, MUST_INCLUDE "'X-Amz-Signature'. "),
                     if_absent(parts->signed_headers, MUST_INCLUDE "'X-Amz-SignedHeaders'. "),
                     if_absent(parts->date, MUST_INCLUDE "'X-Amz-Date'. "));
#undef MUST_INCLUDE
}

static enum status incomplete(const struct auth_request *request, bool presigned,
                              const struct parts *parts, struct error *error)
{
    struct slice date = parts->date.n > 0 ? parts->date : header_value(request, SLICE_LIT("date"));

    if (presigned)
        return query_incomplete(parts, error);
    return header_incomplete(request, parts, date, error);
}

enum status claim_credential(const struct auth_request *request, struct arena *arena,
                             struct error *error, struct slice *ret_credential)
{
    struct parts parts;
    bool presigned;

    TRY(read_parts(request, arena, error, &presigned, &parts));
    if (parts.credential.n == 0)
        return incomplete(request, presigned, &parts, error);
    *ret_credential = parts.credential;
    return ST_OK;
}

/* ---- Dates ---- */

void claim_format_time(int64_t wall_ms, char ret_text[CLAIM_TIMESTAMP_SIZE + 1])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm utc;
    size_t n = 0;

    if (gmtime_r(&seconds, &utc) != NULL)
        n = strftime(ret_text, CLAIM_TIMESTAMP_SIZE + 1, "%Y%m%dT%H%M%SZ", &utc);
    if (n != CLAIM_TIMESTAMP_SIZE)
        ret_text[0] = '\0';
}

static enum status read_digits(struct slice text, size_t at, size_t n, int *ret_value)
{
    int value = 0;

    for (size_t i = at; i < at + n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return ST_INVALID;
        value = 10 * value + (text.p[i] - '0');
    }
    *ret_value = value;
    return ST_OK;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01 in the Gregorian calendar; the year begins in March, so that the leap day
 * comes last. */
static int64_t days_since_epoch(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t month_from_march = (month + 9) % 12;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;

    return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* 20150830T123600Z. By hand: every request pays for it, and strptime() is slow and forgiving. */
static enum status read_basic_time(struct slice text, struct claim *claim)
{
    int year, month, day, hour, minute, second;

    if (text.n != CLAIM_TIMESTAMP_SIZE || text.p[8] != 'T' || text.p[15] != 'Z')
        return ST_INVALID;
    TRY(read_digits(text, 0, 4, &year));
    TRY(read_digits(text, 4, 2, &month));
    TRY(read_digits(text, 6, 2, &day));
    TRY(read_digits(text, 9, 2, &hour));
    TRY(read_digits(text, 11, 2, &minute));
    TRY(read_digits(text, 13, 2, &second));
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) ||
        hour > 23 || minute > 59 || second > 59)
        return ST_INVALID;
    claim->signed_ms =
        1000 * (86400 * days_since_epoch(year, month, day) + 3600 * hour + 60 * minute + second);
    memcpy(claim->timestamp, text.p, CLAIM_TIMESTAMP_SIZE);
    return ST_OK;
}

/* Mon, 09 Sep 2011 23:36:00 GMT */
static enum status read_http_time(struct slice text, struct claim *claim)
{
    struct tm utc = {0};
    char copy[40];
    const char *end;

    if (text.n >= sizeof(copy))
        return ST_INVALID;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    if (end != copy + text.n)
        return ST_INVALID;
    claim->signed_ms = (int64_t)timegm(&utc) * 1000;
    claim_format_time(claim->signed_ms, claim->timestamp);
    return ST_OK;
}

static enum status read_date(const struct auth_request *request, const struct parts *parts,
                             struct error *error, struct claim *claim)
{
    struct slice date = header_value(request, SLICE_LIT("date"));

    if (parts->date.n > 0) {
        if (read_basic_time(parts->date, claim) == ST_OK)
            return ST_OK;
        return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                         "Date must be in ISO-8601 'basic format'. Got '%" PRISLICE
                         "'. See http://en.wikipedia.org/wiki/ISO_8601",
                         SLICE_ARG(parts->date));
    }
    if (read_http_time(date, claim) != ST_OK)
        return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                         "Date must be in RFC 1123 format. Got '%" PRISLICE "'.", SLICE_ARG(date));
    return ST_OK;
}

static enum status read_expires(const struct parts *parts, struct error *error, struct claim *claim)
{
    int64_t seconds;

    claim->valid_ms = CLAIM_SKEW_MS;
    if (parts->expires.n == 0)
        return ST_OK;
    if (parse_int(parts->expires, &seconds) != ST_OK || seconds < 1 ||
        seconds > CLAIM_EXPIRES_S_MAX)
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "X-Amz-Expires must be a number of seconds from 1 to %d",
                         CLAIM_EXPIRES_S_MAX);
    claim->valid_ms = seconds * 1000;
    return ST_OK;
}

/* ---- The whole ---- */

static enum status split_credential(struct slice credential, struct error *error,
                                    struct claim *claim)
{
    struct slice rest = credential;

    claim->access_key_id = take_until(&rest, '/');
    claim->scope = rest;
    claim->date = take_until(&rest, '/');
    claim->region = take_until(&rest, '/');
    claim->service = take_until(&rest, '/');
    claim->terminator = rest;
    if (claim->terminator.n == 0)
        return error_set(error, ERROR_INCOMPLETE_SIGNATURE,
                         "Credential must have exactly 5 slash-delimited elements, e.g. "
                         "keyid/date/region/service/term, got '%" PRISLICE "'",
                         SLICE_ARG(credential));
    return ST_OK;
}

static bool is_complete(const struct auth_request *request, const struct parts *parts,
                        bool presigned)
{
    bool has_date =
        parts->date.n > 0 || (!presigned && claim_header(request, SLICE_LIT("date")) != NULL);

    return parts->credential.n > 0 && parts->signature.n > 0 && parts->signed_headers.n > 0 &&
           has_date;
}

enum status claim_read(const struct auth_request *request, struct arena *arena, struct error *error,
                       struct claim *ret_claim)
{
    struct claim claim = {0};
    struct parts parts;

    TRY(read_parts(request, arena, error, &claim.presigned, &parts));
    if (!is_complete(request, &parts, claim.presigned))
        return incomplete(request, claim.presigned, &parts, error);
    TRY(split_credential(parts.credential, error, &claim));
    TRY(read_date(request, &parts, error, &claim));
    TRY(read_expires(&parts, error, &claim));
    claim.signed_headers = parts.signed_headers;
    claim.signature = parts.signature;
    claim.has_session_token = parts.session_token.n > 0;
    *ret_claim = claim;
    return ST_OK;
}
