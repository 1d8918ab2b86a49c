/*
 * Decoding builds the parts, the checks look at the whole: whether an attribute is used, or an
 * index name taken, shows only when all indexes are known.
 */
#include "api/table_schema.h"

#include "api/request.h"
#include "api/wording.h"
#include "base/buf.h"
#include "base/check.h"

#define PROJECTED_ATTRIBUTES_MAX 100
/* More than the keys of a table and all its indexes can use. */
#define ATTRIBUTES_MAX (2 + TABLE_INDEXES_MAX * 2 * KEY_PARTS_MAX)
#define NAMES_SIZE_BYTES_MAX (32 * 1024)

/* ---- Decoding ---- */

static struct slice copy_string(struct json object, const char *name, struct arena *arena)
{
    return arena_copy(arena, json_string(request_member(object, name)));
}

static enum value_type attribute_type(struct json definition)
{
    if (request_string_is(definition, "AttributeType", "S"))
        return VALUE_S;
    return request_string_is(definition, "AttributeType", "N") ? VALUE_N : VALUE_B;
}

enum status schema_decode_attributes(struct json definitions, struct error *error,
                                     const struct key_part **ret_attributes, uint32_t *ret_count)
{
    struct key_part *parts = ARENA_ARRAY(error->arena, struct key_part, ATTRIBUTES_MAX);
    struct json_iter iter = json_iter(definitions);
    struct json definition;
    uint32_t count = 0;

    if (json_count(definitions) > ATTRIBUTES_MAX)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Some AttributeDefinitions are not used");
    while (json_next_element(&iter, &definition)) {
        parts[count].name = copy_string(definition, "AttributeName", error->arena);
        parts[count].type = attribute_type(definition);
        for (uint32_t i = 0; i < count; i++) {
            if (slice_equal(parts[i].name, parts[count].name))
                return error_set(error, ERROR_VALIDATION,
                                 "Attribute Name is duplicated: %" PRISLICE,
                                 SLICE_ARG(parts[i].name));
        }
        count++;
    }
    *ret_attributes = parts;
    *ret_count = count;
    return ST_OK;
}

static enum status add_key_part(struct key_schema *key, struct slice name, bool is_range,
                                struct error *error)
{
    struct key_part *parts = is_range ? key->sort : key->partition;
    uint32_t *count = is_range ? &key->sort_count : &key->partition_count;

    if (*count == KEY_PARTS_MAX)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "KeySchema has more than %d elements of KeyType %s",
                         KEY_PARTS_MAX, is_range ? "RANGE" : "HASH");
    parts[(*count)++] = (struct key_part){.name = name};
    return ST_OK;
}

enum status schema_decode_key(struct json key_schema, struct error *error,
                              struct key_schema *ret_key)
{
    struct json_iter iter = json_iter(key_schema);
    struct key_schema key = {0};
    struct json element;

    while (json_next_element(&iter, &element)) {
        bool is_range = request_string_is(element, "KeyType", "RANGE");

        if (is_range && key.partition_count == 0)
            return error_set(error, ERROR_VALIDATION,
                             "Invalid KeySchema: The first KeySchemaElement is not a HASH key "
                             "type");
        if (!is_range && key.sort_count > 0)
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS
                             "All HASH key attributes must precede RANGE key attributes "
                             "in the KeySchema");
        TRY(add_key_part(&key, copy_string(element, "AttributeName", error->arena), is_range,
                         error));
    }
    *ret_key = key;
    return ST_OK;
}

static enum status check_included(const struct slice *names, uint32_t count, struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (slice_equal(names[i], names[j]))
                return error_set(error, ERROR_VALIDATION,
                                 INVALID_PARAMETERS
                                 "Duplicate element in NonKeyAttributes: %" PRISLICE,
                                 SLICE_ARG(names[i]));
        }
    }
    return ST_OK;
}

static void decode_included(struct json names, struct arena *arena, struct index *index)
{
    struct slice *included = ARENA_ARRAY(arena, struct slice, json_count(names) + 1);
    struct json_iter iter = json_iter(names);
    struct json name;
    uint32_t count = 0;

    while (json_next_element(&iter, &name))
        included[count++] = arena_copy(arena, json_string(name));
    index->included = included;
    index->included_count = count;
}

static enum status decode_projection(struct json projection, struct error *error,
                                     struct index *index)
{
    struct json names = request_member(projection, "NonKeyAttributes");

