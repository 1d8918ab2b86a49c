/*
 * Counts of rows and bytes per table and index that survive a crash exactly.
 *
 * Each commit carries one delta row with the changes of all counters that it touched. Once a second
 * the deltas are folded: the counters' own rows are written and the delta rows deleted, in one
 * batch. After a crash the deltas that are left are folded at open.
 *
 *   counter  tenant's slice: KEY_SPACE_COUNTER | table(4) | index(2) -> items(8, LE) bytes(8, LE)
 *   delta    system slice:   KEY_SPACE_DELTA | sequence(8)
 *            -> { tenant(8) table(4) index(2) items(8) bytes(8) }..., all LE
 */
#ifndef ROWHOUSE_ENGINE_COUNTERS_H
#define ROWHOUSE_ENGINE_COUNTERS_H

#include "engine/table.h"
#include "store/kv.h"

struct registry;

/* The counters of a table (index 0) or index, read from the store; one reference. `scope` must
 * outlive them. */
enum status MUST_CHECK counters_load(const struct scope *scope, uint32_t table, uint16_t index,
                                     struct counters **ret_counters);
/* The same of a table or index that is new: zeros. */
struct counters *counters_new(const struct scope *scope, uint32_t table, uint16_t index);
/* Any thread. */
void counters_ref(struct counters *counters);
/* Adds what is now durable. Any thread. */
void counters_add(struct counters *counters, int64_t item_count, int64_t size_bytes);
void counters_unref(struct counters *counters); /* NULL is fine */

struct counter_change {
    struct counters *counters; /* a reference */
    int64_t item_count;
    int64_t size_bytes;
};

/* The changes of one batch. */
struct counter_delta {
    uint64_t sequence; /* of the batch; greater than any before */
    struct counter_change *changes;
    uint32_t count;
    uint32_t capacity;
};

/* Adds a change; the counters must live until the delta is committed or dropped. */
void counter_delta_add(struct counter_delta *delta, struct counters *counters, int64_t item_count,
                       int64_t size_bytes);
/* Adds the delta row to the batch, if there is a change. */
void counter_delta_put(const struct counter_delta *delta, const struct scope *system,
                       struct kv_batch *batch);

/* A change as a delta row has it. */
struct stored_change {
    uint64_t tenant_number;
    uint32_t table;
    uint16_t index;
    int64_t item_count;
    int64_t size_bytes;
};
/* Reads the next change of an opened delta row: starts with *at = 0, ST_NOT_FOUND at the end. */
enum status MUST_CHECK counter_delta_next(struct slice body, size_t *at,
                                          struct stored_change *ret_change);

/* Counters whose last changes are durable as deltas only. */
struct counter_fold {
    struct counters *dirty;  /* list; each with a reference */
    uint64_t first_sequence; /* of the delta rows that wait */
    uint64_t last_sequence;
};

/* The batch is durable: its changes become visible and wait for the fold. Empties `delta`. */
void counter_delta_commit(struct counter_delta *delta, struct counter_fold *fold);
/* The batch failed: its changes are forgotten. */
void counter_delta_drop(struct counter_delta *delta);
/* Adds counter rows and the deletion of the delta rows to the batch; false if nothing waits. Runs
 * while no batch is in flight. */
bool counter_fold_put(const struct counter_fold *fold, const struct scope *system,
                      struct kv_batch *batch);
/* The fold is written (or given up): forgets what waited. */
void counter_fold_done(struct counter_fold *fold);
/* At open: writes what deltas left by a crash say into the counters' rows. `ret_sequence` is the
 * first that is free. */
enum status MUST_CHECK counter_recover(struct registry *registry, struct kv *store,
                                       uint64_t *ret_sequence);

#endif
