/*
 * Two walks over a request: first JSON types (a wrong one is a fault of serialization and hides all
 * others), then constraints. Both recurse along the shape, never along the request alone, so that
 * SHAPE_DEPTH_MAX bounds them; generated shapes nest no deeper than seven levels.
 */
#include "api/shape.h"

#include "api/violations.h"
#include "base/check.h"
#include "json/attribute.h"

/* ---- JSON types ---- */

static const char *java_name(enum shape_kind kind)
{
    switch (kind) {
    case SHAPE_BOOLEAN:
        return "Boolean";
    case SHAPE_INTEGER:
        return "Integer";
    case SHAPE_LONG:
        return "Long";
    case SHAPE_DOUBLE:
    case SHAPE_TIMESTAMP:
        return "Double";
    default:
        return "String";
    }
}

static bool scalar_fits(enum shape_kind kind, enum json_type type)
{
    switch (kind) {
    case SHAPE_STRING:
    case SHAPE_BLOB:
        return type == JSON_STRING;
    case SHAPE_BOOLEAN:
        return type == JSON_BOOL;
    default:
        return type == JSON_INT || type == JSON_DOUBLE;
    }
}

static enum status check_scalar_type(const struct shape *shape, struct json value,
                                     struct error *error)
{
    enum json_type type = json_type(value);

    if (scalar_fits(shape->kind, type))
        return ST_OK;
    if (type == JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION,
                         "Unrecognized collection type class java.lang.%s", java_name(shape->kind));
    if (type == JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION,
                         "Start of structure or map found where not expected");
    if (shape->kind == SHAPE_BOOLEAN)
        return error_set(error, ERROR_SERIALIZATION, "Unexpected token received from parser");
    return error_set(error, ERROR_SERIALIZATION, "%s cannot be converted to %s",
                     attribute_scalar_name(value), java_name(shape->kind));
}

static enum status check_container_type(const struct shape *shape, struct json value,
                                        struct error *error)
{
    enum json_type expected = shape->kind == SHAPE_LIST ? JSON_ARRAY : JSON_OBJECT;
    enum json_type type = json_type(value);

    if (type == expected)
        return ST_OK;
    if (type == JSON_OBJECT)
        return error_set(error, ERROR_SERIALIZATION,
                         "Start of structure or map found where not expected");
    if (type == JSON_ARRAY)
        return error_set(error, ERROR_SERIALIZATION,
                         "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.%s",
                         shape->name);
    return error_set(error, ERROR_SERIALIZATION, "Unexpected field type");
}

/* Bounded by the depth of the shape. NOLINTBEGIN(misc-no-recursion) */

static enum status check_types(const struct shape *shape, struct json value, uint32_t depth,
                               struct error *error);

static enum status check_element_types(const struct shape *shape, struct json value, uint32_t depth,
                                       struct error *error)
{
    struct json_iter iter = json_iter(value);
    struct slice name;
    struct json element;

    if (shape->element->kind == SHAPE_ATTRIBUTE_VALUE)
        return ST_OK;
    while (shape->kind == SHAPE_LIST ? json_next_element(&iter, &element)
                                     : json_next_member(&iter, &name, &element))
        TRY(check_types(shape->element, element, depth, error));
    return ST_OK;
}

static enum status check_types(const struct shape *shape, struct json value, uint32_t depth,
                               struct error *error)
{
    CHECK(depth < SHAPE_DEPTH_MAX);
    if (json_is_null(value) || shape->kind == SHAPE_ATTRIBUTE_VALUE)
        return ST_OK;
    if (shape->kind != SHAPE_STRUCTURE && shape->kind != SHAPE_LIST && shape->kind != SHAPE_MAP)
        return check_scalar_type(shape, value, error);
    TRY(check_container_type(shape, value, error));
    if (shape->kind != SHAPE_STRUCTURE)
        return check_element_types(shape, value, depth + 1, error);
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const struct shape_member *member = &shape->members[i];
        struct json child = json_member(value, slice_cstr(member->name));

        TRY(check_types(member->shape, child, depth + 1, error));
    }
    return ST_OK;
}

/* NOLINTEND(misc-no-recursion) */

/* ---- Constraints ---- */

/* Where a value stands and how its violations are worded. */
struct place {
    struct violations *violations;
    const struct violation_path *path;
    enum shape_form form;
};

static struct slice at_least(const struct violations *violations, const char *what, int64_t min)
{
    return arena_printf(violations->arena, "Member must have %s greater than or equal to %lld",
                        what, (long long)min);
}

static struct slice at_most(const struct violations *violations, const char *what, int64_t max)
{
    return arena_printf(violations->arena, "Member must have %s less than or equal to %lld", what,
                        (long long)max);
}

static struct slice matches(const struct violations *violations, const char *pattern)
{
    return arena_printf(violations->arena, "Member must satisfy regular expression pattern: %s",
                        pattern);
}

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

static bool is_name(struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (!is_name_byte(text.p[i]))
            return false;
    }
    return text.n > 0;
}

