/*
 * Small buffers are recycled, last one first, so that the next read lands in warm memory. Larger
 * ones are rare and go back to the allocator.
 */
#include "http/receive_buffer.h"

#include <stdlib.h>

#include "base/memory.h"

void receive_pool_init(struct receive_pool *pool, unsigned count_max, size_t large_bytes_max)
{
    *pool = (struct receive_pool){.count_max = count_max, .large_bytes_max = large_bytes_max};
}

void receive_pool_deinit(struct receive_pool *pool)
{
    while (pool->first != NULL) {
        struct receive_buffer *buffer = pool->first;

        pool->first = buffer->next;
        mem_free(buffer);
    }
    pool->count = 0;
}

static struct receive_buffer *take_free(struct receive_pool *pool)
{
    struct receive_buffer *buffer = pool->first;

    pool->first = buffer->next;
    pool->count--;
    return buffer;
}

static struct receive_buffer *allocate(size_t capacity)
{
    /* Not mem_alloc: the size comes from the client, and it alone pays when memory is out. */
    struct receive_buffer *buffer =
        malloc(sizeof(struct receive_buffer) + capacity + HTTP_BODY_PADDING_BYTES);

    if (buffer != NULL)
        buffer->capacity = capacity;
    return buffer;
}

static struct receive_buffer *allocate_large(struct receive_pool *pool, size_t capacity)
{
    struct receive_buffer *buffer;

    if (capacity > pool->large_bytes_max - pool->large_bytes)
        return NULL;
    buffer = allocate(capacity);
    if (buffer != NULL)
        pool->large_bytes += capacity;
    return buffer;
}

struct receive_buffer *receive_buffer_new(struct receive_pool *pool, size_t size_bytes)
{
    struct receive_buffer *buffer;

    if (size_bytes > RECEIVE_BUFFER_SMALL_BYTES)
        buffer = allocate_large(pool, size_bytes);
    else if (pool->first != NULL)
        buffer = take_free(pool);
    else
        buffer = allocate(RECEIVE_BUFFER_SMALL_BYTES);
    if (buffer != NULL)
        buffer->start = buffer->parsed = buffer->filled = 0;
    return buffer;
}

void receive_buffer_free(struct receive_pool *pool, struct receive_buffer *buffer)
{
    if (buffer == NULL)
        return;
    if (buffer->capacity > RECEIVE_BUFFER_SMALL_BYTES)
        pool->large_bytes -= buffer->capacity;
    if (buffer->capacity > RECEIVE_BUFFER_SMALL_BYTES || pool->count >= pool->count_max) {
        mem_free(buffer);
        return;
    }
    buffer->next = pool->first;
    pool->first = buffer;
    pool->count++;
}
