/*
 * ReturnConsumedCapacity: units are counted in halves, because an eventually consistent read of up
 * to 4 KB costs half a unit.
 */
#ifndef ROWHOUSE_API_CAPACITY_H
#define ROWHOUSE_API_CAPACITY_H

#include "base/buf.h"
#include "engine/engine.h"
#include "json/json.h"

enum capacity_detail { CAPACITY_NONE, CAPACITY_TOTAL, CAPACITY_INDEXES };

/* Transactions name the kind of units beside CapacityUnits. */
enum capacity_kind { CAPACITY_OF_ANY, CAPACITY_OF_READS, CAPACITY_OF_WRITES };

struct capacity {
    const struct table *table;
    enum capacity_kind kind;
    uint64_t table_halves;
    uint64_t index_halves[TABLE_INDEXES_MAX]; /* by position in table->indexes */
};

/* The member ReturnConsumedCapacity of a request. */
enum capacity_detail capacity_detail_of(struct json request);

/* Nothing consumed yet. `table` must outlive it. */
void capacity_init(struct capacity *capacity, const struct table *table, enum capacity_kind kind);
/* What reading `size_bytes` costs, at least one block of 4 KB. */
uint64_t capacity_read_halves(uint64_t size_bytes, bool consistent);
/* Adds a write; `factor` is 2 in transactions. */
void capacity_add_write(struct capacity *capacity, const struct write_cost *cost, uint32_t factor);
/* Adds a read of `index` (NULL: the table). */
void capacity_add_read(struct capacity *capacity, const struct index *index, uint64_t halves);
/* Of the table and all its indexes. */
uint64_t capacity_total_halves(const struct capacity *capacity);

/* Appends {"TableName":...,"CapacityUnits":...}; with CAPACITY_INDEXES also what table and
 * indexes took. Indexes that took nothing are left out. */
void capacity_append(struct buf *buf, const struct capacity *capacity, enum capacity_detail detail);
/* Appends the member "ConsumedCapacity":{...}, or nothing with CAPACITY_NONE. */
void capacity_append_member(struct buf *buf, const struct capacity *capacity,
                            enum capacity_detail detail);

#endif
