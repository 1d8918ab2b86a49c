/* Counts of items and bytes stay exact: through folds, restarts and losses of power. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "model/key.h"

static struct fixture fixture;

static int setup(void **state)
{
    struct table_spec spec;

    fixture_init(&fixture, STORE_MEMORY);
    spec_init(&spec, "t", "pk:S", &fixture.acme.arena);
    spec_add_index(&spec, "by_maker", "maker:S", "", PROJECTION_ALL, "", &fixture.acme.arena);
    assert_int_equal(change_table(&fixture.acme, TABLE_CREATE, "t", &spec), ST_OK);
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

/* Delta rows that wait to be folded. */
static size_t count_deltas(void)
{
    const struct scope *system = registry_system_scope(engine_registry(fixture.engine));
    struct key lower, upper;
    struct kv_iter *iter;
    size_t count = 0;

    key_begin(&lower, KEY_SPACE_DELTA);
    upper = lower;
    assert_true(key_make_upper_bound(&upper));
    iter = kv_iter_new(system, NULL, KV_MAY_BLOCK, key_slice(&lower), key_slice(&upper));
    for (enum status s = kv_iter_seek(iter, SLICE_EMPTY); s == ST_OK; s = kv_iter_next(iter))
        count++;
    kv_iter_free(iter);
    return count;
}

/* A second passes, and the next write makes the committer look at the clock. */
static void let_fold(struct client *client)
{
    clock_fake_advance(&fixture.clock, 1001);
    create_table(client, "tick", "pk:S");
    assert_int_equal(change_table(client, TABLE_DROP, "tick", NULL), ST_OK);
    while (count_deltas() > 0)
        continue;
}

static void write_some(struct client *client)
{
    put(client, "t", "pk=a maker=x");
    put(client, "t", "pk=b maker=x");
    put(client, "t", "pk=c");
    put(client, "t", "pk=a maker=longer");
    del(client, "t", "pk=b");
    /* a: 3 + 11, c: 3 */
    expect_counts(client, "t", NULL, 2, 17);
    expect_counts(client, "t", "by_maker", 1, 14);
}

static void counts_are_exact(void **state)
{
    struct client *acme = *state;

    write_some(acme);
    assert_true(count_deltas() > 0);
    expect_healthy(&fixture);
    let_fold(acme);
    expect_counts(acme, "t", NULL, 2, 17);
    expect_healthy(&fixture);
    put(acme, "t", "pk=d");
    expect_counts(acme, "t", NULL, 3, 20);
}

static void counts_survive_a_restart(void **state)
{
    struct client *acme = *state;

    write_some(acme);
    fixture_reopen(&fixture);
    assert_int_equal(count_deltas(), 0);
    expect_counts(acme, "t", NULL, 2, 17);
    expect_counts(acme, "t", "by_maker", 1, 14);
    del(acme, "t", "pk=c");
    fixture_reopen(&fixture);
    expect_counts(acme, "t", NULL, 1, 14);
}

static void counts_survive_a_crash_before_the_fold(void **state)
{
    struct client *acme = *state;

    write_some(acme);
    assert_true(count_deltas() > 0);
    fixture_crash(&fixture);
    assert_int_equal(count_deltas(), 0);
    expect_counts(acme, "t", NULL, 2, 17);
    expect_counts(acme, "t", "by_maker", 1, 14);
}

static void counts_survive_a_crash_between_folds(void **state)
{
    struct client *acme = *state;

    write_some(acme);
    let_fold(acme);
    put(acme, "t", "pk=d");
    put(acme, "t", "pk=e maker=y");
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 4, 29);
    expect_counts(acme, "t", "by_maker", 2, 23);
    put(acme, "t", "pk=f");
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 5, 32);
}

/* Deltas may name what has been dropped since. */
static void a_crash_after_a_drop_confuses_no_counts(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;

    write_some(acme);
    create_table(acme, "gone", "pk:S");
    put(acme, "gone", "pk=a");
    assert_int_equal(change_table(acme, TABLE_DROP, "gone", NULL), ST_OK);
    spec_of_table(&spec, find_table(acme, "t"), &acme->arena);
    spec.index_count = 0;
    assert_int_equal(change_table(acme, TABLE_ALTER, "t", &spec), ST_OK);
    expect_healthy(&fixture);
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 2, 17);
}

/* The two tenants' tables have the same ids. */
static void each_tenant_has_its_own_counts(void **state)
{
    struct client *acme = *state;

    create_table(&fixture.beta, "t", "pk:S");
    assert_int_equal(find_table(&fixture.beta, "t")->id, find_table(acme, "t")->id);
    put(acme, "t", "pk=a");
    put(&fixture.beta, "t", "pk=abc");
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 1, 3);
    expect_counts(&fixture.beta, "t", NULL, 1, 5);
}

/* A fold that fails is done later; nothing is counted twice. */
static void a_failed_fold_loses_nothing(void **state)
{
    struct client *acme = *state;
    uint64_t writes;

    write_some(acme);
    writes = kv_fault_write_count(fixture.kv);
    kv_fault_arm(fixture.kv, 1, ST_IO, KV_FAULT_ONCE);
    clock_fake_advance(&fixture.clock, 1001);
    while (kv_fault_write_count(fixture.kv) == writes)
        continue;
    expect_healthy(&fixture);
    let_fold(acme);
    expect_counts(acme, "t", NULL, 2, 17);
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 2, 17);
}

/* Writes that fail do not count, and those after them do. */
static void a_failed_write_does_not_count(void **state)
{
    struct client *acme = *state;
    struct write write = put_of(acme, "t", "pk=lost maker=x");
    struct ticket ticket;

    write_some(acme);
    kv_fault_arm(fixture.kv, 1, ST_IO, KV_FAULT_ONCE);
    submit(acme, &ticket, &write, 1);
    assert_int_equal(await(&ticket), ST_IO);
    expect_counts(acme, "t", NULL, 2, 17);
    put(acme, "t", "pk=d maker=x");
    expect_counts(acme, "t", NULL, 3, 26);
    fixture_crash(&fixture);
    expect_counts(acme, "t", NULL, 3, 26);
    expect_counts(acme, "t", "by_maker", 2, 23);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_exact),
        TEST(counts_survive_a_restart),
        TEST(counts_survive_a_crash_before_the_fold),
        TEST(counts_survive_a_crash_between_folds),
        TEST(a_crash_after_a_drop_confuses_no_counts),
        TEST(each_tenant_has_its_own_counts),
        TEST(a_failed_fold_loses_nothing),
        TEST(a_failed_write_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