    if (!request_has(projection, "ProjectionType"))
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Unknown ProjectionType: null");
    index->projection = PROJECTION_INCLUDE;
    if (request_string_is(projection, "ProjectionType", "ALL"))
        index->projection = PROJECTION_ALL;
    else if (request_string_is(projection, "ProjectionType", "KEYS_ONLY"))
        index->projection = PROJECTION_KEYS_ONLY;
    if (index->projection == PROJECTION_INCLUDE && json_type(names) != JSON_ARRAY)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProjectionType is INCLUDE, but NonKeyAttributes is not "
                         "specified");
    if (index->projection != PROJECTION_INCLUDE && json_type(names) == JSON_ARRAY)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "ProjectionType is %s, but NonKeyAttributes is specified",
                         index->projection == PROJECTION_ALL ? "ALL" : "KEYS_ONLY");
    if (json_type(names) == JSON_ARRAY)
        decode_included(names, error->arena, index);
    return check_included(index->included, index->included_count, error);
}

enum status schema_decode_index(struct json index, bool local, struct error *error,
                                struct index *ret_index)
{
    struct index decoded = {.local = local, .status = INDEX_ACTIVE};

    decoded.name = copy_string(index, "IndexName", error->arena);
    TRY(schema_decode_key(request_member(index, "KeySchema"), error, &decoded.key));
    TRY(decode_projection(request_member(index, "Projection"), error, &decoded));
    *ret_index = decoded;
    return ST_OK;
}

/* ---- Lists of names for messages: [a, b] ---- */

static void append_name(struct buf *buf, struct slice name)
{
    if (buf->n > 1)
        BUF_APPEND_LIT(buf, ", ");
    buf_append_slice(buf, name);
}

static void append_parts(struct buf *buf, const struct key_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        append_name(buf, parts[i].name);
}

static struct slice finish_names(struct buf *buf, struct arena *arena)
{
    struct slice text;

    buf_append_byte(buf, ']');
    text = arena_copy(arena, buf_slice(buf));
    buf_deinit(buf);
    return text;
}

static struct slice part_names(const struct key_part *parts, uint32_t count, struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, NAMES_SIZE_BYTES_MAX);
    buf_append_byte(&buf, '[');
    append_parts(&buf, parts, count);
    return finish_names(&buf, arena);
}

static struct slice key_names(const struct key_schema *key, struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, NAMES_SIZE_BYTES_MAX);
    buf_append_byte(&buf, '[');
    append_parts(&buf, key->partition, key->partition_count);
    append_parts(&buf, key->sort, key->sort_count);
    return finish_names(&buf, arena);
}

/* ---- Which attributes keys use ---- */

static bool parts_have(const struct key_part *parts, uint32_t count, struct slice name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slice_equal(parts[i].name, name))
            return true;
    }
    return false;
}

static bool is_used(const struct table_spec *spec, struct slice name)
{
    if (key_schema_has(&spec->key, name))
        return true;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (key_schema_has(&spec->indexes[i].key, name))
            return true;
    }
    return false;
}

static struct slice used_names(const struct table_spec *spec, struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, NAMES_SIZE_BYTES_MAX);
    buf_append_byte(&buf, '[');
    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        if (is_used(spec, spec->attributes[i].name))
            append_name(&buf, spec->attributes[i].name);
    }
    return finish_names(&buf, arena);
}

void schema_drop_unused(struct table_spec *spec, struct arena *arena)
{
    struct key_part *kept = ARENA_ARRAY(arena, struct key_part, spec->attribute_count + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        if (is_used(spec, spec->attributes[i].name))
            kept[count++] = spec->attributes[i];
    }
    spec->attributes = kept;
    spec->attribute_count = count;
}

/* ---- Checks ---- */

static bool all_defined(const struct key_part *wanted, uint32_t wanted_count,
                        const struct key_part *attributes, uint32_t count)
{
    for (uint32_t i = 0; i < wanted_count; i++) {
        if (!parts_have(attributes, count, wanted[i].name))
            return false;
    }
    return true;
}

enum status schema_check_defined(const struct key_schema *key, const struct key_part *attributes,
                                 uint32_t count, struct error *error)
{
    if (all_defined(key->partition, key->partition_count, attributes, count) &&
        all_defined(key->sort, key->sort_count, attributes, count))
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     INVALID_PARAMETERS
                     "Some index key attributes are not defined in AttributeDefinitions. "
                     "Keys: %" PRISLICE ", AttributeDefinitions: %" PRISLICE,
                     SLICE_ARG(key_names(key, error->arena)),
                     SLICE_ARG(part_names(attributes, count, error->arena)));
}

static bool resolve_part(const struct table_spec *spec, struct key_part *part)
{
    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        if (!slice_equal(spec->attributes[i].name, part->name))
            continue;
        part->type = spec->attributes[i].type;
        return true;
    }
    return false;
}

