/* DynamoDB JSON in and out: what a client sends, what is stored, and what faults say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/attribute.h"

#define INVALID "One or more parameter values were invalid: "

enum { TEXT_MAX = 1 << 20 };

struct fixture {
    struct json_parser *parser;
    struct arena arena;
    struct error error;
    struct buf text; /* with padding */
    struct buf out;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->parser = json_parser_new(TEXT_MAX);
    arena_init(&fixture->arena, 0);
    buf_init(&fixture->text, 2 * TEXT_MAX);
    buf_init(&fixture->out, 2 * TEXT_MAX);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    json_parser_free(fixture->parser);
    arena_deinit(&fixture->arena);
    buf_deinit(&fixture->text);
    buf_deinit(&fixture->out);
    free(fixture);
    return 0;
}

static struct json parse(struct fixture *fixture, struct slice text)
{
    struct json root;

    buf_reset(&fixture->text);
    buf_append_slice(&fixture->text, text);
    assert_non_null(buf_room(&fixture->text, JSON_PADDING_BYTES));
    assert_int_equal(json_parse(fixture->parser, buf_slice(&fixture->text), &root), ST_OK);
    error_init(&fixture->error, &fixture->arena);
    return root;
}

static void assert_text(struct slice actual, const char *expected)
{
    assert_int_equal(actual.n, strlen(expected));
    assert_memory_equal(actual.p, expected, actual.n);
}

static struct slice encoded(struct fixture *fixture, struct item item)
{
    buf_reset(&fixture->out);
    attribute_append_item(&fixture->out, item);
    assert_int_equal(buf_status(&fixture->out), ST_OK);
    return buf_slice(&fixture->out);
}

/* The item that `text` decodes to reads back as `expected` and is well formed as stored. */
static void assert_item(struct fixture *fixture, const char *text, const char *expected)
{
    struct json node = parse(fixture, slice_cstr(text));
    struct item item;

    assert_int_equal(attribute_decode_item(&fixture->arena, node, &fixture->error, &item), ST_OK);
    assert_int_equal(item_validate(item.payload), ST_OK);
    assert_text(encoded(fixture, item), expected);
}

static struct json refuse_item(struct fixture *fixture, struct slice text)
{
    struct json node = parse(fixture, text);
    struct item item;

    assert_int_equal(attribute_decode_item(&fixture->arena, node, &fixture->error, &item),
                     ST_REFUSED);
    return node;
}

static void assert_invalid(struct fixture *fixture, const char *text, const char *message)
{
    refuse_item(fixture, slice_cstr(text));
    assert_int_equal(fixture->error.code, ERROR_VALIDATION);
    assert_text(fixture->error.message, message);
}

static void assert_invalid_older(struct fixture *fixture, const char *text, const char *message)
{
    struct json node = refuse_item(fixture, slice_cstr(text));

    attribute_reword_item(node, &fixture->error);
    assert_int_equal(fixture->error.code, ERROR_VALIDATION);
    assert_text(fixture->error.message, message);
}

static void assert_unserializable(struct fixture *fixture, const char *text, const char *message)
{
    refuse_item(fixture, slice_cstr(text));
    assert_int_equal(fixture->error.code, ERROR_SERIALIZATION);
    assert_text(fixture->error.message, message);
}

static void every_type_reads_back(void **state)
{
    struct fixture *f = *state;
    const char *text = "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"-12.5\"},\"c\":{\"B\":\"AP8=\"},"
                       "\"d\":{\"BOOL\":true},\"e\":{\"BOOL\":false},\"f\":{\"NULL\":true},"
                       "\"g\":{\"SS\":[\"p\",\"q\"]},\"h\":{\"NS\":[\"1\",\"2\"]},"
                       "\"i\":{\"BS\":[\"AA==\",\"/w==\"]},\"j\":{\"L\":[{\"S\":\"\"},{\"L\":[]}]},"
                       "\"k\":{\"M\":{\"y\":{\"M\":{}},\"z\":{\"B\":\"\"}}}}";

    assert_item(f, text, text);
    assert_item(f, "{}", "{}");
}

static void attributes_are_sorted_and_the_last_of_a_name_counts(void **state)
{
    assert_item(
        *state,
        "{\"b\":{\"S\":\"1\"},\"a\":{\"S\":\"2\"},\"aa\":{\"S\":\"3\"},\"b\":{\"S\":\"4\"},"
        "\"B\":{\"S\":\"5\"}}",
        "{\"B\":{\"S\":\"5\"},\"a\":{\"S\":\"2\"},\"aa\":{\"S\":\"3\"},\"b\":{\"S\":\"4\"}}");
    assert_item(*state, "{\"a\":{\"S\":\"x\",\"S\":\"y\"}}", "{\"a\":{\"S\":\"y\"}}");
}

