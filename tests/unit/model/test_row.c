/* The header of stored values: what is sealed opens, what is damaged or newer does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/row.h"

static const uint8_t sealed[] = {1, 0, 0, 0, 0x45, 0x23, 1, 0, 'b', 'o', 'd', 'y'};

static enum status open_copy(size_t n, size_t at, uint8_t byte)
{
    uint8_t row[sizeof(sealed)];
    struct slice body;
    uint32_t size_aws;

    memcpy(row, sealed, sizeof(sealed));
    row[at] = byte;
    return row_open(slice_of(row, n), &body, &size_aws);
}

static void rows_open_as_they_were_sealed(void **state)
{
    struct slice body;
    uint32_t size_aws;
    struct buf buf;

    (void)state;
    buf_init(&buf, 1000);
    row_seal(&buf, SLICE_LIT("body"), 0x12345);
    assert_int_equal(buf.n, sizeof(sealed));
    assert_memory_equal(buf.p, sealed, sizeof(sealed));
    assert_int_equal(row_open(buf_slice(&buf), &body, &size_aws), ST_OK);
    assert_true(slice_is(body, "body"));
    assert_int_equal(size_aws, 0x12345);
    buf_deinit(&buf);
}

static void a_row_may_have_no_body(void **state)
{
    struct slice body;
    uint32_t size_aws;

    (void)state;
    assert_int_equal(row_open(slice_of(sealed, ROW_HEADER_SIZE_BYTES), &body, &size_aws), ST_OK);
    assert_int_equal(body.n, 0);
}

static void short_and_unknown_rows_are_corrupt(void **state)
{
    (void)state;
    for (size_t n = 0; n < ROW_HEADER_SIZE_BYTES; n++)
        assert_int_equal(open_copy(n, 0, ROW_FORMAT), ST_CORRUPT);
    assert_int_equal(open_copy(sizeof(sealed), 0, 0), ST_CORRUPT);
    assert_int_equal(open_copy(sizeof(sealed), 1, 1), ST_CORRUPT);
    assert_int_equal(open_copy(sizeof(sealed), 2, 1), ST_CORRUPT);
    assert_int_equal(open_copy(sizeof(sealed), 3, 1), ST_CORRUPT);
}

static void rows_of_a_newer_format_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(open_copy(sizeof(sealed), 0, ROW_FORMAT + 1), ST_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_open_as_they_were_sealed),
        cmocka_unit_test(a_row_may_have_no_body),
        cmocka_unit_test(short_and_unknown_rows_are_corrupt),
        cmocka_unit_test(rows_of_a_newer_format_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
