/* ExpressionAttributeNames and -Values: their form, and whether all were used. */
#include "base/buf.h"
#include "expr/expr.h"

static bool is_placeholder(struct slice text, char first)
{
    if (text.n < 2 || text.p[0] != (uint8_t)first)
        return false;
    for (size_t i = 1; i < text.n; i++) {
        uint8_t c = text.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return true;
}

static enum status refuse_key(const char *kind, struct slice key, struct error *error)
{
    return error_set(error, ERROR_VALIDATION,
                     "%s contains invalid key: Syntax error; key: \"%" PRISLICE "\"", kind,
                     SLICE_ARG(key));
}

enum status expr_params_check(const struct expr_params *params, struct error *error)
{
    if (params->names != NULL && params->name_count == 0)
        return error_set(error, ERROR_VALIDATION, "ExpressionAttributeNames must not be empty");
    for (uint32_t i = 0; i < params->name_count; i++) {
        if (!is_placeholder(params->names[i].placeholder, '#'))
            return refuse_key("ExpressionAttributeNames", params->names[i].placeholder, error);
        if (params->names[i].name.n == 0)
            return error_set(error, ERROR_VALIDATION,
                             "ExpressionAttributeNames contains invalid value: Empty attribute "
                             "name for key %" PRISLICE,
                             SLICE_ARG(params->names[i].placeholder));
    }
    if (params->values != NULL && params->value_count == 0)
        return error_set(error, ERROR_VALIDATION, "ExpressionAttributeValues must not be empty");
    for (uint32_t i = 0; i < params->value_count; i++)
        if (!is_placeholder(params->values[i].placeholder, ':'))
            return refuse_key("ExpressionAttributeValues", params->values[i].placeholder, error);
    return ST_OK;
}

static void list_key(struct buf *keys, struct slice key)
{
    if (keys->n > 0)
        BUF_APPEND_LIT(keys, ", ");
    buf_append_slice(keys, key);
}

static enum status refuse_unused(const char *kind, struct buf *keys, struct error *error)
{
    enum status status = ST_OK;

    if (keys->n > 0)
        status = error_set(error, ERROR_VALIDATION,
                           "Value provided in %s unused in expressions: keys: {%" PRISLICE "}",
                           kind, SLICE_ARG(buf_slice(keys)));
    buf_deinit(keys);
    return status;
}

enum status expr_params_check_used(const struct expr_params *params, struct error *error)
{
    struct buf keys;

    buf_init(&keys, 64 * 1024);
    for (uint32_t i = 0; i < params->name_count; i++)
        if (!params->names[i].used)
            list_key(&keys, params->names[i].placeholder);
    TRY(refuse_unused("ExpressionAttributeNames", &keys, error));
    buf_init(&keys, 64 * 1024);
    for (uint32_t i = 0; i < params->value_count; i++)
        if (!params->values[i].used)
            list_key(&keys, params->values[i].placeholder);
    return refuse_unused("ExpressionAttributeValues", &keys, error);
}
