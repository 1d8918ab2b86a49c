/*
 * Counting and writing consumed capacity. Units stay in halves until they are printed, so that sums
 * are exact.
 */
#include "api/capacity.h"

#include "api/response.h"
#include "json/attribute.h"

#define READ_BLOCK_SIZE_BYTES 4096

enum capacity_detail capacity_detail_of(struct json request)
{
    struct json member = json_member(request, SLICE_LIT("ReturnConsumedCapacity"));

    if (json_type(member) != JSON_STRING)
        return CAPACITY_NONE;
    if (slice_is(json_string(member), "INDEXES"))
        return CAPACITY_INDEXES;
    return slice_is(json_string(member), "TOTAL") ? CAPACITY_TOTAL : CAPACITY_NONE;
}

void capacity_init(struct capacity *capacity, const struct table *table, enum capacity_kind kind)
{
    *capacity = (struct capacity){.table = table, .kind = kind};
}

uint64_t capacity_read_halves(uint64_t size_bytes, bool consistent)
{
    uint64_t blocks = (size_bytes + READ_BLOCK_SIZE_BYTES - 1) / READ_BLOCK_SIZE_BYTES;

    if (blocks == 0)
        blocks = 1;
    return consistent ? blocks * 2 : blocks;
}

void capacity_add_write(struct capacity *capacity, const struct write_cost *cost, uint32_t factor)
{
    capacity->table_halves += 2ull * factor * cost->table_units;
    for (uint32_t i = 0; i < capacity->table->index_count; i++)
        capacity->index_halves[i] += 2ull * factor * cost->index_units[i];
}

void capacity_add_read(struct capacity *capacity, const struct index *index, uint64_t halves)
{
    if (index == NULL)
        capacity->table_halves += halves;
    else
        capacity->index_halves[index - capacity->table->indexes] += halves;
}

uint64_t capacity_total_halves(const struct capacity *capacity)
{
    uint64_t total = capacity->table_halves;

    for (uint32_t i = 0; i < capacity->table->index_count; i++)
        total += capacity->index_halves[i];
    return total;
}

static void append_units(struct buf *buf, enum capacity_kind kind, uint64_t halves)
{
    double units = (double)halves / 2;

    BUF_APPEND_LIT(buf, "\"CapacityUnits\":");
    json_append_double(buf, units);
    if (kind == CAPACITY_OF_ANY)
        return;
    buf_printf(buf,
               ",\"%s\":", kind == CAPACITY_OF_READS ? "ReadCapacityUnits" : "WriteCapacityUnits");
    json_append_double(buf, units);
}

static void append_indexes(struct buf *buf, const struct capacity *capacity, bool local,
                           const char *member)
{
    bool open = false;

    for (uint32_t i = 0; i < capacity->table->index_count; i++) {
        const struct index *index = &capacity->table->indexes[i];

        if (index->local != local || capacity->index_halves[i] == 0)
            continue;
        if (open)
            buf_append_byte(buf, ',');
        else
            buf_printf(buf, ",\"%s\":{", member);
        open = true;
        json_append_string(buf, index->name);
        BUF_APPEND_LIT(buf, ":{");
        append_units(buf, capacity->kind, capacity->index_halves[i]);
        buf_append_byte(buf, '}');
    }
    if (open)
        buf_append_byte(buf, '}');
}

void capacity_append(struct buf *buf, const struct capacity *capacity, enum capacity_detail detail)
{
    BUF_APPEND_LIT(buf, "{\"TableName\":");
    json_append_string(buf, capacity->table->name);
    buf_append_byte(buf, ',');
    append_units(buf, capacity->kind, capacity_total_halves(capacity));
    if (detail == CAPACITY_INDEXES) {
        BUF_APPEND_LIT(buf, ",\"Table\":{");
        append_units(buf, capacity->kind, capacity->table_halves);
        buf_append_byte(buf, '}');
        append_indexes(buf, capacity, true, "LocalSecondaryIndexes");
        append_indexes(buf, capacity, false, "GlobalSecondaryIndexes");
    }
    buf_append_byte(buf, '}');
}

void capacity_append_member(struct buf *buf, const struct capacity *capacity,
                            enum capacity_detail detail)
{
    if (detail == CAPACITY_NONE)
        return;
    response_name(buf, "ConsumedCapacity");
    capacity_append(buf, capacity, detail);
}
