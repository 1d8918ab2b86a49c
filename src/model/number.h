/*
 * DynamoDB numbers: 38 significant decimal digits, magnitude 1E-130 to 9.99..E+125, exact.
 *
 * A number exists in two forms. `struct number` is for arithmetic. The *ordered form* is what keys
 * and stored values hold: a self-delimiting byte string, canonical (one form per value), whose
 * memcmp order is the numeric order, so that stored numbers compare without being decoded.
 *
 * Source of the rules: DynamoDB developer guide, "Naming rules and data types", "Number".
 */
#ifndef ROWHOUSE_MODEL_NUMBER_H
#define ROWHOUSE_MODEL_NUMBER_H

#include "base/slice.h"
#include "base/status.h"

#define NUMBER_DIGITS_MAX 38
#define NUMBER_ORDERED_SIZE_MAX 24
#define NUMBER_TEXT_SIZE_MAX 192

/* value = coefficient * 10^exponent, negated if negative; no trailing zero; zero is 0 * 10^0. */
struct number {
    unsigned __int128 coefficient;
    int32_t exponent;
    bool negative;
};

/* Why a text is no number: each has its own DynamoDB message (number_fault_format). */
enum number_fault {
    NUMBER_FINE = 0,
    NUMBER_SYNTAX,
    NUMBER_OVERFLOW,
    NUMBER_UNDERFLOW,
    NUMBER_PRECISION,
};

/* Reads decimal text with sign, point and exponent (1.5e-3), and nothing around it. */
enum number_fault MUST_CHECK number_parse(struct slice text, struct number *ret_number);
/* DynamoDB's message for the fault, e.g. The parameter cannot be converted to a numeric value: abc.
 * The result is a format with one %.*s for the text if `*ret_takes_text`. */
const char *number_fault_format(enum number_fault fault, bool *ret_takes_text);

/* Exact. */
struct number number_of_int(int64_t value);
/* Of a number that number_of_int made. */
int64_t number_as_int(const struct number *number);

/* Canonical decimal text as DynamoDB prints it: plain digits, no exponent, no trailing zeros.
 * `ret_text` has room for NUMBER_TEXT_SIZE_MAX bytes; returns the length. */
size_t number_format(const struct number *number, char *ret_text);

/* The same, of a valid ordered form: no arithmetic. */
size_t number_format_ordered(struct slice ordered, char *ret_text);

/* The ordered form; `ret_bytes` has room for NUMBER_ORDERED_SIZE_MAX. Returns the length. */
size_t number_encode_ordered(const struct number *number, uint8_t *ret_bytes);
/* Reads one ordered form at the start of `bytes`. ST_INVALID unless it is canonical. */
enum status MUST_CHECK number_decode_ordered(struct slice bytes, struct number *ret_number,
                                             size_t *ret_size_bytes);

/* <0, 0 or >0, as a is less than, equal to or greater than b. */
int number_compare(const struct number *a, const struct number *b);
/* a + b and a - b, exact; PRECISION if the result needs more than 38 digits, else OVERFLOW or
 * UNDERFLOW. The result may be `a` or `b` itself. */
enum number_fault MUST_CHECK number_add(const struct number *a, const struct number *b,
                                        struct number *ret_sum);
enum number_fault MUST_CHECK number_subtract(const struct number *a, const struct number *b,
                                             struct number *ret_difference);
/* Bytes that DynamoDB counts for it: 1 + ceil(integer digits / 2) + ceil(fraction digits / 2)
 * after trimming zeros, + 1 if negative; at most 21. */
size_t number_size(const struct number *number);
/* The same, of a valid ordered form. */
size_t number_size_ordered(struct slice ordered);

#endif
