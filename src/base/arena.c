/*
 * Bump allocation from a list of blocks. A small allocation advances `next` in the current block;
 * one that is large and does not fit gets a block of its own, so that the rest of the current
 * block is not lost to it.
 *
 *     blocks -> [newest] -> ... -> [first]      the first block has 16 KB, later ones 64 KB,
 *                                               large ones what they need
 *     block: | next (8) | size_bytes (8) | bytes ... |
 *                                              ^ next     ^ end
 *
 * Invariants:
 *  1. `next` and `end` are multiples of 16, or both NULL before the first allocation. So a size
 *     below the room fits even after it is rounded up.
 *  2. The last block of the list is the first ever opened and has FIRST_BLOCK_BYTES.
 *  3. used_bytes is the sum of size_bytes over all blocks but the last of the list.
 *
 * Under AddressSanitizer the unallocated bytes are poisoned: a read through a pointer of before
 * the reset is reported.
 */
#include "base/arena.h"

#include <assert.h>
#include <sanitizer/asan_interface.h> /* its macros do nothing in other builds */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

enum {
    ALIGNMENT = 16,
    FIRST_BLOCK_BYTES = 16 * 1024,
    LATER_BLOCK_BYTES = 64 * 1024,
    LARGE_BYTES = 4 * 1024,
};
#define DEFAULT_USED_BYTES_MAX ((size_t)256 * 1024 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t size_bytes;
    uint8_t bytes[];
};
static_assert(sizeof(struct arena_block) % ALIGNMENT == 0, "block bytes are aligned");

struct arena_hook {
    struct arena_hook *next;
    void (*run)(void *context);
    void *context;
};

static size_t round_up(size_t size_bytes)
{
    return (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void arena_init(struct arena *arena, size_t used_bytes_max)
{
    *arena = (struct arena){
        .used_bytes_max = used_bytes_max == 0 ? DEFAULT_USED_BYTES_MAX : used_bytes_max,
    };
}

static void run_hooks(struct arena *arena)
{
    while (arena->hooks != NULL) {
        struct arena_hook *hook = arena->hooks;

        arena->hooks = hook->next;
        hook->run(hook->context);
    }
}

static void free_block(struct arena_block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size_bytes);
    free(block);
}

/* Frees all blocks but the first and returns that, or NULL if none was ever opened. */
static struct arena_block *free_later_blocks(struct arena *arena)
{
    struct arena_block *block = arena->blocks;

    while (block != NULL && block->next != NULL) {
        struct arena_block *older = block->next;

        free_block(block);
        block = older;
    }
    arena->blocks = block;
    arena->used_bytes = 0;
    return block;
}

void arena_deinit(struct arena *arena)
{
    struct arena_block *first;

    run_hooks(arena);
    first = free_later_blocks(arena);
    if (first != NULL)
        free_block(first);
    *arena = (struct arena){0};
}

/* Small allocations come from `block` from now on. */
static void enter_block(struct arena *arena, struct arena_block *block)
{
    arena->next = block->bytes;
    arena->end = block->bytes + block->size_bytes;
    ASAN_POISON_MEMORY_REGION(block->bytes, block->size_bytes);
}

void arena_reset(struct arena *arena)
{
    struct arena_block *first;

    run_hooks(arena);
    first = free_later_blocks(arena);
    if (first != NULL)
        enter_block(arena, first);
}

static struct arena_block *open_block(struct arena *arena, size_t size_bytes)
{
    struct arena_block *block = malloc(sizeof(*block) + size_bytes);

    if (block == NULL)
        return NULL;
    block->next = arena->blocks;
    block->size_bytes = size_bytes;
    if (arena->blocks != NULL)
        arena->used_bytes += size_bytes;
    arena->blocks = block;
    return block;
}

/* Whether a small allocation is served from the current block. An exact fit is not (invariant 1
 * then also covers the empty arena, and allocations of no bytes get a real pointer). */
static inline bool fits(const struct arena *arena, size_t size_bytes)
{
    return size_bytes < (size_t)(arena->end - arena->next);
}

static inline void *carve(struct arena *arena, size_t size_bytes)
{
    uint8_t *p = arena->next;

    arena->next += round_up(size_bytes);
    ASAN_UNPOISON_MEMORY_REGION(p, size_bytes);
    return p;
}

static bool enter_new_block(struct arena *arena)
{
    size_t size_bytes = arena->blocks == NULL ? FIRST_BLOCK_BYTES : LATER_BLOCK_BYTES;
    struct arena_block *block = open_block(arena, size_bytes);

    if (block != NULL)
        enter_block(arena, block);
    return block != NULL;
}

/* The slow path: NULL when memory is out. */
static __attribute__((noinline)) void *alloc_beyond(struct arena *arena, size_t size_bytes)
{
    struct arena_block *own;

    if (arena->blocks == NULL && !enter_new_block(arena))
        return NULL;
    if (fits(arena, size_bytes))
        return carve(arena, size_bytes);
    if (size_bytes < LARGE_BYTES)
        return enter_new_block(arena) ? carve(arena, size_bytes) : NULL;
    if (size_bytes > PTRDIFF_MAX - sizeof(*own) - ALIGNMENT)
        return NULL;
    own = open_block(arena, round_up(size_bytes));
    return own == NULL ? NULL : own->bytes;
}

static __attribute__((noinline)) void *alloc_beyond_or_abort(struct arena *arena, size_t size_bytes)
{
    void *p = alloc_beyond(arena, size_bytes);

    if (p == NULL)
        mem_exhausted(size_bytes);
    return p;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
    if (__builtin_expect(fits(arena, size_bytes), 1))
        return carve(arena, size_bytes);
    return alloc_beyond_or_abort(arena, size_bytes);
}

void *arena_zalloc(struct arena *arena, size_t size_bytes)
{
    return memset(arena_alloc(arena, size_bytes), 0, size_bytes);
}

void *arena_try_alloc(struct arena *arena, size_t size_bytes)
{
    if (size_bytes > arena->used_bytes_max)
        return NULL;
    if (fits(arena, size_bytes))
        return carve(arena, size_bytes);
    if (arena->used_bytes > arena->used_bytes_max - size_bytes)
        return NULL;
    return alloc_beyond(arena, size_bytes);
}

struct slice arena_copy(struct arena *arena, struct slice bytes)
{
    uint8_t *p = arena_alloc(arena, bytes.n);

    if (bytes.n > 0)
        memcpy(p, bytes.p, bytes.n);
    return slice_of(p, bytes.n);
}

struct slice arena_vprintf(struct arena *arena, size_t size_bytes_max, const char *format,
                           va_list arguments)
{
    va_list measured;
    int length;
    size_t n;
    char *text;

    CHECK(format != NULL);
    va_copy(measured, arguments);
    length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    CHECK(length >= 0);
    n = (size_t)length < size_bytes_max ? (size_t)length : size_bytes_max;
    text = arena_alloc(arena, n + 1);
    length = vsnprintf(text, n + 1, format, arguments);
    CHECK(length >= 0);
    return slice_of(text, n);
}

struct slice arena_printf(struct arena *arena, const char *format, ...)
{
    struct slice text;
    va_list arguments;

    va_start(arguments, format);
    text = arena_vprintf(arena, SIZE_MAX - 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_on_reset(struct arena *arena, void (*hook)(void *context), void *context)
{
    struct arena_hook *entry = arena_alloc(arena, sizeof(*entry));

    *entry = (struct arena_hook){arena->hooks, hook, context};
    arena->hooks = entry;
}
