/* ExpressionAttributeNames and -Values: their form, and whether all were used. */
#include "expr/expr.h"

#include "base/check.h"

static const char names_parameter[] = "ExpressionAttributeNames";
static const char values_parameter[] = "ExpressionAttributeValues";

/* ---- Form ---- */

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_placeholder(struct slice text, uint8_t mark)
{
    if (text.n < 2 || text.p[0] != mark)
        return false;
    for (size_t i = 1; i < text.n; i++)
        if (!is_name_byte(text.p[i]))
            return false;
    return true;
}

static enum status check_placeholder(struct slice text, uint8_t mark, const char *parameter,
                                     struct error *error)
{
    if (is_placeholder(text, mark))
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     "%s contains invalid key: Syntax error; key: \"%" PRISLICE "\"", parameter,
                     SLICE_ARG(text));
}

/* ---- Unused ones ---- */

/* "a, b, c" in the arena. */
static struct slice join(struct arena *arena, const struct slice *texts, uint32_t count)
{
    size_t size_bytes = 0, n = 0;
    char *joined;

    for (uint32_t i = 0; i < count; i++)
        size_bytes += texts[i].n + 2;
    joined = arena_alloc(arena, size_bytes);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            joined[n++] = ',';
            joined[n++] = ' ';
        }
        memcpy(joined + n, texts[i].p, texts[i].n);
        n += texts[i].n;
    }
    return slice_of(joined, n);
}

static enum status refuse_unused(const char *parameter, const struct slice *unused, uint32_t count,
                                 struct error *error)
{
    if (count == 0)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     "Value provided in %s unused in expressions: keys: {%" PRISLICE "}", parameter,
                     SLICE_ARG(join(error->arena, unused, count)));
}

static enum status check_names_used(const struct expr_params *params, struct error *error)
{
    struct slice *unused = ARENA_ARRAY(error->arena, struct slice, params->name_count + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < params->name_count; i++)
        if (!params->names[i].used)
            unused[count++] = params->names[i].placeholder;
    return refuse_unused(names_parameter, unused, count, error);
}

static enum status check_values_used(const struct expr_params *params, struct error *error)
{
    struct slice *unused = ARENA_ARRAY(error->arena, struct slice, params->value_count + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < params->value_count; i++)
        if (!params->values[i].used)
            unused[count++] = params->values[i].placeholder;
    return refuse_unused(values_parameter, unused, count, error);
}

/* ---- Checks ---- */

enum status expr_params_check(const struct expr_params *params, struct error *error)
{
    if (params->names != NULL && params->name_count == 0)
        return error_set(error, ERROR_VALIDATION, "%s must not be empty", names_parameter);
    if (params->values != NULL && params->value_count == 0)
        return error_set(error, ERROR_VALIDATION, "%s must not be empty", values_parameter);
    CHECK(params->names != NULL || params->name_count == 0);
    CHECK(params->values != NULL || params->value_count == 0);
    /* Of so many some are unused, whichever they are. */
    if (params->name_count > EXPR_PLACEHOLDERS_MAX)
        return check_names_used(params, error);
    if (params->value_count > EXPR_PLACEHOLDERS_MAX)
        return check_values_used(params, error);
    for (uint32_t i = 0; i < params->name_count; i++)
        TRY(check_placeholder(params->names[i].placeholder, '#', names_parameter, error));
    for (uint32_t i = 0; i < params->value_count; i++)
        TRY(check_placeholder(params->values[i].placeholder, ':', values_parameter, error));
    return ST_OK;
}

enum status expr_params_check_used(const struct expr_params *params, struct error *error)
{
    TRY(check_names_used(params, error));
    return check_values_used(params, error);
}
