/* Settings of tables and indexes: what is stored is what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/settings.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void settings_survive_being_stored(void **state)
{
    struct table_settings before = {
        .units = {.provisioned = {.read_units = 40000, .write_units = 7, .increased_ms = 1},
                  .max_read_units = 100},
        .on_demand_since_ms = 1790000000123,
        .stream_view = SLICE_LIT("NEW_IMAGE"),
        .encrypted = true,
        .policy = SLICE_LIT("{}"),
    };
    struct table_settings after;

    (void)state;
    table_settings_read(table_settings_write(&before, &arena), &after);
    assert_int_equal(after.units.provisioned.read_units, 40000);
    assert_int_equal(after.units.provisioned.write_units, 7);
    assert_int_equal(after.units.provisioned.increased_ms, 1);
    assert_int_equal(after.units.max_read_units, 100);
    assert_int_equal(after.units.warm_read_units, UNITS_NONE);
    assert_int_equal(after.on_demand_since_ms, 1790000000123);
    assert_true(slice_is(after.stream_view, "NEW_IMAGE"));
    assert_true(after.encrypted);
    assert_false(after.on_demand);
    assert_true(slice_is(after.policy, "{}"));
    assert_int_equal(after.table_class.n, 0);
}

static void nothing_reads_as_defaults(void **state)
{
    struct unit_settings units = {.max_read_units = 5};

    (void)state;
    index_settings_read(ITEM_NONE, &units);
    assert_int_equal(units.max_read_units, UNITS_NONE);
    units.warm_write_units = 12;
    index_settings_read(index_settings_write(&units, &arena), &units);
    assert_int_equal(units.warm_write_units, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_survive_being_stored),
        cmocka_unit_test(nothing_reads_as_defaults),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
