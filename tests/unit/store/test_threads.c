/*
 * Readers beside a writer on the memory store. Every commit writes the same number under all keys
 * of a tenant, so a reader that sees two numbers at one point in time saw half a batch.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/encode.h"
#include "store/kv.h"
#include "store/scope_mint.h"

#define READERS 4
#define KEYS 16
#define COMMITS 2000

struct shared {
    struct kv *kv;
    struct scope *scope;
    atomic_bool done;
};

static void commit(struct shared *shared, uint64_t number)
{
    struct kv_batch *batch = kv_batch_new(shared->kv);
    uint8_t value[8];

    put_le64(value, number);
    for (uint8_t key = 0; key < KEYS; key++) {
        kv_batch_delete(batch, shared->scope, slice_of(&key, 1));
        kv_batch_put(batch, shared->scope, slice_of(&key, 1), slice_of(value, 8));
    }
    CHECK(kv_write(shared->kv, batch, true) == ST_OK);
    kv_batch_free(batch);
}

static uint64_t read_one(const struct shared *shared, const struct kv_snapshot *snapshot,
                         uint8_t key)
{
    struct kv_value value = {0};
    uint64_t number;

    CHECK(kv_get(shared->scope, snapshot, KV_NO_BLOCK, slice_of(&key, 1), &value) == ST_OK);
    number = get_le64(value.bytes.p);
    kv_value_release(&value);
    return number;
}

/* The number that a whole scan saw. */
static uint64_t read_all(const struct shared *shared, const struct kv_snapshot *snapshot)
{
    struct kv_iter *iter =
        kv_iter_new(shared->scope, snapshot, KV_NO_BLOCK, SLICE_EMPTY, SLICE_EMPTY);
    enum status status = kv_iter_seek(iter, SLICE_EMPTY);
    uint64_t number;
    int count = 0;

    CHECK(status == ST_OK);
    number = get_le64(kv_iter_value(iter).p);
    for (; status == ST_OK; status = kv_iter_next(iter), count++)
        CHECK(get_le64(kv_iter_value(iter).p) == number);
    CHECK(count == KEYS);
    kv_iter_free(iter);
    return number;
}

static void *read_until_done(void *argument)
{
    struct shared *shared = argument;
    uint64_t last = 0;

    while (!atomic_load(&shared->done)) {
        struct kv_snapshot *snapshot = kv_snapshot_take(shared->kv);
        uint64_t number = read_one(shared, snapshot, 0);

        CHECK(number >= last);
        CHECK(read_one(shared, snapshot, KEYS - 1) == number);
        CHECK(read_all(shared, snapshot) == number);
        last = read_all(shared, NULL);
        CHECK(last >= number);
        kv_snapshot_release(shared->kv, snapshot);
    }
    return NULL;
}

static void readers_see_whole_batches_in_order(void **state)
{
    struct shared shared = {.kv = kv_open_memory()};
    pthread_t readers[READERS];

    (void)state;
    shared.scope = scope_mint(shared.kv, 1);
    commit(&shared, 1);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_until_done, &shared), 0);
    for (uint64_t number = 2; number <= COMMITS; number++)
        commit(&shared, number);
    atomic_store(&shared.done, true);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(read_all(&shared, NULL), COMMITS);
    scope_free(shared.scope);
    kv_close(shared.kv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_whole_batches_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
