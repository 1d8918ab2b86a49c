/*
 * The ids of dropped tables and indexes. Their rows are invisible at once, for nothing names the id
 * any more, and go when RocksDB compacts them: its filter asks here.
 *
 * The set is made before the store is opened, for the store's filter asks it, and freed after the
 * store is closed.
 *
 *   system slice: KEY_SPACE_DEAD | tenant(8) | table(4) | index(2) -> (empty row)
 *
 * Index 0 stands for the whole table.
 */
#ifndef ROWHOUSE_ENGINE_DEAD_H
#define ROWHOUSE_ENGINE_DEAD_H

#include "store/kv.h"

struct dead_set;

/* Empty. */
struct dead_set *dead_set_new(void);
/* Loads the ids from the store. */
enum status MUST_CHECK dead_set_load(struct dead_set *set, const struct scope *system);
/* When no thread asks it any more. */
void dead_set_free(struct dead_set *set);
/* Adds the mark's row to the batch that drops the table or index. */
void dead_set_put(const struct scope *system, uint64_t tenant_number, uint32_t table,
                  uint16_t index, struct kv_batch *batch);
/* That batch is durable: rows may go from now on. */
void dead_set_add(struct dead_set *set, uint64_t tenant_number, uint32_t table, uint16_t index);
/* Any thread: whether a row belongs to a dropped table or index. A kv_is_dead_fn; `set` is a
 * struct dead_set. */
bool dead_set_has_row(void *set, uint64_t tenant_number, struct slice key);

#endif
