/* Requests against the service model: which violations are found, and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "api/facts.h"
#include "base/arena.h"
#include "base/memory.h"

static struct json_parser *parser;
static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    parser = json_parser_new(1024 * 1024);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    json_parser_free(parser);
    arena_deinit(&arena);
    return 0;
}

/* The error's message, or "" if the request passes. */
static const char *check_as(const struct shape *shape, const char *request, enum wording wording,
                            enum error_code *ret_code)
{
    size_t n = strlen(request);
    char *padded = arena_zalloc(&arena, n + JSON_PADDING_BYTES);
    struct error error;
    struct json root;

    memcpy(padded, request, n);
    assert_int_equal(json_parse(parser, slice_of(padded, n), &root), ST_OK);
    error_init(&error, &arena);
    *ret_code = ERROR_NONE;
    if (shape_check(shape, root, wording, &error) == ST_OK)
        return "";
    *ret_code = error.code;
    return (const char *)arena_printf(&arena, "%" PRISLICE, SLICE_ARG(error.message)).p;
}

static void assert_violation(const struct shape *shape, const char *request, enum wording wording,
                             const char *expected)
{
    enum error_code code;

    assert_string_equal(check_as(shape, request, wording, &code), expected);
    assert_int_equal(code, expected[0] == '\0' ? ERROR_NONE : ERROR_VALIDATION);
}

static void assert_wrong_type(const struct shape *shape, const char *request, const char *expected)
{
    enum error_code code;

    assert_string_equal(check_as(shape, request, WORDING_2026_10, &code), expected);
    assert_int_equal(code, ERROR_SERIALIZATION);
}

static void good_requests_pass(void **state)
{
    (void)state;
    assert_violation(&facts_put_item, "{\"TableName\":\"Music\",\"Item\":{\"pk\":{\"S\":\"a\"}}}",
                     WORDING_2026_10, "");
    assert_violation(&facts_list_tables, "{}", WORDING_2026_10, "");
    assert_violation(&facts_list_tables, "{\"Limit\":null,\"Unknown\":[1]}", WORDING_2026_10, "");
    assert_violation(&facts_get_item,
                     "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000001:table/Music\","
                     "\"Key\":{}}",
                     WORDING_2026_10, "");
}

static void wrong_types_come_first(void **state)
{
    (void)state;
    assert_wrong_type(&facts_put_item, "{\"TableName\":12,\"ReturnValues\":\"BAD\"}",
                      "NUMBER_VALUE cannot be converted to String");
    assert_wrong_type(&facts_put_item, "{\"TableName\":true}",
                      "TRUE_VALUE cannot be converted to String");
    assert_wrong_type(&facts_list_tables, "{\"Limit\":\"1\"}",
                      "STRING_VALUE cannot be converted to Integer");
    assert_wrong_type(&facts_create_table, "{\"KeySchema\":\"pk\"}", "Unexpected field type");
    assert_wrong_type(&facts_create_table, "{\"KeySchema\":{}}",
                      "Start of structure or map found where not expected");
}

static void missing_members_are_null(void **state)
{
    (void)state;
    assert_violation(&facts_put_item, "{\"Item\":{}}", WORDING_2026_10,
                     "1 validation error detected: Value null at 'tableName' failed to satisfy "
                     "constraint: Member must not be null");
    assert_violation(&facts_put_item, "{\"TableName\":null}", WORDING_2026_05,
                     "2 validation errors detected: Value null at 'item' failed to satisfy "
                     "constraint: Member must not be null; Value null at 'tableName' failed to "
                     "satisfy constraint: Member must not be null");
}

static void an_empty_table_name_hides_other_faults_since_october(void **state)
{
    static const char request[] = "{\"TableName\":\"\",\"Item\":{},\"ReturnValues\":\"INVALID\"}";

    (void)state;
    assert_violation(&facts_put_item, request, WORDING_2026_10,
                     "1 validation error detected: Value at 'TableName' failed to satisfy "
                     "constraint: Member must have length greater than or equal to 1");
    assert_violation(&facts_put_item, request, WORDING_2026_05,
                     "2 validation errors detected: Value 'INVALID' at 'returnValues' failed to "
                     "satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
                     "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value '' at 'tableName' failed to "
                     "satisfy constraint: Member must have length greater than or equal to 1");
}

