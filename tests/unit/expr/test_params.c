/* Placeholders: their form, their use, and the words that need one. */
#include "fixture.h"

static const char *form(struct fixture *fixture, const char *names, const char *values)
{
    fixture_params(fixture, names, values);
    return fixture_message(fixture, expr_params_check(&fixture->params, &fixture->error));
}

static void placeholders_have_a_form(void **state)
{
    struct fixture *fixture = *state;

    assert_string_equal(form(fixture, NULL, NULL), "");
    assert_string_equal(form(fixture, "{'#a':'x','#_1':'y'}", "{':a_B9':{'S':'x'}}"), "");
    assert_string_equal(form(fixture, "{}", NULL), "ExpressionAttributeNames must not be empty");
    assert_string_equal(form(fixture, NULL, "{}"), "ExpressionAttributeValues must not be empty");
    assert_string_equal(form(fixture, "{'a':'x'}", NULL),
                        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"");
    assert_string_equal(form(fixture, "{'#':'x'}", NULL),
                        "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"");
    assert_string_equal(form(fixture, "{'#a-b':'x'}", NULL),
                        "ExpressionAttributeNames contains invalid key: Syntax error; key: "
                        "\"#a-b\"");
    assert_string_equal(form(fixture, NULL, "{'#v':{'S':'x'}}"),
                        "ExpressionAttributeValues contains invalid key: Syntax error; key: "
                        "\"#v\"");
}

/* No request can use so many; looking for each of them would take long. */
static void more_placeholders_than_can_be_used_are_refused(void **state)
{
    struct fixture *fixture = *state;
    uint32_t count = EXPR_PLACEHOLDERS_MAX + 1;
    struct expr_name *names = ARENA_ARRAY(&fixture->arena, struct expr_name, count);
    const char *message;

    for (uint32_t i = 0; i < count; i++)
        names[i].placeholder = arena_printf(&fixture->arena, "#%u", i);
    fixture->params = (struct expr_params){.names = names, .name_count = count - 1};
    assert_int_equal(expr_params_check(&fixture->params, &fixture->error), ST_OK);
    fixture->params.name_count = count;
    message = fixture_message(fixture, expr_params_check(&fixture->params, &fixture->error));
    assert_non_null(strstr(message, "Value provided in ExpressionAttributeNames unused in "
                                    "expressions: keys: {#0, #1, #2, "));
}

static void unused_placeholders_are_listed(void **state)
{
    struct fixture *fixture = *state;

    fixture_params(fixture, "{'#a':'x','#b':'y','#c':'z'}", "{':v':{'S':'x'},':w':{'S':'x'}}");
    fixture->params.names[1].used = true;
    assert_string_equal(
        fixture_message(fixture, expr_params_check_used(&fixture->params, &fixture->error)),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #c}");
    fixture->params.names[0].used = fixture->params.names[2].used = true;
    fixture->params.values[0].used = true;
    assert_string_equal(
        fixture_message(fixture, expr_params_check_used(&fixture->params, &fixture->error)),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}");
    fixture->params.values[1].used = true;
    assert_string_equal(
        fixture_message(fixture, expr_params_check_used(&fixture->params, &fixture->error)), "");
}

static void reserved_words_are_known_in_any_case(void **state)
{
    static const char *const reserved[] = {"ABORT", "zone",         "Status", "nAmE",
                                           "DATA",  "specifictype", "in",     "COUNT",
                                           "ttl",   "URL",          "value"};
    static const char *const free_words[] = {"",     "A",  "ABOR",    "ABORTS", "pk",    "zones",
                                             "stat", "id", "created", "price",  "counts"};

    (void)state;
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (!expr_is_reserved_word(slice_cstr(reserved[i])))
            fail_msg("%s", reserved[i]);
    for (size_t i = 0; i < sizeof(free_words) / sizeof(free_words[0]); i++)
        if (expr_is_reserved_word(slice_cstr(free_words[i])))
            fail_msg("%s", free_words[i]);
    assert_false(expr_is_reserved_word(SLICE_LIT("add\0add and more")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPR_TEST(placeholders_have_a_form),
        EXPR_TEST(more_placeholders_than_can_be_used_are_refused),
        EXPR_TEST(unused_placeholders_are_listed),
        EXPR_TEST(reserved_words_are_known_in_any_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
