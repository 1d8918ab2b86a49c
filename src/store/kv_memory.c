/*
 * The memory store: an immutable tree (memory_tree.h) and a pointer to its newest root. A read
 * takes a reference to the root and then needs no lock; a write builds the next tree beside it and
 * swaps the pointer, which makes a batch visible at once and leaves older readers undisturbed.
 *
 *  1. `root` is read and set under root_lock, which is held for no longer than that.
 *  2. Only the holder of write_lock sets `root`. Order: write_lock, then root_lock.
 *  3. Nothing is ever read from a disk: KV_NO_BLOCK and `sync` make no difference.
 */
#include <pthread.h>

#include "base/check.h"
#include "base/memory.h"
#include "store/kv_impl.h"
#include "store/memory_tree.h"

struct memory_kv {
    struct kv kv;
    pthread_mutex_t write_lock;
    pthread_mutex_t root_lock;
    struct tree_node *root;
};

struct memory_snapshot {
    struct kv_snapshot snapshot;
    struct tree_node *root;
};

/* `bounds` is lower | upper. */
struct memory_iter {
    struct kv_iter iter;
    struct tree_node *root;
    uint8_t bounds[];
};

struct memory_change {
    struct tree_entry *entry;
    bool remove;
};

struct memory_batch {
    struct kv_batch batch;
    struct memory_change *changes;
    size_t count;
    size_t capacity;
};

static struct tree_node *newest_root(struct memory_kv *memory)
{
    struct tree_node *root;

    CHECK(pthread_mutex_lock(&memory->root_lock) == 0);
    root = tree_ref(memory->root);
    CHECK(pthread_mutex_unlock(&memory->root_lock) == 0);
    return root;
}

static void replace_root(struct memory_kv *memory, struct tree_node *root)
{
    struct tree_node *old;

    CHECK(pthread_mutex_lock(&memory->root_lock) == 0);
    old = memory->root;
    memory->root = root;
    CHECK(pthread_mutex_unlock(&memory->root_lock) == 0);
    tree_unref(old);
}

static struct tree_node *root_for_read(struct kv *kv, const struct kv_snapshot *snapshot)
{
    if (snapshot != NULL)
        return tree_ref(((const struct memory_snapshot *)snapshot)->root);
    return newest_root((struct memory_kv *)kv);
}

static void memory_close(struct kv *kv)
{
    struct memory_kv *memory = (struct memory_kv *)kv;

    tree_unref(memory->root);
    CHECK(pthread_mutex_destroy(&memory->root_lock) == 0);
    CHECK(pthread_mutex_destroy(&memory->write_lock) == 0);
    mem_free(memory);
}

static void unpin_entry(void *pin)
{
    tree_entry_unref(pin);
}

static enum status memory_get(struct kv *kv, const struct kv_snapshot *snapshot, enum kv_mode mode,
                              struct slice key, struct kv_value *ret_value)
{
    struct tree_node *root = root_for_read(kv, snapshot);
    struct tree_entry *entry = tree_find(root, TREE_EXACTLY, key);

    (void)mode; /* invariant 3 */
    if (entry != NULL) {
        tree_entry_ref(entry);
        *ret_value = (struct kv_value){tree_entry_value(entry), entry, unpin_entry};
    }
    tree_unref(root);
    return entry == NULL ? ST_NOT_FOUND : ST_OK;
}

static struct kv_snapshot *memory_snapshot_take(struct kv *kv)
{
    struct memory_snapshot *snapshot = MEM_NEW(struct memory_snapshot);

    snapshot->root = newest_root((struct memory_kv *)kv);
    return &snapshot->snapshot;
}

static void memory_snapshot_release(struct kv *kv, struct kv_snapshot *snapshot)
{
    (void)kv;
    tree_unref(((struct memory_snapshot *)snapshot)->root);
    mem_free(snapshot);
}

static void memory_iter_free(struct kv_iter *iter)
{
    tree_unref(((struct memory_iter *)iter)->root);
    mem_free(iter);
}

static enum status move_to(struct kv_iter *iter, enum tree_side side, struct slice key)
{
    const struct tree_entry *entry = tree_find(((struct memory_iter *)iter)->root, side, key);

    if (entry == NULL || slice_compare(tree_entry_key(entry), iter->lower) < 0 ||
        slice_compare(tree_entry_key(entry), iter->upper) >= 0)
        return ST_NOT_FOUND;
    iter->key = tree_entry_key(entry);
    iter->value = tree_entry_value(entry);
    return ST_OK;
}

static enum status memory_seek(struct kv_iter *iter, struct slice target)
{
    return move_to(iter, TREE_AT_OR_ABOVE, target);
}

/* The upper bound itself is outside. */
static enum status memory_seek_last(struct kv_iter *iter, struct slice target)
{
    return move_to(iter, slice_equal(target, iter->upper) ? TREE_BELOW : TREE_AT_OR_BELOW, target);
}

