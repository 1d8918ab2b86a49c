/*
 * Decoding runs on the loop, applying on the committer: between them lies nothing but the arena.
 */
#include "api/index_updates.h"

#include "api/request.h"
#include "api/table_schema.h"

#define ONE_AT_A_TIME                                                                              \
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per " \
    "table"

/* The members of a GlobalSecondaryIndexUpdate, by kind. */
static const char *const kind_names[] = {
    [INDEX_UPDATE_CREATE] = "Create",
    [INDEX_UPDATE_CHANGE] = "Update",
    [INDEX_UPDATE_DELETE] = "Delete",
};

/* ---- Decoding ---- */

static enum status decode_action(struct json action, struct error *error,
                                 struct index_update *update)
{
    update->name = arena_copy(error->arena, json_string(request_member(action, "IndexName")));
    if (update->kind == INDEX_UPDATE_CREATE)
        TRY(schema_decode_index(action, false, error, &update->index));
    return unit_options_decode(action, update->name, error, &update->units);
}

static enum status decode_update(struct json element, struct error *error,
                                 struct index_update *ret_update)
{
    uint32_t given = 0;

    for (uint32_t kind = 0; kind <= INDEX_UPDATE_DELETE; kind++) {
        if (!request_has(element, kind_names[kind]))
            continue;
        given++;
        ret_update->kind = (enum index_update_kind)kind;
    }
    if (given == 0)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "One of GlobalSecondaryIndexUpdate.Update, "
                                            "GlobalSecondaryIndexUpdate.Create, "
                                            "GlobalSecondaryIndexUpdate.Delete must not be null");
    if (given > 1)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Only one global secondary index action is allowed per "
                                            "GlobalSecondaryIndexUpdate object");
    return decode_action(request_member(element, kind_names[ret_update->kind]), error, ret_update);
}

static enum status check_once(const struct index_updates *updates, struct error *error)
{
    uint32_t online = 0;

    for (uint32_t i = 0; i < updates->count; i++) {
        online += updates->updates[i].kind != INDEX_UPDATE_CHANGE;
        for (uint32_t j = 0; j < i; j++) {
            if (slice_equal(updates->updates[i].name, updates->updates[j].name))
                return error_set(error, ERROR_VALIDATION,
                                 INVALID_PARAMETERS
                                 "Only one global secondary index update per index is "
                                 "allowed simultaneously. Index: %" PRISLICE,
                                 SLICE_ARG(updates->updates[i].name));
        }
    }
    if (online > 1)
        return error_set(error, ERROR_LIMIT_EXCEEDED, ONE_AT_A_TIME);
    return ST_OK;
}

enum status index_updates_decode(struct call *call, struct index_updates *ret_updates)
{
    struct json list = request_member(call->request, "GlobalSecondaryIndexUpdates");
    struct json_iter iter = json_iter(list);
    struct index_updates updates = {0};
    struct json element;

    if (json_type(list) == JSON_ARRAY && json_count(list) == 0)
        return error_set(&call->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "List of GlobalSecondaryIndexUpdates is empty");
    if (json_count(list) > TABLE_GLOBAL_INDEXES_MAX + 1)
        return error_set(&call->error, ERROR_LIMIT_EXCEEDED, ONE_AT_A_TIME);
    updates.updates = ARENA_ARRAY(&call->arena, struct index_update, json_count(list) + 1);
    while (json_type(list) == JSON_ARRAY && json_next_element(&iter, &element))
        TRY(decode_update(element, &call->error, &updates.updates[updates.count++]));
    TRY(check_once(&updates, &call->error));
    *ret_updates = updates;
    return ST_OK;
}

bool index_updates_change_set(const struct index_updates *updates)
{
    for (uint32_t i = 0; i < updates->count; i++) {
        if (updates->updates[i].kind != INDEX_UPDATE_CHANGE)
            return true;
    }
    return false;
}

enum status index_updates_check_attributes(const struct index_updates *updates,
                                           const struct key_part *attributes, uint32_t count,
                                           struct error *error)
{
    for (uint32_t i = 0; i < updates->count; i++) {
        const struct index_update *update = &updates->updates[i];

        if (update->kind != INDEX_UPDATE_CREATE)
            continue;
        if (count == 0)
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS
                             "AttributeDefinitions is not specified for index: %" PRISLICE,
                             SLICE_ARG(update->name));
        TRY(schema_check_defined(&update->index.key, attributes, count, error));
    }
    return ST_OK;
}

/* ---- Applying ---- */

/* The position of the index in the spec, or its count. */
static uint32_t position_of(const struct table_spec *spec, struct slice name)
{
    uint32_t i = 0;

    while (i < spec->index_count && !slice_equal(spec->indexes[i].name, name))
        i++;
    return i;
}