/* More entries than are sorted by insertion, in falling order, each name twice. */
static void large_maps_are_sorted_too(void **state)
{
    struct fixture *f = *state;
    struct buf text, expected;

    buf_init(&text, TEXT_MAX);
    buf_init(&expected, TEXT_MAX);
    BUF_APPEND_LIT(&text, "{\"m\":{\"M\":{");
    BUF_APPEND_LIT(&expected, "{\"m\":{\"M\":{");
    for (int i = 199; i >= 0; i--)
        buf_printf(&text, "\"k%03d\":{\"N\":\"%d\"}%s", i % 100, i, i > 0 ? "," : "");
    for (int i = 0; i < 100; i++)
        buf_printf(&expected, "\"k%03d\":{\"N\":\"%d\"}%s", i, i, i < 99 ? "," : "");
    BUF_APPEND_LIT(&text, "}}}\0");
    BUF_APPEND_LIT(&expected, "}}}\0");
    assert_item(f, (const char *)text.p, (const char *)expected.p);
    buf_deinit(&text);
    buf_deinit(&expected);
}

static void numbers_are_canonical(void **state)
{
    assert_item(*state, "{\"n\":{\"N\":\"1e3\"}}", "{\"n\":{\"N\":\"1000\"}}");
    assert_item(*state, "{\"n\":{\"N\":\"-0.0\"}}", "{\"n\":{\"N\":\"0\"}}");
    assert_item(*state, "{\"n\":{\"NS\":[\"10\",\"9\",\"-1.50\"]}}",
                "{\"n\":{\"NS\":[\"-1.5\",\"9\",\"10\"]}}");
}

static void strings_keep_every_character(void **state)
{
    const char *text =
        "{\"s\":{\"S\":\"quote \\\" back \\\\ tab \\t nul \\u0000 bell \\u0007 e\xcc\x81 "
        "\xf0\x9f\x8f\xa0 /\"}}";

    assert_item(*state, text, text);
    assert_item(*state, "{\"\\u0061\\n\":{\"S\":\"\\ud83c\\udfe0\"}}",
                "{\"a\\n\":{\"S\":\"\xf0\x9f\x8f\xa0\"}}");
}

static void a_value_sets_exactly_one_type(void **state)
{
    const char *empty = "Supplied AttributeValue is empty, must contain exactly one of the "
                        "supported datatypes";

    assert_invalid(*state, "{\"a\":{}}", empty);
    assert_invalid(*state, "{\"a\":null}", empty);
    assert_invalid(*state, "{\"a\":{\"S\":null}}", empty);
    assert_invalid(*state, "{\"a\":{\"X\":\"x\"}}", empty);
    assert_invalid(*state, "{\"a\":{\"L\":[{\"M\":{\"b\":{}}}]}}", empty);
    assert_invalid(*state, "{\"a\":{\"S\":\"x\",\"BOOL\":true}}",
                   "Supplied AttributeValue has more than one datatypes set, must contain exactly "
                   "one of the supported datatypes");
    assert_item(*state, "{\"a\":{\"S\":\"x\",\"N\":null}}", "{\"a\":{\"S\":\"x\"}}");
}

static void bad_contents_are_named(void **state)
{
    assert_invalid(*state, "{\"a\":{\"NULL\":false}}",
                   INVALID "Null attribute value types must have the value of true");
    assert_invalid(*state, "{\"a\":{\"SS\":[]}}", INVALID "An string set  may not be empty");
    assert_invalid(*state, "{\"a\":{\"NS\":[]}}", INVALID "An number set  may not be empty");
    assert_invalid(*state, "{\"a\":{\"BS\":[]}}", INVALID "Binary sets should not be empty");
    assert_invalid(*state, "{\"a\":{\"N\":\"12a\"}}",
                   "The parameter cannot be converted to a numeric value: 12a");
    assert_invalid(*state, "{\"a\":{\"NS\":[\"1\",\"\"]}}",
                   "The parameter cannot be converted to a numeric value: ");
    assert_invalid(*state, "{\"a\":{\"N\":\"1e126\"}}",
                   "Number overflow. Attempting to store a number with magnitude larger than "
                   "supported range");
    assert_invalid(*state, "{\"\":{\"S\":\"x\"}}", "Empty attribute name");
    assert_invalid(*state, "{\"a\":{\"M\":{\"\":{\"S\":\"x\"}}}}", "Empty attribute name");
}

