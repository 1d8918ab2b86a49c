/*
 * Where a connection's bytes arrive. The parser works in place and the request's slices point into
 * it. A connection without bytes has none: free buffers wait in the loop's pool.
 *
 *   bytes                                                          capacity
 *     |  answered  |  this message, parsed  |  unparsed  |  room      | padding |
 *                  start                    parsed       filled
 */
#ifndef ROWHOUSE_HTTP_RECEIVE_BUFFER_H
#define ROWHOUSE_HTTP_RECEIVE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "http/http.h"

/* Holds nearly every request; larger ones get a block of their own size. */
#define RECEIVE_BUFFER_SMALL_BYTES 8192

struct receive_buffer {
    struct receive_buffer *next; /* in the pool */
    size_t capacity;             /* of `bytes`, without the padding */
    size_t start;
    size_t parsed;
    size_t filled;
    struct http_header headers[HTTP_HEADER_COUNT_MAX]; /* of the message at `start` */
    uint8_t bytes[];
};

/* One loop's buffers: the free ones of the small size, and the account of the large ones. */
struct receive_pool {
    struct receive_buffer *first;
    unsigned count;
    unsigned count_max;
    size_t large_bytes;
    size_t large_bytes_max;
};

/* Keeps up to `count_max` free buffers; all large ones together may have `large_bytes_max`. */
void receive_pool_init(struct receive_pool *pool, unsigned count_max, size_t large_bytes_max);
/* When every buffer is back. */
void receive_pool_deinit(struct receive_pool *pool);

/*
 * An empty buffer of at least `size_bytes`, which a client chose: NULL when memory is out, or when
 * all large buffers together would go over their maximum.
 */
struct receive_buffer *receive_buffer_new(struct receive_pool *pool, size_t size_bytes);
/* Back to the pool, or to the system. NULL is fine. */
void receive_buffer_free(struct receive_pool *pool, struct receive_buffer *buffer);

#endif
