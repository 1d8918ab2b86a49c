/* A new index fills while its table is written, and ends with exactly the rows it must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "fixture.h"
#include "model/key.h"

#define ITEM_COUNT 1000 /* several chunks */

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

/* Items 0 to ITEM_COUNT - 1; every third has no maker. */
static void fill_table(struct client *client)
{
    struct write writes[100];
    struct ticket ticket;

    for (int i = 0; i < ITEM_COUNT; i++) {
        struct slice text = i % 3 == 0
                                ? arena_printf(&client->arena, "pk=%04d", i)
                                : arena_printf(&client->arena, "pk=%04d maker=m%d", i, i % 7);

        writes[i % 100] = put_of(client, "t", (const char *)text.p);
        if (i % 100 != 99)
            continue;
        submit(client, &ticket, writes, 100);
        assert_int_equal(await(&ticket), ST_OK);
    }
}

static void add_index(struct client *client, const char *name)
{
    struct table_spec spec;

    spec_of_table(&spec, find_table(client, "t"), &client->arena);
    spec_add_index(&spec, name, "maker:S", "", PROJECTION_ALL, "", &client->arena);
    assert_int_equal(change_table(client, TABLE_ALTER, "t", &spec), ST_OK);
}

static void drop_indexes(struct client *client)
{
    struct table_spec spec;

    spec_of_table(&spec, find_table(client, "t"), &client->arena);
    spec.index_count = 0;
    assert_int_equal(change_table(client, TABLE_ALTER, "t", &spec), ST_OK);
}

static int64_t index_items(struct client *client, const char *name)
{
    const struct index *index = table_find_index(find_table(client, "t"), slice_cstr(name));

    return atomic_load(&index->counters->item_count);
}

static size_t count_marks(void)
{
    const struct scope *system = registry_system_scope(engine_registry(fixture.engine));
    struct key lower, upper;
    struct kv_iter *iter;
    size_t count = 0;

    key_begin(&lower, KEY_SPACE_TIMER);
    upper = lower;
    assert_true(key_make_upper_bound(&upper));
    iter = kv_iter_new(system, NULL, KV_MAY_BLOCK, key_slice(&lower), key_slice(&upper));
    for (enum status s = kv_iter_seek(iter, SLICE_EMPTY); s == ST_OK; s = kv_iter_next(iter))
        count++;
    kv_iter_free(iter);
    return count;
}

static void an_index_of_an_empty_table_becomes_active(void **state)
{
    struct client *acme = *state;

    add_index(acme, "by_maker");
    await_active(acme, "t", "by_maker");
    expect_counts(acme, "t", "by_maker", 0, 0);
    assert_int_equal(count_marks(), 0);
}

