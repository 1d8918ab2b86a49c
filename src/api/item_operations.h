/* The item operations: their first turns and those after (see api/operations.c). */
#ifndef ROWHOUSE_API_ITEM_OPERATIONS_H
#define ROWHOUSE_API_ITEM_OPERATIONS_H

#include "api/call.h"

enum turn item_get_begin(struct call *call);
enum turn item_get_resume(struct call *call);
enum turn item_put_begin(struct call *call);
enum turn item_update_begin(struct call *call);
enum turn item_delete_begin(struct call *call);
/* After a put, an update or a delete. */
enum turn item_write_resume(struct call *call);
enum turn query_begin(struct call *call);
enum turn scan_begin(struct call *call);
enum turn range_resume(struct call *call);
enum turn batch_get_begin(struct call *call);
enum turn batch_get_resume(struct call *call);
enum turn batch_write_begin(struct call *call);
enum turn batch_write_resume(struct call *call);
enum turn transact_get_begin(struct call *call);
enum turn transact_get_resume(struct call *call);
enum turn transact_write_begin(struct call *call);
enum turn transact_write_resume(struct call *call);

#endif
