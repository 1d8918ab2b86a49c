/*
 * PutItem, UpdateItem and DeleteItem: decode, hand one write to the committer, answer with what it
 * found.
 */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "json/attribute.h"

enum return_values {
    RETURN_NONE,
    RETURN_ALL_OLD,
    RETURN_UPDATED_OLD,
    RETURN_ALL_NEW,
    RETURN_UPDATED_NEW
};

static const char *const return_values_names[] = {"NONE",    "ALL_OLD",     "UPDATED_OLD",
                                                  "ALL_NEW", "UPDATED_NEW", NULL};

struct write_state {
    struct write_request request;
    struct write write;
    enum return_values returns;
    bool return_failed_item;
    bool return_collection;
    enum capacity_detail detail;
};

static enum status decode_returns(struct call *call, enum write_kind kind,
                                  struct write_state *state)
{
    state->returns = (enum return_values)item_option(call->request, "ReturnValues",
                                                     return_values_names, RETURN_NONE);
    state->return_failed_item =
        request_string_is(call->request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    state->return_collection =
        request_string_is(call->request, "ReturnItemCollectionMetrics", "SIZE");
    state->detail = capacity_detail_of(call->request);
    if (kind != WRITE_UPDATE && state->returns > RETURN_ALL_OLD)
        return error_set(&call->error, ERROR_VALIDATION,
                         "ReturnValues can only be ALL_OLD or NONE");
    return ST_OK;
}

static enum status decode(struct call *call, enum write_kind kind, struct write_state *state)
{
    static const char *const legacy[] = {"AttributeUpdates", "Expected", "ConditionalOperator",
                                         NULL};
    static const char *const expressions[] = {"UpdateExpression", "ConditionExpression", NULL};

    TRY(request_refuse_mixture(call, call->request, legacy, expressions));
    TRY(item_refuse_legacy(call, call->request, legacy));
    TRY(decode_returns(call, kind, state));
    return item_decode_write(call, call->request, kind, false, &state->write);
}

static enum turn begin(struct call *call, enum write_kind kind)
{
    struct write_state *state = ARENA_NEW(&call->arena, struct write_state);
    enum status status;

    call->state = state;
    status = decode(call, kind, state);
    if (status != ST_OK)
        return request_fail(call, status);
    state->request = (struct write_request){
        .scope = call->scope,
        .arena = &call->arena,
        .writes = &state->write,
        .count = 1,
        .done = item_wake_writer,
        .user = call,
    };
    engine_write(call->config->engine, &state->request);
    return TURN_WAITING;
}

enum turn item_put_begin(struct call *call)
{
    return begin(call, WRITE_PUT);
}

enum turn item_update_begin(struct call *call)
{
    return begin(call, WRITE_UPDATE);
}

enum turn item_delete_begin(struct call *call)
{
    return begin(call, WRITE_DELETE);
}

/* The part of an item that an update touched; UPDATED_OLD and UPDATED_NEW leave Attributes out if
 * it is empty. */
static struct item touched(struct call *call, const struct write *write, struct item image)
{
    struct item part;

    if (write->update == NULL || !item_exists(image))
        return ITEM_NONE;
    part = update_touched(write->update, image, &call->arena);
    return value_count(item_as_value(part)) == 0 ? ITEM_NONE : part;
}

static struct item returned_item(struct call *call, const struct write_state *state)
{
    const struct write *write = &state->write;

    switch (state->returns) {
    case RETURN_NONE:
        return ITEM_NONE;
    case RETURN_ALL_OLD:
        return write->old_item;
    case RETURN_UPDATED_OLD:
        return touched(call, write, write->old_item);
    case RETURN_ALL_NEW:
        return write->new_item;
    case RETURN_UPDATED_NEW:
        return touched(call, write, write->new_item);
    }
    return ITEM_NONE;
}

static void answer(struct call *call, const struct write_state *state)
{
    const struct write *write = &state->write;
    struct item item = returned_item(call, state);
    struct buf *out = &call->response;
    struct capacity capacity;

    buf_append_byte(out, '{');
    if (item_exists(item)) {
        response_name(out, "Attributes");
        attribute_append_item(out, item);
    }
    if (state->detail != CAPACITY_NONE) {
        capacity_init(&capacity, write->table, CAPACITY_OF_ANY);
        capacity_add_write(&capacity, &write->cost, 1);
        capacity_append_member(out, &capacity, state->detail);
    }
    if (state->return_collection && write->collection_size_bytes >= 0) {
        response_name(out, "ItemCollectionMetrics");
        item_append_collection(call, write);
    }
    buf_append_byte(out, '}');
}

enum turn item_write_resume(struct call *call)
{
    struct write_state *state = call->state;

    if (state->request.status != ST_OK)
        return request_fail(call, state->request.status);
    if (state->write.error.code == ERROR_NONE) {
        answer(call, state);
        return TURN_DONE;
    }
    call->error = state->write.error;
    if (call->error.code == ERROR_CONDITIONAL_CHECK && state->return_failed_item)
        call->error_item = state->write.old_item;
    return TURN_DONE;
}
