/*
 * Exact decimal numbers of 38 digits: see number.h.
 *
 * The ordered form of a number d1.d2d3... * 10^e (d1 > 0):
 *
 *   positive   C1 | e + 512 (2, BE) | digit pairs + 1 (each 01..64) | 00
 *   zero       80
 *   negative   3E | the complement of what follows C1 in the form of the same magnitude
 *
 * Digit pairs are base 100, from the first digit on; a last odd digit is padded with a zero. A pair
 * of 00 at the end would be another form of the same number and is refused when decoding.
 */
#include "model/number.h"

#include "base/check.h"
#include "base/encode.h"

#define EXPONENT_MAX 125 /* of the first digit */
#define EXPONENT_MIN (-130)
#define BIAS 512

#define CLASS_NEGATIVE 0x3e
#define CLASS_ZERO 0x80
#define CLASS_POSITIVE 0xc1

typedef unsigned __int128 u128;

static unsigned digit_count(u128 n)
{
    unsigned count = 0;

    while (n != 0) {
        n /= 10;
        count++;
    }
    return count;
}

static u128 power_of_ten(unsigned n)
{
    u128 result = 1;

    while (n-- > 0)
        result *= 10;
    return result;
}

/* Digits of the coefficient, most significant first. Returns how many. */
static unsigned digits_of(u128 n, uint8_t ret_digits[NUMBER_DIGITS_MAX + 2])
{
    unsigned count = digit_count(n);

    for (unsigned i = count; i > 0; i--) {
        ret_digits[i - 1] = (uint8_t)(n % 10);
        n /= 10;
    }
    return count;
}

static void strip_zeros(struct number *number)
{
    if (number->coefficient == 0) {
        *number = (struct number){0};
        return;
    }
    while (number->coefficient % 10 == 0) {
        number->coefficient /= 10;
        number->exponent++;
    }
}

static enum number_fault check_range(const struct number *number)
{
    int32_t first;

    if (number->coefficient == 0)
        return NUMBER_FINE;
    first = number->exponent + (int32_t)digit_count(number->coefficient) - 1;
    if (first > EXPONENT_MAX)
        return NUMBER_OVERFLOW;
    return first < EXPONENT_MIN ? NUMBER_UNDERFLOW : NUMBER_FINE;
}

/* ---- Text ---- */

/* A text being read. */
struct scan {
    struct slice text;
    size_t at;
};

