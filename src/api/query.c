/* Query and Scan. */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "json/attribute.h"

enum select { SELECT_DEFAULT = -1, SELECT_ALL, SELECT_PROJECTED, SELECT_SPECIFIC, SELECT_COUNT };

static const char *const select_names[] = {"ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES",
                                           "SPECIFIC_ATTRIBUTES", "COUNT", NULL};

/* Room for one name of any length, at least; messages are not longer anyway. */
#define MISSING_SIZE_BYTES_MAX (64 * 1024)

struct range_state {
    struct range_spec spec;
    struct range_read *read;
    struct projection *projection;
    enum select select;
    bool consistent;
    enum capacity_detail detail;
    struct table *table;
};

/* ---- Checks of the request alone ---- */

static enum status check_select(struct call *call, const struct range_state *state)
{
    bool projected = request_has(call->request, "ProjectionExpression");

    if (state->select == SELECT_SPECIFIC && !projected)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Must specify the AttributesToGet or ProjectionExpression when choosing "
                         "to get SPECIFIC_ATTRIBUTES");
    if (state->select == SELECT_PROJECTED && !request_has(call->request, "IndexName"))
        return error_set(&call->error, ERROR_VALIDATION,
                         "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an "
                         "IndexName");
    if (!projected || state->select == SELECT_DEFAULT || state->select == SELECT_SPECIFIC)
        return ST_OK;
    return error_set(&call->error, ERROR_VALIDATION,
                     "Cannot specify the ProjectionExpression when choosing to get %s",
                     state->select == SELECT_COUNT ? "only the Count"
                                                   : select_names[state->select]);
}

static enum status check_segments(struct call *call, struct range_spec *spec)
{
    bool segment = request_has(call->request, "Segment");
    bool total = request_has(call->request, "TotalSegments");

    if (segment && !total)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The TotalSegments parameter is required but was not present in the "
                         "request when Segment parameter is present");
    if (total && !segment)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The Segment parameter is required but was not present in the request "
                         "when parameter TotalSegments is present");
    spec->segment = (uint32_t)request_int(call->request, "Segment", 0);
    spec->segment_count = (uint32_t)request_int(call->request, "TotalSegments", 0);
    if (segment && spec->segment >= spec->segment_count)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The Segment parameter is zero-based and must be less than parameter "
                         "TotalSegments: Segment: %u is not less than TotalSegments: %u",
                         spec->segment, spec->segment_count);
    return ST_OK;
}

/* ---- Expressions ---- */

static enum status parse_key_condition(struct call *call, struct range_spec *spec,
                                       struct expr_params *params)
{
    if (!spec->is_query)
        return ST_OK;
    return key_condition_parse(&call->arena,
                               request_string(call, call->request, "KeyConditionExpression"),
                               params, &call->error, &spec->condition);
}

static enum status parse_filter(struct call *call, struct range_spec *spec,
                                struct expr_params *params)
{
    struct condition *filter;

    if (!request_has(call->request, "FilterExpression"))
        return ST_OK;
    TRY(condition_parse(&call->arena, "FilterExpression",
                        request_string(call, call->request, "FilterExpression"), params,
                        &call->error, &filter));
    spec->filter = filter;
    return ST_OK;
}

static enum status parse_projection(struct call *call, struct range_state *state,
                                    struct expr_params *params)
{
    if (!request_has(call->request, "ProjectionExpression"))
        return ST_OK;
    return projection_parse(&call->arena,
                            request_string(call, call->request, "ProjectionExpression"), params,
                            &call->error, &state->projection);
}

static enum status decode_expressions(struct call *call, struct range_state *state)
{
    struct expr_params params;

    if (!state->spec.is_query && !request_has(call->request, "FilterExpression") &&
        !request_has(call->request, "ProjectionExpression"))
        return request_refuse_params(call, call->request, "");
    TRY(request_params(call, call->request, &params));
    TRY(parse_filter(call, &state->spec, &params));
    TRY(parse_projection(call, state, &params));
    TRY(parse_key_condition(call, &state->spec, &params));
    return expr_params_check_used(&params, &call->error);
}

