/* Values as written and read back, their equality and order, and DynamoDB's sizes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/value.h"
#include "values.h"

struct fixture {
    struct arena arena;
    struct buf buf;
    struct value_writer writer;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    arena_init(&fixture->arena, 0);
    buf_init(&fixture->buf, 1u << 24);
    writer_init(&fixture->writer, &fixture->buf);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    buf_deinit(&fixture->buf);
    arena_deinit(&fixture->arena);
    free(fixture);
    return 0;
}

static void write_number(struct fixture *fixture, const char *text)
{
    struct number number;

    assert_int_equal(number_parse(slice_cstr(text), &number), NUMBER_FINE);
    writer_number(&fixture->writer, &number);
}

static struct slice ordered(struct fixture *fixture, const char *text)
{
    struct number number;

    assert_int_equal(number_parse(slice_cstr(text), &number), NUMBER_FINE);
    return value_make_number(&fixture->arena, &number).payload;
}

/* What was written since the last call, validated and read back. */
static struct value finish(struct fixture *fixture)
{
    struct slice bytes = arena_copy(&fixture->arena, buf_slice(&fixture->buf));
    struct value value;
    size_t size_bytes;

    assert_int_equal(buf_status(&fixture->buf), ST_OK);
    assert_int_equal(value_validate(bytes), ST_OK);
    assert_int_equal(value_read(bytes, &value, &size_bytes), ST_OK);
    assert_int_equal(size_bytes, bytes.n);
    buf_reset(&fixture->buf);
    return value;
}

static struct value make_number(struct fixture *fixture, const char *text)
{
    write_number(fixture, text);
    return finish(fixture);
}

static struct value make_strings(struct fixture *fixture, enum value_type type,
                                 const char *const *texts, uint32_t count)
{
    struct slice members[8];

    for (uint32_t i = 0; i < count; i++)
        members[i] = type == VALUE_NS ? ordered(fixture, texts[i]) : slice_cstr(texts[i]);
    assert_int_equal(writer_set(&fixture->writer, type, members, count), ST_OK);
    return finish(fixture);
}

/* ---- Reading ---- */

static void scalars_read_back(void **state)
{
    struct fixture *fixture = *state;
    struct value value;

    writer_string(&fixture->writer, SLICE_LIT("text"));
    value = finish(fixture);
    assert_int_equal(value.type, VALUE_S);
    assert_true(slice_is(value.payload, "text"));
    writer_binary(&fixture->writer, SLICE_LIT("\0\xff"));
    value = finish(fixture);
    assert_int_equal(value.type, VALUE_B);
    assert_true(slice_equal(value.payload, SLICE_LIT("\0\xff")));
    writer_bool(&fixture->writer, true);
    assert_true(value_bool(finish(fixture)));
    writer_bool(&fixture->writer, false);
    assert_false(value_bool(finish(fixture)));
    writer_null(&fixture->writer);
    assert_int_equal(finish(fixture).type, VALUE_NULL);
    assert_int_equal(value_number(make_number(fixture, "-42")).coefficient, 42);
}

static void an_empty_string_is_a_value(void **state)
{
    struct fixture *fixture = *state;
    struct value value;

    writer_string(&fixture->writer, SLICE_EMPTY);
    value = finish(fixture);
    assert_int_equal(value.type, VALUE_S);
    assert_int_equal(value.payload.n, 0);
}

static void map_entries_are_found_by_name(void **state)
{
    static const char *const names[] = {"", "A", "a", "ab", "b", "é"};
    struct fixture *fixture = *state;
    struct slice name;
    struct value map;

    writer_begin_map(&fixture->writer, 6);
    for (size_t i = 0; i < 6; i++) {
        writer_name(&fixture->writer, slice_cstr(names[i]));
        writer_string(&fixture->writer, slice_cstr(names[i]));
    }
    writer_end(&fixture->writer);
    map = finish(fixture);
    assert_int_equal(value_count(map), 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(slice_is(value_map_find(map, slice_cstr(names[i])).payload, names[i]));
        assert_true(slice_is(value_map_at(map, i, &name).payload, names[i]));
        assert_true(slice_is(name, names[i]));
    }
    assert_int_equal(value_map_find(map, SLICE_LIT("aa")).type, VALUE_ABSENT);
    assert_int_equal(value_map_find(map, SLICE_LIT("\xff")).type, VALUE_ABSENT);
}

