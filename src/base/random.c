#include "base/random.h"

#include <string.h>
#include <sys/random.h>

#include "base/check.h"

/* A system call per request would show; a buffer per thread makes it one in many. */
#define BUFFER_SIZE_BYTES 1024

static _Thread_local uint8_t buffer[BUFFER_SIZE_BYTES];
static _Thread_local size_t left_bytes;

static void fill(uint8_t *p, size_t size_bytes)
{
    while (size_bytes > 0) {
        ssize_t n = getrandom(p, size_bytes, 0);

        CHECK(n > 0);
        p += n;
        size_bytes -= (size_t)n;
    }
}

void random_bytes(void *ret_bytes, size_t size_bytes)
{
    if (size_bytes > BUFFER_SIZE_BYTES) {
        fill(ret_bytes, size_bytes);
        return;
    }
    if (left_bytes < size_bytes) {
        fill(buffer, sizeof(buffer));
        left_bytes = sizeof(buffer);
    }
    left_bytes -= size_bytes;
    memcpy(ret_bytes, buffer + left_bytes, size_bytes);
    /* Bytes given out are never given out again, not even from memory. */
    memset(buffer + left_bytes, 0, size_bytes);
}

uint64_t random_seeded_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
