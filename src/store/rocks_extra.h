/*
 * What RocksDB's C API lacks and its C++ API has.
 */
#ifndef ROWHOUSE_STORE_ROCKS_EXTRA_H
#define ROWHOUSE_STORE_ROCKS_EXTRA_H

#include <rocksdb/c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rocks_filter;

/* True if the row of this physical key is to vanish. Called from background threads. */
typedef bool rocks_filter_fn(void *context, const uint8_t *key, size_t key_size_bytes);

/* A HyperClockCache: readers of a block take no lock. Destroy with rocksdb_cache_destroy. */
rocksdb_cache_t *rocks_cache_new(size_t capacity_bytes, size_t block_size_bytes);

/* Makes compactions of databases opened with `options` drop rows by key alone: values are not
 * read, not even those in blob files. Free it after `options` and the databases. */
struct rocks_filter *rocks_filter_new(rocks_filter_fn *function, void *context,
                                      rocksdb_options_t *options);
/* NULL is fine. */
void rocks_filter_free(struct rocks_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
