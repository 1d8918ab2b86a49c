/* Percent-encoding: AWS signs one spelling of each byte, whatever the client sent. */
#include "auth/uri.h"

#include "base/encode.h"

static bool is_escape(struct slice text, size_t at, uint8_t *ret_byte)
{
    if (text.p[at] != '%' || text.n - at < 3)
        return false;
    return hex_decode(slice_of(text.p + at + 1, 2), ret_byte, 1) == ST_OK;
}

struct slice uri_decode(struct arena *arena, struct slice text)
{
    uint8_t *bytes;
    size_t n = 0;

    if (text.n == 0 || memchr(text.p, '%', text.n) == NULL)
        return text;
    bytes = arena_alloc(arena, text.n);
    for (size_t at = 0; at < text.n; n++) {
        if (is_escape(text, at, &bytes[n]))
            at += 3;
        else
            bytes[n] = text.p[at++];
    }
    return slice_of(bytes, n);
}

static bool is_unreserved(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

void uri_append_encoded(struct buf *buf, struct slice text, bool is_path)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.n; i++) {
        uint8_t byte = text.p[i];

        if (is_unreserved(byte) || (is_path && byte == '/'))
            buf_append_byte(buf, byte);
        else
            buf_append(buf, (char[]){'%', digits[byte >> 4], digits[byte & 15]}, 3);
    }
}
