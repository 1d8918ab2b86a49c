/* What updates are refused for before there is an item, and what is known of the others. */
#include "fixture.h"

#define NAMES "{'#a':'a','#s':'status'}"
#define VALUES                                                                                     \
    "{':s':{'S':'x'},':n':{'N':'5'},':b':{'B':'AQ=='},':t':{'BOOL':true},':z':{'NULL':true},"      \
    "':ss':{'SS':['x']},':l':{'L':[]},':m':{'M':{}}}"

static const char *refusal(struct fixture *fixture, const char *expression,
                           struct update **ret_update)
{
    fixture_params(fixture, NAMES, VALUES);
    return fixture_message(fixture, update_parse(&fixture->arena, slice_cstr(expression),
                                                 &fixture->params, &fixture->error, ret_update));
}

static struct update *parsed(struct fixture *fixture, const char *expression)
{
    struct update *update = NULL;
    const char *message = refusal(fixture, expression, &update);

    if (message[0] != '\0')
        fail_msg("%s: %s", expression, message);
    return update;
}

struct refused {
    const char *expression;
    const char *fault;
};

static void assert_all_refused(struct fixture *fixture, const struct refused *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct slice wanted =
            arena_printf(&fixture->arena, "Invalid UpdateExpression: %s", rows[i].fault);
        struct update *update;
        const char *message = refusal(fixture, rows[i].expression, &update);

        if (!slice_is(wanted, message))
            fail_msg("%s\n  got:    %s\n  wanted: %s", rows[i].expression, message,
                     (const char *)wanted.p);
    }
}

#define ASSERT_ALL_REFUSED(state, rows)                                                            \
    assert_all_refused((state), (rows), sizeof(rows) / sizeof((rows)[0]))

static void forms_are_accepted(void **state)
{
    static const char *const expressions[] = {
        "SET a = :s",
        "set a=:s,b=a remove c,d add e :n,f :ss delete g :ss",
        "REMOVE a[0].b.c",
        "SET a[3] = :s, #s = b.c",
        "SET a = a + :n, b = a - :n, c = :n - :n",
        "SET a = (a - :n)",
        "SET a = (a)",
        "SET a = (a) + (:n)",
        "SET a = ((a) + (:n))",
        "SET a = if_not_exists(a, :s)",
        "SET a = if_not_exists(a, :n) + :n",
        "SET a = if_not_exists(a, if_not_exists(b, if_not_exists(c, :s)))",
        "SET a = list_append(a, :l)",
        "SET a = list_append (a,:l)",
        "SET a = list_append(if_not_exists(a, :l), :l)",
        "SET a = (list_append(a, :l))",
        "SET a = list_append(:l, :l)",
        "ADD a.b :n",
    };

    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
        (void)parsed(*state, expressions[i]);
}

