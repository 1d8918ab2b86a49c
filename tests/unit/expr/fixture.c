/* Items and parameters for tests of expressions: see fixture.h. */
#include "fixture.h"

#include <stdlib.h>

#include "json/attribute.h"

enum { TEXT_SIZE_BYTES_MAX = 1 << 20 };

int fixture_setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->json = json_parser_new(TEXT_SIZE_BYTES_MAX);
    arena_init(&fixture->arena, 0);
    error_init(&fixture->error, &fixture->arena);
    *state = fixture;
    return 0;
}

int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;

    json_parser_free(fixture->json);
    arena_deinit(&fixture->arena);
    free(fixture);
    return 0;
}

static void swap_quotes(char *text, size_t n, char from, char to)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == from)
            text[i] = to;
}

/* Nodes are views of the parser: they last until the next text. */
static struct json parse(struct fixture *fixture, const char *json)
{
    size_t n = strlen(json);
    char *text = arena_zalloc(&fixture->arena, n + JSON_PADDING_BYTES);
    struct json root;

    memcpy(text, json, n);
    swap_quotes(text, n, '\'', '"');
    assert_int_equal(json_parse(fixture->json, slice_of(text, n), &root), ST_OK);
    return root;
}

struct item fixture_item(struct fixture *fixture, const char *json)
{
    struct item item;

    if (json == NULL)
        return ITEM_NONE;
    assert_int_equal(
        attribute_decode_item(&fixture->arena, parse(fixture, json), &fixture->error, &item),
        ST_OK);
    return item;
}

static void read_names(struct fixture *fixture, const char *json)
{
    struct json root = parse(fixture, json), node;
    struct json_iter iter = json_iter(root);
    struct expr_name *name;

    fixture->params.names = ARENA_ARRAY(&fixture->arena, struct expr_name, json_count(root) + 1);
    name = fixture->params.names;
    for (; json_next_member(&iter, &name->placeholder, &node); name++) {
        name->placeholder = arena_copy(&fixture->arena, name->placeholder);
        name->name = arena_copy(&fixture->arena, json_string(node));
        fixture->params.name_count++;
    }
}

static void read_values(struct fixture *fixture, const char *json)
{
    struct json root = parse(fixture, json), node;
    struct json_iter iter = json_iter(root);
    struct expr_value *value;

    fixture->params.values = ARENA_ARRAY(&fixture->arena, struct expr_value, json_count(root) + 1);
    value = fixture->params.values;
    for (; json_next_member(&iter, &value->placeholder, &node); value++) {
        value->placeholder = arena_copy(&fixture->arena, value->placeholder);
        assert_int_equal(attribute_decode(&fixture->arena, node, &fixture->error, &value->value),
                         ST_OK);
        fixture->params.value_count++;
    }
}

void fixture_params(struct fixture *fixture, const char *names, const char *values)
{
    error_init(&fixture->error, &fixture->arena);
    fixture->params = (struct expr_params){0};
    if (names != NULL)
        read_names(fixture, names);
    if (values != NULL)
        read_values(fixture, values);
}

const char *fixture_json(struct fixture *fixture, struct item item)
{
    struct buf buf;
    char *text;

    assert_int_equal(item_validate(item.payload), ST_OK);
    buf_init(&buf, 1 << 24);
    attribute_append_item(&buf, item);
    assert_int_equal(buf_status(&buf), ST_OK);
    text = arena_zalloc(&fixture->arena, buf.n + 1);
    memcpy(text, buf.p, buf.n);
    swap_quotes(text, buf.n, '"', '\'');
    buf_deinit(&buf);
    return text;
}

const char *fixture_message(struct fixture *fixture, enum status status)
{
    struct slice message = fixture->error.message;
    char *text;

    if (status == ST_OK) {
        assert_int_equal(fixture->error.code, ERROR_NONE);
        return "";
    }
    assert_int_equal(status, ST_REFUSED);
    text = arena_zalloc(&fixture->arena, message.n + 1);
    memcpy(text, message.p, message.n);
    error_init(&fixture->error, &fixture->arena);
    return text;
}
