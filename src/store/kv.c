/*
 * The front of every store: turns a scope and a key into a physical key and back.
 *
 *   physical key   tenant(8, BE) | key
 *   slice          from tenant(8) to tenant + 1 (8), exclusive
 *
 *  1. Every key passed on begins with the prefix of the scope it came with.
 *  2. An iterator's bounds lie within its slice, so that no seek or step can leave it.
 *  3. A batch or a snapshot is used with the store that made it alone.
 *
 * Physical keys are built on the stack: no call here allocates.
 */
#include "store/kv.h"

#include "base/check.h"
#include "base/encode.h"
#include "store/kv_impl.h"

struct physical_key {
    size_t n;
    uint8_t bytes[PHYSICAL_KEY_SIZE_BYTES_MAX];
};

static struct slice physical_slice(const struct physical_key *physical)
{
    return slice_of(physical->bytes, physical->n);
}

static void add_key(struct physical_key *physical, struct slice key)
{
    CHECK(key.n <= KEY_SIZE_BYTES_MAX);
    if (key.n > 0)
        memcpy(physical->bytes + TENANT_PREFIX_SIZE_BYTES, key.p, key.n);
    physical->n = TENANT_PREFIX_SIZE_BYTES + key.n;
}

static void make_physical(struct physical_key *physical, const struct scope *scope,
                          struct slice key)
{
    put_be64(physical->bytes, scope_tenant_number(scope));
    add_key(physical, key);
}

static void make_upper(struct physical_key *physical, const struct scope *scope, struct slice upper)
{
    if (upper.n > 0) {
        make_physical(physical, scope, upper);
        return;
    }
    put_be64(physical->bytes, scope_tenant_number(scope) + 1);
    physical->n = TENANT_PREFIX_SIZE_BYTES;
}

void kv_close(struct kv *kv)
{
    kv->ops->close(kv);
}

void kv_value_release(struct kv_value *value)
{
    if (value->unpin != NULL)
        value->unpin(value->pin);
    *value = (struct kv_value){0};
}

enum status kv_get(const struct scope *scope, const struct kv_snapshot *snapshot, enum kv_mode mode,
                   struct slice key, struct kv_value *ret_value)
{
    struct kv *kv = scope_store(scope);
    struct physical_key physical;

    CHECK(snapshot == NULL || snapshot->kv == kv); /* invariant 3 */
    make_physical(&physical, scope, key);
    return kv->ops->get(kv, snapshot, mode, physical_slice(&physical), ret_value);
}

struct kv_snapshot *kv_snapshot_take(struct kv *kv)
{
    struct kv_snapshot *snapshot = kv->ops->snapshot_take(kv);

    snapshot->kv = kv;
    return snapshot;
}

void kv_snapshot_release(struct kv *kv, struct kv_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    CHECK(snapshot->kv == kv); /* invariant 3 */
    kv->ops->snapshot_release(kv, snapshot);
}

struct kv_iter *kv_iter_new(const struct scope *scope, const struct kv_snapshot *snapshot,
                            enum kv_mode mode, struct slice lower, struct slice upper)
{
    struct kv *kv = scope_store(scope);
    struct physical_key physical_lower;
    struct physical_key physical_upper;
    struct kv_iter *iter;

    CHECK(snapshot == NULL || snapshot->kv == kv); /* invariant 3 */
    make_physical(&physical_lower, scope, lower);
    make_upper(&physical_upper, scope, upper);
    if (slice_compare(physical_slice(&physical_lower), physical_slice(&physical_upper)) > 0)
        physical_upper = physical_lower;
    iter = kv->ops->iter_new(kv, snapshot, mode, physical_slice(&physical_lower),
                             physical_slice(&physical_upper));
    iter->key = SLICE_EMPTY;
    iter->value = SLICE_EMPTY;
    return iter;
}

struct kv_iter *kv_iter_new_prefix(const struct scope *scope, const struct kv_snapshot *snapshot,
                                   const struct key *prefix)
{
    struct key upper = *prefix;

    CHECK(key_make_upper_bound(&upper));
    return kv_iter_new(scope, snapshot, KV_MAY_BLOCK, key_slice(prefix), key_slice(&upper));
}

void kv_iter_free(struct kv_iter *iter)
{
    if (iter != NULL)
        iter->ops->free(iter);
}

/* The target of a seek, moved into the iterator's bounds (invariant 2). */
static struct slice make_target(struct physical_key *physical, const struct kv_iter *iter,
                                struct slice key)
{
    struct slice target;

