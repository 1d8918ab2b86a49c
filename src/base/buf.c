/* Growable buffers: see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT_SIZE_BYTES (64 * 1024)
#define FIRST_SIZE_BYTES 256

void buf_init(struct buf *buf, size_t size_bytes_max)
{
    *buf = (struct buf){.size_bytes_max = size_bytes_max};
}

void buf_deinit(struct buf *buf)
{
    free(buf->p);
    buf->p = NULL;
    buf->n = buf->capacity = 0;
}

void buf_reset(struct buf *buf)
{
    if (buf->capacity > KEPT_SIZE_BYTES)
        buf_deinit(buf);
    buf->n = 0;
    buf->failed = false;
}

static size_t grown_capacity(const struct buf *buf, size_t needed)
{
    size_t capacity = buf->capacity == 0 ? FIRST_SIZE_BYTES : buf->capacity * 2;

    if (capacity < needed)
        capacity = needed;
    return capacity > buf->size_bytes_max ? buf->size_bytes_max : capacity;
}

uint8_t *buf_grow(struct buf *buf, size_t size_bytes)
{
    size_t capacity;
    uint8_t *p;

    if (buf->failed || size_bytes > buf->size_bytes_max - buf->n) {
        buf->failed = true;
        return NULL;
    }
    capacity = grown_capacity(buf, buf->n + size_bytes);
    p = realloc(buf->p, capacity == 0 ? 1 : capacity);
    if (p == NULL) {
        buf->failed = true;
        return NULL;
    }
    buf->p = p;
    buf->capacity = capacity;
    return p + buf->n;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    uint8_t *room;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    room = n < 0 ? NULL : buf_room(buf, (size_t)n + 1);
    if (room == NULL) {
        buf->failed = true;
        return;
    }
    va_start(args, format);
    (void)vsnprintf((char *)room, (size_t)n + 1, format, args);
    va_end(args);
    buf->n += (size_t)n;
}
