/* verify_store passes what is sound and finds each kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/encode.h"
#include "fixture.h"
#include "model/key.h"
#include "model/row.h"

static struct fixture fixture;

static int setup(void **state)
{
    struct client *acme = &fixture.acme;
    struct table_spec spec;

    fixture_init(&fixture, STORE_MEMORY);
    spec_init(&spec, "t", "pk:S sk:N", &acme->arena);
    spec_add_index(&spec, "by_maker", "maker:S", "", PROJECTION_KEYS_ONLY, "", &acme->arena);
    spec_add_local_index(&spec, "by_rank", "rank:N", PROJECTION_ALL, &acme->arena);
    assert_int_equal(change_table(acme, TABLE_CREATE, "t", &spec), ST_OK);
    put(acme, "t", "pk=a sk=#1 maker=x rank=#7");
    put(acme, "t", "pk=a sk=#2 maker=y");
    put(acme, "t", "pk=b sk=#1");
    *state = acme;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fixture_deinit(&fixture);
    return 0;
}

/* Damages the store behind the engine's back. An empty row deletes. */
static void plant(const struct scope *scope, const struct key *key, struct slice row)
{
    struct kv_batch *batch = kv_batch_new(fixture.kv);

    if (row.n == 0)
        kv_batch_delete(batch, scope, key_slice(key));
    else
        kv_batch_put(batch, scope, key_slice(key), row);
    assert_int_equal(kv_write(fixture.kv, batch, true), ST_OK);
    kv_batch_free(batch);
}

/* As an item's row, but of the size that is said. */
static void plant_item(struct client *client, const struct key *key, const char *text,
                       uint32_t size_aws)
{
    struct buf row;

    buf_init(&row, 4096);
    row_seal(&row, item_of(&client->arena, text).payload, size_aws);
    plant(client->scope, key, buf_slice(&row));
    buf_deinit(&row);
}

static struct key item_key(struct client *client, const char *text)
{
    struct key key;

    table_item_key(find_table(client, "t"), item_of(&client->arena, text), &key);
    return key;
}

static struct key index_key(struct client *client, const char *index, const char *text)
{
    struct table *table = find_table(client, "t");
    struct key key;

    assert_true(table_index_key(table, table_find_index(table, slice_cstr(index)),
                                item_of(&client->arena, text), &key));
    return key;
}

static void expect_faults(uint64_t count)
{
    assert_int_equal(verify(&fixture, false).faults, count);
}

static void a_sound_store_passes(void **state)
{
    struct verify_totals totals = verify(&fixture, true);

    (void)state;
    assert_int_equal(totals.faults, 0);
    assert_int_equal(totals.tenants, 2);
    assert_int_equal(totals.tables, 1);
    assert_int_equal(totals.items, 3);
    assert_int_equal(totals.index_rows, 3);
    assert_int_equal(totals.dead_rows, 0);
}

static void rows_of_dropped_tables_are_no_fault(void **state)
{
    struct verify_totals totals;

    assert_int_equal(change_table(*state, TABLE_DROP, "t", NULL), ST_OK);
    totals = verify(&fixture, true);
    assert_int_equal(totals.faults, 0);
    assert_int_equal(totals.dead_rows, 6);
}

static void a_missing_index_row(void **state)
{
    struct key key = index_key(*state, "by_maker", "pk=a sk=#1 maker=x");

    plant(((struct client *)*state)->scope, &key, SLICE_EMPTY);
    expect_faults(2); /* the item's, and the number of rows */
}

static void an_index_row_too_many(void **state)
{
    struct key key = index_key(*state, "by_maker", "pk=z sk=#1 maker=x");

    plant_item(*state, &key, "pk=z sk=#1 maker=x", 11);
    expect_faults(1);
}

/* One row too many and one too few: the numbers agree, the rows do not. */
static void a_misplaced_index_row(void **state)
{
    struct key right = index_key(*state, "by_maker", "pk=a sk=#1 maker=x");
    struct key wrong = index_key(*state, "by_maker", "pk=a sk=#1 maker=z");

    plant(((struct client *)*state)->scope, &right, SLICE_EMPTY);
    plant_item(*state, &wrong, "pk=a sk=#1 maker=z", 11);
    expect_faults(1);
}

static void a_changed_index_row(void **state)
{
    struct key key = index_key(*state, "by_maker", "pk=a sk=#1 maker=x");

    plant_item(*state, &key, "pk=a sk=#2 maker=x", 11);
    expect_faults(1);
}

