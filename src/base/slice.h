/*
 * A slice is a pointer and a length: it owns nothing and ends with no NUL. Text and binary travel
 * as slices inside the server; NUL-terminated strings exist at its edges alone.
 */
#ifndef ROWHOUSE_BASE_SLICE_H
#define ROWHOUSE_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const uint8_t *p;
    size_t n;
};

/* For printf: printf("%" PRISLICE, SLICE_ARG(s)). */
#define PRISLICE ".*s"
#define SLICE_ARG(s) (int)(s).n, (const char *)(s).p
#define SLICE_LIT(text) ((struct slice){(const uint8_t *)("" text), sizeof(text) - 1})
#define SLICE_EMPTY ((struct slice){NULL, 0})

/* A view of `n` bytes at `p`. */
static inline struct slice slice_of(const void *p, size_t n)
{
    return (struct slice){p, n};
}

/* A view of the text without its NUL. */
static inline struct slice slice_cstr(const char *text)
{
    return (struct slice){(const uint8_t *)text, strlen(text)};
}

static inline bool slice_equal(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool slice_is(struct slice s, const char *text)
{
    return slice_equal(s, slice_cstr(text));
}

/* Unsigned byte order; a proper prefix sorts first. Returns <0, 0 or >0. */
static inline int slice_compare(struct slice a, struct slice b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

    if (order != 0)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

/* slice_compare for qsort() and bsearch() over arrays of slices. */
static inline int slice_compare_at(const void *a, const void *b)
{
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* Every slice has the empty prefix. */
static inline bool slice_has_prefix(struct slice s, struct slice prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/* Bytes from `at` (at most s.n) to the end. */
static inline struct slice slice_from(struct slice s, size_t at)
{
    return (struct slice){s.p + at, s.n - at};
}

#endif
