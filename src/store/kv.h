/*
 * The ordered key-value store: one interface, two stores behind it. RocksDB keeps data on disk;
 * memory is the fake for tests and --in-memory. Both keep the same promises:
 *
 *  1. keys are at most KEY_SIZE_BYTES_MAX + 8 bytes and ordered as unsigned bytes;
 *  2. a batch is applied whole or not at all, and with `sync` it is on disk when kv_write returns;
 *  3. every access goes through a scope and can see or change that scope's rows only;
 *  4. reads are safe from any thread; kv_write comes from one thread at a time (the committer);
 *  5. a read sees one point in time: a get its moment, an iterator the moment it was made, unless
 *     a snapshot names an earlier one. Reads never wait for writes, nor writes for reads.
 */
#ifndef ROWHOUSE_STORE_KV_H
#define ROWHOUSE_STORE_KV_H

#include "base/slice.h"
#include "base/status.h"
#include "store/scope.h"

struct key; /* model/key.h */
struct kv;
struct kv_batch;
struct kv_iter;
struct kv_snapshot;

enum kv_mode {
    KV_MAY_BLOCK, /* may read the disk */
    KV_NO_BLOCK,  /* ST_WOULD_BLOCK rather than read the disk */
};

/* A value read from the store: a pinned view, valid until kv_value_release. */
struct kv_value {
    struct slice bytes;
    void *pin;
    void (*unpin)(void *pin);
};
/* Safe on a zeroed or released value. */
void kv_value_release(struct kv_value *value);

/* True if rows with this key (scope's tenant, key without prefix) belong to a dropped table: such
 * rows vanish in compaction. Called from background threads. */
typedef bool kv_is_dead_fn(void *context, uint64_t tenant_number, struct slice key);

struct kv_rocks_options {
    const char *path;            /* created if missing */
    uint64_t cache_size_bytes;   /* block cache; 0 = 128 MB */
    uint64_t write_buffer_bytes; /* 0 = 64 MB */
    kv_is_dead_fn *is_dead;      /* may be NULL */
    void *is_dead_context;
    bool read_only; /* for offline checks */
};

/* ST_BUSY if another process has it open; ST_IO, ST_CORRUPT, ST_NO_SPACE otherwise; `ret_reason`
 * (may be NULL) then points to a sentence, valid until the next call on this thread. */
enum status MUST_CHECK kv_open_rocks(const struct kv_rocks_options *options, struct kv **ret_kv,
                                     const char **ret_reason);
/* True for the names of the files that there are before a store on disk can hold anything: what is
 * left of one whose process ended while it was being made. Opening it begins anew. */
bool kv_rocks_is_first_file(const char *name);
/* Empty, and gone when it is closed. */
struct kv *kv_open_memory(void);
/* Flushes and closes. No iterator, snapshot or value may be left. */
void kv_close(struct kv *kv);

/* The value of a key: ST_OK, ST_NOT_FOUND, ST_WOULD_BLOCK, ST_IO, ST_CORRUPT. `snapshot` may be
 * NULL (the newest state). */
enum status MUST_CHECK kv_get(const struct scope *scope, const struct kv_snapshot *snapshot,
                              enum kv_mode mode, struct slice key, struct kv_value *ret_value);

/* One point in time, for reads that must agree. Any thread may release it. */
struct kv_snapshot *kv_snapshot_take(struct kv *kv);
/* NULL is fine. */
void kv_snapshot_release(struct kv *kv, struct kv_snapshot *snapshot);

/*
 * Iterates keys in [lower, upper) of the scope; an empty `upper` means the end of the slice. Not
 * positioned until a seek. An iterator that returned ST_WOULD_BLOCK is dead: free it and start
 * another at the last key.
 */
struct kv_iter *kv_iter_new(const struct scope *scope, const struct kv_snapshot *snapshot,
                            enum kv_mode mode, struct slice lower, struct slice upper);
/* Iterates the keys that begin with `prefix`, which is not empty. May block. */
struct kv_iter *kv_iter_new_prefix(const struct scope *scope, const struct kv_snapshot *snapshot,
                                   const struct key *prefix);
/* NULL is fine. */
void kv_iter_free(struct kv_iter *iter);
/* First key >= `key` (lower bound if empty) or, for seek_last, last key <= `key` (or < upper bound
 * if empty). ST_OK, ST_NOT_FOUND at the end, or a failure. */
enum status MUST_CHECK kv_iter_seek(struct kv_iter *iter, struct slice key);
enum status MUST_CHECK kv_iter_seek_last(struct kv_iter *iter, struct slice key);
/* One row on or back; ST_NOT_FOUND at the end, and before a seek. */
enum status MUST_CHECK kv_iter_next(struct kv_iter *iter);
enum status MUST_CHECK kv_iter_previous(struct kv_iter *iter);
/* Views, valid until the iterator moves; the key is without the scope's prefix. */
struct slice kv_iter_key(const struct kv_iter *iter);
struct slice kv_iter_value(const struct kv_iter *iter);

/* Changes to be made together. Keys and values are copied in. */
struct kv_batch *kv_batch_new(struct kv *kv);
void kv_batch_free(struct kv_batch *batch);
void kv_batch_clear(struct kv_batch *batch);
/* Scopes of one batch must be of the batch's store (CHECKed). Later entries win. */
void kv_batch_put(struct kv_batch *batch, const struct scope *scope, struct slice key,
                  struct slice value);
void kv_batch_delete(struct kv_batch *batch, const struct scope *scope, struct slice key);
size_t kv_batch_count(const struct kv_batch *batch);
size_t kv_batch_size_bytes(const struct kv_batch *batch);
/* ST_OK, ST_NO_SPACE, ST_IO. With `sync` the batch is durable on return. The batch keeps its
 * entries; after a failure the store may refuse every later write until it is opened anew. */
enum status MUST_CHECK kv_write(struct kv *kv, struct kv_batch *batch, bool sync);

/* Compacts [lower, upper) of a scope, so that dead rows go; an empty `upper` means the end of the
 * slice. Slow: background threads only. Memory has nothing to compact. */
void kv_compact(const struct scope *scope, struct slice lower, struct slice upper);

#endif
