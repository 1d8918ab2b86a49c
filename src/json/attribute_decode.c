/*
 * DynamoDB JSON to stored values. The main path is one walk that writes as it goes; it stops at
 * the first fault, and only then are the faults that DynamoDB would name before it looked for:
 *
 *   wrong JSON types anywhere  >  empty names of an item  >  nesting anywhere  >  the first fault
 *
 * Values are built in the parser's scratch buffer and copied to the arena once their size is
 * known. Recursion is bounded by VALUE_DEPTH_MAX.
 */
#include <stdlib.h>

#include "base/encode.h"
#include "json/attribute.h"
#include "json/attribute_check.h"
#include "json/attribute_decoder.h"
#include "json/attribute_type.h"

/* Maps of up to so many entries are sorted by insertion. */
enum { INSERTION_COUNT_MAX = 32 };

static enum status decode_value(struct decoder *decoder, struct json node, uint32_t level);

enum status decoder_too_large(struct decoder *decoder)
{
    return error_set(decoder->error, ERROR_VALIDATION,
                     "Item size has exceeded the maximum allowed size");
}

/* ---- Numbers ---- */

enum status decoder_refuse_number(struct decoder *decoder, enum number_fault fault,
                                  struct slice text)
{
    bool takes_text;
    const char *format = number_fault_format(fault, &takes_text);

    if (!takes_text)
        return error_set(decoder->error, ERROR_VALIDATION, "%s", format);
    if (decoder->older && text.n == 0)
        return error_set(decoder->error, ERROR_VALIDATION,
                         "The parameter cannot be converted to a numeric value");
    return error_set(decoder->error, ERROR_VALIDATION,
                     "The parameter cannot be converted to a numeric value: %" PRISLICE,
                     SLICE_ARG(text));
}

enum status decoder_parse_number(struct decoder *decoder, struct slice text,
                                 struct number *ret_number)
{
    enum number_fault fault = number_parse(text, ret_number);

    return fault == NUMBER_FINE ? ST_OK : decoder_refuse_number(decoder, fault, text);
}

/* ---- Scalars ---- */

static enum status decode_number(struct decoder *decoder, struct json content)
{
    struct number number;

    if (json_type(content) != JSON_STRING)
        return WRONG_TYPE;
    TRY(decoder_parse_number(decoder, json_string(content), &number));
    writer_number(&decoder->writer, &number);
    return ST_OK;
}

static enum status decode_string(struct decoder *decoder, struct json content)
{
    if (json_type(content) != JSON_STRING)
        return WRONG_TYPE;
    writer_string(&decoder->writer, json_string(content));
    return ST_OK;
}

enum status decoder_bytes(struct decoder *decoder, struct json content, struct slice *ret_bytes)
{
    enum status status;

    if (json_type(content) != JSON_STRING)
        return WRONG_TYPE;
    status = base64_decode(decoder->arena, json_string(content), ret_bytes);
    return status == ST_TOO_LARGE ? decoder_too_large(decoder) : status;
}

static enum status decode_binary(struct decoder *decoder, struct json content)
{
    struct slice bytes;

    TRY(decoder_bytes(decoder, content, &bytes));
    writer_binary(&decoder->writer, bytes);
    return ST_OK;
}

static enum status decode_bool(struct decoder *decoder, struct json content)
{
    if (json_type(content) != JSON_BOOL)
        return WRONG_TYPE;
    writer_bool(&decoder->writer, json_bool(content));
    return ST_OK;
}

static enum status decode_null(struct decoder *decoder, struct json content)
{
    if (json_type(content) != JSON_BOOL)
        return WRONG_TYPE;
    if (!json_bool(content))
        return error_set(decoder->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS
                         "Null attribute value types must have the value of true");
    writer_null(&decoder->writer);
    return ST_OK;
}

/* ---- Lists and maps ---- */

// NOLINTBEGIN(misc-no-recursion): decode_value refuses what is deeper than VALUE_DEPTH_MAX

static enum status decode_list(struct decoder *decoder, struct json content, uint32_t level)
{
    struct json_iter iter = json_iter(content);
    struct json element;

