/*
 * Numbers: the input is an ordered form, and a text or two texts separated by a space.
 *
 *  1. What decodes encodes to the same bytes.
 *  2. What parses is read back from its own text, with the same ordered form.
 *  3. Sums commute, and a difference undoes them.
 */
#include "fuzz.h"

#include "base/check.h"
#include "model/number.h"

static bool equal(const struct number *a, const struct number *b)
{
    return number_compare(a, b) == 0 && a->coefficient == b->coefficient &&
           a->exponent == b->exponent && a->negative == b->negative;
}

static void check_ordered(struct slice bytes)
{
    uint8_t again[NUMBER_ORDERED_SIZE_MAX];
    struct number number;
    size_t size_bytes;

    if (number_decode_ordered(bytes, &number, &size_bytes) != ST_OK)
        return;
    CHECK(size_bytes <= bytes.n);
    CHECK(slice_equal(slice_of(again, number_encode_ordered(&number, again)),
                      slice_of(bytes.p, size_bytes)));
}

static void check_text(const struct number *number)
{
    char text[NUMBER_TEXT_SIZE_MAX], again[NUMBER_TEXT_SIZE_MAX];
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    struct slice ordered = slice_of(bytes, number_encode_ordered(number, bytes));
    struct slice canonical = slice_of(text, number_format(number, text));
    struct number parsed;

    CHECK(number_parse(canonical, &parsed) == NUMBER_FINE);
    CHECK(equal(&parsed, number));
    CHECK(slice_equal(canonical, slice_of(again, number_format_ordered(ordered, again))));
    CHECK(number_size(number) == number_size_ordered(ordered) && number_size(number) <= 21);
    check_ordered(ordered);
}

static void check_sum(const struct number *a, const struct number *b)
{
    struct number sum, other, back;
    enum number_fault fault = number_add(a, b, &sum);

    CHECK(number_add(b, a, &other) == fault);
    if (fault != NUMBER_FINE)
        return;
    CHECK(equal(&sum, &other));
    check_text(&sum);
    CHECK(number_subtract(&sum, b, &back) == NUMBER_FINE);
    CHECK(equal(&back, a));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct slice text = slice_of(bytes, n);
    const uint8_t *space = n == 0 ? NULL : memchr(bytes, ' ', n);
    size_t first_n = space == NULL ? n : (size_t)(space - bytes);
    struct number a, b;

    check_ordered(text);
    if (number_parse(slice_of(bytes, first_n), &a) != NUMBER_FINE)
        return 0;
    check_text(&a);
    if (space == NULL || number_parse(slice_from(text, first_n + 1), &b) != NUMBER_FINE)
        return 0;
    check_sum(&a, &b);
    return 0;
}