static void syntax_errors_show_the_token_and_its_neighbours(void **state)
{
    static const struct refused rows[] = {
        {"INVALID SYNTAX HERE", "Syntax error; token: \"INVALID\", near: \"INVALID SYNTAX\""},
        {"SET", "Syntax error; token: \"<EOF>\", near: \"SET\""},
        {"SET a", "Syntax error; token: \"<EOF>\", near: \"a\""},
        {"SET a = :s,", "Syntax error; token: \"<EOF>\", near: \",\""},
        {"SET a = :s, REMOVE b", "Syntax error; token: \"REMOVE\", near: \", REMOVE b\""},
        {"SET a = :s b = :s", "Syntax error; token: \"b\", near: \":s b =\""},
        {"SET a = VALUE 1", "Syntax error; token: \"1\", near: \"VALUE 1\""},
        {"SET a = b + :n + :n", "Syntax error; token: \"+\", near: \":n + :n\""},
        {"SET a = (b + :n) + :n", "Syntax error; token: \"+\", near: \") + :n\""},
        {"SET a = list_append(b + c, :l)", "Syntax error; token: \"+\", near: \"b + c\""},
        {"SET a = (b", "Syntax error; token: \"<EOF>\", near: \"b\""},
        {"SET :s = a", "Syntax error; token: \":s\", near: \"SET :s =\""},
        {"ADD hits : incr", "Syntax error; token: \":\", near: \"hits : incr\""},
        {"ADD a b", "Syntax error; token: \"b\", near: \"a b\""},
        {"ADD a = :n", "Syntax error; token: \"=\", near: \"a = :n\""},
        {"REMOVE a = :n", "Syntax error; token: \"=\", near: \"a = :n\""},
        {"DELETE a", "Syntax error; token: \"<EOF>\", near: \"a\""},
        {"a = :s", "Syntax error; token: \"a\", near: \"a =\""},
        {"SET a = :s AND b = :s", "Syntax error; token: \"AND\", near: \":s AND b\""},
        {"SET a = list_append()", "Syntax error; token: \")\", near: \"()\""},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

#define WRONG_TYPE "Incorrect operand type for operator or function; operator or function: "
#define WRONG_COUNT "Incorrect number of operands for operator or function; operator or function: "
#define WRONG_ACTION "Incorrect operand type for operator or function; operator: "
#define PLACE "The function is not allowed to be used this way in an expression; function: "

static void operands_must_fit(void **state)
{
    static const struct refused rows[] = {
        {"SET a = a + :s", WRONG_TYPE "+, operand type: S"},
        {"SET a = :l - a", WRONG_TYPE "-, operand type: L"},
        {"SET a = list_append(a, :ss)", WRONG_TYPE "list_append, operand type: SS"},
        {"SET a = list_append(a)", WRONG_COUNT "list_append, number of operands: 1"},
        {"SET a = if_not_exists(a, :s, :n)", WRONG_COUNT "if_not_exists, number of operands: 3"},
        {"SET a = if_not_exists(:s, :n)",
         "Operator or function requires a document path; operator or function: if_not_exists"},
        {"SET a = list_append(list_append(a, :l), :l)", PLACE "list_append"},
        {"SET a = list_append(:l, (list_append(a, :l)))", PLACE "list_append"},
        {"SET a = list_append(a, :l) + :n", PLACE "list_append"},
        {"SET a = if_not_exists(a, list_append(b, :l))", PLACE "list_append"},
        {"SET a = nothing(b, :l)", "Invalid function name; function: nothing"},
        {"SET a = LIST_APPEND(a, :l)", "Invalid function name; function: LIST_APPEND"},
        {"SET a = size(b)", "The function is not allowed in an update expression; function: size"},
        {"ADD a :s", WRONG_ACTION "ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        {"ADD a :l", WRONG_ACTION "ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        {"DELETE a :n",
         WRONG_ACTION "DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
        {"DELETE a :t",
         WRONG_ACTION "DELETE, operand type: BOOLEAN, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

#define PATHS(relation, one, two)                                                                  \
    "Two document paths " relation " with each other; must remove or rewrite one of these paths; " \
    "path one: " one ", path two: " two

static void sections_and_paths_come_once(void **state)
{
    static const struct refused rows[] = {
        {"SET a = :s SET b = :s",
         "The \"SET\" section can only be used once in an update expression;"},
        {"remove a remove b",
         "The \"REMOVE\" section can only be used once in an update expression;"},
        {"SET a = :s, a = :n", PATHS("overlap", "[a]", "[a]")},
        {"SET a = :s REMOVE #a", PATHS("overlap", "[a]", "[a]")},
        {"SET a.b = :s, a = :n", PATHS("overlap", "[a, b]", "[a]")},
        {"REMOVE a[1] SET a[1].b = :n", PATHS("overlap", "[a, [1]]", "[a, [1], b]")},
        {"SET a.b = :s, a[0] = :n", PATHS("conflict", "[a, b]", "[a, [0]]")},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void the_most_urgent_fault_is_reported(void **state)
{
    static const struct refused rows[] = {
        {"", "The expression can not be empty;"},
        {"SET a = ((b + :none))", "The expression has redundant parentheses;"},
        {"SET a = ((b))", "The expression has redundant parentheses;"},
        {"SET status = nothing(:none)",
         "Attribute name is a reserved keyword; reserved keyword: status"},
        {"SET a = nothing(:none) SET b = :s", "Invalid function name; function: nothing"},
        {"SET a = :none SET b = :s",
         "The \"SET\" section can only be used once in an update expression;"},
        {"SET a = :none, #none = :s", "An expression attribute name used in the document path is "
                                      "not defined; attribute name: #none"},
        {"SET a = :none, a = :s", "An expression attribute value used in expression is not "
                                  "defined; attribute value: :none"},
        {"ADD a :s, a :n", PATHS("overlap", "[a]", "[a]")},
        {"SET b = b + :s ADD a :s",
         WRONG_ACTION "ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        {"SET a = :none b", "Syntax error; token: \"b\", near: \":none b\""},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void nesting_is_bounded(void **state)
{
    struct fixture *fixture = *state;
    char *text = arena_zalloc(&fixture->arena, EXPRESSION_SIZE_BYTES_MAX + 1);
    struct update *update;

    memcpy(text, "SET a = ", 8);
    memset(text + 8, '(', 4000);
    assert_string_equal(refusal(fixture, text, &update),
                        "Invalid UpdateExpression: The expression has redundant parentheses;");
}

static void removing_updates_are_told_apart(void **state)
{
    struct fixture *fixture = *state;

    assert_true(update_only_removes(parsed(fixture, "REMOVE a, b")));
    assert_true(update_only_removes(parsed(fixture, "REMOVE a DELETE b :ss")));
    assert_false(update_only_removes(parsed(fixture, "REMOVE a SET b = :s")));
    assert_false(update_only_removes(parsed(fixture, "ADD a :n")));
}

static void key_attributes_stay_as_they_are(void **state)
{
    struct fixture *fixture = *state;
    struct slice keys[] = {SLICE_LIT("pk"), SLICE_LIT("sk")};
    struct update *update = parsed(fixture, "SET a = pk, b.pk = :s REMOVE c");

    assert_int_equal(update_check_keys(update, keys, 2, &fixture->error), ST_OK);
    update = parsed(fixture, "SET a = :s ADD sk :n");
    assert_int_equal(update_check_keys(update, keys, 2, &fixture->error), ST_REFUSED);
    assert_int_equal(fixture->error.code, ERROR_VALIDATION_DATA);
    assert_string_equal(fixture_message(fixture, ST_REFUSED),
                        "One or more parameter values were invalid: Cannot update attribute sk. "
                        "This attribute is part of the key");
    update = parsed(fixture, "REMOVE pk.x");
    assert_int_equal(update_check_keys(update, keys, 2, &fixture->error), ST_REFUSED);
}

static void attributes_are_named_once(void **state)
{
    struct fixture *fixture = *state;
    struct update *update =
        parsed(fixture, "SET d.x = if_not_exists(c[0], b) + e, a = b REMOVE #s ADD g :n");
    struct slice *names;
    uint32_t count;

    update_attributes(update, &fixture->arena, &names, &count);
    assert_int_equal(count, 7);
    assert_true(slice_is(names[0], "a") && slice_is(names[1], "b") && slice_is(names[2], "c"));
    assert_true(slice_is(names[3], "d") && slice_is(names[4], "e") && slice_is(names[5], "g"));
    assert_true(slice_is(names[6], "status"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(forms_are_accepted),
        EXPR_TEST(syntax_errors_show_the_token_and_its_neighbours),
        EXPR_TEST(operands_must_fit),
        EXPR_TEST(sections_and_paths_come_once),
        EXPR_TEST(the_most_urgent_fault_is_reported),
        EXPR_TEST(nesting_is_bounded),
        EXPR_TEST(removing_updates_are_told_apart),
        EXPR_TEST(key_attributes_stay_as_they_are),
        EXPR_TEST(attributes_are_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
