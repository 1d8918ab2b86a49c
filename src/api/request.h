/*
 * What the decoding of requests shares: parameters by name, tables and indexes by name or ARN,
 * expression attribute names and values. The shape check has passed before, so members that are
 * present have the right JSON types.
 *
 * All results are in the call's arena; faults are in the call's error.
 */
#ifndef ROWHOUSE_API_REQUEST_H
#define ROWHOUSE_API_REQUEST_H

#include "api/call.h"
#include "expr/expr.h"

/* ---- Members ---- */

/* The member, or an absent node also if it is null. */
struct json request_member(struct json object, const char *name);
/* True if the member is there and is not null. */
bool request_has(struct json object, const char *name);
/* A copy of the string; a slice with a NULL pointer if the member is absent. */
struct slice request_string(struct call *call, struct json object, const char *name);
/* True if the member is present and is this text. */
bool request_string_is(struct json object, const char *name, const char *text);
/* Numbers beyond int64_t saturate, fractions are cut. */
int64_t request_int(struct json object, const char *name, int64_t if_absent);
/* `if_absent` for a member that is no boolean. */
bool request_bool(struct json object, const char *name, bool if_absent);

/* ---- Tables ---- */

/*
 * The table that a TableName member names: a name, or an ARN. An ARN of another account or region
 * gives an empty name, which no table has.
 */
struct slice request_table_name(struct call *call, struct json name);

enum table_lookup {
    LOOKUP_FOR_ITEMS, /* "Requested resource not found" */
    LOOKUP_FOR_TABLE, /* "Requested resource not found: Table: X not found" */
};
/*
 * Finds the table. The arena of the call holds the reference until it is reset. ST_REFUSED with
 * ERROR_RESOURCE_NOT_FOUND if there is none; other statuses are failures of the store.
 */
enum status MUST_CHECK request_find_table(struct call *call, struct json name,
                                          enum table_lookup lookup, struct table **ret_table);
/* The same for a name or ARN that is a key of the request, as in batches. */
enum status MUST_CHECK request_find_table_named(struct call *call, struct slice name,
                                                enum table_lookup lookup, struct table **ret_table);
/* Lets the arena of the call hold a reference (of a table that the engine handed over). */
void request_hold_table(struct call *call, struct table *table);
/* The index of the member IndexName; NULL if it is absent. ST_REFUSED with ERROR_VALIDATION_DATA
 * "The table does not have the specified index: X". */
enum status MUST_CHECK request_find_index(struct call *call, const struct table *table,
                                          const struct index **ret_index);

/* ---- Values ---- */

/* Whether faults of values have the older words: in the older layer, and in 2026-05 everywhere. */
bool request_words_older(const struct call *call);
/* Decodes an item or a key into the call's arena. */
enum status MUST_CHECK request_item(struct call *call, struct json node, struct item *ret_item);

/* ---- Expressions ---- */

/*
 * Decodes ExpressionAttributeNames and -Values of `object` (the request, or a member of a
 * transaction or a batch) and checks them (expr_params_check). The arrays are NULL if the member
 * is absent, not NULL if it is given and empty.
 */
enum status MUST_CHECK request_params(struct call *call, struct json object,
                                      struct expr_params *ret_params);
/* Refuses ExpressionAttributeNames or -Values in a request that has no expression: "X can only be
 * specified when using expressions", followed by `detail` (": UpdateExpression is null" or ""). */
enum status MUST_CHECK request_refuse_params(struct call *call, struct json object,
                                             const char *detail);
/*
 * Refuses legacy parameters beside expressions: "Can not use both expression and non-expression
 * parameters in the same request: ...". Both lists end with NULL and are in the order in which
 * the message names them.
 */
enum status MUST_CHECK request_refuse_mixture(struct call *call, struct json object,
                                              const char *const *legacy,
                                              const char *const *expressions);

/* ---- Outcomes ---- */

/* How the call's reads may go on this thread. */
enum kv_mode request_mode(const struct call *call);
/* Ends the call: a failure of the store becomes its error and is logged, one that is set already
 * (the status is ST_REFUSED then) stays. TURN_DONE always, so that `return request_fail(...)` is
 * the idiom. */
enum turn request_fail(struct call *call, enum status status);

#endif
