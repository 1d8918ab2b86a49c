/* When the store fails, every request hears of it, nothing is half done, and life goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

#define REQUEST_COUNT 400

static struct fixture fixture;

static int setup_on(void **state, enum store_kind kind)
{
    struct table_spec spec;

    fixture_init(&fixture, kind);
    spec_init(&spec, "t", "pk:S", &fixture.acme.arena);
    spec_add_index(&spec, "by_maker", "maker:S", "", PROJECTION_ALL, "", &fixture.acme.arena);
    assert_int_equal(change_table(&fixture.acme, TABLE_CREATE, "t", &spec), ST_OK);
    create_table(&fixture.beta, "t", "pk:S");
    *state = &fixture.acme;
    return 0;
}

static int setup(void **state)
{
    return setup_on(state, STORE_MEMORY);
}

static int setup_rocks(void **state)
{
    return setup_on(state, STORE_KIND_COUNT > 1 ? STORE_ROCKS : STORE_MEMORY);
}

static int teardown(void **state)
{
    (void)state;
    expect_healthy(&fixture);
    fixture_deinit(&fixture);
    return 0;
}

struct crowd {
    struct write writes[REQUEST_COUNT];
    struct ticket tickets[REQUEST_COUNT];
};

static void submit_crowd(struct client *client, struct crowd *crowd)
{
    for (int i = 0; i < REQUEST_COUNT; i++) {
        struct slice text = arena_printf(&client->arena, "pk=%d maker=m", i);

        crowd->writes[i] = put_of(client, "t", (const char *)text.p);
        submit(client, &crowd->tickets[i], &crowd->writes[i], 1);
    }
}

/* Whoever was told that it worked finds the item, and nobody else does. */
static size_t check_crowd(struct client *client, struct crowd *crowd)
{
    size_t ok_count = 0;

    for (int i = 0; i < REQUEST_COUNT; i++) {
        enum status status = await(&crowd->tickets[i]);
        struct slice key = arena_printf(&client->arena, "pk=%d", i);

        assert_true(status == ST_OK || status == ST_NO_SPACE);
        assert_int_equal(get(client, "t", (const char *)key.p) != NULL, status == ST_OK);
        ok_count += status == ST_OK;
    }
    return ok_count;
}

/* Commits form by themselves, so the failing one holds some of the requests, whichever it is. */
static void a_failed_commit_takes_its_own_requests_alone(void **state)
{
    static struct crowd crowd;
    struct client *acme = *state;
    size_t ok_count;

    for (uint64_t nth = 1; nth < 4; nth++) {
        kv_fault_arm(fixture.kv, nth, ST_NO_SPACE, KV_FAULT_ONCE);
        submit_crowd(acme, &crowd);
        ok_count = check_crowd(acme, &crowd);
        kv_fault_disarm(fixture.kv);
        expect_healthy(&fixture);
        for (int i = 0; i < REQUEST_COUNT; i++)
            del(acme, "t", (const char *)arena_printf(&acme->arena, "pk=%d", i).p);
        assert_true(ok_count < REQUEST_COUNT || nth > 1);
        expect_counts(acme, "t", NULL, 0, 0);
        expect_counts(acme, "t", "by_maker", 0, 0);
    }
}

static void every_request_to_a_broken_store_is_answered(void **state)
{
    static struct crowd crowd;
    struct client *acme = *state;

    kv_fault_arm(fixture.kv, 1, ST_NO_SPACE, KV_FAULT_FOR_GOOD);
    submit_crowd(acme, &crowd);
    assert_int_equal(check_crowd(acme, &crowd), 0);
    kv_fault_disarm(fixture.kv);
    put(acme, "t", "pk=a maker=x");
    expect_counts(acme, "t", NULL, 1, 9);
    expect_counts(acme, "t", "by_maker", 1, 9);
}

/* The condition holds only on the write before it, which fails: so must the second. */
static void what_rests_on_a_failed_write_fails_too(void **state)
{
    struct client *acme = *state;
    struct write writes[2] = {put_of(acme, "t", "pk=a n=#1"), put_of(acme, "t", "pk=a n=#2")};
    struct ticket tickets[2];

    write_when(acme, &writes[1], "n = :n", ":n=#1");
    kv_fault_arm(fixture.kv, 1, ST_NO_SPACE, KV_FAULT_ONCE);
    submit(acme, &tickets[0], &writes[0], 1);
    submit(acme, &tickets[1], &writes[1], 1);
    assert_int_equal(await(&tickets[0]), ST_NO_SPACE);
    if (await(&tickets[1]) == ST_OK)
        assert_int_equal(writes[1].error.code, ERROR_CONDITIONAL_CHECK);
    assert_null(get(acme, "t", "pk=a"));
}

