/* Index rows come, move and go with their items, in the same step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

static struct fixture fixture;

static void make_table(struct client *client)
{
    struct table_spec spec;

    spec_init(&spec, "t", "pk:S sk:N", &client->arena);
    spec_add_index(&spec, "by_maker", "maker:S", "ts:N", PROJECTION_ALL, "", &client->arena);
    spec_add_index(&spec, "by_state", "state:S", "", PROJECTION_KEYS_ONLY, "", &client->arena);
    spec_add_index(&spec, "by_team", "team:S", "", PROJECTION_INCLUDE, "title", &client->arena);
    assert_int_equal(change_table(client, TABLE_CREATE, "t", &spec), ST_OK);
    spec_init(&spec, "local", "pk:S sk:N", &client->arena);
    spec_add_local_index(&spec, "by_rank", "rank:N", PROJECTION_KEYS_ONLY, &client->arena);
    assert_int_equal(change_table(client, TABLE_CREATE, "local", &spec), ST_OK);
}

static int setup(void **state)
{
    fixture_init(&fixture, STORE_MEMORY);
    make_table(&fixture.acme);
    *state = &fixture.acme;
    return 0;
}

static int setup_rocks(void **state)
{
    fixture_init(&fixture, STORE_KIND_COUNT > 1 ? STORE_ROCKS : STORE_MEMORY);
    make_table(&fixture.acme);
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

static const char *scan(struct client *client, const char *index, const char *show)
{
    struct query query = {.table = "t", .index = index, .show = show};

    return run_query(client, &query).items;
}

static void a_row_is_written_moved_and_removed_with_its_item(void **state)
{
    struct client *acme = *state;
    struct write move = update_of(acme, "t", "pk=a sk=#1", "SET maker = :o", ":o=o2");
    struct query o1 = {
        .table = "t", .index = "by_maker", .condition = "maker = :o", .values = ":o=o1"};
    struct query o2 = o1;

    o2.values = ":o=o2";
    put(acme, "t", "pk=a sk=#1 maker=o1 ts=#5");
    assert_string_equal(run_query(acme, &o1).items, "#1");
    assert_int_equal(run(acme, &move), ERROR_NONE);
    assert_string_equal(run_query(acme, &o1).items, "");
    assert_string_equal(run_query(acme, &o2).items, "#1");
    expect_counts(acme, "t", "by_maker", 1, 18);
    del(acme, "t", "pk=a sk=#1");
    assert_string_equal(run_query(acme, &o2).items, "");
    expect_counts(acme, "t", "by_maker", 0, 0);
}

/* An item without all key attributes of an index is not in it. */
static void indexes_are_sparse(void **state)
{
    struct client *acme = *state;
    struct write gain = update_of(acme, "t", "pk=a sk=#1", "SET ts = :ts", ":ts=#9");
    struct write lose = update_of(acme, "t", "pk=a sk=#1", "REMOVE maker", NULL);

    put(acme, "t", "pk=a sk=#1 maker=o1");
    assert_string_equal(scan(acme, "by_maker", "sk"), "");
    assert_int_equal(run(acme, &gain), ERROR_NONE);
    assert_int_equal(gain.cost.index_units[0], 1);
    assert_string_equal(scan(acme, "by_maker", "sk"), "#1");
    assert_int_equal(run(acme, &lose), ERROR_NONE);
    assert_string_equal(scan(acme, "by_maker", "sk"), "");
    assert_string_equal(get(acme, "t", "pk=a sk=#1"), "pk=a sk=#1 ts=#9");
}

static void a_row_holds_what_is_projected(void **state)
{
    struct client *acme = *state;

    put(acme, "t", "pk=a sk=#1 maker=o ts=#1 state=open team=x title=T body=long");
    assert_string_equal(scan(acme, "by_maker", "body"), "long");
    assert_string_equal(scan(acme, "by_team", "title"), "T");
    assert_string_equal(scan(acme, "by_team", "body"), "*0");
    assert_string_equal(scan(acme, "by_state", "title"), "*0");
    assert_string_equal(scan(acme, "by_state", "pk"), "a");
    /* pk a, sk 1, state open */
    expect_counts(acme, "t", "by_state", 1, 3 + 4 + 9);
    /* pk a, sk 1, team x, title T */
    expect_counts(acme, "t", "by_team", 1, 3 + 4 + 5 + 6);
}

static void index_units_go_by_what_changes(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a sk=#1 state=open body=1"),
        put_of(acme, "t", "pk=a sk=#1 state=open body=2"),
        put_of(acme, "t", "pk=a sk=#1 state=shut body=2"),
        put_of(acme, "t", "pk=a sk=#1 state=shut body=2"),
        put_of(acme, "t", "pk=a sk=#1 body=2"),
    };
    static const uint32_t units[] = {1, 0, 2, 0, 1};

    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run(acme, &writes[i]), ERROR_NONE);
        assert_int_equal(writes[i].cost.index_units[1], units[i]);
        assert_int_equal(writes[i].cost.index_units[0], 0);
    }
}

static void an_update_may_not_break_an_index_key(void **state)
{
    struct client *acme = *state;
    struct write wrong = update_of(acme, "t", "pk=a sk=#1", "SET maker = :o", ":o=#1");
    struct write empty = update_of(acme, "t", "pk=a sk=#1", "SET maker = :o", ":o=");
    struct write large = update_of(acme, "t", "pk=a sk=#1", "SET maker = :o", ":o=*2049");

    put(acme, "t", "pk=a sk=#1 maker=o1 ts=#1");
    assert_int_equal(run(acme, &wrong), ERROR_VALIDATION_DATA);
    assert_int_equal(run(acme, &empty), ERROR_VALIDATION_DATA);
    assert_int_equal(run(acme, &large), ERROR_VALIDATION_DATA);
    assert_string_equal(scan(acme, "by_maker", "maker"), "o1");
}

