/* What conditions are refused for, in which words, and which fault counts if there are several. */
#include "fixture.h"

#include <stdio.h>

#define NAMES "{'#a':'a','#s':'status','#dot':'x.y'}"
#define VALUES                                                                                     \
    "{':s':{'S':'x'},':n':{'N':'5'},':m':{'N':'3'},':b':{'B':'AQ=='},':t':{'BOOL':true},"          \
    "':z':{'NULL':true},':ss':{'SS':['x']},':l':{'L':[]},':map':{'M':{}},':type':{'S':'SS'}}"

static const char *refusal(struct fixture *fixture, const char *expression)
{
    struct condition *condition;

    fixture_params(fixture, NAMES, VALUES);
    return fixture_message(fixture, condition_parse(&fixture->arena, "ConditionExpression",
                                                    slice_cstr(expression), &fixture->params,
                                                    &fixture->error, &condition));
}

static void assert_accepted(struct fixture *fixture, const char *expression)
{
    const char *message = refusal(fixture, expression);

    if (message[0] != '\0')
        fail_msg("%s: %s", expression, message);
}

static void assert_refused(struct fixture *fixture, const char *expression, const char *fault)
{
    struct slice wanted = arena_printf(&fixture->arena, "Invalid ConditionExpression: %s", fault);
    const char *message = refusal(fixture, expression);

    if (!slice_is(wanted, message))
        fail_msg("%s\n  got:    %s\n  wanted: %.*s", expression, message, (int)wanted.n,
                 (const char *)wanted.p);
}

static void forms_are_accepted(void **state)
{
    static const char *const expressions[] = {
        "a = :s",
        ":s = a",
        "a=:s",
        "\t a \n=\r :s ",
        "a <> :s and a < :n AND a <= :n Or a > :n oR a >= :n",
        "NOT a = :s",
        "not not a = :s",
        "NOT (NOT (a = :s))",
        "a BETWEEN :m AND :n AND b between :m and :n",
        "a IN (:s)",
        "a in (:s, b, size(c))",
        "attribute_exists(a.b[0].#dot)",
        "attribute_exists (a)",
        "attribute_not_exists(a) OR attribute_type(a, :type)",
        "begins_with(a, :s) AND contains(a, :n)",
        "size(a) > :n",
        "size(a) = size(b)",
        "size(:s) = :n",
        "contains(:ss, a)",
        "begins_with(:s, a)",
        "(a = :s)",
        "(a) = (:s)",
        "(size(a)) > (:n)",
        "(attribute_exists(a))",
        "(a = :s) AND (b = :s)",
        "(a = :s AND (b = :s))",
        "((a) = :s)",
        "((a = :s) AND (b = :s))",
        "a IN ((:s), (:n))",
        "attribute_exists((a))",
        "#s = :s",
        "a1_b = :s",
        "seta = :s AND orx = :s AND inn = :s",
        "a[0] = :s",
        "a[10] = :s",
        "a [ 0 ] . b = :s",
    };

    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
        assert_accepted(*state, expressions[i]);
}

struct refused {
    const char *expression;
    const char *fault;
};

static void assert_all_refused(struct fixture *fixture, const struct refused *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(fixture, rows[i].expression, rows[i].fault);
}

#define ASSERT_ALL_REFUSED(state, rows)                                                            \
    assert_all_refused((state), (rows), sizeof(rows) / sizeof((rows)[0]))

