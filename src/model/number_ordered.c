/*
 * The ordered form of numbers, and what is read from it without arithmetic: their text and size.
 *
 * The form of a number d1.d2d3... * 10^e (d1 > 0):
 *
 *   positive   C1 | e + 512 (2, BE) | digit pairs + 1 (each 01..64) | 00
 *   zero       80
 *   negative   3E | the complement of what follows C1 in the form of the same magnitude
 *
 * Digit pairs are base 100, from the first digit on; a last odd digit is padded with a zero. The
 * terminator sorts before every pair, as a number does before those that continue its digits.
 *
 * Invariants (checked when decoding):
 *  1. canonical: the first pair is at least 10 and the last is not 00;
 *  2. at most PAIRS_MAX pairs, and e is within DynamoDB's range.
 */
#include <assert.h>

#include "base/check.h"
#include "base/encode.h"
#include "model/number_limits.h"

#define BIAS 512
#define CLASS_NEGATIVE 0x3e
#define CLASS_ZERO 0x80
#define CLASS_POSITIVE 0xc1

#define HEAD_SIZE_BYTES 3 /* class and exponent */
#define PAIRS_MAX (NUMBER_DIGITS_MAX / 2)
#define SIZE_AWS_MAX 21

static_assert(HEAD_SIZE_BYTES + PAIRS_MAX + 1 <= NUMBER_ORDERED_SIZE_MAX, "the longest form fits");

typedef unsigned __int128 u128;

static const char pair_texts[] = "0001020304050607080910111213141516171819"
                                 "2021222324252627282930313233343536373839"
                                 "4041424344454647484950515253545556575859"
                                 "6061626364656667686970717273747576777879"
                                 "8081828384858687888990919293949596979899";

/* ---- Writing ---- */

/* The last `count` pairs of `n`, each plus 1 and complemented by `flip`. */
static void put_pairs(uint64_t n, uint8_t flip, uint8_t *ret_pairs, unsigned count)
{
    while (count > 0) {
        ret_pairs[--count] = (uint8_t)(n % 100 + 1) ^ flip;
        n /= 100;
    }
}

/* Nine pairs at a time: 64-bit divisions are many times as fast as those of 128 bits. */
static void put_coefficient(u128 n, uint8_t flip, uint8_t *ret_pairs, unsigned count)
{
    const uint64_t nine_pairs = 1000000000000000000u;

    while (n >> 64 != 0) {
        u128 rest = n / nine_pairs;

        count -= 9;
        put_pairs((uint64_t)(n - rest * nine_pairs), flip, ret_pairs + count, 9);
        n = rest;
    }
    put_pairs((uint64_t)n, flip, ret_pairs, count);
}

size_t number_encode_ordered(const struct number *number, uint8_t *ret_bytes)
{
    uint8_t flip = number->negative ? 0xff : 0;
    unsigned digits = number_digit_count(number->coefficient);
    unsigned pairs = (digits + 1) / 2;
    uint16_t exponent = (uint16_t)(number->exponent + (int32_t)digits - 1 + BIAS);

    if (digits == 0) {
        ret_bytes[0] = CLASS_ZERO;
        return 1;
    }
    CHECK(digits <= NUMBER_DIGITS_MAX);
    ret_bytes[0] = number->negative ? CLASS_NEGATIVE : CLASS_POSITIVE;
    put_be16(ret_bytes + 1, number->negative ? (uint16_t)~exponent : exponent);
    put_coefficient(digits % 2 == 0 ? number->coefficient : number->coefficient * 10, flip,
                    ret_bytes + HEAD_SIZE_BYTES, pairs);
    ret_bytes[HEAD_SIZE_BYTES + pairs] = flip;
    return HEAD_SIZE_BYTES + pairs + 1;
}

/* ---- Reading ---- */

/* A form that is not zero, taken apart. */
struct form {
    bool negative;
    uint8_t flip;
    int32_t exponent; /* of the first digit */
    const uint8_t *pairs;
    unsigned count; /* of pairs */
    unsigned last;  /* the last pair */
};

static unsigned pair_at(const struct form *form, unsigned i)
{
    return (uint8_t)(form->pairs[i] ^ form->flip) - 1u;
}

/* How many pairs stand before the terminator; 0 if it is missing, or a byte is no pair. */
static unsigned count_pairs(struct slice bytes, uint8_t flip)
{
    for (unsigned i = 0; i < bytes.n && i <= PAIRS_MAX; i++) {
        uint8_t byte = bytes.p[i] ^ flip;

        if (byte == 0)
            return i;
        if (byte > 100)
            return 0;
    }
    return 0;
}