/* Two writes of one request: the index shows the last one alone. */
static void rows_of_one_batch_replace_each_other(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a sk=#1 state=open"), put_of(acme, "t", "pk=a sk=#1 state=held"),
        put_of(acme, "t", "pk=a sk=#1 state=open"), put_of(acme, "t", "pk=a sk=#2 state=open"),
        delete_of(acme, "t", "pk=a sk=#2"),
    };
    struct ticket ticket;

    submit(acme, &ticket, writes, 5);
    assert_int_equal(await(&ticket), ST_OK);
    assert_string_equal(scan(acme, "by_state", "state"), "open");
    expect_counts(acme, "t", "by_state", 1, 16);
}

/* An item collection is the items of a partition key and their rows in local indexes. */
static void collections_are_measured(void **state)
{
    struct client *acme = *state;
    struct write first = put_of(acme, "local", "pk=a sk=#1 rank=#7 x=1");
    struct write second = put_of(acme, "local", "pk=a sk=#2 x=1");
    struct write other = put_of(acme, "local", "pk=b sk=#2");
    struct write same = put_of(acme, "local", "pk=a sk=#2 x=1");
    struct write gone = delete_of(acme, "local", "pk=a sk=#1");
    struct write nothing = delete_of(acme, "local", "pk=a sk=#9");

    assert_int_equal(run(acme, &first), ERROR_NONE);
    assert_int_equal(first.collection_size_bytes, 15 + 13); /* pk sk rank x; pk sk rank */
    assert_int_equal(run(acme, &second), ERROR_NONE);
    assert_int_equal(second.collection_size_bytes, 28 + 9);
    assert_int_equal(run(acme, &other), ERROR_NONE);
    assert_int_equal(other.collection_size_bytes, 7);
    fixture_reopen(&fixture);
    acme = &fixture.acme;
    same = put_of(acme, "local", "pk=a sk=#2 x=1");
    gone = delete_of(acme, "local", "pk=a sk=#1");
    nothing = delete_of(acme, "local", "pk=a sk=#9");
    assert_int_equal(run(acme, &same), ERROR_NONE);
    assert_int_equal(same.collection_size_bytes, 37);
    assert_int_equal(run(acme, &gone), ERROR_NONE);
    assert_int_equal(gone.collection_size_bytes, 9);
    assert_int_equal(run(acme, &nothing), ERROR_NONE);
    assert_int_equal(nothing.collection_size_bytes, 9);
    del(acme, "local", "pk=a sk=#2");
    expect_counts(acme, "local", NULL, 1, 7);
    expect_counts(acme, "local", "by_rank", 0, 0);
}

static void without_local_indexes_there_are_no_collections(void **state)
{
    struct client *acme = *state;
    struct write write = put_of(acme, "t", "pk=a sk=#1");

    assert_int_equal(run(acme, &write), ERROR_NONE);
    assert_int_equal(write.collection_size_bytes, -1);
}

static void a_local_index_can_fetch_whole_items(void **state)
{
    struct client *acme = *state;
    struct query query = {.table = "local",
                          .index = "by_rank",
                          .condition = "pk = :p",
                          .values = ":p=a",
                          .show = "x"};
    struct page page;

    put(acme, "local", "pk=a sk=#1 rank=#3 x=third");
    put(acme, "local", "pk=a sk=#2 rank=#1 x=*5000");
    put(acme, "local", "pk=a sk=#3 rank=#2 x=second");
    put(acme, "local", "pk=a sk=#4 x=none");
    assert_string_equal(run_query(acme, &query).items, "*0 *0 *0");
    query.fetch_items = true;
    page = run_query(acme, &query);
    assert_string_equal(page.items, "*5000 second third");
    assert_int_equal(page.result.fetched_units_half, 2 + 1 + 1);
}

static void rows_survive_a_restart(void **state)
{
    struct client *acme = *state;

    put(acme, "t", "pk=a sk=#1 maker=o1 ts=#5 state=open");
    put(acme, "t", "pk=a sk=#2 maker=o1 ts=#4 state=open");
    del(acme, "t", "pk=a sk=#1");
    fixture_reopen(&fixture);
    assert_string_equal(scan(acme, "by_maker", "sk"), "#2");
    expect_counts(acme, "t", "by_maker", 1, 27);
    expect_counts(acme, "t", "by_state", 1, 16);
    expect_counts(acme, "t", "by_team", 0, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_row_is_written_moved_and_removed_with_its_item),
        TEST(indexes_are_sparse),
        TEST(a_row_holds_what_is_projected),
        TEST(index_units_go_by_what_changes),
        TEST(an_update_may_not_break_an_index_key),
        TEST(rows_of_one_batch_replace_each_other),
        TEST_ROCKS(rows_of_one_batch_replace_each_other),
        TEST(collections_are_measured),
        TEST_ROCKS(collections_are_measured),
        TEST(without_local_indexes_there_are_no_collections),
        TEST(a_local_index_can_fetch_whole_items),
        TEST(rows_survive_a_restart),
        TEST_ROCKS(rows_survive_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