static void a_failed_transaction_leaves_nothing(void **state)
{
    struct client *acme = *state;
    struct write writes[2] = {put_of(acme, "t", "pk=a maker=x"), put_of(acme, "t", "pk=b")};
    struct ticket ticket;

    kv_fault_arm(fixture.kv, 1, ST_NO_SPACE, KV_FAULT_ONCE);
    submit_atomic(acme, &ticket, writes, 2, "token", "A");
    assert_int_equal(await(&ticket), ST_NO_SPACE);
    assert_null(get(acme, "t", "pk=a"));
    assert_null(get(acme, "t", "pk=b"));
    submit_atomic(acme, &ticket, writes, 2, "token", "A");
    assert_int_equal(await(&ticket), ST_OK);
    assert_false(ticket.request.replayed);
    expect_counts(acme, "t", NULL, 2, 12);
}

/* Counters of commits that failed, of those dropped on top of them and of later ones. */
static void counts_stay_right_through_many_failures(void **state)
{
    static struct crowd crowd;
    struct client *acme = *state;
    int64_t ok_count = 0;

    for (int round = 0; round < 10; round++) {
        kv_fault_arm(fixture.kv, (uint64_t)round % 3 + 1, ST_NO_SPACE, KV_FAULT_ONCE);
        submit_crowd(acme, &crowd);
        ok_count = (int64_t)check_crowd(acme, &crowd);
        expect_healthy(&fixture);
        kv_fault_disarm(fixture.kv);
        for (int i = 0; i < REQUEST_COUNT && ok_count > 0; i++)
            del(acme, "t", (const char *)arena_printf(&acme->arena, "pk=%d", i).p);
        expect_counts(acme, "t", NULL, 0, 0);
    }
    fixture_crash(&fixture);
    expect_counts(&fixture.acme, "t", NULL, 0, 0);
}

/* An engine that is closed while requests wait answers them first. */
static void closing_finishes_what_is_queued(void **state)
{
    static struct crowd crowd;
    struct client late;

    (void)state;
    client_init(&late, &fixture, "acme");
    submit_crowd(&late, &crowd);
    fixture_reopen(&fixture);
    for (int i = 0; i < REQUEST_COUNT; i++)
        assert_int_equal(await(&crowd.tickets[i]), ST_OK);
    client_deinit(&late);
    expect_counts(&fixture.acme, "t", "by_maker", REQUEST_COUNT,
                  10 * 9 + 90 * 10 + (REQUEST_COUNT - 100) * 11);
}

/* Behind a cold cache, writes must read from the disk first: that is the reader pool's work. */
static void writes_to_cold_rows_are_answered(void **state)
{
    static struct crowd crowd;
    struct client *acme = *state;

    submit_crowd(acme, &crowd);
    assert_int_equal(check_crowd(acme, &crowd), REQUEST_COUNT);
    fixture_reopen(&fixture);
    acme = &fixture.acme;
    for (int i = 0; i < REQUEST_COUNT; i++) {
        struct slice key = arena_printf(&acme->arena, "pk=%d", i);

        crowd.writes[i] = update_of(acme, "t", (const char *)key.p, "SET maker = :m", ":m=other");
    }
    submit(acme, &crowd.tickets[0], crowd.writes, REQUEST_COUNT / 2);
    for (int i = REQUEST_COUNT / 2; i < REQUEST_COUNT; i++)
        submit(acme, &crowd.tickets[i], &crowd.writes[i], 1);
    assert_int_equal(await(&crowd.tickets[0]), ST_OK);
    for (int i = REQUEST_COUNT / 2; i < REQUEST_COUNT; i++)
        assert_int_equal(await(&crowd.tickets[i]), ST_OK);
    assert_string_equal(text_of(&acme->arena, crowd.writes[99].old_item), "maker=m pk=99");
    assert_string_equal(get(acme, "t", "pk=399"), "maker=other pk=399");
}

static void closing_waits_for_cold_rows(void **state)
{
    closing_finishes_what_is_queued(state);
    closing_finishes_what_is_queued(state);
}

static void an_engine_on_a_broken_store_does_not_open(void **state)
{
    struct kv *kv = kv_fault_new(kv_open_memory());
    struct dead_set *dead = dead_set_new();
    struct engine_options options = {.store = kv, .dead = dead, .clock = &clock_system};
    struct engine *engine;

    (void)state;
    kv_fault_arm(kv, 1, ST_IO, KV_FAULT_FOR_GOOD);
    assert_int_equal(engine_open(&options, &engine), ST_IO);
    kv_fault_disarm(kv);
    assert_int_equal(engine_open(&options, &engine), ST_OK);
    engine_close(engine);
    kv_close(kv);
    dead_set_free(dead);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
#define TEST_ROCKS(function) cmocka_unit_test_setup_teardown(function, setup_rocks, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failed_commit_takes_its_own_requests_alone),
        TEST(every_request_to_a_broken_store_is_answered),
        TEST(what_rests_on_a_failed_write_fails_too),
        TEST(a_failed_transaction_leaves_nothing),
        TEST(counts_stay_right_through_many_failures),
        TEST(closing_finishes_what_is_queued),
        TEST_ROCKS(closing_waits_for_cold_rows),
        TEST_ROCKS(writes_to_cold_rows_are_answered),
        TEST(an_engine_on_a_broken_store_does_not_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
