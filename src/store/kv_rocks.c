/*
 * The store on disk: RocksDB through its C API.
 *
 *  1. Read options without a snapshot are made once, one per mode; a snapshot brings its own two.
 *  2. An iterator's bounds live in its own memory: RocksDB keeps pointers to them.
 *  3. A write is in the write-ahead log before it is readable, and synced when the caller asked.
 *  4. With KV_NO_BLOCK only memtables and the block cache are read; what is not there comes back
 *     as "Result incomplete", which rocks_error.c turns into ST_WOULD_BLOCK.
 *
 * How the database is tuned stands in rocks_options.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <rocksdb/c.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/kv_impl.h"
#include "store/rocks_error.h"
#include "store/rocks_options.h"

#define READ_TIER_ALL 0
#define READ_TIER_BLOCK_CACHE 1

/* Indexed by enum kv_mode. */
struct read_modes {
    rocksdb_readoptions_t *options[2];
};

struct rocks_kv {
    struct kv kv;
    rocksdb_t *db;
    struct rocks_options options;
    struct read_modes reads;
    rocksdb_writeoptions_t *write_synced;
    rocksdb_writeoptions_t *write_unsynced;
    bool read_only;
};

struct rocks_snapshot {
    struct kv_snapshot snapshot;
    const rocksdb_snapshot_t *inside;
    struct read_modes reads;
};

/* `bounds` is lower | upper. */
struct rocks_iter {
    struct kv_iter iter;
    rocksdb_iterator_t *inside;
    rocksdb_readoptions_t *read_options;
    uint8_t bounds[];
};

struct rocks_batch {
    struct kv_batch batch;
    rocksdb_writebatch_t *inside;
};

static rocksdb_readoptions_t *read_options_new(enum kv_mode mode,
                                               const rocksdb_snapshot_t *snapshot)
{
    rocksdb_readoptions_t *options = rocksdb_readoptions_create();

    rocksdb_readoptions_set_read_tier(options,
                                      mode == KV_NO_BLOCK ? READ_TIER_BLOCK_CACHE : READ_TIER_ALL);
    if (snapshot != NULL)
        rocksdb_readoptions_set_snapshot(options, snapshot);
    return options;
}

static void read_modes_init(struct read_modes *reads, const rocksdb_snapshot_t *snapshot)
{
    reads->options[KV_MAY_BLOCK] = read_options_new(KV_MAY_BLOCK, snapshot);
    reads->options[KV_NO_BLOCK] = read_options_new(KV_NO_BLOCK, snapshot);
}

static void read_modes_deinit(struct read_modes *reads)
{
    rocksdb_readoptions_destroy(reads->options[KV_MAY_BLOCK]);
    rocksdb_readoptions_destroy(reads->options[KV_NO_BLOCK]);
}

static void unpin_value(void *pin)
{
    rocksdb_pinnableslice_destroy(pin);
}

static enum status rocks_get(struct kv *kv, const struct kv_snapshot *snapshot, enum kv_mode mode,
                             struct slice key, struct kv_value *ret_value)
{
    const struct rocks_kv *rocks = (const struct rocks_kv *)kv;
    const struct read_modes *reads =
        snapshot == NULL ? &rocks->reads : &((const struct rocks_snapshot *)snapshot)->reads;
    char *error = NULL;
    rocksdb_pinnableslice_t *pin =
        rocksdb_get_pinned(rocks->db, reads->options[mode], (const char *)key.p, key.n, &error);
    struct slice bytes = SLICE_EMPTY;

    TRY(rocks_error_take(error));
    if (pin == NULL)
        return ST_NOT_FOUND;
    bytes.p = (const uint8_t *)rocksdb_pinnableslice_value(pin, &bytes.n);
    *ret_value = (struct kv_value){bytes, pin, unpin_value};
    return ST_OK;
}

static struct kv_snapshot *rocks_snapshot_take(struct kv *kv)
{
    struct rocks_snapshot *snapshot = MEM_NEW(struct rocks_snapshot);

    snapshot->inside = rocksdb_create_snapshot(((struct rocks_kv *)kv)->db);
    read_modes_init(&snapshot->reads, snapshot->inside);
    return &snapshot->snapshot;
}

static void rocks_snapshot_release(struct kv *kv, struct kv_snapshot *snapshot)
{
    struct rocks_snapshot *rocks_snapshot = (struct rocks_snapshot *)snapshot;

    read_modes_deinit(&rocks_snapshot->reads);
    rocksdb_release_snapshot(((struct rocks_kv *)kv)->db, rocks_snapshot->inside);
    mem_free(rocks_snapshot);
}

static void rocks_iter_free(struct kv_iter *iter)
{
    struct rocks_iter *rocks_iter = (struct rocks_iter *)iter;

    rocksdb_iter_destroy(rocks_iter->inside);
    rocksdb_readoptions_destroy(rocks_iter->read_options);
    mem_free(rocks_iter);
}

/* Takes over the place where RocksDB's iterator now stands. */
static enum status settle(struct rocks_iter *rocks_iter)
{
    struct kv_iter *iter = &rocks_iter->iter;
    char *error = NULL;