static uint32_t global_count(const struct table_spec *spec)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < spec->index_count; i++)
        count += !spec->indexes[i].local;
    return count;
}

static bool is_building(const struct table *table)
{
    for (uint32_t i = 0; i < table->index_count; i++) {
        if (table->indexes[i].status == INDEX_CREATING)
            return true;
    }
    return false;
}

static void write_units(const struct index_update *update, int64_t now_ms, struct arena *arena,
                        struct index *index)
{
    struct unit_settings settings;

    index_settings_read(index->settings, &settings);
    unit_options_apply(&update->units, now_ms, &settings);
    index->settings = index_settings_write(&settings, arena);
}

static enum status check_billing(const struct index_update *update, bool on_demand,
                                 struct error *error)
{
    if (on_demand && update->units.has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Neither ReadCapacityUnits nor WriteCapacityUnits can be "
                         "specified for index: %" PRISLICE " when BillingMode is PAY_PER_REQUEST",
                         SLICE_ARG(update->name));
    return unit_options_check_maxima(&update->units, update->name, on_demand, error);
}

static enum status apply_create(const struct index_update *update, const struct table *current,
                                bool on_demand, struct table_spec *spec, struct error *error)
{
    struct index *index = &spec->indexes[spec->index_count];

    if (position_of(spec, update->name) < spec->index_count)
        return error_set(error, ERROR_VALIDATION,
                         "Attempting to create an index which already exists");
    if (is_building(current))
        return error_set(error, ERROR_LIMIT_EXCEEDED, ONE_AT_A_TIME);
    if (global_count(spec) == TABLE_GLOBAL_INDEXES_MAX)
        return error_set(error, ERROR_LIMIT_EXCEEDED,
                         "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                         TABLE_GLOBAL_INDEXES_MAX);
    TRY(check_billing(update, on_demand, error));
    if (!on_demand && !update->units.has_provisioned)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProvisionedThroughput must be specified for index: %" PRISLICE,
                         SLICE_ARG(update->name));
    *index = update->index;
    index->status = INDEX_CREATING;
    write_units(update, 0, error->arena, index);
    spec->index_count++;
    return ST_OK;
}

/* The global index that is to be deleted or updated; NULL after a refusal. */
static struct index *find_global(struct table_spec *spec, const struct index_update *update,
                                 struct error *error)
{
    uint32_t at = position_of(spec, update->name);

    if (at == spec->index_count) {
        (void)error_set(error, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
        return NULL;
    }
    if (spec->indexes[at].local) {
        (void)error_set(error, ERROR_VALIDATION,
                        "Cannot %s an index that is not a GlobalSecondaryIndex: %" PRISLICE,
                        update->kind == INDEX_UPDATE_DELETE ? "delete" : "update",
                        SLICE_ARG(update->name));
        return NULL;
    }
    return &spec->indexes[at];
}

static enum status apply_delete(const struct index_update *update, struct table_spec *spec,
                                struct error *error)
{
    struct index *index = find_global(spec, update, error);

    if (index == NULL)
        return ST_REFUSED;
    spec->index_count--;
    memmove(index, index + 1, (size_t)(&spec->indexes[spec->index_count] - index) * sizeof(*index));
    return ST_OK;
}

static enum status apply_change(const struct index_update *update, bool on_demand, int64_t now_ms,
                                struct table_spec *spec, struct error *error)
{
    struct index *index = find_global(spec, update, error);
    struct unit_settings units;

    if (index == NULL)
        return ST_REFUSED;
    TRY(check_billing(update, on_demand, error));
    index_settings_read(index->settings, &units);
    TRY(unit_options_check_warm(&update->units, update->name, &units, error));
    if (update->units.has_provisioned && units.provisioned.read_units == update->units.read_units &&
        units.provisioned.write_units == update->units.write_units)
        return error_set(error, ERROR_VALIDATION,
                         "The provisioned throughput for the index %" PRISLICE
                         " will not change. The requested value equals the current value.",
                         SLICE_ARG(update->name));
    write_units(update, now_ms, error->arena, index);
    return ST_OK;
}

enum status index_updates_apply(const struct index_updates *updates, const struct table *current,
                                bool on_demand, int64_t now_ms, struct table_spec *spec,
                                struct error *error)
{
    for (uint32_t i = 0; i < updates->count; i++) {
        const struct index_update *update = &updates->updates[i];

        if (update->kind == INDEX_UPDATE_CREATE)
            TRY(apply_create(update, current, on_demand, spec, error));
        else if (update->kind == INDEX_UPDATE_DELETE)
            TRY(apply_delete(update, spec, error));
        else
            TRY(apply_change(update, on_demand, now_ms, spec, error));
    }
    return ST_OK;
}
