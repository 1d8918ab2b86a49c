/* Which key conditions are accepted, as which terms, and what the others are refused for. */
#include "fixture.h"

#define VALUES "{':p':{'S':'p'},':lo':{'N':'1'},':hi':{'N':'9'},':t':{'BOOL':true}}"

static const char *refusal(struct fixture *fixture, const char *expression,
                           struct key_condition *ret_condition)
{
    fixture_params(fixture, "{'#k':'key'}", VALUES);
    return fixture_message(fixture,
                           key_condition_parse(&fixture->arena, slice_cstr(expression),
                                               &fixture->params, &fixture->error, ret_condition));
}

static void assert_refused(void **state, const char *expression, const char *fault)
{
    struct fixture *fixture = *state;
    struct key_condition condition;
    struct slice wanted =
        arena_printf(&fixture->arena, "Invalid KeyConditionExpression: %s", fault);

    assert_string_equal(refusal(fixture, expression, &condition), (const char *)wanted.p);
}

static void assert_terms(void **state, const char *expression, const char *first,
                         enum key_operator first_op, const char *second,
                         enum key_operator second_op)
{
    struct key_condition condition;

    assert_string_equal(refusal(*state, expression, &condition), "");
    assert_int_equal(condition.count, second == NULL ? 1 : 2);
    assert_true(slice_is(condition.terms[0].name, first));
    assert_int_equal(condition.terms[0].op, first_op);
    if (second == NULL)
        return;
    assert_true(slice_is(condition.terms[1].name, second));
    assert_int_equal(condition.terms[1].op, second_op);
}

static void conjunctions_become_terms(void **state)
{
    assert_terms(state, "pk = :p", "pk", KEY_EQ, NULL, KEY_NONE);
    assert_terms(state, "#k = :p", "key", KEY_EQ, NULL, KEY_NONE);
    assert_terms(state, "pk = :p AND sk < :lo", "pk", KEY_EQ, "sk", KEY_LT);
    assert_terms(state, "sk >= :lo and pk = :p", "sk", KEY_GE, "pk", KEY_EQ);
    assert_terms(state, "pk = :p AND sk BETWEEN :lo AND :hi", "pk", KEY_EQ, "sk", KEY_BETWEEN);
    assert_terms(state, "pk = :p AND begins_with(sk, :p)", "pk", KEY_EQ, "sk", KEY_BEGINS_WITH);
    assert_terms(state, "(pk = :p) AND (sk > :lo)", "pk", KEY_EQ, "sk", KEY_GT);
    assert_terms(state, "(pk = :p AND (sk <= :lo))", "pk", KEY_EQ, "sk", KEY_LE);
    assert_terms(state, "pk = :p AND extra <= :lo", "pk", KEY_EQ, "extra", KEY_LE);
}

static void a_value_in_front_mirrors_the_operator(void **state)
{
    struct key_condition condition;

    assert_terms(state, ":p = pk AND :lo < sk", "pk", KEY_EQ, "sk", KEY_GT);
    assert_terms(state, "pk = :p AND :lo <= sk", "pk", KEY_EQ, "sk", KEY_GE);
    assert_terms(state, "pk = :p AND :lo > sk", "pk", KEY_EQ, "sk", KEY_LT);
    assert_terms(state, "pk = :p AND :lo >= sk", "pk", KEY_EQ, "sk", KEY_LE);
    assert_string_equal(refusal(*state, "pk = :p AND :hi >= sk", &condition), "");
    assert_true(
        value_equal(condition.terms[1].low, ((struct fixture *)*state)->params.values[2].value));
}

static void operands_come_with_their_terms(void **state)
{
    struct fixture *fixture = *state;
    struct key_condition condition;

    assert_string_equal(refusal(fixture, "pk = :p AND sk BETWEEN :lo AND :hi", &condition), "");
    assert_true(value_equal(condition.terms[0].low, fixture->params.values[0].value));
    assert_int_equal(condition.terms[0].high.type, VALUE_ABSENT);
    assert_true(value_equal(condition.terms[1].low, fixture->params.values[1].value));
    assert_true(value_equal(condition.terms[1].high, fixture->params.values[2].value));
}

#define OPERATOR "Invalid operator used in KeyConditionExpression: "
#define CONDITION "Invalid condition in KeyConditionExpression: "

static void other_operators_are_refused(void **state)
{
    assert_refused(state, "pk = :p OR sk = :lo", OPERATOR "OR");
    assert_refused(state, "NOT pk = :p", OPERATOR "NOT");
    assert_refused(state, "pk <> :p", OPERATOR "<>");
    assert_refused(state, "pk IN (:p)", OPERATOR "IN");
    assert_refused(state, "attribute_exists(pk)", OPERATOR "attribute_exists");
    assert_refused(state, "pk = :p AND contains(sk, :p)", OPERATOR "contains");
    assert_refused(state, "pk = :p AND (sk = :lo OR sk = :hi)", OPERATOR "OR");
}

static void a_term_is_one_attribute_and_values(void **state)
{
    assert_refused(state, "pk = sk", CONDITION "Multiple attribute names used in one condition");
    assert_refused(state, "pk BETWEEN :lo AND sk",
                   CONDITION "Multiple attribute names used in one condition");
    assert_refused(state, ":p = :lo", CONDITION "No key attribute specified");
    assert_refused(state, ":lo BETWEEN pk AND :hi",
                   CONDITION "BETWEEN operator must have the key attribute as its first operand");
    assert_refused(state, "begins_with(:p, pk)",
                   CONDITION
                   "begins_with operator must have the key attribute as its first operand");
    assert_refused(state, "a.b = :p",
                   "KeyConditionExpressions cannot have conditions on nested attributes");
    assert_refused(state, "pk = :p AND l[0] = :p",
                   "KeyConditionExpressions cannot have conditions on nested attributes");
    assert_refused(state, "size(pk) = :lo",
                   "KeyConditionExpressions cannot contain nested operations");
    assert_refused(state, "pk = :p AND sk > :lo AND sk < :hi",
                   "KeyConditionExpressions must only contain one condition per key");
}

static void faults_of_conditions_come_first(void **state)
{
    assert_refused(state, "", "The expression can not be empty;");
    assert_refused(state, "pk = :none OR sk = :lo",
                   "An expression attribute value used in expression is not defined; attribute "
                   "value: :none");
    assert_refused(state, "pk = :p AND begins_with(sk, :lo)",
                   "Incorrect operand type for operator or function; operator or function: "
                   "begins_with, operand type: N");
    assert_refused(state, "pk = :p AND :t >= sk",
                   "Incorrect operand type for operator or function; operator or function: >=, "
                   "operand type: BOOL");
    assert_refused(state, "key = :p",
                   "Attribute name is a reserved keyword; reserved keyword: key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(conjunctions_become_terms),
        EXPR_TEST(a_value_in_front_mirrors_the_operator),
        EXPR_TEST(operands_come_with_their_terms),
        EXPR_TEST(other_operators_are_refused),
        EXPR_TEST(a_term_is_one_attribute_and_values),
        EXPR_TEST(faults_of_conditions_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
