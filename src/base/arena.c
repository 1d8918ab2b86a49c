/*
 * The arena: blocks from malloc, newest first, filled from front to back.
 *
 *   arena.blocks -> [block | header | ...used... | next ... end ]  -> older block -> ... -> first
 *
 * Invariants:
 *  1. `next` is 16-byte aligned and next <= end;
 *  2. the first block (the last of the list) survives a reset if it is at most KEPT_SIZE_BYTES.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

#define ALIGNMENT 16
#define BLOCK_SIZE_BYTES (16 * 1024)
#define BLOCK_SIZE_BYTES_MAX (1024 * 1024)
#define KEPT_SIZE_BYTES (64 * 1024)
#define USED_BYTES_MAX_DEFAULT (256ull * 1024 * 1024)

struct arena_block {
    struct arena_block *older;
    size_t size_bytes; /* of the payload */
};

struct arena_hook {
    struct arena_hook *older;
    void (*run)(void *context);
    void *context;
};

static_assert(sizeof(struct arena_block) % ALIGNMENT == 0, "payloads stay aligned");

static size_t round_up(size_t size_bytes)
{
    return (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void arena_init(struct arena *arena, size_t used_bytes_max)
{
    *arena = (struct arena){0};
    arena->used_bytes_max = used_bytes_max == 0 ? USED_BYTES_MAX_DEFAULT : used_bytes_max;
}

static void run_hooks(struct arena *arena)
{
    while (arena->hooks != NULL) {
        struct arena_hook *hook = arena->hooks;

        arena->hooks = hook->older;
        hook->run(hook->context);
    }
}

static void use_block(struct arena *arena, struct arena_block *block)
{
    arena->next = (uint8_t *)(block + 1);
    arena->end = arena->next + block->size_bytes;
}

void arena_reset(struct arena *arena)
{
    run_hooks(arena);
    arena->used_bytes = 0;
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;

        if (block->older == NULL && block->size_bytes <= KEPT_SIZE_BYTES) {
            use_block(arena, block);
            return;
        }
        arena->blocks = block->older;
        mem_free(block);
    }
    arena->next = arena->end = NULL;
}

void arena_deinit(struct arena *arena)
{
    arena_reset(arena);
    mem_free(arena->blocks);
    *arena = (struct arena){0};
}

/* Blocks grow with the arena, so that their number stays small. */
static size_t next_block_size(const struct arena *arena, size_t size_bytes)
{
    size_t wanted = BLOCK_SIZE_BYTES - sizeof(struct arena_block);

    if (arena->blocks != NULL) {
        wanted = arena->blocks->size_bytes * 2;
        if (wanted > BLOCK_SIZE_BYTES_MAX)
            wanted = BLOCK_SIZE_BYTES_MAX;
    }
    return wanted < size_bytes ? size_bytes : wanted;
}

static void *alloc_from_new_block(struct arena *arena, size_t size_bytes)
{
    size_t block_bytes = next_block_size(arena, size_bytes);
    struct arena_block *block = malloc(sizeof(*block) + block_bytes);
    uint8_t *p;

    if (block == NULL)
        return NULL;
    block->older = arena->blocks;
    block->size_bytes = block_bytes;
    if (arena->blocks != NULL)
        arena->used_bytes += block_bytes;
    arena->blocks = block;
    use_block(arena, block);
    p = arena->next;
    arena->next += size_bytes;
    return p;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
    size_t rounded = round_up(size_bytes);
    void *p;

    CHECK(rounded >= size_bytes);
    if ((size_t)(arena->end - arena->next) >= rounded && arena->next != NULL) {
        p = arena->next;
        arena->next += rounded;
        return p;
    }
    p = alloc_from_new_block(arena, rounded);
    CHECK(p != NULL);
    return p;
}

void *arena_zalloc(struct arena *arena, size_t size_bytes)
{
    return memset(arena_alloc(arena, size_bytes), 0, size_bytes);
}

void *arena_try_alloc(struct arena *arena, size_t size_bytes)
{
    size_t rounded = round_up(size_bytes);

    if (rounded < size_bytes)
        return NULL;
    if (arena->next != NULL && (size_t)(arena->end - arena->next) >= rounded)
        return arena_alloc(arena, size_bytes);
    if (arena->used_bytes + rounded > arena->used_bytes_max)
        return NULL;
    return alloc_from_new_block(arena, rounded);
}

struct slice arena_copy(struct arena *arena, struct slice bytes)
{
    uint8_t *copy = arena_alloc(arena, bytes.n);

    if (bytes.n > 0)
        memcpy(copy, bytes.p, bytes.n);
    return slice_of(copy, bytes.n);
}

struct slice arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(n >= 0);
    text = arena_alloc(arena, (size_t)n + 1);
    va_start(args, format);
    n = vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return slice_of(text, (size_t)n);
}

void arena_on_reset(struct arena *arena, void (*run)(void *context), void *context)
{
    struct arena_hook *hook = arena_alloc(arena, sizeof(*hook));

    hook->older = arena->hooks;
    hook->run = run;
    hook->context = context;
    arena->hooks = hook;
}