static void an_index_row_of_no_index(void **state)
{
    struct key key;

    key_begin_rows(&key, find_table(*state, "t")->id, 99);
    key_add_be16(&key, 0);
    plant_item(*state, &key, "pk=a sk=#1", 7);
    expect_faults(1);
}

static void a_row_of_no_table(void **state)
{
    struct key key;

    key_begin_rows(&key, 99, 0);
    key_add_be16(&key, 0);
    plant_item(*state, &key, "pk=a sk=#1", 7);
    expect_faults(1);
}

static void a_lost_item(void **state)
{
    struct key key = item_key(*state, "pk=b sk=#1");

    plant(((struct client *)*state)->scope, &key, SLICE_EMPTY);
    expect_faults(2); /* the counters, and the size of a collection without items */
}

static void an_item_under_another_key(void **state)
{
    struct key key = item_key(*state, "pk=b sk=#1");

    plant_item(*state, &key, "pk=b sk=#2", 7);
    expect_faults(1);
}

static void an_item_without_its_key(void **state)
{
    struct key key = item_key(*state, "pk=b sk=#1");

    plant_item(*state, &key, "pk=b ab=#1", 7);
    expect_faults(2); /* the item, and the size of its collection */
}

static void a_wrong_size_in_a_header(void **state)
{
    struct key key = item_key(*state, "pk=b sk=#1");

    plant_item(*state, &key, "pk=b sk=#1", 8);
    expect_faults(1);
}

static void bytes_that_are_no_item(void **state)
{
    struct key key = item_key(*state, "pk=b sk=#1");

    plant(((struct client *)*state)->scope, &key, SLICE_LIT("rubbish!rubbish!"));
    expect_faults(3); /* the row, the counters, and the size of its collection */
}

static void a_wrong_counter(void **state)
{
    struct client *acme = *state;
    struct counters *counters;
    uint8_t body[16] = {0};
    struct buf row;
    struct key key;

    fixture_reopen(&fixture); /* folds */
    acme = &fixture.acme;
    counters = find_table(acme, "t")->counters;
    put_le64(body, 4);
    put_le64(body + 8, (uint64_t)atomic_load(&counters->size_bytes));
    key_begin(&key, KEY_SPACE_COUNTER);
    key_add_be32(&key, counters->table);
    key_add_be16(&key, 0);
    buf_init(&row, 64);
    row_seal(&row, slice_of(body, sizeof(body)), 0);
    plant(acme->scope, &key, buf_slice(&row));
    buf_deinit(&row);
    expect_faults(1);
}

static void a_wrong_size_of_a_collection(void **state)
{
    struct client *acme = *state;
    struct value partition = item_find(item_of(&acme->arena, "pk=a"), SLICE_LIT("pk"));
    uint8_t body[8] = {1};
    struct buf row;
    struct key key;

    key_begin(&key, KEY_SPACE_COLLECTION);
    key_add_be32(&key, find_table(acme, "t")->id);
    key_add_partition(&key, &partition, 1);
    buf_init(&row, 64);
    row_seal(&row, slice_of(body, sizeof(body)), 0);
    plant(acme->scope, &key, buf_slice(&row));
    buf_deinit(&row);
    expect_faults(1);
}

static void a_table_that_cannot_be_read(void **state)
{
    struct client *acme = *state;
    struct key key;

    key_begin(&key, KEY_SPACE_CATALOGUE);
    key_add_bytes(&key, SLICE_LIT("t"));
    plant(acme->scope, &key, SLICE_LIT("rubbish!"));
    expect_faults(1 + 6 + 1); /* none of its rows belongs to a table now, nor do its collections */
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sound_store_passes),
        TEST(rows_of_dropped_tables_are_no_fault),
        TEST(a_missing_index_row),
        TEST(an_index_row_too_many),
        TEST(a_misplaced_index_row),
        TEST(a_changed_index_row),
        TEST(an_index_row_of_no_index),
        TEST(a_row_of_no_table),
        TEST(a_lost_item),
        TEST(an_item_under_another_key),
        TEST(an_item_without_its_key),
        TEST(a_wrong_size_in_a_header),
        TEST(bytes_that_are_no_item),
        TEST(a_wrong_counter),
        TEST(a_wrong_size_of_a_collection),
        TEST(a_table_that_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
