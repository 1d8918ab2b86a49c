/* The allocator's failures end here: a server that is out of memory cannot keep its promises. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void mem_exhausted(size_t size_bytes)
{
    (void)fprintf(stderr, "out of memory: %zu bytes could not be allocated\n", size_bytes);
    abort();
}

/* The allocators may answer NULL for no bytes; ours never do. */
static size_t at_least_one(size_t size_bytes)
{
    return size_bytes == 0 ? 1 : size_bytes;
}

void *mem_alloc(size_t size_bytes)
{
    void *p = malloc(at_least_one(size_bytes));

    if (p == NULL)
        mem_exhausted(size_bytes);
    return p;
}

void *mem_zalloc(size_t size_bytes)
{
    void *p = calloc(1, at_least_one(size_bytes));

    if (p == NULL)
        mem_exhausted(size_bytes);
    return p;
}

void *mem_realloc(void *p, size_t size_bytes)
{
    void *moved = realloc(p, at_least_one(size_bytes));

    if (moved == NULL)
        mem_exhausted(size_bytes);
    return moved;
}

void mem_free(void *p)
{
    free(p);
}