static enum status memory_next(struct kv_iter *iter)
{
    return move_to(iter, TREE_ABOVE, iter->key);
}

static enum status memory_previous(struct kv_iter *iter)
{
    return move_to(iter, TREE_BELOW, iter->key);
}

static const struct kv_iter_ops memory_iter_ops = {
    .free = memory_iter_free,
    .seek = memory_seek,
    .seek_last = memory_seek_last,
    .next = memory_next,
    .previous = memory_previous,
};

static struct kv_iter *memory_iter_new(struct kv *kv, const struct kv_snapshot *snapshot,
                                       enum kv_mode mode, struct slice lower, struct slice upper)
{
    struct memory_iter *iter = mem_alloc(sizeof(*iter) + lower.n + upper.n);

    (void)mode; /* invariant 3 */
    memcpy(iter->bounds, lower.p, lower.n);
    memcpy(iter->bounds + lower.n, upper.p, upper.n);
    iter->iter.ops = &memory_iter_ops;
    iter->iter.lower = slice_of(iter->bounds, lower.n);
    iter->iter.upper = slice_of(iter->bounds + lower.n, upper.n);
    iter->root = root_for_read(kv, snapshot);
    return &iter->iter;
}

static void memory_batch_clear(struct kv_batch *batch)
{
    struct memory_batch *memory_batch = (struct memory_batch *)batch;

    for (size_t i = 0; i < memory_batch->count; i++)
        tree_entry_unref(memory_batch->changes[i].entry);
    memory_batch->count = 0;
}

static void memory_batch_free(struct kv_batch *batch)
{
    memory_batch_clear(batch);
    mem_free(((struct memory_batch *)batch)->changes);
    mem_free(batch);
}

static void add_change(struct kv_batch *batch, struct slice key, struct slice value, bool remove)
{
    struct memory_batch *memory_batch = (struct memory_batch *)batch;

    if (memory_batch->count == memory_batch->capacity) {
        memory_batch->capacity = memory_batch->capacity == 0 ? 64 : memory_batch->capacity * 2;
        memory_batch->changes = mem_realloc(
            memory_batch->changes, memory_batch->capacity * sizeof(memory_batch->changes[0]));
    }
    memory_batch->changes[memory_batch->count++] =
        (struct memory_change){tree_entry_new(key, value), remove};
}

static void memory_batch_put(struct kv_batch *batch, struct slice key, struct slice value)
{
    add_change(batch, key, value, false);
}

static void memory_batch_remove(struct kv_batch *batch, struct slice key)
{
    add_change(batch, key, SLICE_EMPTY, true);
}

static const struct kv_batch_ops memory_batch_ops = {
    .free = memory_batch_free,
    .clear = memory_batch_clear,
    .put = memory_batch_put,
    .remove = memory_batch_remove,
};

static struct kv_batch *memory_batch_new(struct kv *kv)
{
    struct memory_batch *batch = MEM_NEW(struct memory_batch);

    (void)kv;
    batch->batch.ops = &memory_batch_ops;
    return &batch->batch;
}

static enum status memory_write(struct kv *kv, struct kv_batch *batch, bool sync)
{
    struct memory_kv *memory = (struct memory_kv *)kv;
    const struct memory_batch *memory_batch = (const struct memory_batch *)batch;
    struct tree_node *root;

    (void)sync; /* invariant 3 */
    CHECK(pthread_mutex_lock(&memory->write_lock) == 0);
    root = newest_root(memory);
    for (size_t i = 0; i < memory_batch->count; i++) {
        struct memory_change change = memory_batch->changes[i];

        root = change.remove ? tree_remove(root, tree_entry_key(change.entry))
                             : tree_put(root, change.entry);
    }
    replace_root(memory, root);
    CHECK(pthread_mutex_unlock(&memory->write_lock) == 0);
    return ST_OK;
}

static void memory_compact(struct kv *kv, struct slice lower, struct slice upper)
{
    (void)kv, (void)lower, (void)upper;
}

static const struct kv_ops memory_ops = {
    .close = memory_close,
    .get = memory_get,
    .snapshot_take = memory_snapshot_take,
    .snapshot_release = memory_snapshot_release,
    .iter_new = memory_iter_new,
    .batch_new = memory_batch_new,
    .write = memory_write,
    .compact = memory_compact,
};

struct kv *kv_open_memory(void)
{
    struct memory_kv *memory = MEM_NEW(struct memory_kv);

    memory->kv.ops = &memory_ops;
    CHECK(pthread_mutex_init(&memory->write_lock, NULL) == 0);
    CHECK(pthread_mutex_init(&memory->root_lock, NULL) == 0);
    return &memory->kv;
}
