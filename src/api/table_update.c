/*
 * UpdateTable. The request is decoded at once; what it means for the table is decided on the
 * committer's thread, against the newest version.
 */
#include "api/index_updates.h"
#include "api/request.h"
#include "api/table_change.h"
#include "api/table_operations.h"
#include "api/table_schema.h"
#include "api/wording.h"
#include "base/container.h"

struct table_update {
    struct table_change change;
    struct slice name;
    struct table_options options;
    const struct key_part *attributes;
    uint32_t attribute_count;
    struct index_updates indexes;
    int64_t now_ms;
};

/* ---- Decoding ---- */

/* What one request may change. */
static const struct operation_member {
    const char *name;
    const char *alone; /* if it must be the only one: what messages call it */
} members[] = {
    {"ProvisionedThroughput", NULL},
    {"BillingMode", NULL},
    {"StreamSpecification", NULL},
    {"GlobalSecondaryIndexUpdates", NULL},
    {"OnDemandThroughput", NULL},
    {"SSESpecification", "Server-Side Encryption modification"},
    {"TableClass", "TableClass modification"},
    {"DeletionProtectionEnabled", "DeletionProtection modification"},
    {"WarmThroughput", "WarmThroughput"},
};

static enum status check_members(struct call *call)
{
    const struct operation_member *alone = NULL;
    uint32_t given = 0;

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (!request_has(call->request, members[i].name))
            continue;
        given++;
        if (alone == NULL && members[i].alone != NULL)
            alone = &members[i];
    }
    if (given == 0)
        return error_set(&call->error, ERROR_VALIDATION,
                         "At least one of ProvisionedThroughput, BillingMode, "
                         "UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, "
                         "ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
                         "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
                         "WarmThroughput or TableClass is required");
    if (alone != NULL && given > 1)
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "%s must be the only operation in the request",
                         alone->alone);
    if (request_has(call->request, "OnDemandThroughput") &&
        given > 1 + (uint32_t)request_has(call->request, "BillingMode"))
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "OnDemandThroughput can only be combined with BillingMode in an "
                         "UpdateTable request");
    return ST_OK;
}

static enum status check_billing(const struct table_options *options, struct error *error)
{
    if (options->on_demand && options->units.has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                         "specified when BillingMode is PAY_PER_REQUEST");
    return ST_OK;
}

static enum status check_stream_view(const struct table_options *options, struct error *error)
{
    if (options->stream_enabled && options->stream_view.n == 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "If stream is being enabled then UpdateViewType is required");
    if (!options->stream_enabled && options->stream_view.n > 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "If stream is being disabled, then UpdateViewType must not be "
                         "specified");
    return ST_OK;
}

/* Streams, table throughput and the set of indexes change one at a time. */
static enum status check_combination(const struct table_update *update, struct error *error)
{
    bool index_set = index_updates_change_set(&update->indexes);
    bool units = update->options.units.has_provisioned;

    if (units && update->options.has_stream)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "You cannot modify stream status while updating table IOPS");
    if (units && index_set)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "You cannot create or delete index while updating table IOPS");
    if (update->options.has_stream && index_set)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "You cannot create or delete index while changing stream status");
    return ST_OK;
}

static enum status decode_parts(struct call *call, struct table_update *update)
{
    struct error *error = &call->error;

    TRY(table_options_decode(call, &update->options));
    TRY(schema_decode_attributes(request_member(call->request, "AttributeDefinitions"), error,
                                 &update->attributes, &update->attribute_count));
    return index_updates_decode(call, &update->indexes);
}

static enum status decode(struct call *call, struct table_update *update)
{
    struct error *error = &call->error;

    TRY(table_change_name(call, &update->name));
    if (request_has(call->request, "ReplicaUpdates"))
        return error_set(error, ERROR_VALIDATION, INVALID_PARAMETERS "Replicas are not supported");
    TRY(check_members(call));
    TRY(decode_parts(call, update));
    TRY(check_billing(&update->options, error));
    TRY(check_stream_view(&update->options, error));
    TRY(check_combination(update, error));
    TRY(index_updates_check_attributes(&update->indexes, update->attributes,
                                       update->attribute_count, error));
    update->now_ms = clock_wall_ms(call->config->clock);
    return ST_OK;
}

/* ---- Checks against the table ---- */

