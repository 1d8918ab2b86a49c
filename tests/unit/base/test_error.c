/* The first error wins, is formatted, and never grows past its limit. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/encode.h"

static int setup(void **state)
{
    static struct arena arena;

    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int teardown(void **state)
{
    arena_deinit(*state);
    return 0;
}

static void the_first_error_stays(void **state)
{
    struct error error;

    error_init(&error, *state);
    assert_int_equal(error.code, ERROR_NONE);
    assert_int_equal(error_set(&error, ERROR_VALIDATION, "key %s", "pk"), ST_REFUSED);
    assert_int_equal(error_set(&error, ERROR_INTERNAL, "later"), ST_REFUSED);
    assert_int_equal(error.code, ERROR_VALIDATION);
    assert_true(slice_is(error.message, "key pk"));
}

static void a_message_is_cut_at_its_limit(void **state)
{
    struct error error;

    error_init(&error, *state);
    assert_int_equal(error_set(&error, ERROR_VALIDATION, "%70000s", "x"), ST_REFUSED);
    assert_int_equal(error.message.n, 64 * 1024);
}

static void a_cut_message_ends_with_a_whole_character(void **state)
{
    const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    for (int before = 65530; before < 65537; before++) {
        for (size_t i = 0; i < 3; i++) {
            struct error error;

            error_init(&error, *state);
            assert_int_equal(
                error_set(&error, ERROR_VALIDATION, "%*s%s", before, "", characters[i]),
                ST_REFUSED);
            assert_true(utf8_valid(error.message));
            assert_true(error.message.n > 65532 || (int)error.message.n >= before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_error_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_is_cut_at_its_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_message_ends_with_a_whole_character, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
