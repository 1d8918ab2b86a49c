/* Tables come, change and go; what they were is what they are after a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "store/scope_mint.h"

static struct fixture fixture;

static int setup(void **state)
{
    fixture_init(&fixture, STORE_MEMORY);
    *state = &fixture.acme;
    return 0;
}

static int setup_rocks(void **state)
{
    fixture_init(&fixture, STORE_KIND_COUNT > 1 ? STORE_ROCKS : STORE_MEMORY);
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

static const char *list(struct client *client, const char *after, uint32_t limit)
{
    struct slice *names, text = SLICE_LIT("");
    uint32_t count;
    bool more;

    assert_int_equal(engine_list_tables(fixture.engine, client->scope, slice_cstr(after), limit,
                                        &client->arena, &names, &count, &more),
                     ST_OK);
    for (uint32_t i = 0; i < count; i++)
        text = arena_printf(&client->arena, "%" PRISLICE "%" PRISLICE " ", SLICE_ARG(text),
                            SLICE_ARG(names[i]));
    text = arena_printf(&client->arena, "%" PRISLICE "%s", SLICE_ARG(text), more ? "..." : ".");
    return (const char *)text.p;
}

static void a_table_is_what_was_described(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;
    struct table *table;

    spec_init(&spec, "tickets", "pk:S sk:N", &acme->arena);
    spec_add_index(&spec, "by_maker", "maker:S team:S", "ts:N", PROJECTION_INCLUDE, "title",
                   &acme->arena);
    spec_add_local_index(&spec, "by_state", "state:S", PROJECTION_KEYS_ONLY, &acme->arena);
    spec.deletion_protected = true;
    spec.settings = item_of(&acme->arena, "BillingMode=PAY_PER_REQUEST");
    assert_int_equal(change_table(acme, TABLE_CREATE, "tickets", &spec), ST_OK);
    for (int restarts = 0; restarts < 2; restarts++) {
        table = find_table(acme, "tickets");
        assert_true(slice_is(table->name, "tickets"));
        assert_true(table->deletion_protected);
        assert_int_equal(table->key.sort[0].type, VALUE_N);
        assert_int_equal(table->attribute_count, 6);
        assert_int_equal(table->index_count, 2);
        assert_int_equal(strlen(table->uuid), 36);
        assert_true(table->created_ms == clock_wall_ms(&fixture.clock.clock));
        assert_string_equal(text_of(&acme->arena, table->settings), "BillingMode=PAY_PER_REQUEST");
        assert_int_equal(table->indexes[0].status, INDEX_ACTIVE);
        assert_int_equal(table->indexes[0].key.partition_count, 2);
        assert_true(slice_is(table->indexes[0].key.partition[1].name, "team"));
        assert_true(slice_is(table->indexes[0].included[0], "title"));
        assert_true(table->indexes[1].local);
        assert_int_equal(table->indexes[1].projection, PROJECTION_KEYS_ONLY);
        assert_int_not_equal(table->indexes[0].id, table->indexes[1].id);
        fixture_reopen(&fixture);
    }
}

static void a_name_is_taken_once_per_tenant(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;

    create_table(acme, "t", "pk:S");
    spec_init(&spec, "t", "other:S", &acme->arena);
    assert_int_equal(change_table(acme, TABLE_CREATE, "t", &spec), ST_EXISTS);
    assert_true(slice_is(find_table(acme, "t")->key.partition[0].name, "pk"));
    create_table(&fixture.beta, "t", "other:S");
    assert_true(slice_is(find_table(&fixture.beta, "t")->key.partition[0].name, "other"));
    assert_true(slice_is(find_table(acme, "t")->key.partition[0].name, "pk"));
}

static void what_is_missing_cannot_be_changed_or_dropped(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;

    spec_init(&spec, "t", "pk:S", &acme->arena);
    create_table(&fixture.beta, "t", "pk:S");
    assert_int_equal(change_table(acme, TABLE_ALTER, "t", &spec), ST_NOT_FOUND);
    assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_NOT_FOUND);
    assert_false(table_exists(acme, "t"));
    assert_true(table_exists(&fixture.beta, "t"));
}

static void ids_are_never_used_again(void **state)
{
    struct client *acme = *state;
    uint32_t last = 0;

    for (int i = 0; i < 6; i++) {
        uint32_t id;

        create_table(acme, "t", "pk:S");
        id = find_table(acme, "t")->id;
        assert_true(id > last);
        last = id;
        assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_OK);
        if (i == 3)
            fixture_reopen(&fixture);
    }
}

static void a_new_table_of_an_old_name_is_empty(void **state)
{
    struct client *acme = *state;

    create_table(acme, "t", "pk:S");
    put(acme, "t", "pk=a");
    assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_OK);
    assert_false(table_exists(acme, "t"));
    create_table(acme, "t", "pk:S");
    assert_null(get(acme, "t", "pk=a"));
    expect_counts(acme, "t", NULL, 0, 0);
    fixture_reopen(&fixture);
    assert_null(get(acme, "t", "pk=a"));
    assert_int_equal(verify(&fixture, true).items, 0);
}

static void tables_are_listed_in_the_order_of_their_names(void **state)
{
    struct client *acme = *state;

    assert_string_equal(list(acme, "", 10), ".");
    create_table(acme, "b", "pk:S");
    create_table(acme, "c", "pk:S");
    create_table(acme, "a", "pk:S");
    create_table(acme, "ab", "pk:S");
    create_table(&fixture.beta, "aa", "pk:S");
    assert_string_equal(list(acme, "", 10), "a ab b c .");
    assert_string_equal(list(acme, "", 2), "a ab ...");
    assert_string_equal(list(acme, "ab", 2), "b c .");
    assert_string_equal(list(acme, "aa", 1), "ab ...");
    assert_string_equal(list(acme, "c", 5), ".");
    assert_int_equal(engine_table_count(fixture.engine, acme->scope), 4);
    assert_int_equal(engine_table_count(fixture.engine, NULL), 0);
}

/* A first CreateTable brings its tenant into being; a refused one does not. */
static void a_table_can_create_its_tenant(void **state)
{
    struct table_spec spec;
    struct client client;

    (void)state;
    client_init(&client, &fixture, "gamma");
    assert_null(client.scope);
    assert_false(table_exists(&client, "t"));
    spec_init(&spec, "t", "pk:S", &client.arena);
    kv_fault_arm(fixture.kv, 1, ST_NO_SPACE, KV_FAULT_ONCE);
    assert_int_equal(change_table(&client, TABLE_CREATE, "t", &spec), ST_NO_SPACE);
    assert_null(registry_find(engine_registry(fixture.engine), SLICE_LIT("gamma")));
    assert_int_equal(change_table(&client, TABLE_CREATE, "t", &spec), ST_OK);
    client_deinit(&client);
    client_init(&client, &fixture, "gamma");
    put(&client, "t", "pk=a");
    assert_string_equal(get(&client, "t", "pk=a"), "pk=a");
    client_deinit(&client);
}

