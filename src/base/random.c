/*
 * Random bytes come from the kernel, which is asked for a few hundred at a time: a system call
 * for each request id would be felt. Bytes are wiped from the thread's stock as they are given.
 */
#include "base/random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/check.h"

enum { STOCK_BYTES = 512 };

static _Thread_local struct {
    uint8_t bytes[STOCK_BYTES];
    size_t left; /* the bytes not given yet are the first `left` */
} stock;

static void ask_kernel(uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        CHECK(got > 0 || errno == EINTR);
        if (got < 0)
            continue;
        p += got;
        n -= (size_t)got;
    }
}

void random_bytes(void *ret_bytes, size_t size_bytes)
{
    if (size_bytes > STOCK_BYTES) {
        ask_kernel(ret_bytes, size_bytes);
        return;
    }
    if (stock.left < size_bytes) {
        ask_kernel(stock.bytes, STOCK_BYTES);
        stock.left = STOCK_BYTES;
    }
    stock.left -= size_bytes;
    memcpy(ret_bytes, stock.bytes + stock.left, size_bytes);
    explicit_bzero(stock.bytes + stock.left, size_bytes);
}

uint64_t random_seeded_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
