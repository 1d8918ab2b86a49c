/*
 * Tables to catalogue rows and back. The descriptor's attributes, in the order of their names:
 *
 *   attributes L of M{name S, type N}     key     M{p L of S, s L of S}
 *   created    N (ms)                     name    S
 *   id         N                          protected BOOL
 *   index_ids  N                          settings M (the api room's)
 *   indexes    L of M{id N, included L of S, key M, local BOOL, name S, projection N,
 *                     settings M, status N}
 *   uuid       S
 */
#include "engine/table_codec.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/counters.h"
#include "model/row.h"

void table_catalogue_key(struct key *key, struct slice name)
{
    key_begin(key, KEY_SPACE_CATALOGUE);
    key_add_bytes(key, name);
}

/* ---- Encoding ---- */

static void write_int(struct value_writer *writer, const char *name, int64_t value)
{
    struct number number = number_of_int(value);

    writer_name(writer, slice_cstr(name));
    writer_number(writer, &number);
}

static void write_string(struct value_writer *writer, const char *name, struct slice value)
{
    writer_name(writer, slice_cstr(name));
    writer_string(writer, value);
}

static void write_bool(struct value_writer *writer, const char *name, bool value)
{
    writer_name(writer, slice_cstr(name));
    writer_bool(writer, value);
}

static void write_settings(struct value_writer *writer, struct item settings)
{
    writer_name(writer, SLICE_LIT("settings"));
    if (item_exists(settings)) {
        writer_value(writer, item_as_value(settings));
        return;
    }
    writer_begin_map(writer, 0);
    writer_end(writer);
}

static void write_part_names(struct value_writer *writer, const char *name,
                             const struct key_part *parts, uint32_t count)
{
    writer_name(writer, slice_cstr(name));
    writer_begin_list(writer, count);
    for (uint32_t i = 0; i < count; i++)
        writer_string(writer, parts[i].name);
    writer_end(writer);
}

static void write_key(struct value_writer *writer, const struct key_schema *key)
{
    writer_name(writer, SLICE_LIT("key"));
    writer_begin_map(writer, 2);
    write_part_names(writer, "p", key->partition, key->partition_count);
    write_part_names(writer, "s", key->sort, key->sort_count);
    writer_end(writer);
}

static void write_attributes(struct value_writer *writer, const struct table *table)
{
    writer_name(writer, SLICE_LIT("attributes"));
    writer_begin_list(writer, table->attribute_count);
    for (uint32_t i = 0; i < table->attribute_count; i++) {
        writer_begin_map(writer, 2);
        write_string(writer, "name", table->attributes[i].name);
        write_int(writer, "type", table->attributes[i].type);
        writer_end(writer);
    }
    writer_end(writer);
}

static void write_index(struct value_writer *writer, const struct index *index)
{
    writer_begin_map(writer, 8);
    write_int(writer, "id", index->id);
    writer_name(writer, SLICE_LIT("included"));
    writer_begin_list(writer, index->included_count);
    for (uint32_t i = 0; i < index->included_count; i++)
        writer_string(writer, index->included[i]);
    writer_end(writer);
    write_key(writer, &index->key);
    write_bool(writer, "local", index->local);
    write_string(writer, "name", index->name);
    write_int(writer, "projection", index->projection);
    write_settings(writer, index->settings);
    write_int(writer, "status", index->status);
    writer_end(writer);
}

void table_encode(const struct table *table, struct buf *ret_row)
{
    struct value_writer writer;
    struct buf body;

    buf_init(&body, TABLE_ROW_SIZE_BYTES_MAX - ROW_HEADER_SIZE_BYTES);
    writer_init(&writer, &body);
    writer_begin_map(&writer, 10);
    write_attributes(&writer, table);
    write_int(&writer, "created", table->created_ms);
    write_int(&writer, "id", table->id);
    write_int(&writer, "index_ids", table->index_ids);
    writer_name(&writer, SLICE_LIT("indexes"));
    writer_begin_list(&writer, table->index_count);
    for (uint32_t i = 0; i < table->index_count; i++)
        write_index(&writer, &table->indexes[i]);
    writer_end(&writer);
    write_key(&writer, &table->key);
    write_string(&writer, "name", table->name);
    write_bool(&writer, "protected", table->deletion_protected);
    write_settings(&writer, table->settings);
    write_string(&writer, "uuid", slice_cstr(table->uuid));
    writer_end(&writer);
    CHECK(buf_status(&body) == ST_OK);
    row_seal(ret_row, writer_item(&writer, 0).payload, 0);
    CHECK(buf_status(ret_row) == ST_OK);
    buf_deinit(&body);
}

/* ---- Decoding ---- */

static int64_t read_int(struct value map, const char *name)
{
    struct value value = value_map_find(map, slice_cstr(name));
    struct number number;

    if (value.type != VALUE_N)
        return 0;
    number = value_number(value);
    return number_as_int(&number);
}

