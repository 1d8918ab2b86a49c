/*
 * Appending JSON text. Strings are mostly free of bytes that need an escape, so they are scanned
 * sixteen bytes at a time (GCC's vector extension, no instruction set named) and copied in runs.
 */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "json/attribute.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

enum { BLOCK = 16, INT_TEXT_MAX = 20, DOUBLE_TEXT_MAX = 32, DOUBLE_DIGITS_MAX = 17 };

static inline bool needs_escape(uint8_t byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

static inline bool block_needs_escape(const uint8_t *p)
{
    bytes16 block, found;
    words2 words;

    memcpy(&block, p, sizeof(block));
    found = (bytes16)(block < 0x20) | (bytes16)(block == '"') | (bytes16)(block == '\\');
    words = (words2)found;
    return (words[0] | words[1]) != 0;
}

/* How many bytes from the start need no escape. */
static size_t plain_run(struct slice text)
{
    size_t n = 0;

    while (n + BLOCK <= text.n && !block_needs_escape(text.p + n))
        n += BLOCK;
    if (text.n >= BLOCK && n + BLOCK > text.n && !block_needs_escape(text.p + text.n - BLOCK))
        return text.n;
    while (n < text.n && !needs_escape(text.p[n]))
        n++;
    return n;
}

static void append_escape(struct buf *buf, uint8_t byte)
{
    static const char short_forms[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };
    static const uint8_t hex_digits[] = "0123456789ABCDEF";

    if (byte == '"' || byte == '\\')
        buf_append(buf, (uint8_t[]){'\\', byte}, 2);
    else if (short_forms[byte] != '\0')
        buf_append(buf, (uint8_t[]){'\\', (uint8_t)short_forms[byte]}, 2);
    else
        buf_append(
            buf, (uint8_t[]){'\\', 'u', '0', '0', hex_digits[byte >> 4], hex_digits[byte & 15]}, 6);
}

void json_append_string(struct buf *buf, struct slice text)
{
    size_t run = plain_run(text);

    buf_append_byte(buf, '"');
    while (run < text.n) {
        buf_append(buf, text.p, run);
        append_escape(buf, text.p[run]);
        text = slice_from(text, run + 1);
        run = plain_run(text);
    }
    buf_append_slice(buf, text);
    buf_append_byte(buf, '"');
}

void json_append_int(struct buf *buf, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint8_t digits[INT_TEXT_MAX];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (uint8_t)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        digits[--at] = '-';
    buf_append(buf, digits + at, sizeof(digits) - at);
}

void json_append_double(struct buf *buf, double value)
{
    char text[DOUBLE_TEXT_MAX];
    int length = 0;

    CHECK(isfinite(value));
    for (int digits = DOUBLE_DIGITS_MAX - 2; digits <= DOUBLE_DIGITS_MAX; digits++) {
        length = snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    CHECK(length > 0 && (size_t)length < sizeof(text));
    buf_append(buf, text, (size_t)length);
    if (strpbrk(text, ".e") == NULL)
        BUF_APPEND_LIT(buf, ".0");
}
