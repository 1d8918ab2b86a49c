/* What updates make of items, and what they say they touched. */
#include "fixture.h"

#define ITEM                                                                                       \
    "{'pk':{'S':'k'},'a':{'N':'1'},'s':{'S':'str'},'l':{'L':[{'S':'0'},{'S':'1'},{'S':'2'}]},"     \
    "'m':{'M':{'c':{'L':[{'N':'1'},{'N':'2'},{'N':'3'}]},'x':{'S':'y'}}},"                         \
    "'ss':{'SS':['a','b']},'ns':{'NS':['1']}}"

#define VALUES                                                                                     \
    "{':v':{'S':'new'},':n':{'N':'5'},':m1':{'N':'-1'},':half':{'N':'0.5'},':one':{'N':'1.0'},"    \
    "':ss':{'SS':['b','c']},':ssall':{'SS':['a','b']},':ns':{'NS':['1.0']},':l':{'L':[{'S':'z'}]}" \
    ","                                                                                            \
    "':big':{'N':'9.9E125'},':sum':{'N':'1E-130'},':map':{'M':{'k':{'S':'v'}}}}"

static struct update *parsed(struct fixture *fixture, const char *expression)
{
    struct update *update = NULL;
    const char *message;

    fixture_params(fixture, NULL, VALUES);
    message = fixture_message(fixture, update_parse(&fixture->arena, slice_cstr(expression),
                                                    &fixture->params, &fixture->error, &update));
    if (message[0] != '\0')
        fail_msg("%s: %s", expression, message);
    return update;
}

static struct item applied(struct fixture *fixture, struct update *update, struct item old,
                           bool exists)
{
    struct item new = ITEM_NONE;
    const char *message = fixture_message(
        fixture, update_apply(update, old, exists, &fixture->arena, &fixture->error, &new));

    if (message[0] != '\0')
        fail_msg("%s", message);
    return new;
}

/* Applies to ITEM and compares the values at the top-level names that `wanted` has. */
static void assert_made(void **state, const char *expression, const char *wanted)
{
    struct fixture *fixture = *state;
    struct update *update = parsed(fixture, expression);
    struct item new = applied(fixture, update, fixture_item(fixture, ITEM), true);
    struct value expected = item_as_value(fixture_item(fixture, wanted));

    for (uint32_t i = 0; i < value_count(expected); i++) {
        struct slice name;
        struct value value = value_map_at(expected, i, &name);

        if (!value_equal(value, item_find(new, name)))
            fail_msg("%s made %s", expression, fixture_json(fixture, new));
    }
}

static void assert_gone(void **state, const char *expression, const char *name)
{
    struct fixture *fixture = *state;
    struct update *update = parsed(fixture, expression);
    struct item new = applied(fixture, update, fixture_item(fixture, ITEM), true);

    assert_int_equal(item_find(new, slice_cstr(name)).type, VALUE_ABSENT);
    assert_true(item_exists(new));
}

static void assert_refused(void **state, const char *expression, const char *message)
{
    struct fixture *fixture = *state;
    struct update *update = parsed(fixture, expression);
    struct item new = ITEM_NONE;
    enum status status = update_apply(update, fixture_item(fixture, ITEM), true, &fixture->arena,
                                      &fixture->error, &new);

    if (status == ST_OK)
        fail_msg("%s made %s", expression, fixture_json(fixture, new));
    assert_int_equal(fixture->error.code, ERROR_VALIDATION_DATA);
    assert_string_equal(fixture_message(fixture, status), message);
    assert_false(item_exists(new));
}

#define MISSING "The provided expression refers to an attribute that does not exist in the item"
#define WRONG_TYPE "An operand in the update expression has an incorrect data type"
#define WRONG_PATH "The document path provided in the update expression is invalid for update"

static void set_writes_values_and_copies(void **state)
{
    assert_made(state, "SET b = :v", "{'b':{'S':'new'}}");
    assert_made(state, "SET a = :v, b = a", "{'a':{'S':'new'},'b':{'N':'1'}}");
    assert_made(state, "SET a = s, s = a", "{'a':{'S':'str'},'s':{'N':'1'}}");
    assert_made(state, "SET b = m.c[1]", "{'b':{'N':'2'}}");
    assert_made(state, "SET m.x = :v",
                "{'m':{'M':{'c':{'L':[{'N':'1'},{'N':'2'},{'N':'3'}]},"
                "'x':{'S':'new'}}}}");
    assert_made(state, "SET m.more = :map",
                "{'m':{'M':{'c':{'L':[{'N':'1'},{'N':'2'},{'N':'3'}]},'x':{'S':'y'},"
                "'more':{'M':{'k':{'S':'v'}}}}}}");
    assert_refused(state, "SET b = gone", MISSING);
    assert_refused(state, "SET b = m.gone", MISSING);
}

