/* TransactGetItems: up to 100 items as they were at one point in time. */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "api/transact.h"
#include "base/check.h"

struct transact_get {
    struct table *table;
    struct item key;
    struct projection *projection;
    struct item_read read;
};

struct transact_get_state {
    struct transact_get *gets;
    uint32_t count;
    enum capacity_detail detail;
};

static enum status decode_get(struct call *call, struct json object, struct transact_get *get)
{
    struct expr_params params;

    TRY(item_decode(call, object, "Key", false, &get->key));
    TRY(item_decode_projection(call, object, true, &params, &get->projection));
    return request_find_table(call, request_member(object, "TableName"), LOOKUP_FOR_ITEMS,
                              &get->table);
}

static void row(void *context, uint32_t index, struct table **ret_table, struct item *ret_item)
{
    struct transact_get_state *state = context;

    *ret_table = state->gets[index].table;
    *ret_item = state->gets[index].key;
}

/* A key that does not fit its table cancels the transaction with a reason. */
static enum status check_keys(struct call *call, struct transact_get_state *state)
{
    struct error *faults = ARENA_ARRAY(&call->arena, struct error, state->count);
    bool canceled = false;

    for (uint32_t i = 0; i < state->count; i++) {
        error_init(&faults[i], &call->arena);
        if (table_check_item(state->gets[i].table, state->gets[i].key, true, &faults[i]) != ST_OK)
            canceled = true;
    }
    if (!canceled)
        return ST_OK;
    return transact_cancel(call, faults, NULL, state->count);
}

static enum status decode(struct call *call, struct transact_get_state *state)
{
    struct json elements = request_member(call->request, "TransactItems"), element;
    struct json_iter iter = json_iter(elements);

    state->detail = capacity_detail_of(call->request);
    state->gets = ARENA_ARRAY(&call->arena, struct transact_get, json_count(elements));
    while (json_next_element(&iter, &element))
        TRY(decode_get(call, request_member(element, "Get"), &state->gets[state->count++]));
    TRY(check_keys(call, state));
    if (item_has_duplicates(call, state->count, row, state))
        return error_set(&call->error, ERROR_VALIDATION,
                         "Transaction request cannot include multiple operations on one item");
    return ST_OK;
}

/* ---- Reading ---- */

static void release(struct transact_get_state *state)
{
    for (uint32_t i = 0; i < state->count; i++)
        kv_value_release(&state->gets[i].read.pin);
}

static enum status read_all(struct call *call, struct transact_get_state *state,
                            const struct kv_snapshot *snapshot)
{
    enum kv_mode mode = request_mode(call);
    uint64_t size_bytes = 0;

    for (uint32_t i = 0; i < state->count; i++) {
        struct transact_get *get = &state->gets[i];

        TRY(engine_get(call->scope, get->table, snapshot, mode, get->key, &get->read));
        size_bytes += get->read.size_bytes;
    }
    if (size_bytes > TRANSACT_SIZE_BYTES_MAX)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "Aggregated size of all items in the transaction exceeds the limit of 4 "
                         "MB");
    return ST_OK;
}

static void append_responses(struct call *call, const struct transact_get_state *state)
{
    struct buf *out = &call->response;

    BUF_APPEND_LIT(out, "{\"Responses\":[");
    for (uint32_t i = 0; i < state->count; i++) {
        const struct transact_get *get = &state->gets[i];
        struct item item = get->read.item;

        response_comma(out);
        buf_append_byte(out, '{');
        if (item_exists(item) && get->projection != NULL)
            item = projection_apply(get->projection, item, &call->arena);
        if (item_exists(item) && value_count(item_as_value(item)) > 0) {
            response_name(out, "Item");
            item_append(call, item, NULL);
        }
        buf_append_byte(out, '}');
    }
    buf_append_byte(out, ']');
}

static void append_capacities(struct call *call, const struct transact_get_state *state)
{
    struct transact_capacity *capacities;

    if (state->detail == CAPACITY_NONE)
        return;
    capacities = transact_capacity_new(call, state->count, CAPACITY_OF_READS);
    for (uint32_t i = 0; i < state->count; i++) {
        const struct transact_get *get = &state->gets[i];

        capacity_add_read(transact_capacity_of(capacities, get->table), NULL,
                          2 * capacity_read_halves(get->read.size_bytes, true));
    }
    transact_capacity_append(call, capacities, state->detail);
}

enum turn transact_get_resume(struct call *call)
{
    struct transact_get_state *state = call->state;
    struct kv_snapshot *snapshot;
    enum status status;

    CHECK(call->scope != NULL); /* every table was found */
    snapshot = kv_snapshot_take(scope_store(call->scope));
    status = read_all(call, state, snapshot);
    if (status == ST_OK) {
        append_responses(call, state);
        append_capacities(call, state);
        buf_append_byte(&call->response, '}');
    }
    release(state);
    kv_snapshot_release(scope_store(call->scope), snapshot);
    if (status == ST_WOULD_BLOCK)
        return TURN_BLOCKING;
    return status == ST_OK ? TURN_DONE : request_fail(call, status);
}

enum turn transact_get_begin(struct call *call)
{
    struct transact_get_state *state = ARENA_NEW(&call->arena, struct transact_get_state);
    enum status status;

    call->state = state;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    return transact_get_resume(call);
}