static struct slice read_string(struct value map, const char *name)
{
    struct value value = value_map_find(map, slice_cstr(name));

    return value.type == VALUE_S ? value.payload : SLICE_EMPTY;
}

static bool read_bool(struct value map, const char *name)
{
    struct value value = value_map_find(map, slice_cstr(name));

    return value.type == VALUE_BOOL && value_bool(value);
}

static struct item read_settings(struct value map)
{
    return (struct item){value_map_find(map, SLICE_LIT("settings")).payload};
}

static void read_attributes(struct table *table, struct value list)
{
    uint32_t count = value_count(list);
    struct key_part *parts = ARENA_ARRAY(&table->arena, struct key_part, count + 1);

    for (uint32_t i = 0; i < count; i++) {
        struct value map = value_list_at(list, i);

        parts[i].name = read_string(map, "name");
        parts[i].type = (enum value_type)read_int(map, "type");
    }
    table->attributes = parts;
    table->attribute_count = count;
}

static enum value_type attribute_type(const struct table *table, struct slice name)
{
    for (uint32_t i = 0; i < table->attribute_count; i++)
        if (slice_equal(table->attributes[i].name, name))
            return table->attributes[i].type;
    return VALUE_ABSENT;
}

static enum status read_parts(const struct table *table, struct value list,
                              struct key_part ret_parts[KEY_PARTS_MAX], uint32_t *ret_count)
{
    uint32_t count = value_count(list);

    if (count > KEY_PARTS_MAX)
        return ST_CORRUPT;
    for (uint32_t i = 0; i < count; i++) {
        ret_parts[i].name = value_list_at(list, i).payload;
        ret_parts[i].type = attribute_type(table, ret_parts[i].name);
        if (ret_parts[i].type == VALUE_ABSENT)
            return ST_CORRUPT;
    }
    *ret_count = count;
    return ST_OK;
}

static enum status read_key(const struct table *table, struct value map, struct key_schema *ret_key)
{
    struct value key = value_map_find(map, SLICE_LIT("key"));

    TRY(read_parts(table, value_map_find(key, SLICE_LIT("p")), ret_key->partition,
                   &ret_key->partition_count));
    TRY(read_parts(table, value_map_find(key, SLICE_LIT("s")), ret_key->sort,
                   &ret_key->sort_count));
    return ret_key->partition_count == 0 ? ST_CORRUPT : ST_OK;
}

static void read_included(struct table *table, struct index *index, struct value list)
{
    uint32_t count = value_count(list);
    struct slice *names = ARENA_ARRAY(&table->arena, struct slice, count + 1);

    for (uint32_t i = 0; i < count; i++)
        names[i] = value_list_at(list, i).payload;
    index->included = names;
    index->included_count = count;
}

static enum status read_index(const struct scope *scope, struct table *table, struct value map,
                              struct index *ret_index)
{
    ret_index->id = (uint16_t)read_int(map, "id");
    ret_index->local = read_bool(map, "local");
    ret_index->status = (enum index_status)read_int(map, "status");
    ret_index->name = read_string(map, "name");
    ret_index->projection = (enum projection_kind)read_int(map, "projection");
    ret_index->settings = read_settings(map);
    read_included(table, ret_index, value_map_find(map, SLICE_LIT("included")));
    TRY(read_key(table, map, &ret_index->key));
    return counters_load(scope, table->id, ret_index->id, &ret_index->counters);
}

static enum status read_indexes(const struct scope *scope, struct table *table, struct value list)
{
    uint32_t count = value_count(list);

    if (count > TABLE_INDEXES_MAX)
        return ST_CORRUPT;
    for (uint32_t i = 0; i < count; i++) {
        table->index_count = i + 1;
        TRY(read_index(scope, table, value_list_at(list, i), &table->indexes[i]));
    }
    return ST_OK;
}

static enum status read_table(const struct scope *scope, struct table *table, struct value map)
{
    struct slice uuid = read_string(map, "uuid");

    if (uuid.n != sizeof(table->uuid) - 1)
        return ST_CORRUPT;
    memcpy(table->uuid, uuid.p, uuid.n);
    table->name = read_string(map, "name");
    table->id = (uint32_t)read_int(map, "id");
    table->index_ids = (uint16_t)read_int(map, "index_ids");
    table->created_ms = read_int(map, "created");
    table->deletion_protected = read_bool(map, "protected");
    table->settings = read_settings(map);
    read_attributes(table, value_map_find(map, SLICE_LIT("attributes")));
    TRY(read_key(table, map, &table->key));
    TRY(counters_load(scope, table->id, 0, &table->counters));
    return read_indexes(scope, table, value_map_find(map, SLICE_LIT("indexes")));
}

static struct table *table_new(uint64_t tenant_number)
{
    struct table *table = MEM_NEW(struct table);

    arena_init(&table->arena, 0);
    atomic_init(&table->refs, 1);
    table->tenant_number = tenant_number;
    return table;
}

