/* Which conditions hold for which items. */
#include "fixture.h"

#include <stdio.h>

#define ITEM                                                                                       \
    "{'s':{'S':'hello'},'n':{'N':'7'},'b':{'B':'AQID'},'t':{'BOOL':true},'z':{'NULL':true},"       \
    "'ss':{'SS':['x','y']},'ns':{'NS':['1','2.50']},'bs':{'BS':['AQ==','Ag==']},"                  \
    "'l':{'L':[{'S':'x'},{'N':'2'},{'L':[{'S':'deep'}]}]},"                                        \
    "'m':{'M':{'k':{'S':'v'},'x.y':{'N':'1'}}},'e':{'S':''},'seven':{'N':'7.0'},"                  \
    "'set2':{'SS':['y','x']},'ten':{'L':[{'N':'1'},{'N':'1'},{'N':'1'},{'N':'1'},{'N':'1'},"       \
    "{'N':'1'},{'N':'1'},{'N':'1'},{'N':'1'},{'N':'1'}]}}"

#define NAMES "{'#dot':'x.y','#s':'s'}"
#define VALUES                                                                                     \
    "{':hello':{'S':'hello'},':he':{'S':'he'},':ell':{'S':'ell'},':empty':{'S':''},"               \
    "':zz':{'S':'zz'},':x':{'S':'x'},':v':{'S':'v'},':deep':{'S':'deep'},"                         \
    "':n0':{'N':'0'},':n1':{'N':'1'},':n2':{'N':'2'},':n3':{'N':'3'},':n5':{'N':'5'},"             \
    "':n7':{'N':'7'},':n10':{'N':'10'},':n25':{'N':'2.5'},':b1':{'B':'AQ=='},':b2':{'B':'Ag=='},"  \
    "':yes':{'BOOL':true},':no':{'BOOL':false},':null':{'NULL':true},':setxy':{'SS':['y','x']},"   \
    "':ns':{'NS':['2.5','1']},':map':{'M':{'x.y':{'N':'1.0'},'k':{'S':'v'}}},"                     \
    "':inner':{'L':[{'S':'deep'}]},':S':{'S':'S'},':N':{'S':'N'},':B':{'S':'B'},"                  \
    "':BOOL':{'S':'BOOL'},':NULL':{'S':'NULL'},':SS':{'S':'SS'},':NS':{'S':'NS'},"                 \
    "':BS':{'S':'BS'},':L':{'S':'L'},':M':{'S':'M'}}"

static bool holds(struct fixture *fixture, const char *expression, struct item item)
{
    struct condition *condition;
    const char *message;

    fixture_params(fixture, NAMES, VALUES);
    message = fixture_message(fixture, condition_parse(&fixture->arena, "FilterExpression",
                                                       slice_cstr(expression), &fixture->params,
                                                       &fixture->error, &condition));
    if (message[0] != '\0')
        fail_msg("%s: %s", expression, message);
    return condition_eval(condition, item);
}

/* Each expression of `yes` holds and its negation does not; each of `no` the other way round. */
static void assert_holds(void **state, const char *json, bool wanted,
                         const char *const *expressions)
{
    struct fixture *fixture = *state;
    struct item item = fixture_item(fixture, json);

    for (; *expressions != NULL; expressions++) {
        struct slice negated = arena_printf(&fixture->arena, "NOT (%s)", *expressions);

        if (holds(fixture, *expressions, item) != wanted)
            fail_msg("%s is %s", *expressions, wanted ? "false" : "true");
        if (holds(fixture, (const char *)negated.p, item) == wanted)
            fail_msg("%s is no negation", (const char *)negated.p);
    }
}

#define HOLD(...) assert_holds(state, ITEM, true, (const char *const[]){__VA_ARGS__, NULL})
#define FAIL(...) assert_holds(state, ITEM, false, (const char *const[]){__VA_ARGS__, NULL})

static void values_are_compared_by_type_and_value(void **state)
{
    HOLD("s = :hello", ":hello = s", "n = :n7", "n = seven", "t = :yes", "z = :null", "ss = :setxy",
         "ss = set2", "ns = :ns", "m = :map", "l[2] = :inner", "b <> :b1", "s <> :n7", "n <> :n5",
         "t <> :no", "e = :empty");
    FAIL("s = :he", "s = :n7", "n = :hello", "t = :no", "ss = :ns", "m = :x", "s <> :hello",
         "n <> seven");
}

static void order_is_of_strings_numbers_and_binaries(void **state)
{
    HOLD("n < :n10", "n <= :n7", "n > :n5", "n >= :n7", ":n10 > n", "s < :zz", "s > :empty",
         "s > :he", "b > :b1", "b < :b2");
    FAIL("n < :n7", "n > :n7", "n > :n10", "s > :zz", "s < :n7", "s > :n7", "n >= :hello",
         "n <= :hello", "ss < :hello", "t >= :n0", "b < :b1");
}

static void what_is_missing_compares_as_unequal_only(void **state)
{
    HOLD("gone <> :x", ":x <> gone", "gone <> lost", "s.x <> :x", "l[9] <> :x", "m.q <> :x");
    FAIL("gone = :x", "gone < :x", "gone <= :x", "gone > :x", "gone >= :x", "gone = lost",
         "gone IN (:x)", "gone BETWEEN :n1 AND :n2", "contains(gone, :x)", "begins_with(gone, :x)",
         "size(gone) = :n0", "size(gone) < :n10", "s[0] = :x", "n.a = :x", "l.x = :x");
}