static void repeated_members_are_listed(void **state)
{
    assert_invalid(*state, "{\"a\":{\"SS\":[\"d\",\"b\",\"d\",\"a\",\"b\"]}}",
                   INVALID "Input collection [\"b\", \"d\", \"d\", \"a\", \"b\"] contains "
                           "duplicates.");
    assert_invalid(*state, "{\"a\":{\"BS\":[\"/w==\",\"AA==\",\"/w==\"]}}",
                   INVALID "Input collection [\"AA==\",\"/w==\",\"/w==\"]of type BS contains "
                           "duplicates.");
    assert_invalid(*state, "{\"a\":{\"NS\":[\"1\",\"1.0\"]}}",
                   INVALID "Input collection contains duplicates.");
}

static void older_words_differ_for_numbers_and_sets_alone(void **state)
{
    assert_invalid_older(*state, "{\"a\":{\"SS\":[\"b\",\"a\",\"b\"]}}",
                         INVALID "Input collection [b, a, b] contains duplicates.");
    assert_invalid_older(*state, "{\"a\":{\"BS\":[\"/w==\",\"AA==\",\"AA==\"]}}",
                         INVALID "Input collection [/w==, AA==, AA==]of type BS contains "
                                 "duplicates.");
    assert_invalid_older(*state, "{\"a\":{\"NS\":[\"1\",\"1.0\"]}}",
                         "Input collection contains duplicates");
    assert_invalid_older(*state, "{\"a\":{\"N\":\"\"}}",
                         "The parameter cannot be converted to a numeric value");
    assert_invalid_older(*state, "{\"a\":{\"N\":\"x\"}}",
                         "The parameter cannot be converted to a numeric value: x");
    assert_invalid_older(*state, "{\"a\":{\"SS\":[]}}", INVALID "An string set  may not be empty");
}

static void wrong_json_types_are_named(void **state)
{
    struct fixture *f = *state;

    assert_unserializable(f, "{\"a\":{\"S\":1}}", "NUMBER_VALUE cannot be converted to String");
    assert_unserializable(f, "{\"a\":{\"N\":1.5}}", "DECIMAL_VALUE cannot be converted to String");
    assert_unserializable(f, "{\"a\":{\"SS\":[true]}}", "TRUE_VALUE cannot be converted to String");
    assert_unserializable(f, "{\"a\":{\"S\":[]}}",
                          "Unrecognized collection type class java.lang.String");
    assert_unserializable(f, "{\"a\":{\"S\":{}}}",
                          "Start of structure or map found where not expected");
    assert_unserializable(f, "{\"a\":{\"BOOL\":\"true\"}}",
                          "Unexpected token received from parser");
    assert_unserializable(f, "{\"a\":{\"L\":\"x\"}}", "Unexpected field type");
    assert_unserializable(f, "{\"a\":{\"L\":{}}}",
                          "Start of structure or map found where not expected");
    assert_unserializable(f, "{\"a\":\"x\"}", "Unexpected value type in payload");
    assert_unserializable(f, "{\"a\":{\"B\":7}}",
                          "only base-64-encoded strings are convertible to bytes");
    assert_unserializable(f, "{\"a\":{\"B\":\"AAAAA\"}}",
                          "Base64 encoded length is expected a multiple of 4 bytes but found: 5");
    assert_unserializable(f, "{\"a\":{\"B\":\"AAA*\"}}",
                          "only base-64-encoded strings are convertible to bytes");
}

static void wrong_json_types_hide_other_faults(void **state)
{
    assert_unserializable(*state, "{\"a\":{\"SS\":[]},\"b\":{\"S\":1}}",
                          "NUMBER_VALUE cannot be converted to String");
    assert_unserializable(*state, "{\"a\":{},\"b\":{\"M\":{\"c\":{\"L\":[{\"B\":\"*\"}]}}}}",
                          "Base64 encoded length is expected a multiple of 4 bytes but found: 1");
}

static void append_nested(struct buf *text, const char *before, int levels, const char *after)
{
    buf_printf(text, "%s", before);
    for (int i = 0; i < levels; i++)
        buf_printf(text, i % 2 == 0 ? "{\"M\":{\"n\":" : "{\"L\":[");
    buf_printf(text, "{\"S\":\"leaf\"}");
    for (int i = levels - 1; i >= 0; i--)
        buf_printf(text, i % 2 == 0 ? "}}" : "]}");
    buf_printf(text, "%s", after);
}

