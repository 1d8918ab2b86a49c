/* Transactions happen whole or not at all, and a token makes one happen once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/tokens.h"
#include "fixture.h"
#include "model/key.h"

#define MINUTE_MS (60 * 1000)

static struct fixture fixture;

static int setup(void **state)
{
    fixture_init(&fixture, STORE_MEMORY);
    create_table(&fixture.acme, "t", "pk:S");
    create_table(&fixture.acme, "u", "pk:S");
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

static void all_writes_happen(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a n=#1"),
        update_of(acme, "u", "pk=b", "SET n = :n", ":n=#2"),
        delete_of(acme, "t", "pk=c"),
        check_of(acme, "u", "pk=d", "attribute_exists(pk)", NULL),
    };

    put(acme, "t", "pk=c");
    put(acme, "u", "pk=d");
    assert_true(transact(acme, writes, 4));
    assert_string_equal(get(acme, "t", "pk=a"), "n=#1 pk=a");
    assert_string_equal(get(acme, "u", "pk=b"), "n=#2 pk=b");
    assert_null(get(acme, "t", "pk=c"));
    assert_string_equal(get(acme, "u", "pk=d"), "pk=d");
    expect_counts(acme, "t", NULL, 1, 6);
    expect_counts(acme, "u", NULL, 2, 9);
}

/* Each write says whether it was the cause. */
static void one_condition_cancels_all(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a"),
        check_of(acme, "t", "pk=b", "n > :n", ":n=#5"),
        delete_of(acme, "t", "pk=b"),
    };

    put(acme, "t", "pk=b n=#5");
    writes[2] = put_of(acme, "u", "pk=c");
    assert_false(transact(acme, writes, 3));
    assert_int_equal(writes[0].error.code, ERROR_NONE);
    assert_int_equal(writes[1].error.code, ERROR_CONDITIONAL_CHECK);
    assert_string_equal(text_of(&acme->arena, writes[1].old_item), "n=#5 pk=b");
    assert_int_equal(writes[2].error.code, ERROR_NONE);
    assert_null(get(acme, "t", "pk=a"));
    assert_null(get(acme, "u", "pk=c"));
    expect_counts(acme, "t", NULL, 1, 6);
}

static void an_update_that_cannot_apply_cancels_all(void **state)
{
    struct client *acme = *state;
    struct write writes[] = {
        put_of(acme, "t", "pk=a"),
        update_of(acme, "t", "pk=b", "SET n = n + :n", ":n=#5"),
    };

    put(acme, "t", "pk=b n=text");
    assert_false(transact(acme, writes, 2));
    assert_int_equal(writes[1].error.code, ERROR_VALIDATION_DATA);
    assert_null(get(acme, "t", "pk=a"));
}

static void a_hundred_items_move_together(void **state)
{
    struct client *acme = *state;
    struct write writes[100];

    for (int i = 0; i < 100; i++)
        writes[i] =
            put_of(acme, "t", (const char *)arena_printf(&acme->arena, "pk=%d x=*4000", i).p);
    assert_true(transact(acme, writes, 100));
    expect_counts(acme, "t", NULL, 100, 10 * (3 + 4001) + 90 * (4 + 4001));
}

static bool transact_with(struct client *client, struct write *write, const char *token,
                          const char *parameters)
{
    struct ticket ticket;

    submit_atomic(client, &ticket, write, 1, token, parameters);
    assert_int_equal(await(&ticket), ST_OK);
    assert_false(ticket.request.canceled);
    return ticket.request.replayed;
}

static struct write add_one(struct client *client)
{
    return update_of(client, "t", "pk=n", "ADD n :one", ":one=#1");
}

static void a_token_makes_a_transaction_happen_once(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);

    assert_false(transact_with(acme, &write, "token", "A"));
    assert_true(transact_with(acme, &write, "token", "A"));
    assert_false(transact_with(acme, &write, "other", "A"));
    assert_string_equal(get(acme, "t", "pk=n"), "n=#2 pk=n");
    fixture_crash(&fixture);
    write = add_one(acme);
    assert_true(transact_with(acme, &write, "token", "A"));
    assert_string_equal(get(acme, "t", "pk=n"), "n=#2 pk=n");
}

static void a_token_belongs_to_its_tenant(void **state)
{
    struct client *acme = *state;
    struct write ours = add_one(acme), theirs;

    create_table(&fixture.beta, "t", "pk:S");
    theirs = add_one(&fixture.beta);
    assert_false(transact_with(acme, &ours, "token", "A"));
    assert_false(transact_with(&fixture.beta, &theirs, "token", "B"));
}

static void a_token_with_other_parameters_is_refused(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);
    struct ticket ticket;

    assert_false(transact_with(acme, &write, "token", "A"));
    submit_atomic(acme, &ticket, &write, 1, "token", "B");
    assert_int_equal(await(&ticket), ST_REFUSED);
    assert_int_equal(ticket.request.error.code, ERROR_IDEMPOTENT_MISMATCH);
    assert_string_equal(get(acme, "t", "pk=n"), "n=#1 pk=n");
}