static void arithmetic_is_exact(void **state)
{
    assert_made(state, "SET a = a + :n", "{'a':{'N':'6'}}");
    assert_made(state, "SET a = (a - :n)", "{'a':{'N':'-4'}}");
    assert_made(state, "SET b = :half - a", "{'b':{'N':'-0.5'}}");
    assert_made(state, "SET b = a + a", "{'b':{'N':'2'}}");
    assert_made(state, "SET m.c[0] = m.c[0] + m.c[2]",
                "{'m':{'M':{'c':{'L':[{'N':'4'},{'N':'2'},{'N':'3'}]},'x':{'S':'y'}}}}");
    assert_refused(state, "SET a = gone + :n", MISSING);
    assert_refused(state, "SET a = s + :n", WRONG_TYPE);
    assert_refused(state, "SET a = if_not_exists(s, :n) + :n", WRONG_TYPE);
    assert_refused(state, "SET a = :big + :big",
                   "Number overflow. Attempting to store a number with magnitude larger than "
                   "supported range");
}

static void if_not_exists_takes_what_is_there(void **state)
{
    assert_made(state, "SET a = if_not_exists(a, :n)", "{'a':{'N':'1'}}");
    assert_made(state, "SET b = if_not_exists(b, :n)", "{'b':{'N':'5'}}");
    assert_made(state, "SET b = if_not_exists(b, a)", "{'b':{'N':'1'}}");
    assert_made(state, "SET b = if_not_exists(b, if_not_exists(gone, :v))", "{'b':{'S':'new'}}");
    assert_made(state, "SET b = if_not_exists(b, :n) + :n", "{'b':{'N':'10'}}");
    assert_made(state, "SET a = if_not_exists(a, gone)", "{'a':{'N':'1'}}");
    assert_refused(state, "SET b = if_not_exists(b, gone)", MISSING);
}

static void lists_are_appended_and_extended(void **state)
{
    assert_made(state, "SET l = list_append(l, :l)",
                "{'l':{'L':[{'S':'0'},{'S':'1'},{'S':'2'},{'S':'z'}]}}");
    assert_made(state, "SET l = list_append (:l,l)",
                "{'l':{'L':[{'S':'z'},{'S':'0'},{'S':'1'},{'S':'2'}]}}");
    assert_made(state, "SET b = list_append(if_not_exists(b, :l), :l)",
                "{'b':{'L':[{'S':'z'},{'S':'z'}]}}");
    assert_made(state, "SET l[1] = :v", "{'l':{'L':[{'S':'0'},{'S':'new'},{'S':'2'}]}}");
    assert_made(state, "SET l[100] = :v",
                "{'l':{'L':[{'S':'0'},{'S':'1'},{'S':'2'},{'S':'new'}]}}");
    assert_made(state, "SET l[9] = :v, l[5] = :n, l[3] = a",
                "{'l':{'L':[{'S':'0'},{'S':'1'},{'S':'2'},{'N':'1'},{'N':'5'},{'S':'new'}]}}");
    assert_made(state, "REMOVE l[0], l[2]", "{'l':{'L':[{'S':'1'}]}}");
    assert_made(state, "SET l[1] = :v REMOVE l[0]", "{'l':{'L':[{'S':'new'},{'S':'2'}]}}");
    assert_made(state, "REMOVE l[7]", "{'l':{'L':[{'S':'0'},{'S':'1'},{'S':'2'}]}}");
    assert_refused(state, "SET l = list_append(s, :l)", WRONG_TYPE);
    assert_refused(state, "SET l = list_append(gone, :l)", MISSING);
}

