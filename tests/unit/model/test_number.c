/* Numbers where hand-made bytes are needed; number_oracle.py tests values by the thousand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/number.h"

static void assert_refused(const char *bytes, size_t n)
{
    struct number number;
    size_t size_bytes;

    assert_int_equal(number_decode_ordered(slice_of(bytes, n), &number, &size_bytes), ST_INVALID);
}

static void assert_message(enum number_fault fault, const char *words, bool takes_text)
{
    bool takes;

    assert_string_equal(number_fault_format(fault, &takes), words);
    assert_int_equal(takes, takes_text);
}

static struct number parsed(const char *text)
{
    struct number number;

    assert_int_equal(number_parse(slice_cstr(text), &number), NUMBER_FINE);
    return number;
}

static void ordered_forms_are_as_documented(void **state)
{
    static const uint8_t expected[] = {0xc1, 0x02, 0x01, 13, 35, 51, 0};
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    struct number number = parsed("12.345");

    (void)state;
    assert_int_equal(number_encode_ordered(&number, bytes), sizeof(expected));
    assert_memory_equal(bytes, expected, sizeof(expected));
    number.negative = true;
    assert_int_equal(number_encode_ordered(&number, bytes), sizeof(expected));
    assert_int_equal(bytes[0], 0x3e);
    for (size_t i = 1; i < sizeof(expected); i++)
        assert_int_equal(bytes[i], 0xff & ~expected[i]);
}

/* Every value has one form: all others would make equal keys differ. */
static void ordered_forms_that_are_not_canonical_are_refused(void **state)
{
    (void)state;
    assert_refused("", 0);
    assert_refused("\xc1", 1);
    assert_refused("\x81", 1);
    assert_refused("\xc1\x02\x00\x00", 4);             /* no digits */
    assert_refused("\xc1\x02\x00\x00\x00", 5);         /* no digits, and a byte more */
    assert_refused("\xc1\x02\x00\x0b", 4);             /* no end */
    assert_refused("\xc1\x02\x00\x0b\x0b", 5);         /* no end either */
    assert_refused("\xc1\x02\x00\x0a\x00", 5);         /* the first digit is a zero */
    assert_refused("\xc1\x02\x00\x0b\x01\x00", 6);     /* the last pair is zeros */
    assert_refused("\xc1\x02\x00\x65\x65\x00", 6);     /* a pair over 99 */
    assert_refused("\xc1\x02\x7e\x0b\x00", 5);         /* 1E+126 */
    assert_refused("\xc1\x01\x7d\x0b\x00", 5);         /* 1E-131 */
    assert_refused("\x3e\xfd\xff\xf4\xfe\x00\xff", 7); /* complemented, a pair over 99 */
    assert_refused("\xc1\x02\x00"
                   "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"
                   "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x00",
                   24); /* 40 digits */
}

static void decoding_stops_at_the_end_of_the_form(void **state)
{
    struct number number;
    size_t size_bytes;

    (void)state;
    assert_int_equal(
        number_decode_ordered(slice_of("\xc1\x02\x00\x0b\x00zz", 7), &number, &size_bytes), ST_OK);
    assert_int_equal(size_bytes, 5);
    assert_int_equal(number.coefficient, 1);
    assert_int_equal(number_decode_ordered(slice_of("\x80\x80", 2), &number, &size_bytes), ST_OK);
    assert_int_equal(size_bytes, 1);
    assert_int_equal(number.coefficient, 0);
}

static void results_may_replace_their_operands(void **state)
{
    struct number a = parsed("1.5"), b = parsed("2.5");

    (void)state;
    assert_int_equal(number_add(&a, &b, &a), NUMBER_FINE);
    assert_int_equal(a.coefficient, 4);
    assert_int_equal(number_subtract(&a, &b, &b), NUMBER_FINE);
    assert_int_equal(b.coefficient, 15);
    assert_int_equal(b.exponent, -1);
}

static void a_refused_result_leaves_the_operands(void **state)
{
    struct number a = parsed("9e125");

    (void)state;
    assert_int_equal(number_add(&a, &a, &a), NUMBER_OVERFLOW);
    assert_int_equal(a.coefficient, 9);
    assert_int_equal(a.exponent, 125);
}

static void integers_come_back(void **state)
{
    static const int64_t integers[] = {0, 1, -1, 10, -1200, 1767323045000, INT64_MAX, INT64_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        struct number number = number_of_int(integers[i]);

        assert_true(number.coefficient == 0 || number.coefficient % 10 != 0);
        assert_true(number_as_int(&number) == integers[i]);
    }
}

static void faults_have_the_words_of_dynamodb(void **state)
{
    (void)state;
    assert_message(NUMBER_SYNTAX, "The parameter cannot be converted to a numeric value: %.*s",
                   true);
    assert_message(NUMBER_OVERFLOW,
                   "Number overflow. Attempting to store a number with magnitude larger than "
                   "supported range",
                   false);
    assert_message(NUMBER_UNDERFLOW,
                   "Number underflow. Attempting to store a number with magnitude smaller than "
                   "supported range",
                   false);
    assert_message(NUMBER_PRECISION,
                   "Attempting to store more than 38 significant digits in a Number", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordered_forms_are_as_documented),
        cmocka_unit_test(ordered_forms_that_are_not_canonical_are_refused),
        cmocka_unit_test(decoding_stops_at_the_end_of_the_form),
        cmocka_unit_test(results_may_replace_their_operands),
        cmocka_unit_test(a_refused_result_leaves_the_operands),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(faults_have_the_words_of_dynamodb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
