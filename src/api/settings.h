/*
 * What a table has beside what the engine knows: billing, throughput, tags and the like. They are
 * kept as an item (table->settings, index->settings) under their API names; a member that has its
 * default is left out.
 */
#ifndef ROWHOUSE_API_SETTINGS_H
#define ROWHOUSE_API_SETTINGS_H

#include "base/arena.h"
#include "model/value.h"

#define UNITS_NONE 0

struct throughput {
    int64_t read_units; /* both UNITS_NONE: billed per request */
    int64_t write_units;
    int64_t increased_ms;
    int64_t decreased_ms;
};

/* Capacity of a table or of a global index. */
struct unit_settings {
    struct throughput provisioned;
    int64_t max_read_units; /* OnDemandThroughput; UNITS_NONE: no maximum */
    int64_t max_write_units;
    int64_t warm_read_units; /* WarmThroughput; UNITS_NONE shows the defaults */
    int64_t warm_write_units;
};

struct table_settings {
    struct unit_settings units;
    bool on_demand; /* BillingMode PAY_PER_REQUEST */
    int64_t on_demand_since_ms;
    struct slice table_class;    /* empty: STANDARD, and not shown */
    struct slice stream_view;    /* empty: no stream is enabled */
    struct slice stream_label;   /* of the latest stream, which may be disabled by now */
    bool encrypted;              /* SSESpecification.Enabled */
    struct slice encryption_key; /* KMSMasterKeyId */
    struct slice policy;         /* ResourcePolicy */
    struct item tags;            /* key -> S */
};

/* Slices of the result are views of the item. Unknown members are passed over. */
void table_settings_read(struct item item, struct table_settings *ret_settings);
/* The item is in the arena. Members that have their default are left out. */
struct item table_settings_write(const struct table_settings *settings, struct arena *arena);
void index_settings_read(struct item item, struct unit_settings *ret_settings);
struct item index_settings_write(const struct unit_settings *settings, struct arena *arena);

#endif
