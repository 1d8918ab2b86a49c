/*
 * Allocators of ids that are never given out twice: of tenants in the system slice, of tables in
 * each tenant's slice.
 *
 *   row  KEY_SPACE_SEQUENCE | name  ->  next(8, LE)
 *
 * Both functions are the committer's (or run before it starts). The new row goes into the batch
 * that first uses the id, so that either both are durable or neither is.
 */
#ifndef ROWHOUSE_TENANT_SEQUENCE_H
#define ROWHOUSE_TENANT_SEQUENCE_H

#include "store/kv.h"

/* The next id of the sequence; 1 if none was given out yet. May read the disk. */
enum status MUST_CHECK sequence_read(const struct scope *scope, struct slice name,
                                     uint64_t *ret_next);
/* Adds the row that says that `next` is the next id. */
void sequence_put(const struct scope *scope, struct slice name, uint64_t next,
                  struct kv_batch *batch);

#endif
