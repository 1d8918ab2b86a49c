/*
 * Options are what a request gave, settings what a table has. They differ because UpdateTable names
 * only what changes.
 */
#include "api/table_options.h"

#include <stdlib.h>
#include <time.h>

#include "api/request.h"
#include "base/check.h"

#define UNITS_MAX 1000000000000
#define TAGS_MAX 50
#define POLICY_SIZE_BYTES_MAX 20480
#define ENCRYPTION_KEY_SIZE_BYTES_MAX 2048
#define TAGS_SIZE_BYTES_MAX (256 * 1024)

/* ---- Capacity ---- */

/* " for table" or " for index : NAME", as messages about maxima have it. */
static struct slice owner_text(struct slice index_name, struct arena *arena)
{
    if (index_name.n == 0)
        return SLICE_LIT("table");
    return arena_printf(arena, "index : %" PRISLICE, SLICE_ARG(index_name));
}

static enum status check_units(int64_t units, const char *name, struct slice index_name,
                               struct error *error)
{
    if (units <= UNITS_MAX)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     "Given value %lld for %s is out of bounds for %s%" PRISLICE, (long long)units,
                     name, index_name.n == 0 ? "the table" : "index ", SLICE_ARG(index_name));
}

static enum status decode_provisioned(struct json object, struct slice index_name,
                                      struct error *error, struct unit_options *options)
{
    struct json member = request_member(object, "ProvisionedThroughput");

    if (json_type(member) != JSON_OBJECT)
        return ST_OK;
    options->has_provisioned = true;
    options->read_units = request_int(member, "ReadCapacityUnits", 0);
    options->write_units = request_int(member, "WriteCapacityUnits", 0);
    TRY(check_units(options->read_units, "ReadCapacityUnits", index_name, error));
    return check_units(options->write_units, "WriteCapacityUnits", index_name, error);
}

static enum status decode_maximum(struct json member, const char *name, struct slice index_name,
                                  struct error *error, int64_t *ret_units)
{
    *ret_units = request_int(member, name, 0);
    if (!request_has(member, name) || *ret_units == -1 || *ret_units > 0)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "Requested %s for OnDemandThroughput for %" PRISLICE
                                        " is outside of valid range",
                     name, SLICE_ARG(owner_text(index_name, error->arena)));
}

static enum status decode_maxima(struct json object, struct slice index_name, struct error *error,
                                 struct unit_options *options)
{
    struct json member = request_member(object, "OnDemandThroughput");

    if (json_type(member) != JSON_OBJECT)
        return ST_OK;
    options->has_maxima = true;
    TRY(decode_maximum(member, "MaxReadRequestUnits", index_name, error, &options->max_read_units));
    return decode_maximum(member, "MaxWriteRequestUnits", index_name, error,
                          &options->max_write_units);
}

enum status unit_options_decode(struct json object, struct slice index_name, struct error *error,
                                struct unit_options *ret_options)
{
    struct json warm = request_member(object, "WarmThroughput");
    struct unit_options options = {0};

    TRY(decode_provisioned(object, index_name, error, &options));
    TRY(decode_maxima(object, index_name, error, &options));
    options.warm_read_units = request_int(warm, "ReadUnitsPerSecond", 0);
    options.warm_write_units = request_int(warm, "WriteUnitsPerSecond", 0);
    *ret_options = options;
    return ST_OK;
}

enum status unit_options_check_maxima(const struct unit_options *options, struct slice index_name,
                                      bool on_demand, struct error *error)
{
    const char *name =
        options->max_read_units != 0 ? "MaxReadRequestUnits" : "MaxWriteRequestUnits";

    if (on_demand || !options->has_maxima)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "%s for OnDemandThroughput%s%" PRISLICE
                                        " cannot be specified when "
                                        "the table BillingMode is PROVISIONED",
                     name, index_name.n == 0 ? "" : " for index : ", SLICE_ARG(index_name));
}

