/* Reading encoded values: see value.h for their layout. */
#include "model/value.h"

#include "base/check.h"
#include "base/encode.h"

const char *value_type_name(enum value_type type)
{
    static const char *const names[] = {
        [VALUE_ABSENT] = "",   [VALUE_S] = "S",       [VALUE_N] = "N",   [VALUE_B] = "B",
        [VALUE_BOOL] = "BOOL", [VALUE_NULL] = "NULL", [VALUE_SS] = "SS", [VALUE_NS] = "NS",
        [VALUE_BS] = "BS",     [VALUE_L] = "L",       [VALUE_M] = "M",
    };

    return names[type];
}

/* ---- One encoded value ---- */

static enum status sized(struct slice bytes, size_t head, size_t size_bytes, enum value_type type,
                         struct value *ret_value, size_t *ret_size_bytes)
{
    if (bytes.n < head || bytes.n - head < size_bytes)
        return ST_INVALID;
    *ret_value = (struct value){type, slice_of(bytes.p + head, size_bytes)};
    *ret_size_bytes = head + size_bytes;
    return ST_OK;
}

enum status value_read(struct slice bytes, struct value *ret_value, size_t *ret_size_bytes)
{
    enum value_type type;

    if (bytes.n == 0)
        return ST_INVALID;
    type = (enum value_type)bytes.p[0];
    switch (type) {
    case VALUE_NULL:
        return sized(bytes, 1, 0, type, ret_value, ret_size_bytes);
    case VALUE_BOOL:
        return sized(bytes, 1, 1, type, ret_value, ret_size_bytes);
    case VALUE_N:
        if (bytes.n < 2)
            return ST_INVALID;
        return sized(bytes, 2, bytes.p[1], type, ret_value, ret_size_bytes);
    case VALUE_S:
    case VALUE_B:
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        if (bytes.n < 5)
            return ST_INVALID;
        return sized(bytes, 5, get_le32(bytes.p + 1), type, ret_value, ret_size_bytes);
    case VALUE_ABSENT:
        break;
    }
    return ST_INVALID;
}

/* For bytes that passed a writer or validation. */
static struct value value_in(struct slice bytes)
{
    struct value value;
    size_t size_bytes;

    CHECK(value_read(bytes, &value, &size_bytes) == ST_OK);
    return value;
}

/* ---- Containers ---- */

static bool has_count(enum value_type type)
{
    return type >= VALUE_SS && type <= VALUE_M;
}

uint32_t value_count(struct value value)
{
    if (!has_count(value.type) || value.payload.n < 4)
        return 0;
    return get_le32(value.payload.p);
}

/* The bytes of entry `index` of a list or map, to the end of the container. */
static struct slice entry_at(struct slice payload, uint32_t count, uint32_t index)
{
    size_t table_end = 4 + 4 * (size_t)count;
    uint32_t offset = get_le32(payload.p + 4 + 4 * (size_t)index);

    CHECK(table_end + offset <= payload.n);
    return slice_from(payload, table_end + offset);
}

struct value value_list_at(struct value list, uint32_t index)
{
    uint32_t count = value_count(list);

    if (list.type != VALUE_L || index >= count)
        return VALUE_NONE;
    return value_in(entry_at(list.payload, count, index));
}

/* What stands before the payload of an encoded value; returns how many bytes. */
static size_t encode_head(struct value value, uint8_t ret_head[5])
{
    ret_head[0] = (uint8_t)value.type;
    if (value.type == VALUE_NULL || value.type == VALUE_BOOL)
        return 1;
    if (value.type == VALUE_N) {
        ret_head[1] = (uint8_t)value.payload.n;
        return 2;
    }
    put_le32(ret_head + 1, (uint32_t)value.payload.n);
    return 5;
}

/* One encoding per value (invariant 1): elements are compared as they lie, and most differ in their
 * first byte. */
bool value_list_contains(struct value list, struct value wanted)
{
    uint32_t count = value_count(list);
    uint8_t head[5];
    size_t head_n;

    if (list.type != VALUE_L || wanted.type == VALUE_ABSENT)
        return false;
    head_n = encode_head(wanted, head);
    for (uint32_t i = 0; i < count; i++) {
        struct slice element = entry_at(list.payload, count, i);

        if (element.p[0] == head[0] && slice_has_prefix(element, slice_of(head, head_n)) &&
            slice_has_prefix(slice_from(element, head_n), wanted.payload))
            return true;
    }
    return false;
}

static struct slice entry_name(struct slice entry)
{
    size_t n = get_le16(entry.p);

    CHECK(entry.n >= 2 && entry.n - 2 >= n);
    return slice_of(entry.p + 2, n);
}

struct value value_map_at(struct value map, uint32_t index, struct slice *ret_name)
{
    struct slice entry = entry_at(map.payload, value_count(map), index);

    *ret_name = entry_name(entry);
    return value_in(slice_from(entry, 2 + ret_name->n));
}

struct value value_map_find(struct value map, struct slice name)
{
    uint32_t count = value_count(map), low = 0, high = count;

    if (map.type != VALUE_M)
        return VALUE_NONE;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct slice entry = entry_at(map.payload, count, middle);
        struct slice found = entry_name(entry);
        int order = slice_compare(name, found);

        if (order == 0)
            return value_in(slice_from(entry, 2 + found.n));
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return VALUE_NONE;
}

bool value_set_next(struct value set, size_t *at, struct slice *ret_element)
{
    size_t start = *at == 0 ? 4 : *at;
    uint32_t n;

    if (start >= set.payload.n)
        return false;
    n = get_le32(set.payload.p + start);
    CHECK(set.payload.n - start - 4 >= n);
    *ret_element = slice_of(set.payload.p + start + 4, n);
    *at = start + 4 + n;
    return true;
}

bool value_set_contains(struct value set, struct slice element)
{
    struct slice found;
    size_t at = 0;
    int order = 1;

    /* Sorted: behind a larger one there is nothing to find. */
    while (order > 0 && value_set_next(set, &at, &found))
        order = slice_compare(element, found);
    return order == 0;
}

/* ---- Scalars ---- */

struct number value_number(struct value n)
{
    struct number number;
    size_t size_bytes;

    CHECK(number_decode_ordered(n.payload, &number, &size_bytes) == ST_OK);
    return number;
}

bool value_bool(struct value value)
{
    return value.payload.n == 1 && value.payload.p[0] != 0;
}

struct value item_find(struct item item, struct slice name)
{
    return value_map_find(item_as_value(item), name);
}

/* One encoding per value (invariant 1) makes equality a comparison of bytes. */
bool value_equal(struct value a, struct value b)
{
    return a.type == b.type && slice_equal(a.payload, b.payload);
}

int value_compare(struct value a, struct value b)
{
    return slice_compare(a.payload, b.payload);
}