    if (!rocksdb_iter_valid(rocks_iter->inside)) {
        rocksdb_iter_get_error(rocks_iter->inside, &error);
        TRY(rocks_error_take(error));
        return ST_NOT_FOUND;
    }
    iter->key.p = (const uint8_t *)rocksdb_iter_key(rocks_iter->inside, &iter->key.n);
    iter->value.p = (const uint8_t *)rocksdb_iter_value(rocks_iter->inside, &iter->value.n);
    return ST_OK;
}

static enum status rocks_seek(struct kv_iter *iter, struct slice target)
{
    struct rocks_iter *rocks_iter = (struct rocks_iter *)iter;

    rocksdb_iter_seek(rocks_iter->inside, (const char *)target.p, target.n);
    return settle(rocks_iter);
}

static enum status rocks_seek_last(struct kv_iter *iter, struct slice target)
{
    struct rocks_iter *rocks_iter = (struct rocks_iter *)iter;

    rocksdb_iter_seek_for_prev(rocks_iter->inside, (const char *)target.p, target.n);
    return settle(rocks_iter);
}

static enum status rocks_next(struct kv_iter *iter)
{
    struct rocks_iter *rocks_iter = (struct rocks_iter *)iter;

    rocksdb_iter_next(rocks_iter->inside);
    return settle(rocks_iter);
}

static enum status rocks_previous(struct kv_iter *iter)
{
    struct rocks_iter *rocks_iter = (struct rocks_iter *)iter;

    rocksdb_iter_prev(rocks_iter->inside);
    return settle(rocks_iter);
}

static const struct kv_iter_ops rocks_iter_ops = {
    .free = rocks_iter_free,
    .seek = rocks_seek,
    .seek_last = rocks_seek_last,
    .next = rocks_next,
    .previous = rocks_previous,
};

/* A file that became obsolete under the iterator is deleted in the background, so that freeing an
 * iterator does not wait for the disk. */
static rocksdb_readoptions_t *iter_options_new(const struct rocks_iter *rocks_iter,
                                               enum kv_mode mode,
                                               const struct kv_snapshot *snapshot)
{
    const struct kv_iter *iter = &rocks_iter->iter;
    rocksdb_readoptions_t *options = read_options_new(
        mode, snapshot == NULL ? NULL : ((const struct rocks_snapshot *)snapshot)->inside);

    rocksdb_readoptions_set_iterate_lower_bound(options, (const char *)iter->lower.p,
                                                iter->lower.n);
    rocksdb_readoptions_set_iterate_upper_bound(options, (const char *)iter->upper.p,
                                                iter->upper.n);
    rocksdb_readoptions_set_background_purge_on_iterator_cleanup(options, true);
    return options;
}

static struct kv_iter *rocks_iter_new(struct kv *kv, const struct kv_snapshot *snapshot,
                                      enum kv_mode mode, struct slice lower, struct slice upper)
{
    struct rocks_iter *rocks_iter = mem_alloc(sizeof(*rocks_iter) + lower.n + upper.n);

    memcpy(rocks_iter->bounds, lower.p, lower.n);
    memcpy(rocks_iter->bounds + lower.n, upper.p, upper.n);
    rocks_iter->iter.ops = &rocks_iter_ops;
    rocks_iter->iter.lower = slice_of(rocks_iter->bounds, lower.n);
    rocks_iter->iter.upper = slice_of(rocks_iter->bounds + lower.n, upper.n);
    rocks_iter->read_options = iter_options_new(rocks_iter, mode, snapshot);
    rocks_iter->inside =
        rocksdb_create_iterator(((struct rocks_kv *)kv)->db, rocks_iter->read_options);
    return &rocks_iter->iter;
}

static void rocks_batch_free(struct kv_batch *batch)
{
    rocksdb_writebatch_destroy(((struct rocks_batch *)batch)->inside);
    mem_free(batch);
}

static void rocks_batch_clear(struct kv_batch *batch)
{
    rocksdb_writebatch_clear(((struct rocks_batch *)batch)->inside);
}

static void rocks_batch_put(struct kv_batch *batch, struct slice key, struct slice value)
{
    rocksdb_writebatch_put(((struct rocks_batch *)batch)->inside, (const char *)key.p, key.n,
                           (const char *)value.p, value.n);
}

static void rocks_batch_remove(struct kv_batch *batch, struct slice key)
{
    rocksdb_writebatch_delete(((struct rocks_batch *)batch)->inside, (const char *)key.p, key.n);
}

static const struct kv_batch_ops rocks_batch_ops = {
    .free = rocks_batch_free,
    .clear = rocks_batch_clear,
    .put = rocks_batch_put,
    .remove = rocks_batch_remove,
};

static struct kv_batch *rocks_batch_new(struct kv *kv)
{
    struct rocks_batch *batch = MEM_NEW(struct rocks_batch);

    (void)kv;
    batch->batch.ops = &rocks_batch_ops;
    batch->inside = rocksdb_writebatch_create();
    return &batch->batch;
}

