/* BatchGetItem: up to 100 items of several tables, at most 16 MB; the rest is left unprocessed. */
#include "api/capacity.h"
#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "json/attribute.h"

#define BATCH_GETS_MAX 100
#define BATCH_SIZE_BYTES_MAX (16u * 1024 * 1024)

/* What the request says of one table. */
struct get_table {
    struct table *table;
    struct slice name; /* as written in the request */
    struct projection *projection;
    struct slice projection_text;
    struct item *keys;
    uint32_t key_count;
    struct expr_params params;
    bool consistent;
    uint32_t done; /* keys read so far */
    uint64_t halves;
};

struct batch_get_state {
    struct get_table *tables;
    uint32_t table_count;
    uint32_t key_count;
    uint32_t at; /* the table being read */
    uint64_t size_bytes;
    enum capacity_detail detail;
};

static enum status decode_keys(struct call *call, struct json keys, struct get_table *get)
{
    struct json_iter iter = json_iter(keys);
    struct json key;

    get->keys = ARENA_ARRAY(&call->arena, struct item, json_count(keys) + 1);
    while (json_next_element(&iter, &key))
        TRY(request_item(call, key, &get->keys[get->key_count++]));
    return ST_OK;
}

static enum status decode_table(struct call *call, struct slice name, struct json object,
                                struct get_table *get)
{
    static const char *const legacy[] = {"AttributesToGet", NULL};
    static const char *const expressions[] = {"ProjectionExpression", NULL};

    get->name = arena_copy(&call->arena, name);
    get->consistent = request_bool(object, "ConsistentRead", false);
    TRY(request_refuse_mixture(call, object, legacy, expressions));
    TRY(item_refuse_legacy(call, object, legacy));
    TRY(item_decode_projection(call, object, false, &get->params, &get->projection));
    get->projection_text = request_string(call, object, "ProjectionExpression");
    return decode_keys(call, request_member(object, "Keys"), get);
}

static enum status check_keys(struct call *call, struct get_table *get)
{
    TRY(request_find_table_named(call, get->name, LOOKUP_FOR_ITEMS, &get->table));
    for (uint32_t i = 0; i < get->key_count; i++)
        TRY(table_check_item(get->table, get->keys[i], true, &call->error));
    return ST_OK;
}

static void row(void *context, uint32_t index, struct table **ret_table, struct item *ret_item)
{
    struct get_table *get = context;

    *ret_table = get->table;
    *ret_item = get->keys[index];
}

static enum status decode(struct call *call, struct batch_get_state *state)
{
    struct json tables = request_member(call->request, "RequestItems"), object;
    struct json_iter iter = json_iter(tables);
    struct slice name;

