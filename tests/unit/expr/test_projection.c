/* What projections select, and which are refused. */
#include "fixture.h"

#define ITEM                                                                                       \
    "{'a':{'S':'1'},'b':{'M':{'c':{'N':'2'},'d':{'M':{'e':{'BOOL':true},'f':{'S':'x'}}}}},"        \
    "'l':{'L':[{'S':'l0'},{'M':{'x':{'N':'1'},'y':{'N':'2'}}},{'S':'l2'},{'L':[{'S':'in'}]}]},"    \
    "'status':{'S':'ok'},'x.y':{'S':'dotted'}}"

static const char *refusal(struct fixture *fixture, const char *expression,
                           struct projection **ret_projection)
{
    fixture_params(fixture, "{'#s':'status','#dot':'x.y','#a':'a','#b':'b','#c':'c'}", NULL);
    return fixture_message(fixture,
                           projection_parse(&fixture->arena, slice_cstr(expression),
                                            &fixture->params, &fixture->error, ret_projection));
}

static void assert_projected(void **state, const char *expression, const char *wanted)
{
    struct fixture *fixture = *state;
    struct item item = fixture_item(fixture, ITEM);
    struct projection *projection;

    assert_string_equal(refusal(fixture, expression, &projection), "");
    assert_string_equal(fixture_json(fixture, projection_apply(projection, item, &fixture->arena)),
                        wanted);
}

static void assert_refused(void **state, const char *expression, const char *fault)
{
    struct fixture *fixture = *state;
    struct projection *projection;
    struct slice wanted = arena_printf(&fixture->arena, "Invalid ProjectionExpression: %s", fault);

    assert_string_equal(refusal(fixture, expression, &projection), (const char *)wanted.p);
}

static void names_and_nested_parts_are_selected(void **state)
{
    assert_projected(state, "a", "{'a':{'S':'1'}}");
    assert_projected(state, "#s,a", "{'a':{'S':'1'},'status':{'S':'ok'}}");
    assert_projected(state, "#dot", "{'x.y':{'S':'dotted'}}");
    assert_projected(state, "b.c", "{'b':{'M':{'c':{'N':'2'}}}}");
    assert_projected(state, "b.d.e, b.c",
                     "{'b':{'M':{'c':{'N':'2'},'d':{'M':{'e':{'BOOL':true}}}}}}");
    assert_projected(state, "b.d.f,b.d.e",
                     "{'b':{'M':{'d':{'M':{'e':{'BOOL':true},'f':{'S':'x'}}}}}}");
}

static void list_elements_come_in_the_order_of_the_list(void **state)
{
    assert_projected(state, "l[2],l[0]", "{'l':{'L':[{'S':'l0'},{'S':'l2'}]}}");
    assert_projected(state, "l[1].y", "{'l':{'L':[{'M':{'y':{'N':'2'}}}]}}");
    assert_projected(state, "l[3][0], l[1].x, a",
                     "{'a':{'S':'1'},'l':{'L':[{'M':{'x':{'N':'1'}}},{'L':[{'S':'in'}]}]}}");
    assert_projected(state, "l[10], l[2]", "{'l':{'L':[{'S':'l2'}]}}");
}

static void what_is_missing_leaves_no_trace(void **state)
{
    assert_projected(state, "gone", "{}");
    assert_projected(state, "b.gone", "{}");
    assert_projected(state, "b.d.gone, b.c.x, a.x, l[9]", "{}");
    assert_projected(state, "a[0], l.x, b[0]", "{}");
    assert_projected(state, "b.d.gone, b.c", "{'b':{'M':{'c':{'N':'2'}}}}");
    assert_projected(state, "gone, a", "{'a':{'S':'1'}}");
}