static void paths_must_lead_somewhere(void **state)
{
    assert_refused(state, "SET gone.x = :v", WRONG_PATH);
    assert_refused(state, "SET gone[0] = :v", WRONG_PATH);
    assert_refused(state, "SET s.x = :v", WRONG_PATH);
    assert_refused(state, "SET m[0] = :v", WRONG_PATH);
    assert_refused(state, "SET l.x = :v", WRONG_PATH);
    assert_refused(state, "SET l[9].x = :v", WRONG_PATH);
    assert_refused(state, "ADD gone.x :n", WRONG_PATH);
    assert_refused(state, "REMOVE gone.x", WRONG_PATH);
    assert_refused(state, "REMOVE s.x", WRONG_PATH);
    assert_refused(state, "DELETE gone.x :ss", WRONG_PATH);
}

static void remove_drops_what_is_there(void **state)
{
    assert_gone(state, "REMOVE a", "a");
    assert_gone(state, "REMOVE gone", "gone");
    assert_made(state, "REMOVE m.c, m.gone", "{'m':{'M':{'x':{'S':'y'}}}}");
    assert_made(state, "REMOVE m.x, m.c[0], m.c[1], m.c[2]", "{'m':{'M':{'c':{'L':[]}}}}");
}

static void add_sums_numbers_and_joins_sets(void **state)
{
    assert_made(state, "ADD a :n", "{'a':{'N':'6'}}");
    assert_made(state, "ADD a :m1", "{'a':{'N':'0'}}");
    assert_made(state, "ADD b :n", "{'b':{'N':'5'}}");
    assert_made(state, "ADD m.c[0] :n",
                "{'m':{'M':{'c':{'L':[{'N':'6'},{'N':'2'},{'N':'3'}]},'x':{'S':'y'}}}}");
    assert_made(state, "ADD ss :ss", "{'ss':{'SS':['a','b','c']}}");
    assert_made(state, "ADD ns :ns", "{'ns':{'NS':['1']}}");
    assert_made(state, "ADD newset :ss", "{'newset':{'SS':['b','c']}}");
    assert_refused(state, "ADD s :n", WRONG_TYPE);
    assert_refused(state, "ADD a :ss", WRONG_TYPE);
    assert_refused(state, "ADD ns :ss", WRONG_TYPE);
    assert_refused(state, "ADD ss :n", WRONG_TYPE);
}

static void delete_takes_elements_out_of_sets(void **state)
{
    assert_made(state, "DELETE ss :ss", "{'ss':{'SS':['a']}}");
    assert_gone(state, "DELETE ss :ssall", "ss");
    assert_gone(state, "DELETE ns :ns", "ns");
    assert_gone(state, "DELETE gone :ss", "gone");
    assert_refused(state, "DELETE ns :ss", WRONG_TYPE);
    assert_refused(state, "DELETE s :ss", WRONG_TYPE);
}

static void updates_may_begin_an_item(void **state)
{
    struct fixture *fixture = *state;
    struct item key = fixture_item(fixture, "{'pk':{'S':'k'}}");

    assert_string_equal(
        fixture_json(fixture,
                     applied(fixture, parsed(fixture, "SET b = :v ADD c :n, d :ss"), key, false)),
        "{'b':{'S':'new'},'c':{'N':'5'},'d':{'SS':['b','c']},'pk':{'S':'k'}}");
    assert_string_equal(
        fixture_json(fixture, applied(fixture, parsed(fixture, "REMOVE x.y, z"), key, false)),
        "{'pk':{'S':'k'}}");
    assert_string_equal(
        fixture_json(fixture, applied(fixture, parsed(fixture, "DELETE x.y :ss"), key, false)),
        "{'pk':{'S':'k'}}");
}

/* What UPDATED_OLD and UPDATED_NEW return. */
static void assert_touched(void **state, const char *expression, const char *old_part,
                           const char *new_part)
{
    struct fixture *fixture = *state;
    struct item old = fixture_item(fixture, ITEM);
    struct update *update = parsed(fixture, expression);
    struct item new = applied(fixture, update, old, true);

    assert_string_equal(fixture_json(fixture, update_touched(update, old, &fixture->arena)),
                        old_part);
    assert_string_equal(fixture_json(fixture, update_touched(update, new, &fixture->arena)),
                        new_part);
}