    if (json_count(tables) == 0)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The requestItems parameter is required for BatchGetItem");
    state->detail = capacity_detail_of(call->request);
    state->tables = ARENA_ARRAY(&call->arena, struct get_table, json_count(tables) + 1);
    while (json_next_member(&iter, &name, &object)) {
        struct get_table *get = &state->tables[state->table_count++];

        TRY(decode_table(call, name, object, get));
        state->key_count += get->key_count;
    }
    if (state->key_count > BATCH_GETS_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Too many items requested for the BatchGetItem call");
    for (uint32_t i = 0; i < state->table_count; i++) {
        TRY(check_keys(call, &state->tables[i]));
        if (item_has_duplicates(call, state->tables[i].key_count, row, &state->tables[i]))
            return error_set(&call->error, ERROR_VALIDATION,
                             "Provided list of item keys contains duplicates");
    }
    return ST_OK;
}

/* ---- Answering ---- */

static void append_names(struct buf *out, const struct expr_params *params)
{
    if (params->name_count == 0)
        return;
    response_open(out, "ExpressionAttributeNames");
    for (uint32_t i = 0; i < params->name_count; i++) {
        response_comma(out);
        json_append_string(out, params->names[i].placeholder);
        buf_append_byte(out, ':');
        json_append_string(out, params->names[i].name);
    }
    buf_append_byte(out, '}');
}

static void append_unprocessed(struct buf *out, const struct get_table *get)
{
    response_comma(out);
    json_append_string(out, get->name);
    BUF_APPEND_LIT(out, ":{\"Keys\":[");
    for (uint32_t i = get->done; i < get->key_count; i++) {
        response_comma(out);
        attribute_append_item(out, get->keys[i]);
    }
    buf_append_byte(out, ']');
    if (get->projection != NULL)
        response_text(out, "ProjectionExpression", get->projection_text);
    append_names(out, &get->params);
    response_bool(out, "ConsistentRead", get->consistent);
    buf_append_byte(out, '}');
}

static void append_capacities(struct call *call, const struct batch_get_state *state)
{
    struct buf *out = &call->response;

    response_name(out, "ConsumedCapacity");
    buf_append_byte(out, '[');
    for (uint32_t i = 0; i < state->table_count; i++) {
        struct capacity capacity;

        capacity_init(&capacity, state->tables[i].table, CAPACITY_OF_ANY);
        capacity_add_read(&capacity, NULL, state->tables[i].halves);
        response_comma(out);
        capacity_append(out, &capacity, state->detail);
    }
    buf_append_byte(out, ']');
}

static void finish(struct call *call, const struct batch_get_state *state)
{
    struct buf *out = &call->response;

    BUF_APPEND_LIT(out, "},\"UnprocessedKeys\":{");
    for (uint32_t i = 0; i < state->table_count; i++)
        if (state->tables[i].done < state->tables[i].key_count)
            append_unprocessed(out, &state->tables[i]);
    buf_append_byte(out, '}');
    if (state->detail != CAPACITY_NONE)
        append_capacities(call, state);
    buf_append_byte(out, '}');
}

/* Reads the next key of the table. */
static enum status read_next(struct call *call, struct batch_get_state *state,
                             struct get_table *get)
{
    struct item_read read;

    TRY(engine_get(call->scope, get->table, NULL, request_mode(call), get->keys[get->done], &read));
    get->done++;
    get->halves += capacity_read_halves(read.size_bytes, get->consistent);
    state->size_bytes += read.size_bytes;
    if (item_exists(read.item)) {
        response_comma(&call->response);
        item_append(call, read.item, get->projection);
    }
    kv_value_release(&read.pin);
    return ST_OK;
}

static enum status read_table(struct call *call, struct batch_get_state *state,
                              struct get_table *get)
{
    while (get->done < get->key_count && state->size_bytes < BATCH_SIZE_BYTES_MAX &&
           call->response.n < ITEMS_SIZE_BYTES_MAX)
        TRY(read_next(call, state, get));
    return ST_OK;
}

static void open_table(struct call *call, const struct batch_get_state *state)
{
    response_comma(&call->response);
    json_append_string(&call->response, state->tables[state->at].name);
    BUF_APPEND_LIT(&call->response, ":[");
}

enum turn batch_get_resume(struct call *call)
{
    struct batch_get_state *state = call->state;

    while (state->at < state->table_count) {
        enum status status = read_table(call, state, &state->tables[state->at]);

        if (status == ST_WOULD_BLOCK)
            return TURN_BLOCKING;
        if (status != ST_OK)
            return request_fail(call, status);
        buf_append_byte(&call->response, ']');
        state->at++;
        if (state->at < state->table_count)
            open_table(call, state);
    }
    finish(call, state);
    return TURN_DONE;
}

enum turn batch_get_begin(struct call *call)
{
    struct batch_get_state *state = ARENA_NEW(&call->arena, struct batch_get_state);
    enum status status;

    call->state = state;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    BUF_APPEND_LIT(&call->response, "{\"Responses\":{");
    open_table(call, state);
    return batch_get_resume(call);
}