static void syntax_errors_show_the_token_and_its_neighbours(void **state)
{
    static const struct refused rows[] = {
        {"a", "Syntax error; token: \"<EOF>\", near: \"a\""},
        {"a =", "Syntax error; token: \"<EOF>\", near: \"=\""},
        {"a = :s AND", "Syntax error; token: \"<EOF>\", near: \"AND\""},
        {"(a = :s", "Syntax error; token: \"<EOF>\", near: \":s\""},
        {"a = :s)", "Syntax error; token: \")\", near: \":s)\""},
        {"ADD a :s", "Syntax error; token: \"ADD\", near: \"ADD a\""},
        {"a b = :s", "Syntax error; token: \"b\", near: \"a b =\""},
        {"!!", "Syntax error; token: \"!\", near: \"!!\""},
        {"a =  : s", "Syntax error; token: \":\", near: \"=  : s\""},
        {"# = :s", "Syntax error; token: \"#\", near: \"# =\""},
        {"_a = :s", "Syntax error; token: \"_\", near: \"_a\""},
        {"a == :s", "Syntax error; token: \"=\", near: \"== :s\""},
        {"a = :s = :s", "Syntax error; token: \"=\", near: \":s = :s\""},
        {"a = 'x'", "Syntax error; token: \"'\", near: \"= 'x\""},
        {"a = 5", "Syntax error; token: \"5\", near: \"= 5\""},
        {"a[01] = :s", "Syntax error; token: \"1\", near: \"01]\""},
        {"a[-1] = :s", "Syntax error; token: \"-\", near: \"[-1\""},
        {"a[:n] = :s", "Syntax error; token: \":n\", near: \"[:n]\""},
        {"a. = :s", "Syntax error; token: \"=\", near: \". = :s\""},
        {"a-b = :s", "Syntax error; token: \"-\", near: \"a-b\""},
        {"(a).b = :s", "Syntax error; token: \".\", near: \").b\""},
        {"AND a = :s", "Syntax error; token: \"AND\", near: \"AND a\""},
        {"a AND b = :s", "Syntax error; token: \"AND\", near: \"a AND b\""},
        {"b = :s AND a", "Syntax error; token: \"<EOF>\", near: \"a\""},
        {"a IN :s", "Syntax error; token: \":s\", near: \"IN :s\""},
        {"a IN ()", "Syntax error; token: \")\", near: \"()\""},
        {"a IN (:s,)", "Syntax error; token: \")\", near: \",)\""},
        {"a BETWEEN :m OR :n", "Syntax error; token: \"OR\", near: \":m OR :n\""},
        {"attribute_exists()", "Syntax error; token: \")\", near: \"()\""},
        {"attribute_exists(a", "Syntax error; token: \"<EOF>\", near: \"a\""},
        {"contains(a = :s, b)", "Syntax error; token: \"=\", near: \"a = :s\""},
        {"(a = :s) = :s", "Syntax error; token: \"=\", near: \") = :s\""},
        {"a = (b = :s)", "Syntax error; token: \"=\", near: \"b = :s\""},
        {"a = \xC3\xA9", "Syntax error; token: \"\xC3\xA9\", near: \"= \xC3\xA9\""},
        {"undefined = :undefined )", "Syntax error; token: \")\", near: \":undefined )\""},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void empty_and_large_expressions_are_refused(void **state)
{
    struct fixture *fixture = *state;
    char text[EXPRESSION_SIZE_BYTES_MAX + 2];

    assert_refused(fixture, "", "The expression can not be empty;");
    assert_refused(fixture, "  \n", "The expression can not be empty;");
    memset(text, ' ', sizeof(text));
    memcpy(text, "a = :s", 6);
    text[EXPRESSION_SIZE_BYTES_MAX] = '\0';
    assert_accepted(fixture, text);
    text[EXPRESSION_SIZE_BYTES_MAX] = ' ';
    text[EXPRESSION_SIZE_BYTES_MAX + 1] = '\0';
    assert_refused(fixture, text,
                   "Expression size has exceeded the maximum allowed size; expression size: 4097");
}

static void redundant_parentheses_are_refused(void **state)
{
    static const struct refused rows[] = {
        {"((a = :s))", "The expression has redundant parentheses;"},
        {"a = :s AND ((b = :s))", "The expression has redundant parentheses;"},
        {"((a)) = :s", "The expression has redundant parentheses;"},
        {"((attribute_exists(a)))", "The expression has redundant parentheses;"},
        {"attribute_exists(((a)))", "The expression has redundant parentheses;"},
        {"NOT ((a = :s))", "The expression has redundant parentheses;"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void functions_are_refused_by_name_and_place(void **state)
{
    static const struct refused rows[] = {
        {"nothing(a)", "Invalid function name; function: nothing"},
        {"Contains(a, :s)", "Invalid function name; function: Contains"},
        {"ATTRIBUTE_EXISTS(a)", "Invalid function name; function: ATTRIBUTE_EXISTS"},
        {"a = if_not_exists(b, :s)",
         "The function is not allowed in a condition expression; function: if_not_exists"},
        {"size(a)",
         "The function is not allowed to be used this way in an expression; function: size"},
        {"a = :s AND size(a)",
         "The function is not allowed to be used this way in an expression; function: size"},
        {"attribute_exists(a) = :t", "The function is not allowed to be used this way in an "
                                     "expression; function: attribute_exists"},
        {"a IN (contains(b, :s))",
         "The function is not allowed to be used this way in an expression; function: contains"},
        {"contains(a, begins_with(b, :s))",
         "The function is not allowed to be used this way in an expression; function: begins_with"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void names_and_values_must_be_known(void **state)
{
    static const struct refused rows[] = {
        {"#none = :s", "An expression attribute name used in the document path is not defined; "
                       "attribute name: #none"},
        {"a.#none = :s", "An expression attribute name used in the document path is not defined; "
                         "attribute name: #none"},
        {"a = :none", "An expression attribute value used in expression is not defined; attribute "
                      "value: :none"},
        {"status = :s", "Attribute name is a reserved keyword; reserved keyword: status"},
        {"a.Data = :s", "Attribute name is a reserved keyword; reserved keyword: Data"},
        {"a[2147483648] = :s", "List index is not within the allowable range; index: [2147483648]"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

#define WRONG_TYPE "Incorrect operand type for operator or function; operator or function: "
#define WRONG_COUNT "Incorrect number of operands for operator or function; operator or function: "
#define NOT_DISTINCT                                                                               \
    "The first operand must be distinct from the remaining operands for this operator or "         \
    "function; operator: "

static void operands_must_fit(void **state)
{
    static const struct refused rows[] = {
        {"attribute_exists(a, b)", WRONG_COUNT "attribute_exists, number of operands: 2"},
        {"attribute_type(a)", WRONG_COUNT "attribute_type, number of operands: 1"},
        {"begins_with(a, b, c)", WRONG_COUNT "begins_with, number of operands: 3"},
        {"size(a, b) = :n", WRONG_COUNT "size, number of operands: 2"},
        {"attribute_exists(:s)",
         "Operator or function requires a document path; operator or function: attribute_exists"},
        {"attribute_not_exists(size(a))", "Operator or function requires a document path; operator "
                                          "or function: attribute_not_exists"},
        {"begins_with(a, :n)", WRONG_TYPE "begins_with, operand type: N"},
        {"begins_with(:ss, a)", WRONG_TYPE "begins_with, operand type: SS"},
        {"begins_with(a, size(b))", WRONG_TYPE "begins_with, operand type: N"},
        {"attribute_type(a, :n)", WRONG_TYPE "attribute_type, operand type: N"},
        {"attribute_type(a, b)",
         WRONG_TYPE "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"},
        {"attribute_type(a, :s)", "Invalid attribute type name found; type: x, valid types: "
                                  "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
        {"size(:n) = :n", WRONG_TYPE "size, operand type: N"},
        {"size(:t) = :n", WRONG_TYPE "size, operand type: BOOL"},
        {"size(size(a)) = :n", WRONG_TYPE "size, operand type: N"},
        {"a < :t", WRONG_TYPE "<, operand type: BOOL"},
        {":map >= a", WRONG_TYPE ">=, operand type: M"},
        {"a BETWEEN :z AND :n", WRONG_TYPE "BETWEEN, operand type: NULL"},
        {"a = a", NOT_DISTINCT "=, first operand: [a]"},
        {"a.b[1] <> a.b[1]", NOT_DISTINCT "<>, first operand: [a, b, [1]]"},
        {"#a > a", NOT_DISTINCT ">, first operand: [a]"},
        {"contains(a, #a)", NOT_DISTINCT "contains, first operand: [a]"},
        {"a IN (:s, a)", NOT_DISTINCT "IN, first operand: [a]"},
        {"a BETWEEN :n AND :m",
         "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
         "lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:3}"},
        {"a BETWEEN :n AND :s",
         "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
         "operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {S:x}"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

static void the_most_urgent_fault_is_reported(void **state)
{
    static const struct refused rows[] = {
        {"nothing(:none) AND ((a = :s))", "The expression has redundant parentheses;"},
        {"status = :none AND nothing(a)", "Invalid function name; function: nothing"},
        {"status = :none AND size(a)",
         "The function is not allowed to be used this way in an expression; function: size"},
        {"a = :none AND status = :s",
         "Attribute name is a reserved keyword; reserved keyword: status"},
        {"a = :none AND begins_with(b, :n)", "An expression attribute value used in expression is "
                                             "not defined; attribute value: :none"},
        {"begins_with(b, :n) AND a = :none", WRONG_TYPE "begins_with, operand type: N"},
        {"begins_with(b, :n, :none)", "An expression attribute value used in expression is not "
                                      "defined; attribute value: :none"},
    };

    ASSERT_ALL_REFUSED(*state, rows);
}

/* "a IN (:s, :s, ...)" */
static const char *in_of(struct fixture *fixture, uint32_t count)
{
    struct slice text = SLICE_LIT("a IN (");

    for (uint32_t i = 0; i < count; i++)
        text = arena_printf(&fixture->arena, "%.*s%s:s", (int)text.n, (const char *)text.p,
                            i == 0 ? "" : ",");
    return (const char *)arena_printf(&fixture->arena, "%.*s)", (int)text.n, (const char *)text.p)
        .p;
}

static void in_takes_a_hundred_candidates(void **state)
{
    struct fixture *fixture = *state;

    assert_accepted(fixture, in_of(fixture, 100));
    assert_refused(fixture, in_of(fixture, 101),
                   "The IN operator is provided with too many operands; number of operands: 101");
}

/* `count` copies of `unit` around "a=:s". */
static const char *repeated(struct fixture *fixture, const char *before, const char *after,
                            uint32_t count)
{
    char *text = arena_zalloc(&fixture->arena, EXPRESSION_SIZE_BYTES_MAX + 1);
    size_t n = 0;

    for (uint32_t i = 0; i < count; i++, n += strlen(before))
        memcpy(text + n, before, strlen(before));
    memcpy(text + n, "a=:s", 4);
    n += 4;
    for (uint32_t i = 0; i < count; i++, n += strlen(after))
        memcpy(text + n, after, strlen(after));
    return text;
}

static void operators_are_counted(void **state)
{
    struct fixture *fixture = *state;

    assert_accepted(fixture, repeated(fixture, "NOT ", "", 299));
    assert_refused(fixture, repeated(fixture, "NOT ", "", 300),
                   "The expression contains too many operators; operator count: 301");
    assert_accepted(fixture, repeated(fixture, "", " OR a=:s", 149));
    assert_refused(fixture, repeated(fixture, "", " OR a=:s", 150),
                   "The expression contains too many operators; operator count: 301");
    assert_accepted(fixture, repeated(fixture, "NOT (", ")", 299));
}

static void deep_nesting_is_refused(void **state)
{
    struct fixture *fixture = *state;

    assert_refused(fixture, repeated(fixture, "(", ")", 2000),
                   "The expression has redundant parentheses;");
    assert_refused(fixture, repeated(fixture, "(", "", 4000),
                   "The expression has redundant parentheses;");
    assert_refused(fixture, repeated(fixture, "NOT ", "", 1000),
                   "The expression contains too many operators; operator count: 609");
}

static void paths_nest_as_deep_as_values(void **state)
{
    struct fixture *fixture = *state;

    assert_accepted(fixture, repeated(fixture, "a.", "", 31));
    assert_refused(fixture, repeated(fixture, "a.", "", 32),
                   "The document path has too many nesting elements; nesting levels: 33");
}

static void placeholders_that_were_read_are_marked(void **state)
{
    struct fixture *fixture = *state;

    assert_accepted(fixture, "#a = :n OR NOT b.#s IN (:m)");
    assert_true(fixture->params.names[0].used && fixture->params.names[1].used);
    assert_false(fixture->params.names[2].used);
    assert_false(fixture->params.values[0].used);
    assert_true(fixture->params.values[1].used && fixture->params.values[2].used);
}

static void attributes_are_named_once(void **state)
{
    struct fixture *fixture = *state;
    struct condition *condition;
    struct slice *names;
    uint32_t count;

    fixture_params(fixture, NAMES, VALUES);
    assert_int_equal(condition_parse(&fixture->arena, "FilterExpression",
                                     SLICE_LIT("b.c = :s AND (size(#s) > :n OR NOT contains(a, b))"
                                               " OR a IN (:s, d[0])"),
                                     &fixture->params, &fixture->error, &condition),
                     ST_OK);
    condition_attributes(condition, &fixture->arena, &names, &count);
    assert_int_equal(count, 4);
    assert_true(slice_is(names[0], "a") && slice_is(names[1], "b"));
    assert_true(slice_is(names[2], "d") && slice_is(names[3], "status"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(forms_are_accepted),
        EXPR_TEST(syntax_errors_show_the_token_and_its_neighbours),
        EXPR_TEST(empty_and_large_expressions_are_refused),
        EXPR_TEST(redundant_parentheses_are_refused),
        EXPR_TEST(functions_are_refused_by_name_and_place),
        EXPR_TEST(names_and_values_must_be_known),
        EXPR_TEST(operands_must_fit),
        EXPR_TEST(the_most_urgent_fault_is_reported),
        EXPR_TEST(in_takes_a_hundred_candidates),
        EXPR_TEST(operators_are_counted),
        EXPR_TEST(deep_nesting_is_refused),
        EXPR_TEST(paths_nest_as_deep_as_values),
        EXPR_TEST(placeholders_that_were_read_are_marked),
        EXPR_TEST(attributes_are_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
