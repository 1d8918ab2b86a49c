/*
 * Stored values to DynamoDB JSON, straight from their encoded form. Recursion is bounded by
 * VALUE_DEPTH_MAX: values came through the decoder, the draft or validation.
 */
#include "base/check.h"
#include "base/encode.h"
#include "json/attribute.h"

/* Digits, sign and point need no escape. */
static void append_number(struct buf *buf, struct slice ordered)
{
    uint8_t *room = buf_room(buf, NUMBER_TEXT_SIZE_MAX + 2);
    size_t n;

    if (room == NULL)
        return;
    room[0] = '"';
    n = 1 + number_format_ordered(ordered, (char *)room + 1);
    room[n] = '"';
    buf->n += n + 1;
}

static void append_binary(struct buf *buf, struct slice bytes)
{
    buf_append_byte(buf, '"');
    base64_append(buf, bytes);
    buf_append_byte(buf, '"');
}

static void append_elements(struct buf *buf, struct value set,
                            void (*append)(struct buf *buf, struct slice element))
{
    struct slice element;
    bool first = true;
    size_t at = 0;

    buf_append_byte(buf, '[');
    while (value_set_next(set, &at, &element)) {
        if (!first)
            buf_append_byte(buf, ',');
        append(buf, element);
        first = false;
    }
    buf_append_byte(buf, ']');
}

// NOLINTBEGIN(misc-no-recursion): values are at most VALUE_DEPTH_MAX deep

static void append_list(struct buf *buf, struct value list)
{
    uint32_t count = value_count(list);

    buf_append_byte(buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            buf_append_byte(buf, ',');
        attribute_append(buf, value_list_at(list, i));
    }
    buf_append_byte(buf, ']');
}

static void append_map(struct buf *buf, struct value map)
{
    uint32_t count = value_count(map);
    struct slice name;

    buf_append_byte(buf, '{');
    for (uint32_t i = 0; i < count; i++) {
        struct value value = value_map_at(map, i, &name);

        if (i > 0)
            buf_append_byte(buf, ',');
        json_append_string(buf, name);
        buf_append_byte(buf, ':');
        attribute_append(buf, value);
    }
    buf_append_byte(buf, '}');
}

/* Openings are spelled where they are appended: copies of constant size cost a move or two. */
void attribute_append(struct buf *buf, struct value value)
{
    switch (value.type) {
    case VALUE_S:
        BUF_APPEND_LIT(buf, "{\"S\":");
        json_append_string(buf, value.payload);
        break;
    case VALUE_N:
        BUF_APPEND_LIT(buf, "{\"N\":");
        append_number(buf, value.payload);
        break;
    case VALUE_B:
        BUF_APPEND_LIT(buf, "{\"B\":");
        append_binary(buf, value.payload);
        break;
    case VALUE_BOOL:
        BUF_APPEND_LIT(buf, "{\"BOOL\":");
        buf_append_slice(buf, value_bool(value) ? SLICE_LIT("true") : SLICE_LIT("false"));
        break;
    case VALUE_NULL:
        BUF_APPEND_LIT(buf, "{\"NULL\":true");
        break;
    case VALUE_SS:
        BUF_APPEND_LIT(buf, "{\"SS\":");
        append_elements(buf, value, json_append_string);
        break;
    case VALUE_NS:
        BUF_APPEND_LIT(buf, "{\"NS\":");
        append_elements(buf, value, append_number);
        break;
    case VALUE_BS:
        BUF_APPEND_LIT(buf, "{\"BS\":");
        append_elements(buf, value, append_binary);
        break;
    case VALUE_L:
        BUF_APPEND_LIT(buf, "{\"L\":");
        append_list(buf, value);
        break;
    case VALUE_M:
        BUF_APPEND_LIT(buf, "{\"M\":");
        append_map(buf, value);
        break;
    case VALUE_ABSENT:
        CHECK(!"an absent value has no text");
    }
    buf_append_byte(buf, '}');
}
// NOLINTEND(misc-no-recursion)

void attribute_append_item(struct buf *buf, struct item item)
{
    append_map(buf, item_as_value(item));
}
