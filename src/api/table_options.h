/*
 * The parameters that CreateTable and UpdateTable share beside keys and indexes. They are decoded
 * when the request is at hand and applied to the settings when the table is.
 */
#ifndef ROWHOUSE_API_TABLE_OPTIONS_H
#define ROWHOUSE_API_TABLE_OPTIONS_H

#include "api/call.h"
#include "api/settings.h"

/* Capacity of a table or of a global index, as far as it was given. */
struct unit_options {
    bool has_provisioned;
    int64_t read_units;
    int64_t write_units;
    bool has_maxima;
    int64_t max_read_units; /* 0: not given, -1: none from now on */
    int64_t max_write_units;
    int64_t warm_read_units;
    int64_t warm_write_units;
};

struct table_options {
    struct unit_options units;
    bool has_billing_mode;
    bool on_demand;
    bool has_stream;
    bool stream_enabled;
    struct slice stream_view;
    bool has_encryption;
    bool encrypted;
    struct slice encryption_key;
    bool has_protection;
    bool deletion_protected;
    struct slice table_class; /* empty: not given */
    struct slice policy;
    struct item tags;
};

/* `index_name` is empty for the table itself. */
enum status MUST_CHECK unit_options_decode(struct json object, struct slice index_name,
                                           struct error *error, struct unit_options *ret_options);
/* OnDemandThroughput needs on-demand billing. */
enum status MUST_CHECK unit_options_check_maxima(const struct unit_options *options,
                                                 struct slice index_name, bool on_demand,
                                                 struct error *error);
/* WarmThroughput never decreases. */
enum status MUST_CHECK unit_options_check_warm(const struct unit_options *options,
                                               struct slice index_name,
                                               const struct unit_settings *current,
                                               struct error *error);
/* Changes what was given. Throughput that grows or shrinks is stamped with `now_ms`, but not the
 * first. */
void unit_options_apply(const struct unit_options *options, int64_t now_ms,
                        struct unit_settings *settings);

/* All parameters but keys and indexes; results are in the arena of the call. */
enum status MUST_CHECK table_options_decode(struct call *call, struct table_options *ret_options);
/* Slices of the settings become views of the options. A stream that is switched on gets a label,
 * allocated in `arena`. */
void table_options_apply(const struct table_options *options, int64_t now_ms, struct arena *arena,
                         struct table_settings *settings);

#endif
