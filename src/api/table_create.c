/* CreateTable. */
#include "api/request.h"
#include "api/shape.h"
#include "api/table_change.h"
#include "api/table_operations.h"
#include "api/table_options.h"
#include "api/table_schema.h"
#include "api/wording.h"
#include "base/container.h"

struct table_create {
    struct table_change change;
    struct table_options options;
    struct table_spec spec;
};

static enum status check_billing(const struct table_options *options, struct error *error)
{
    if (options->on_demand && options->units.has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                         "specified when BillingMode is PAY_PER_REQUEST");
    if (!options->on_demand && !options->units.has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ReadCapacityUnits and WriteCapacityUnits must both be specified "
                         "when BillingMode is PROVISIONED");
    return ST_OK;
}

static enum status check_stream(const struct table_options *options, struct error *error)
{
    if (options->stream_enabled && options->stream_view.n == 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Table is being created with a stream enabled, UpdateViewType is "
                         "required");
    if (!options->stream_enabled && options->stream_view.n > 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Table is being created with a stream disabled, UpdateViewType "
                         "should not be specified");
    return ST_OK;
}

static enum status check_index_units(const struct unit_options *options, struct slice name,
                                     bool on_demand, struct error *error)
{
    if (on_demand && options->has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProvisionedThroughput should not be specified for index: "
                         "%" PRISLICE " when BillingMode is PAY_PER_REQUEST",
                         SLICE_ARG(name));
    if (!on_demand && !options->has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProvisionedThroughput is not specified for index: %" PRISLICE,
                         SLICE_ARG(name));
    return unit_options_check_maxima(options, name, on_demand, error);
}

static enum status check_name(struct call *call, struct slice name)
{
    if (shape_is_table_name(name))
        return ST_OK;
    return error_set(&call->error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "TableName is not the name of a table of this account");
}

static enum status decode_index_units(struct json index, bool on_demand, struct error *error,
                                      struct index *ret_index)
{
    struct unit_settings settings = {0};
    struct unit_options options;

    TRY(unit_options_decode(index, ret_index->name, error, &options));
    TRY(check_index_units(&options, ret_index->name, on_demand, error));
    unit_options_apply(&options, 0, &settings);
    ret_index->settings = index_settings_write(&settings, error->arena);
    return ST_OK;
}

static enum status check_index_count(uint32_t count, bool local, struct error *error)
{
    if (count == 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "List of %sSecondaryIndexes is empty",
                         local ? "Local" : "Global");
    if (local && count > TABLE_LOCAL_INDEXES_MAX)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
                         TABLE_LOCAL_INDEXES_MAX);
    if (!local && count > TABLE_GLOBAL_INDEXES_MAX)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                         TABLE_GLOBAL_INDEXES_MAX);
    return ST_OK;
}

static enum status decode_indexes(struct call *call, struct table_create *create, bool local)
{
    struct json list =
        request_member(call->request, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
    struct json_iter iter = json_iter(list);
    struct table_spec *spec = &create->spec;
    struct json element;

    if (json_type(list) != JSON_ARRAY)
        return ST_OK;
    TRY(check_index_count(json_count(list), local, &call->error));
    while (json_next_element(&iter, &element)) {
        struct index *index = &spec->indexes[spec->index_count++];

        TRY(schema_decode_index(element, local, &call->error, index));
        if (!local)
            TRY(decode_index_units(element, create->options.on_demand, &call->error, index));
    }
    return ST_OK;
}

static enum status decode_schema(struct call *call, struct table_create *create)
{
    struct table_spec *spec = &create->spec;

    TRY(schema_decode_attributes(request_member(call->request, "AttributeDefinitions"),
                                 &call->error, &spec->attributes, &spec->attribute_count));
    TRY(schema_decode_key(request_member(call->request, "KeySchema"), &call->error, &spec->key));
    TRY(decode_indexes(call, create, true));
    TRY(decode_indexes(call, create, false));
    return schema_check(spec, &call->error);
}

static enum status decode(struct call *call, struct table_create *create)
{
    int64_t now_ms = clock_wall_ms(call->config->clock);
    struct table_settings settings = {0};

    TRY(table_change_name(call, &create->spec.name));
    TRY(check_name(call, create->spec.name));
    TRY(table_options_decode(call, &create->options));
    TRY(check_billing(&create->options, &call->error));
    TRY(unit_options_check_maxima(&create->options.units, SLICE_EMPTY, create->options.on_demand,
                                  &call->error));
    TRY(check_stream(&create->options, &call->error));
    TRY(decode_schema(call, create));
    table_options_apply(&create->options, now_ms, &call->arena, &settings);
    create->spec.deletion_protected = create->options.deletion_protected;
    create->spec.settings = table_settings_write(&settings, &call->arena);
    return ST_OK;
}

static enum status alter(struct table_change *change, const struct table *current,
                         struct table_spec *ret_next)
{
    (void)current;
    *ret_next = CONTAINER_OF(change, struct table_create, change)->spec;
    return ST_OK;
}

enum turn table_create_begin(struct call *call)
{
    struct table_create *create = ARENA_NEW(&call->arena, struct table_create);

    call->state = create;
    if (call->scope == NULL && !call->config->development) {
        (void)error_set(&call->error, ERROR_UNRECOGNIZED_CLIENT,
                        "The security token included in the request is invalid.");
        return TURN_DONE;
    }
    if (decode(call, create) != ST_OK)
        return TURN_DONE;
    return table_change_submit(call, &create->change, TABLE_CREATE, create->spec.name, alter);
}

enum turn table_create_resume(struct call *call)
{
    struct table_create *create = call->state;

    return table_change_answer(call, &create->change, TABLE_CREATING);
}
