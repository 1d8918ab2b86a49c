/* BatchWriteItem: up to 25 puts and deletes, each standing alone. */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "json/attribute.h"

#define BATCH_WRITES_MAX 25

struct batch_write_state {
    struct write_request request;
    struct write writes[BATCH_WRITES_MAX];
    uint32_t count;
    bool return_collections;
    enum capacity_detail detail;
};

static enum status decode_request(struct call *call, struct json element, struct write *write)
{
    bool put = request_has(element, "PutRequest"), delete = request_has(element, "DeleteRequest");

    if (put && delete)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Supplied AttributeValue has more than one datatypes set, must contain "
                         "exactly one of the supported datatypes");
    if (!put && !delete)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Supplied AttributeValue is empty, must contain exactly one of the "
                         "supported datatypes");
    *write = (struct write){.kind = put ? WRITE_PUT : WRITE_DELETE};
    return item_decode(call, request_member(element, put ? "PutRequest" : "DeleteRequest"),
                       put ? "Item" : "Key", put, &write->item);
}

/* The writes of one table, not yet checked against it. */
static enum status decode_table(struct call *call, struct json requests,
                                struct batch_write_state *state)
{
    struct json_iter iter = json_iter(requests);
    struct json element;

    while (json_next_element(&iter, &element)) {
        if (state->count == BATCH_WRITES_MAX)
            return error_set(&call->error, ERROR_VALIDATION,
                             "Too many items requested for the BatchWriteItem call");
        TRY(decode_request(call, element, &state->writes[state->count]));
        state->count++;
    }
    return ST_OK;
}

/* Batches say less than PutItem of a key that does not fit. */
static enum status check_write(struct call *call, const struct write *write)
{
    struct slice names[2];
    uint32_t count = table_key_names(write->table, names);

    if (write->kind == WRITE_DELETE)
        return table_check_item(write->table, write->item, true, &call->error);
    for (uint32_t i = 0; i < count; i++) {
        enum value_type type =
            i == 0 ? write->table->key.partition[0].type : write->table->key.sort[0].type;

        if (item_find(write->item, names[i]).type != type)
            return error_set(&call->error, ERROR_VALIDATION_DATA,
                             "The provided key element does not match the schema");
    }
    return table_check_item(write->table, write->item, false, &call->error);
}

static enum status check_table(struct call *call, struct slice name, struct write *writes,
                               uint32_t count)
{
    struct table *table;

    TRY(request_find_table_named(call, name, LOOKUP_FOR_ITEMS, &table));
    for (uint32_t i = 0; i < count; i++) {
        writes[i].table = table;
        TRY(check_write(call, &writes[i]));
    }
    return ST_OK;
}

static void row(void *context, uint32_t index, struct table **ret_table, struct item *ret_item)
{
    struct batch_write_state *state = context;

    *ret_table = state->writes[index].table;
    *ret_item = state->writes[index].item;
}

static enum status decode(struct call *call, struct batch_write_state *state)
{
    struct json tables = request_member(call->request, "RequestItems"), requests;
    struct json_iter iter = json_iter(tables);
    struct slice name;
    uint32_t first = 0;

    if (json_count(tables) == 0)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The requestItems parameter is required for BatchWriteItem");
    state->detail = capacity_detail_of(call->request);
    state->return_collections =
        request_string_is(call->request, "ReturnItemCollectionMetrics", "SIZE");
    while (json_next_member(&iter, &name, &requests))
        TRY(decode_table(call, requests, state));
    iter = json_iter(tables);
    while (json_next_member(&iter, &name, &requests)) {
        uint32_t count = json_count(requests);

        TRY(check_table(call, name, &state->writes[first], count));
        first += count;
    }
    if (item_has_duplicates(call, state->count, row, state))
        return error_set(&call->error, ERROR_VALIDATION,
                         "Provided list of item keys contains duplicates");
    return ST_OK;
}

enum turn batch_write_begin(struct call *call)
{
    struct batch_write_state *state = ARENA_NEW(&call->arena, struct batch_write_state);
    enum status status;

    call->state = state;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    state->request = (struct write_request){
        .scope = call->scope,
        .arena = &call->arena,
        .writes = state->writes,
        .count = state->count,
        .done = item_wake_writer,
        .user = call,
    };
    engine_write(call->config->engine, &state->request);
    return TURN_WAITING;
}

/* Writes of one table stand together, in the order of the request. */
static uint32_t same_table_end(const struct batch_write_state *state, uint32_t first)
{
    uint32_t end = first;

    while (end < state->count &&
           slice_equal(state->writes[end].table->name, state->writes[first].table->name))
        end++;
    return end;
}

static void append_capacities(struct call *call, const struct batch_write_state *state)
{
    struct buf *out = &call->response;
    uint32_t end;

    response_name(out, "ConsumedCapacity");
    buf_append_byte(out, '[');
    for (uint32_t first = 0; first < state->count; first = end) {
        struct capacity capacity;

        end = same_table_end(state, first);
        capacity_init(&capacity, state->writes[end - 1].table, CAPACITY_OF_ANY);
        for (uint32_t i = first; i < end; i++)
            capacity_add_write(&capacity, &state->writes[i].cost, 1);
        response_comma(out);
        capacity_append(out, &capacity, state->detail);
    }
    buf_append_byte(out, ']');
}

static void append_collections(struct call *call, const struct batch_write_state *state)
{
    struct buf *out = &call->response;
    uint32_t end;

    response_open(out, "ItemCollectionMetrics");
    for (uint32_t first = 0; first < state->count; first = end) {
        end = same_table_end(state, first);
        if (!table_has_local_index(state->writes[first].table))
            continue;
        response_comma(out);
        json_append_string(out, state->writes[first].table->name);
        BUF_APPEND_LIT(out, ":[");
        for (uint32_t i = first; i < end; i++) {
            response_comma(out);
            item_append_collection(call, &state->writes[i]);
        }
        buf_append_byte(out, ']');
    }
    buf_append_byte(out, '}');
}

enum turn batch_write_resume(struct call *call)
{
    struct batch_write_state *state = call->state;

    if (state->request.status != ST_OK)
        return request_fail(call, state->request.status);
    for (uint32_t i = 0; i < state->count; i++) {
        if (state->writes[i].error.code != ERROR_NONE) {
            call->error = state->writes[i].error;
            return TURN_DONE;
        }
    }
    BUF_APPEND_LIT(&call->response, "{\"UnprocessedItems\":{}");
    if (state->return_collections)
        append_collections(call, state);
    if (state->detail != CAPACITY_NONE)
        append_capacities(call, state);
    buf_append_byte(&call->response, '}');
    return TURN_DONE;
}
