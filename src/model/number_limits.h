/* Inside the model room: how long coefficients are, and how large numbers may be. */
#ifndef ROWHOUSE_MODEL_NUMBER_LIMITS_H
#define ROWHOUSE_MODEL_NUMBER_LIMITS_H

#include "model/number.h"

/* Of the first digit. */
#define NUMBER_EXPONENT_MAX 125
#define NUMBER_EXPONENT_MIN (-130)

/* Decimal digits of `n`; 0 for 0. */
unsigned number_digit_count(unsigned __int128 n);

/* Whether a number whose first digit stands at 10^first is too large or too small. */
static inline enum number_fault number_check_range(int32_t first)
{
    if (first > NUMBER_EXPONENT_MAX)
        return NUMBER_OVERFLOW;
    return first < NUMBER_EXPONENT_MIN ? NUMBER_UNDERFLOW : NUMBER_FINE;
}

#endif
