/* Drafts: items changed along paths, as updates do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/draft.h"
#include "values.h"

/*
 * The item that most tests start from:
 *
 *   {"list": ["l0", "l1", "l2", "l3"], "map": {"inner": {"leaf": "x"}, "other": "y"}, "text": "t"}
 */
struct fixture {
    struct arena arena;
    struct buf buf;
    struct item item;
    struct draft *draft;
};

static void write_text(struct value_writer *writer, const char *name, const char *text)
{
    writer_name(writer, slice_cstr(name));
    writer_string(writer, slice_cstr(text));
}

static void write_item(struct value_writer *writer)
{
    static const char *const elements[] = {"l0", "l1", "l2", "l3"};

    writer_begin_map(writer, 3);
    writer_name(writer, SLICE_LIT("list"));
    writer_begin_list(writer, 4);
    for (size_t i = 0; i < 4; i++)
        writer_string(writer, slice_cstr(elements[i]));
    writer_end(writer);
    writer_name(writer, SLICE_LIT("map"));
    writer_begin_map(writer, 2);
    writer_name(writer, SLICE_LIT("inner"));
    writer_begin_map(writer, 1);
    write_text(writer, "leaf", "x");
    writer_end(writer);
    write_text(writer, "other", "y");
    writer_end(writer);
    write_text(writer, "text", "t");
    writer_end(writer);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct value_writer writer;

    arena_init(&fixture->arena, 0);
    buf_init(&fixture->buf, 1u << 20);
    writer_init(&writer, &fixture->buf);
    write_item(&writer);
    fixture->item = writer_item(&writer, 0);
    fixture->draft = draft_new(&fixture->arena, fixture->item);
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

/* ---- Short forms ---- */

static struct path_step name(const char *text)
{
    return (struct path_step){.name = slice_cstr(text)};
}

static struct path_step at(uint32_t index)
{
    return (struct path_step){.is_index = true, .index = index};
}

#define PATH(...)                                                                                  \
    ((struct path){(const struct path_step[]){__VA_ARGS__},                                        \
                   sizeof((const struct path_step[]){__VA_ARGS__}) / sizeof(struct path_step)})

static struct value text(const char *s)
{
    return (struct value){VALUE_S, slice_cstr(s)};
}

static struct value empty_map(struct fixture *fixture)
{
    static const uint8_t count[4] = {0};

    return (struct value){VALUE_M, arena_copy(&fixture->arena, slice_of(count, sizeof(count)))};
}

#define SET(path, value) assert_int_equal(draft_set(fixture->draft, path, value), ST_OK)
#define REMOVE(path) assert_int_equal(draft_remove(fixture->draft, path), ST_OK)

static struct item finish(struct fixture *fixture)
{
    struct item item = draft_finish(fixture->draft);

    assert_int_equal(item_validate(item.payload), ST_OK);
    return item;
}

/* The list of a finished item has exactly these strings. */
static void assert_list(struct item item, const char *const *expected, uint32_t count)
{
    struct value list = item_find(item, SLICE_LIT("list"));

    assert_int_equal(list.type, VALUE_L);
    assert_int_equal(value_count(list), count);
    for (uint32_t i = 0; i < count; i++)
        assert_true(slice_is(value_list_at(list, i).payload, expected[i]));
}

#define ASSERT_LIST(...)                                                                           \
    assert_list(finish(fixture), (const char *const[]){__VA_ARGS__},                               \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void assert_text(struct value value, const char *expected)
{
    assert_int_equal(value.type, VALUE_S);
    assert_true(slice_is(value.payload, expected));
}

/* ---- Maps ---- */

static void an_unchanged_draft_is_its_item(void **state)
{
    struct fixture *fixture = *state;

    assert_true(slice_equal(finish(fixture).payload, fixture->item.payload));
}

static void attributes_are_added_replaced_and_removed(void **state)
{
    struct fixture *fixture = *state;
    struct item item;

    SET(PATH(name("new")), text("n"));
    SET(PATH(name("text")), text("changed"));
    REMOVE(PATH(name("list")));
    item = finish(fixture);
    assert_int_equal(value_count(item_as_value(item)), 3);
    assert_text(item_find(item, SLICE_LIT("new")), "n");
    assert_text(item_find(item, SLICE_LIT("text")), "changed");
    assert_int_equal(item_find(item, SLICE_LIT("list")).type, VALUE_ABSENT);
}

static void an_item_may_start_from_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct item item;

    fixture->draft = draft_new(&fixture->arena, ITEM_NONE);
    for (int i = 20; i > 0; i--)
        SET(PATH((struct path_step){.name = arena_printf(&fixture->arena, "a%02d", i)}), text("v"));
    item = finish(fixture);
    assert_int_equal(value_count(item_as_value(item)), 20);
    assert_text(item_find(item, SLICE_LIT("a13")), "v");
}

static void nested_paths_change_only_their_place(void **state)
{
    struct fixture *fixture = *state;
    struct item item;

    SET(PATH(name("map"), name("inner"), name("more")), text("z"));
    REMOVE(PATH(name("map"), name("other")));
    item = finish(fixture);
    assert_text(item_at_path(item, PATH(name("map"), name("inner"), name("leaf"))), "x");
    assert_text(item_at_path(item, PATH(name("map"), name("inner"), name("more"))), "z");
    assert_int_equal(value_count(item_find(item, SLICE_LIT("map"))), 1);
    assert_text(item_find(item, SLICE_LIT("text")), "t");
}

/* ---- Lists ---- */

static void removed_elements_are_named_by_their_old_indexes(void **state)
{
    struct fixture *fixture = *state;

    REMOVE(PATH(name("list"), at(0)));
    REMOVE(PATH(name("list"), at(2)));
    REMOVE(PATH(name("list"), at(9)));
    ASSERT_LIST("l1", "l3");
}

static void elements_past_the_end_are_added_by_their_indexes(void **state)
{
    struct fixture *fixture = *state;

    SET(PATH(name("list"), at(100)), text("c"));
    SET(PATH(name("list"), at(7)), text("b"));
    SET(PATH(name("list"), at(4)), text("a"));
    ASSERT_LIST("l0", "l1", "l2", "l3", "a", "b", "c");
}

static void setting_and_removing_elements_goes_together(void **state)
{
    struct fixture *fixture = *state;

    SET(PATH(name("list"), at(1)), text("new"));
    SET(PATH(name("list"), at(50)), text("last"));
    REMOVE(PATH(name("list"), at(0)));
    REMOVE(PATH(name("list"), at(3)));
    ASSERT_LIST("new", "l2", "last");
}

static void removing_what_is_not_there_is_fine(void **state)
{
    struct fixture *fixture = *state;

    REMOVE(PATH(name("nothing")));
    REMOVE(PATH(name("map"), name("nothing")));
    REMOVE(PATH(name("list"), at(4)));
    assert_true(slice_equal(finish(fixture).payload, fixture->item.payload));
}

/* ---- Paths that lead nowhere ---- */

static void assert_path_invalid(struct fixture *fixture, struct path path)
{
    assert_int_equal(draft_set(fixture->draft, path, text("v")), ST_INVALID);
    assert_int_equal(draft_remove(fixture->draft, path), ST_INVALID);
}

static void paths_need_parents_of_their_kind(void **state)
{
    struct fixture *fixture = *state;

    assert_path_invalid(fixture, PATH(name("nothing"), name("a")));
    assert_path_invalid(fixture, PATH(name("nothing"), at(0)));
    assert_path_invalid(fixture, PATH(name("text"), name("a")));
    assert_path_invalid(fixture, PATH(name("text"), at(0)));
    assert_path_invalid(fixture, PATH(name("list"), name("a")));
    assert_path_invalid(fixture, PATH(name("map"), at(0)));
    assert_path_invalid(fixture, PATH(name("list"), at(4), name("a")));
    assert_path_invalid(fixture, PATH(name("map"), name("inner"), name("leaf"), name("deeper")));
    assert_true(slice_equal(finish(fixture).payload, fixture->item.payload));
}

/* ---- Changes of changes ---- */

static void values_set_can_be_changed_below(void **state)
{
    struct fixture *fixture = *state;

    SET(PATH(name("fresh")), empty_map(fixture));
    SET(PATH(name("fresh"), name("a")), text("1"));
    assert_text(item_at_path(finish(fixture), PATH(name("fresh"), name("a"))), "1");
}

static void the_item_itself_is_never_written(void **state)
{
    struct fixture *fixture = *state;
    struct slice before = arena_copy(&fixture->arena, fixture->item.payload);

    SET(PATH(name("map"), name("inner"), name("leaf")), text("changed"));
    REMOVE(PATH(name("list"), at(0)));
    finish(fixture);
    assert_true(slice_equal(fixture->item.payload, before));
}

static void paths_of_items_lead_to_values(void **state)
{
    struct fixture *fixture = *state;
    struct item item = fixture->item;

    assert_text(item_at_path(item, PATH(name("text"))), "t");
    assert_text(item_at_path(item, PATH(name("list"), at(2))), "l2");
    assert_int_equal(item_at_path(item, PATH(name("list"), at(4))).type, VALUE_ABSENT);
    assert_int_equal(item_at_path(item, PATH(name("text"), name("a"))).type, VALUE_ABSENT);
    assert_int_equal(item_at_path(item, PATH(name("map"), at(0))).type, VALUE_ABSENT);
    assert_int_equal(item_at_path(ITEM_NONE, PATH(name("a"))).type, VALUE_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define DRAFT_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
        DRAFT_TEST(an_unchanged_draft_is_its_item),
        DRAFT_TEST(attributes_are_added_replaced_and_removed),
        DRAFT_TEST(an_item_may_start_from_nothing),
        DRAFT_TEST(nested_paths_change_only_their_place),
        DRAFT_TEST(removed_elements_are_named_by_their_old_indexes),
        DRAFT_TEST(elements_past_the_end_are_added_by_their_indexes),
        DRAFT_TEST(setting_and_removing_elements_goes_together),
        DRAFT_TEST(removing_what_is_not_there_is_fine),
        DRAFT_TEST(paths_need_parents_of_their_kind),
        DRAFT_TEST(values_set_can_be_changed_below),
        DRAFT_TEST(the_item_itself_is_never_written),
        DRAFT_TEST(paths_of_items_lead_to_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
