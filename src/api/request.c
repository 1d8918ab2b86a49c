/*
 * Everything that outlives the first turn is copied from the JSON into the call's arena here.
 */
#include "api/request.h"

#include "api/arn.h"
#include "api/shape.h"
#include "base/log.h"
#include "json/attribute.h"

/* ---- Members ---- */

struct json request_member(struct json object, const char *name)
{
    struct json member = json_member(object, slice_cstr(name));

    return json_type(member) == JSON_NULL ? (struct json){NULL, 0} : member;
}

bool request_has(struct json object, const char *name)
{
    return json_type(request_member(object, name)) != JSON_ABSENT;
}

struct slice request_string(struct call *call, struct json object, const char *name)
{
    struct json member = request_member(object, name);

    if (json_type(member) != JSON_STRING)
        return SLICE_EMPTY;
    return arena_copy(&call->arena, json_string(member));
}

bool request_string_is(struct json object, const char *name, const char *text)
{
    struct json member = request_member(object, name);

    return json_type(member) == JSON_STRING && slice_is(json_string(member), text);
}

int64_t request_int(struct json object, const char *name, int64_t if_absent)
{
    struct json member = request_member(object, name);

    if (json_type(member) != JSON_INT && json_type(member) != JSON_DOUBLE)
        return if_absent;
    return shape_int(member);
}

bool request_bool(struct json object, const char *name, bool if_absent)
{
    struct json member = request_member(object, name);

    return json_type(member) == JSON_BOOL ? json_bool(member) : if_absent;
}

/* ---- Tables ---- */

static struct slice table_name_of(struct call *call, struct slice name)
{
    struct slice text = arena_copy(&call->arena, name);
    char account[13];
    struct arn arn;

    if (!arn_is(text))
        return text;
    if (arn_parse(text, &arn) != ST_OK || call->tenant == NULL)
        return SLICE_EMPTY;
    tenant_account_id(call->tenant->number, account);
    if (!slice_is(arn.account, account) || !slice_is(arn.region, call->config->region))
        return SLICE_EMPTY;
    return arn.table;
}

struct slice request_table_name(struct call *call, struct json name)
{
    return table_name_of(call, json_string(name));
}

static void unref_table(void *table)
{
    table_unref(table);
}

void request_hold_table(struct call *call, struct table *table)
{
    arena_on_reset(&call->arena, unref_table, table);
}

static enum status not_found(struct call *call, struct slice name, enum table_lookup lookup)
{
    if (lookup == LOOKUP_FOR_ITEMS)
        return error_set(&call->error, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
    return error_set(&call->error, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: Table: %" PRISLICE " not found",
                     SLICE_ARG(name));
}

enum status request_find_table_named(struct call *call, struct slice name, enum table_lookup lookup,
                                     struct table **ret_table)
{
    struct slice table_name = table_name_of(call, name);
    struct table *table;
    enum status status;

    if (table_name.n == 0)
        return not_found(call, name, lookup);
    status = engine_find_table(call->config->engine, call->scope, table_name, &table);
    if (status == ST_NOT_FOUND)
        return not_found(call, name, lookup);
    TRY(status);
    request_hold_table(call, table);
    *ret_table = table;
    return ST_OK;
}

enum status request_find_table(struct call *call, struct json name, enum table_lookup lookup,
                               struct table **ret_table)
{
    return request_find_table_named(call, json_string(name), lookup, ret_table);
}

enum status request_find_index(struct call *call, const struct table *table,
                               const struct index **ret_index)
{
    struct json name = request_member(call->request, "IndexName");
    const struct index *index;

    if (json_type(name) != JSON_STRING) {
        *ret_index = NULL;
        return ST_OK;
    }
    index = table_find_index(table, json_string(name));
    if (index == NULL)
        return error_set(&call->error, ERROR_VALIDATION_DATA,
                         "The table does not have the specified index: %" PRISLICE,
                         SLICE_ARG(json_string(name)));
    *ret_index = index;
    return ST_OK;
}

/* ---- Expressions ---- */

static void decode_names(struct call *call, struct json names, struct expr_params *ret_params)
{
    struct json_iter iter = json_iter(names);
    struct slice placeholder;
    uint32_t count = 0;
    struct json name;

    ret_params->names = ARENA_ARRAY(&call->arena, struct expr_name, json_count(names) + 1);
    while (json_next_member(&iter, &placeholder, &name)) {
        if (json_type(name) != JSON_STRING)
            continue;
        ret_params->names[count++] = (struct expr_name){
            .placeholder = arena_copy(&call->arena, placeholder),
            .name = arena_copy(&call->arena, json_string(name)),
        };
    }
    ret_params->name_count = count;
}

bool request_words_older(const struct call *call)
{
    return call->operation->layer == LAYER_OLDER || call->config->wording == WORDING_2026_05;
}

enum status request_item(struct call *call, struct json node, struct item *ret_item)
{
    enum status status = attribute_decode_item(&call->arena, node, &call->error, ret_item);

