#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

static void *or_abort(void *p, size_t size_bytes)
{
    if (p != NULL)
        return p;
    (void)fprintf(stderr, "rowhouse: out of memory (%zu bytes)\n", size_bytes);
    abort();
}

void *mem_alloc(size_t size_bytes)
{
    return or_abort(malloc(size_bytes == 0 ? 1 : size_bytes), size_bytes);
}

void *mem_zalloc(size_t size_bytes)
{
    return or_abort(calloc(1, size_bytes == 0 ? 1 : size_bytes), size_bytes);
}

void *mem_realloc(void *p, size_t size_bytes)
{
    return or_abort(realloc(p, size_bytes == 0 ? 1 : size_bytes), size_bytes);
}

void mem_free(void *p)
{
    free(p);
}
