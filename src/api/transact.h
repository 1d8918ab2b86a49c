/* What the two transactional operations share: cancellation reasons and capacity per table. */
#ifndef ROWHOUSE_API_TRANSACT_H
#define ROWHOUSE_API_TRANSACT_H

#include "api/capacity.h"
#include "api/request.h"

#define TRANSACT_SIZE_BYTES_MAX (4u * 1024 * 1024)

/*
 * Answers with TransactionCanceledException: one reason per fault (none where the code is
 * ERROR_NONE). `items`, if not NULL, are shown beside failed conditions where they exist. Always
 * ST_REFUSED, so that `return transact_cancel(...)` is the idiom.
 */
enum status transact_cancel(struct call *call, const struct error *faults, const struct item *items,
                            uint32_t count);

/* Capacity added up per table, in order of first appearance. */
struct transact_capacity;

/* In the arena of the call; empty, for at most `table_count_max` tables. */
struct transact_capacity *transact_capacity_new(struct call *call, uint32_t table_count_max,
                                                enum capacity_kind kind);
/* What is added up for the table. */
struct capacity *transact_capacity_of(struct transact_capacity *capacities,
                                      const struct table *table);
/* Appends ,"ConsumedCapacity":[...]. */
void transact_capacity_append(struct call *call, const struct transact_capacity *capacities,
                              enum capacity_detail detail);

#endif
