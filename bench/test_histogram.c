/* Percentiles against the values that went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "histogram.h"

static struct histogram histogram;

static void assert_near(uint64_t found, uint64_t exact)
{
    assert_true(found >= exact);
    assert_true(found - exact <= exact / HISTOGRAM_STEPS);
}

static void nothing_added(void **state)
{
    (void)state;
    histogram_reset(&histogram);
    assert_int_equal(histogram_percentile(&histogram, 500), 0);
}

static void small_values_are_exact(void **state)
{
    (void)state;
    histogram_reset(&histogram);
    for (uint64_t value = 1; value <= 50; value++)
        histogram_add(&histogram, value);
    assert_int_equal(histogram_percentile(&histogram, 20), 1);
    assert_int_equal(histogram_percentile(&histogram, 500), 25);
    assert_int_equal(histogram_percentile(&histogram, 1000), 50);
}

static void large_values_are_near(void **state)
{
    (void)state;
    histogram_reset(&histogram);
    for (uint64_t value = 1; value <= 100000; value++)
        histogram_add(&histogram, value * 1000);
    assert_near(histogram_percentile(&histogram, 10), 1000000);
    assert_near(histogram_percentile(&histogram, 500), 50000000);
    assert_near(histogram_percentile(&histogram, 990), 99000000);
    assert_int_equal(histogram_percentile(&histogram, 1000), 100000000);
}

static void never_over_the_maximum(void **state)
{
    (void)state;
    histogram_reset(&histogram);
    histogram_add(&histogram, 1000001);
    assert_int_equal(histogram_percentile(&histogram, 1), 1000001);
    assert_int_equal(histogram.maximum, 1000001);
}

static void every_size_has_a_bucket(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t value = UINT64_C(1) << bit;

        histogram_reset(&histogram);
        histogram_add(&histogram, value - 1);
        histogram_add(&histogram, value);
        histogram_add(&histogram, UINT64_MAX);
        assert_near(histogram_percentile(&histogram, 333), value - 1);
        assert_near(histogram_percentile(&histogram, 666), value);
        assert_int_equal(histogram_percentile(&histogram, 1000), UINT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_added),           cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(large_values_are_near),   cmocka_unit_test(never_over_the_maximum),
        cmocka_unit_test(every_size_has_a_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
