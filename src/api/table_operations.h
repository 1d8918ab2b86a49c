/* The table operations: their first turns and those after (see api/operations.c). */
#ifndef ROWHOUSE_API_TABLE_OPERATIONS_H
#define ROWHOUSE_API_TABLE_OPERATIONS_H

#include "api/call.h"

enum turn table_create_begin(struct call *call);
enum turn table_create_resume(struct call *call);
enum turn table_describe_begin(struct call *call);
enum turn table_list_begin(struct call *call);
enum turn table_delete_begin(struct call *call);
enum turn table_delete_resume(struct call *call);
enum turn table_update_begin(struct call *call);
enum turn table_update_resume(struct call *call);
enum turn limits_describe_begin(struct call *call);
enum turn endpoints_describe_begin(struct call *call);

#endif