/* ---- Checks against the table ---- */

static enum status check_filter(struct call *call, const struct range_spec *spec)
{
    const struct key_schema *key = spec->index != NULL ? &spec->index->key : &spec->table->key;
    struct slice *names;
    uint32_t count;

    if (!spec->is_query || spec->filter == NULL)
        return ST_OK;
    condition_attributes(spec->filter, &call->arena, &names, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (key_schema_has(key, names[i]))
            return error_set(&call->error, ERROR_VALIDATION_DATA,
                             "Filter Expression can only contain non-primary key attributes: "
                             "Primary key attribute: %" PRISLICE,
                             SLICE_ARG(names[i]));
    }
    return ST_OK;
}

/* Whether a row of the index holds the attribute. */
static bool index_holds(const struct table *table, const struct index *index, struct slice name)
{
    if (index->projection == PROJECTION_ALL || key_schema_has(&table->key, name) ||
        key_schema_has(&index->key, name))
        return true;
    for (uint32_t i = 0; i < index->included_count; i++)
        if (slice_equal(index->included[i], name))
            return true;
    return false;
}

/* The attributes of the projection that the index does not hold, as "a, b"; empty if none. */
static struct slice missing_attributes(struct call *call, const struct range_state *state)
{
    struct slice *names, missing;
    uint32_t count;
    struct buf buf;

    if (state->projection == NULL)
        return SLICE_EMPTY;
    projection_attributes(state->projection, &call->arena, &names, &count);
    buf_init(&buf, MISSING_SIZE_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (!index_holds(state->table, state->spec.index, names[i]))
            buf_printf(&buf, "%s%" PRISLICE, buf.n > 0 ? ", " : "", SLICE_ARG(names[i]));
    missing = arena_copy(&call->arena, buf_slice(&buf));
    buf_deinit(&buf);
    return missing;
}

static enum status check_index(struct call *call, struct range_state *state)
{
    const struct index *index = state->spec.index;
    struct slice missing;

    if (index == NULL)
        return ST_OK;
    if (!index->local && state->consistent)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "Consistent reads are not supported on global secondary indexes");
    missing = missing_attributes(call, state);
    if (index->local) {
        state->spec.fetch_items =
            index->projection != PROJECTION_ALL && (state->select == SELECT_ALL || missing.n > 0);
        return ST_OK;
    }
    if (state->select == SELECT_ALL && index->projection != PROJECTION_ALL)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is "
                         "not supported for global secondary index %" PRISLICE
                         " because its projection type is not ALL",
                         SLICE_ARG(index->name));
    if (missing.n > 0)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Global secondary index "
                         "%" PRISLICE " does not project [%" PRISLICE "]",
                         SLICE_ARG(index->name), SLICE_ARG(missing));
    if (index->status == INDEX_CREATING)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "Cannot read from backfilling global secondary index: %" PRISLICE,
                         SLICE_ARG(index->name));
    return ST_OK;
}

/* ---- Decoding ---- */

static bool show(void *context, struct item item)
{
    struct call *call = context;
    struct range_state *state = call->state;

    if (state->select == SELECT_COUNT)
        return true;
    response_comma(&call->response);
    item_append(call, item, state->projection);
    return call->response.n < ITEMS_SIZE_BYTES_MAX;
}

static enum status decode_options(struct call *call, struct range_state *state)
{
    static const char *const legacy[] = {"AttributesToGet",     "QueryFilter",   "ScanFilter",
                                         "ConditionalOperator", "KeyConditions", NULL};
    static const char *const expressions[] = {"ProjectionExpression", "FilterExpression",
                                              "KeyConditionExpression", NULL};

