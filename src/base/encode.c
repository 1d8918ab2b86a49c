/* Small codecs: see encode.h. Base64 is RFC 4648, section 4. */
#include "base/encode.h"

#include "base/arena.h"
#include "base/buf.h"

void hex_encode(const uint8_t *bytes, size_t n, char *ret_text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        ret_text[2 * i] = digits[bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum status hex_decode(struct slice text, uint8_t *ret_bytes, size_t n)
{
    if (text.n != 2 * n)
        return ST_INVALID;
    for (size_t i = 0; i < text.n; i++)
        if (hex_digit(text.p[i]) < 0)
            return ST_INVALID;
    for (size_t i = 0; i < n; i++)
        ret_bytes[i] = (uint8_t)(hex_digit(text.p[2 * i]) << 4 | hex_digit(text.p[2 * i + 1]));
    return ST_OK;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_append(struct buf *buf, struct slice bytes)
{
    uint8_t *out = buf_room(buf, (bytes.n + 2) / 3 * 4);

    if (out == NULL)
        return;
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        uint32_t group = (uint32_t)bytes.p[i] << 16 |
                         (left > 1 ? (uint32_t)bytes.p[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes.p[i + 2] : 0);

        *out++ = (uint8_t)base64_digits[group >> 18];
        *out++ = (uint8_t)base64_digits[group >> 12 & 63];
        *out++ = left > 1 ? (uint8_t)base64_digits[group >> 6 & 63] : '=';
        *out++ = left > 2 ? (uint8_t)base64_digits[group & 63] : '=';
    }
    buf->n += (bytes.n + 2) / 3 * 4;
}

static int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

static size_t padding_of(struct slice text)
{
    if (text.n > 0 && text.p[text.n - 1] == '=')
        return text.p[text.n - 2] == '=' ? 2 : 1;
    return 0;
}

enum status base64_decode(struct arena *arena, struct slice text, struct slice *ret_bytes)
{
    size_t padding, size_bytes, at = 0;
    uint8_t *out;

    if (text.n % 4 != 0)
        return ST_INVALID;
    padding = padding_of(text);
    size_bytes = text.n / 4 * 3 - padding;
    out = arena_try_alloc(arena, size_bytes + 3);
    if (out == NULL)
        return ST_TOO_LARGE;
    for (size_t i = 0; i < text.n; i += 4) {
        uint32_t group = 0;

        for (size_t j = 0; j < 4; j++) {
            bool pad = i + j >= text.n - padding;
            int digit = pad ? 0 : base64_digit(text.p[i + j]);

            if (digit < 0)
                return ST_INVALID;
            group = group << 6 | (uint32_t)digit;
        }
        out[at++] = (uint8_t)(group >> 16);
        out[at++] = (uint8_t)(group >> 8);
        out[at++] = (uint8_t)group;
    }
    *ret_bytes = slice_of(out, size_bytes);
    return ST_OK;
}

enum status parse_int(struct slice text, int64_t *ret_value)
{
    int64_t value = 0;

    if (text.n == 0)
        return ST_INVALID;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text.p[i] - '0', &value))
            return ST_INVALID;
    }
    *ret_value = value;
    return ST_OK;
}

/* The length of the well-formed sequence at p (Unicode 15, table 3-7), or 0. */
static size_t utf8_sequence(const uint8_t *p, size_t left)
{
    uint8_t low = 0x80, high = 0xbf;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (left < n || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool utf8_valid(struct slice text)
{
    size_t at = 0;

    while (at < text.n) {
        size_t n = utf8_sequence(text.p + at, text.n - at);

        if (n == 0)
            return false;
        at += n;
    }
    return true;
}