    if (json_type(content) != JSON_ARRAY)
        return WRONG_TYPE;
    writer_begin_list(&decoder->writer, json_count(content));
    while (json_next_element(&iter, &element))
        TRY(decode_value(decoder, element, level + 1));
    writer_end(&decoder->writer);
    return ST_OK;
}

struct entry {
    uint64_t prefix; /* of the name, so that most comparisons are of integers */
    struct slice name;
    struct json value;
};

/* The first eight bytes as a number that orders as they do; zeros stand for missing ones. */
static uint64_t prefix_of(struct slice name)
{
    uint8_t bytes[8] = {0};

    memcpy(bytes, name.p, name.n < sizeof(bytes) ? name.n : sizeof(bytes));
    return get_be64(bytes);
}

static inline int compare_names(const struct entry *a, const struct entry *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    return slice_compare(a->name, b->name);
}

/* By name; the order of the document decides among equal names. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_names(x, y);

    if (order != 0)
        return order;
    return x->value.at < y->value.at ? -1 : x->value.at > y->value.at;
}

static void sort_by_insertion(struct entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct entry entry = entries[i];
        uint32_t at = i;

        for (; at > 0 && compare_names(&entries[at - 1], &entry) > 0; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* Keeps the last of equal names; returns how many are left. */
static uint32_t drop_repeated(struct entry *entries, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && slice_equal(entries[kept - 1].name, entries[i].name))
            kept--;
        entries[kept++] = entries[i];
    }
    return kept;
}

static enum status sorted_entries(struct decoder *decoder, struct json map,
                                  struct entry **ret_entries, uint32_t *ret_count)
{
    struct json_iter iter = json_iter(map);
    uint32_t count = json_count(map), filled = 0;
    struct entry *entries = arena_try_alloc(decoder->arena, count * sizeof(entries[0]));
    struct slice name;
    struct json value;

    if (entries == NULL)
        return decoder_too_large(decoder);
    while (json_next_member(&iter, &name, &value))
        entries[filled++] = (struct entry){prefix_of(name), name, value};
    if (count <= INSERTION_COUNT_MAX)
        sort_by_insertion(entries, count);
    else
        qsort(entries, count, sizeof(entries[0]), compare_entries);
    *ret_entries = entries;
    *ret_count = drop_repeated(entries, count);
    return ST_OK;
}

static enum status check_name(struct decoder *decoder, struct slice name)
{
    if (name.n == 0)
        return error_set(decoder->error, ERROR_VALIDATION, "Empty attribute name");
    if (name.n > ATTRIBUTE_NAME_SIZE_BYTES_MAX)
        return decoder_too_large(decoder);
    return ST_OK;
}

static enum status decode_map(struct decoder *decoder, struct json content, uint32_t level)
{
    struct entry *entries = NULL;
    uint32_t count = 0;

    if (json_type(content) != JSON_OBJECT)
        return WRONG_TYPE;
    TRY(sorted_entries(decoder, content, &entries, &count));
    writer_begin_map(&decoder->writer, count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(check_name(decoder, entries[i].name));
        writer_name(&decoder->writer, entries[i].name);
        TRY(decode_value(decoder, entries[i].value, level + 1));
    }
    writer_end(&decoder->writer);
    return ST_OK;
}

/* ---- Values ---- */

static enum status value_is_empty(struct error *error)
{
    return error_set(error, ERROR_VALIDATION,
                     "Supplied AttributeValue is empty, must contain exactly one of the supported "
                     "datatypes");
}

static enum status decode_content(struct decoder *decoder, enum value_type type,
                                  struct json content, uint32_t level)
{
    switch (type) {
    case VALUE_S:
        return decode_string(decoder, content);
    case VALUE_N:
        return decode_number(decoder, content);
    case VALUE_B:
        return decode_binary(decoder, content);
    case VALUE_BOOL:
        return decode_bool(decoder, content);
    case VALUE_NULL:
        return decode_null(decoder, content);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return decoder_set(decoder, type, content);
    case VALUE_L:
        return decode_list(decoder, content, level);
    case VALUE_M:
        return decode_map(decoder, content, level);
    case VALUE_ABSENT:
        break;
    }
    return value_is_empty(decoder->error);
}

