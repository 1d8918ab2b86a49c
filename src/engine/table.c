/*
 * Tables as the engine sees them: references, checks of items against the schema, and the keys and
 * contents of rows. The catalogue's bytes are in table_codec.c.
 */
#include "engine/table.h"

#include "base/check.h"
#include "base/memory.h"
#include "engine/counters.h"

void table_ref(struct table *table)
{
    atomic_fetch_add_explicit(&table->refs, 1, memory_order_relaxed);
}

void table_unref(struct table *table)
{
    if (table == NULL || atomic_fetch_sub_explicit(&table->refs, 1, memory_order_acq_rel) != 1)
        return;
    counters_unref(table->counters);
    for (uint32_t i = 0; i < table->index_count; i++)
        counters_unref(table->indexes[i].counters);
    arena_deinit(&table->arena);
    mem_free(table);
}

const struct index *table_find_index(const struct table *table, struct slice name)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (slice_equal(table->indexes[i].name, name))
            return &table->indexes[i];
    return NULL;
}

static bool has_part(const struct key_part *parts, uint32_t count, struct slice name)
{
    for (uint32_t i = 0; i < count; i++)
        if (slice_equal(parts[i].name, name))
            return true;
    return false;
}

bool key_schema_has(const struct key_schema *key, struct slice name)
{
    return has_part(key->partition, key->partition_count, name) ||
           has_part(key->sort, key->sort_count, name);
}

bool table_has_local_index(const struct table *table)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].local)
            return true;
    return false;
}

uint32_t table_key_names(const struct table *table, struct slice ret_names[2])
{
    ret_names[0] = table->key.partition[0].name;
    if (table->key.sort_count == 0)
        return 1;
    ret_names[1] = table->key.sort[0].name;
    return 2;
}

/* ---- Checks ---- */

size_t key_value_size_bytes(struct value value)
{
    return value.type == VALUE_N ? value_size(value) : value.payload.n;
}

static bool is_empty_key(struct value value)
{
    return value.type != VALUE_N && value.payload.n == 0;
}

enum status key_check_size(size_t size_bytes, bool is_sort, struct error *error)
{
    if (!is_sort && size_bytes > PARTITION_KEY_SIZE_BYTES_MAX)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Size of hashkey has exceeded "
                         "the maximum size limit of%d bytes",
                         PARTITION_KEY_SIZE_BYTES_MAX);
    if (is_sort && size_bytes > SORT_KEY_SIZE_BYTES_MAX)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Aggregated size of all range "
                         "keys has exceeded the size limit of %d bytes",
                         SORT_KEY_SIZE_BYTES_MAX);
    return ST_OK;
}

static enum status check_key_value(struct key_part part, struct value value, bool is_sort,
                                   struct error *error)
{
    if (is_empty_key(value))
        return error_set(error, ERROR_VALIDATION_KEY,
                         "One or more parameter values are not valid. The AttributeValue for a key "
                         "attribute cannot contain an empty %s value. Key: %" PRISLICE,
                         part.type == VALUE_S ? "string" : "binary", SLICE_ARG(part.name));
    return key_check_size(key_value_size_bytes(value), is_sort, error);
}

static enum status check_item_key_part(struct key_part part, struct item item, bool is_sort,
                                       bool only_key, struct error *error)
{
    struct value value = item_find(item, part.name);

    if (only_key && value.type != part.type)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "The provided key element does not match the schema");
    if (value.type == VALUE_ABSENT)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Missing the key %" PRISLICE
                         " in the item",
                         SLICE_ARG(part.name));
    if (value.type != part.type)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Type mismatch for key "
                         "%" PRISLICE " expected: %s actual: %s",
                         SLICE_ARG(part.name), value_type_name(part.type),
                         value_type_name(value.type));
    return check_key_value(part, value, is_sort, error);
}

static enum status check_index_key_part(const struct index *index, struct key_part part,
                                        struct item item, size_t *size_bytes, struct error *error)
{
    struct value value = item_find(item, part.name);

    if (value.type == VALUE_ABSENT)
        return ST_OK;
    if (value.type != part.type)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Type mismatch for Index Key "
                         "%" PRISLICE " Expected: %s Actual: %s IndexName: %" PRISLICE,
                         SLICE_ARG(part.name), value_type_name(part.type),
                         value_type_name(value.type), SLICE_ARG(index->name));
    if (is_empty_key(value))
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values are not valid. A value specified for a "
                         "secondary index key is not supported. The AttributeValue for a key "
                         "attribute cannot contain an empty %s value. IndexName: %" PRISLICE
                         ", IndexKey: %" PRISLICE,
                         part.type == VALUE_S ? "string" : "binary", SLICE_ARG(index->name),
                         SLICE_ARG(part.name));
    *size_bytes += key_value_size_bytes(value);
    return ST_OK;
}

static enum status check_index_key(const struct index *index, struct item item, struct error *error)
{
    size_t partition_bytes = 0, sort_bytes = 0;

    for (uint32_t i = 0; i < index->key.partition_count; i++)
        TRY(check_index_key_part(index, index->key.partition[i], item, &partition_bytes, error));
    for (uint32_t i = 0; i < index->key.sort_count; i++)
        TRY(check_index_key_part(index, index->key.sort[i], item, &sort_bytes, error));
    TRY(key_check_size(partition_bytes, false, error));
    return key_check_size(sort_bytes, true, error);
}

enum status table_check_item(const struct table *table, struct item item, bool only_key,
                             struct error *error)
{
    const struct key_schema *key = &table->key;

