/* Puts, updates, deletes and conditions on single items, alone and in batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

static struct fixture fixture;

static int setup(void **state)
{
    fixture_init(&fixture, STORE_MEMORY);
    create_table(&fixture.acme, "t", "pk:S");
    *state = &fixture.acme;
    return 0;
}

static int setup_rocks(void **state)
{
    fixture_init(&fixture, STORE_KIND_COUNT > 1 ? STORE_ROCKS : STORE_MEMORY);
    create_table(&fixture.acme, "t", "pk:S");
    *state = &fixture.acme;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    expect_healthy(&fixture);
    fixture_deinit(&fixture);
    return 0;
}

static void expect_images(const struct write *write, const char *old, const char *new)
{
    struct arena *arena = &fixture.acme.arena;
    const char *old_text = text_of(arena, write->old_item);
    const char *new_text = text_of(arena, write->new_item);

    assert_int_equal(old == NULL, old_text == NULL);
    assert_int_equal(new == NULL, new_text == NULL);
    if (old != NULL)
        assert_string_equal(old_text, old);
    if (new != NULL)
        assert_string_equal(new_text, new);
}

static void a_put_replaces_the_whole_item(void **state)
{
    struct client *acme = *state;
    struct write first = put_of(acme, "t", "pk=a x=1 y=2");
    struct write second = put_of(acme, "t", "pk=a z=3");

    assert_int_equal(run(acme, &first), ERROR_NONE);
    expect_images(&first, NULL, "pk=a x=1 y=2");
    assert_int_equal(run(acme, &second), ERROR_NONE);
    expect_images(&second, "pk=a x=1 y=2", "pk=a z=3");
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a z=3");
    assert_null(get(acme, "t", "pk=b"));
    expect_counts(acme, "t", NULL, 1, 5);
}

static void rows_survive_a_restart(void **state)
{
    struct client *acme = *state;

    put(acme, "t", "pk=a x=1");
    put(acme, "t", "pk=b x=2");
    del(acme, "t", "pk=b");
    fixture_reopen(&fixture);
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a x=1");
    assert_null(get(acme, "t", "pk=b"));
    expect_counts(acme, "t", NULL, 1, 5);
}

static void a_delete_shows_what_was_there(void **state)
{
    struct client *acme = *state;
    struct write first = delete_of(acme, "t", "pk=a"), second = first;

    put(acme, "t", "pk=a x=1");
    assert_int_equal(run(acme, &first), ERROR_NONE);
    expect_images(&first, "pk=a x=1", NULL);
    assert_int_equal(run(acme, &second), ERROR_NONE);
    expect_images(&second, NULL, NULL);
    expect_counts(acme, "t", NULL, 0, 0);
}

static void an_update_creates_or_changes(void **state)
{
    struct client *acme = *state;
    struct write create = update_of(acme, "t", "pk=a", "SET x = :x", ":x=#1");
    struct write add = update_of(acme, "t", "pk=a", "ADD x :x SET y = x", ":x=#2");
    struct write bare = update_of(acme, "t", "pk=b", "SET x = :x", ":x=#1");

    assert_int_equal(run(acme, &create), ERROR_NONE);
    expect_images(&create, NULL, "pk=a x=#1");
    assert_int_equal(run(acme, &add), ERROR_NONE);
    expect_images(&add, "pk=a x=#1", "pk=a x=#3 y=#1");
    bare.update = NULL;
    assert_int_equal(run(acme, &bare), ERROR_NONE);
    expect_images(&bare, NULL, "pk=b");
}

static void an_update_that_only_removes_creates_nothing(void **state)
{
    struct client *acme = *state;
    struct write write = update_of(acme, "t", "pk=a", "REMOVE x", NULL);

    assert_int_equal(run(acme, &write), ERROR_NONE);
    expect_images(&write, NULL, NULL);
    assert_null(get(acme, "t", "pk=a"));
    expect_counts(acme, "t", NULL, 0, 0);
}

static void an_update_that_cannot_apply_changes_nothing(void **state)
{
    struct client *acme = *state;
    struct write write = update_of(acme, "t", "pk=a", "SET x = x + :one, y = :one", ":one=#1");

    put(acme, "t", "pk=a x=text");
    assert_int_equal(run(acme, &write), ERROR_VALIDATION_DATA);
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a x=text");
}

/* 400 KB is the most, counted as DynamoDB counts. */
static void an_item_cannot_outgrow_its_limit(void **state)
{
    struct client *acme = *state;
    struct write fits = update_of(acme, "t", "pk=a", "SET b = :b", ":b=*204796");
    struct write grows = update_of(acme, "t", "pk=a", "SET b = :b", ":b=*204797");

    put(acme, "t", "pk=a a=*204799");
    assert_int_equal(run(acme, &grows), ERROR_VALIDATION_DATA);
    assert_int_equal(run(acme, &fits), ERROR_NONE);
    assert_int_equal(item_size(fits.new_item), ITEM_SIZE_BYTES_MAX);
    expect_counts(acme, "t", NULL, 1, ITEM_SIZE_BYTES_MAX);
}

static void a_condition_decides(void **state)
{
    struct client *acme = *state;
    struct write create = put_of(acme, "t", "pk=a n=#1");
    struct write again = put_of(acme, "t", "pk=a n=#2");
    struct write count = update_of(acme, "t", "pk=a", "SET n = n + :one", ":one=#1");
    struct write remove = delete_of(acme, "t", "pk=a");

    write_when(acme, &create, "attribute_not_exists(pk)", NULL);
    write_when(acme, &again, "attribute_not_exists(pk)", NULL);
    write_when(acme, &count, "n = :n", ":n=#1");
    write_when(acme, &remove, "n = :n", ":n=#1");
    assert_int_equal(run(acme, &create), ERROR_NONE);
    assert_int_equal(run(acme, &again), ERROR_CONDITIONAL_CHECK);
    expect_images(&again, "n=#1 pk=a", "n=#1 pk=a");
    assert_true(slice_is(again.error.message, "The conditional request failed"));
    assert_int_equal(run(acme, &count), ERROR_NONE);
    assert_int_equal(run(acme, &remove), ERROR_CONDITIONAL_CHECK);
    assert_string_equal(get(acme, "t", "pk=a"), "n=#2 pk=a");
}

