/* malloc for sizes that we chose: never NULL, aborts with a line when memory is out. */
#ifndef ROWHOUSE_BASE_MEMORY_H
#define ROWHOUSE_BASE_MEMORY_H

#include <stddef.h>

/* Uninitialised, zeroed, and a block of another size with the same content. */
void *mem_alloc(size_t size_bytes) __attribute__((malloc, returns_nonnull));
void *mem_zalloc(size_t size_bytes) __attribute__((malloc, returns_nonnull));
void *mem_realloc(void *p, size_t size_bytes) __attribute__((returns_nonnull));
/* Frees a block got from any of the three. NULL is fine. */
void mem_free(void *p);

/* Says on standard error that `size_bytes` could not be had, and aborts. */
void mem_exhausted(size_t size_bytes) __attribute__((noreturn, cold));

#define MEM_NEW(type) ((type *)mem_zalloc(sizeof(type)))

#endif