bool shape_is_table_name(struct slice name)
{
    return name.n >= 3 && name.n <= 255 && is_name(name);
}

static int64_t characters(struct slice utf8)
{
    int64_t count = 0;

    for (size_t i = 0; i < utf8.n; i++)
        count += (utf8.p[i] & 0xC0) != 0x80;
    return count;
}

int64_t shape_int(struct json number)
{
    double value;

    if (json_type(number) == JSON_INT)
        return json_int(number);
    value = json_double(number);
    if (value >= (double)INT64_MAX)
        return INT64_MAX;
    return value > (double)INT64_MIN ? (int64_t)value : INT64_MIN;
}

/* What min and max bound: a number's value, a string's characters, a container's count. */
static int64_t measure(struct json value)
{
    switch (json_type(value)) {
    case JSON_STRING:
        return characters(json_string(value));
    case JSON_INT:
    case JSON_DOUBLE:
        return shape_int(value);
    default:
        return json_count(value);
    }
}

/* The bare form covers lower bounds, and upper ones of containers; others echo their value. */
static enum shape_form form_of_max(const struct place *place, const struct shape *shape)
{
    if (shape->kind == SHAPE_LIST || shape->kind == SHAPE_MAP || place->form == FORM_BARE_ALWAYS)
        return place->form;
    return shape->kind == SHAPE_STRING ? FORM_CLASSIC : place->form;
}

static enum shape_form form_of_bound(enum shape_form form)
{
    return form == FORM_UNNAMED || form == FORM_UNNAMED_ALONE ? FORM_CLASSIC : form;
}

static void check_bounds(const struct place *place, const struct shape *shape, struct json value)
{
    bool is_number = json_type(value) == JSON_INT || json_type(value) == JSON_DOUBLE;
    const char *what = is_number ? "value" : "length";
    int64_t size;

    if (shape->min == SHAPE_NO_MIN && shape->max == SHAPE_NO_MAX)
        return;
    size = measure(value);
    if (size < shape->min)
        violations_add(place->violations, place->path, shape, value, form_of_bound(place->form),
                       at_least(place->violations, what, shape->min));
    if (size > shape->max)
        violations_add(place->violations, place->path, shape, value,
                       form_of_bound(form_of_max(place, shape)),
                       at_most(place->violations, what, shape->max));
}

static bool is_enum_value(const struct shape *shape, struct slice text)
{
    for (uint32_t i = 0; i < shape->value_count; i++) {
        if (slice_is(text, shape->values[i]))
            return true;
    }
    return false;
}

static void check_enum(const struct place *place, const struct shape *shape, struct json value)
{
    bool unnamed = place->form == FORM_UNNAMED || place->form == FORM_UNNAMED_ALONE;
    bool other_list = unnamed && place->violations->wording == WORDING_2026_10;

    if (is_enum_value(shape, json_string(value)))
        return;
    violations_add(place->violations, place->path, shape, value,
                   unnamed ? place->form : FORM_CLASSIC,
                   arena_printf(place->violations->arena, "Member must satisfy enum value set: %s",
                                other_list && shape->printed_new != NULL ? shape->printed_new
                                                                         : shape->printed));
}

static void check_string(const struct place *place, const struct shape *shape, struct json value)
{
    struct slice text = json_string(value);

    if (shape->names_table && slice_has_prefix(text, SLICE_LIT("arn:")))
        return;
    check_bounds(place, shape, value);
    if (shape->values != NULL)
        check_enum(place, shape, value);
    if (shape->pattern != NULL && text.n > 0 && !is_name(text))
        violations_add(place->violations, place->path, shape, value, FORM_CLASSIC,
                       matches(place->violations, shape->pattern));
}

/* Bounded by the depth of the shape. NOLINTBEGIN(misc-no-recursion) */

static void check_value(const struct place *place, const struct shape *shape, struct json value,
                        uint32_t depth);

static void check_members(const struct place *place, const struct shape *shape, struct json value,
                          uint32_t depth)
{
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const struct shape_member *member = &shape->members[i];
        struct json child = json_member(value, slice_cstr(member->name));
        struct violation_path path = {place->path, slice_cstr(member->name), 0, false};
        struct place inside = {place->violations, &path, member->form};

        if (!json_is_null(child))
            check_value(&inside, member->shape, child, depth);
        else if (member->required)
            violations_add(place->violations, &path, member->shape, child, FORM_CLASSIC,
                           SLICE_LIT("Member must not be null"));
    }
}

/* No more would be listed: lists may be long, so the walk stops. */
static bool is_full(const struct violations *violations)
{
    return violations->count == VIOLATIONS_MAX || violations->alone.p != NULL;
}

static void check_element(struct violations *violations, const struct violation_path *path,
                          const struct shape *shape, struct json value, uint32_t depth)
{
    struct place inside = {violations, path, FORM_CLASSIC};

    if (json_is_null(value))
        violations_add(violations, path, shape, value, FORM_CLASSIC,
                       SLICE_LIT("Member must not be null"));
    else
        check_value(&inside, shape, value, depth);
}

