/*
 * Faults that DynamoDB names before others. The walks of this file run before a fault is reported,
 * never for requests without any. Wrong JSON types are worded as its deserialiser does.
 *
 * Recursion follows the document, which is at most JSON_DEPTH_MAX deep.
 */
#include "json/attribute_check.h"

#include "base/encode.h"
#include "json/attribute_type.h"

#define MODEL "com.amazonaws.dynamodb.v20120810."
#define STRUCTURE_UNEXPECTED "Start of structure or map found where not expected"

const char *attribute_scalar_name(struct json node)
{
    switch (json_type(node)) {
    case JSON_INT:
        return "NUMBER_VALUE";
    case JSON_DOUBLE:
        return "DECIMAL_VALUE";
    case JSON_STRING:
        return "STRING_VALUE";
    default:
        return json_bool(node) ? "TRUE_VALUE" : "FALSE_VALUE";
    }
}

/* Refuses arrays and objects where a scalar of the Java class `name` belongs. */
static enum status check_scalar(struct json node, const char *name, struct error *error)
{
    if (json_type(node) == JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION, "Unrecognized collection type class java.%s",
                         name);
    if (json_type(node) == JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION, STRUCTURE_UNEXPECTED);
    return ST_OK;
}

static enum status check_string(struct json node, struct error *error)
{
    TRY(check_scalar(node, "lang.String", error));
    if (json_type(node) != JSON_STRING)
        return error_set(error, ERROR_SERIALIZATION, "%s cannot be converted to String",
                         attribute_scalar_name(node));
    return ST_OK;
}

static enum status check_binary(struct json node, struct error *error)
{
    struct slice text = json_string(node);
    struct slice bytes;

    if (json_type(node) == JSON_OBJECT)
        TRY(check_scalar(node, "", error));
    if (json_type(node) != JSON_STRING)
        return error_set(error, ERROR_SERIALIZATION,
                         "only base-64-encoded strings are convertible to bytes");
    if (text.n % 4 != 0)
        return error_set(error, ERROR_SERIALIZATION,
                         "Base64 encoded length is expected a multiple of 4 bytes but found: %zu",
                         text.n);
    if (base64_decode(error->arena, text, &bytes) == ST_INVALID)
        return error_set(error, ERROR_SERIALIZATION,
                         "only base-64-encoded strings are convertible to bytes");
    return ST_OK;
}

static enum status check_bool(struct json node, struct error *error)
{
    TRY(check_scalar(node, "lang.Boolean", error));
    if (json_type(node) != JSON_BOOL)
        return error_set(error, ERROR_SERIALIZATION, "Unexpected token received from parser");
    return ST_OK;
}

/* Elements of lists and sets, nulls aside. */
static enum status check_array(struct json node,
                               enum status (*check)(struct json node, struct error *error),
                               struct error *error)
{
    struct json_iter iter = json_iter(node);
    struct json element;

    if (json_type(node) == JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION, STRUCTURE_UNEXPECTED);
    if (json_type(node) != JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION, "Unexpected field type");
    while (json_next_element(&iter, &element)) {
        if (!json_is_null(element))
            TRY(check(element, error));
    }
    return ST_OK;
}

// NOLINTBEGIN(misc-no-recursion): documents are at most JSON_DEPTH_MAX deep

static enum status check_content(enum value_type type, struct json content, struct error *error)
{
    switch (type) {
    case VALUE_S:
    case VALUE_N:
        return check_string(content, error);
    case VALUE_B:
        return check_binary(content, error);
    case VALUE_BOOL:
    case VALUE_NULL:
        return check_bool(content, error);
    case VALUE_SS:
    case VALUE_NS:
        return check_array(content, check_string, error);
    case VALUE_BS:
        return check_array(content, check_binary, error);
    case VALUE_L:
        return check_array(content, attribute_check_types, error);
    case VALUE_M:
        return attribute_check_item_types(content, error);
    case VALUE_ABSENT:
        break;
    }
    return ST_OK;
}

enum status attribute_check_types(struct json node, struct error *error)
{
    struct json_iter iter = json_iter(node);
    struct slice name;
    struct json content;

    if (json_is_null(node))
        return ST_OK;
    if (json_type(node) == JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION,
                         "Unrecognized collection type class " MODEL "AttributeValue");
    if (json_type(node) != JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION, "Unexpected value type in payload");
    while (json_next_member(&iter, &name, &content)) {
        if (!json_is_null(content))
            TRY(check_content(attribute_type_named(name), content, error));
    }
    return ST_OK;
}

enum status attribute_check_item_types(struct json node, struct error *error)
{
    struct json_iter iter = json_iter(node);
    struct slice name;
    struct json value;

    if (json_is_null(node))
        return ST_OK;
    if (json_type(node) == JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION,
                         "Unrecognized collection type java.util.Map<java.lang.String, " MODEL
                         "AttributeValue>");
    if (json_type(node) != JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION, "Unexpected field type");
    while (json_next_member(&iter, &name, &value))
        TRY(attribute_check_types(value, error));
    return ST_OK;
}

// NOLINTEND(misc-no-recursion)

/* ---- Faults that come first ---- */

enum status attribute_refuse_nesting(struct error *error)
{
    return error_set(error, ERROR_VALIDATION,
                     "Nesting Levels have exceeded supported limits: Attributes in the item have "
                     "nested levels beyond supported limit");
}

// NOLINTBEGIN(misc-no-recursion): it refuses what is deeper than VALUE_DEPTH_MAX
static enum status check_nesting(struct json node, uint32_t level, struct error *error)
{
    struct json_iter iter;
    struct json content, element;
    struct slice name;
    bool several;
    enum value_type type = attribute_member(node, &content, &several);

    if (level > VALUE_DEPTH_MAX)
        return attribute_refuse_nesting(error);
    if (type != VALUE_L && type != VALUE_M)
        return ST_OK;
    iter = json_iter(content);
    while (type == VALUE_L ? json_next_element(&iter, &element)
                           : json_next_member(&iter, &name, &element))
        TRY(check_nesting(element, level + 1, error));
    return ST_OK;
}
// NOLINTEND(misc-no-recursion)

enum status attribute_check_item_first(struct json node, struct error *error)
{
    struct json_iter iter = json_iter(node), names = iter;
    struct slice name;
    struct json value;

    TRY(attribute_check_item_types(node, error));
    while (json_next_member(&names, &name, &value)) {
        if (name.n == 0)
            return error_set(error, ERROR_VALIDATION, "Empty attribute name");
    }
    while (json_next_member(&iter, &name, &value))
        TRY(check_nesting(value, 1, error));
    return ST_OK;
}

enum status attribute_check_first(struct json node, struct error *error)
{
    TRY(attribute_check_types(node, error));
    return check_nesting(node, 1, error);
}