enum status table_decode(const struct scope *scope, struct slice row, struct table **ret_table)
{
    struct table *table;
    struct slice body;
    uint32_t size_aws;
    enum status status;

    TRY(row_open(row, &body, &size_aws));
    if (item_validate(body) != ST_OK)
        return ST_CORRUPT;
    table = table_new(scope_tenant_number(scope));
    body = arena_copy(&table->arena, body);
    status = read_table(scope, table, item_as_value((struct item){body}));
    if (status != ST_OK) {
        table_unref(table);
        return status;
    }
    *ret_table = table;
    return ST_OK;
}

/* ---- New versions ---- */

void table_spec_of(const struct table *table, struct table_spec *ret_spec)
{
    *ret_spec = (struct table_spec){
        .name = table->name,
        .deletion_protected = table->deletion_protected,
        .attributes = table->attributes,
        .attribute_count = table->attribute_count,
        .key = table->key,
        .index_count = table->index_count,
        .settings = table->settings,
    };
    memcpy(ret_spec->indexes, table->indexes, sizeof(ret_spec->indexes));
}

static struct slice copy_slice(struct table *table, struct slice s)
{
    return s.n == 0 ? SLICE_EMPTY : arena_copy(&table->arena, s);
}

static void copy_key(struct table *table, const struct key_schema *from, struct key_schema *ret)
{
    *ret = *from;
    for (uint32_t i = 0; i < ret->partition_count; i++)
        ret->partition[i].name = copy_slice(table, from->partition[i].name);
    for (uint32_t i = 0; i < ret->sort_count; i++)
        ret->sort[i].name = copy_slice(table, from->sort[i].name);
}

static void copy_attributes(struct table *table, const struct table_spec *spec)
{
    struct key_part *parts = ARENA_ARRAY(&table->arena, struct key_part, spec->attribute_count + 1);

    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        parts[i].name = copy_slice(table, spec->attributes[i].name);
        parts[i].type = spec->attributes[i].type;
    }
    table->attributes = parts;
    table->attribute_count = spec->attribute_count;
}

static void copy_index(struct table *table, const struct index *from, struct index *ret_index)
{
    struct slice *names = ARENA_ARRAY(&table->arena, struct slice, from->included_count + 1);

    *ret_index = *from;
    ret_index->name = copy_slice(table, from->name);
    ret_index->settings.payload = copy_slice(table, from->settings.payload);
    copy_key(table, &from->key, &ret_index->key);
    for (uint32_t i = 0; i < from->included_count; i++)
        names[i] = copy_slice(table, from->included[i]);
    ret_index->included = names;
}

/* Gives the index the identity it had in `current`, or a new one. A table's own first indexes have
 * nothing to backfill and are active at once. */
static void identify_index(const struct scope *scope, const struct table *current,
                           struct table *table, struct index *index)
{
    const struct index *before = current == NULL ? NULL : table_find_index(current, index->name);

    if (before != NULL) {
        index->id = before->id;
        index->status = before->status;
        index->counters = before->counters;
        counters_ref(index->counters);
        return;
    }
    index->id = ++table->index_ids;
    index->status = current == NULL ? INDEX_ACTIVE : INDEX_CREATING;
    index->counters = counters_new(scope, table->id, index->id);
}

static void make_uuid(char ret_text[37])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    size_t at = 0;

    random_bytes(bytes, sizeof(bytes));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            ret_text[at++] = '-';
        ret_text[at++] = digits[bytes[i] >> 4];
        ret_text[at++] = digits[bytes[i] & 15];
    }
    ret_text[at] = '\0';
}

static void identify_table(const struct scope *scope, const struct table *current,
                           struct table *table)
{
    if (current == NULL) {
        make_uuid(table->uuid);
        table->counters = counters_new(scope, table->id, 0);
        return;
    }
    memcpy(table->uuid, current->uuid, sizeof(table->uuid));
    table->id = current->id;
    table->index_ids = current->index_ids;
    table->created_ms = current->created_ms;
    table->counters = current->counters;
    counters_ref(table->counters);
}

struct table *table_from_spec(const struct scope *scope, const struct table *current,
                              uint32_t table_id, int64_t created_ms, const struct table_spec *spec)
{
    struct table *table = table_new(scope_tenant_number(scope));

    CHECK(spec->index_count <= TABLE_INDEXES_MAX);
    table->id = table_id;
    table->created_ms = created_ms;
    identify_table(scope, current, table);
    table->name = copy_slice(table, spec->name);
    table->deletion_protected = spec->deletion_protected;
    table->settings.payload = copy_slice(table, spec->settings.payload);
    copy_attributes(table, spec);
    copy_key(table, &spec->key, &table->key);
    for (uint32_t i = 0; i < spec->index_count; i++) {
        copy_index(table, &spec->indexes[i], &table->indexes[i]);
        identify_index(scope, current, table, &table->indexes[i]);
        table->index_count = i + 1;
    }
    return table;
}
