/*
 * What the operations that change the catalogue have in common: queueing a struct table_change of
 * the engine for a call, and turning its outcome into the call's.
 */
#ifndef ROWHOUSE_API_TABLE_CHANGE_H
#define ROWHOUSE_API_TABLE_CHANGE_H

#include "api/call.h"
#include "api/table_description.h"

/* The table that the request names, in the arena. Refuses a request without TableName. */
enum status MUST_CHECK table_change_name(struct call *call, struct slice *ret_name);

/* Fills the change, which lives in the call's arena, and hands the call to the committer. */
enum turn table_change_submit(struct call *call, struct table_change *change,
                              enum table_change_kind kind, struct slice name,
                              enum status (*alter)(struct table_change *, const struct table *,
                                                   struct table_spec *));
/* After the committer is done: the response {"TableDescription":...}, or the error. */
enum turn table_change_answer(struct call *call, struct table_change *change,
                              enum table_state state);

#endif
