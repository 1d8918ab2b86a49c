/*
 * Offline verification of a store: every key and value, every index row against its item, counters
 * and collection sizes against what is there.
 */
#ifndef ROWHOUSE_ENGINE_VERIFY_H
#define ROWHOUSE_ENGINE_VERIFY_H

#include "base/slice.h"
#include "store/kv.h"

struct verify_totals {
    uint64_t tenants;
    uint64_t tables;
    uint64_t items;
    uint64_t index_rows;
    uint64_t dead_rows; /* of dropped tables and indexes, waiting for compaction */
    uint64_t faults;
};

/*
 * Reads the whole store. `report` gets one sentence per fault. ST_OK also if there are faults (see
 * the totals); another status if the store could not be read to its end.
 */
enum status MUST_CHECK verify_store(struct kv *store,
                                    void (*report)(void *context, struct slice sentence),
                                    void *context, struct verify_totals *ret_totals);

#endif
