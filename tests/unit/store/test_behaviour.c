/* What every store promises, run against each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

#define assert_text(slice, text) assert_true(slice_is((slice), (text)))

static enum store_kind tested_kind;

static int setup(void **state)
{
    static struct fixture fixture;

    fixture_init(&fixture, tested_kind);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    fixture_deinit(*state);
    return 0;
}

static void put_letters(const struct fixture *fixture, const struct scope *scope, const char *keys)
{
    for (; *keys != '\0'; keys++)
        put(fixture->kv, scope, (const char[]){*keys, '\0'}, (const char[]){'v', *keys, '\0'});
}

static struct kv_iter *iterate(const struct fixture *fixture, const char *lower, const char *upper)
{
    return kv_iter_new(fixture->scope, NULL, KV_MAY_BLOCK, slice_cstr(lower), slice_cstr(upper));
}

static void a_value_is_read_replaced_and_deleted(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture->scope, "k", NULL);
    put(fixture->kv, fixture->scope, "k", "one");
    expect(fixture->scope, "k", "one");
    put(fixture->kv, fixture->scope, "k", "two");
    expect(fixture->scope, "k", "two");
    del(fixture->kv, fixture->scope, "k");
    expect(fixture->scope, "k", NULL);
    del(fixture->kv, fixture->scope, "k");
    expect(fixture->scope, "k", NULL);
}

static void empty_values_and_bytes_of_any_kind_are_kept(void **state)
{
    struct fixture *fixture = *state;
    struct slice key = SLICE_LIT("\0\xff\0");
    struct slice value = SLICE_LIT("\0\0v\0");
    struct kv_value found = {0};
    struct kv_batch *batch = kv_batch_new(fixture->kv);

    put(fixture->kv, fixture->scope, "empty", "");
    expect(fixture->scope, "empty", "");
    kv_batch_put(batch, fixture->scope, key, value);
    assert_int_equal(kv_write(fixture->kv, batch, true), ST_OK);
    assert_int_equal(kv_get(fixture->scope, NULL, KV_NO_BLOCK, key, &found), ST_OK);
    assert_true(slice_equal(found.bytes, value));
    kv_value_release(&found);
    kv_value_release(&found);
    kv_batch_free(batch);
}

static void a_pinned_value_outlives_its_deletion(void **state)
{
    struct fixture *fixture = *state;
    struct kv_value found = {0};

    put(fixture->kv, fixture->scope, "k", "still here");
    assert_int_equal(kv_get(fixture->scope, NULL, KV_MAY_BLOCK, SLICE_LIT("k"), &found), ST_OK);
    del(fixture->kv, fixture->scope, "k");
    assert_text(found.bytes, "still here");
    kv_value_release(&found);
    assert_null(found.bytes.p);
}

static void a_batch_shows_at_once_and_its_last_entry_wins(void **state)
{
    struct fixture *fixture = *state;
    struct kv_batch *batch = kv_batch_new(fixture->kv);

    put(fixture->kv, fixture->scope, "gone", "x");
    kv_batch_put(batch, fixture->scope, SLICE_LIT("k"), SLICE_LIT("first"));
    kv_batch_delete(batch, fixture->scope, SLICE_LIT("k"));
    kv_batch_put(batch, fixture->scope, SLICE_LIT("k"), SLICE_LIT("last"));
    kv_batch_put(batch, fixture->scope, SLICE_LIT("gone"), SLICE_LIT("y"));
    kv_batch_delete(batch, fixture->scope, SLICE_LIT("gone"));
    assert_int_equal(kv_batch_count(batch), 5);
    assert_true(kv_batch_size_bytes(batch) >= 5 * 8 + 3 + 8 + 5 + 4 + 1);
    expect(fixture->scope, "k", NULL);
    expect(fixture->scope, "gone", "x");
    assert_int_equal(kv_write(fixture->kv, batch, true), ST_OK);
    expect(fixture->scope, "k", "last");
    expect(fixture->scope, "gone", NULL);
    kv_batch_free(batch);
}

static void a_cleared_batch_writes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct kv_batch *batch = kv_batch_new(fixture->kv);

    kv_batch_put(batch, fixture->scope, SLICE_LIT("k"), SLICE_LIT("v"));
    kv_batch_clear(batch);
    assert_int_equal(kv_batch_count(batch), 0);
    assert_int_equal(kv_batch_size_bytes(batch), 0);
    assert_int_equal(kv_write(fixture->kv, batch, false), ST_OK);
    expect(fixture->scope, "k", NULL);
    kv_batch_free(batch);
}

static void a_batch_may_be_written_again(void **state)
{
    struct fixture *fixture = *state;
    struct kv_batch *batch = kv_batch_new(fixture->kv);

    kv_batch_put(batch, fixture->scope, SLICE_LIT("k"), SLICE_LIT("v"));
    assert_int_equal(kv_write(fixture->kv, batch, false), ST_OK);
    del(fixture->kv, fixture->scope, "k");
    assert_int_equal(kv_write(fixture->kv, batch, false), ST_OK);
    expect(fixture->scope, "k", "v");
    kv_batch_free(batch);
}

static void iterators_walk_both_ways(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter;

    put_letters(fixture, fixture->scope, "dbeac");
    iter = iterate(fixture, "", "");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), "a b c d e");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_EMPTY)), "e d c b a");
    assert_int_equal(kv_iter_seek(iter, SLICE_LIT("c")), ST_OK);
    assert_text(kv_iter_value(iter), "vc");
    assert_int_equal(kv_iter_next(iter), ST_OK);
    assert_text(kv_iter_key(iter), "d");
    assert_int_equal(kv_iter_previous(iter), ST_OK);
    assert_int_equal(kv_iter_previous(iter), ST_OK);
    assert_text(kv_iter_key(iter), "b");
    assert_int_equal(kv_iter_next(iter), ST_OK);
    assert_text(kv_iter_key(iter), "c");
    kv_iter_free(iter);
}

static void seeks_find_the_neighbour(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter;

    put_letters(fixture, fixture->scope, "bdf");
    iter = iterate(fixture, "", "");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("c"))), "d f");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("d"))), "d f");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("d\0"))), "f");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("c"))), "b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("d"))), "d b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("d\0"))), "d b");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("g"))), "");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("a"))), "");
    kv_iter_free(iter);
}

static void bounds_hold_for_steps_and_seeks(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter;

    put_letters(fixture, fixture->scope, "abcdef");
    iter = iterate(fixture, "b", "e");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), "b c d");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("a"))), "b c d");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("e"))), "");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_LIT("f"))), "");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_EMPTY)), "d c b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("e"))), "d c b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("z"))), "d c b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("b"))), "b");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("a"))), "");
    kv_iter_free(iter);
}

static void an_empty_range_holds_nothing(void **state)
{
    struct fixture *fixture = *state;
    const char *bounds[][2] = {{"c", "c"}, {"d", "b"}, {"bb", "bc"}};

    put_letters(fixture, fixture->scope, "abcdef");
    for (size_t i = 0; i < 3; i++) {
        struct kv_iter *iter = iterate(fixture, bounds[i][0], bounds[i][1]);

        assert_int_equal(kv_iter_seek(iter, SLICE_EMPTY), ST_NOT_FOUND);
        assert_int_equal(kv_iter_seek(iter, SLICE_LIT("c")), ST_NOT_FOUND);
        assert_int_equal(kv_iter_seek_last(iter, SLICE_EMPTY), ST_NOT_FOUND);
        assert_int_equal(kv_iter_seek_last(iter, SLICE_LIT("c")), ST_NOT_FOUND);
        kv_iter_free(iter);
    }
}

static void an_iterator_at_its_end_stays_there(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter = iterate(fixture, "", "");

    assert_int_equal(kv_iter_next(iter), ST_NOT_FOUND);
    assert_int_equal(kv_iter_previous(iter), ST_NOT_FOUND);
    kv_iter_free(iter);
    put_letters(fixture, fixture->scope, "a");
    iter = iterate(fixture, "", "");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), "a");
    assert_int_equal(kv_iter_next(iter), ST_NOT_FOUND);
    assert_int_equal(kv_iter_previous(iter), ST_NOT_FOUND);
    assert_int_equal(kv_iter_seek(iter, SLICE_EMPTY), ST_OK);
    kv_iter_free(iter);
}

static void a_slice_ends_after_its_highest_keys(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter;

    put(fixture->kv, fixture->scope, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "v");
    put(fixture->kv, fixture->scope, "\xff", "v");
    iter = iterate(fixture, "", "");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)),
                "\xff \xff\xff\xff\xff\xff\xff\xff\xff\xff");
    assert_text(keys_backward(iter, kv_iter_seek_last(iter, SLICE_LIT("\xff"))), "\xff");
    kv_iter_free(iter);
    iter = iterate(fixture, "\xff", "\xff\xff");
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), "\xff");
    kv_iter_free(iter);
}

static void check_neighbours(const struct fixture *fixture, uint64_t tenant_number)
{
    static const char *values[] = {"below", "own", "above"};
    struct scope *scopes[3];
    struct kv_iter *iter;

    for (uint64_t i = 0; i < 3; i++) {
        scopes[i] = scope_mint(fixture->kv, tenant_number + i);
        put(fixture->kv, scopes[i], "k", values[i]);
        put(fixture->kv, scopes[i], "\xff\xff", values[i]);
        put(fixture->kv, scopes[i], "", values[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        expect(scopes[i], "k", values[i]);
        iter = kv_iter_new(scopes[i], NULL, KV_MAY_BLOCK, SLICE_EMPTY, SLICE_EMPTY);
        assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), " k \xff\xff");
        assert_int_equal(kv_iter_seek_last(iter, SLICE_LIT("\xff\xff\xff")), ST_OK);
        assert_text(kv_iter_value(iter), values[i]);
        kv_iter_free(iter);
    }
    del(fixture->kv, scopes[1], "k");
    expect(scopes[0], "k", "below");
    expect(scopes[1], "k", NULL);
    expect(scopes[2], "k", "above");
    for (size_t i = 0; i < 3; i++)
        scope_free(scopes[i]);
}

static void neighbouring_tenants_do_not_see_each_other(void **state)
{
    check_neighbours(*state, 0);
    check_neighbours(*state, 0xfe);
    check_neighbours(*state, 0xfffffffffffffffe - 2);
    check_neighbours(*state, 0x00ffffffffffffff - 1);
}

static void scopes_of_one_tenant_and_store_are_the_same(void **state)
{
    struct fixture *fixture = *state;
    struct scope *twin = scope_mint(fixture->kv, scope_tenant_number(fixture->scope));
    struct scope *other = scope_mint(fixture->kv, scope_tenant_number(fixture->scope) + 1);

    assert_true(scope_same(fixture->scope, twin));
    assert_false(scope_same(fixture->scope, other));
    assert_ptr_equal(scope_store(twin), fixture->kv);
    put(fixture->kv, fixture->scope, "k", "v");
    expect(twin, "k", "v");
    scope_free(twin);
    scope_free(other);
}

static void a_snapshot_does_not_move(void **state)
{
    struct fixture *fixture = *state;
    struct kv_snapshot *snapshot;
    struct kv_value found = {0};
    struct kv_iter *iter;

    put_letters(fixture, fixture->scope, "ab");
    snapshot = kv_snapshot_take(fixture->kv);
    del(fixture->kv, fixture->scope, "a");
    put(fixture->kv, fixture->scope, "b", "changed");
    put_letters(fixture, fixture->scope, "c");
    assert_int_equal(kv_get(fixture->scope, snapshot, KV_NO_BLOCK, SLICE_LIT("b"), &found), ST_OK);
    assert_text(found.bytes, "vb");
    kv_value_release(&found);
    assert_int_equal(kv_get(fixture->scope, snapshot, KV_MAY_BLOCK, SLICE_LIT("c"), &found),
                     ST_NOT_FOUND);
    iter = kv_iter_new(fixture->scope, snapshot, KV_MAY_BLOCK, SLICE_EMPTY, SLICE_EMPTY);
    assert_text(keys_forward(iter, kv_iter_seek(iter, SLICE_EMPTY)), "a b");
    kv_iter_free(iter);
    kv_snapshot_release(fixture->kv, snapshot);
    expect(fixture->scope, "a", NULL);
    expect(fixture->scope, "b", "changed");
}

static void an_iterator_sees_the_moment_it_was_made(void **state)
{
    struct fixture *fixture = *state;
    struct kv_iter *iter;

    put_letters(fixture, fixture->scope, "ac");
    iter = iterate(fixture, "", "");
    assert_int_equal(kv_iter_seek(iter, SLICE_EMPTY), ST_OK);
    put_letters(fixture, fixture->scope, "b");
    del(fixture->kv, fixture->scope, "c");
    assert_text(kv_iter_value(iter), "va");
    assert_text(keys_forward(iter, kv_iter_next(iter)), "c");
    kv_iter_free(iter);
}

static void keys_of_the_largest_size_are_kept(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t bytes[12288];
    struct slice key = slice_of(bytes, sizeof(bytes));
    struct kv_value found = {0};
    struct kv_batch *batch = kv_batch_new(fixture->kv);
    struct kv_iter *iter;

    memset(bytes, 0xff, sizeof(bytes));
    kv_batch_put(batch, fixture->scope, key, key);
    assert_int_equal(kv_write(fixture->kv, batch, false), ST_OK);
    assert_int_equal(kv_get(fixture->scope, NULL, KV_MAY_BLOCK, key, &found), ST_OK);
    assert_true(slice_equal(found.bytes, key));
    kv_value_release(&found);
    iter = kv_iter_new(fixture->scope, NULL, KV_MAY_BLOCK, key, SLICE_EMPTY);
    assert_int_equal(kv_iter_seek_last(iter, key), ST_OK);
    assert_true(slice_equal(kv_iter_key(iter), key));
    kv_iter_free(iter);
    kv_batch_free(batch);
}

#define BEHAVIOUR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest behaviours[] = {
    BEHAVIOUR(a_value_is_read_replaced_and_deleted),
    BEHAVIOUR(empty_values_and_bytes_of_any_kind_are_kept),
    BEHAVIOUR(a_pinned_value_outlives_its_deletion),
    BEHAVIOUR(a_batch_shows_at_once_and_its_last_entry_wins),
    BEHAVIOUR(a_cleared_batch_writes_nothing),
    BEHAVIOUR(a_batch_may_be_written_again),
    BEHAVIOUR(iterators_walk_both_ways),
    BEHAVIOUR(seeks_find_the_neighbour),
    BEHAVIOUR(bounds_hold_for_steps_and_seeks),
    BEHAVIOUR(an_empty_range_holds_nothing),
    BEHAVIOUR(an_iterator_at_its_end_stays_there),
    BEHAVIOUR(a_slice_ends_after_its_highest_keys),
    BEHAVIOUR(neighbouring_tenants_do_not_see_each_other),
    BEHAVIOUR(scopes_of_one_tenant_and_store_are_the_same),
    BEHAVIOUR(a_snapshot_does_not_move),
    BEHAVIOUR(an_iterator_sees_the_moment_it_was_made),
    BEHAVIOUR(keys_of_the_largest_size_are_kept),
};

int main(void)
{
    static const char *names[] = {[STORE_MEMORY] = "memory", [STORE_ROCKS] = "rocks"};
    int failures = 0;

    for (int kind = 0; kind < STORE_KIND_COUNT; kind++) {
        tested_kind = (enum store_kind)kind;
        failures += cmocka_run_group_tests_name(names[kind], behaviours, NULL, NULL);
    }
    return failures;
}