static enum status refuse(struct table_change *change, const struct table *current,
                          struct table_spec *ret_next)
{
    (void)ret_next;
    assert_non_null(current);
    return error_set(&change->error, ERROR_VALIDATION, "protected");
}

static void on_done(struct table_change *change)
{
    sem_post(change->user);
}

static void a_change_can_be_refused(void **state)
{
    struct client *acme = *state;
    sem_t done;
    struct table_change change = {
        .kind = TABLE_DROP,
        .arena = &acme->arena,
        .scope = acme->scope,
        .name = SLICE_LIT("t"),
        .alter = refuse,
        .done = on_done,
        .user = &done,
    };

    create_table(acme, "t", "pk:S");
    assert_int_equal(sem_init(&done, 0, 0), 0);
    engine_change_table(fixture.engine, &change);
    assert_int_equal(sem_wait(&done), 0);
    assert_int_equal(change.status, ST_REFUSED);
    assert_true(slice_is(change.error.message, "protected"));
    assert_null(change.table);
    assert_true(table_exists(acme, "t"));
    assert_int_equal(sem_destroy(&done), 0);
}

/* A write that holds an older version goes by the newest. */
static void a_write_follows_its_table(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;
    struct write early, wrong;

    create_table(acme, "t", "pk:S");
    early = put_of(acme, "t", "pk=a maker=o1");
    wrong = put_of(acme, "t", "pk=b maker=#1");
    spec_of_table(&spec, find_table(acme, "t"), &acme->arena);
    spec_add_index(&spec, "by_maker", "maker:S", "", PROJECTION_ALL, "", &acme->arena);
    assert_int_equal(change_table(acme, TABLE_ALTER, "t", &spec), ST_OK);
    assert_true(early.table->superseded);
    assert_int_equal(run(acme, &early), ERROR_NONE);
    assert_int_equal(run(acme, &wrong), ERROR_VALIDATION_DATA);
    await_active(acme, "t", "by_maker");
    expect_counts(acme, "t", "by_maker", 1, 10);
    assert_null(get(acme, "t", "pk=b"));
}

