/*
 * What the client asks for, and the data that it asks about. One table, two kinds of rows:
 *
 *   pk = ITEM#00001234   sk = DATA       1,024 bytes each: read and written alone
 *   pk = ORG#00000012    sk = ROW#0007   400 bytes each, 50 to a partition: read by a Query
 *
 * Sizes are those that DynamoDB charges for: names and values.
 *
 * A server may leave out a write that changes nothing. So each PutItem carries a version, which
 * decides the text in its item: two versions of one row never have the same.
 */
#ifndef ROWHOUSE_BENCH_OPERATION_H
#define ROWHOUSE_BENCH_OPERATION_H

#include "base/buf.h"

struct data_set {
    const char *table;
    unsigned item_count;
    unsigned partition_count;
};

struct operation {
    const char *name;
    const char *target;           /* X-Amz-Target without the API's version */
    size_t answer_size_bytes_min; /* a shorter body cannot hold what was asked for */
    /* How many different requests there are. */
    unsigned (*count)(const struct data_set *data_set);
    /* Appends the JSON of request `number`, below count(). Only writes look at the version. */
    void (*append_body)(const struct data_set *data_set, unsigned number, uint64_t version,
                        struct buf *body);
};

extern const struct operation operation_create_table;
extern const struct operation operation_describe_table;
extern const struct operation operation_get;
extern const struct operation operation_put;
extern const struct operation operation_put_row; /* one row of a partition */
extern const struct operation operation_query;   /* all rows of one partition */

#endif
