/* The failing store fails when told to, changes nothing then, and is transparent otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/kv_fault.h"
#include "store/scope_mint.h"

struct faulty {
    struct kv *kv;
    struct scope *scope;
};

static int setup(void **state)
{
    static struct faulty faulty;

    faulty.kv = kv_fault_new(kv_open_memory());
    faulty.scope = scope_mint(faulty.kv, 1);
    *state = &faulty;
    return 0;
}

static int teardown(void **state)
{
    struct faulty *faulty = *state;

    scope_free(faulty->scope);
    kv_close(faulty->kv);
    return 0;
}

static enum status write_key(const struct faulty *faulty, const char *key)
{
    struct kv_batch *batch = kv_batch_new(faulty->kv);
    enum status status;

    kv_batch_put(batch, faulty->scope, slice_cstr(key), SLICE_LIT("v"));
    status = kv_write(faulty->kv, batch, true);
    kv_batch_free(batch);
    return status;
}

static bool has_key(const struct faulty *faulty, const char *key)
{
    struct kv_value value = {0};
    enum status status = kv_get(faulty->scope, NULL, KV_MAY_BLOCK, slice_cstr(key), &value);

    kv_value_release(&value);
    return status == ST_OK;
}

static void the_nth_write_fails_once(void **state)
{
    kv_fault_arm(((struct faulty *)*state)->kv, 2, ST_IO, KV_FAULT_ONCE);
    assert_int_equal(write_key(*state, "a"), ST_OK);
    assert_int_equal(write_key(*state, "b"), ST_IO);
    assert_int_equal(write_key(*state, "c"), ST_OK);
    assert_true(has_key(*state, "a"));
    assert_false(has_key(*state, "b"));
    assert_true(has_key(*state, "c"));
    assert_int_equal(kv_fault_write_count(((struct faulty *)*state)->kv), 3);
}

static void writes_fail_for_good_until_disarmed(void **state)
{
    struct faulty *faulty = *state;

    kv_fault_arm(faulty->kv, 1, ST_NO_SPACE, KV_FAULT_FOR_GOOD);
    assert_int_equal(write_key(faulty, "a"), ST_NO_SPACE);
    assert_int_equal(write_key(faulty, "a"), ST_NO_SPACE);
    kv_fault_disarm(faulty->kv);
    assert_int_equal(write_key(faulty, "a"), ST_OK);
}

static void snapshots_and_iterators_pass_through(void **state)
{
    struct faulty *faulty = *state;
    struct kv_snapshot *snapshot;
    struct kv_iter *iter;

    assert_int_equal(write_key(faulty, "a"), ST_OK);
    snapshot = kv_snapshot_take(faulty->kv);
    assert_int_equal(write_key(faulty, "b"), ST_OK);
    iter = kv_iter_new(faulty->scope, snapshot, KV_MAY_BLOCK, SLICE_EMPTY, SLICE_EMPTY);
    assert_int_equal(kv_iter_seek_last(iter, SLICE_EMPTY), ST_OK);
    assert_true(slice_is(kv_iter_key(iter), "a"));
    kv_iter_free(iter);
    kv_snapshot_release(faulty->kv, snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_nth_write_fails_once, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_fail_for_good_until_disarmed, setup, teardown),
        cmocka_unit_test_setup_teardown(snapshots_and_iterators_pass_through, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
