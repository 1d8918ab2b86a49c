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
#include "json/attribute_type.h"

#define INVALID "One or more parameter values were invalid: "

/* Ends the walk; settle() finds the words. */
#define WRONG_TYPE ST_INVALID

/* Maps of up to so many entries are sorted by insertion. */
enum { INSERTION_COUNT_MAX = 32 };

struct decoder {
    struct arena *arena;
    struct error *error;
    bool older; /* generation of words: see attribute_reword */
    struct value_writer writer;
};

static enum status decode_value(struct decoder *decoder, struct json node, uint32_t level);

static enum status too_large(struct decoder *decoder)
{
    return error_set(decoder->error, ERROR_VALIDATION,
                     "Item size has exceeded the maximum allowed size");
}

/* ---- Numbers ---- */

static enum status number_refused(struct decoder *decoder, enum number_fault fault,
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

static enum status parse_number(struct decoder *decoder, struct slice text,
                                struct number *ret_number)
{
    enum number_fault fault = number_parse(text, ret_number);

    return fault == NUMBER_FINE ? ST_OK : number_refused(decoder, fault, text);
}

/* ---- Scalars ---- */

static enum status decode_number(struct decoder *decoder, struct json content)
{
    struct number number;

    if (json_type(content) != JSON_STRING)
        return WRONG_TYPE;
    TRY(parse_number(decoder, json_string(content), &number));
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

static enum status decode_bytes(struct decoder *decoder, struct json content,
                                struct slice *ret_bytes)
{
    enum status status;

    if (json_type(content) != JSON_STRING)
        return WRONG_TYPE;
    status = base64_decode(decoder->arena, json_string(content), ret_bytes);
    return status == ST_TOO_LARGE ? too_large(decoder) : status;
}

static enum status decode_binary(struct decoder *decoder, struct json content)
{
    struct slice bytes;

    TRY(decode_bytes(decoder, content, &bytes));
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
                         INVALID "Null attribute value types must have the value of true");
    writer_null(&decoder->writer);
    return ST_OK;
}

/* ---- Sets ---- */

static enum status set_is_empty(struct decoder *decoder, enum value_type type)
{
    if (type == VALUE_BS)
        return error_set(decoder->error, ERROR_VALIDATION,
                         INVALID "Binary sets should not be empty");
    return error_set(decoder->error, ERROR_VALIDATION, INVALID "An %s set  may not be empty",
                     type == VALUE_SS ? "string" : "number");
}

static enum status set_has_null(struct decoder *decoder, enum value_type type)
{
    if (type == VALUE_NS)
        return number_refused(decoder, NUMBER_SYNTAX, SLICE_EMPTY);
    if (type == VALUE_BS)
        return error_set(decoder->error, ERROR_VALIDATION,
                         INVALID "Binary sets may not contain null or empty values");
    return error_set(decoder->error, ERROR_VALIDATION,
                     INVALID "An string set  may not have a null string as a member");
}

static enum status decode_ordered(struct decoder *decoder, struct json element,
                                  struct slice *ret_ordered)
{
    uint8_t *bytes = arena_alloc(decoder->arena, NUMBER_ORDERED_SIZE_MAX);
    struct number number;

    if (json_type(element) != JSON_STRING)
        return WRONG_TYPE;
    TRY(parse_number(decoder, json_string(element), &number));
    *ret_ordered = slice_of(bytes, number_encode_ordered(&number, bytes));
    return ST_OK;
}

static enum status decode_element(struct decoder *decoder, enum value_type type,
                                  struct json element, struct slice *ret_element)
{
    if (json_type(element) == JSON_NULL)
        return set_has_null(decoder, type);
    if (type == VALUE_NS)
        return decode_ordered(decoder, element, ret_element);
    if (type == VALUE_BS)
        return decode_bytes(decoder, element, ret_element);
    if (json_type(element) != JSON_STRING)
        return WRONG_TYPE;
    *ret_element = json_string(element);
    return ST_OK;
}

static int compare_elements(const void *a, const void *b)
{
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* By content; the order of the array that they point into decides among equal elements. */
static int compare_places(const void *a, const void *b)
{
    const struct slice *x = *(const struct slice *const *)a, *y = *(const struct slice *const *)b;
    int order = slice_compare(*x, *y);

    if (order != 0)
        return order;
    return x < y ? -1 : x > y;
}

/* The index of the first element that equals an earlier one. `places` has room for all. */
static size_t first_repeat(const struct slice *elements, size_t count, const struct slice **places)
{
    size_t first = count;

    for (size_t i = 0; i < count; i++)
        places[i] = &elements[i];
    qsort(places, count, sizeof(places[0]), compare_places);
    for (size_t i = 1; i < count; i++) {
        if (slice_equal(*places[i - 1], *places[i]) && (size_t)(places[i] - elements) < first)
            first = (size_t)(places[i] - elements);
    }
    return first;
}

static void append_elements(struct buf *buf, enum value_type type, bool quoted,
                            const struct slice *elements, uint32_t count)
{
    const char *separator = type == VALUE_BS && quoted ? "," : ", ";

    for (uint32_t i = 0; i < count; i++) {
        buf_printf(buf, "%s%s", i > 0 ? separator : "", quoted ? "\"" : "");
        if (type == VALUE_BS)
            base64_append(buf, elements[i]);
        else
            buf_append_slice(buf, elements[i]);
        buf_printf(buf, "%s", quoted ? "\"" : "");
    }
}

static enum status numbers_repeat(struct decoder *decoder)
{
    return error_set(decoder->error, ERROR_VALIDATION, "%sInput collection contains duplicates%s",
                     decoder->older ? "" : INVALID, decoder->older ? "" : ".");
}

/*
 * `elements` are in the order of the request. The newer words list them as the service met them:
 * those before the first repeat sorted, then the rest. Ends the walk, so that the scratch buffer
 * and the room for places are free.
 */
static enum status set_repeats(struct decoder *decoder, enum value_type type,
                               struct slice *elements, uint32_t count, const struct slice **places)
{
    struct buf *text = decoder->writer.buf;

    if (type == VALUE_NS)
        return numbers_repeat(decoder);
    if (!decoder->older)
        qsort(elements, first_repeat(elements, count, places), sizeof(elements[0]),
              compare_elements);
    buf_reset(text);
    append_elements(text, type, !decoder->older, elements, count);
    return error_set(decoder->error, ERROR_VALIDATION,
                     INVALID "Input collection [%" PRISLICE "]%s contains duplicates.",
                     SLICE_ARG(buf_slice(text)), type == VALUE_BS ? "of type BS" : "");
}

static enum status decode_set(struct decoder *decoder, enum value_type type, struct json content)
{
    struct json_iter iter = json_iter(content);
    uint32_t count = json_count(content), filled = 0;
    struct slice *elements, *sorted;
    struct json element;

    if (json_type(content) != JSON_ARRAY)
        return WRONG_TYPE;
    if (count == 0)
        return set_is_empty(decoder, type);
    elements = arena_try_alloc(decoder->arena, 2 * count * sizeof(elements[0]));
    if (elements == NULL)
        return too_large(decoder);
    while (json_next_element(&iter, &element))
        TRY(decode_element(decoder, type, element, &elements[filled++]));
    sorted = memcpy(elements + count, elements, count * sizeof(elements[0]));
    if (writer_set(&decoder->writer, type, sorted, count) == ST_INVALID)
        return set_repeats(decoder, type, elements, count, (const struct slice **)(void *)sorted);
    return ST_OK;
}

/* ---- Lists and maps ---- */

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
        return too_large(decoder);
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
        return too_large(decoder);
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

static enum status nested_too_deep(struct error *error)
{
    return error_set(error, ERROR_VALIDATION,
                     "Nesting Levels have exceeded supported limits: Attributes in the item have "
                     "nested levels beyond supported limit");
}

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
        return decode_set(decoder, type, content);
    case VALUE_L:
        return decode_list(decoder, content, level);
    case VALUE_M:
        return decode_map(decoder, content, level);
    case VALUE_ABSENT:
        break;
    }
    return value_is_empty(decoder->error);
}