static void faults_are_told(void **state)
{
    assert_refused(state, "", "The expression can not be empty;");
    assert_refused(state, "a,", "Syntax error; token: \"<EOF>\", near: \",\"");
    assert_refused(state, "!!", "Syntax error; token: \"!\", near: \"!!\"");
    assert_refused(state, "a b", "Syntax error; token: \"b\", near: \"a b\"");
    assert_refused(state, "(a)", "Syntax error; token: \"(\", near: \"(a\"");
    assert_refused(state, ":v", "Syntax error; token: \":v\", near: \":v\"");
    assert_refused(state, "status",
                   "Attribute name is a reserved keyword; reserved keyword: status");
    assert_refused(state, "a, #none",
                   "An expression attribute name used in the document path is not defined; "
                   "attribute name: #none");
}

#define PATHS(relation, one, two)                                                                  \
    "Two document paths " relation " with each other; must remove or rewrite one of these paths; " \
    "path one: " one ", path two: " two

static void paths_must_be_apart(void **state)
{
    assert_refused(state, "a, a", PATHS("overlap", "[a]", "[a]"));
    assert_refused(state, "a, #a", PATHS("overlap", "[a]", "[a]"));
    assert_refused(state, "b, b.c", PATHS("overlap", "[b]", "[b, c]"));
    assert_refused(state, "b.c, b", PATHS("overlap", "[b, c]", "[b]"));
    assert_refused(state, "#b.#c, b.c", PATHS("overlap", "[b, c]", "[b, c]"));
    assert_refused(state, "l[1].x, a, l[1]", PATHS("overlap", "[l, [1], x]", "[l, [1]]"));
    assert_refused(state, "b.c, b[0]", PATHS("conflict", "[b, c]", "[b, [0]]"));
    assert_refused(state, "a, b.c, d, b.c.e", PATHS("overlap", "[b, c]", "[b, c, e]"));
}

static void names_alone_may_hold_dots(void **state)
{
    struct fixture *fixture = *state;
    struct slice names[] = {SLICE_LIT("x.y"), SLICE_LIT("a"), SLICE_LIT("gone"), SLICE_LIT("a")};
    struct projection *projection = projection_of_names(&fixture->arena, names, 4);
    struct item item = fixture_item(fixture, ITEM);
    struct slice *roots;
    uint32_t count;

    assert_string_equal(fixture_json(fixture, projection_apply(projection, item, &fixture->arena)),
                        "{'a':{'S':'1'},'x.y':{'S':'dotted'}}");
    projection_attributes(projection, &fixture->arena, &roots, &count);
    assert_int_equal(count, 3);
}

static void no_item_gives_an_empty_map(void **state)
{
    struct fixture *fixture = *state;
    struct projection *projection;

    assert_string_equal(refusal(fixture, "a, b.c", &projection), "");
    assert_string_equal(
        fixture_json(fixture, projection_apply(projection, ITEM_NONE, &fixture->arena)), "{}");
}

static void many_paths_are_put_in_order(void **state)
{
    static const char first[] = "zyxwvqp";
    static const char second[] = "z0123456789ABCDEFGHIJKLMNOPQRSTUVWXYabcdefghijklmnopqrstuvwxy";
    struct fixture *fixture = *state;
    char *text = arena_zalloc(&fixture->arena, EXPRESSION_SIZE_BYTES_MAX + 1);
    uint32_t written = 0, count;
    struct projection *projection;
    struct slice *roots;

    for (const char *a = first; *a != '\0'; a++) {
        for (const char *b = second; *b != '\0'; b++, written++) {
            text[3 * written] = *a;
            text[3 * written + 1] = *b;
            text[3 * written + 2] = ',';
        }
    }
    text[3 * written - 1] = '\0';
    assert_string_equal(refusal(fixture, text, &projection), "");
    projection_attributes(projection, &fixture->arena, &roots, &count);
    assert_int_equal(count, written);
    assert_true(slice_is(roots[0], "p0") && slice_is(roots[count - 1], "zz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(names_and_nested_parts_are_selected),
        EXPR_TEST(list_elements_come_in_the_order_of_the_list),
        EXPR_TEST(what_is_missing_leaves_no_trace),
        EXPR_TEST(faults_are_told),
        EXPR_TEST(paths_must_be_apart),
        EXPR_TEST(names_alone_may_hold_dots),
        EXPR_TEST(no_item_gives_an_empty_map),
        EXPR_TEST(many_paths_are_put_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