static void a_condition_on_nothing_leaves_nothing(void **state)
{
    struct client *acme = *state;
    struct write write = update_of(acme, "t", "pk=ghost", "SET x = :x", ":x=1");

    write_when(acme, &write, "attribute_exists(pk)", NULL);
    assert_int_equal(run(acme, &write), ERROR_CONDITIONAL_CHECK);
    assert_null(get(acme, "t", "pk=ghost"));
    expect_counts(acme, "t", NULL, 0, 0);
}

/* Each write of a batch stands alone: one that is refused takes no other with it. */
static void a_batch_is_no_transaction(void **state)
{
    struct client *acme = *state;
    struct write writes[3] = {
        put_of(acme, "t", "pk=a x=1"),
        put_of(acme, "t", "pk=b x=1"),
        delete_of(acme, "t", "pk=c"),
    };
    struct ticket ticket;

    put(acme, "t", "pk=c");
    write_when(acme, &writes[1], "attribute_exists(pk)", NULL);
    submit(acme, &ticket, writes, 3);
    assert_int_equal(await(&ticket), ST_OK);
    assert_int_equal(writes[0].error.code, ERROR_NONE);
    assert_int_equal(writes[1].error.code, ERROR_CONDITIONAL_CHECK);
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a x=1");
    assert_null(get(acme, "t", "pk=b"));
    assert_null(get(acme, "t", "pk=c"));
}

/* Later writes of a request see what earlier ones did, before any of it is in the store. */
static void writes_of_one_batch_see_each_other(void **state)
{
    struct client *acme = *state;
    struct write writes[3] = {
        put_of(acme, "t", "pk=a n=#1"),
        update_of(acme, "t", "pk=a", "SET n = n + :one", ":one=#1"),
        update_of(acme, "t", "pk=a", "SET n = n + :one", ":one=#1"),
    };
    struct ticket ticket;

    submit(acme, &ticket, writes, 3);
    assert_int_equal(await(&ticket), ST_OK);
    assert_string_equal(text_of(&acme->arena, writes[1].old_item), "n=#1 pk=a");
    assert_string_equal(get(acme, "t", "pk=a"), "n=#3 pk=a");
    expect_counts(acme, "t", NULL, 1, 6);
}

static void tenants_do_not_meet(void **state)
{
    struct client *acme = *state;

    create_table(&fixture.beta, "t", "pk:S");
    put(acme, "t", "pk=a of=acme");
    put(&fixture.beta, "t", "pk=a of=beta");
    assert_string_equal(get(acme, "t", "pk=a"), "of=acme pk=a");
    del(acme, "t", "pk=a");
    assert_string_equal(get(&fixture.beta, "t", "pk=a"), "of=beta pk=a");
    expect_counts(&fixture.beta, "t", NULL, 1, 9);
}

static void a_table_unit_is_a_kilobyte_of_the_larger_image(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a x=*1020"), /* 1,024 bytes */
        put_of(acme, "t", "pk=a x=*1021"), put_of(acme, "t", "pk=a"),
        delete_of(acme, "t", "pk=a"),      delete_of(acme, "t", "pk=a"),
    };
    static const uint32_t units[] = {1, 2, 2, 1, 1};

    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run(acme, &writes[i]), ERROR_NONE);
        assert_int_equal(writes[i].cost.table_units, units[i]);
    }
}

/* More requests than a commit takes, in flight at the same time. */
static void many_requests_at_once_are_answered_in_order(void **state)
{
    enum { COUNT = 1000 };
    static struct write writes[COUNT];
    static struct ticket tickets[COUNT];
    struct client *acme = *state;
    struct slice expected;

    for (int i = 0; i < COUNT; i++) {
        writes[i] = update_of(acme, "t", "pk=counter", "ADD n :one", ":one=#1");
        submit(acme, &tickets[i], &writes[i], 1);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(await(&tickets[i]), ST_OK);
        expected = arena_printf(&acme->arena, "n=#%d pk=counter", i + 1);
        assert_string_equal(text_of(&acme->arena, writes[i].new_item), (const char *)expected.p);
    }
    assert_string_equal(get(acme, "t", "pk=counter"), "n=#1000 pk=counter");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_put_replaces_the_whole_item),
        TEST(rows_survive_a_restart),
        TEST_ROCKS(rows_survive_a_restart),
        TEST(a_delete_shows_what_was_there),
        TEST(an_update_creates_or_changes),
        TEST(an_update_that_only_removes_creates_nothing),
        TEST(an_update_that_cannot_apply_changes_nothing),
        TEST(an_item_cannot_outgrow_its_limit),
        TEST(a_condition_decides),
        TEST_ROCKS(a_condition_decides),
        TEST(a_condition_on_nothing_leaves_nothing),
        TEST(a_batch_is_no_transaction),
        TEST(writes_of_one_batch_see_each_other),
        TEST(tenants_do_not_meet),
        TEST(a_table_unit_is_a_kilobyte_of_the_larger_image),
        TEST(many_requests_at_once_are_answered_in_order),
        TEST_ROCKS(many_requests_at_once_are_answered_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