static bool is_null(struct json node)
{
    return json_type(node) == JSON_ABSENT || json_type(node) == JSON_NULL;
}

/* `level` counts the attribute itself as 1. */
static enum status decode_value(struct decoder *decoder, struct json node, uint32_t level)
{
    enum value_type type = VALUE_ABSENT;
    struct json content = {NULL, 0};
    bool several;

    if (level > VALUE_DEPTH_MAX)
        return nested_too_deep(decoder->error);
    if (!is_null(node) && json_type(node) != JSON_OBJECT)
        return WRONG_TYPE;
    type = attribute_member(node, &content, &several);
    if (several)
        return error_set(decoder->error, ERROR_VALIDATION,
                         "Supplied AttributeValue has more than one datatypes set, must contain "
                         "exactly one of the supported datatypes");
    return decode_content(decoder, type, content, level);
}

/* ---- Faults that come first ---- */

static enum status check_nesting(struct json node, uint32_t level, struct error *error)
{
    struct json_iter iter;
    struct json content, element;
    struct slice name;
    bool several;
    enum value_type type = attribute_member(node, &content, &several);

    if (level > VALUE_DEPTH_MAX)
        return nested_too_deep(error);
    if (type != VALUE_L && type != VALUE_M)
        return ST_OK;
    iter = json_iter(content);
    while (type == VALUE_L ? json_next_element(&iter, &element)
                           : json_next_member(&iter, &name, &element))
        TRY(check_nesting(element, level + 1, error));
    return ST_OK;
}

