/*
 * The rules that a request's head has to keep beyond the grammar: one meaning only, whoever reads
 * it. Pure functions over slices.
 */
#ifndef ROWHOUSE_HTTP_HEAD_H
#define ROWHOUSE_HTTP_HEAD_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/status.h"
#include "http/http.h"
#include "http/refusal.h"

#define HEAD_SINGLE_COUNT_MAX 32

struct head;

/* A header that may come once, and what its value means to http; NULL: nothing. */
struct head_single {
    struct slice name;
    enum status (*take)(struct head *head, struct slice value);
};

/* Prepared once. Bit n of `sizes` says that a name of n bytes is among the singles. */
struct head_rules {
    struct head_single singles[HEAD_SINGLE_COUNT_MAX];
    size_t single_count;
    uint64_t sizes;
};

/* What the parser found. */
struct head_line {
    struct http_header *headers; /* the request's; names in lower case, values still untrimmed */
    struct slice target;
    unsigned version_major;
    unsigned version_minor;
};

/* What the rules make of the head beyond the request itself. */
struct head_result {
    bool is_chunked;
    bool expects_continue;
};

/* `single_headers` as in struct http_options; it must outlive the rules. */
void head_rules_init(struct head_rules *rules, const char *const *single_headers);

/*
 * Checks a head whose `method` and `headers` stand in the request, trims the values, and fills
 * path, query and host. ST_REFUSED with the refusal filled in.
 */
enum status MUST_CHECK head_check(const struct head_rules *rules, const struct head_line *line,
                                  struct http_request *request, struct head_result *ret_result,
                                  struct refusal *refusal);

/* ASCII letters alone. */
static inline uint8_t head_lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* ASCII letters compare without case. */
bool slice_equal_nocase(struct slice a, struct slice b);

#endif
