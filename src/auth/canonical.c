/*
 * Invariant: the work is linear in the request. Signed names are sorted, each once and present, so
 * there are at most as many as headers, whose number the HTTP layer bounds.
 */
#include "auth/canonical.h"

#include <stdlib.h>

#include "auth/uri.h"

/* ---- Signed headers ---- */

/* The next name of a;b;c; false at the end. */
static bool next_name(struct slice *names, struct slice *ret_name)
{
    const uint8_t *end;

    if (names->n == 0)
        return false;
    end = memchr(names->p, ';', names->n);
    *ret_name = slice_of(names->p, end == NULL ? names->n : (size_t)(end - names->p));
    *names = slice_from(*names, ret_name->n + (end != NULL));
    return true;
}

static bool is_signed(const struct claim *claim, struct slice name)
{
    struct slice names = claim->signed_headers;
    struct slice candidate;

    while (next_name(&names, &candidate)) {
        if (slice_equal(candidate, name))
            return true;
    }
    return false;
}

static enum status check_covered(const struct auth_request *request, const struct claim *claim,
                                 struct error *error)
{
    static const char *const names[] = {"x-amz-target", "x-amz-date", "x-amz-content-sha256",
                                        "x-amz-security-token", "x-tenant-id"};

    if (!is_signed(claim, SLICE_LIT("host")))
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "'Host' or ':authority' must be a 'SignedHeader' in the AWS "
                         "Authorization.");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct slice name = slice_cstr(names[i]);

        if (claim_header(request, name) != NULL && !is_signed(claim, name))
            return error_set(error, ERROR_INVALID_SIGNATURE,
                             "'%s' must be a 'SignedHeader' in the AWS Authorization.", names[i]);
    }
    return ST_OK;
}

enum status canonical_check_headers(const struct auth_request *request, const struct claim *claim,
                                    struct error *error)
{
    struct slice names = claim->signed_headers, previous = SLICE_EMPTY, name;

    while (next_name(&names, &name)) {
        if (slice_compare(previous, name) >= 0 || claim_header(request, name) == NULL)
            return claim_mismatch(error);
        previous = name;
    }
    return check_covered(request, claim, error);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

/* The next run of bytes without blanks; empty at the end. */
static struct slice take_word(struct slice *text)
{
    size_t start = 0, end;

    while (start < text->n && is_blank(text->p[start]))
        start++;
    for (end = start; end < text->n && !is_blank(text->p[end]); end++)
        ;
    *text = slice_from(*text, end);
    return slice_of(text->p - (end - start), end - start);
}

/* Without the blanks around it, and with one space for each run of them inside. */
static void append_trimmed(struct buf *buf, struct slice value)
{
    struct slice word = take_word(&value);

    buf_append_slice(buf, word);
    for (word = take_word(&value); word.n > 0; word = take_word(&value)) {
        buf_append_byte(buf, ' ');
        buf_append_slice(buf, word);
    }
}

/* name:value,value of all headers of that name, in their order. */
static void append_header(struct buf *buf, const struct auth_request *request, struct slice name)
{
    uint8_t separator = ':';

    buf_append_slice(buf, name);
    for (size_t i = 0; i < request->header_count; i++) {
        if (!slice_equal(request->headers[i].name, name))
            continue;
        buf_append_byte(buf, separator);
        append_trimmed(buf, request->headers[i].value);
        separator = ',';
    }
    buf_append_byte(buf, '\n');
}

static void append_headers(struct buf *buf, const struct auth_request *request,
                           const struct claim *claim)
{
    struct slice names = claim->signed_headers, name;

    while (next_name(&names, &name))
        append_header(buf, request, name);
    buf_append_byte(buf, '\n');
    buf_append_slice(buf, claim->signed_headers);
    buf_append_byte(buf, '\n');
}

/* ---- Query ---- */

struct pair {
    struct slice name; /* both encoded */
    struct slice value;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    int order = slice_compare(x->name, y->name);

    return order != 0 ? order : slice_compare(x->value, y->value);
}

/* Decoded and encoded again, so that every way to spell it signs alike. */
static struct slice encoded(struct arena *arena, struct slice text)
{
    struct slice decoded = uri_decode(arena, text);
    struct buf buf;
    struct slice copy;

    buf_init(&buf, 3 * decoded.n);
    uri_append_encoded(&buf, decoded, false);
    copy = arena_copy(arena, buf_slice(&buf));
    buf_deinit(&buf);
    return copy;
}

static size_t split_query(struct slice query, struct arena *arena, struct pair *pairs)
{
    size_t count = 0;

    while (query.n > 0) {
        const uint8_t *end = memchr(query.p, '&', query.n);
        struct slice text = slice_of(query.p, end == NULL ? query.n : (size_t)(end - query.p));
        const uint8_t *equals = text.n == 0 ? NULL : memchr(text.p, '=', text.n);
        size_t name_bytes = equals == NULL ? text.n : (size_t)(equals - text.p);

        query = slice_from(query, text.n + (end != NULL));
        if (text.n == 0 || slice_is(slice_of(text.p, name_bytes), "X-Amz-Signature"))
            continue;
        pairs[count++] = (struct pair){
            .name = encoded(arena, slice_of(text.p, name_bytes)),
            .value = encoded(arena, slice_from(text, name_bytes + (equals != NULL))),
        };
    }
    return count;
}

static void append_query(struct buf *buf, struct slice query, struct arena *arena)
{
    size_t count_max = 1, count;
    struct pair *pairs;

    if (query.n == 0)
        return;
    for (size_t i = 0; i < query.n; i++)
        count_max += query.p[i] == '&';
    pairs = ARENA_ARRAY(arena, struct pair, count_max);
    count = split_query(query, arena, pairs);
    qsort(pairs, count, sizeof(pairs[0]), compare_pairs);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_append_byte(buf, '&');
        buf_append_slice(buf, pairs[i].name);
        buf_append_byte(buf, '=');
        buf_append_slice(buf, pairs[i].value);
    }
}

/* ---- The whole ---- */

void canonical_append(struct buf *buf, const struct auth_request *request,
                      const struct claim *claim, struct slice payload_hash, struct arena *arena)
{
    buf_append_slice(buf, request->method);
    buf_append_byte(buf, '\n');
    uri_append_encoded(buf, request->path, true);
    buf_append_byte(buf, '\n');
    append_query(buf, request->query, arena);
    buf_append_byte(buf, '\n');
    append_headers(buf, request, claim);
    buf_append_slice(buf, payload_hash);
}