static enum status rocks_write(struct kv *kv, struct kv_batch *batch, bool sync)
{
    const struct rocks_kv *rocks = (const struct rocks_kv *)kv;
    char *error = NULL;

    rocksdb_write(rocks->db, sync ? rocks->write_synced : rocks->write_unsynced,
                  ((struct rocks_batch *)batch)->inside, &error);
    return rocks_error_take(error);
}

static void rocks_compact(struct kv *kv, struct slice lower, struct slice upper)
{
    rocksdb_compact_range(((struct rocks_kv *)kv)->db, (const char *)lower.p, lower.n,
                          (const char *)upper.p, upper.n);
}

/* A failure to sync what nobody asked to have synced is no news to the caller. */
static void sync_log(const struct rocks_kv *rocks)
{
    char *error = NULL;

    if (rocks->read_only)
        return;
    rocksdb_flush_wal(rocks->db, true, &error);
    rocksdb_free(error);
}

static void rocks_free(struct rocks_kv *rocks)
{
    read_modes_deinit(&rocks->reads);
    rocksdb_writeoptions_destroy(rocks->write_synced);
    rocksdb_writeoptions_destroy(rocks->write_unsynced);
    rocks_options_deinit(&rocks->options);
    mem_free(rocks);
}

static void rocks_close(struct kv *kv)
{
    struct rocks_kv *rocks = (struct rocks_kv *)kv;

    sync_log(rocks);
    rocksdb_close(rocks->db);
    rocks_free(rocks);
}

static const struct kv_ops rocks_ops = {
    .close = rocks_close,
    .get = rocks_get,
    .snapshot_take = rocks_snapshot_take,
    .snapshot_release = rocks_snapshot_release,
    .iter_new = rocks_iter_new,
    .batch_new = rocks_batch_new,
    .write = rocks_write,
    .compact = rocks_compact,
};

static struct rocks_kv *rocks_new(const struct kv_rocks_options *options)
{
    struct rocks_kv *rocks = MEM_NEW(struct rocks_kv);

    rocks->kv.ops = &rocks_ops;
    rocks->read_only = options->read_only;
    rocks_options_init(&rocks->options, options);
    read_modes_init(&rocks->reads, NULL);
    rocks->write_synced = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(rocks->write_synced, true);
    rocks->write_unsynced = rocksdb_writeoptions_create();
    return rocks;
}

static enum status open_database(struct rocks_kv *rocks, const char *path)
{
    char *error = NULL;

    if (rocks->read_only)
        rocks->db = rocksdb_open_for_read_only(rocks->options.database, path, false, &error);
    else
        rocks->db = rocksdb_open(rocks->options.database, path, &error);
    return rocks_error_take(error);
}

/* Above the store's directory, or -1 with errno. */
static int open_parent(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int parent;

    if (directory < 0)
        return -1;
    parent = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)close(directory);
    return parent;
}

/*
 * RocksDB syncs the names in its directory, but not the name of the directory: a store just made
 * could vanish as a whole with the power. A parent that we may not even read is one in which we
 * made nothing.
 */
static bool sync_own_name(const char *path)
{
    int parent = open_parent(path);
    bool synced;

    if (parent < 0)
        return errno == EACCES;
    synced = fsync(parent) == 0;
    (void)close(parent);
    return synced;
}

/* Whether another process has the store open. RocksDB itself opens it for reading all the same, and
 * shows a state that is moving. */
static bool is_in_use(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = directory < 0 ? -1 : openat(directory, "LOCK", O_RDONLY | O_CLOEXEC);
    bool in_use = file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

    if (file >= 0)
        (void)close(file);
    if (directory >= 0)
        (void)close(directory);
    return in_use;
}

static enum status open_durably(struct rocks_kv *rocks, const char *path, const char **ret_reason)
{
    enum status status;

    if (rocks->read_only && is_in_use(path)) {
        *ret_reason = "another process has it open";
        return ST_BUSY;
    }
    status = open_database(rocks, path);
    *ret_reason = rocks_error_reason();
    if (status != ST_OK || rocks->read_only || sync_own_name(path))
        return status;
    *ret_reason = "the directory above the store cannot be synced";
    rocksdb_close(rocks->db);
    return ST_IO;
}

enum status kv_open_rocks(const struct kv_rocks_options *options, struct kv **ret_kv,
                          const char **ret_reason)
{
    struct rocks_kv *rocks = rocks_new(options);
    const char *reason;
    enum status status = open_durably(rocks, options->path, &reason);

    if (status != ST_OK) {
        if (ret_reason != NULL)
            *ret_reason = reason;
        rocks_free(rocks);
        return status;
    }
    *ret_kv = &rocks->kv;
    return ST_OK;
}

/* In the order in which RocksDB makes them, but for the temporary files, which it renames. The
 * manifest of a store that holds something has a higher number. */
bool kv_rocks_is_first_file(const char *name)
{
    static const char *const patterns[] = {"LOG",     "LOG.old.*", "LOCK", "MANIFEST-000001",
                                           "*.dbtmp", "IDENTITY"};

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}