static void other_faults_of_a_name_echo_it(void **state)
{
    (void)state;
    assert_violation(&facts_get_item, "{\"TableName\":\"bad table!\",\"Key\":{}}", WORDING_2026_10,
                     "1 validation error detected: Value 'bad table!' at 'tableName' failed to "
                     "satisfy constraint: Member must satisfy regular expression pattern: "
                     "[a-zA-Z0-9_.-]+");
    assert_violation(&facts_create_table,
                     "{\"TableName\":\"ab\",\"AttributeDefinitions\":[],\"KeySchema\":"
                     "[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]}",
                     WORDING_2026_10,
                     "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy "
                     "constraint: Member must have length greater than or equal to 3");
}

static void return_values_lose_their_name_since_october(void **state)
{
    static const char put[] = "{\"TableName\":\"T\",\"Item\":{},\"ReturnConsumedCapacity\":\"A\","
                              "\"ReturnItemCollectionMetrics\":\"B\",\"ReturnValues\":\"C\"}";
    static const char update[] = "{\"TableName\":\"T\",\"Key\":{},\"ReturnValues\":\"C\","
                                 "\"ReturnConsumedCapacity\":\"A\"}";

    (void)state;
    assert_violation(&facts_put_item, put, WORDING_2026_10,
                     "3 validation errors detected: Value 'A' at 'returnConsumedCapacity' failed "
                     "to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, "
                     "NONE]; Failed to satisfy constraint: Member must satisfy enum value set: "
                     "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; Value 'B' at "
                     "'returnItemCollectionMetrics' failed to satisfy constraint: Member must "
                     "satisfy enum value set: [SIZE, NONE]");
    assert_violation(&facts_update_item, update, WORDING_2026_10,
                     "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, "
                     "UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]");
    assert_violation(&facts_query, "{\"TableName\":\"T\",\"ConditionalOperator\":\"XOR\"}",
                     WORDING_2026_10,
                     "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]");
}

static void a_missing_key_brings_the_older_words_back(void **state)
{
    (void)state;
    assert_violation(
        &facts_update_item,
        "{\"TableName\":\"\",\"ReturnConsumedCapacity\":\"X\",\"ReturnValues\":"
        "\"X\"}",
        WORDING_2026_10,
        "4 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed "
        "to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, "
        "NONE]; Value '' at 'tableName' failed to satisfy constraint: Member must have "
        "length greater than or equal to 1; Value 'X' at 'returnValues' failed to "
        "satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
        "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value null at 'key' failed to "
        "satisfy constraint: Member must not be null");
}

static void batch_table_names_are_map_keys(void **state)
{
    static const char rule[] = "Map keys must satisfy constraint: [Member must have length less "
                               "than or equal to 255, Member must have length greater than or "
                               "equal to 3, Member must satisfy regular expression pattern: "
                               "[a-zA-Z0-9_.-]+]";
    char expected[512];

    (void)state;
    assert_true(
        snprintf(
            expected, sizeof(expected),
            "1 validation error detected: Value '{\"no!\":{\"Keys\":[{\"k\":{\"S\":\"a\"}}]}}' at "
            "'requestItems' failed to satisfy constraint: %s",
            rule) > 0);
    assert_violation(&facts_batch_get_item,
                     "{\"RequestItems\":{\"no!\":{\"Keys\":[{\"k\":{\"S\":\"a\"}}]}}}",
                     WORDING_2026_10, expected);
    assert_violation(&facts_batch_write_item,
                     "{\"ReturnConsumedCapacity\":\"X\",\"RequestItems\":{\"no!\":[{}]}}",
                     WORDING_2026_10,
                     "1 validation error detected: Value 'X' at 'returnConsumedCapacity' failed to "
                     "satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, "
                     "NONE]");
}

static void global_indexes_are_listed_before_local_ones(void **state)
{
    static const char request[] =
        "{\"TableName\":\"Abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":"
        "\"a\","
        "\"KeyType\":\"HASH\"}],\"LocalSecondaryIndexes\":[{\"IndexName\":\"l1\",\"KeySchema\":["
        "{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}],\"Projection\":{}}],"
        "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"g1\",\"KeySchema\":[{\"AttributeName\":\"a\","
        "\"KeyType\":\"HASH\"}],\"Projection\":{}}]}";

    (void)state;
    assert_violation(&facts_create_table, request, WORDING_2026_10,
                     "2 validation errors detected: Value 'g1' at "
                     "'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: "
                     "Member must have length greater than or equal to 3; Value 'l1' at "
                     "'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: "
                     "Member must have length greater than or equal to 3");
}