static enum status check_warm(int64_t wanted, int64_t current, const char *name,
                              struct slice index_name, struct error *error)
{
    if (wanted == 0 || wanted >= current)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     INVALID_PARAMETERS
                     "Requested %s for WarmThroughput for %s%" PRISLICE
                     " is lower than current WarmThroughput, decreasing WarmThroughput is "
                     "not supported",
                     name, index_name.n == 0 ? "table" : "index ", SLICE_ARG(index_name));
}

enum status unit_options_check_warm(const struct unit_options *options, struct slice index_name,
                                    const struct unit_settings *current, struct error *error)
{
    TRY(check_warm(options->warm_read_units, current->warm_read_units, "ReadUnitsPerSecond",
                   index_name, error));
    return check_warm(options->warm_write_units, current->warm_write_units, "WriteUnitsPerSecond",
                      index_name, error);
}

static void apply_provisioned(const struct unit_options *options, int64_t now_ms,
                              struct throughput *throughput)
{
    bool had = throughput->read_units != UNITS_NONE;

    if (had && (options->read_units > throughput->read_units ||
                options->write_units > throughput->write_units))
        throughput->increased_ms = now_ms;
    if (had && (options->read_units < throughput->read_units ||
                options->write_units < throughput->write_units))
        throughput->decreased_ms = now_ms;
    throughput->read_units = options->read_units;
    throughput->write_units = options->write_units;
}

static int64_t new_maximum(int64_t given, int64_t current)
{
    if (given == 0)
        return current;
    return given == -1 ? UNITS_NONE : given;
}

void unit_options_apply(const struct unit_options *options, int64_t now_ms,
                        struct unit_settings *settings)
{
    if (options->has_provisioned)
        apply_provisioned(options, now_ms, &settings->provisioned);
    if (options->has_maxima) {
        settings->max_read_units = new_maximum(options->max_read_units, settings->max_read_units);
        settings->max_write_units =
            new_maximum(options->max_write_units, settings->max_write_units);
    }
    if (options->warm_read_units > 0)
        settings->warm_read_units = options->warm_read_units;
    if (options->warm_write_units > 0)
        settings->warm_write_units = options->warm_write_units;
}

/* ---- Streams, encryption, policy ---- */

static void decode_stream(struct call *call, struct table_options *options)
{
    struct json member = request_member(call->request, "StreamSpecification");

    if (json_type(member) != JSON_OBJECT)
        return;
    options->has_stream = true;
    options->stream_enabled = request_bool(member, "StreamEnabled", false);
    options->stream_view = request_string(call, member, "StreamViewType");
}

static enum status decode_encryption(struct call *call, struct table_options *options)
{
    struct json member = request_member(call->request, "SSESpecification");

    if (json_type(member) != JSON_OBJECT)
        return ST_OK;
    options->has_encryption = true;
    options->encrypted = request_bool(member, "Enabled", false);
    options->encryption_key = request_string(call, member, "KMSMasterKeyId");
    if (options->encryption_key.n > ENCRYPTION_KEY_SIZE_BYTES_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "KMSMasterKeyId is too long");
    if (!options->encrypted && request_has(member, "SSEType"))
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "SSEType can not be specified if Enabled is false");
    if (!options->encrypted && options->encryption_key.n > 0)
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "KMSMasterKeyId can not be specified if Enabled is false");
    if (request_string_is(member, "SSEType", "AES256"))
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "SSEType AES256 is not supported");
    return ST_OK;
}

static enum status decode_policy(struct call *call, struct table_options *options)
{
    options->policy = request_string(call, call->request, "ResourcePolicy");
    if (options->policy.n > POLICY_SIZE_BYTES_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Maximum policy size of %d bytes exceeded",
                         POLICY_SIZE_BYTES_MAX);
    return ST_OK;
}

/* ---- Tags ---- */

struct tag {
    struct slice key;
    struct slice value;
};

static int compare_tags(const void *a, const void *b)
{
    return slice_compare(((const struct tag *)a)->key, ((const struct tag *)b)->key);
}

static enum status check_tags(const struct tag *tags, uint32_t count, struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slice_has_prefix(tags[i].key, SLICE_LIT("aws:")))
            return error_set(error, ERROR_VALIDATION,
                             "Tag Key cannot be prefixed with aws:, Key: %" PRISLICE,
                             SLICE_ARG(tags[i].key));
        if (i > 0 && slice_equal(tags[i].key, tags[i - 1].key))
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS "Duplicate tag key: %" PRISLICE,
                             SLICE_ARG(tags[i].key));
    }
    return ST_OK;
}

