/*
 * Random work on a store and on a sorted array beside it: whatever a reader can ask, both answer
 * alike. Set ROWHOUSE_SEED to repeat a failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/encode.h"
#include "base/random.h"
#include "fixture.h"

#define ROUNDS 600
#define KEYS_MAX 512
#define KEY_SIZE_MAX 3
#define TENANTS 3

/* A key of few bytes out of few values, so that bounds and keys often meet. */
struct short_key {
    size_t n;
    uint8_t bytes[KEY_SIZE_MAX];
};

struct row {
    struct short_key key;
    uint64_t value;
};

/* One tenant's rows, sorted. */
struct model {
    size_t count;
    struct row rows[KEYS_MAX];
};

struct world {
    uint64_t seed;
    struct fixture fixture;
    struct scope *scopes[TENANTS];
    struct model models[TENANTS];
};

static struct slice key_of(const struct short_key *key)
{
    return slice_of(key->bytes, key->n);
}

static uint64_t pick(struct world *world, uint64_t below)
{
    return random_seeded_next(&world->seed) % below;
}

static struct short_key pick_key(struct world *world, size_t size_min)
{
    static const uint8_t letters[] = {0x00, 0x01, 'a', 'b', 0xfe, 0xff};
    struct short_key key = {.n = size_min + pick(world, KEY_SIZE_MAX + 1 - size_min)};

    for (size_t i = 0; i < key.n; i++)
        key.bytes[i] = letters[pick(world, sizeof(letters))];
    return key;
}

/* Index of the first row >= key. */
static size_t model_find(const struct model *model, struct slice key)
{
    size_t at = 0;

    while (at < model->count && slice_compare(key_of(&model->rows[at].key), key) < 0)
        at++;
    return at;
}

static bool model_has(const struct model *model, size_t at, struct slice key)
{
    return at < model->count && slice_equal(key_of(&model->rows[at].key), key);
}

static void model_put(struct model *model, struct short_key key, uint64_t value)
{
    size_t at = model_find(model, key_of(&key));

    if (!model_has(model, at, key_of(&key))) {
        assert_true(model->count < KEYS_MAX);
        memmove(model->rows + at + 1, model->rows + at,
                (model->count - at) * sizeof(model->rows[0]));
        model->count++;
    }
    model->rows[at] = (struct row){key, value};
}

static void model_remove(struct model *model, struct short_key key)
{
    size_t at = model_find(model, key_of(&key));

    if (!model_has(model, at, key_of(&key)))
        return;
    model->count--;
    memmove(model->rows + at, model->rows + at + 1, (model->count - at) * sizeof(model->rows[0]));
}

static void write_some(struct world *world)
{
    struct kv_batch *batch = kv_batch_new(world->fixture.kv);

    for (uint64_t left = 1 + pick(world, 8); left > 0; left--) {
        uint64_t tenant = pick(world, TENANTS);
        struct short_key key = pick_key(world, 0);
        uint64_t value = random_seeded_next(&world->seed);
        uint8_t bytes[8];

        put_le64(bytes, value);
        if (pick(world, 3) > 0) {
            kv_batch_put(batch, world->scopes[tenant], key_of(&key), slice_of(bytes, 8));
            model_put(&world->models[tenant], key, value);
        } else {
            kv_batch_delete(batch, world->scopes[tenant], key_of(&key));
            model_remove(&world->models[tenant], key);
        }
    }
    assert_int_equal(kv_write(world->fixture.kv, batch, false), ST_OK);
    kv_batch_free(batch);
}

static void check_get(struct world *world, uint64_t tenant, const struct model *model,
                      const struct kv_snapshot *snapshot)
{
    struct short_key key = pick_key(world, 0);
    size_t at = model_find(model, key_of(&key));
    struct kv_value found = {0};
    enum status status =
        kv_get(world->scopes[tenant], snapshot, KV_MAY_BLOCK, key_of(&key), &found);

    assert_int_equal(status, model_has(model, at, key_of(&key)) ? ST_OK : ST_NOT_FOUND);
    if (status == ST_OK)
        assert_int_equal(get_le64(found.bytes.p), model->rows[at].value);
    kv_value_release(&found);
}

/* The rows that an iterator may see, and where in them it stands: in [first, end), or outside. */
struct cursor {
    const struct model *model;
    ptrdiff_t first;
    ptrdiff_t end;
    ptrdiff_t at;
};