static void list_elements_are_found_by_index(void **state)
{
    struct fixture *fixture = *state;
    struct value list;

    writer_begin_list(&fixture->writer, 2);
    writer_null(&fixture->writer);
    writer_begin_list(&fixture->writer, 1);
    writer_bool(&fixture->writer, true);
    writer_end(&fixture->writer);
    writer_end(&fixture->writer);
    list = finish(fixture);
    assert_int_equal(value_list_at(list, 0).type, VALUE_NULL);
    assert_true(value_bool(value_list_at(value_list_at(list, 1), 0)));
    assert_int_equal(value_list_at(list, 2).type, VALUE_ABSENT);
    assert_int_equal(value_list_at(list, UINT32_MAX).type, VALUE_ABSENT);
}

static void readers_of_other_types_find_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct value number = make_number(fixture, "1");

    assert_int_equal(value_count(number), 0);
    assert_int_equal(value_count(VALUE_NONE), 0);
    assert_int_equal(value_list_at(number, 0).type, VALUE_ABSENT);
    assert_int_equal(value_map_find(number, SLICE_LIT("a")).type, VALUE_ABSENT);
    assert_int_equal(item_find(ITEM_NONE, SLICE_LIT("a")).type, VALUE_ABSENT);
}

/* ---- Sets ---- */

static void sets_sort_their_members(void **state)
{
    static const char *const texts[] = {"c", "", "a", "b"}, *const expected[] = {"", "a", "b", "c"};
    struct fixture *fixture = *state;
    struct value set = make_strings(fixture, VALUE_SS, texts, 4);
    struct slice member;
    size_t at = 0;

    for (size_t i = 0; i < 4; i++) {
        assert_true(value_set_next(set, &at, &member));
        assert_true(slice_is(member, expected[i]));
    }
    assert_false(value_set_next(set, &at, &member));
    assert_true(value_set_contains(set, SLICE_LIT("b")));
    assert_false(value_set_contains(set, SLICE_LIT("ab")));
}

static void lists_contain_equal_values_only(void **state)
{
    static const char *const letters[] = {"a", "b"};
    struct fixture *fixture = *state;
    struct number two = number_of_int(2), three = number_of_int(3);
    struct value members[] = {
        value_make_string(&fixture->arena, SLICE_LIT("2")),
        value_make_number(&fixture->arena, &two),
        {VALUE_NULL, SLICE_EMPTY},
        make_strings(fixture, VALUE_SS, letters, 2),
    };
    struct value list;

    writer_begin_list(&fixture->writer, 4);
    for (size_t i = 0; i < 4; i++)
        writer_value(&fixture->writer, members[i]);
    writer_end(&fixture->writer);
    list = finish(fixture);
    for (size_t i = 0; i < 4; i++)
        assert_true(value_list_contains(list, members[i]));
    assert_false(value_list_contains(list, value_make_number(&fixture->arena, &three)));
    assert_false(value_list_contains(list, value_make_string(&fixture->arena, SLICE_LIT("22"))));
    assert_false(value_list_contains(list, value_make_string(&fixture->arena, SLICE_EMPTY)));
    assert_false(value_list_contains(list, VALUE_NONE));
    assert_false(value_list_contains(members[3], members[0]));
}

static void number_sets_compare_members_by_value(void **state)
{
    static const char *const one[] = {"1.0", "20", "-3"}, *const other[] = {"-3.00", "2e1", "1"};
    struct fixture *fixture = *state;
    struct slice twice[] = {ordered(fixture, "1"), ordered(fixture, "1.0")};

    assert_true(value_equal(make_strings(fixture, VALUE_NS, one, 3),
                            make_strings(fixture, VALUE_NS, other, 3)));
    assert_int_equal(writer_set(&fixture->writer, VALUE_NS, twice, 2), ST_INVALID);
}

