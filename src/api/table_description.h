/* The TableDescription that all table operations answer with. */
#ifndef ROWHOUSE_API_TABLE_DESCRIPTION_H
#define ROWHOUSE_API_TABLE_DESCRIPTION_H

#include "api/call.h"

enum table_state { TABLE_CREATING, TABLE_ACTIVE, TABLE_UPDATING, TABLE_DELETING };

/*
 * Appends the description as an object. `state` is what the operation answers; the state of an
 * index is its own, unless the whole table is being created or deleted. ARNs bear the account of
 * the table's tenant, whom the call may not have known when it began.
 */
void table_description_append(struct buf *buf, const struct api_config *config,
                              const struct table *table, enum table_state state);

#endif