    if (status == ST_REFUSED && request_words_older(call))
        attribute_reword_item(node, &call->error);
    return status;
}

/* The newer layers do not say which value is wrong. */
static enum status name_invalid_value(struct call *call, struct slice placeholder)
{
    struct error *error = &call->error;

    if (error->code == ERROR_VALIDATION && request_words_older(call))
        error->message = arena_printf(&call->arena,
                                      "ExpressionAttributeValues contains invalid value: %" PRISLICE
                                      " for key %" PRISLICE,
                                      SLICE_ARG(error->message), SLICE_ARG(placeholder));
    return ST_REFUSED;
}

static enum status decode_values(struct call *call, struct json values,
                                 struct expr_params *ret_params)
{
    struct json_iter iter = json_iter(values);
    struct slice placeholder;
    struct json value;
    uint32_t count = 0;

    ret_params->values = ARENA_ARRAY(&call->arena, struct expr_value, json_count(values) + 1);
    while (json_next_member(&iter, &placeholder, &value)) {
        struct expr_value *row = &ret_params->values[count++];

        row->placeholder = arena_copy(&call->arena, placeholder);
        if (attribute_decode(&call->arena, value, &call->error, &row->value) == ST_OK)
            continue;
        if (request_words_older(call))
            attribute_reword(value, &call->error);
        return name_invalid_value(call, placeholder);
    }
    ret_params->value_count = count;
    return ST_OK;
}

enum status request_params(struct call *call, struct json object, struct expr_params *ret_params)
{
    struct json names = request_member(object, "ExpressionAttributeNames");
    struct json values = request_member(object, "ExpressionAttributeValues");

    *ret_params = (struct expr_params){0};
    if (json_type(names) == JSON_OBJECT)
        decode_names(call, names, ret_params);
    if (json_type(values) == JSON_OBJECT)
        TRY(decode_values(call, values, ret_params));
    return expr_params_check(ret_params, &call->error);
}

enum status request_refuse_params(struct call *call, struct json object, const char *detail)
{
    static const char *const members[] = {"ExpressionAttributeNames", "ExpressionAttributeValues"};

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (request_has(object, members[i]))
            return error_set(&call->error, ERROR_VALIDATION,
                             "%s can only be specified when using expressions%s", members[i],
                             detail);
    }
    return ST_OK;
}

/* The members of the object among `names`, as "A, B"; empty if there are none. */
static struct slice present(struct call *call, struct json object, const char *const *names)
{
    struct slice text = SLICE_EMPTY;

    for (; *names != NULL; names++) {
        if (!request_has(object, *names))
            continue;
        text = arena_printf(&call->arena, "%" PRISLICE "%s%s", SLICE_ARG(text),
                            text.n > 0 ? ", " : "", *names);
    }
    return text;
}

enum status request_refuse_mixture(struct call *call, struct json object, const char *const *legacy,
                                   const char *const *expressions)
{
    struct slice old = present(call, object, legacy);
    struct slice new = present(call, object, expressions);

    if (old.n == 0 || new.n == 0)
        return ST_OK;
    return error_set(&call->error, ERROR_VALIDATION,
                     "Can not use both expression and non-expression parameters in the same "
                     "request: Non-expression parameters: {%" PRISLICE
                     "} Expression parameters: {%" PRISLICE "}",
                     SLICE_ARG(old), SLICE_ARG(new));
}

/* ---- Outcomes ---- */

enum kv_mode request_mode(const struct call *call)
{
    return call->may_block ? KV_MAY_BLOCK : KV_NO_BLOCK;
}

enum turn request_fail(struct call *call, enum status status)
{
    if (call->error.code != ERROR_NONE)
        return TURN_DONE;
    log_error("%s failed: %s", call->operation->name, status_name(status));
    if (status == ST_CLOSED || status == ST_NO_SPACE || status == ST_BUSY)
        (void)error_set(&call->error, ERROR_UNAVAILABLE, "Service is temporarily unavailable");
    else
        (void)error_set(&call->error, ERROR_INTERNAL, "Internal server error");
    return TURN_DONE;
}
