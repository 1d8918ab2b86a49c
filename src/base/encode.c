/*
 * Text codecs. All are strict: what they accept has one spelling, apart from the case of
 * hexadecimal digits.
 *
 * base64:  | aaaaaabb | bbbbcccc | ccdddddd |  three bytes are four digits a b c d; a tail of one
 * byte is "ab==", of two "abc=", and the unused low bits of its last digit are zero.
 */
#include "base/encode.h"

#include "base/arena.h"
#include "base/buf.h"

static const char hex_digits[] = "0123456789abcdef";

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { NOT_A_DIGIT = 0xff };

void hex_encode(const uint8_t *bytes, size_t n, char *ret_text)
{
    for (size_t i = 0; i < n; i++) {
        ret_text[2 * i] = hex_digits[bytes[i] >> 4];
        ret_text[2 * i + 1] = hex_digits[bytes[i] & 15];
    }
}

static uint8_t hex_value(uint8_t digit)
{
    if (digit >= '0' && digit <= '9')
        return (uint8_t)(digit - '0');
    if (digit >= 'a' && digit <= 'f')
        return (uint8_t)(digit - 'a' + 10);
    if (digit >= 'A' && digit <= 'F')
        return (uint8_t)(digit - 'A' + 10);
    return NOT_A_DIGIT;
}

static bool hex_all_digits(struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (hex_value(text.p[i]) == NOT_A_DIGIT)
            return false;
    }
    return true;
}

enum status hex_decode(struct slice text, uint8_t *ret_bytes, size_t n)
{
    if (text.n % 2 != 0 || text.n / 2 != n || !hex_all_digits(text))
        return ST_INVALID;
    for (size_t i = 0; i < n; i++)
        ret_bytes[i] = (uint8_t)(hex_value(text.p[2 * i]) << 4 | hex_value(text.p[2 * i + 1]));
    return ST_OK;
}

static void base64_put_group(uint8_t *text, uint32_t group)
{
    text[0] = (uint8_t)base64_digits[group >> 18];
    text[1] = (uint8_t)base64_digits[group >> 12 & 63];
    text[2] = (uint8_t)base64_digits[group >> 6 & 63];
    text[3] = (uint8_t)base64_digits[group & 63];
}

void base64_append(struct buf *buf, struct slice bytes)
{
    size_t whole = bytes.n - bytes.n % 3;
    size_t tail = bytes.n - whole;
    size_t text_bytes = whole / 3 * 4 + (tail > 0 ? 4 : 0);
    uint8_t *text = buf_room(buf, text_bytes);

    if (text == NULL)
        return;
    for (size_t i = 0; i < whole; i += 3, text += 4) {
        base64_put_group(text, (uint32_t)bytes.p[i] << 16 | (uint32_t)bytes.p[i + 1] << 8 |
                                   bytes.p[i + 2]);
    }
    if (tail > 0) {
        uint32_t second = tail == 2 ? bytes.p[whole + 1] : 0;

        base64_put_group(text, (uint32_t)bytes.p[whole] << 16 | second << 8);
        text[3] = '=';
        if (tail == 1)
            text[2] = '=';
    }
    buf->n += text_bytes;
}

static uint8_t base64_value(uint8_t digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return (uint8_t)(digit - 'A');
    if (digit >= 'a' && digit <= 'z')
        return (uint8_t)(digit - 'a' + 26);
    if (digit >= '0' && digit <= '9')
        return (uint8_t)(digit - '0' + 52);
    if (digit == '+')
        return 62;
    return digit == '/' ? 63 : NOT_A_DIGIT;
}

/* Gathers `n` digits (at most 4) into the high end of 24 bits. */
static enum status base64_read_group(const uint8_t *text, size_t n, uint32_t *ret_group)
{
    uint32_t group = 0;

    for (size_t i = 0; i < n; i++) {
        uint8_t value = base64_value(text[i]);

        if (value == NOT_A_DIGIT)
            return ST_INVALID;
        group |= (uint32_t)value << (18 - 6 * i);
    }
    *ret_group = group;
    return ST_OK;
}

static size_t base64_padding(struct slice text)
{
    if (text.n == 0 || text.p[text.n - 1] != '=')
        return 0;
    return text.p[text.n - 2] == '=' ? 2 : 1;
}

/* The last group of a padded text: one or two bytes, whose unused bits must be zero. */
static enum status base64_read_tail(const uint8_t *text, size_t padding, uint8_t *bytes)
{
    uint32_t group;

    TRY(base64_read_group(text, 4 - padding, &group));
    if ((group & (padding == 2 ? 0xffff : 0xff)) != 0)
        return ST_INVALID;
    bytes[0] = (uint8_t)(group >> 16);
    if (padding == 1)
        bytes[1] = (uint8_t)(group >> 8);
    return ST_OK;
}

enum status base64_decode(struct arena *arena, struct slice text, struct slice *ret_bytes)
{
    size_t padding, whole;
    uint8_t *start, *bytes;

    if (text.n % 4 != 0)
        return ST_INVALID;
    start = bytes = arena_try_alloc(arena, text.n / 4 * 3);
    if (bytes == NULL)
        return ST_TOO_LARGE;
    padding = base64_padding(text);
    whole = text.n - (padding > 0 ? 4 : 0);
    for (size_t i = 0; i < whole; i += 4, bytes += 3) {
        uint32_t group;

        TRY(base64_read_group(text.p + i, 4, &group));
        bytes[0] = (uint8_t)(group >> 16);
        bytes[1] = (uint8_t)(group >> 8);
        bytes[2] = (uint8_t)group;
    }
    if (padding > 0)
        TRY(base64_read_tail(text.p + whole, padding, bytes));
    *ret_bytes = slice_of(start, text.n / 4 * 3 - padding);
    return ST_OK;
}

/*
 * The width of the character that `lead` begins, and the range that its second byte must lie in:
 * that range alone rules out overlong forms, surrogates and what is above U+10FFFF. 0 when no
 * character begins so.
 */
static size_t utf8_width(uint8_t lead, uint8_t *ret_low, uint8_t *ret_high)
{
    *ret_low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *ret_high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* The width of the multi-byte character at the start of the `n` bytes at `p`; 0 if ill-formed. */
static size_t utf8_character(const uint8_t *p, size_t n)
{
    uint8_t low, high;
    size_t width = utf8_width(p[0], &low, &high);

    if (width == 0 || width > n || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < width; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return width;
}

/* Whether the next eight bytes are ASCII, which most text is. */
static bool utf8_eight_ascii(struct slice text, size_t at)
{
    return text.n - at >= 8 && (get_le64(text.p + at) & 0x8080808080808080u) == 0;
}

bool utf8_valid(struct slice text)
{
    size_t at = 0;

    while (at < text.n) {
        size_t width = utf8_eight_ascii(text, at) ? 8
                       : text.p[at] < 0x80        ? 1
                                                  : utf8_character(text.p + at, text.n - at);

        if (width == 0)
            return false;
        at += width;
    }
    return true;
}

enum status parse_int(struct slice text, int64_t *ret_value)
{
    int64_t value = 0;

    if (text.n == 0)
        return ST_INVALID;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return ST_INVALID;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text.p[i] - '0', &value))
            return ST_INVALID;
    }
    *ret_value = value;
    return ST_OK;
}