/* False if some part has no definition. */
static bool resolve_key(const struct table_spec *spec, struct key_schema *key)
{
    bool complete = true;

    for (uint32_t i = 0; i < key->partition_count; i++)
        complete = resolve_part(spec, &key->partition[i]) && complete;
    for (uint32_t i = 0; i < key->sort_count; i++)
        complete = resolve_part(spec, &key->sort[i]) && complete;
    return complete;
}

static bool has_repeated_part(const struct key_schema *key)
{
    for (uint32_t i = 0; i < key->partition_count; i++) {
        if (parts_have(key->partition, i, key->partition[i].name))
            return true;
    }
    for (uint32_t i = 0; i < key->sort_count; i++) {
        if (parts_have(key->partition, key->partition_count, key->sort[i].name) ||
            parts_have(key->sort, i, key->sort[i].name))
            return true;
    }
    return false;
}

static enum status check_distinct(const struct key_schema *key, struct error *error)
{
    if (!has_repeated_part(key))
        return ST_OK;
    if (key->partition_count + key->sort_count > 2)
        return error_set(error, ERROR_VALIDATION,
                         "The KeySchema contains multiple key attributes with the same name");
    return error_set(error, ERROR_VALIDATION,
                     "Both the Hash Key and the Range Key element in the KeySchema have the same "
                     "name");
}

static enum status check_table_key(struct table_spec *spec, struct error *error)
{
    uint32_t elements = spec->key.partition_count + spec->key.sort_count;

    if (!resolve_key(spec, &spec->key) || elements > spec->attribute_count)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid KeySchema: Some index key attribute have no definition");
    if (spec->key.partition_count != 1)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    return check_distinct(&spec->key, error);
}

static enum status check_local_key(const struct table_spec *spec, const struct index *index,
                                   struct error *error)
{
    struct slice table_hash = spec->key.partition[0].name;
    struct slice hash = index->key.partition[0].name;

    if (!slice_equal(hash, table_hash))
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Index KeySchema does not have the same leading hash key as "
                         "table KeySchema for index: %" PRISLICE ". index hash key: %" PRISLICE
                         ", table hash key: %" PRISLICE,
                         SLICE_ARG(index->name), SLICE_ARG(hash), SLICE_ARG(table_hash));
    if (index->key.partition_count != 1 || index->key.sort_count != 1)
        return error_set(error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Index KeySchema does not have a range key for index: %" PRISLICE,
                         SLICE_ARG(index->name));
    return ST_OK;
}

static enum status check_index(struct table_spec *spec, uint32_t position, struct error *error)
{
    struct index *index = &spec->indexes[position];

    for (uint32_t i = 0; i < position; i++) {
        if (slice_equal(spec->indexes[i].name, index->name))
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS "Duplicate index name: %" PRISLICE,
                             SLICE_ARG(index->name));
    }
    TRY(schema_check_defined(&index->key, spec->attributes, spec->attribute_count, error));
    CHECK(resolve_key(spec, &index->key));
    TRY(check_distinct(&index->key, error));
    return index->local ? check_local_key(spec, index, error) : ST_OK;
}

static enum status check_projected_count(const struct table_spec *spec, struct error *error)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < spec->index_count; i++)
        count += spec->indexes[i].included_count;
    if (count <= PROJECTED_ATTRIBUTES_MAX)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "Number of projected attributes of all indexes exceeds the "
                                        "per-table limit of %d",
                     PROJECTED_ATTRIBUTES_MAX);
}

static enum status check_all_used(const struct table_spec *spec, struct error *error)
{
    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        if (is_used(spec, spec->attributes[i].name))
            continue;
        if (spec->index_count == 0)
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS
                             "Number of attributes in KeySchema does not exactly match "
                             "number of attributes defined in AttributeDefinitions");
        return error_set(
            error, ERROR_VALIDATION,
            INVALID_PARAMETERS "Some AttributeDefinitions are not used. AttributeDefinitions: "
                               "%" PRISLICE ", keys used: %" PRISLICE,
            SLICE_ARG(part_names(spec->attributes, spec->attribute_count, error->arena)),
            SLICE_ARG(used_names(spec, error->arena)));
    }
    return ST_OK;
}

enum status schema_check(struct table_spec *spec, struct error *error)
{
    TRY(check_table_key(spec, error));
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (spec->indexes[i].local && spec->key.sort_count == 0)
            return error_set(error, ERROR_VALIDATION,
                             INVALID_PARAMETERS
                             "Table KeySchema does not have a range key, which is "
                             "required when specifying a LocalSecondaryIndex");
        TRY(check_index(spec, i, error));
    }
    TRY(check_projected_count(spec, error));
    return check_all_used(spec, error);
}
