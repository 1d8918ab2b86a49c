/* ARNs of tables, indexes and streams: read, written, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/arn.h"

static void assert_slice(struct slice actual, const char *expected)
{
    assert_int_equal(actual.n, strlen(expected));
    assert_memory_equal(actual.p, expected, actual.n);
}

static void names_the_parts(void **state)
{
    struct arn arn;

    (void)state;
    assert_int_equal(
        arn_parse(SLICE_LIT("arn:aws:dynamodb:eu-west-2:000000000042:table/Music"), &arn), ST_OK);
    assert_slice(arn.region, "eu-west-2");
    assert_slice(arn.account, "000000000042");
    assert_slice(arn.table, "Music");
    assert_int_equal(arn.rest.n, 0);
}

static void keeps_what_follows_the_table(void **state)
{
    struct arn arn;

    (void)state;
    assert_int_equal(arn_parse(SLICE_LIT("arn:aws:dynamodb:r:1:table/T/index/by-artist"), &arn),
                     ST_OK);
    assert_slice(arn.table, "T");
    assert_slice(arn.rest, "index/by-artist");
}

static void refuses_other_things(void **state)
{
    static const char *const texts[] = {
        "",
        "Music",
        "arn:",
        "arn:aws:s3:::bucket",
        "arn:aws:dynamodb:r:1",
        "arn:aws:dynamodb:r:1:table/",
        "arn:aws:dynamodb:r:1:backup/T",
    };
    struct arn arn;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(arn_parse(slice_cstr(texts[i]), &arn), ST_INVALID);
}

static void writes_what_it_reads(void **state)
{
    struct slice text = SLICE_LIT("arn:aws:dynamodb:r:000000000007:table/T/stream/2026");
    struct arn arn;
    struct buf buf;

    (void)state;
    buf_init(&buf, 1024);
    assert_int_equal(arn_parse(text, &arn), ST_OK);
    arn_append(&buf, &arn);
    assert_true(slice_equal(buf_slice(&buf), text));
    buf_deinit(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_parts),
        cmocka_unit_test(keeps_what_follows_the_table),
        cmocka_unit_test(refuses_other_things),
        cmocka_unit_test(writes_what_it_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