static void values_nest_up_to_32_levels(void **state)
{
    struct fixture *f = *state;
    struct buf text;
    struct item item;
    struct json node;

    buf_init(&text, TEXT_MAX);
    append_nested(&text, "{\"a\":", VALUE_DEPTH_MAX - 1, "}");
    node = parse(f, buf_slice(&text));
    assert_int_equal(attribute_decode_item(&f->arena, node, &f->error, &item), ST_OK);
    assert_int_equal(item_validate(item.payload), ST_OK);
    assert_true(slice_equal(encoded(f, item), buf_slice(&text)));

    for (int levels = VALUE_DEPTH_MAX; levels < 400; levels += 100) {
        buf_reset(&text);
        append_nested(&text, "{\"a\":{\"SS\":[]},\"b\":", levels, "}");
        refuse_item(f, buf_slice(&text));
        assert_true(slice_has_prefix(f->error.message, SLICE_LIT("Nesting Levels have exceeded")));
        buf_reset(&text);
        append_nested(&text, "{\"a\":", levels, ",\"\":{\"S\":\"x\"}}");
        refuse_item(f, buf_slice(&text));
        assert_text(f->error.message, "Empty attribute name");
    }
    buf_deinit(&text);
}

static void a_single_value_decodes(void **state)
{
    struct fixture *f = *state;
    struct value value;
    struct json node = parse(f, SLICE_LIT("{\"L\":[{\"N\":\"7\"}]}"));
    struct json absent = {NULL, 0};

    assert_int_equal(attribute_decode(&f->arena, node, &f->error, &value), ST_OK);
    assert_int_equal(value.type, VALUE_L);
    assert_int_equal(value_count(value), 1);
    attribute_append(&f->out, value);
    assert_text(buf_slice(&f->out), "{\"L\":[{\"N\":\"7\"}]}");
    assert_int_equal(attribute_decode(&f->arena, absent, &f->error, &value), ST_REFUSED);
}

static void decoded_items_outlive_the_document(void **state)
{
    struct fixture *f = *state;
    struct json node = parse(f, SLICE_LIT("{\"a\":{\"S\":\"first\"}}"));
    struct item first, second;

    assert_int_equal(attribute_decode_item(&f->arena, node, &f->error, &first), ST_OK);
    node = parse(f, SLICE_LIT("{\"b\":{\"S\":\"other\"}}"));
    assert_int_equal(attribute_decode_item(&f->arena, node, &f->error, &second), ST_OK);
    assert_text(encoded(f, first), "{\"a\":{\"S\":\"first\"}}");
    assert_text(encoded(f, second), "{\"b\":{\"S\":\"other\"}}");
}

/* An escape at every offset of a block, and the same text without any. */
static void escapes_are_found_wherever_they_stand(void **state)
{
    struct fixture *f = *state;
    char text[40], expected[48];

    for (size_t length = 0; length < 40; length++) {
        memset(text, 'x', sizeof(text));
        for (size_t at = 0; at < length; at++) {
            int n;

            text[at] = '\n';
            n = snprintf(expected, sizeof(expected), "\"%.*s\\n%.*s\"", (int)at, text,
                         (int)(length - at - 1), text + at + 1);
            assert_in_range(n, 1, sizeof(expected) - 1);
            buf_reset(&f->out);
            json_append_string(&f->out, slice_of(text, length));
            assert_text(buf_slice(&f->out), expected);
            text[at] = 'x';
        }
    }
}

static void numbers_of_json_are_shortest(void **state)
{
    struct fixture *f = *state;

    json_append_int(&f->out, INT64_MIN);
    buf_append_byte(&f->out, ' ');
    json_append_int(&f->out, 0);
    buf_append_byte(&f->out, ' ');
    json_append_int(&f->out, INT64_MAX);
    assert_text(buf_slice(&f->out), "-9223372036854775808 0 9223372036854775807");
    buf_reset(&f->out);
    json_append_double(&f->out, 1);
    buf_append_byte(&f->out, ' ');
    json_append_double(&f->out, 0.1);
    buf_append_byte(&f->out, ' ');
    json_append_double(&f->out, 1.0 / 3);
    assert_text(buf_slice(&f->out), "1.0 0.1 0.3333333333333333");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_type_reads_back, setup, teardown),
        cmocka_unit_test_setup_teardown(attributes_are_sorted_and_the_last_of_a_name_counts, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(large_maps_are_sorted_too, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_are_canonical, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_keep_every_character, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_sets_exactly_one_type, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_contents_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(repeated_members_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(older_words_differ_for_numbers_and_sets_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(wrong_json_types_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_json_types_hide_other_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(values_nest_up_to_32_levels, setup, teardown),
        cmocka_unit_test_setup_teardown(a_single_value_decodes, setup, teardown),
        cmocka_unit_test_setup_teardown(decoded_items_outlive_the_document, setup, teardown),
        cmocka_unit_test_setup_teardown(escapes_are_found_wherever_they_stand, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_of_json_are_shortest, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
