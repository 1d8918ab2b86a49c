/*
 * A growable byte buffer with a maximum. Appending past the maximum (or out of memory) sets
 * `failed` and drops the bytes; the writer checks once, at the end, with buf_status().
 */
#ifndef ROWHOUSE_BASE_BUF_H
#define ROWHOUSE_BASE_BUF_H

#include "base/slice.h"
#include "base/status.h"

struct buf {
    uint8_t *p;
    size_t n;
    size_t capacity; /* one byte more than may be filled: n < capacity, or both are 0 */
    size_t size_bytes_max;
    bool failed;
};

/* Allocates nothing yet. `size_bytes_max` bounds n. */
void buf_init(struct buf *buf, size_t size_bytes_max);
/* Frees the bytes; the buffer may be initialised again. */
void buf_deinit(struct buf *buf);
/* Empties it and clears `failed`; keeps at most 64 KB of memory. */
void buf_reset(struct buf *buf);
/* The slow path of buf_room: grows. NULL and `failed` when it may not. */
uint8_t *buf_grow(struct buf *buf, size_t size_bytes);
/* Appends formatted text; all of it or, with `failed` set, none. */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for `size_bytes` more at the end, not yet counted in n; NULL on failure. */
static inline uint8_t *buf_room(struct buf *buf, size_t size_bytes)
{
    if (buf->capacity - buf->n > size_bytes)
        return buf->p + buf->n;
    return buf_grow(buf, size_bytes);
}

/* Appends a copy of the bytes: all of them or, with `failed` set, none. */
static inline void buf_append(struct buf *buf, const void *bytes, size_t size_bytes)
{
    uint8_t *room = buf_room(buf, size_bytes);

    if (room == NULL || size_bytes == 0)
        return;
    memcpy(room, bytes, size_bytes);
    buf->n += size_bytes;
}

static inline void buf_append_slice(struct buf *buf, struct slice s)
{
    buf_append(buf, s.p, s.n);
}

static inline void buf_append_byte(struct buf *buf, uint8_t byte)
{
    buf_append(buf, &byte, 1);
}

#define BUF_APPEND_LIT(buf, text) buf_append((buf), "" text, sizeof(text) - 1)

/* What has been written; valid until the next append, reset or deinit. */
static inline struct slice buf_slice(const struct buf *buf)
{
    return slice_of(buf->p, buf->n);
}

/* ST_TOO_LARGE if any append failed. */
static inline enum status MUST_CHECK buf_status(const struct buf *buf)
{
    return buf->failed ? ST_TOO_LARGE : ST_OK;
}

#endif
