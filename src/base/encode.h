/*
 * Small codecs: fixed-width integers, hexadecimal, base64 (RFC 4648, with padding), UTF-8.
 * Big-endian for keys (so that bytes sort as numbers), little-endian for values.
 */
#ifndef ROWHOUSE_BASE_ENCODE_H
#define ROWHOUSE_BASE_ENCODE_H

#include "base/slice.h"
#include "base/status.h"

struct arena;
struct buf;

/* Fixed-width integers at `p`, which need not be aligned. */
static inline void put_be16(uint8_t *p, uint16_t v)
{
    v = __builtin_bswap16(v);
    memcpy(p, &v, 2);
}
static inline void put_be32(uint8_t *p, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
}
static inline void put_be64(uint8_t *p, uint64_t v)
{
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
}
static inline uint16_t get_be16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return __builtin_bswap16(v);
}
static inline uint32_t get_be32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}
static inline uint64_t get_be64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}
static inline void put_le16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, 2);
}
static inline void put_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
}
static inline void put_le64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, 8);
}
static inline uint16_t get_le16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
static inline uint32_t get_le32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t get_le64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* Lower-case digits; `ret_text` has room for 2 * n characters. */
void hex_encode(const uint8_t *bytes, size_t n, char *ret_text);
/* ST_INVALID unless `text` is exactly 2 * n digits of either case. */
enum status MUST_CHECK hex_decode(struct slice text, uint8_t *ret_bytes, size_t n);

/* Appends base64 of `bytes`, padded. */
void base64_append(struct buf *buf, struct slice bytes);
/* Strict: padding required, no white space. ST_INVALID otherwise. The result is in the arena. */
enum status MUST_CHECK base64_decode(struct arena *arena, struct slice text,
                                     struct slice *ret_bytes);

/* Whether `text` is well-formed UTF-8 (RFC 3629): no surrogates, no overlong forms, <= U+10FFFF. */
bool utf8_valid(struct slice text);

/* Decimal digits of 0..INT64_MAX with nothing around them; ST_INVALID otherwise or on overflow. */
enum status MUST_CHECK parse_int(struct slice text, int64_t *ret_value);

#endif