static struct item write_tags(const struct tag *tags, uint32_t count, struct arena *arena)
{
    struct value_writer writer;
    struct item item;
    struct buf buf;

    buf_init(&buf, TAGS_SIZE_BYTES_MAX);
    writer_init(&writer, &buf);
    writer_begin_map(&writer, count);
    for (uint32_t i = 0; i < count; i++) {
        writer_name(&writer, tags[i].key);
        writer_string(&writer, tags[i].value);
    }
    writer_end(&writer);
    CHECK(!buf.failed);
    item = writer_item(&writer, 0);
    item.payload = arena_copy(arena, item.payload);
    buf_deinit(&buf);
    return item;
}

static enum status decode_tags(struct call *call, struct table_options *options)
{
    struct json list = request_member(call->request, "Tags");
    struct json_iter iter = json_iter(list);
    struct tag tags[TAGS_MAX];
    uint32_t count = 0;
    struct json element;

    if (json_type(list) != JSON_ARRAY || json_count(list) == 0)
        return ST_OK;
    if (json_count(list) > TAGS_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Number of Tags exceed the current limit for the provided ResourceArn");
    while (json_next_element(&iter, &element)) {
        tags[count].key = request_string(call, element, "Key");
        tags[count++].value = request_string(call, element, "Value");
    }
    qsort(tags, count, sizeof(tags[0]), compare_tags);
    TRY(check_tags(tags, count, &call->error));
    options->tags = write_tags(tags, count, &call->arena);
    return ST_OK;
}

/* ---- All ---- */

enum status table_options_decode(struct call *call, struct table_options *ret_options)
{
    struct table_options options = {0};
    struct json request = call->request;

    options.has_billing_mode = request_has(request, "BillingMode");
    options.on_demand = request_string_is(request, "BillingMode", "PAY_PER_REQUEST");
    TRY(unit_options_decode(request, SLICE_EMPTY, &call->error, &options.units));
    options.has_protection = request_has(request, "DeletionProtectionEnabled");
    options.deletion_protected = request_bool(request, "DeletionProtectionEnabled", false);
    options.table_class = request_string(call, request, "TableClass");
    decode_stream(call, &options);
    TRY(decode_encryption(call, &options));
    TRY(decode_policy(call, &options));
    TRY(decode_tags(call, &options));
    *ret_options = options;
    return ST_OK;
}

static struct slice stream_label(int64_t now_ms, struct arena *arena)
{
    time_t seconds = (time_t)(now_ms / 1000);
    char text[32];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    CHECK(strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) > 0);
    return arena_printf(arena, "%s.%03d", text, (int)(now_ms % 1000));
}

static void apply_billing(const struct table_options *options, int64_t now_ms,
                          struct table_settings *settings)
{
    if (!options->has_billing_mode || settings->on_demand == options->on_demand)
        return;
    settings->on_demand = options->on_demand;
    if (!options->on_demand)
        return;
    settings->on_demand_since_ms = now_ms;
    settings->units.provisioned.read_units = UNITS_NONE;
    settings->units.provisioned.write_units = UNITS_NONE;
}

void table_options_apply(const struct table_options *options, int64_t now_ms, struct arena *arena,
                         struct table_settings *settings)
{
    apply_billing(options, now_ms, settings);
    unit_options_apply(&options->units, now_ms, &settings->units);
    if (options->has_stream) {
        settings->stream_view = options->stream_view;
        if (options->stream_enabled)
            settings->stream_label = stream_label(now_ms, arena);
    }
    if (options->has_encryption) {
        settings->encrypted = options->encrypted;
        settings->encryption_key = options->encryption_key;
    }
    if (options->table_class.n > 0)
        settings->table_class = options->table_class;
    if (options->policy.n > 0)
        settings->policy = options->policy;
    if (item_exists(options->tags))
        settings->tags = options->tags;
}
