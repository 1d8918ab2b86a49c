/* Writing encoded values: see value.h. */
#include <stdlib.h>

#include "base/check.h"
#include "base/encode.h"
#include "model/value.h"

void writer_init(struct value_writer *writer, struct buf *buf)
{
    writer->buf = buf;
    writer->depth = 0;
}

/* Notes where the next entry of the container begins. */
static void begin_entry(struct value_writer *writer, struct open_container *container)
{
    size_t entries = container->start + 4 * (size_t)container->count;

    CHECK(container->filled < container->count);
    if (!writer->buf->failed)
        put_le32(writer->buf->p + container->start + 4 * (size_t)container->filled,
                 (uint32_t)(writer->buf->n - entries));
    container->filled++;
}

/* In a map, the entry began with the name. */
static void begin_value(struct value_writer *writer)
{
    if (writer->depth > 0 && !writer->open[writer->depth - 1].is_map)
        begin_entry(writer, &writer->open[writer->depth - 1]);
}

static void write_sized(struct value_writer *writer, enum value_type type, struct slice bytes)
{
    uint8_t *p;

    begin_value(writer);
    p = buf_room(writer->buf, 5 + bytes.n);
    if (p == NULL)
        return;
    p[0] = (uint8_t)type;
    put_le32(p + 1, (uint32_t)bytes.n);
    if (bytes.n > 0)
        memcpy(p + 5, bytes.p, bytes.n);
    writer->buf->n += 5 + bytes.n;
}

void writer_string(struct value_writer *writer, struct slice s)
{
    write_sized(writer, VALUE_S, s);
}

void writer_binary(struct value_writer *writer, struct slice b)
{
    write_sized(writer, VALUE_B, b);
}

void writer_number(struct value_writer *writer, const struct number *number)
{
    uint8_t *p;

    begin_value(writer);
    p = buf_room(writer->buf, 2 + NUMBER_ORDERED_SIZE_MAX);
    if (p == NULL)
        return;
    p[0] = VALUE_N;
    p[1] = (uint8_t)number_encode_ordered(number, p + 2);
    writer->buf->n += 2u + p[1];
}

void writer_bool(struct value_writer *writer, bool value)
{
    uint8_t bytes[2] = {VALUE_BOOL, value};

    begin_value(writer);
    buf_append(writer->buf, bytes, sizeof(bytes));
}

void writer_null(struct value_writer *writer)
{
    begin_value(writer);
    buf_append_byte(writer->buf, VALUE_NULL);
}

static void append_le32(struct buf *buf, uint32_t v)
{
    uint8_t bytes[4];

    put_le32(bytes, v);
    buf_append(buf, bytes, sizeof(bytes));
}

enum status writer_set(struct value_writer *writer, enum value_type type, struct slice *elements,
                       uint32_t count)
{
    size_t size_bytes = 4;

    qsort(elements, count, sizeof(elements[0]), slice_compare_at);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && slice_equal(elements[i - 1], elements[i]))
            return ST_INVALID;
        size_bytes += 4 + elements[i].n;
    }
    begin_value(writer);
    buf_append_byte(writer->buf, (uint8_t)type);
    append_le32(writer->buf, (uint32_t)size_bytes);
    append_le32(writer->buf, count);
    for (uint32_t i = 0; i < count; i++) {
        append_le32(writer->buf, (uint32_t)elements[i].n);
        buf_append_slice(writer->buf, elements[i]);
    }
    return ST_OK;
}

static void begin_container(struct value_writer *writer, enum value_type type, uint32_t count)
{
    size_t table_bytes = 4 * (size_t)count;
    struct open_container *container;
    uint8_t *p;

    begin_value(writer);
    CHECK(writer->depth < sizeof(writer->open) / sizeof(writer->open[0]));
    container = &writer->open[writer->depth++];
    *container = (struct open_container){.count = count, .is_map = type == VALUE_M};
    p = buf_room(writer->buf, 9 + table_bytes);
    if (p == NULL)
        return;
    p[0] = (uint8_t)type;
    put_le32(p + 5, count);
    writer->buf->n += 9 + table_bytes;
    container->start = writer->buf->n - table_bytes;
}

void writer_begin_list(struct value_writer *writer, uint32_t count)
{
    begin_container(writer, VALUE_L, count);
}

void writer_begin_map(struct value_writer *writer, uint32_t count)
{
    begin_container(writer, VALUE_M, count);
}

/* Whether the name sorts after that of the entry before. */
static bool is_next_name(const struct buf *buf, const struct open_container *map, struct slice name)
{
    const uint8_t *table = buf->p + map->start, *entry;

    if (map->filled == 0 || buf->failed)
        return true;
    entry = table + 4 * (size_t)map->count + get_le32(table + 4 * (size_t)(map->filled - 1));
    return slice_compare(slice_of(entry + 2, get_le16(entry)), name) < 0;
}

void writer_name(struct value_writer *writer, struct slice name)
{
    struct open_container *map;
    uint8_t *p;

    CHECK(writer->depth > 0 && name.n <= ATTRIBUTE_NAME_SIZE_BYTES_MAX);
    map = &writer->open[writer->depth - 1];
    CHECK(map->is_map && is_next_name(writer->buf, map, name));
    begin_entry(writer, map);
    p = buf_room(writer->buf, 2 + name.n);
    if (p == NULL)
        return;
    put_le16(p, (uint16_t)name.n);
    if (name.n > 0)
        memcpy(p + 2, name.p, name.n);
    writer->buf->n += 2 + name.n;
}

void writer_end(struct value_writer *writer)
{
    const struct open_container *container;
    size_t size_at;

    CHECK(writer->depth > 0);
    container = &writer->open[--writer->depth];
    CHECK(container->filled == container->count);
    if (writer->buf->failed)
        return;
    size_at = container->start - 8;
    put_le32(writer->buf->p + size_at, (uint32_t)(writer->buf->n - size_at - 4));
}

void writer_value(struct value_writer *writer, struct value value)
{
    uint8_t head[5] = {(uint8_t)value.type};
    size_t n = 5;

    begin_value(writer);
    if (value.type == VALUE_NULL || value.type == VALUE_BOOL) {
        n = 1;
    } else if (value.type == VALUE_N) {
        head[1] = (uint8_t)value.payload.n;
        n = 2;
    } else {
        put_le32(head + 1, (uint32_t)value.payload.n);
    }
    buf_append(writer->buf, head, n);
    buf_append_slice(writer->buf, value.payload);
}

struct value value_make_string(struct arena *arena, struct slice s)
{
    return (struct value){VALUE_S, arena_copy(arena, s)};
}

struct value value_make_number(struct arena *arena, const struct number *number)
{
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
    size_t n = number_encode_ordered(number, bytes);

    return (struct value){VALUE_N, arena_copy(arena, slice_of(bytes, n))};
}

struct item writer_item(const struct value_writer *writer, size_t start)
{
    CHECK(writer->depth == 0 && writer->buf->n >= start + 9);
    return (struct item){slice_of(writer->buf->p + start + 5, writer->buf->n - start - 5)};
}
