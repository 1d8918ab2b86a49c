/* Rows that are not items: bookkeeping whose body passes the hook of model/row.h like all others.
 */
#ifndef ROWHOUSE_STORE_SEALED_ROW_H
#define ROWHOUSE_STORE_SEALED_ROW_H

#include "model/key.h"
#include "store/kv.h"

/* Seals the body and puts the row into the batch. Both are copied. */
void sealed_row_put(struct kv_batch *batch, const struct scope *scope, const struct key *key,
                    struct slice body);

#endif
