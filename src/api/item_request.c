/*
 * DynamoDB checks a request from the outside in: the parameters by themselves, the values, the
 * expressions, then the table and the values against its schema. These functions keep that order.
 */
#include "api/item_request.h"

#include <stdlib.h>

#include "json/attribute.h"

int item_option(struct json object, const char *member, const char *const *names, int if_absent)
{
    for (int i = 0; names[i] != NULL; i++)
        if (request_string_is(object, member, names[i]))
            return i;
    return if_absent;
}

enum status item_refuse_legacy(struct call *call, struct json object, const char *const *legacy)
{
    for (; *legacy != NULL; legacy++)
        if (request_has(object, *legacy))
            return error_set(&call->error, ERROR_VALIDATION,
                             "The legacy parameter %s is not supported; use an expression instead",
                             *legacy);
    return ST_OK;
}

enum status item_decode(struct call *call, struct json object, const char *member, bool whole,
                        struct item *ret_item)
{
    TRY(request_item(call, request_member(object, member), ret_item));
    if (whole && item_size(*ret_item) > ITEM_SIZE_BYTES_MAX)
        return error_set(&call->error, ERROR_VALIDATION,
                         "Item size has exceeded the maximum allowed size");
    return ST_OK;
}

enum status item_decode_projection(struct call *call, struct json object, bool tolerant,
                                   struct expr_params *ret_params,
                                   struct projection **ret_projection)
{
    *ret_params = (struct expr_params){0};
    *ret_projection = NULL;
    if (!request_has(object, "ProjectionExpression"))
        return tolerant ? ST_OK : request_refuse_params(call, object, "");
    TRY(request_params(call, object, ret_params));
    TRY(projection_parse(&call->arena, request_string(call, object, "ProjectionExpression"),
                         ret_params, &call->error, ret_projection));
    return expr_params_check_used(ret_params, &call->error);
}

enum status item_find_key(struct call *call, struct json object, struct table **ret_table,
                          struct item *ret_key)
{
    TRY(item_decode(call, object, "Key", false, ret_key));
    TRY(request_find_table(call, request_member(object, "TableName"), LOOKUP_FOR_ITEMS, ret_table));
    return table_check_item(*ret_table, *ret_key, true, &call->error);
}

/* ---- Writes ---- */

static enum status decode_condition(struct call *call, struct json object,
                                    struct expr_params *params, struct write *write)
{
    struct condition *condition;

    if (!request_has(object, "ConditionExpression"))
        return ST_OK;
    TRY(condition_parse(&call->arena, "ConditionExpression",
                        request_string(call, object, "ConditionExpression"), params, &call->error,
                        &condition));
    write->condition = condition;
    return ST_OK;
}

static enum status decode_update(struct call *call, struct json object, struct expr_params *params,
                                 struct write *write)
{
    struct update *update;

    if (write->kind != WRITE_UPDATE || !request_has(object, "UpdateExpression"))
        return ST_OK;
    TRY(update_parse(&call->arena, request_string(call, object, "UpdateExpression"), params,
                     &call->error, &update));
    write->update = update;
    return ST_OK;
}

/* Which expression the values would be for: DynamoDB said so until 2026-10. */
static const char *missing_expression(const struct call *call, enum write_kind kind)
{
    if (call->config->wording != WORDING_2026_05)
        return "";
    return kind == WRITE_UPDATE ? ": UpdateExpression is null" : ": ConditionExpression is null";
}

static enum status decode_expressions(struct call *call, struct json object, bool tolerant,
                                      struct write *write)
{
    struct expr_params params;
    bool any =
        request_has(object, "ConditionExpression") || request_has(object, "UpdateExpression");

    if (!any && tolerant)
        return ST_OK;
    if (!any)
        return request_refuse_params(call, object, missing_expression(call, write->kind));
    TRY(request_params(call, object, &params));
    TRY(decode_update(call, object, &params, write));
    TRY(decode_condition(call, object, &params, write));
    return expr_params_check_used(&params, &call->error);
}

static enum status check_update(struct call *call, const struct write *write)
{
    struct slice names[2];
    uint32_t count = table_key_names(write->table, names);

    if (write->update == NULL)
        return ST_OK;
    return update_check_keys(write->update, names, count, &call->error);
}

enum status item_decode_write(struct call *call, struct json object, enum write_kind kind,
                              bool tolerant, struct write *ret_write)
{
    bool whole = kind == WRITE_PUT;

    *ret_write = (struct write){.kind = kind};
    TRY(item_decode(call, object, whole ? "Item" : "Key", whole, &ret_write->item));
    TRY(decode_expressions(call, object, tolerant, ret_write));
    TRY(request_find_table(call, request_member(object, "TableName"), LOOKUP_FOR_ITEMS,
                           &ret_write->table));
    TRY(table_check_item(ret_write->table, ret_write->item, !whole, &call->error));
    return check_update(call, ret_write);
}

/* ---- Answers ---- */

void item_append(struct call *call, struct item item, const struct projection *projection)
{
    if (projection != NULL)
        item = projection_apply(projection, item, &call->arena);
    attribute_append_item(&call->response, item);
}

void item_append_collection(struct call *call, const struct write *write)
{
    struct slice name = write->table->key.partition[0].name;
    int64_t size_gb = write->collection_size_bytes / (1024 * 1024 * 1024);
    struct buf *out = &call->response;

    BUF_APPEND_LIT(out, "{\"ItemCollectionKey\":{");
    json_append_string(out, name);
    buf_append_byte(out, ':');
    attribute_append(out, item_find(write->item, name));
    BUF_APPEND_LIT(out, "},\"SizeEstimateRangeGB\":[");
    json_append_double(out, (double)size_gb);
    buf_append_byte(out, ',');
    json_append_double(out, (double)size_gb + 1);
    BUF_APPEND_LIT(out, "]}");
}

/* ---- One item twice ---- */

bool item_has_duplicates(struct call *call, uint32_t count,
                         void (*row)(void *context, uint32_t index, struct table **ret_table,
                                     struct item *ret_item),
                         void *context)
{
    struct slice *keys = ARENA_ARRAY(&call->arena, struct slice, count + 1);

    for (uint32_t i = 0; i < count; i++) {
        struct table *table;
        struct item item;
        struct key key;

        row(context, i, &table, &item);
        table_item_key(table, item, &key);
        keys[i] = arena_copy(&call->arena, key_slice(&key));
    }
    qsort(keys, count, sizeof(keys[0]), slice_compare_at);
    for (uint32_t i = 1; i < count; i++)
        if (slice_equal(keys[i - 1], keys[i]))
            return true;
    return false;
}

void item_wake_writer(struct write_request *request)
{
    struct call *call = request->user;

    call->wake(call);
}