/* What was cancelled may be tried again under its token. */
static void a_cancelled_transaction_uses_no_token_up(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);
    struct ticket ticket;

    write_when(acme, &write, "attribute_exists(pk)", NULL);
    submit_atomic(acme, &ticket, &write, 1, "token", "A");
    assert_int_equal(await(&ticket), ST_OK);
    assert_true(ticket.request.canceled);
    put(acme, "t", "pk=n n=#5");
    assert_false(transact_with(acme, &write, "token", "A"));
    assert_string_equal(get(acme, "t", "pk=n"), "n=#6 pk=n");
}

/* Both stand in the queue before either is answered. */
static void twins_in_flight_happen_once(void **state)
{
    struct client *acme = *state;
    struct write writes[2] = {add_one(acme), add_one(acme)};
    struct ticket tickets[2];

    submit_atomic(acme, &tickets[0], &writes[0], 1, "token", "A");
    submit_atomic(acme, &tickets[1], &writes[1], 1, "token", "A");
    assert_int_equal(await(&tickets[0]), ST_OK);
    assert_int_equal(await(&tickets[1]), ST_OK);
    assert_false(tickets[0].request.replayed);
    assert_true(tickets[1].request.replayed);
    assert_string_equal(get(acme, "t", "pk=n"), "n=#1 pk=n");
}

static size_t count_rows(const struct scope *scope, enum key_space space)
{
    struct key lower, upper;
    struct kv_iter *iter;
    size_t count = 0;

    key_begin(&lower, space);
    upper = lower;
    assert_true(key_make_upper_bound(&upper));
    iter = kv_iter_new(scope, NULL, KV_MAY_BLOCK, key_slice(&lower), key_slice(&upper));
    for (enum status s = kv_iter_seek(iter, SLICE_EMPTY); s == ST_OK; s = kv_iter_next(iter))
        count++;
    kv_iter_free(iter);
    return count;
}

static size_t count_timers(void)
{
    return count_rows(registry_system_scope(engine_registry(fixture.engine)), KEY_SPACE_TIMER);
}

/* The committer sweeps when it next looks at the clock, a second later at most. */
static void await_timers(size_t count)
{
    while (count_timers() != count)
        continue;
}

static void a_token_expires_after_ten_minutes(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);

    assert_false(transact_with(acme, &write, "token", "A"));
    clock_fake_advance(&fixture.clock, TOKEN_LIFE_MS - 1);
    assert_true(transact_with(acme, &write, "token", "A"));
    clock_fake_advance(&fixture.clock, 1);
    assert_false(transact_with(acme, &write, "token", "A"));
    assert_true(transact_with(acme, &write, "token", "A"));
    assert_string_equal(get(acme, "t", "pk=n"), "n=#2 pk=n");
}

static void a_sweep_forgets_what_has_expired(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);

    assert_false(transact_with(acme, &write, "early", "A"));
    clock_fake_advance(&fixture.clock, 5 * MINUTE_MS);
    assert_false(transact_with(acme, &write, "late", "A"));
    assert_int_equal(count_rows(acme->scope, KEY_SPACE_TOKEN), 2);
    clock_fake_advance(&fixture.clock, 6 * MINUTE_MS);
    await_timers(1);
    assert_int_equal(count_rows(acme->scope, KEY_SPACE_TOKEN), 1);
    assert_true(transact_with(acme, &write, "late", "A"));
    clock_fake_advance(&fixture.clock, 5 * MINUTE_MS);
    await_timers(0);
    assert_int_equal(count_rows(acme->scope, KEY_SPACE_TOKEN), 0);
}

/* The first timer of a token that was used again must not take the second use with it. */
static void a_sweep_keeps_a_token_that_was_used_again(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);

    assert_false(transact_with(acme, &write, "token", "A"));
    clock_fake_advance(&fixture.clock, TOKEN_LIFE_MS + 1);
    assert_false(transact_with(acme, &write, "token", "B"));
    clock_fake_advance(&fixture.clock, 2 * MINUTE_MS);
    await_timers(1);
    assert_true(transact_with(acme, &write, "token", "B"));
}

/* More than one sweep takes. */
static void sweeps_go_on_until_all_is_forgotten(void **state)
{
    struct client *acme = *state;
    struct write write = add_one(acme);

    for (int i = 0; i < 450; i++)
        assert_false(transact_with(acme, &write,
                                   (const char *)arena_printf(&acme->arena, "token-%d", i).p, "A"));
    clock_fake_advance(&fixture.clock, TOKEN_LIFE_MS + MINUTE_MS);
    while (count_timers() > 0)
        clock_fake_advance(&fixture.clock, 1);
    assert_int_equal(count_rows(acme->scope, KEY_SPACE_TOKEN), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_writes_happen),
        TEST(one_condition_cancels_all),
        TEST(an_update_that_cannot_apply_cancels_all),
        TEST(a_hundred_items_move_together),
        TEST(a_token_makes_a_transaction_happen_once),
        TEST(a_token_belongs_to_its_tenant),
        TEST(a_token_with_other_parameters_is_refused),
        TEST(a_cancelled_transaction_uses_no_token_up),
        TEST(twins_in_flight_happen_once),
        TEST(a_token_expires_after_ten_minutes),
        TEST(a_sweep_forgets_what_has_expired),
        TEST(a_sweep_keeps_a_token_that_was_used_again),
        TEST(sweeps_go_on_until_all_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
