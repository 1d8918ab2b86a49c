/*
 * Request smuggling lives on heads that two readers understand differently. So each doubt refuses.
 *
 * Invariants after head_check() has returned ST_OK:
 * 1. No header on which framing, routing or authentication rests occurs twice, in any spelling.
 * 2. The body's length has one source: Content-Length, or Transfer-Encoding that is just "chunked".
 * 3. `host` is the one authority of the request: an absolute target agrees with the Host header.
 * 4. Values have no blanks around them, and none was folded.
 */
#include "http/head.h"

#include "base/check.h"

static const struct slice methods[] = {
    SLICE_LIT("POST"),  SLICE_LIT("GET"),    SLICE_LIT("PUT"),     SLICE_LIT("HEAD"),
    SLICE_LIT("PATCH"), SLICE_LIT("DELETE"), SLICE_LIT("OPTIONS"),
};

struct head {
    const struct head_rules *rules;
    const struct head_line *line;
    struct http_request *request;
    struct head_result *result;
    struct refusal *refusal;
    struct slice authority; /* of an absolute target; empty if there is none */
    bool has_length;
};

bool slice_equal_nocase(struct slice a, struct slice b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (head_lower(a.p[i]) != head_lower(b.p[i]))
            return false;
    return true;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static struct slice trim(struct slice s)
{
    while (s.n > 0 && is_blank(s.p[0]))
        s = slice_from(s, 1);
    while (s.n > 0 && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static const uint8_t *skip_blanks(const uint8_t *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/*
 * A colon and blanks only may stand between name and value, or between name and line end: anything
 * else there is a fold. The empty line that ends the head ends these walks, too.
 */
static bool is_separated(const struct http_header *header)
{
    const uint8_t *p = header->name.p + header->name.n;

    if (header->name.n == 0 || *p != ':')
        return false;
    p = skip_blanks(p + 1);
    if (header->value.p != NULL)
        return p >= header->value.p;
    return p[0] == '\r' && p[1] == '\n' && !is_blank(p[2]);
}

/* reg-name, IPv4 or bracketed IPv6, and a port: all that names a server; no userinfo, no escapes.
 */
static bool is_host_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
}

static bool is_host(struct slice host)
{
    for (size_t i = 0; i < host.n; i++)
        if (!is_host_byte(host.p[i]))
            return false;
    return host.n > 0;
}

static enum status take_host(struct head *head, struct slice value)
{
    if (!is_host(value))
        return refusal_set(head->refusal, 400, "The Host header is not a host.");
    head->request->host = value;
    return ST_OK;
}

static enum status take_length(struct head *head, struct slice value)
{
    (void)value;
    head->has_length = true;
    return ST_OK;
}

static enum status take_coding(struct head *head, struct slice value)
{
    if (head->line->version_minor == 0)
        return refusal_set(head->refusal, 400, "HTTP/1.0 has no Transfer-Encoding.");
    if (!slice_equal_nocase(value, SLICE_LIT("chunked")))
        return refusal_set(head->refusal, 501, "The only Transfer-Encoding known is chunked.");
    head->result->is_chunked = true;
    return ST_OK;
}

static enum status take_expect(struct head *head, struct slice value)
{
    if (!slice_equal_nocase(value, SLICE_LIT("100-continue")))
        return refusal_set(head->refusal, 417, "The only expectation known is 100-continue.");
    head->result->expects_continue = head->line->version_minor > 0;
    return ST_OK;
}

static enum status take_upgrade(struct head *head, struct slice value)
{
    (void)value;
    return refusal_set(head->refusal, 400, "No protocol can be upgraded to.");
}

/* ---- Headers that come once ---- */

static const struct head_single base_singles[] = {
    {SLICE_LIT("host"), take_host},
    {SLICE_LIT("content-length"), take_length},
    {SLICE_LIT("transfer-encoding"), take_coding},
    {SLICE_LIT("expect"), take_expect},
    {SLICE_LIT("upgrade"), take_upgrade},
    {SLICE_LIT("authorization"), NULL},
    {SLICE_LIT("content-type"), NULL},
};

static uint64_t size_bit(size_t n)
{
    return n < 64 ? UINT64_C(1) << n : 0;
}

static void add_single(struct head_rules *rules, struct head_single single)
{
    CHECK(rules->single_count < HEAD_SINGLE_COUNT_MAX && single.name.n < 64);
    rules->singles[rules->single_count++] = single;
    rules->sizes |= size_bit(single.name.n);
}

void head_rules_init(struct head_rules *rules, const char *const *single_headers)
{
    *rules = (struct head_rules){.single_count = 0};
    for (size_t i = 0; i < sizeof(base_singles) / sizeof(base_singles[0]); i++)
        add_single(rules, base_singles[i]);
    for (; single_headers != NULL && *single_headers != NULL; single_headers++)
        add_single(rules, (struct head_single){.name = slice_cstr(*single_headers)});
}

/* How a front end that maps header names to variables would see them. */
static bool is_same_variable(struct slice name, struct slice single)
{
    if (name.n != single.n)
        return false;
    for (size_t i = 0; i < name.n; i++)
        if ((name.p[i] == '_' ? '-' : name.p[i]) != single.p[i])
            return false;
    return true;
}

static const struct head_single *find_single(const struct head_rules *rules, struct slice name)
{
    if ((rules->sizes & size_bit(name.n)) == 0)
        return NULL;
    for (size_t i = 0; i < rules->single_count; i++)
        if (is_same_variable(name, rules->singles[i].name))
            return &rules->singles[i];
    return NULL;
}

static enum status check_single(struct head *head, size_t index)
{
    const struct http_header *headers = head->request->headers;
    const struct head_single *single = find_single(head->rules, headers[index].name);

    if (single == NULL)
        return ST_OK;
    if (!slice_equal(headers[index].name, single->name))
        return refusal_set(head->refusal, 400, "A header's name has '_' for '-'.");
    for (size_t i = 0; i < index; i++)
        if (slice_equal(headers[i].name, single->name))
            return refusal_set(head->refusal, 400, "A header is repeated that must not be.");
    return single->take == NULL ? ST_OK : single->take(head, headers[index].value);
}

static enum status check_headers(struct head *head)
{
    struct http_request *request = head->request;
    struct http_header *headers = head->line->headers;

    for (size_t i = 0; i < request->header_count; i++) {
        if (!is_separated(&headers[i]))
            return refusal_set(head->refusal, 400, "A header line is malformed or folded.");
        headers[i].value = trim(headers[i].value);
        TRY(check_single(head, i));
    }
    if (head->has_length && head->result->is_chunked)
        return refusal_set(head->refusal, 400,
                           "Content-Length and Transfer-Encoding exclude "
                           "each other.");
    return ST_OK;
}

static enum status check_version(struct head *head)
{
    if (head->line->version_major != 1 || head->line->version_minor > 1)
        return refusal_set(head->refusal, 505, "HTTP/1.1 and HTTP/1.0 are spoken here.");
    return ST_OK;
}

static enum status check_method(struct head *head)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (slice_equal(head->request->method, methods[i]))
            return ST_OK;
    return refusal_set(head->refusal, 501, "The method is not known here.");
}

static size_t find_byte(struct slice s, char byte)
{
    const uint8_t *found = s.n == 0 ? NULL : memchr(s.p, byte, s.n);

    return found == NULL ? s.n : (size_t)(found - s.p);
}

static bool skip_scheme(struct slice target, struct slice *ret_rest)
{
    static const struct slice schemes[] = {SLICE_LIT("http://"), SLICE_LIT("https://")};

    for (size_t i = 0; i < 2; i++) {
        struct slice scheme = schemes[i];

        if (target.n > scheme.n && slice_equal_nocase(slice_of(target.p, scheme.n), scheme)) {
            *ret_rest = slice_from(target, scheme.n);
            return true;
        }
    }
    return false;
}

/* Splits "http://authority/path" and leaves "/path"; a target in origin form stays as it is. */
static enum status take_authority(struct head *head, struct slice *target)
{
    struct slice rest;
    size_t end;

    if (target->n > 0 && target->p[0] == '/')
        return ST_OK;
    if (!skip_scheme(*target, &rest))
        return refusal_set(head->refusal, 400, "The request target is neither a path nor a URL.");
    end = find_byte(rest, '/');
    if (end == rest.n)
        return refusal_set(head->refusal, 400, "The request target has no path.");
    head->authority = slice_of(rest.p, end);
    if (!is_host(head->authority))
        return refusal_set(head->refusal, 400, "The request target's host is not a host.");
    *target = slice_from(rest, end);
    return ST_OK;
}

static enum status check_target(struct head *head)
{
    struct slice target = head->line->target;
    size_t query_at;

    TRY(take_authority(head, &target));
    for (size_t i = 0; i < target.n; i++)
        if (target.p[i] <= ' ' || target.p[i] >= 0x7f || target.p[i] == '#')
            return refusal_set(head->refusal, 400, "The request target has a forbidden byte.");
    query_at = find_byte(target, '?');
    head->request->path = slice_of(target.p, query_at);
    head->request->query = query_at == target.n ? SLICE_EMPTY : slice_from(target, query_at + 1);
    return ST_OK;
}

static enum status check_host(struct head *head)
{
    struct slice host = head->request->host;

    if (host.n == 0 && head->line->version_minor > 0)
        return refusal_set(head->refusal, 400, "The Host header is missing.");
    if (head->authority.n == 0)
        return ST_OK;
    if (host.n > 0 && !slice_equal_nocase(host, head->authority))
        return refusal_set(head->refusal, 400, "The request target and the Host header differ.");
    head->request->host = head->authority;
    return ST_OK;
}

enum status head_check(const struct head_rules *rules, const struct head_line *line,
                       struct http_request *request, struct head_result *ret_result,
                       struct refusal *refusal)
{
    struct head head = {
        .rules = rules, .line = line, .request = request, .result = ret_result, .refusal = refusal};

    *ret_result = (struct head_result){.is_chunked = false};
    TRY(check_version(&head));
    TRY(check_method(&head));
    TRY(check_target(&head));
    TRY(check_headers(&head));
    return check_host(&head);
}
