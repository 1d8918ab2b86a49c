/* Validation of untrusted bytes against the invariants of value.h. */
#include "base/encode.h"
#include "model/value.h"

// NOLINTBEGIN(misc-no-recursion): validate_value refuses what is too deep

static enum status validate_value(struct value value, unsigned depth);

static enum status validate_member(enum value_type set, struct slice member)
{
    if (set == VALUE_BS)
        return ST_OK;
    return validate_value((struct value){set == VALUE_NS ? VALUE_N : VALUE_S, member}, 0);
}

static enum status validate_set(struct value set)
{
    uint32_t count = value_count(set);
    struct slice before = SLICE_EMPTY;
    size_t at = 4;

    if (set.payload.n < 4 || count == 0)
        return ST_INVALID;
    for (uint32_t i = 0; i < count; i++) {
        struct slice element;

        if (set.payload.n - at < 4 || set.payload.n - at - 4 < get_le32(set.payload.p + at))
            return ST_INVALID;
        element = slice_of(set.payload.p + at + 4, get_le32(set.payload.p + at));
        if (i > 0 && slice_compare(before, element) >= 0)
            return ST_INVALID;
        TRY(validate_member(set.type, element));
        before = element;
        at += 4 + element.n;
    }
    return at == set.payload.n ? ST_OK : ST_INVALID;
}

/* A map entry's name, in strict order after the one before. */
static enum status validate_name(struct slice entry, struct slice *name, bool first)
{
    struct slice found;

    if (entry.n < 2 || entry.n - 2 < get_le16(entry.p))
        return ST_INVALID;
    found = slice_of(entry.p + 2, get_le16(entry.p));
    if (!utf8_valid(found) || (!first && slice_compare(*name, found) >= 0))
        return ST_INVALID;
    *name = found;
    return ST_OK;
}

static enum status validate_container(struct value container, unsigned depth)
{
    struct slice payload = container.payload, name = SLICE_EMPTY;
    uint64_t count, at;

    if (payload.n < 4)
        return ST_INVALID;
    count = get_le32(payload.p);
    at = 4 + 4 * count;
    if (at > payload.n)
        return ST_INVALID;
    for (uint64_t i = 0; i < count; i++) {
        struct slice entry = slice_from(payload, at);
        struct value value;
        size_t size_bytes;

        if (get_le32(payload.p + 4 + 4 * i) != at - 4 - 4 * count)
            return ST_INVALID;
        if (container.type == VALUE_M) {
            TRY(validate_name(entry, &name, i == 0));
            entry = slice_from(entry, 2 + name.n);
            at += 2 + name.n;
        }
        TRY(value_read(entry, &value, &size_bytes));
        TRY(validate_value(value, depth + 1));
        at += size_bytes;
    }
    return at == payload.n ? ST_OK : ST_INVALID;
}

static enum status validate_number(struct slice payload)
{
    struct number number;
    size_t size_bytes;

    TRY(number_decode_ordered(payload, &number, &size_bytes));
    return size_bytes == payload.n ? ST_OK : ST_INVALID;
}

/* `depth` counts the containers around the value; an item is at 0. */
static enum status validate_value(struct value value, unsigned depth)
{
    switch (value.type) {
    case VALUE_S:
        return utf8_valid(value.payload) ? ST_OK : ST_INVALID;
    case VALUE_N:
        return validate_number(value.payload);
    case VALUE_BOOL:
        return value.payload.p[0] <= 1 ? ST_OK : ST_INVALID;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return validate_set(value);
    case VALUE_L:
    case VALUE_M:
        return depth > VALUE_DEPTH_MAX ? ST_INVALID : validate_container(value, depth);
    case VALUE_B:
    case VALUE_NULL:
        return ST_OK;
    case VALUE_ABSENT:
        break;
    }
    return ST_INVALID;
}
// NOLINTEND(misc-no-recursion)

enum status value_validate(struct slice encoded)
{
    struct value value;
    size_t size_bytes;

    TRY(value_read(encoded, &value, &size_bytes));
    if (size_bytes != encoded.n)
        return ST_INVALID;
    return validate_value(value, 1);
}

enum status item_validate(struct slice payload)
{
    return validate_value((struct value){VALUE_M, payload}, 0);
}