static void a_write_to_a_dropped_table_is_refused(void **state)
{
    struct client *acme = *state;
    struct write late, later;

    create_table(acme, "t", "pk:S");
    late = put_of(acme, "t", "pk=a");
    later = put_of(acme, "t", "pk=a");
    assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_OK);
    assert_int_equal(run(acme, &late), ERROR_RESOURCE_NOT_FOUND);
    create_table(acme, "t", "pk:S");
    assert_int_equal(run(acme, &later), ERROR_RESOURCE_NOT_FOUND);
    assert_null(get(acme, "t", "pk=a"));
}

static void altering_keeps_identity(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;
    struct table *before, *after;

    create_table(acme, "t", "pk:S");
    put(acme, "t", "pk=a");
    before = find_table(acme, "t");
    spec_of_table(&spec, before, &acme->arena);
    spec.deletion_protected = true;
    assert_int_equal(change_table(acme, TABLE_ALTER, "t", &spec), ST_OK);
    after = find_table(acme, "t");
    assert_ptr_not_equal(before, after);
    assert_false(before->deletion_protected);
    assert_true(after->deletion_protected);
    assert_int_equal(before->id, after->id);
    assert_string_equal(before->uuid, after->uuid);
    assert_true(before->created_ms == after->created_ms);
    expect_counts(acme, "t", NULL, 1, 3);
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a");
}

static void a_change_that_the_store_refuses_did_not_happen(void **state)
{
    struct client *acme = *state;
    struct table_spec spec;

    create_table(acme, "t", "pk:S");
    put(acme, "t", "pk=a");
    kv_fault_arm(fixture.kv, 1, ST_IO, KV_FAULT_FOR_GOOD);
    assert_int_equal(change_table(acme, TABLE_DROP, "t", NULL), ST_IO);
    spec_of_table(&spec, find_table(acme, "t"), &acme->arena);
    spec.deletion_protected = true;
    assert_int_equal(change_table(acme, TABLE_ALTER, "t", &spec), ST_IO);
    kv_fault_disarm(fixture.kv);
    assert_false(find_table(acme, "t")->deletion_protected);
    put(acme, "t", "pk=b");
    assert_string_equal(get(acme, "t", "pk=a"), "pk=a");
}

static void a_store_of_a_newer_format_is_not_opened(void **state)
{
    static const uint8_t newer[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
    struct engine_options options = {
        .store = kv_open_memory(), .dead = dead_set_new(), .clock = &clock_system};
    struct kv_batch *batch = kv_batch_new(options.store);
    struct scope *system = scope_mint(options.store, TENANT_NUMBER_SYSTEM);
    struct engine *engine;

    (void)state;
    kv_batch_put(batch, system,
                 SLICE_LIT("\x10"
                           "format"),
                 slice_of(newer, sizeof(newer)));
    assert_int_equal(kv_write(options.store, batch, true), ST_OK);
    assert_int_equal(engine_open(&options, &engine), ST_VERSION);
    kv_batch_free(batch);
    scope_free(system);
    kv_close(options.store);
    dead_set_free(options.dead);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_table_is_what_was_described),
        TEST_ROCKS(a_table_is_what_was_described),
        TEST(a_name_is_taken_once_per_tenant),
        TEST(what_is_missing_cannot_be_changed_or_dropped),
        TEST(ids_are_never_used_again),
        TEST_ROCKS(ids_are_never_used_again),
        TEST(a_new_table_of_an_old_name_is_empty),
        TEST_ROCKS(a_new_table_of_an_old_name_is_empty),
        TEST(tables_are_listed_in_the_order_of_their_names),
        TEST(a_table_can_create_its_tenant),
        TEST(a_change_can_be_refused),
        TEST(a_write_follows_its_table),
        TEST(a_write_to_a_dropped_table_is_refused),
        TEST(altering_keeps_identity),
        TEST(a_change_that_the_store_refuses_did_not_happen),
        TEST(a_store_of_a_newer_format_is_not_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