/* `level` counts the attribute itself as 1. */
static enum status decode_value(struct decoder *decoder, struct json node, uint32_t level)
{
    enum value_type type = VALUE_ABSENT;
    struct json content = {NULL, 0};
    bool several;

    if (level > VALUE_DEPTH_MAX)
        return attribute_refuse_nesting(decoder->error);
    if (!json_is_null(node) && json_type(node) != JSON_OBJECT)
        return WRONG_TYPE;
    type = attribute_member(node, &content, &several);
    if (several)
        return error_set(decoder->error, ERROR_VALIDATION,
                         "Supplied AttributeValue has more than one datatypes set, must contain "
                         "exactly one of the supported datatypes");
    return decode_content(decoder, type, content, level);
}
// NOLINTEND(misc-no-recursion)

/* ---- Faults ---- */

/* Leaves in `error` what DynamoDB would say of a node in which a fault was found. */
static enum status settle(struct decoder *decoder, struct json node,
                          enum status (*check_first)(struct json node, struct error *error))
{
    struct error found = *decoder->error;

    decoder->error->code = ERROR_NONE;
    TRY(check_first(node, decoder->error));
    *decoder->error = found;
    return found.code == ERROR_NONE ? decoder_too_large(decoder) : ST_REFUSED;
}

/* ---- Entry ---- */

static struct decoder decoder_of(struct arena *arena, struct json node, struct error *error,
                                 bool older)
{
    struct decoder decoder = {.arena = arena, .error = error, .older = older};

    writer_init(&decoder.writer, json_scratch(node));
    return decoder;
}

/* Copies what was written to the arena. */
static enum status take_bytes(struct decoder *decoder, struct slice *ret_bytes)
{
    struct slice written = buf_slice(decoder->writer.buf);
    uint8_t *copy = arena_try_alloc(decoder->arena, written.n);

    if (copy == NULL || buf_status(decoder->writer.buf) != ST_OK)
        return decoder_too_large(decoder);
    memcpy(copy, written.p, written.n);
    *ret_bytes = slice_of(copy, written.n);
    return ST_OK;
}

enum status attribute_decode(struct arena *arena, struct json node, struct error *error,
                             struct value *ret_value)
{
    struct slice bytes = SLICE_EMPTY;
    struct decoder decoder;
    size_t size_bytes;

    if (node.document == NULL)
        return value_is_empty(error);
    decoder = decoder_of(arena, node, error, false);
    if (decode_value(&decoder, node, 1) != ST_OK)
        return settle(&decoder, node, attribute_check_first);
    TRY(take_bytes(&decoder, &bytes));
    return value_read(bytes, ret_value, &size_bytes);
}

/* An item without attributes: a count of zero. */
static const uint8_t EMPTY_MAP[4];

enum status attribute_decode_item(struct arena *arena, struct json node, struct error *error,
                                  struct item *ret_item)
{
    struct slice bytes = SLICE_EMPTY;
    struct decoder decoder;

    if (json_is_null(node)) {
        *ret_item = (struct item){slice_of(EMPTY_MAP, sizeof(EMPTY_MAP))};
        return ST_OK;
    }
    decoder = decoder_of(arena, node, error, false);
    if (decode_map(&decoder, node, 0) != ST_OK)
        return settle(&decoder, node, attribute_check_item_first);
    TRY(take_bytes(&decoder, &bytes));
    *ret_item = (struct item){slice_from(bytes, 5)};
    return ST_OK;
}

/* Decodes once more, for the words alone. */
static void reword(struct json node, struct error *error, bool is_item)
{
    struct error older;
    struct decoder decoder;

    if (error->code != ERROR_VALIDATION || node.document == NULL)
        return;
    error_init(&older, error->arena);
    decoder = decoder_of(error->arena, node, &older, true);
    if ((is_item ? decode_map(&decoder, node, 0) : decode_value(&decoder, node, 1)) == ST_OK)
        return;
    if (settle(&decoder, node, is_item ? attribute_check_item_first : attribute_check_first) !=
        ST_OK)
        *error = older;
}

void attribute_reword(struct json node, struct error *error)
{
    reword(node, error, false);
}

void attribute_reword_item(struct json node, struct error *error)
{
    reword(node, error, true);
}
