/*
 * Exact decimal numbers of 38 digits: reading them from text, and arithmetic. See number.h; their
 * ordered form, and what is read from it, is in number_ordered.c.
 */
#include "model/number.h"

#include "model/number_limits.h"

typedef unsigned __int128 u128;

static u128 power_of_ten(unsigned n)
{
    u128 result = 1;

    while (n-- > 0)
        result *= 10;
    return result;
}

/* All that fit 64 bits. Doubles hold them exactly. */
static const uint64_t word_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

static unsigned word_digit_count(uint64_t n)
{
    /* A bit is 0.301 digits: 1233 / 4096. Never too many, and at most one too few. */
    unsigned bits = 64u - (unsigned)__builtin_clzll(n | 1);
    unsigned count = bits * 1233 >> 12;

    return count + (n >= word_powers[count]);
}

unsigned number_digit_count(u128 n)
{
    const uint64_t nineteen_digits = 10000000000000000000u;
    unsigned count = 0;

    for (; n >> 64 != 0; n /= nineteen_digits)
        count += 19;
    return count + word_digit_count((uint64_t)n);
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

/*
 * The digits before the exponent, read so far. A zero is taken into the coefficient only when
 * another digit follows, so that those at the end cost nothing and count for nothing.
 */
struct mantissa {
    u128 coefficient; /* while it has at most NUMBER_DIGITS_MAX digits */
    int32_t digits;   /* from the first to the last that is not zero */
    int32_t zeros;    /* after those */
    int32_t fraction; /* digits after the point */
    bool any_digit;
    bool has_point;
};

static void add_digit(struct mantissa *m, unsigned digit)
{
    m->any_digit = true;
    m->fraction += m->has_point;
    if (digit == 0) {
        m->zeros += m->digits > 0;
        return;
    }
    m->digits += m->zeros + 1;
    if (m->digits <= NUMBER_DIGITS_MAX)
        m->coefficient = m->coefficient * power_of_ten((unsigned)m->zeros + 1) + digit;
    m->zeros = 0;
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
        if (value < 100000000)
            value = value * 10 + (peek(scan) - '0');
    *ret_exponent = negative ? -value : value;
    return true;
}

/* Where the first digit stands. DynamoDB looks at that of a zero too, as if its last zero were a
 * digit: 0e126 overflows, 0.0e126 does not. */
static int32_t first_digit(const struct mantissa *m, int32_t exponent)
{
    int32_t last = m->zeros - m->fraction + exponent;

    return m->digits == 0 ? last : last + m->digits - 1;
}

enum number_fault number_parse(struct slice text, struct number *ret_number)
{
    struct scan scan = {text, 0};
    struct mantissa m = {0};
    bool negative = scan_sign(&scan);
    enum number_fault fault;
    int32_t exponent;

    if (!scan_mantissa(&scan, &m) || !scan_exponent(&scan, &exponent) || scan.at != text.n)
        return NUMBER_SYNTAX;
    fault = number_check_range(first_digit(&m, exponent));
    if (fault != NUMBER_FINE)
        return fault;
    if (m.digits > NUMBER_DIGITS_MAX)
        return NUMBER_PRECISION;
    *ret_number = (struct number){0};
    if (m.digits > 0)
        *ret_number = (struct number){m.coefficient, m.zeros - m.fraction + exponent, negative};
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

/* ---- Integers ---- */

struct number number_of_int(int64_t value)
{
    struct number number = {
        .coefficient = value < 0 ? -(u128)value : (u128)value,
        .negative = value < 0,
    };

    for (; number.coefficient != 0 && number.coefficient % 10 == 0; number.coefficient /= 10)
        number.exponent++;
    return number;
}

int64_t number_as_int(const struct number *number)
{
    u128 magnitude = number->coefficient * power_of_ten((unsigned)number->exponent);

    return (int64_t)(number->negative ? -magnitude : magnitude);
}

/* ---- Arithmetic ---- */

/* Brings a sum into the form of struct number. */
static enum number_fault finish(struct number number, struct number *ret_number)
{
    enum number_fault fault;
    int32_t digits;

    if (number.coefficient == 0) {
        *ret_number = (struct number){0};
        return NUMBER_FINE;
    }
    for (; number.coefficient % 10 == 0; number.coefficient /= 10)
        number.exponent++;
    digits = (int32_t)number_digit_count(number.coefficient);
    if (digits > NUMBER_DIGITS_MAX)
        return NUMBER_PRECISION;
    fault = number_check_range(number.exponent + digits - 1);
    if (fault == NUMBER_FINE)
        *ret_number = number;
    return fault;
}

/*
 * Writes the coefficient with the smaller exponent. False if that does not fit 128 bits, 3.4E+38:
 * then no number of 38 digits brings the sum below 39 of them, for its last digit stays.
 */
static bool rescale(struct number *number, int32_t exponent)
{
    unsigned shift = (unsigned)(number->exponent - exponent);

    if (shift > NUMBER_DIGITS_MAX ||
        __builtin_mul_overflow(number->coefficient, power_of_ten(shift), &number->coefficient))
        return false;
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
        if (__builtin_add_overflow(x.coefficient, y.coefficient, &sum.coefficient))
            return NUMBER_PRECISION;
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