static void touched_parts_are_fragments(void **state)
{
    assert_touched(state, "SET a = :v, b = :n", "{'a':{'N':'1'}}",
                   "{'a':{'S':'new'},'b':{'N':'5'}}");
    assert_touched(state, "SET m.x = :v", "{'m':{'M':{'x':{'S':'y'}}}}",
                   "{'m':{'M':{'x':{'S':'new'}}}}");
    assert_touched(state, "SET m.x = :v, m.q = :n", "{'m':{'M':{'x':{'S':'y'}}}}",
                   "{'m':{'M':{'q':{'N':'5'},'x':{'S':'new'}}}}");
    assert_touched(state, "REMOVE a, gone", "{'a':{'N':'1'}}", "{}");
    assert_touched(state, "SET m.c[100] = :n", "{}", "{}");
    assert_touched(state, "REMOVE m.c[1]", "{'m':{'M':{'c':{'L':[{'N':'2'}]}}}}",
                   "{'m':{'M':{'c':{'L':[{'N':'3'}]}}}}");
    assert_touched(state, "DELETE ss :ssall ADD a :n", "{'a':{'N':'1'},'ss':{'SS':['a','b']}}",
                   "{'a':{'N':'6'}}");
}

/* A value of `levels` maps in each other around a string. */
static struct value deep_value(struct fixture *fixture, uint32_t levels)
{
    struct value_writer writer;
    struct value value;
    size_t size_bytes;
    struct buf buf;

    buf_init(&buf, 1 << 16);
    writer_init(&writer, &buf);
    for (uint32_t i = 0; i < levels; i++) {
        writer_begin_map(&writer, 1);
        writer_name(&writer, SLICE_LIT("n"));
    }
    writer_string(&writer, SLICE_LIT("leaf"));
    for (uint32_t i = 0; i < levels; i++)
        writer_end(&writer);
    assert_int_equal(value_read(arena_copy(&fixture->arena, buf_slice(&buf)), &value, &size_bytes),
                     ST_OK);
    buf_deinit(&buf);
    return value;
}

static enum status set_deep(struct fixture *fixture, const char *expression, uint32_t levels)
{
    struct update *update;
    struct item new;

    fixture_params(fixture, NULL, VALUES);
    fixture->params.values[0].value = deep_value(fixture, levels);
    assert_int_equal(update_parse(&fixture->arena, slice_cstr(expression), &fixture->params,
                                  &fixture->error, &update),
                     ST_OK);
    return update_apply(update, fixture_item(fixture, ITEM), true, &fixture->arena, &fixture->error,
                        &new);
}

static void values_nest_no_deeper_than_items_may(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(set_deep(fixture, "SET b = :v", 31), ST_OK);
    assert_int_equal(set_deep(fixture, "SET m.x = :v", 30), ST_OK);
    assert_string_equal(fixture_message(fixture, set_deep(fixture, "SET m.x = :v", 31)),
                        "Nesting Levels have exceeded supported limits: Attributes in the item "
                        "have nested levels beyond supported limit");
    assert_int_equal(set_deep(fixture, "SET m.c[0] = :v", 29), ST_OK);
    assert_int_equal(set_deep(fixture, "SET m.c[0] = :v", 30), ST_REFUSED);
}

/* A short expression over one large value cannot make an item of many times its size. */
static void results_larger_than_items_are_refused_early(void **state)
{
    struct fixture *fixture = *state;
    char *big = arena_alloc(&fixture->arena, 300 * 1024);
    struct update *update;
    struct item new;

    memset(big, 'x', 300 * 1024);
    fixture_params(fixture, NULL, VALUES);
    fixture->params.values[0].value = value_make_string(&fixture->arena, slice_of(big, 300 * 1024));
    assert_int_equal(update_parse(&fixture->arena, SLICE_LIT("SET b = :v, c = :v"),
                                  &fixture->params, &fixture->error, &update),
                     ST_OK);
    assert_string_equal(
        fixture_message(fixture, update_apply(update, fixture_item(fixture, ITEM), true,
                                              &fixture->arena, &fixture->error, &new)),
        "Item size to update has exceeded the maximum allowed size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(set_writes_values_and_copies),
        EXPR_TEST(arithmetic_is_exact),
        EXPR_TEST(if_not_exists_takes_what_is_there),
        EXPR_TEST(lists_are_appended_and_extended),
        EXPR_TEST(paths_must_lead_somewhere),
        EXPR_TEST(remove_drops_what_is_there),
        EXPR_TEST(add_sums_numbers_and_joins_sets),
        EXPR_TEST(delete_takes_elements_out_of_sets),
        EXPR_TEST(updates_may_begin_an_item),
        EXPR_TEST(touched_parts_are_fragments),
        EXPR_TEST(values_nest_no_deeper_than_items_may),
        EXPR_TEST(results_larger_than_items_are_refused_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
