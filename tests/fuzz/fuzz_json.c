/*
 * DynamoDB JSON: an item that decodes is valid as stored, and what is printed of it decodes to the
 * same bytes. A fault has words.
 */
#include "fuzz.h"

#include "base/check.h"
#include "values.h"
#include "json/attribute.h"

#define TEXT_SIZE_BYTES_MAX (1 << 20)

static struct json_parser *parser_of_process(void)
{
    static struct json_parser *parser;

    if (parser == NULL)
        parser = json_parser_new(TEXT_SIZE_BYTES_MAX);
    return parser;
}

/* False if the text is no JSON or no item. */
static bool decode(struct arena *arena, struct slice text, struct item *ret_item)
{
    uint8_t *padded = arena_zalloc(arena, text.n + JSON_PADDING_BYTES);
    struct error error;
    struct json root;

    if (text.n > 0)
        memcpy(padded, text.p, text.n);
    if (json_parse(parser_of_process(), slice_of(padded, text.n), &root) != ST_OK)
        return false;
    error_init(&error, arena);
    if (attribute_decode_item(arena, root, &error, ret_item) == ST_OK)
        return true;
    CHECK(error.code != ERROR_NONE && error.message.n > 0);
    attribute_reword_item(root, &error);
    return false;
}

static void check_print(struct arena *arena, struct item item)
{
    struct item again;
    struct buf buf;

    buf_init(&buf, TEXT_SIZE_BYTES_MAX);
    attribute_append_item(&buf, item);
    if (buf_status(&buf) == ST_OK) {
        CHECK(decode(arena, buf_slice(&buf), &again));
        CHECK(slice_equal(item.payload, again.payload));
    }
    buf_deinit(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct arena arena;
    struct item item;

    arena_init(&arena, 0);
    if (decode(&arena, slice_of(bytes, n), &item)) {
        CHECK(item_validate(item.payload) == ST_OK);
        value_walk(item_as_value(item));
        check_print(&arena, item);
    }
    arena_deinit(&arena);
    return 0;
}
