/*
 * The one thing that is taken from simdjson: text to tape.
 *
 * A tape is an array of 64-bit words, the type in the high byte of each, and a buffer of unescaped
 * strings. Source: simdjson, doc/tape.md.
 *
 *   {"a":[1,"x"]}    at  0  1  2  3  4  5  6  7  8  9
 *                        r  {  "  [  l  1  "  ]  }  r
 *
 *   { [    count(24) | index after the closing word(32)
 *   "      offset into the strings: length(4), bytes, NUL
 *   l u d  nothing; the next word is the int64_t, uint64_t or double
 *   t f n  nothing
 */
#ifndef ROWHOUSE_JSON_DOM_H
#define ROWHOUSE_JSON_DOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_dom;

struct json_tape {
    const uint64_t *words;
    const uint8_t *strings;
};

enum json_dom_status { JSON_DOM_OK, JSON_DOM_INVALID, JSON_DOM_TOO_LARGE };

/* NULL if out of memory. */
struct json_dom *json_dom_new(size_t size_bytes_max, size_t depth_max);
/* NULL is fine. */
void json_dom_free(struct json_dom *dom);
/* JSON_PADDING_BYTES after the text are readable. The tape lasts until the next call. */
enum json_dom_status json_dom_parse(struct json_dom *dom, const uint8_t *text, size_t size_bytes,
                                    struct json_tape *ret_tape);

#ifdef __cplusplus
}
#endif

#endif