/* False unless the bytes begin with the canonical form of a number other than zero. */
static bool read_form(struct slice bytes, struct form *ret_form)
{
    struct form form;
    uint16_t exponent;

    if (bytes.n < HEAD_SIZE_BYTES || (bytes.p[0] != CLASS_POSITIVE && bytes.p[0] != CLASS_NEGATIVE))
        return false;
    form.negative = bytes.p[0] == CLASS_NEGATIVE;
    form.flip = form.negative ? 0xff : 0;
    exponent = get_be16(bytes.p + 1);
    form.exponent = (form.negative ? (uint16_t)~exponent : exponent) - BIAS;
    form.pairs = bytes.p + HEAD_SIZE_BYTES;
    form.count = count_pairs(slice_from(bytes, HEAD_SIZE_BYTES), form.flip);
    if (form.count == 0 || number_check_range(form.exponent) != NUMBER_FINE)
        return false;
    form.last = pair_at(&form, form.count - 1);
    if (pair_at(&form, 0) < 10 || form.last == 0)
        return false;
    *ret_form = form;
    return true;
}

static unsigned form_digits(const struct form *form)
{
    return 2 * form->count - (form->last % 10 == 0);
}

static bool is_zero(struct slice bytes)
{
    return bytes.n > 0 && bytes.p[0] == CLASS_ZERO;
}

enum status number_decode_ordered(struct slice bytes, struct number *ret_number,
                                  size_t *ret_size_bytes)
{
    struct form form;
    u128 coefficient = 0;

    if (is_zero(bytes)) {
        *ret_number = (struct number){0};
        *ret_size_bytes = 1;
        return ST_OK;
    }
    if (!read_form(bytes, &form))
        return ST_INVALID;
    for (unsigned i = 0; i + 1 < form.count; i++)
        coefficient = coefficient * 100 + pair_at(&form, i);
    coefficient =
        form.last % 10 == 0 ? coefficient * 10 + form.last / 10 : coefficient * 100 + form.last;
    *ret_number = (struct number){
        .coefficient = coefficient,
        .exponent = form.exponent - (int32_t)form_digits(&form) + 1,
        .negative = form.negative,
    };
    *ret_size_bytes = HEAD_SIZE_BYTES + form.count + 1;
    return ST_OK;
}

int number_compare(const struct number *a, const struct number *b)
{
    uint8_t a_bytes[NUMBER_ORDERED_SIZE_MAX], b_bytes[NUMBER_ORDERED_SIZE_MAX];
    size_t a_n = number_encode_ordered(a, a_bytes), b_n = number_encode_ordered(b, b_bytes);

    return slice_compare(slice_of(a_bytes, a_n), slice_of(b_bytes, b_n));
}

/* ---- Text ---- */

static char *append_bytes(char *text, const char *bytes, size_t count)
{
    memcpy(text, bytes, count);
    return text + count;
}

static char *append_zeros(char *text, size_t count)
{
    memset(text, '0', count);
    return text + count;
}

/* The digits with a point after the first `whole` of them, and the zeros that this takes. */
static char *append_digits(char *text, const char *digits, int32_t count, int32_t whole)
{
    if (whole >= count) {
        text = append_bytes(text, digits, (size_t)count);
        return append_zeros(text, (size_t)(whole - count));
    }
    if (whole <= 0) {
        text = append_bytes(text, "0.", 2);
        text = append_zeros(text, (size_t)-whole);
        return append_bytes(text, digits, (size_t)count);
    }
    text = append_bytes(text, digits, (size_t)whole);
    *text++ = '.';
    return append_bytes(text, digits + whole, (size_t)(count - whole));
}

size_t number_format_ordered(struct slice ordered, char *ret_text)
{
    char digits[2 * PAIRS_MAX];
    char *end = ret_text;
    struct form form;

    if (is_zero(ordered)) {
        ret_text[0] = '0';
        return 1;
    }
    CHECK(read_form(ordered, &form));
    for (unsigned i = 0; i < form.count; i++)
        memcpy(digits + 2 * i, pair_texts + 2 * pair_at(&form, i), 2);
    if (form.negative)
        *end++ = '-';
    end = append_digits(end, digits, (int32_t)form_digits(&form), form.exponent + 1);
    return (size_t)(end - ret_text);
}

size_t number_format(const struct number *number, char *ret_text)
{
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    size_t n = number_encode_ordered(number, bytes);

    return number_format_ordered(slice_of(bytes, n), ret_text);
}

/* ---- Size ---- */

/* DynamoDB's pairs are aligned to the point: at an even exponent the first digit is alone. */
size_t number_size_ordered(struct slice ordered)
{
    struct form form;
    size_t digits, size;

    if (is_zero(ordered))
        return 1;
    CHECK(read_form(ordered, &form));
    digits = form_digits(&form);
    size = 1 + form.negative + (form.exponent % 2 == 0 ? digits / 2 + 1 : (digits + 1) / 2);
    return size < SIZE_AWS_MAX ? size : SIZE_AWS_MAX;
}

size_t number_size(const struct number *number)
{
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    size_t n = number_encode_ordered(number, bytes);

    return number_size_ordered(slice_of(bytes, n));
}
