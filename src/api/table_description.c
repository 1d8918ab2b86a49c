/*
 * The description is written from the table as the engine has it and from its settings. Members
 * that are not set are left out, as the service leaves them out.
 */
#include "api/table_description.h"

#include "api/arn.h"
#include "api/response.h"
#include "api/settings.h"
#include "json/attribute.h"

/* What an on-demand table starts with. */
#define WARM_READ_UNITS 12000
#define WARM_WRITE_UNITS 4000
#define KEY_ARN_SIZE_BYTES_MAX 4096

static const char *const state_names[] = {"CREATING", "ACTIVE", "UPDATING", "DELETING"};

/* ---- Parts that tables and indexes share ---- */

static void append_key_elements(struct buf *buf, const struct key_part *parts, uint32_t count,
                                const char *kind)
{
    for (uint32_t i = 0; i < count; i++) {
        response_comma(buf);
        buf_append_byte(buf, '{');
        response_text(buf, "AttributeName", parts[i].name);
        response_text(buf, "KeyType", slice_cstr(kind));
        buf_append_byte(buf, '}');
    }
}

static void append_key_schema(struct buf *buf, const struct key_schema *key)
{
    response_name(buf, "KeySchema");
    buf_append_byte(buf, '[');
    append_key_elements(buf, key->partition, key->partition_count, "HASH");
    append_key_elements(buf, key->sort, key->sort_count, "RANGE");
    buf_append_byte(buf, ']');
}

static void append_throughput(struct buf *buf, const struct throughput *throughput)
{
    response_open(buf, "ProvisionedThroughput");
    if (throughput->increased_ms != 0)
        response_date(buf, "LastIncreaseDateTime", throughput->increased_ms);
    if (throughput->decreased_ms != 0)
        response_date(buf, "LastDecreaseDateTime", throughput->decreased_ms);
    response_int(buf, "NumberOfDecreasesToday", 0);
    response_int(buf, "ReadCapacityUnits", throughput->read_units);
    response_int(buf, "WriteCapacityUnits", throughput->write_units);
    buf_append_byte(buf, '}');
}

static void append_maxima(struct buf *buf, int64_t read_units, int64_t write_units)
{
    if (read_units == UNITS_NONE && write_units == UNITS_NONE)
        return;
    response_open(buf, "OnDemandThroughput");
    response_int(buf, "MaxReadRequestUnits", read_units == UNITS_NONE ? -1 : read_units);
    response_int(buf, "MaxWriteRequestUnits", write_units == UNITS_NONE ? -1 : write_units);
    buf_append_byte(buf, '}');
}

static int64_t first_set(int64_t units, int64_t provisioned_units, int64_t on_demand_units)
{
    if (units != UNITS_NONE)
        return units;
    return provisioned_units != UNITS_NONE ? provisioned_units : on_demand_units;
}

static void append_warm(struct buf *buf, const struct unit_settings *units, const char *state)
{
    response_open(buf, "WarmThroughput");
    response_int(buf, "ReadUnitsPerSecond",
                 first_set(units->warm_read_units, units->provisioned.read_units, WARM_READ_UNITS));
    response_int(
        buf, "WriteUnitsPerSecond",
        first_set(units->warm_write_units, units->provisioned.write_units, WARM_WRITE_UNITS));
    response_text(buf, "Status", slice_cstr(state));
    buf_append_byte(buf, '}');
}

static void append_units(struct buf *buf, const struct unit_settings *units, const char *state)
{
    append_throughput(buf, &units->provisioned);
    append_maxima(buf, units->max_read_units, units->max_write_units);
    append_warm(buf, units, state);
}

static void append_arn(struct buf *buf, const char *name, const struct api_config *config,
                       const struct table *table, const char *kind, struct slice part)
{
    char account[13];
    struct arn arn = {.region = slice_cstr(config->region), .table = table->name};

    tenant_account_id(table->tenant_number, account);
    arn.account = slice_cstr(account);
    response_name(buf, name);
    buf_append_byte(buf, '"');
    arn_append(buf, &arn);
    if (part.n > 0)
        buf_printf(buf, "/%s/%" PRISLICE, kind, SLICE_ARG(part));
    buf_append_byte(buf, '"');
}