static int peek(const struct scan *scan)
{
    return scan->at < scan->text.n ? scan->text.p[scan->at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool scan_sign(struct scan *scan)
{
    int c = peek(scan);

    if (c == '+' || c == '-')
        scan->at++;
    return c == '-';
}

/* What the digits before the exponent say. */
struct mantissa {
    u128 coefficient;
    unsigned significant; /* digits after the first that is not zero, trailing zeros included */
    unsigned kept;        /* of those, in the coefficient */
    int32_t exponent;
    bool any_digit;
    bool has_point;
    bool lost; /* a digit other than zero did not fit */
};

static void add_digit(struct mantissa *m, unsigned digit)
{
    m->any_digit = true;
    if (m->coefficient == 0 && digit == 0) {
        m->exponent -= m->has_point;
        return;
    }
    m->significant++;
    if (m->kept < NUMBER_DIGITS_MAX) {
        m->coefficient = m->coefficient * 10 + digit;
        m->kept++;
        m->exponent -= m->has_point;
        return;
    }
    m->lost |= digit != 0;
    m->exponent += !m->has_point;
}

static bool scan_mantissa(struct scan *scan, struct mantissa *m)
{
    for (;; scan->at++) {
        int c = peek(scan);

        if (c == '.' && !m->has_point)
            m->has_point = true;
        else if (is_digit(c))
            add_digit(m, (unsigned)(c - '0'));
        else
            return m->any_digit;
    }
}

/* An exponent beyond what matters stays at a value that overflows (or underflows) anyway. */
static bool scan_exponent(struct scan *scan, int32_t *ret_exponent)
{
    bool negative;
    int32_t value = 0;

    *ret_exponent = 0;
    if (peek(scan) != 'e' && peek(scan) != 'E')
        return true;
    scan->at++;
    negative = scan_sign(scan);
    if (!is_digit(peek(scan)))
        return false;
    for (; is_digit(peek(scan)); scan->at++)
        if (value < 1000000)
            value = value * 10 + (peek(scan) - '0');
    *ret_exponent = negative ? -value : value;
    return true;
}

/*
 * DynamoDB looks at the exponent of a zero too, as it would be of its first digit: 0e126 is an
 * overflow, 0.0e126 is not.
 */
static enum number_fault check_zero(const struct mantissa *m, int32_t exponent)
{
    int32_t first = m->exponent + exponent;

    if (first > EXPONENT_MAX)
        return NUMBER_OVERFLOW;
    return first < EXPONENT_MIN ? NUMBER_UNDERFLOW : NUMBER_FINE;
}

enum number_fault number_parse(struct slice text, struct number *ret_number)
{
    struct scan scan = {text, 0};
    struct mantissa m = {0};
    struct number number = {0};
    enum number_fault fault;
    int32_t exponent;

    number.negative = scan_sign(&scan);
    if (!scan_mantissa(&scan, &m) || !scan_exponent(&scan, &exponent) || scan.at != text.n)
        return NUMBER_SYNTAX;
    if (m.coefficient == 0) {
        *ret_number = (struct number){0};
        return check_zero(&m, exponent);
    }
    number.coefficient = m.coefficient;
    number.exponent = m.exponent + exponent;
    strip_zeros(&number);
    fault = check_range(&number);
    if (fault != NUMBER_FINE)
        return fault;
    if (m.lost)
        return NUMBER_PRECISION;
    *ret_number = number;
    return NUMBER_FINE;
}

const char *number_fault_format(enum number_fault fault, bool *ret_takes_text)
{
    *ret_takes_text = fault == NUMBER_SYNTAX;
    switch (fault) {
    case NUMBER_FINE:
        return "";
    case NUMBER_SYNTAX:
        return "The parameter cannot be converted to a numeric value: %.*s";
    case NUMBER_OVERFLOW:
        return "Number overflow. Attempting to store a number with magnitude larger than supported "
               "range";
    case NUMBER_UNDERFLOW:
        return "Number underflow. Attempting to store a number with magnitude smaller than "
               "supported range";
    case NUMBER_PRECISION:
        return "Attempting to store more than 38 significant digits in a Number";
    }
    return "";
}

size_t number_format(const struct number *number, char *ret_text)
{
    uint8_t digits[NUMBER_DIGITS_MAX + 2];
    unsigned count = digits_of(number->coefficient, digits);
    int32_t point = (int32_t)count + number->exponent; /* digits before the point */
    size_t n = 0;

    if (count == 0) {
        ret_text[0] = '0';
        return 1;
    }
    if (number->negative)
        ret_text[n++] = '-';
    if (point <= 0) {
        ret_text[n++] = '0';
        ret_text[n++] = '.';
        for (int32_t i = point; i < 0; i++)
            ret_text[n++] = '0';
    }
    for (unsigned i = 0; i < count; i++) {
        if (point > 0 && i == (unsigned)point)
            ret_text[n++] = '.';
        ret_text[n++] = (char)('0' + digits[i]);
    }
    for (int32_t i = (int32_t)count; i < point; i++)
        ret_text[n++] = '0';
    return n;
}

/* ---- The ordered form ---- */

size_t number_encode_ordered(const struct number *number, uint8_t *ret_bytes)
{
    uint8_t digits[NUMBER_DIGITS_MAX + 2];
    unsigned count = digits_of(number->coefficient, digits);
    size_t n = 3;

    if (count == 0) {
        ret_bytes[0] = CLASS_ZERO;
        return 1;
    }
    digits[count] = 0;
    put_be16(ret_bytes + 1, (uint16_t)(number->exponent + (int32_t)count - 1 + BIAS));
    for (unsigned i = 0; i < count; i += 2)
        ret_bytes[n++] = (uint8_t)(digits[i] * 10 + digits[i + 1] + 1);
    ret_bytes[n++] = 0;
    ret_bytes[0] = CLASS_POSITIVE;
    if (!number->negative)
        return n;
    for (size_t i = 1; i < n; i++)
        ret_bytes[i] = (uint8_t)~ret_bytes[i];
    ret_bytes[0] = CLASS_NEGATIVE;
    return n;
}

/* The pairs of a form that is not zero; `flip` complements them. Returns the bytes read, 0 if the
 * form is not canonical. */
static size_t decode_pairs(struct slice bytes, uint8_t flip, u128 *ret_coefficient,
                           unsigned *ret_digits)
{
    u128 coefficient = 0;
    unsigned digits = 0;
    uint8_t pair = 0;

    for (size_t i = 3; i < bytes.n && i < NUMBER_ORDERED_SIZE_MAX; i++) {
        uint8_t byte = bytes.p[i] ^ flip;

        if (byte == 0) {
            *ret_coefficient = coefficient;
            *ret_digits = digits;
            return pair == 0 ? 0 : i + 1;
        }
        if (byte > 100 || digits >= NUMBER_DIGITS_MAX)
            return 0;
        pair = (uint8_t)(byte - 1);
        coefficient = coefficient * 100 + pair;
        digits += 2;
    }
    return 0;
}

enum status number_decode_ordered(struct slice bytes, struct number *ret_number,
                                  size_t *ret_size_bytes)
{
    uint8_t flip;
    struct number number = {0};
    unsigned digits;
    size_t n;

    if (bytes.n >= 1 && bytes.p[0] == CLASS_ZERO) {
        *ret_number = number;
        *ret_size_bytes = 1;
        return ST_OK;
    }
    if (bytes.n < 5 || (bytes.p[0] != CLASS_POSITIVE && bytes.p[0] != CLASS_NEGATIVE))
        return ST_INVALID;
    number.negative = bytes.p[0] == CLASS_NEGATIVE;
    flip = number.negative ? 0xff : 0;
    n = decode_pairs(bytes, flip, &number.coefficient, &digits);
    if (n == 0 || (bytes.p[3] ^ flip) - 1 < 10)
        return ST_INVALID;
    number.exponent = (int32_t)(get_be16(bytes.p + 1) ^ (uint16_t)(flip << 8 | flip)) - BIAS -
                      (int32_t)digits + 1;
    strip_zeros(&number);
    if (check_range(&number) != NUMBER_FINE)
        return ST_INVALID;
    *ret_number = number;
    *ret_size_bytes = n;
    return ST_OK;
}

/* ---- Arithmetic ---- */

int number_compare(const struct number *a, const struct number *b)
{
    uint8_t a_bytes[NUMBER_ORDERED_SIZE_MAX], b_bytes[NUMBER_ORDERED_SIZE_MAX];
    size_t a_n = number_encode_ordered(a, a_bytes), b_n = number_encode_ordered(b, b_bytes);

    return slice_compare(slice_of(a_bytes, a_n), slice_of(b_bytes, b_n));
}

static enum number_fault finish(struct number number, struct number *ret_number)
{
    enum number_fault fault;

    strip_zeros(&number);
    fault = check_range(&number);
    if (fault != NUMBER_FINE)
        return fault;
    if (digit_count(number.coefficient) > NUMBER_DIGITS_MAX)
        return NUMBER_PRECISION;
    *ret_number = number;
    return NUMBER_FINE;
}

/* Writes the coefficient with the smaller exponent: false if it needs more than 38 digits. */
static bool rescale(struct number *number, int32_t exponent)
{
    unsigned shift = (unsigned)(number->exponent - exponent);

    if (number->coefficient == 0) {
        number->exponent = exponent;
        return true;
    }
    if (shift > NUMBER_DIGITS_MAX || digit_count(number->coefficient) + shift > NUMBER_DIGITS_MAX)
        return false;
    number->coefficient *= power_of_ten(shift);
    number->exponent = exponent;
    return true;
}

enum number_fault number_add(const struct number *a, const struct number *b, struct number *ret_sum)
{
    struct number x = *a, y = *b, sum = {0};

    if (x.coefficient == 0 || y.coefficient == 0) {
        *ret_sum = x.coefficient == 0 ? y : x;
        return NUMBER_FINE;
    }
    sum.exponent = x.exponent < y.exponent ? x.exponent : y.exponent;
    if (!rescale(&x, sum.exponent) || !rescale(&y, sum.exponent))
        return NUMBER_PRECISION;
    if (x.negative == y.negative) {
        sum.coefficient = x.coefficient + y.coefficient;
        sum.negative = x.negative;
    } else if (x.coefficient >= y.coefficient) {
        sum.coefficient = x.coefficient - y.coefficient;
        sum.negative = x.negative;
    } else {
        sum.coefficient = y.coefficient - x.coefficient;
        sum.negative = y.negative;
    }
    return finish(sum, ret_sum);
}

enum number_fault number_subtract(const struct number *a, const struct number *b,
                                  struct number *ret_difference)
{
    struct number negated = *b;

    negated.negative = b->coefficient != 0 && !b->negative;
    return number_add(a, &negated, ret_difference);
}

size_t number_size(const struct number *number)
{
    int32_t count = (int32_t)digit_count(number->coefficient);
    int32_t point = count + number->exponent; /* digits before the point */
    int32_t whole = 0, fraction = 0;
    int32_t size;

    if (count == 0)
        return 1;
    if (number->exponent >= 0) {
        whole = count + (number->exponent & 1);
    } else if (point > 0) {
        whole = point;
        fraction = -number->exponent;
    } else {
        fraction = count + (-point & 1);
    }
    size = 1 + (whole + 1) / 2 + (fraction + 1) / 2 + number->negative;
    return size > 21 ? 21 : (size_t)size;
}