static void bounds_of_numbers(void **state)
{
    (void)state;
    assert_violation(&facts_scan, "{\"TableName\":\"T\",\"Limit\":0}", WORDING_2026_10,
                     "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
                     "Member must have value greater than or equal to 1");
    assert_violation(&facts_scan, "{\"TableName\":\"T\",\"Limit\":0}", WORDING_2026_05,
                     "1 validation error detected: Value '0' at 'limit' failed to satisfy "
                     "constraint: Member must have value greater than or equal to 1");
    assert_violation(&facts_list_tables, "{\"Limit\":101}", WORDING_2026_10,
                     "1 validation error detected: Value '101' at 'limit' failed to satisfy "
                     "constraint: Member must have value less than or equal to 100");
}

static void paths_lead_into_lists_and_maps(void **state)
{
    (void)state;
    assert_violation(&facts_create_table,
                     "{\"TableName\":\"Abc\",\"AttributeDefinitions\":[{\"AttributeName\":\"a\","
                     "\"AttributeType\":\"X\"}],\"KeySchema\":[{\"AttributeName\":\"a\","
                     "\"KeyType\":\"HASH\"}]}",
                     WORDING_2026_10,
                     "1 validation error detected: Value 'X' at "
                     "'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: "
                     "Member must satisfy enum value set: [B, N, S]");
    assert_violation(&facts_batch_get_item, "{\"RequestItems\":{\"Tab\":{\"Keys\":[]}}}",
                     WORDING_2026_10,
                     "1 validation error detected: Value at 'RequestItems.Tab.member.Keys' failed "
                     "to satisfy constraint: Member must have length greater than or equal to 1");
    assert_violation(&facts_batch_write_item, "{\"RequestItems\":{\"Tab\":[]}}", WORDING_2026_10,
                     "1 validation error detected: Value '{Tab=[]}' at 'requestItems' failed to "
                     "satisfy constraint: Map value must satisfy constraint: [Member must have "
                     "length less than or equal to 25, Member must have length greater than or "
                     "equal to 1]");
}

static void collections_print_as_the_service_prints_them(void **state)
{
    (void)state;
    assert_violation(&facts_create_table,
                     "{\"TableName\":\"Abc\",\"AttributeDefinitions\":[],\"KeySchema\":["
                     "{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},"
                     "{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"},"
                     "{\"AttributeName\":\"c\",\"KeyType\":\"RANGE\"}]}",
                     WORDING_2026_10,
                     "1 validation error detected: Value '[KeySchemaElement(attributeName=a, "
                     "keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), "
                     "KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema' failed to "
                     "satisfy constraint: Member must have length less than or equal to 2");
    assert_violation(&facts_transact_write_items, "{\"TransactItems\":[]}", WORDING_2026_10,
                     "1 validation error detected: Value '[]' at 'transactItems' failed to "
                     "satisfy constraint: Member must have length greater than or equal to 1");
}

static void at_most_ten_are_listed(void **state)
{
    enum error_code code;
    const char *message;

    (void)state;
    message = check_as(&facts_create_table,
                       "{\"TableName\":\"Abc\",\"KeySchema\":[],\"AttributeDefinitions\":"
                       "[{},{},{},{},{},{},{}]}",
                       WORDING_2026_10, &code);
    assert_int_equal(strncmp(message, "10 validation errors detected: ", 31), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_requests_pass),
        cmocka_unit_test(wrong_types_come_first),
        cmocka_unit_test(missing_members_are_null),
        cmocka_unit_test(an_empty_table_name_hides_other_faults_since_october),
        cmocka_unit_test(other_faults_of_a_name_echo_it),
        cmocka_unit_test(return_values_lose_their_name_since_october),
        cmocka_unit_test(a_missing_key_brings_the_older_words_back),
        cmocka_unit_test(batch_table_names_are_map_keys),
        cmocka_unit_test(global_indexes_are_listed_before_local_ones),
        cmocka_unit_test(bounds_of_numbers),
        cmocka_unit_test(paths_lead_into_lists_and_maps),
        cmocka_unit_test(collections_print_as_the_service_prints_them),
        cmocka_unit_test(at_most_ten_are_listed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