static void repeated_members_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct slice members[] = {SLICE_LIT("b"), SLICE_LIT("a"), SLICE_LIT("b")};

    assert_int_equal(writer_set(&fixture->writer, VALUE_SS, members, 3), ST_INVALID);
    assert_int_equal(fixture->buf.n, 0);
}

/* ---- Equality and order ---- */

static void values_of_different_types_differ(void **state)
{
    static const char *const texts[] = {"a"};
    struct fixture *fixture = *state;
    struct value text, binary;

    writer_string(&fixture->writer, SLICE_LIT("a"));
    text = finish(fixture);
    writer_binary(&fixture->writer, SLICE_LIT("a"));
    binary = finish(fixture);
    assert_false(value_equal(text, binary));
    assert_false(value_equal(make_strings(fixture, VALUE_SS, texts, 1),
                             make_strings(fixture, VALUE_BS, texts, 1)));
}

static void scalars_have_an_order(void **state)
{
    struct fixture *fixture = *state;
    struct value nine = make_number(fixture, "9"), ten = make_number(fixture, "10");
    struct value a = {VALUE_S, SLICE_LIT("a")}, ab = {VALUE_S, SLICE_LIT("ab")};

    assert_true(value_compare(nine, ten) < 0);
    assert_true(value_compare(ten, nine) > 0);
    assert_int_equal(value_compare(ten, make_number(fixture, "1e1")), 0);
    assert_true(value_compare(a, ab) < 0);
}

/* ---- Sizes ---- */

static void assert_number_size(struct fixture *fixture, const char *text, size_t expected)
{
    assert_int_equal(value_size(make_number(fixture, text)), expected);
}

static void scalars_have_the_documented_sizes(void **state)
{
    struct fixture *fixture = *state;

    writer_string(&fixture->writer, SLICE_LIT("h\u00e9"));
    assert_int_equal(value_size(finish(fixture)), 3);
    writer_binary(&fixture->writer, SLICE_LIT("\0\1\2"));
    assert_int_equal(value_size(finish(fixture)), 3);
    writer_null(&fixture->writer);
    assert_int_equal(value_size(finish(fixture)), 1);
    writer_bool(&fixture->writer, false);
    assert_int_equal(value_size(finish(fixture)), 1);
}

/* Measured at the limit of DynamoDB's items, where a byte decides whether one is taken. Digits
 * count in pairs from the decimal point on. */
static void numbers_have_the_measured_sizes(void **state)
{
    static const struct {
        const char *text;
        size_t size_bytes;
    } measured[] = {
        {"0", 1},      {"-0", 1},     {"1", 2},         {"12", 2},  {"15", 2},    {"123", 3},
        {"1234", 3},   {"123456", 4}, {"0042", 2},      {"100", 2}, {"1010", 3},  {"1E125", 2},
        {"1E-100", 2}, {"0.15", 2},   {"0.0000001", 2}, {"1.5", 3}, {"1.200", 3}, {"1.234", 4},
        {"100.5", 4},  {"-42", 3},    {"3.14159", 5},
    };

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
        assert_number_size(*state, measured[i].text, measured[i].size_bytes);
    assert_number_size(*state, "12345678901234567890123456789012345678", 20);
    assert_number_size(*state, "-99999999999999999999999999999999999999", 21);
    assert_number_size(*state, "-9.9999999999999999999999999999999999999", 21);
}

static void sets_are_the_sum_of_their_members(void **state)
{
    static const char *const texts[] = {"a", "bcd"}, *const numbers[] = {"1", "-22"};
    struct fixture *fixture = *state;

    assert_int_equal(value_size(make_strings(fixture, VALUE_SS, texts, 2)), 4);
    assert_int_equal(value_size(make_strings(fixture, VALUE_BS, texts, 2)), 4);
    assert_int_equal(value_size(make_strings(fixture, VALUE_NS, numbers, 2)), 5);
}

/* Three bytes for the container and one for each member, whatever is inside. */
static void containers_add_their_overhead(void **state)
{
    struct fixture *fixture = *state;

    writer_begin_list(&fixture->writer, 0);
    writer_end(&fixture->writer);
    assert_int_equal(value_size(finish(fixture)), 3);
    writer_begin_map(&fixture->writer, 1);
    writer_name(&fixture->writer, SLICE_LIT("key"));
    writer_begin_list(&fixture->writer, 2);
    writer_null(&fixture->writer);
    writer_string(&fixture->writer, SLICE_LIT("ab"));
    writer_end(&fixture->writer);
    writer_end(&fixture->writer);
    assert_int_equal(value_size(finish(fixture)), 3 + 1 + 3 + (3 + 2 + 1 + 2));
}

