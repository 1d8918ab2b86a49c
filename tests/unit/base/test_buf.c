/* A buffer keeps what was appended, stops at its maximum and says so once. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void an_empty_buffer_is_an_empty_slice(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 100);
    buf_append(&buf, NULL, 0);
    assert_int_equal(buf_slice(&buf).n, 0);
    assert_int_equal(buf_status(&buf), ST_OK);
    buf_deinit(&buf);
}

static void appended_bytes_stay_in_order_over_growth(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1024 * 1024);
    for (uint32_t i = 0; i < 100000; i++)
        buf_append_byte(&buf, (uint8_t)(i % 253));
    assert_int_equal(buf_status(&buf), ST_OK);
    assert_int_equal(buf.n, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(buf.p[i], i % 253);
    buf_deinit(&buf);
}

static void the_maximum_is_reached_but_not_passed(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 10);
    BUF_APPEND_LIT(&buf, "0123456789");
    assert_int_equal(buf_status(&buf), ST_OK);
    buf_append_byte(&buf, 'x');
    assert_int_equal(buf_status(&buf), ST_TOO_LARGE);
    assert_true(slice_is(buf_slice(&buf), "0123456789"));
    buf_deinit(&buf);
}

static void a_size_near_the_largest_number_fails(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, SIZE_MAX);
    buf_append_byte(&buf, 'x');
    assert_null(buf_room(&buf, SIZE_MAX));
    assert_null(buf_room(&buf, SIZE_MAX - 1));
    assert_int_equal(buf_status(&buf), ST_TOO_LARGE);
    buf_deinit(&buf);
}

static void a_maximum_of_zero_takes_nothing(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    buf_append(&buf, "", 0);
    assert_int_equal(buf_status(&buf), ST_OK);
    buf_append_byte(&buf, 'x');
    assert_int_equal(buf_status(&buf), ST_TOO_LARGE);
    buf_deinit(&buf);
}

static void a_reset_clears_the_failure_and_the_bytes(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 3);
    BUF_APPEND_LIT(&buf, "long");
    buf_reset(&buf);
    BUF_APPEND_LIT(&buf, "abc");
    assert_int_equal(buf_status(&buf), ST_OK);
    assert_true(slice_is(buf_slice(&buf), "abc"));
    buf_deinit(&buf);
}

static void a_reset_gives_large_memory_back_and_keeps_small(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1024 * 1024);
    assert_non_null(buf_room(&buf, 200 * 1024));
    buf_reset(&buf);
    assert_int_equal(buf.capacity, 0);
    assert_non_null(buf_room(&buf, 1024));
    buf_reset(&buf);
    assert_true(buf.capacity >= 1024);
    buf_deinit(&buf);
}

static void printf_appends_all_or_nothing(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 8);
    buf_printf(&buf, "%d:%s", 12, "ab");
    assert_true(slice_is(buf_slice(&buf), "12:ab"));
    buf_printf(&buf, "%d", 678);
    assert_true(slice_is(buf_slice(&buf), "12:ab678"));
    assert_int_equal(buf_status(&buf), ST_OK);
    buf_printf(&buf, "%d", 9);
    assert_true(slice_is(buf_slice(&buf), "12:ab678"));
    assert_int_equal(buf_status(&buf), ST_TOO_LARGE);
    buf_deinit(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_slice),
        cmocka_unit_test(appended_bytes_stay_in_order_over_growth),
        cmocka_unit_test(the_maximum_is_reached_but_not_passed),
        cmocka_unit_test(a_size_near_the_largest_number_fails),
        cmocka_unit_test(a_maximum_of_zero_takes_nothing),
        cmocka_unit_test(a_reset_clears_the_failure_and_the_bytes),
        cmocka_unit_test(a_reset_gives_large_memory_back_and_keeps_small),
        cmocka_unit_test(printf_appends_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
