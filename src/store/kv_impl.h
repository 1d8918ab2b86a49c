/*
 * What a store implements, for src/store alone. kv.c stands before every implementation and does
 * what must be the same in all of them: it puts the tenant's prefix before keys, bounds iterators
 * to the slice, and strips the prefix again.
 *
 *  1. Keys given to an implementation are physical: tenant(8, BE) | key.
 *  2. An iterator's bounds are never empty: lower <= target <= upper for every seek.
 *  3. An iterator or batch calls the operations of the store that made it, through its own table;
 *     a store that wraps another may therefore hand out the other's iterators and batches.
 */
#ifndef ROWHOUSE_STORE_KV_IMPL_H
#define ROWHOUSE_STORE_KV_IMPL_H

#include "model/key.h"
#include "store/kv.h"

#define TENANT_PREFIX_SIZE_BYTES 8
#define PHYSICAL_KEY_SIZE_BYTES_MAX (TENANT_PREFIX_SIZE_BYTES + KEY_SIZE_BYTES_MAX)

struct kv_ops {
    void (*close)(struct kv *kv);
    enum status (*get)(struct kv *kv, const struct kv_snapshot *snapshot, enum kv_mode mode,
                       struct slice key, struct kv_value *ret_value);
    struct kv_snapshot *(*snapshot_take)(struct kv *kv);
    void (*snapshot_release)(struct kv *kv, struct kv_snapshot *snapshot);
    /* Copies the bounds and points iter->lower and iter->upper to the copies. */
    struct kv_iter *(*iter_new)(struct kv *kv, const struct kv_snapshot *snapshot,
                                enum kv_mode mode, struct slice lower, struct slice upper);
    struct kv_batch *(*batch_new)(struct kv *kv);
    enum status (*write)(struct kv *kv, struct kv_batch *batch, bool sync);
    void (*compact)(struct kv *kv, struct slice lower, struct slice upper);
};

/* Each move sets key and value when it returns ST_OK. next and previous are only called on an
 * iterator whose last move did so. */
struct kv_iter_ops {
    void (*free)(struct kv_iter *iter);
    enum status (*seek)(struct kv_iter *iter, struct slice target);
    enum status (*seek_last)(struct kv_iter *iter, struct slice target);
    enum status (*next)(struct kv_iter *iter);
    enum status (*previous)(struct kv_iter *iter);
};

struct kv_batch_ops {
    void (*free)(struct kv_batch *batch);
    void (*clear)(struct kv_batch *batch);
    void (*put)(struct kv_batch *batch, struct slice key, struct slice value);
    void (*remove)(struct kv_batch *batch, struct slice key);
};

/* Each implementation embeds these first in its own structs and sets `ops`; kv.c sets the rest. */
struct kv {
    const struct kv_ops *ops;
};

struct kv_snapshot {
    const struct kv *kv;
};

struct kv_iter {
    const struct kv_iter_ops *ops;
    struct slice lower; /* physical, in the implementation's memory, as is upper */
    struct slice upper;
    struct slice key; /* physical; empty while not positioned */
    struct slice value;
};

struct kv_batch {
    const struct kv_batch_ops *ops;
    const struct kv *kv;
    size_t count;
    size_t size_bytes;
};

#endif