/* ---- Indexes ---- */

static void append_projection(struct buf *buf, const struct index *index)
{
    static const char *const names[] = {
        [PROJECTION_ALL] = "ALL",
        [PROJECTION_KEYS_ONLY] = "KEYS_ONLY",
        [PROJECTION_INCLUDE] = "INCLUDE",
    };

    response_open(buf, "Projection");
    response_text(buf, "ProjectionType", slice_cstr(names[index->projection]));
    if (index->projection == PROJECTION_INCLUDE) {
        response_name(buf, "NonKeyAttributes");
        buf_append_byte(buf, '[');
        for (uint32_t i = 0; i < index->included_count; i++) {
            response_comma(buf);
            json_append_string(buf, index->included[i]);
        }
        buf_append_byte(buf, ']');
    }
    buf_append_byte(buf, '}');
}

static const char *index_state(const struct index *index, enum table_state state)
{
    if (state == TABLE_CREATING || state == TABLE_DELETING)
        return state_names[state];
    return index->status == INDEX_CREATING ? "CREATING" : "ACTIVE";
}

static void append_global_parts(struct buf *buf, const struct index *index, enum table_state state)
{
    struct unit_settings settings;

    index_settings_read(index->settings, &settings);
    response_text(buf, "IndexStatus", slice_cstr(index_state(index, state)));
    if (index->status == INDEX_CREATING && state != TABLE_CREATING)
        response_bool(buf, "Backfilling", true);
    append_units(buf, &settings, index_state(index, state));
}

static void append_index(struct buf *buf, const struct api_config *config,
                         const struct table *table, const struct index *index,
                         enum table_state state)
{
    buf_append_byte(buf, '{');
    response_text(buf, "IndexName", index->name);
    append_key_schema(buf, &index->key);
    append_projection(buf, index);
    if (!index->local)
        append_global_parts(buf, index, state);
    response_int(buf, "IndexSizeBytes",
                 index->counters == NULL ? 0 : atomic_load(&index->counters->size_bytes));
    response_int(buf, "ItemCount",
                 index->counters == NULL ? 0 : atomic_load(&index->counters->item_count));
    append_arn(buf, "IndexArn", config, table, "index", index->name);
    buf_append_byte(buf, '}');
}

static void append_indexes(struct buf *buf, const struct api_config *config,
                           const struct table *table, bool local, enum table_state state)
{
    bool open = false;

    for (uint32_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].local != local)
            continue;
        if (!open) {
            response_name(buf, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
            buf_append_byte(buf, '[');
        }
        open = true;
        response_comma(buf);
        append_index(buf, config, table, &table->indexes[i], state);
    }
    if (open)
        buf_append_byte(buf, ']');
}

/* ---- The table ---- */

static void append_attributes(struct buf *buf, const struct table *table)
{
    response_name(buf, "AttributeDefinitions");
    buf_append_byte(buf, '[');
    for (uint32_t i = 0; i < table->attribute_count; i++) {
        response_comma(buf);
        buf_append_byte(buf, '{');
        response_text(buf, "AttributeName", table->attributes[i].name);
        response_text(buf, "AttributeType", slice_cstr(value_type_name(table->attributes[i].type)));
        buf_append_byte(buf, '}');
    }
    buf_append_byte(buf, ']');
}

