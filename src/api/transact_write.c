/*
 * TransactWriteItems: up to 100 puts, updates, deletes and condition checks, all or none.
 *
 * What a request looks like by itself is refused as a whole; what does not fit a table or an item
 * cancels the transaction with a reason for each of its members.
 */
#include <openssl/evp.h>
#include <stdlib.h>

#include "api/item_operations.h"
#include "api/item_request.h"
#include "api/response.h"
#include "api/transact.h"
#include "base/check.h"
#include "json/attribute.h"

struct transact_write_state {
    struct write_request request;
    struct write *writes;
    bool *return_failed_item;
    uint32_t count;
    bool return_collections;
    enum capacity_detail detail;
};

static const struct {
    const char *member;
    enum write_kind kind;
} members[] = {
    {"ConditionCheck", WRITE_CHECK},
    {"Put", WRITE_PUT},
    {"Delete", WRITE_DELETE},
    {"Update", WRITE_UPDATE},
};

/* ---- The token's digest ---- */

/* Hashes a part with its length, so that parts cannot run into each other. */
static void hash_part(EVP_MD_CTX *hash, struct slice part)
{
    uint64_t n = part.n;

    CHECK(EVP_DigestUpdate(hash, &n, sizeof(n)) == 1);
    CHECK(EVP_DigestUpdate(hash, part.p, part.n) == 1);
}

static void hash_string(EVP_MD_CTX *hash, struct json object, const char *member)
{
    struct json node = request_member(object, member);

    hash_part(hash, json_type(node) == JSON_STRING ? json_string(node) : SLICE_EMPTY);
}

static int compare_names(const void *a, const void *b)
{
    return slice_compare(((const struct expr_name *)a)->placeholder,
                         ((const struct expr_name *)b)->placeholder);
}

static int compare_values(const void *a, const void *b)
{
    return slice_compare(((const struct expr_value *)a)->placeholder,
                         ((const struct expr_value *)b)->placeholder);
}

/* The order of JSON members is no part of a request's identity. */
static enum status hash_params(struct call *call, EVP_MD_CTX *hash, struct json object)
{
    struct expr_params params;

    TRY(request_params(call, object, &params));
    if (params.name_count > 0)
        qsort(params.names, params.name_count, sizeof(params.names[0]), compare_names);
    if (params.value_count > 0)
        qsort(params.values, params.value_count, sizeof(params.values[0]), compare_values);
    for (uint32_t i = 0; i < params.name_count; i++) {
        hash_part(hash, params.names[i].placeholder);
        hash_part(hash, params.names[i].name);
    }
    for (uint32_t i = 0; i < params.value_count; i++) {
        uint8_t type = (uint8_t)params.values[i].value.type;

        hash_part(hash, params.values[i].placeholder);
        hash_part(hash, slice_of(&type, 1));
        hash_part(hash, params.values[i].value.payload);
    }
    return ST_OK;
}

static enum status hash_member(struct call *call, EVP_MD_CTX *hash, struct json object,
                               const struct write *write)
{
    uint8_t kind = (uint8_t)write->kind;

    hash_part(hash, slice_of(&kind, 1));
    hash_part(hash, write->item.payload);
    hash_string(hash, object, "TableName");
    hash_string(hash, object, "ConditionExpression");
    hash_string(hash, object, "UpdateExpression");
    hash_string(hash, object, "ReturnValuesOnConditionCheckFailure");
    return hash_params(call, hash, object);
}

/* ---- Decoding ---- */

static enum status pick_member(struct call *call, struct json element, enum write_kind *ret_kind,
                               struct json *ret_object)
{
    unsigned found = 0;

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (!request_has(element, members[i].member))
            continue;
        found++;
        *ret_kind = members[i].kind;
        *ret_object = request_member(element, members[i].member);
    }
    if (found != 1)
        return error_set(&call->error, ERROR_VALIDATION,
                         "TransactItems can only contain one of Check, Put, Update or Delete");
    return ST_OK;
}

/* Faults against the table become the member's own; others are the request's. */
static enum status decode_member(struct call *call, struct json object, enum write_kind kind,
                                 struct write *write, struct error *fault)
{
    enum status status = item_decode_write(call, object, kind, true, write);

    if (status == ST_REFUSED && call->error.code == ERROR_VALIDATION_DATA) {
        *fault = call->error;
        error_init(&call->error, &call->arena);
        return ST_OK;
    }
    return status;
}

static enum status decode_members(struct call *call, struct transact_write_state *state,
                                  struct error *faults, EVP_MD_CTX *hash)
{
    struct json_iter iter = json_iter(request_member(call->request, "TransactItems"));
    enum write_kind kind = WRITE_CHECK;
    struct json element, object;