    if (only_key && value_count(item_as_value(item)) != 1 + key->sort_count)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "The provided key element does not match the schema");
    TRY(check_item_key_part(key->partition[0], item, false, only_key, error));
    if (key->sort_count > 0)
        TRY(check_item_key_part(key->sort[0], item, true, only_key, error));
    if (only_key)
        return ST_OK;
    for (uint32_t i = 0; i < table->index_count; i++)
        TRY(check_index_key(&table->indexes[i], item, error));
    return ST_OK;
}

/* ---- Keys of rows ---- */

void table_item_key(const struct table *table, struct item item, struct key *ret_key)
{
    struct value partition = item_find(item, table->key.partition[0].name);

    CHECK(partition.type == table->key.partition[0].type);
    key_begin_rows(ret_key, table->id, 0);
    key_add_partition(ret_key, &partition, 1);
    if (table->key.sort_count > 0)
        key_add_sort(ret_key, item_find(item, table->key.sort[0].name));
}

void table_collection_key(const struct table *table, struct item item, struct key *ret_key)
{
    struct value partition = item_find(item, table->key.partition[0].name);

    key_begin(ret_key, KEY_SPACE_COLLECTION);
    key_add_be32(ret_key, table->id);
    key_add_partition(ret_key, &partition, 1);
}

static bool find_parts(const struct key_part *parts, uint32_t count, size_t size_bytes_max,
                       struct item item, struct value *ret_values)
{
    size_t size_bytes = 0;

    for (uint32_t i = 0; i < count; i++) {
        ret_values[i] = item_find(item, parts[i].name);
        if (ret_values[i].type != parts[i].type || is_empty_key(ret_values[i]))
            return false;
        size_bytes += key_value_size_bytes(ret_values[i]);
    }
    return size_bytes <= size_bytes_max;
}

bool table_index_key(const struct table *table, const struct index *index, struct item item,
                     struct key *ret_key)
{
    struct value partition[KEY_PARTS_MAX], sort[KEY_PARTS_MAX];

    if (!item_exists(item) ||
        !find_parts(index->key.partition, index->key.partition_count, PARTITION_KEY_SIZE_BYTES_MAX,
                    item, partition) ||
        !find_parts(index->key.sort, index->key.sort_count, SORT_KEY_SIZE_BYTES_MAX, item, sort))
        return false;
    key_begin_rows(ret_key, table->id, index->id);
    key_add_partition(ret_key, partition, index->key.partition_count);
    for (uint32_t i = 0; i < index->key.sort_count; i++)
        key_add_sort(ret_key, sort[i]);
    key_add_framed(ret_key, item_find(item, table->key.partition[0].name));
    if (table->key.sort_count > 0)
        key_add_sort(ret_key, item_find(item, table->key.sort[0].name));
    return true;
}

/* ---- What rows hold ---- */

#define NAMES_MAX (2 + 2 * KEY_PARTS_MAX)

static uint32_t add_name(struct slice *names, uint32_t count, struct slice name)
{
    for (uint32_t i = 0; i < count; i++)
        if (slice_equal(names[i], name))
            return count;
    names[count] = name;
    return count + 1;
}

/* The key attributes of the table and of the index (NULL: none), each once. */
static uint32_t key_names(const struct table *table, const struct index *index,
                          struct slice ret_names[NAMES_MAX])
{
    uint32_t count = table_key_names(table, ret_names);

    if (index == NULL)
        return count;
    for (uint32_t i = 0; i < index->key.partition_count; i++)
        count = add_name(ret_names, count, index->key.partition[i].name);
    for (uint32_t i = 0; i < index->key.sort_count; i++)
        count = add_name(ret_names, count, index->key.sort[i].name);
    return count;
}

static bool is_among(struct slice name, const struct slice *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (slice_equal(name, names[i]))
            return true;
    return false;
}

/* The attributes of the item that stand in either list, in the arena. */
static struct item pick(struct item item, const struct slice *keys, uint32_t key_count,
                        const struct slice *others, uint32_t other_count, struct arena *arena)
{
    struct value map = item_as_value(item);
    uint32_t count = value_count(map), kept = 0;
    uint32_t *keep = ARENA_ARRAY(arena, uint32_t, count + 1);
    struct value_writer writer;
    struct slice name, bytes;
    struct buf buf;

    for (uint32_t i = 0; i < count; i++) {
        (void)value_map_at(map, i, &name);
        if (is_among(name, keys, key_count) || is_among(name, others, other_count))
            keep[kept++] = i;
    }
    buf_init(&buf, item.payload.n + 64);
    writer_init(&writer, &buf);
    writer_begin_map(&writer, kept);
    for (uint32_t i = 0; i < kept; i++) {
        struct value value = value_map_at(map, keep[i], &name);

        writer_name(&writer, name);
        writer_value(&writer, value);
    }
    writer_end(&writer);
    CHECK(buf_status(&buf) == ST_OK);
    bytes = arena_copy(arena, writer_item(&writer, 0).payload);
    buf_deinit(&buf);
    return (struct item){bytes};
}

struct item table_index_item(const struct table *table, const struct index *index, struct item item,
                             struct arena *arena)
{
    struct slice keys[NAMES_MAX];
    uint32_t key_count;

    if (index->projection == PROJECTION_ALL)
        return item;
    key_count = key_names(table, index, keys);
    return pick(item, keys, key_count, index->included, index->included_count, arena);
}

struct item table_cursor(const struct table *table, const struct index *index, struct item item,
                         struct arena *arena)
{
    struct slice keys[NAMES_MAX];
    uint32_t key_count = key_names(table, index, keys);

    return pick(item, keys, key_count, NULL, 0, arena);
}