    memcpy(physical->bytes, iter->lower.p, TENANT_PREFIX_SIZE_BYTES);
    add_key(physical, key);
    target = physical_slice(physical);
    if (slice_compare(target, iter->lower) < 0)
        return iter->lower;
    return slice_compare(target, iter->upper) > 0 ? iter->upper : target;
}

static enum status settle(struct kv_iter *iter, enum status status)
{
    if (status != ST_OK) {
        iter->key = SLICE_EMPTY;
        iter->value = SLICE_EMPTY;
    }
    return status;
}

enum status kv_iter_seek(struct kv_iter *iter, struct slice key)
{
    struct physical_key physical;

    if (key.n == 0)
        return settle(iter, iter->ops->seek(iter, iter->lower));
    return settle(iter, iter->ops->seek(iter, make_target(&physical, iter, key)));
}

/* The last key <= `key` may lie below the lower bound; that is the end as well. */
enum status kv_iter_seek_last(struct kv_iter *iter, struct slice key)
{
    struct physical_key physical;
    struct slice target;

    if (key.n == 0)
        return settle(iter, iter->ops->seek_last(iter, iter->upper));
    target = make_target(&physical, iter, key);
    if (slice_compare(physical_slice(&physical), target) < 0)
        return settle(iter, ST_NOT_FOUND);
    return settle(iter, iter->ops->seek_last(iter, target));
}

enum status kv_iter_next(struct kv_iter *iter)
{
    if (iter->key.n == 0)
        return ST_NOT_FOUND;
    return settle(iter, iter->ops->next(iter));
}

enum status kv_iter_previous(struct kv_iter *iter)
{
    if (iter->key.n == 0)
        return ST_NOT_FOUND;
    return settle(iter, iter->ops->previous(iter));
}

struct slice kv_iter_key(const struct kv_iter *iter)
{
    CHECK(iter->key.n >= TENANT_PREFIX_SIZE_BYTES);
    return slice_from(iter->key, TENANT_PREFIX_SIZE_BYTES);
}

struct slice kv_iter_value(const struct kv_iter *iter)
{
    CHECK(iter->key.n >= TENANT_PREFIX_SIZE_BYTES);
    return iter->value;
}

struct kv_batch *kv_batch_new(struct kv *kv)
{
    struct kv_batch *batch = kv->ops->batch_new(kv);

    batch->kv = kv;
    batch->count = 0;
    batch->size_bytes = 0;
    return batch;
}

void kv_batch_free(struct kv_batch *batch)
{
    if (batch != NULL)
        batch->ops->free(batch);
}

void kv_batch_clear(struct kv_batch *batch)
{
    batch->ops->clear(batch);
    batch->count = 0;
    batch->size_bytes = 0;
}

static void count_entry(struct kv_batch *batch, size_t size_bytes)
{
    batch->count++;
    batch->size_bytes += size_bytes;
}

void kv_batch_put(struct kv_batch *batch, const struct scope *scope, struct slice key,
                  struct slice value)
{
    struct physical_key physical;

    CHECK(batch->kv == scope_store(scope)); /* invariant 3 */
    make_physical(&physical, scope, key);
    batch->ops->put(batch, physical_slice(&physical), value);
    count_entry(batch, physical.n + value.n);
}

void kv_batch_delete(struct kv_batch *batch, const struct scope *scope, struct slice key)
{
    struct physical_key physical;

    CHECK(batch->kv == scope_store(scope)); /* invariant 3 */
    make_physical(&physical, scope, key);
    batch->ops->remove(batch, physical_slice(&physical));
    count_entry(batch, physical.n);
}

size_t kv_batch_count(const struct kv_batch *batch)
{
    return batch->count;
}

size_t kv_batch_size_bytes(const struct kv_batch *batch)
{
    return batch->size_bytes;
}

enum status kv_write(struct kv *kv, struct kv_batch *batch, bool sync)
{
    CHECK(batch->kv == kv); /* invariant 3 */
    return kv->ops->write(kv, batch, sync);
}

void kv_compact(const struct scope *scope, struct slice lower, struct slice upper)
{
    struct kv *kv = scope_store(scope);
    struct physical_key physical_lower;
    struct physical_key physical_upper;

    make_physical(&physical_lower, scope, lower);
    make_upper(&physical_upper, scope, upper);
    kv->ops->compact(kv, physical_slice(&physical_lower), physical_slice(&physical_upper));
}
