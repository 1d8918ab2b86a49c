/*
 * Growth of byte buffers: capacity doubles up to the maximum. The spare byte of `capacity` makes
 * the inline test in buf_room() false for the empty buffer, and is where printf puts its NUL.
 *
 * Invariants:
 *  1. capacity <= size_bytes_max + 1, and p is NULL exactly when capacity is 0.
 *  2. n < capacity, or both are 0.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

enum { FIRST_CAPACITY = 256, KEPT_CAPACITY_MAX = 64 * 1024 };
/* Keeps the sums below from overflowing. */
#define SIZE_BYTES_MAX_LIMIT (SIZE_MAX / 4)

void buf_init(struct buf *buf, size_t size_bytes_max)
{
    *buf = (struct buf){
        .size_bytes_max =
            size_bytes_max < SIZE_BYTES_MAX_LIMIT ? size_bytes_max : SIZE_BYTES_MAX_LIMIT,
    };
}

void buf_deinit(struct buf *buf)
{
    free(buf->p);
    buf_init(buf, buf->size_bytes_max);
}

void buf_reset(struct buf *buf)
{
    if (buf->capacity > KEPT_CAPACITY_MAX)
        buf_deinit(buf);
    buf->n = 0;
    buf->failed = false;
}

/* A capacity for `needed` bytes and the spare one, not above the maximum. */
static size_t next_capacity(const struct buf *buf, size_t needed)
{
    size_t capacity = buf->capacity == 0 ? FIRST_CAPACITY : buf->capacity * 2;

    if (capacity <= needed)
        capacity = needed + 1;
    if (capacity > buf->size_bytes_max + 1)
        capacity = buf->size_bytes_max + 1;
    return capacity;
}

uint8_t *buf_grow(struct buf *buf, size_t size_bytes)
{
    size_t capacity;
    uint8_t *moved;

    if (size_bytes > buf->size_bytes_max - buf->n) {
        buf->failed = true;
        return NULL;
    }
    capacity = next_capacity(buf, buf->n + size_bytes);
    moved = realloc(buf->p, capacity);
    if (moved == NULL) {
        buf->failed = true;
        return NULL;
    }
    buf->p = moved;
    buf->capacity = capacity;
    return moved + buf->n;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list arguments;
    uint8_t *room;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    CHECK(length >= 0);
    room = buf_room(buf, (size_t)length);
    if (room == NULL)
        return;
    va_start(arguments, format);
    length = vsnprintf((char *)room, (size_t)length + 1, format, arguments);
    va_end(arguments);
    CHECK(length >= 0);
    buf->n += (size_t)length;
}
