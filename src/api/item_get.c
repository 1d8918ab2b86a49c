/* GetItem. */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"

struct get_state {
    struct table *table;
    struct item key;
    struct projection *projection;
    bool consistent;
    enum capacity_detail detail;
};

static enum status decode(struct call *call, struct get_state *state)
{
    static const char *const legacy[] = {"AttributesToGet", NULL};
    static const char *const expressions[] = {"ProjectionExpression", NULL};
    struct expr_params params;

    state->consistent = request_bool(call->request, "ConsistentRead", false);
    state->detail = capacity_detail_of(call->request);
    TRY(request_refuse_mixture(call, call->request, legacy, expressions));
    TRY(item_refuse_legacy(call, call->request, legacy));
    TRY(item_decode_projection(call, call->request, false, &params, &state->projection));
    return item_find_key(call, call->request, &state->table, &state->key);
}

static void answer(struct call *call, const struct get_state *state, const struct item_read *read)
{
    struct buf *out = &call->response;
    struct capacity capacity;

    buf_append_byte(out, '{');
    if (item_exists(read->item)) {
        response_name(out, "Item");
        item_append(call, read->item, state->projection);
    }
    if (state->detail != CAPACITY_NONE) {
        capacity_init(&capacity, state->table, CAPACITY_OF_ANY);
        capacity_add_read(&capacity, NULL,
                          capacity_read_halves(read->size_bytes, state->consistent));
        capacity_append_member(out, &capacity, state->detail);
    }
    buf_append_byte(out, '}');
}

enum turn item_get_resume(struct call *call)
{
    struct get_state *state = call->state;
    struct item_read read;
    enum status status =
        engine_get(call->scope, state->table, NULL, request_mode(call), state->key, &read);

    if (status == ST_WOULD_BLOCK)
        return TURN_BLOCKING;
    if (status != ST_OK)
        return request_fail(call, status);
    answer(call, state, &read);
    kv_value_release(&read.pin);
    return TURN_DONE;
}

enum turn item_get_begin(struct call *call)
{
    struct get_state *state = ARENA_NEW(&call->arena, struct get_state);
    enum status status;

    call->state = state;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    return item_get_resume(call);
}
