/*
 * One table per struct says which member is stored under which name; reading and writing walk it.
 *
 * Invariant: rows are in byte order of their names, as maps are stored.
 */
#include "api/settings.h"

#include "base/check.h"

#define SETTINGS_SIZE_BYTES_MAX (1024 * 1024)

enum field_kind { FIELD_BOOL, FIELD_INT, FIELD_TEXT, FIELD_MAP };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
};

#define TABLE_FIELD(name, kind, member)                                                            \
    {                                                                                              \
        name, kind, offsetof(struct table_settings, member)                                        \
    }
#define INDEX_FIELD(name, kind, member)                                                            \
    {                                                                                              \
        name, kind, offsetof(struct unit_settings, member)                                         \
    }

static const struct field table_fields[] = {
    TABLE_FIELD("KMSMasterKeyId", FIELD_TEXT, encryption_key),
    TABLE_FIELD("LastDecreaseMs", FIELD_INT, units.provisioned.decreased_ms),
    TABLE_FIELD("LastIncreaseMs", FIELD_INT, units.provisioned.increased_ms),
    TABLE_FIELD("LastUpdateToPayPerRequestMs", FIELD_INT, on_demand_since_ms),
    TABLE_FIELD("LatestStreamLabel", FIELD_TEXT, stream_label),
    TABLE_FIELD("MaxReadRequestUnits", FIELD_INT, units.max_read_units),
    TABLE_FIELD("MaxWriteRequestUnits", FIELD_INT, units.max_write_units),
    TABLE_FIELD("PayPerRequest", FIELD_BOOL, on_demand),
    TABLE_FIELD("ReadCapacityUnits", FIELD_INT, units.provisioned.read_units),
    TABLE_FIELD("ResourcePolicy", FIELD_TEXT, policy),
    TABLE_FIELD("SSEEnabled", FIELD_BOOL, encrypted),
    TABLE_FIELD("StreamViewType", FIELD_TEXT, stream_view),
    TABLE_FIELD("TableClass", FIELD_TEXT, table_class),
    TABLE_FIELD("Tags", FIELD_MAP, tags),
    TABLE_FIELD("WarmReadUnitsPerSecond", FIELD_INT, units.warm_read_units),
    TABLE_FIELD("WarmWriteUnitsPerSecond", FIELD_INT, units.warm_write_units),
    TABLE_FIELD("WriteCapacityUnits", FIELD_INT, units.provisioned.write_units),
};

static const struct field index_fields[] = {
    INDEX_FIELD("LastDecreaseMs", FIELD_INT, provisioned.decreased_ms),
    INDEX_FIELD("LastIncreaseMs", FIELD_INT, provisioned.increased_ms),
    INDEX_FIELD("MaxReadRequestUnits", FIELD_INT, max_read_units),
    INDEX_FIELD("MaxWriteRequestUnits", FIELD_INT, max_write_units),
    INDEX_FIELD("ReadCapacityUnits", FIELD_INT, provisioned.read_units),
    INDEX_FIELD("WarmReadUnitsPerSecond", FIELD_INT, warm_read_units),
    INDEX_FIELD("WarmWriteUnitsPerSecond", FIELD_INT, warm_write_units),
    INDEX_FIELD("WriteCapacityUnits", FIELD_INT, provisioned.write_units),
};

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static int64_t int_of(struct value value)
{
    struct number number = value_number(value);

    return number_as_int(&number);
}

static void read_field(const struct field *field, struct value value, void *member)
{
    if (field->kind == FIELD_BOOL && value.type == VALUE_BOOL)
        *(bool *)member = value_bool(value);
    else if (field->kind == FIELD_INT && value.type == VALUE_N)
        *(int64_t *)member = int_of(value);
    else if (field->kind == FIELD_TEXT && value.type == VALUE_S)
        *(struct slice *)member = value.payload;
    else if (field->kind == FIELD_MAP && value.type == VALUE_M)
        *(struct item *)member = (struct item){value.payload};
}

static void read_fields(const struct field *fields, uint32_t count, struct item item, void *base)
{
    if (!item_exists(item))
        return;
    for (uint32_t i = 0; i < count; i++)
        read_field(&fields[i], item_find(item, slice_cstr(fields[i].name)),
                   (char *)base + fields[i].offset);
}

static bool is_default(const struct field *field, const void *member)
{
    switch (field->kind) {
    case FIELD_BOOL:
        return !*(const bool *)member;
    case FIELD_INT:
        return *(const int64_t *)member == 0;
    case FIELD_TEXT:
        return ((const struct slice *)member)->n == 0;
    case FIELD_MAP:
        return !item_exists(*(const struct item *)member);
    }
    return true;
}

static void write_int(struct value_writer *writer, int64_t value)
{
    struct number number = number_of_int(value);

    writer_number(writer, &number);
}

static void write_field(struct value_writer *writer, const struct field *field, const void *member)
{
    writer_name(writer, slice_cstr(field->name));
    switch (field->kind) {
    case FIELD_BOOL:
        writer_bool(writer, *(const bool *)member);
        return;
    case FIELD_INT:
        write_int(writer, *(const int64_t *)member);
        return;
    case FIELD_TEXT:
        writer_string(writer, *(const struct slice *)member);
        return;
    case FIELD_MAP:
        writer_value(writer, item_as_value(*(const struct item *)member));
        return;
    }
}

static struct item write_fields(const struct field *fields, uint32_t field_count, const void *base,
                                struct arena *arena)
{
    struct value_writer writer;
    uint32_t count = 0;
    struct item item;
    struct buf buf;

    for (uint32_t i = 0; i < field_count; i++)
        count += !is_default(&fields[i], (const char *)base + fields[i].offset);
    buf_init(&buf, SETTINGS_SIZE_BYTES_MAX);
    writer_init(&writer, &buf);
    writer_begin_map(&writer, count);
    for (uint32_t i = 0; i < field_count; i++) {
        const void *member = (const char *)base + fields[i].offset;

        if (!is_default(&fields[i], member))
            write_field(&writer, &fields[i], member);
    }
    writer_end(&writer);
    CHECK(!buf.failed);
    item = writer_item(&writer, 0);
    item.payload = arena_copy(arena, item.payload);
    buf_deinit(&buf);
    return item;
}

void table_settings_read(struct item item, struct table_settings *ret_settings)
{
    *ret_settings = (struct table_settings){0};
    read_fields(table_fields, COUNT_OF(table_fields), item, ret_settings);
}

struct item table_settings_write(const struct table_settings *settings, struct arena *arena)
{
    return write_fields(table_fields, COUNT_OF(table_fields), settings, arena);
}

void index_settings_read(struct item item, struct unit_settings *ret_settings)
{
    *ret_settings = (struct unit_settings){0};
    read_fields(index_fields, COUNT_OF(index_fields), item, ret_settings);
}

struct item index_settings_write(const struct unit_settings *settings, struct arena *arena)
{
    return write_fields(index_fields, COUNT_OF(index_fields), settings, arena);
}
