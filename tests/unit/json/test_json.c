/* Parsing and walking JSON documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "json/json.h"

enum { SIZE_BYTES_MAX = 4 << 20 };

static struct buf text; /* the document at hand and its padding */

static int setup(void **state)
{
    buf_init(&text, 2 * SIZE_BYTES_MAX);
    *state = json_parser_new(SIZE_BYTES_MAX);
    return 0;
}

static int teardown(void **state)
{
    json_parser_free(*state);
    buf_deinit(&text);
    return 0;
}

static enum status parse_text(struct json_parser *parser, struct json *ret_root)
{
    assert_non_null(buf_room(&text, JSON_PADDING_BYTES));
    return json_parse(parser, buf_slice(&text), ret_root);
}

static enum status parse(struct json_parser *parser, const char *document, struct json *ret_root)
{
    buf_reset(&text);
    buf_append_slice(&text, slice_cstr(document));
    return parse_text(parser, ret_root);
}

static void scalars_keep_their_values(void **state)
{
    struct json root, element;
    struct json_iter iter;

    assert_int_equal(parse(*state,
                           "[1,-9223372036854775808,18446744073709551615,2.5,true,false,null,"
                           "\"a\\u0000b\"]",
                           &root),
                     ST_OK);
    assert_int_equal(json_type(root), JSON_ARRAY);
    assert_int_equal(json_count(root), 8);
    iter = json_iter(root);
    assert_true(json_next_element(&iter, &element));
    assert_int_equal(json_int(element), 1);
    assert_true(json_double(element) == 1.0);
    assert_true(json_next_element(&iter, &element));
    assert_true(json_int(element) == INT64_MIN);
    assert_true(json_next_element(&iter, &element));
    assert_true(json_int(element) == INT64_MAX);
    assert_true(json_double(element) > 1.8e19);
    assert_true(json_next_element(&iter, &element));
    assert_int_equal(json_type(element), JSON_DOUBLE);
    assert_true(json_double(element) == 2.5);
    assert_true(json_next_element(&iter, &element));
    assert_true(json_bool(element));
    assert_true(json_next_element(&iter, &element));
    assert_int_equal(json_type(element), JSON_BOOL);
    assert_false(json_bool(element));
    assert_true(json_next_element(&iter, &element));
    assert_int_equal(json_type(element), JSON_NULL);
    assert_true(json_next_element(&iter, &element));
    assert_int_equal(json_string(element).n, 3);
    assert_memory_equal(json_string(element).p, "a\0b", 3);
    assert_false(json_next_element(&iter, &element));
}

static void members_are_found_and_the_last_of_a_name_wins(void **state)
{
    struct json root;

    assert_int_equal(parse(*state, "{\"a\":{\"x\":[1,[2,{}]]},\"ab\":2,\"a\":3,\"\":4}", &root),
                     ST_OK);
    assert_int_equal(json_count(root), 4);
    assert_int_equal(json_int(json_member(root, SLICE_LIT("a"))), 3);
    assert_int_equal(json_int(json_member(root, SLICE_LIT("ab"))), 2);
    assert_int_equal(json_int(json_member(root, SLICE_EMPTY)), 4);
    assert_int_equal(json_type(json_member(root, SLICE_LIT("b"))), JSON_ABSENT);
    assert_int_equal(json_type(json_member(json_member(root, SLICE_LIT("ab")), SLICE_LIT("a"))),
                     JSON_ABSENT);
}

static void nested_containers_are_stepped_over(void **state)
{
    struct json root, value;
    struct json_iter iter;
    struct slice name;

    assert_int_equal(parse(*state, "{\"a\":[[1.5,2],{\"b\":[]}],\"c\":{},\"d\":7}", &root), ST_OK);
    iter = json_iter(root);
    assert_true(json_next_member(&iter, &name, &value));
    assert_int_equal(json_count(value), 2);
    assert_true(json_next_member(&iter, &name, &value));
    assert_int_equal(json_type(value), JSON_OBJECT);
    assert_int_equal(json_count(value), 0);
    assert_true(json_next_member(&iter, &name, &value));
    assert_memory_equal(name.p, "d", 1);
    assert_int_equal(json_int(value), 7);
    assert_false(json_next_member(&iter, &name, &value));
}

static void absent_nodes_are_harmless(void **state)
{
    struct json absent = {NULL, 0}, value;
    struct json_iter iter = json_iter(absent);

    (void)state;
    assert_int_equal(json_type(absent), JSON_ABSENT);
    assert_int_equal(json_string(absent).n, 0);
    assert_int_equal(json_int(absent), 0);
    assert_int_equal(json_count(absent), 0);
    assert_false(json_next_element(&iter, &value));
    assert_int_equal(json_type(json_member(absent, SLICE_LIT("a"))), JSON_ABSENT);
}

static void what_is_no_json_is_refused(void **state)
{
    static const char *const documents[] = {
        "",        "{",        "{\"a\":1,}",       "{\"a\" 1}",         "[1 2]", "nul",
        "{} {}",   "\"\x80\"", "\"\xed\xa0\x80\"", "\"\\ud800\"",       "01",    "\"a\nb\"",
        "{'a':1}", "[1e]",     "// x\n1",          "{\"a\":undefined}",
    };

    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        struct json root;

        assert_int_equal(parse(*state, documents[i], &root), ST_INVALID);
    }
}

static enum status parse_nested(struct json_parser *parser, size_t depth)
{
    struct json root;

    buf_reset(&text);
    for (size_t i = 0; i < depth; i++)
        buf_append_byte(&text, '[');
    for (size_t i = 0; i < depth; i++)
        buf_append_byte(&text, ']');
    return parse_text(parser, &root);
}

static void depth_has_a_limit(void **state)
{
    assert_int_equal(parse_nested(*state, JSON_DEPTH_MAX - 1), ST_OK);
    assert_int_equal(parse_nested(*state, JSON_DEPTH_MAX + 1), ST_TOO_LARGE);
}

/* Sizes around the parser's first capacity, up to and over its maximum, then a small one again. */
static void size_has_a_limit_and_the_parser_recovers(void **state)
{
    static const size_t sizes[] = {100, 65536, 65537, 200000, 100, SIZE_BYTES_MAX, 100};
    struct json root;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        buf_reset(&text);
        buf_append_byte(&text, '"');
        while (text.n < sizes[i] - 1)
            buf_append_byte(&text, 'x');
        buf_append_byte(&text, '"');
        assert_int_equal(parse_text(*state, &root), ST_OK);
        assert_int_equal(json_string(root).n, sizes[i] - 2);
    }
    buf_reset(&text);
    for (size_t i = 0; i <= SIZE_BYTES_MAX; i++)
        buf_append_byte(&text, ' ');
    assert_int_equal(parse_text(*state, &root), ST_TOO_LARGE);
    assert_int_equal(parse(*state, "7", &root), ST_OK);
    assert_int_equal(json_int(root), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_keep_their_values, setup, teardown),
        cmocka_unit_test_setup_teardown(members_are_found_and_the_last_of_a_name_wins, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(nested_containers_are_stepped_over, setup, teardown),
        cmocka_unit_test_setup_teardown(absent_nodes_are_harmless, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_json_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(depth_has_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(size_has_a_limit_and_the_parser_recovers, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
