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

/* Headers that http itself or every owner acts upon. */
static const char *const base_single_headers[] = {"host",
                                                  "authorization",
                                                  "content-type",
                                                  "content-length",
                                                  "transfer-encoding",
                                                  "expect",
                                                  "upgrade",
                                                  NULL};

static const char *const methods[] = {"GET",   "HEAD",   "POST",    "PUT",
                                      "PATCH", "DELETE", "OPTIONS", NULL};

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

static uint64_t size_bit(size_t n)
{
    return n < 64 ? UINT64_C(1) << n : 0;
}

static uint64_t sizes_of(const char *const *names)
{
    uint64_t sizes = 0;

    for (; names != NULL && *names != NULL; names++)
        sizes |= size_bit(strlen(*names));
    return sizes;
}

void head_rules_init(struct head_rules *rules, const char *const *single_headers)
{
    rules->single_headers = single_headers;
    rules->sizes = sizes_of(base_single_headers) | sizes_of(single_headers);
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

/* A colon and blanks only may stand between name and value: a line end there is a fold. */
static bool is_separator(const struct http_header *header)
{
    const uint8_t *p = header->name.p + header->name.n;

    if (header->value.p == NULL)
        return true;
    if (p >= header->value.p || *p++ != ':')
        return false;
    while (p < header->value.p)
        if (!is_blank(*p++))
            return false;
    return true;
}

/* How a front end that maps header names to variables would see it. */
static bool is_same_variable(struct slice name, const char *single)
{
    for (size_t i = 0; i < name.n; i++)
        if ((name.p[i] == '_' ? '-' : name.p[i]) != single[i])
            return false;
    return true;
}

/* The set's spelling of a name, or NULL if the name is not in it. */
static const char *find_single(const char *const *names, struct slice name)
{
    for (; names != NULL && *names != NULL; names++)
        if (strlen(*names) == name.n && is_same_variable(name, *names))
            return *names;
    return NULL;
}

static const char *find_any_single(const struct head_rules *rules, struct slice name)
{
    const char *single;

    if ((rules->sizes & size_bit(name.n)) == 0)
        return NULL;
    single = find_single(base_single_headers, name);
    return single != NULL ? single : find_single(rules->single_headers, name);
}

static enum status check_single(struct head *head, size_t index)
{
    const struct http_header *headers = head->request->headers;
    const char *single = find_any_single(head->rules, headers[index].name);

    if (single == NULL)
        return ST_OK;
    if (!slice_is(headers[index].name, single))
        return refusal_set(head->refusal, 400, "A header's name has '_' for '-'.");
    for (size_t i = 0; i < index; i++)
        if (slice_equal(headers[i].name, headers[index].name))
            return refusal_set(head->refusal, 400, "A header is repeated that must not be.");
    return ST_OK;
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

static enum status take_host(struct head *head, const struct http_header *header)
{
    if (!is_host(header->value))
        return refusal_set(head->refusal, 400, "The Host header is not a host.");
    head->request->host = header->value;
    return ST_OK;
}

static enum status take_length(struct head *head, const struct http_header *header)
{
    (void)header;
    head->has_length = true;
    return ST_OK;
}

static enum status take_coding(struct head *head, const struct http_header *header)
{
    if (head->line->version_minor == 0)
        return refusal_set(head->refusal, 400, "HTTP/1.0 has no Transfer-Encoding.");
    if (!slice_equal_nocase(header->value, SLICE_LIT("chunked")))
        return refusal_set(head->refusal, 501, "The only Transfer-Encoding known is chunked.");
    head->result->is_chunked = true;
    return ST_OK;
}

static enum status take_expect(struct head *head, const struct http_header *header)
{
    if (!slice_equal_nocase(header->value, SLICE_LIT("100-continue")))
        return refusal_set(head->refusal, 417, "The only expectation known is 100-continue.");
    head->result->expects_continue = head->line->version_minor > 0;
    return ST_OK;
}

static enum status take_upgrade(struct head *head, const struct http_header *header)
{
    (void)header;
    return refusal_set(head->refusal, 400, "No protocol can be upgraded to.");
}

static const struct {
    const char *name;
    enum status (*take)(struct head *head, const struct http_header *header);
} takers[] = {
    {"host", take_host},     {"content-length", take_length}, {"transfer-encoding", take_coding},
    {"expect", take_expect}, {"upgrade", take_upgrade},
};

static enum status take_header(struct head *head, const struct http_header *header)
{
    if ((head->rules->sizes & size_bit(header->name.n)) == 0)
        return ST_OK;
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
        if (slice_is(header->name, takers[i].name))
            return takers[i].take(head, header);
    return ST_OK;
}

static enum status check_headers(struct head *head)
{
    struct http_request *request = head->request;
    struct http_header *headers = head->line->headers;

    for (size_t i = 0; i < request->header_count; i++) {
        if (headers[i].name.n == 0 || !is_separator(&headers[i]))
            return refusal_set(head->refusal, 400, "A header line is malformed or folded.");
        headers[i].value = trim(headers[i].value);
        TRY(check_single(head, i));
        TRY(take_header(head, &headers[i]));
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
    for (const char *const *method = methods; *method != NULL; method++)
        if (slice_is(head->request->method, *method))
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
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < 2; i++) {
        struct slice scheme = slice_cstr(schemes[i]);

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