static enum status check_item_first(struct json node, struct error *error)
{
    struct json_iter iter = json_iter(node), names = iter;
    struct slice name;
    struct json value;

    TRY(attribute_check_item_types(node, error));
    while (json_next_member(&names, &name, &value)) {
        if (name.n == 0)
            return error_set(error, ERROR_VALIDATION, "Empty attribute name");
    }
    while (json_next_member(&iter, &name, &value))
        TRY(check_nesting(value, 1, error));
    return ST_OK;
}

static enum status check_value_first(struct json node, struct error *error)
{
    TRY(attribute_check_types(node, error));
    return check_nesting(node, 1, error);
}

/* Leaves in `error` what DynamoDB would say of a node in which a fault was found. */
static enum status settle(struct decoder *decoder, struct json node,
                          enum status (*check_first)(struct json node, struct error *error))
{
    struct error found = *decoder->error;

    decoder->error->code = ERROR_NONE;
    TRY(check_first(node, decoder->error));
    *decoder->error = found;
    return found.code == ERROR_NONE ? too_large(decoder) : ST_REFUSED;
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
        return too_large(decoder);
    memcpy(copy, written.p, written.n);
    *ret_bytes = slice_of(copy, written.n);
    return ST_OK;
}

enum status attribute_decode(struct arena *arena, struct json node, struct error *error,
                             struct value *ret_value)
{
    struct decoder decoder;
    struct slice bytes;
    size_t size_bytes;

    if (node.document == NULL)
        return value_is_empty(error);
    decoder = decoder_of(arena, node, error, false);
    if (decode_value(&decoder, node, 1) != ST_OK)
        return settle(&decoder, node, check_value_first);
    TRY(take_bytes(&decoder, &bytes));
    return value_read(bytes, ret_value, &size_bytes);
}

/* An item without attributes: a count of zero. */
static const uint8_t EMPTY_MAP[4];

enum status attribute_decode_item(struct arena *arena, struct json node, struct error *error,
                                  struct item *ret_item)
{
    struct decoder decoder;
    struct slice bytes;

    if (is_null(node)) {
        *ret_item = (struct item){slice_of(EMPTY_MAP, sizeof(EMPTY_MAP))};
        return ST_OK;
    }
    decoder = decoder_of(arena, node, error, false);
    if (decode_map(&decoder, node, 0) != ST_OK)
        return settle(&decoder, node, check_item_first);
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
    if (settle(&decoder, node, is_item ? check_item_first : check_value_first) != ST_OK)
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
