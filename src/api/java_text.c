/*
 * Messages echo the offending value, so they must print it as the service would. Only shapes say
 * which members a structure has; absent ones print as null.
 */
#include "api/java_text.h"

#include "json/attribute.h"

/* The members of AttributeValue as the service's class has them; some exist there alone. */
static const char *const attribute_members[] = {
    "S",  "N",      "B",          "INT",       "DECIMAL", "DOUBLE", "SS",   "NS",
    "BS", "INTSET", "DECIMALSET", "DOUBLESET", "M",       "L",      "NULL", "BOOL",
};

/* Attribute values nest as deep as JSON may; deeper ones are cut. */
#define ATTRIBUTE_DEPTH_MAX 8

static void append_any(struct buf *buf, const struct shape *shape, struct json value,
                       uint32_t depth);

void java_append_member_name(struct buf *buf, struct slice name)
{
    if (name.n == 0)
        return;
    buf_append_byte(buf,
                    (uint8_t)(name.p[0] >= 'A' && name.p[0] <= 'Z' ? name.p[0] + 32 : name.p[0]));
    buf_append_slice(buf, slice_from(name, 1));
}

static void append_scalar(struct buf *buf, struct json value)
{
    switch (json_type(value)) {
    case JSON_STRING:
        buf_append_slice(buf, json_string(value));
        return;
    case JSON_INT:
        json_append_int(buf, json_int(value));
        return;
    case JSON_DOUBLE:
        json_append_double(buf, json_double(value));
        return;
    case JSON_BOOL:
        buf_printf(buf, "%s", json_bool(value) ? "true" : "false");
        return;
    default:
        BUF_APPEND_LIT(buf, "null");
    }
}

/* Every level counts `depth` down to zero. NOLINTBEGIN(misc-no-recursion) */

static void append_list(struct buf *buf, const struct shape *element, struct json list,
                        uint32_t depth)
{
    struct json_iter iter = json_iter(list);
    const char *before = "";
    struct json value;

    buf_append_byte(buf, '[');
    while (json_next_element(&iter, &value)) {
        buf_printf(buf, "%s", before);
        append_any(buf, element, value, depth);
        before = ", ";
    }
    buf_append_byte(buf, ']');
}

static void append_map(struct buf *buf, const struct shape *element, struct json map,
                       uint32_t depth)
{
    struct json_iter iter = json_iter(map);
    const char *before = "";
    struct slice name;
    struct json value;

    buf_append_byte(buf, '{');
    while (json_next_member(&iter, &name, &value)) {
        buf_printf(buf, "%s%" PRISLICE "=", before, SLICE_ARG(name));
        append_any(buf, element, value, depth);
        before = ", ";
    }
    buf_append_byte(buf, '}');
}

static void append_member(struct buf *buf, const char *before, const char *name)
{
    buf_printf(buf, "%s", before);
    java_append_member_name(buf, slice_cstr(name));
    buf_append_byte(buf, '=');
}

static void append_structure(struct buf *buf, const struct shape *shape, struct json value,
                             uint32_t depth)
{
    buf_printf(buf, "%s(", shape->name);
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const struct shape_member *member = &shape->members[i];

        append_member(buf, i == 0 ? "" : ", ", member->name);
        append_any(buf, member->shape, json_member(value, slice_cstr(member->name)), depth);
    }
    buf_append_byte(buf, ')');
}

/* `shape` is that of AttributeValue, which the lists and maps of one hold again. */
static void append_attribute(struct buf *buf, const struct shape *shape, struct json value,
                             uint32_t depth)
{
    const char *before = "";

    BUF_APPEND_LIT(buf, "AttributeValue(");
    for (size_t i = 0; i < sizeof(attribute_members) / sizeof(attribute_members[0]); i++) {
        const char *name = attribute_members[i];
        struct json member = json_member(value, slice_cstr(name));

        append_member(buf, before, name);
        before = ", ";
        if (json_type(member) == JSON_OBJECT)
            append_map(buf, shape, member, depth);
        else if (json_type(member) == JSON_ARRAY)
            append_list(buf, slice_is(slice_cstr(name), "L") ? shape : NULL, member, depth);
        else
            append_scalar(buf, member);
    }
    buf_append_byte(buf, ')');
}

/* Recursion ends at ATTRIBUTE_DEPTH_MAX + SHAPE_DEPTH_MAX levels. A NULL shape is a scalar. */
static void append_any(struct buf *buf, const struct shape *shape, struct json value,
                       uint32_t depth)
{
    enum json_type type = json_type(value);

    if (depth == 0 || buf->failed)
        return;
    if (shape == NULL || (type != JSON_OBJECT && type != JSON_ARRAY))
        append_scalar(buf, value);
    else if (shape->kind == SHAPE_LIST)
        append_list(buf, shape->element, value, depth - 1);
    else if (shape->kind == SHAPE_MAP)
        append_map(buf, shape->element, value, depth - 1);
    else if (shape->kind == SHAPE_ATTRIBUTE_VALUE)
        append_attribute(buf, shape, value, depth - 1);
    else
        append_structure(buf, shape, value, depth - 1);
}

static void append_json(struct buf *buf, struct json value, uint32_t depth)
{
    bool is_list = json_type(value) == JSON_ARRAY;
    struct json_iter iter = json_iter(value);
    const char *before = "";
    struct slice name;
    struct json child;

    if (json_type(value) == JSON_STRING) {
        json_append_string(buf, json_string(value));
        return;
    }
    if (!is_list && json_type(value) != JSON_OBJECT) {
        append_scalar(buf, value);
        return;
    }
    if (depth == 0 || buf->failed)
        return;
    buf_append_byte(buf, is_list ? '[' : '{');
    while (is_list ? json_next_element(&iter, &child) : json_next_member(&iter, &name, &child)) {
        buf_printf(buf, "%s", before);
        before = ",";
        if (!is_list) {
            json_append_string(buf, name);
            buf_append_byte(buf, ':');
        }
        append_json(buf, child, depth - 1);
    }
    buf_append_byte(buf, is_list ? ']' : '}');
}

/* NOLINTEND(misc-no-recursion) */

void java_append_value(struct buf *buf, const struct shape *shape, struct json value)
{
    if (shape->printed_as_json)
        append_json(buf, value, ATTRIBUTE_DEPTH_MAX + SHAPE_DEPTH_MAX);
    else
        append_any(buf, shape, value, ATTRIBUTE_DEPTH_MAX + SHAPE_DEPTH_MAX);
}
