/*
 * What decoding and answering single-item operations share, alone, in batches and in transactions.
 * Faults are in the call's error.
 */
#ifndef ROWHOUSE_API_ITEM_REQUEST_H
#define ROWHOUSE_API_ITEM_REQUEST_H

#include "api/request.h"

/* The value of a string member as one of `names` (NULL-terminated): its position; `if_absent`
 * without the member. The shape check has refused others. */
int item_option(struct json object, const char *member, const char *const *names, int if_absent);

/* Refuses parameters of the API before expressions, which are not served. */
enum status MUST_CHECK item_refuse_legacy(struct call *call, struct json object,
                                          const char *const *legacy);

/* Decodes the member (an item or a key); refuses items over the maximum size if `whole`. */
enum status MUST_CHECK item_decode(struct call *call, struct json object, const char *member,
                                   bool whole, struct item *ret_item);

/*
 * Parses the member ProjectionExpression; without it the projection is NULL. Placeholders that it
 * does not use are refused, without it only if not `tolerant`. Their names go to `ret_params`.
 */
enum status MUST_CHECK item_decode_projection(struct call *call, struct json object, bool tolerant,
                                              struct expr_params *ret_params,
                                              struct projection **ret_projection);

/* Decodes the key of a read and finds and checks its table. */
enum status MUST_CHECK item_find_key(struct call *call, struct json object,
                                     struct table **ret_table, struct item *ret_key);

/*
 * Decodes a write: `object` is the request or a member of a transaction. Expressions, item or key,
 * then the table and the check against it. Expression attribute names and values that no
 * expression uses are refused unless `tolerant` (transactions accept them without expressions).
 */
enum status MUST_CHECK item_decode_write(struct call *call, struct json object,
                                         enum write_kind kind, bool tolerant,
                                         struct write *ret_write);

/* Appends the item, projected if there is a projection. */
void item_append(struct call *call, struct item item, const struct projection *projection);

/* Appends {"ItemCollectionKey":...,"SizeEstimateRangeGB":[...]} of a write to a table with local
 * indexes. */
void item_append_collection(struct call *call, const struct write *write);

/* Whether any two of the `count` rows name one item; sorts what it compares, O(n log n). */
bool item_has_duplicates(struct call *call, uint32_t count,
                         void (*row)(void *context, uint32_t index, struct table **ret_table,
                                     struct item *ret_item),
                         void *context);

/* For write_request.done: wakes the call that `user` points to. */
void item_wake_writer(struct write_request *request);

#endif
