/* How a database of RocksDB is tuned. */
#ifndef ROWHOUSE_STORE_ROCKS_OPTIONS_H
#define ROWHOUSE_STORE_ROCKS_OPTIONS_H

#include <rocksdb/c.h>

#include "store/kv.h"

struct rocks_filter;

/* Stays where it is while the database is open: the filter points to it. */
struct rocks_options {
    rocksdb_options_t *database;
    kv_is_dead_fn *is_dead; /* NULL unless rows can die, as is the filter */
    void *is_dead_context;
    struct rocks_filter *filter;
};

/* Copies what it needs of `wanted`. */
void rocks_options_init(struct rocks_options *options, const struct kv_rocks_options *wanted);
/* After the database is closed. */
void rocks_options_deinit(struct rocks_options *options);

#endif