static void check_elements(const struct place *place, const struct shape *shape, struct json list,
                           uint32_t depth)
{
    struct json_iter iter = json_iter(list);
    struct json element;
    uint32_t number = 0;

    if (shape->element->kind == SHAPE_ATTRIBUTE_VALUE)
        return;
    while (!is_full(place->violations) && json_next_element(&iter, &element)) {
        struct violation_path path = {place->path, SLICE_EMPTY, ++number, false};

        check_element(place->violations, &path, shape->element, element, depth);
    }
}

/* The bounds of a map's values or keys, as one list: "[A, B]". */
static struct slice bounds_text(const struct violations *violations, const struct shape *shape)
{
    struct slice text = SLICE_EMPTY;

    if (shape->max != SHAPE_NO_MAX)
        text = at_most(violations, "length", shape->max);
    if (shape->min != SHAPE_NO_MIN)
        text = arena_printf(violations->arena, "%" PRISLICE "%s%" PRISLICE, SLICE_ARG(text),
                            text.n > 0 ? ", " : "",
                            SLICE_ARG(at_least(violations, "length", shape->min)));
    if (shape->pattern != NULL)
        text = arena_printf(violations->arena, "%" PRISLICE ", %" PRISLICE, SLICE_ARG(text),
                            SLICE_ARG(matches(violations, shape->pattern)));
    return text;
}

static void add_map_violation(const struct place *place, const struct shape *shape, struct json map,
                              const char *what, const struct shape *bounded)
{
    enum shape_form form = place->form == FORM_YIELDING ? FORM_YIELDING : FORM_CLASSIC;

    violations_add(place->violations, place->path, shape, map, form,
                   arena_printf(place->violations->arena,
                                "Map %s must satisfy constraint: [%" PRISLICE "]", what,
                                SLICE_ARG(bounds_text(place->violations, bounded))));
}

static bool key_fits(const struct shape *shape, struct slice key)
{
    int64_t length = characters(key);

    if (shape->names_table && slice_has_prefix(key, SLICE_LIT("arn:")))
        return true;
    if (length < shape->min || length > shape->max)
        return false;
    return shape->pattern == NULL || is_name(key);
}

static bool count_fits(const struct shape *shape, struct json value)
{
    if (shape->kind != SHAPE_LIST && shape->kind != SHAPE_MAP)
        return true;
    return json_count(value) >= shape->min && json_count(value) <= shape->max;
}

static void check_entries(const struct place *place, const struct shape *shape, struct json map,
                          uint32_t depth)
{
    struct json_iter iter = json_iter(map);
    struct slice name;
    struct json value;

    if (shape->element->kind == SHAPE_ATTRIBUTE_VALUE)
        return;
    while (!is_full(place->violations) && json_next_member(&iter, &name, &value)) {
        struct violation_path path = {place->path, name, 0, true};

        if (!key_fits(shape->key, name))
            add_map_violation(place, shape, map, "keys", shape->key);
        if (!json_is_null(value) && !count_fits(shape->element, value))
            add_map_violation(place, shape, map, "value", shape->element);
        else
            check_element(place->violations, &path, shape->element, value, depth);
    }
}

static void check_value(const struct place *place, const struct shape *shape, struct json value,
                        uint32_t depth)
{
    CHECK(depth < SHAPE_DEPTH_MAX);
    switch (shape->kind) {
    case SHAPE_STRING:
        check_string(place, shape, value);
        return;
    case SHAPE_STRUCTURE:
        check_members(place, shape, value, depth + 1);
        return;
    case SHAPE_LIST:
        check_bounds(place, shape, value);
        check_elements(place, shape, value, depth + 1);
        return;
    case SHAPE_MAP:
        check_bounds(place, shape, value);
        check_entries(place, shape, value, depth + 1);
        return;
    case SHAPE_INTEGER:
    case SHAPE_LONG:
    case SHAPE_DOUBLE:
        check_bounds(place, shape, value);
        return;
    case SHAPE_BOOLEAN:
    case SHAPE_BLOB:
    case SHAPE_TIMESTAMP:
    case SHAPE_ATTRIBUTE_VALUE:
        return;
    }
}

/* NOLINTEND(misc-no-recursion) */

static bool lacks_required(const struct shape *shape, struct json request)
{
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const struct shape_member *member = &shape->members[i];

        if (member->required && json_is_null(json_member(request, slice_cstr(member->name))))
            return true;
    }
    return false;
}

enum status shape_check(const struct shape *shape, struct json request, enum wording wording,
                        struct error *error)
{
    struct violations violations;
    struct place place = {&violations, NULL, FORM_CLASSIC};

    TRY(check_types(shape, request, 0, error));
    violations_init(&violations, error->arena,
                    lacks_required(shape, request) ? WORDING_2026_05 : wording);
    check_value(&place, shape, request, 0);
    return violations_finish(&violations, error);
}
