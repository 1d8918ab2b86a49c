/*
 * An arena holds all that one request allocates and lets go of it at once. Nothing in it is freed
 * alone. Hooks registered on it run, newest first, when it is reset: iterators, snapshots and
 * references are released there. An arena belongs to one thread at a time.
 */
#ifndef ROWHOUSE_BASE_ARENA_H
#define ROWHOUSE_BASE_ARENA_H

#include <stdarg.h>

#include "base/slice.h"

struct arena_block;
struct arena_hook;

struct arena {
    uint8_t *next;              /* 16-byte aligned, like `end` */
    uint8_t *end;               /* of the block that small allocations come from */
    struct arena_block *blocks; /* newest first; the first block ever stays over resets */
    struct arena_hook *hooks;
    size_t used_bytes; /* total of all blocks beyond the first */
    size_t used_bytes_max;
};

/* `used_bytes_max` bounds what sized allocations may take; 0 means 256 MB. */
void arena_init(struct arena *arena, size_t used_bytes_max);
/* Runs the hooks and frees everything. */
void arena_deinit(struct arena *arena);
/* Runs the hooks and keeps one block (of at most 64 KB) for the next use. */
void arena_reset(struct arena *arena);

/* 16-byte aligned, uninitialised, never NULL: aborts when memory is out. For sizes we chose. */
void *arena_alloc(struct arena *arena, size_t size_bytes) __attribute__((malloc, returns_nonnull));
/* Same, zeroed. */
void *arena_zalloc(struct arena *arena, size_t size_bytes) __attribute__((malloc, returns_nonnull));
/* For sizes that a client chose: NULL when over the arena's maximum or out of memory. */
void *arena_try_alloc(struct arena *arena, size_t size_bytes) __attribute__((malloc));
/* A copy in the arena; aborts when memory is out. */
struct slice arena_copy(struct arena *arena, struct slice bytes);
/* printf into the arena; the slice is followed by a NUL that it does not count. */
struct slice arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Same for a va_list; cut after `size_bytes_max` bytes. */
struct slice arena_vprintf(struct arena *arena, size_t size_bytes_max, const char *format,
                           va_list arguments) __attribute__((format(printf, 3, 0)));
/* Registers `hook` to run at the next reset or deinit. A hook may still read the arena's memory. */
void arena_on_reset(struct arena *arena, void (*hook)(void *context), void *context);

#define ARENA_NEW(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_zalloc((arena), sizeof(type) * (count)))

#endif