static void check_place(const struct cursor *cursor, const struct kv_iter *iter, enum status status)
{
    bool inside = cursor->at >= cursor->first && cursor->at < cursor->end;

    assert_int_equal(status, inside ? ST_OK : ST_NOT_FOUND);
    if (!inside)
        return;
    assert_true(slice_equal(kv_iter_key(iter), key_of(&cursor->model->rows[cursor->at].key)));
    assert_int_equal(get_le64(kv_iter_value(iter).p), cursor->model->rows[cursor->at].value);
}

/* Steps until the end, turning round now and then. */
static void check_steps(struct world *world, struct cursor *cursor, struct kv_iter *iter,
                        enum status status)
{
    bool forward = pick(world, 2) == 0;

    for (int left = 40; status == ST_OK && left > 0; left--) {
        if (pick(world, 5) == 0)
            forward = !forward;
        cursor->at += forward ? 1 : -1;
        status = forward ? kv_iter_next(iter) : kv_iter_previous(iter);
        check_place(cursor, iter, status);
    }
}

static void check_seek(struct world *world, struct cursor *cursor, struct kv_iter *iter)
{
    struct short_key key = pick_key(world, 0);
    ptrdiff_t found = (ptrdiff_t)model_find(cursor->model, key_of(&key));
    enum status status;

    if (pick(world, 2) == 0) {
        cursor->at = key.n == 0 || found < cursor->first ? cursor->first : found;
        status = kv_iter_seek(iter, key_of(&key));
    } else {
        if (!model_has(cursor->model, (size_t)found, key_of(&key)))
            found--;
        cursor->at = key.n == 0 || found >= cursor->end ? cursor->end - 1 : found;
        status = kv_iter_seek_last(iter, key_of(&key));
    }
    check_place(cursor, iter, status);
    check_steps(world, cursor, iter, status);
}

static void check_iterator(struct world *world, uint64_t tenant, const struct model *model,
                           const struct kv_snapshot *snapshot)
{
    struct short_key lower = pick_key(world, 0);
    struct short_key upper = pick_key(world, 0);
    struct cursor cursor = {.model = model};
    struct kv_iter *iter =
        kv_iter_new(world->scopes[tenant], snapshot, KV_MAY_BLOCK, key_of(&lower), key_of(&upper));

    cursor.first = (ptrdiff_t)model_find(model, key_of(&lower));
    cursor.end =
        upper.n == 0 ? (ptrdiff_t)model->count : (ptrdiff_t)model_find(model, key_of(&upper));
    if (cursor.end < cursor.first)
        cursor.end = cursor.first;
    for (int i = 0; i < 4; i++)
        check_seek(world, &cursor, iter);
    kv_iter_free(iter);
}

static void check_round(struct world *world)
{
    uint64_t tenant = pick(world, TENANTS);
    struct model before = world->models[tenant];
    struct kv_snapshot *snapshot = kv_snapshot_take(world->fixture.kv);

    write_some(world);
    for (int i = 0; i < 4; i++) {
        check_get(world, tenant, &world->models[tenant], NULL);
        check_get(world, tenant, &before, snapshot);
    }
    check_iterator(world, tenant, &world->models[tenant], NULL);
    check_iterator(world, tenant, &before, snapshot);
    kv_snapshot_release(world->fixture.kv, snapshot);
}

static uint64_t choose_seed(void)
{
    const char *text = getenv("ROWHOUSE_SEED");
    uint64_t seed;

    if (text != NULL)
        return strtoull(text, NULL, 0);
    random_bytes(&seed, sizeof(seed));
    return seed;
}

static void check_store(enum store_kind kind)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->seed = choose_seed();
    print_message("ROWHOUSE_SEED=0x%llx\n", (unsigned long long)world->seed);
    fixture_init(&world->fixture, kind);
    for (uint64_t i = 0; i < TENANTS; i++)
        world->scopes[i] = scope_mint(world->fixture.kv, 0xfe + i);
    for (int round = 0; round < ROUNDS; round++)
        check_round(world);
    for (size_t i = 0; i < TENANTS; i++)
        scope_free(world->scopes[i]);
    fixture_deinit(&world->fixture);
    free(world);
}

static void memory_answers_like_a_sorted_array(void **state)
{
    (void)state;
    check_store(STORE_MEMORY);
}

static void rocks_answers_like_a_sorted_array(void **state)
{
    (void)state;
    if (STORE_KIND_COUNT <= STORE_ROCKS)
        skip();
    check_store(STORE_ROCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_answers_like_a_sorted_array),
        cmocka_unit_test(rocks_answers_like_a_sorted_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