static void nothing_holds_in_no_item_but_absence(void **state)
{
    static const char *const yes[] = {"attribute_not_exists(s)", "s <> :hello",
                                      "attribute_not_exists(m.k)", NULL};
    static const char *const no[] = {"attribute_exists(s)",   "s = :hello",
                                     "size(s) >= :n0",        "contains(s, :x)",
                                     "attribute_type(s, :S)", NULL};

    assert_holds(state, NULL, true, yes);
    assert_holds(state, NULL, false, no);
    assert_holds(state, "{}", true, yes);
    assert_holds(state, "{}", false, no);
}

static void between_includes_its_bounds(void **state)
{
    HOLD("n BETWEEN :n5 AND :n10", "n BETWEEN :n7 AND :n7", "s BETWEEN :he AND :zz",
         "b BETWEEN :b1 AND :b2", ":n7 BETWEEN n AND :n10", ":n7 BETWEEN :n1 AND n");
    FAIL("n BETWEEN :n1 AND :n5", "s BETWEEN :n1 AND :n5", "n BETWEEN gone AND :n10",
         "n BETWEEN :n1 AND gone");
}

static void in_is_equality_with_any(void **state)
{
    HOLD("n IN (:n1, :n7)", "s IN (:hello)", "n IN (:hello, seven)", "ss IN (:x, :setxy)",
         ":x IN (s, l[0])", "n IN (gone, :n7)");
    FAIL("n IN (:n1, :n2)", "s IN (:n7, :he)", "n IN (gone)");
}

static void paths_lead_into_maps_and_lists(void **state)
{
    HOLD("m.k = :v", "m.#dot = :n1", "l[0] = :x", "l[2][0] = :deep", "#s = :hello",
         "attribute_exists(l[2][0])", "attribute_not_exists(l[3])", "attribute_not_exists(m.k.x)");
    FAIL("attribute_exists(l[3])", "attribute_exists(m.x)", "attribute_exists(l.k)",
         "attribute_exists(m[0])", "attribute_not_exists(m.k)");
}

static void types_have_names(void **state)
{
    HOLD("attribute_type(s, :S)", "attribute_type(n, :N)", "attribute_type(b, :B)",
         "attribute_type(t, :BOOL)", "attribute_type(z, :NULL)", "attribute_type(ss, :SS)",
         "attribute_type(ns, :NS)", "attribute_type(bs, :BS)", "attribute_type(l, :L)",
         "attribute_type(m, :M)");
    FAIL("attribute_type(s, :N)", "attribute_type(gone, :S)", "attribute_type(l, :M)");
}

static void prefixes_are_of_strings_and_binaries(void **state)
{
    HOLD("begins_with(s, :he)", "begins_with(s, :hello)", "begins_with(s, :empty)",
         "begins_with(b, :b1)", "begins_with(:hello, s)");
    FAIL("begins_with(s, :ell)", "begins_with(s, :zz)", "begins_with(n, :he)",
         "begins_with(b, :b2)", "begins_with(s, :b1)", "begins_with(:he, s)");
}

static void contains_is_of_texts_sets_and_lists(void **state)
{
    HOLD("contains(s, :ell)", "contains(s, :empty)", "contains(b, :b2)", "contains(ss, :x)",
         "contains(ns, :n25)", "contains(bs, :b1)", "contains(l, :x)", "contains(l, :n2)",
         "contains(l, :inner)", "contains(:setxy, l[0])");
    FAIL("contains(s, :zz)", "contains(s, :n7)", "contains(n, :n7)", "contains(ss, :zz)",
         "contains(ss, :n1)", "contains(ns, :x)", "contains(ns, :n3)", "contains(l, :deep)",
         "contains(m, :v)", "contains(s, gone)", "contains(l, gone)");
}

static void size_is_of_bytes_or_elements(void **state)
{
    HOLD("size(s) = :n5", "size(e) = :n0", "size(b) = :n3", "size(ss) = :n2", "size(ns) = :n2",
         "size(bs) = :n2", "size(l) = :n3", "size(m) = :n2", "size(ten) = :n10",
         "size(s) > size(b)", "size(:hello) = :n5", ":n5 IN (size(s))",
         "size(s) BETWEEN :n5 AND :n7", "size(ten) > :n7");
    FAIL("size(s) = :n3", "size(n) = :n1", "size(t) = :n1", "size(z) = :n0", "size(ten) < :n2");
}

static void and_binds_tighter_than_or_and_not_tightest(void **state)
{
    HOLD("s = :hello OR n = :n1 AND n = :n2", "n = :n1 AND n = :n2 OR s = :hello",
         "NOT n = :n1 AND s = :hello", "NOT n = :n7 OR s = :hello", "NOT (n = :n7 AND s = :he)",
         "(s = :hello OR n = :n1) AND n = :n7", "s = :hello AND n = :n7 AND t = :yes",
         "s = :he OR n = :n1 OR t = :yes");
    FAIL("(s = :hello OR n = :n1) AND n = :n2", "NOT n = :n7 AND s = :hello",
         "NOT (n = :n7 OR s = :he)", "s = :hello AND n = :n7 AND t = :no",
         "NOT n BETWEEN :n5 AND :n10 AND s = :hello", "s = :he OR n = :n1 OR t = :no");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(values_are_compared_by_type_and_value),
        EXPR_TEST(order_is_of_strings_numbers_and_binaries),
        EXPR_TEST(what_is_missing_compares_as_unequal_only),
        EXPR_TEST(nothing_holds_in_no_item_but_absence),
        EXPR_TEST(between_includes_its_bounds),
        EXPR_TEST(in_is_equality_with_any),
        EXPR_TEST(paths_lead_into_maps_and_lists),
        EXPR_TEST(types_have_names),
        EXPR_TEST(prefixes_are_of_strings_and_binaries),
        EXPR_TEST(contains_is_of_texts_sets_and_lists),
        EXPR_TEST(size_is_of_bytes_or_elements),
        EXPR_TEST(and_binds_tighter_than_or_and_not_tightest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