    state->select = (enum select)item_option(call->request, "Select", select_names, SELECT_DEFAULT);
    state->consistent = request_bool(call->request, "ConsistentRead", false);
    state->detail = capacity_detail_of(call->request);
    state->spec.backward = !request_bool(call->request, "ScanIndexForward", true);
    state->spec.limit = (uint32_t)request_int(call->request, "Limit", 0);
    TRY(request_refuse_mixture(call, call->request, legacy, expressions));
    TRY(item_refuse_legacy(call, call->request, legacy));
    if (state->spec.is_query && !request_has(call->request, "KeyConditionExpression"))
        return error_set(&call->error, ERROR_VALIDATION,
                         "Either the KeyConditions or KeyConditionExpression parameter must be "
                         "specified in the request.");
    TRY(check_select(call, state));
    return check_segments(call, &state->spec);
}

static enum status decode(struct call *call, struct range_state *state)
{
    struct range_spec *spec = &state->spec;

    TRY(decode_options(call, state));
    if (request_has(call->request, "ExclusiveStartKey"))
        TRY(item_decode(call, call->request, "ExclusiveStartKey", false, &spec->start));
    TRY(decode_expressions(call, state));
    TRY(request_find_table(call, request_member(call->request, "TableName"), LOOKUP_FOR_ITEMS,
                           &state->table));
    TRY(request_find_index(call, state->table, &spec->index));
    spec->scope = call->scope;
    spec->table = state->table;
    spec->emit = show;
    spec->context = call;
    TRY(check_index(call, state));
    TRY(range_check(spec, &call->arena, &call->error));
    return check_filter(call, spec);
}

/* ---- Answering ---- */

static void append_capacity(struct call *call, const struct range_state *state,
                            const struct range_result *result)
{
    struct capacity capacity;

    if (state->detail == CAPACITY_NONE)
        return;
    capacity_init(&capacity, state->table, CAPACITY_OF_ANY);
    capacity_add_read(&capacity, state->spec.index,
                      capacity_read_halves(result->size_bytes, state->consistent));
    if (result->fetched_units_half > 0)
        capacity_add_read(&capacity, NULL,
                          result->fetched_units_half * (state->consistent ? 2 : 1));
    capacity_append_member(&call->response, &capacity, state->detail);
}

static void finish(struct call *call, const struct range_state *state,
                   const struct range_result *result)
{
    struct buf *out = &call->response;

    if (state->select != SELECT_COUNT)
        buf_append_byte(out, ']');
    response_int(out, "Count", result->count);
    response_int(out, "ScannedCount", result->scanned_count);
    if (item_exists(result->last_key)) {
        response_name(out, "LastEvaluatedKey");
        attribute_append_item(out, result->last_key);
    }
    append_capacity(call, state, result);
    buf_append_byte(out, '}');
}

enum turn range_resume(struct call *call)
{
    struct range_state *state = call->state;
    struct range_result result;

    switch (range_turn(state->read, request_mode(call), TURN_BUDGET_NS, &result)) {
    case RANGE_MORE:
        return call->may_block ? TURN_BLOCKING : TURN_AGAIN;
    case RANGE_WOULD_BLOCK:
        return TURN_BLOCKING;
    case RANGE_DONE:
        finish(call, state, &result);
        return TURN_DONE;
    case RANGE_FAILED:
        return request_fail(call, result.status);
    }
    return TURN_DONE;
}

static enum turn begin(struct call *call, bool is_query)
{
    struct range_state *state = ARENA_NEW(&call->arena, struct range_state);
    enum status status;

    call->state = state;
    state->spec.is_query = is_query;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    state->read = range_new(&state->spec, &call->arena);
    buf_append_byte(&call->response, '{');
    if (state->select != SELECT_COUNT) {
        response_name(&call->response, "Items");
        buf_append_byte(&call->response, '[');
    }
    return range_resume(call);
}

enum turn query_begin(struct call *call)
{
    return begin(call, true);
}

enum turn scan_begin(struct call *call)
{
    return begin(call, false);
}