static void an_index_gets_the_rows_of_all_items(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "t", .index = "by_maker"};

    fill_table(acme);
    add_index(acme, "by_maker");
    await_active(acme, "t", "by_maker");
    assert_int_equal(index_items(acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3);
    assert_int_equal(run_query(acme, &query).result.count, ITEM_COUNT - (ITEM_COUNT + 2) / 3);
    assert_int_equal(count_marks(), 0);
    fixture_reopen(&fixture);
    assert_int_equal(index_items(&fixture.acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3);
}

static void two_indexes_fill_side_by_side(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    add_index(acme, "one");
    add_index(acme, "two");
    await_active(acme, "t", "one");
    await_active(acme, "t", "two");
    assert_int_equal(index_items(acme, "one"), index_items(acme, "two"));
}

/* Items change, come and go everywhere in the table until the index is active. */
static void writes_go_on_during_a_backfill(void **state)
{
    struct client *acme = *state;
    uint64_t seed = 5;
    bool active = false;

    fill_table(acme);
    add_index(acme, "by_maker");
    for (int extra = 0; !active || extra < 50; extra += active) {
        int id = (int)(random_seeded_next(&seed) % (2 * ITEM_COUNT));
        struct slice key = arena_printf(&acme->arena, "pk=%04d", id);

        if (id % 4 == 0)
            del(acme, "t", (const char *)key.p);
        else
            put(acme, "t",
                (const char *)arena_printf(&acme->arena, "pk=%04d maker=w%d", id, id % 5).p);
        active =
            table_find_index(find_table(acme, "t"), SLICE_LIT("by_maker"))->status == INDEX_ACTIVE;
    }
}

/* Items that cannot be in the index stay out of it, and can still be changed and deleted. */
static void items_with_unfit_keys_stay_out(void **state)
{
    struct client *acme = *state;
    struct write shrink = update_of(acme, "t", "pk=large", "SET maker = :m", ":m=fits");

    put(acme, "t", "pk=number maker=#5");
    put(acme, "t", "pk=empty maker=");
    put(acme, "t", "pk=large maker=*2049");
    put(acme, "t", "pk=huge maker=*300000");
    put(acme, "t", "pk=good maker=*2048");
    add_index(acme, "by_maker");
    await_active(acme, "t", "by_maker");
    assert_int_equal(index_items(acme, "by_maker"), 1);
    expect_healthy(&fixture);
    del(acme, "t", "pk=huge");
    del(acme, "t", "pk=number");
    assert_int_equal(run(acme, &shrink), ERROR_NONE);
    assert_int_equal(index_items(acme, "by_maker"), 2);
}

static void an_index_can_be_dropped_while_it_fills(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    add_index(acme, "by_maker");
    drop_indexes(acme);
    assert_int_equal(count_marks(), 0);
    assert_int_equal(find_table(acme, "t")->index_count, 0);
    put(acme, "t", "pk=more maker=x");
    add_index(acme, "by_maker");
    await_active(acme, "t", "by_maker");
    assert_int_equal(index_items(acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3 + 1);
}

static void a_table_can_be_dropped_while_an_index_fills(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    add_index(acme, "by_maker");
    assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_OK);
    assert_int_equal(count_marks(), 0);
    create_table(acme, "t", "pk:S");
    put(acme, "t", "pk=a maker=x");
    expect_counts(acme, "t", NULL, 1, 9);
}

/* An index of an old name has a new id: rows of the old one never show in it. */
static void index_ids_are_never_used_again(void **state)
{
    struct client *acme = *state;
    uint16_t last = 0;

    put(acme, "t", "pk=a maker=x");
    for (int i = 0; i < 4; i++) {
        uint16_t id;

        add_index(acme, "by_maker");
        await_active(acme, "t", "by_maker");
        assert_int_equal(index_items(acme, "by_maker"), 1);
        id = find_table(acme, "t")->indexes[0].id;
        assert_true(id > last);
        last = id;
        drop_indexes(acme);
        fixture_reopen(&fixture);
        acme = &fixture.acme;
    }
}

/* Stopping gives a backfill up; the next start begins it again. */
static void an_interrupted_backfill_starts_again(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    add_index(acme, "by_maker");
    fixture_reopen(&fixture);
    acme = &fixture.acme;
    put(acme, "t", "pk=more maker=x");
    await_active(acme, "t", "by_maker");
    assert_int_equal(index_items(acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3 + 1);
    assert_int_equal(count_marks(), 0);
}

static void a_crash_during_a_backfill_loses_nothing(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    add_index(acme, "by_maker");
    put(acme, "t", "pk=more maker=x");
    fixture_crash(&fixture);
    await_active(&fixture.acme, "t", "by_maker");
    assert_int_equal(index_items(&fixture.acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3 + 1);
}

/* Rows that were in a failed commit are missing, so the index must not become active. */
static void a_failed_commit_stops_a_backfill_until_the_next_start(void **state)
{
    struct client *acme = *state;

    fill_table(acme);
    for (uint64_t nth = 2; nth < 8; nth++) {
        uint64_t writes = kv_fault_write_count(fixture.kv);

        kv_fault_arm(fixture.kv, nth, ST_IO, KV_FAULT_ONCE);
        add_index(acme, "by_maker");
        while (kv_fault_write_count(fixture.kv) < writes + nth &&
               table_find_index(find_table(acme, "t"), SLICE_LIT("by_maker"))->status !=
                   INDEX_ACTIVE)
            continue;
        kv_fault_disarm(fixture.kv);
        fixture_reopen(&fixture);
        acme = &fixture.acme;
        await_active(acme, "t", "by_maker");
        assert_int_equal(index_items(acme, "by_maker"), ITEM_COUNT - (ITEM_COUNT + 2) / 3);
        expect_healthy(&fixture);
        drop_indexes(acme);
    }
}

static void a_damaged_mark_is_not_overlooked(void **state)
{
    struct engine_options options = {
        .store = kv_open_memory(), .dead = dead_set_new(), .clock = &clock_system};
    struct kv_batch *batch = kv_batch_new(options.store);
    struct engine *engine;
    struct key key;

    (void)state;
    assert_int_equal(engine_open(&options, &engine), ST_OK);
    key_begin(&key, KEY_SPACE_TIMER);
    key_add_be64(&key, 0);
    kv_batch_put(batch, registry_system_scope(engine_registry(engine)), key_slice(&key),
                 SLICE_LIT("mark"));
    engine_close(engine);
    assert_int_equal(kv_write(options.store, batch, true), ST_OK);
    assert_int_equal(engine_open(&options, &engine), ST_CORRUPT);
    kv_batch_free(batch);
    kv_close(options.store);
    dead_set_free(options.dead);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_index_of_an_empty_table_becomes_active),
        TEST(an_index_gets_the_rows_of_all_items),
        TEST_ROCKS(an_index_gets_the_rows_of_all_items),
        TEST(two_indexes_fill_side_by_side),
        TEST(writes_go_on_during_a_backfill),
        TEST_ROCKS(writes_go_on_during_a_backfill),
        TEST(items_with_unfit_keys_stay_out),
        TEST(an_index_can_be_dropped_while_it_fills),
        TEST(a_table_can_be_dropped_while_an_index_fills),
        TEST(index_ids_are_never_used_again),
        TEST_ROCKS(index_ids_are_never_used_again),
        TEST(an_interrupted_backfill_starts_again),
        TEST_ROCKS(an_interrupted_backfill_starts_again),
        TEST(a_crash_during_a_backfill_loses_nothing),
        TEST(a_damaged_mark_is_not_overlooked),
        TEST(a_failed_commit_stops_a_backfill_until_the_next_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