static enum status check_throughput(const struct table_update *update,
                                    const struct table_settings *settings, struct error *error)
{
    const struct unit_options *units = &update->options.units;
    const struct throughput *current = &settings->units.provisioned;
    bool on_demand =
        update->options.has_billing_mode ? update->options.on_demand : settings->on_demand;

    if (on_demand && units->has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                         "specified when BillingMode is PAY_PER_REQUEST");
    if (!on_demand && settings->on_demand && !units->has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProvisionedThroughput must be specified when BillingMode is "
                         "PROVISIONED");
    TRY(unit_options_check_maxima(units, SLICE_EMPTY, on_demand, error));
    TRY(unit_options_check_warm(units, SLICE_EMPTY, &settings->units, error));
    if (!units->has_provisioned || units->read_units != current->read_units ||
        units->write_units != current->write_units)
        return ST_OK;
    return error_set(
        error, ERROR_VALIDATION,
        "The provisioned throughput for the table will not change. The requested value equals the "
        "current value. Current ReadCapacityUnits provisioned for the table: %lld. Requested "
        "ReadCapacityUnits: %lld. Current WriteCapacityUnits provisioned for the table: %lld. "
        "Requested WriteCapacityUnits: %lld. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits.",
        (long long)current->read_units, (long long)units->read_units,
        (long long)current->write_units, (long long)units->write_units);
}

static enum status check_stream(const struct table_update *update,
                                const struct table_settings *settings, struct error *error)
{
    bool enabled = settings->stream_view.n > 0;

    if (!update->options.has_stream || update->options.stream_enabled != enabled)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     enabled ? "Table already has an enabled stream: TableName: %" PRISLICE
                             : "Table has no stream to disable: TableName: %" PRISLICE,
                     SLICE_ARG(update->name));
}

/* ---- Building the next version ---- */

static bool has_attribute(const struct table_spec *spec, struct slice name)
{
    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        if (slice_equal(spec->attributes[i].name, name))
            return true;
    }
    return false;
}

/* Adds the definitions that are new. One that is there already keeps its type whatever the request
 * says, and one that no key uses is dropped. */
static void merge_attributes(const struct table_update *update, struct arena *arena,
                             struct table_spec *spec)
{
    uint32_t count = spec->attribute_count;
    struct key_part *merged =
        ARENA_ARRAY(arena, struct key_part, count + update->attribute_count + 1);

    memcpy(merged, spec->attributes, count * sizeof(merged[0]));
    for (uint32_t i = 0; i < update->attribute_count; i++) {
        if (!has_attribute(spec, update->attributes[i].name))
            merged[count++] = update->attributes[i];
    }
    spec->attributes = merged;
    spec->attribute_count = count;
    schema_drop_unused(spec, arena);
}

/* Indexes of a table that changes to provisioned billing start with its throughput, those of one
 * that changes to on-demand lose theirs. */
static void follow_billing(const struct table_settings *settings, struct arena *arena,
                           struct table_spec *spec)
{
    for (uint32_t i = 0; i < spec->index_count; i++) {
        struct unit_settings units;

        if (spec->indexes[i].local)
            continue;
        index_settings_read(spec->indexes[i].settings, &units);
        if (settings->on_demand)
            units.provisioned = (struct throughput){0};
        else if (units.provisioned.read_units == UNITS_NONE)
            units.provisioned = settings->units.provisioned;
        spec->indexes[i].settings = index_settings_write(&units, arena);
    }
}

static enum status apply_indexes(const struct table_update *update, const struct table *current,
                                 bool on_demand, struct table_spec *spec, struct error *error)
{
    if (update->indexes.count == 0)
        return ST_OK;
    TRY(index_updates_apply(&update->indexes, current, on_demand, update->now_ms, spec, error));
    merge_attributes(update, error->arena, spec);
    return schema_check(spec, error);
}

static enum status alter(struct table_change *change, const struct table *current,
                         struct table_spec *ret_next)
{
    const struct table_update *update = CONTAINER_OF(change, struct table_update, change);
    struct table_settings settings;
    struct table_spec spec;

    table_settings_read(current->settings, &settings);
    TRY(check_throughput(update, &settings, &change->error));
    TRY(check_stream(update, &settings, &change->error));
    table_spec_of(current, &spec);
    table_options_apply(&update->options, update->now_ms, change->arena, &settings);
    TRY(apply_indexes(update, current, settings.on_demand, &spec, &change->error));
    if (update->options.has_billing_mode)
        follow_billing(&settings, change->arena, &spec);
    if (update->options.has_protection)
        spec.deletion_protected = update->options.deletion_protected;
    spec.settings = table_settings_write(&settings, change->arena);
    *ret_next = spec;
    return ST_OK;
}

enum turn table_update_begin(struct call *call)
{
    struct table_update *update = ARENA_NEW(&call->arena, struct table_update);
    enum status status;
    struct table *table;

    call->state = update;
    if (decode(call, update) != ST_OK)
        return TURN_DONE;
    status = request_find_table(call, request_member(call->request, "TableName"), LOOKUP_FOR_TABLE,
                                &table);
    if (status != ST_OK)
        return request_fail(call, status);
    return table_change_submit(call, &update->change, TABLE_ALTER, update->name, alter);
}

enum turn table_update_resume(struct call *call)
{
    struct table_update *update = call->state;

    return table_change_answer(call, &update->change, TABLE_UPDATING);
}
