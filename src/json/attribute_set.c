/*
 * Sets: their elements are decoded in the order of the request, for the words about repeats name
 * them so, and sorted in a copy.
 *
 * Invariant: no fault costs more than sorting the set does.
 */
#include <stdlib.h>

#include "base/encode.h"
#include "json/attribute_decoder.h"

#define LISTED_SIZE_BYTES_MAX (64 * 1024) /* errors are cut there */

static enum status set_is_empty(struct decoder *decoder, enum value_type type)
{
    if (type == VALUE_BS)
        return error_set(decoder->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Binary sets should not be empty");
    return error_set(decoder->error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "An %s set  may not be empty",
                     type == VALUE_SS ? "string" : "number");
}

static enum status set_has_null(struct decoder *decoder, enum value_type type)
{
    if (type == VALUE_NS)
        return decoder_refuse_number(decoder, NUMBER_SYNTAX, SLICE_EMPTY);
    if (type == VALUE_BS)
        return error_set(decoder->error, ERROR_VALIDATION,
                         INVALID_PARAMETERS "Binary sets may not contain null or empty values");
    return error_set(decoder->error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "An string set  may not have a null string as a member");
}

static enum status decode_ordered(struct decoder *decoder, struct json element,
                                  struct slice *ret_ordered)
{
    uint8_t *bytes = arena_alloc(decoder->arena, NUMBER_ORDERED_SIZE_MAX);
    struct number number;

    if (json_type(element) != JSON_STRING)
        return WRONG_TYPE;
    TRY(decoder_parse_number(decoder, json_string(element), &number));
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
        return decoder_bytes(decoder, element, ret_element);
    if (json_type(element) != JSON_STRING)
        return WRONG_TYPE;
    *ret_element = json_string(element);
    return ST_OK;
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
    qsort(places, count, sizeof(const struct slice *), compare_places);
    for (size_t i = 1; i < count; i++) {
        if (slice_equal(*places[i - 1], *places[i]) && (size_t)(places[i] - elements) < first)
            first = (size_t)(places[i] - elements);
    }
    return first;
}

/* No more of them than a message has room for. */
static void append_elements(struct buf *buf, enum value_type type, bool quoted,
                            const struct slice *elements, uint32_t count)
{
    const char *separator = type == VALUE_BS && quoted ? "," : ", ";

    for (uint32_t i = 0; i < count && buf->n < LISTED_SIZE_BYTES_MAX; i++) {
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
                     decoder->older ? "" : INVALID_PARAMETERS, decoder->older ? "" : ".");
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
              slice_compare_at);
    buf_reset(text);
    append_elements(text, type, !decoder->older, elements, count);
    return error_set(decoder->error, ERROR_VALIDATION,
                     INVALID_PARAMETERS "Input collection [%" PRISLICE "]%s contains duplicates.",
                     SLICE_ARG(buf_slice(text)), type == VALUE_BS ? "of type BS" : "");
}

enum status decoder_set(struct decoder *decoder, enum value_type type, struct json content)
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
        return decoder_too_large(decoder);
    while (json_next_element(&iter, &element))
        TRY(decode_element(decoder, type, element, &elements[filled++]));
    sorted = memcpy(elements + count, elements, count * sizeof(elements[0]));
    if (writer_set(&decoder->writer, type, sorted, count) == ST_INVALID)
        return set_repeats(decoder, type, elements, count, (const struct slice **)(void *)sorted);
    return ST_OK;
}