static void append_billing(struct buf *buf, const struct table_settings *settings)
{
    const char *mode = settings->on_demand ? "PAY_PER_REQUEST" : "PROVISIONED";

    if (!settings->on_demand && settings->on_demand_since_ms == 0)
        return;
    response_open(buf, "BillingModeSummary");
    response_text(buf, "BillingMode", slice_cstr(mode));
    if (settings->on_demand_since_ms != 0)
        response_date(buf, "LastUpdateToPayPerRequestDateTime", settings->on_demand_since_ms);
    buf_append_byte(buf, '}');
    response_open(buf, "TableThroughputModeSummary");
    response_text(buf, "TableThroughputMode", slice_cstr(mode));
    if (settings->on_demand_since_ms != 0)
        response_date(buf, "LastUpdateToPayPerRequestDateTime", settings->on_demand_since_ms);
    buf_append_byte(buf, '}');
}

static void append_stream(struct buf *buf, const struct api_config *config,
                          const struct table *table, const struct table_settings *settings)
{
    if (settings->stream_view.n > 0) {
        response_open(buf, "StreamSpecification");
        response_bool(buf, "StreamEnabled", true);
        response_text(buf, "StreamViewType", settings->stream_view);
        buf_append_byte(buf, '}');
    }
    if (settings->stream_label.n == 0)
        return;
    response_text(buf, "LatestStreamLabel", settings->stream_label);
    append_arn(buf, "LatestStreamArn", config, table, "stream", settings->stream_label);
}

/* The key's ARN: as given, of a key that was given by its id, or of the service's own key. */
static void append_key_arn(struct buf *buf, const struct api_config *config,
                           const struct table *table, struct slice key)
{
    struct slice id = key.n == 0 ? SLICE_LIT("alias/aws/dynamodb") : key;
    char account[13];
    struct buf arn;

    buf_init(&arn, KEY_ARN_SIZE_BYTES_MAX);
    tenant_account_id(table->tenant_number, account);
    if (!arn_is(id))
        buf_printf(&arn, "arn:aws:kms:%s:%s:%s", config->region, account,
                   memchr(id.p, '/', id.n) == NULL ? "key/" : "");
    buf_append_slice(&arn, id);
    response_text(buf, "KMSMasterKeyArn", buf_slice(&arn));
    buf_deinit(&arn);
}

static void append_encryption(struct buf *buf, const struct api_config *config,
                              const struct table *table, const struct table_settings *settings)
{
    if (!settings->encrypted)
        return;
    response_open(buf, "SSEDescription");
    response_text(buf, "Status", SLICE_LIT("ENABLED"));
    response_text(buf, "SSEType", SLICE_LIT("KMS"));
    append_key_arn(buf, config, table, settings->encryption_key);
    buf_append_byte(buf, '}');
}

static void append_settings(struct buf *buf, const struct api_config *config,
                            const struct table *table, enum table_state state)
{
    struct table_settings settings;

    table_settings_read(table->settings, &settings);
    append_billing(buf, &settings);
    append_units(buf, &settings.units, state_names[state]);
    append_stream(buf, config, table, &settings);
    append_encryption(buf, config, table, &settings);
    if (settings.table_class.n > 0) {
        response_open(buf, "TableClassSummary");
        response_text(buf, "TableClass", settings.table_class);
        buf_append_byte(buf, '}');
    }
}

void table_description_append(struct buf *buf, const struct api_config *config,
                              const struct table *table, enum table_state state)
{
    buf_append_byte(buf, '{');
    append_attributes(buf, table);
    response_text(buf, "TableName", table->name);
    append_key_schema(buf, &table->key);
    response_text(buf, "TableStatus", slice_cstr(state_names[state]));
    response_date(buf, "CreationDateTime", table->created_ms);
    append_settings(buf, config, table, state);
    response_int(buf, "TableSizeBytes", atomic_load(&table->counters->size_bytes));
    response_int(buf, "ItemCount", atomic_load(&table->counters->item_count));
    append_arn(buf, "TableArn", config, table, "", SLICE_EMPTY);
    response_text(buf, "TableId", slice_cstr(table->uuid));
    append_indexes(buf, config, table, true, state);
    append_indexes(buf, config, table, false, state);
    response_bool(buf, "DeletionProtectionEnabled", table->deletion_protected);
    buf_append_byte(buf, '}');
}
