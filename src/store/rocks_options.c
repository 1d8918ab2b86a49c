/*
 * The settings of RocksDB that were measured to matter for rows of some hundred bytes, and those
 * that bound what it keeps. Everything else stays as RocksDB chose.
 */
#include "store/rocks_options.h"

#include "base/check.h"
#include "base/encode.h"
#include "store/kv_impl.h"
#include "store/rocks_extra.h"

#define CACHE_SIZE_BYTES_DEFAULT (128ULL << 20)
#define WRITE_BUFFER_BYTES_DEFAULT (64ULL << 20)
#define BLOCK_SIZE_BYTES (16ULL << 10) /* scans read a quarter less than with 4 KB */
#define BLOOM_BITS_PER_KEY 10          /* a miss costs an eighth of what it does without */
#define FORMAT_VERSION 5
#define BACKGROUND_JOBS_MAX 2
#define BLOB_SIZE_BYTES_MIN (64ULL << 10) /* larger values are not rewritten by compactions */
#define BYTES_PER_SYNC (1ULL << 20)       /* new tables are written out steadily, not in a burst */
#define LOG_FILES_MAX 4
#define LOG_FILE_SIZE_BYTES_MAX (8ULL << 20)
#define LOG_LEVEL_WARN 2

/* Index and filter blocks stay outside the block cache: they are small and always needed. */
static void set_tables(rocksdb_options_t *database, uint64_t cache_size_bytes)
{
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_cache_t *cache = rocks_cache_new(cache_size_bytes, BLOCK_SIZE_BYTES);

    rocksdb_block_based_options_set_block_size(table, BLOCK_SIZE_BYTES);
    rocksdb_block_based_options_set_filter_policy(
        table, rocksdb_filterpolicy_create_bloom_full(BLOOM_BITS_PER_KEY));
    rocksdb_block_based_options_set_format_version(table, FORMAT_VERSION);
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_options_set_block_based_table_factory(database, table);
    rocksdb_cache_destroy(cache);
    rocksdb_block_based_options_destroy(table);
}

static void set_space(rocksdb_options_t *database)
{
    rocksdb_options_set_compression(database, rocksdb_lz4_compression);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(database, true);
    rocksdb_options_set_enable_blob_files(database, true);
    rocksdb_options_set_min_blob_size(database, BLOB_SIZE_BYTES_MIN);
    rocksdb_options_set_blob_compression_type(database, rocksdb_lz4_compression);
    rocksdb_options_set_enable_blob_gc(database, true);
}

/* One committer writes, so memtables need not be safe for concurrent writers. */
static void set_writes(rocksdb_options_t *database, uint64_t write_buffer_bytes)
{
    rocksdb_options_set_write_buffer_size(database, write_buffer_bytes);
    rocksdb_options_set_allow_concurrent_memtable_write(database, false);
    rocksdb_options_set_max_background_jobs(database, BACKGROUND_JOBS_MAX);
    rocksdb_options_set_bytes_per_sync(database, BYTES_PER_SYNC);
    rocksdb_options_set_avoid_unnecessary_blocking_io(database, true);
}

static void set_logs(rocksdb_options_t *database)
{
    rocksdb_options_set_info_log_level(database, LOG_LEVEL_WARN);
    rocksdb_options_set_keep_log_file_num(database, LOG_FILES_MAX);
    rocksdb_options_set_max_log_file_size(database, LOG_FILE_SIZE_BYTES_MAX);
    rocksdb_options_set_stats_dump_period_sec(database, 0);
    rocksdb_options_set_stats_persist_period_sec(database, 0);
}

static uint64_t or_default(uint64_t wanted, uint64_t otherwise)
{
    return wanted == 0 ? otherwise : wanted;
}

static bool is_row_dead(void *context, const uint8_t *key, size_t key_size_bytes)
{
    const struct rocks_options *options = context;

    CHECK(key_size_bytes >= TENANT_PREFIX_SIZE_BYTES);
    return options->is_dead(options->is_dead_context, get_be64(key),
                            slice_from(slice_of(key, key_size_bytes), TENANT_PREFIX_SIZE_BYTES));
}

void rocks_options_init(struct rocks_options *options, const struct kv_rocks_options *wanted)
{
    options->database = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options->database, !wanted->read_only);
    set_tables(options->database, or_default(wanted->cache_size_bytes, CACHE_SIZE_BYTES_DEFAULT));
    set_space(options->database);
    set_writes(options->database,
               or_default(wanted->write_buffer_bytes, WRITE_BUFFER_BYTES_DEFAULT));
    set_logs(options->database);
    options->is_dead = wanted->is_dead;
    options->is_dead_context = wanted->is_dead_context;
    options->filter = NULL;
    if (wanted->is_dead != NULL)
        options->filter = rocks_filter_new(is_row_dead, options, options->database);
}

void rocks_options_deinit(struct rocks_options *options)
{
    rocksdb_options_destroy(options->database);
    rocks_filter_free(options->filter);
}