    while (json_next_element(&iter, &element)) {
        struct write *write = &state->writes[state->count];

        TRY(pick_member(call, element, &kind, &object));
        error_init(&faults[state->count], &call->arena);
        TRY(decode_member(call, object, kind, write, &faults[state->count]));
        TRY(hash_member(call, hash, object, write));
        state->return_failed_item[state->count] =
            request_string_is(object, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
        state->count++;
    }
    return ST_OK;
}

static void row(void *context, uint32_t index, struct table **ret_table, struct item *ret_item)
{
    struct transact_write_state *state = context;

    *ret_table = state->writes[index].table;
    *ret_item = state->writes[index].item;
}

static enum status check_members(struct call *call, struct transact_write_state *state,
                                 const struct error *faults)
{
    size_t size_bytes = 0;

    for (uint32_t i = 0; i < state->count; i++) {
        if (faults[i].code != ERROR_NONE)
            return transact_cancel(call, faults, NULL, state->count);
        size_bytes += item_size(state->writes[i].item);
    }
    if (item_has_duplicates(call, state->count, row, state))
        return error_set(&call->error, ERROR_VALIDATION,
                         "Transaction request cannot include multiple operations on one item");
    if (size_bytes > TRANSACT_SIZE_BYTES_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Aggregated size of all items in the transaction exceeds the limit of 4 "
                         "MB");
    return ST_OK;
}

static enum status decode(struct call *call, struct transact_write_state *state)
{
    uint32_t count = json_count(request_member(call->request, "TransactItems"));
    struct error *faults = ARENA_ARRAY(&call->arena, struct error, count + 1);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    enum status status;

    state->detail = capacity_detail_of(call->request);
    state->return_collections =
        request_string_is(call->request, "ReturnItemCollectionMetrics", "SIZE");
    state->writes = ARENA_ARRAY(&call->arena, struct write, count + 1);
    state->return_failed_item = ARENA_ARRAY(&call->arena, bool, count + 1);
    CHECK(hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1);
    status = decode_members(call, state, faults, hash);
    CHECK(EVP_DigestFinal_ex(hash, state->request.token_digest, NULL) == 1);
    EVP_MD_CTX_free(hash);
    TRY(status);
    return check_members(call, state, faults);
}

enum turn transact_write_begin(struct call *call)
{
    struct transact_write_state *state = ARENA_NEW(&call->arena, struct transact_write_state);
    enum status status;

    call->state = state;
    status = decode(call, state);
    if (status != ST_OK)
        return request_fail(call, status);
    state->request.scope = call->scope;
    state->request.arena = &call->arena;
    state->request.writes = state->writes;
    state->request.count = state->count;
    state->request.atomic = true;
    state->request.token = request_string(call, call->request, "ClientRequestToken");
    state->request.done = item_wake_writer;
    state->request.user = call;
    engine_write(call->config->engine, &state->request);
    return TURN_WAITING;
}

/* ---- Answering ---- */

static void cancel(struct call *call, const struct transact_write_state *state)
{
    struct error *faults = ARENA_ARRAY(&call->arena, struct error, state->count);
    struct item *items = ARENA_ARRAY(&call->arena, struct item, state->count);

    for (uint32_t i = 0; i < state->count; i++) {
        faults[i] = state->writes[i].error;
        items[i] = state->return_failed_item[i] ? state->writes[i].old_item : ITEM_NONE;
    }
    (void)transact_cancel(call, faults, items, state->count);
}

/* The first write at or after `from` that changes the table; the count of writes if there is none.
 */
static uint32_t next_change_of(const struct transact_write_state *state, const struct table *table,
                               uint32_t from)
{
    while (from < state->count &&
           (state->writes[from].kind == WRITE_CHECK || state->writes[from].table->id != table->id))
        from++;
    return from;
}

static void append_collections_of(struct call *call, const struct transact_write_state *state,
                                  uint32_t first)
{
    const struct table *table = state->writes[first].table;
    struct buf *out = &call->response;

    response_comma(out);
    json_append_string(out, table->name);
    BUF_APPEND_LIT(out, ":[");
    for (uint32_t i = first; i < state->count; i = next_change_of(state, table, i + 1)) {
        response_comma(out);
        item_append_collection(call, &state->writes[i]);
    }
    buf_append_byte(out, ']');
}

static void append_collections(struct call *call, const struct transact_write_state *state)
{
    struct buf *out = &call->response;

    response_open(out, "ItemCollectionMetrics");
    for (uint32_t i = 0; i < state->count; i++) {
        const struct write *write = &state->writes[i];

        if (write->collection_size_bytes >= 0 && next_change_of(state, write->table, 0) == i)
            append_collections_of(call, state, i);
    }
    buf_append_byte(out, '}');
}

/* A replay changes nothing and is charged as the reads that found that out. */
static void append_capacities(struct call *call, const struct transact_write_state *state)
{
    bool replayed = state->request.replayed;
    struct transact_capacity *capacities = transact_capacity_new(
        call, state->count, replayed ? CAPACITY_OF_READS : CAPACITY_OF_WRITES);

    for (uint32_t i = 0; i < state->count; i++) {
        const struct write *write = &state->writes[i];
        struct capacity *capacity = transact_capacity_of(capacities, write->table);

        if (replayed)
            capacity_add_read(capacity, NULL,
                              2 * capacity_read_halves(item_size(write->item), true));
        else
            capacity_add_write(capacity, &write->cost, 2);
    }
    transact_capacity_append(call, capacities, state->detail);
}

enum turn transact_write_resume(struct call *call)
{
    struct transact_write_state *state = call->state;

    if (state->request.status == ST_REFUSED)
        call->error = state->request.error;
    else if (state->request.status != ST_OK)
        request_fail(call, state->request.status);
    else if (state->request.canceled)
        cancel(call, state);
    if (call->error.code != ERROR_NONE)
        return TURN_DONE;
    buf_append_byte(&call->response, '{');
    if (state->return_collections && !state->request.replayed)
        append_collections(call, state);
    if (state->detail != CAPACITY_NONE)
        append_capacities(call, state);
    buf_append_byte(&call->response, '}');
    return TURN_DONE;
}