static void an_item_is_its_names_and_values(void **state)
{
    struct fixture *fixture = *state;
    struct value map;

    writer_begin_map(&fixture->writer, 2);
    writer_name(&fixture->writer, SLICE_LIT("id"));
    writer_string(&fixture->writer, SLICE_LIT("1234"));
    writer_name(&fixture->writer, SLICE_LIT("n\u00e9"));
    write_number(fixture, "7");
    writer_end(&fixture->writer);
    map = finish(fixture);
    assert_int_equal(item_size((struct item){map.payload}), 2 + 4 + 3 + 2);
}

/* ---- Properties ---- */

/* One encoding per value: what is read and written again has the same bytes. */
static void copies_are_identical(void **state)
{
    struct fixture *fixture = *state;
    uint64_t seed = seed_choose();

    for (int round = 0; round < 2000; round++) {
        struct slice bytes = random_encoded(&seed, &fixture->arena, 5);
        struct value value, copy;
        size_t size_bytes;

        assert_int_equal(value_validate(bytes), ST_OK);
        assert_int_equal(value_read(bytes, &value, &size_bytes), ST_OK);
        writer_value(&fixture->writer, value);
        copy = finish(fixture);
        assert_true(value_equal(value, copy));
        assert_true(value_walk(value) == value_walk(copy));
        arena_reset(&fixture->arena);
    }
}

/* {"a": SS x, y; "b": [true]} */
static enum status write_within(size_t size_bytes_max, size_t *ret_size_bytes)
{
    struct slice members[] = {SLICE_LIT("x"), SLICE_LIT("y")};
    struct value_writer writer;
    enum status status;
    struct buf buf;

    buf_init(&buf, size_bytes_max);
    writer_init(&writer, &buf);
    writer_begin_map(&writer, 2);
    writer_name(&writer, SLICE_LIT("a"));
    assert_int_equal(writer_set(&writer, VALUE_SS, members, 2), ST_OK);
    writer_name(&writer, SLICE_LIT("b"));
    writer_begin_list(&writer, 1);
    writer_bool(&writer, true);
    writer_end(&writer);
    writer_end(&writer);
    status = buf_status(&buf);
    *ret_size_bytes = buf.n;
    buf_deinit(&buf);
    return status;
}

/* A buffer at its maximum drops what follows and says so; the writer itself goes on. */
static void a_full_buffer_fails_the_whole_value(void **state)
{
    size_t size_bytes, ignored;

    (void)state;
    assert_int_equal(write_within(1000, &size_bytes), ST_OK);
    assert_int_equal(write_within(size_bytes, &ignored), ST_OK);
    for (size_t room = 0; room < size_bytes; room++)
        assert_int_equal(write_within(room, &ignored), ST_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_read_back),
        cmocka_unit_test(an_empty_string_is_a_value),
        cmocka_unit_test(map_entries_are_found_by_name),
        cmocka_unit_test(list_elements_are_found_by_index),
        cmocka_unit_test(readers_of_other_types_find_nothing),
        cmocka_unit_test(sets_sort_their_members),
        cmocka_unit_test(lists_contain_equal_values_only),
        cmocka_unit_test(number_sets_compare_members_by_value),
        cmocka_unit_test(repeated_members_are_refused),
        cmocka_unit_test(values_of_different_types_differ),
        cmocka_unit_test(scalars_have_an_order),
        cmocka_unit_test(scalars_have_the_documented_sizes),
        cmocka_unit_test(numbers_have_the_measured_sizes),
        cmocka_unit_test(sets_are_the_sum_of_their_members),
        cmocka_unit_test(containers_add_their_overhead),
        cmocka_unit_test(an_item_is_its_names_and_values),
        cmocka_unit_test(copies_are_identical),
        cmocka_unit_test(a_full_buffer_fails_the_whole_value),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
