/* What errors look like on the wire, in both wordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/errors.h"
#include "base/arena.h"

static struct arena arena;
static struct buf buf;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    buf_init(&buf, 64 * 1024);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&buf);
    arena_deinit(&arena);
    return 0;
}

static void assert_body(enum error_code code, const char *message, enum wording wording,
                        bool enveloped, const char *expected)
{
    struct error error;
    struct error_body body = {.error = &error, .wording = wording, .enveloped = enveloped};

    error_init(&error, &arena);
    assert_int_equal(error_set(&error, code, "%s", message), ST_REFUSED);
    buf_reset(&buf);
    errors_append_body(&buf, &body);
    buf_append_byte(&buf, 0);
    assert_string_equal((const char *)buf.p, expected);
}

static void every_code_has_a_type(void **state)
{
    (void)state;
    for (int code = ERROR_NONE + 1; code < ERROR_CODE_COUNT; code++)
        assert_non_null(strchr(errors_facts((enum error_code)code)->type, '#'));
}

static void new_wording_envelopes_faults_of_the_request(void **state)
{
    (void)state;
    assert_body(ERROR_VALIDATION, "Bad \"x\"", WORDING_2026_10, true,
                "{\"__type\":\"com.amazon.coral.validate#ValidationException\","
                "\"message\":\"1 validation error detected: Bad \\\"x\\\"\"}");
}

static void nothing_else_is_enveloped(void **state)
{
    static const char plain[] = "{\"__type\":\"com.amazon.coral.validate#ValidationException\","
                                "\"message\":\"Bad\"}";

    (void)state;
    assert_body(ERROR_VALIDATION, "Bad", WORDING_2026_05, true, plain);
    assert_body(ERROR_VALIDATION, "Bad", WORDING_2026_10, false, plain);
    assert_body(ERROR_VALIDATION_DATA, "Bad", WORDING_2026_10, true, plain);
    assert_body(ERROR_VALIDATION, "2 validation errors detected: A; B", WORDING_2026_10, true,
                "{\"__type\":\"com.amazon.coral.validate#ValidationException\","
                "\"message\":\"2 validation errors detected: A; B\"}");
}

static void the_message_key_depends_on_the_type(void **state)
{
    (void)state;
    assert_body(ERROR_SERIALIZATION, "no", WORDING_2026_10, false,
                "{\"__type\":\"com.amazon.coral.service#SerializationException\","
                "\"Message\":\"no\"}");
    assert_body(ERROR_UNKNOWN_OPERATION, "", WORDING_2026_10, false,
                "{\"__type\":\"com.amazon.coral.service#UnknownOperationException\"}");
    assert_body(ERROR_RESOURCE_NOT_FOUND, "gone", WORDING_2026_10, false,
                "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\","
                "\"message\":\"gone\"}");
}

static void details_follow_the_message(void **state)
{
    struct error error;
    struct error_body body = {.error = &error, .detail = SLICE_LIT("\"CancellationReasons\":[]")};

    (void)state;
    error_init(&error, &arena);
    assert_int_equal(error_set(&error, ERROR_TRANSACTION_CANCELED, "no"), ST_REFUSED);
    errors_append_body(&buf, &body);
    buf_append_byte(&buf, 0);
    assert_string_equal((const char *)buf.p, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#"
                                             "TransactionCanceledException\",\"Message\":\"no\","
                                             "\"CancellationReasons\":[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_type),
        cmocka_unit_test_setup_teardown(new_wording_envelopes_faults_of_the_request, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nothing_else_is_enveloped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_message_key_depends_on_the_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(details_follow_the_message, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
