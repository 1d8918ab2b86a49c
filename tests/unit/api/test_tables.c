/* The table operations, through the API. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "api_fixture.h"

#define INVALID "One or more parameter values were invalid: "
#define PK_S "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}]"
#define HASH_PK "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]"
#define ON_DEMAND "'BillingMode':'PAY_PER_REQUEST'"
#define FIVE "'ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5}"
#define PK_SK_X                                                                                    \
    "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"                          \
    "{'AttributeName':'sk','AttributeType':'S'},{'AttributeName':'x','AttributeType':'N'}],"       \
    "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"                                        \
    "{'AttributeName':'sk','KeyType':'RANGE'}]"
#define HASH_X "'KeySchema':[{'AttributeName':'x','KeyType':'HASH'}]"
#define ALL "'Projection':{'ProjectionType':'ALL'}"

#define PLAIN(name) "{'TableName':'" name "'," PK_S "," HASH_PK "," ON_DEMAND "}"
#define NAMED(name) "{'TableName':'" name "'}"

static void a_table_is_active_once_created(void **state)
{
    (void)state;
    assert_answer("CreateTable", PLAIN("Created"), "'TableStatus':'CREATING'");
    assert_answer("DescribeTable", NAMED("Created"), "'TableStatus':'ACTIVE'");
    assert_answer("DescribeTable", NAMED("Created"),
                  "'BillingModeSummary':{'BillingMode':'PAY_PER_REQUEST'");
    assert_answer("DescribeTable", NAMED("Created"), ":table/Created'");
    assert_answer("DescribeTable", NAMED("Created"),
                  "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]");
    assert_refused("CreateTable", PLAIN("Created"), "ResourceInUseException",
                   "Table already exists: Created");
}

static void a_deleted_table_is_gone(void **state)
{
    (void)state;
    api_call("CreateTable", PLAIN("Gone"), NULL);
    assert_answer("DeleteTable", NAMED("Gone"), "'TableStatus':'DELETING'");
    assert_refused("DescribeTable", NAMED("Gone"), "ResourceNotFoundException",
                   "Requested resource not found: Table: Gone not found");
    assert_refused("DeleteTable", NAMED("Gone"), "ResourceNotFoundException",
                   "Requested resource not found: Table: Gone not found");
}

static void tenants_do_not_see_each_other(void **state)
{
    (void)state;
    api_call("CreateTable", PLAIN("Mine"), NULL);
    assert_refused("rival@DescribeTable", NAMED("Mine"), "ResourceNotFoundException",
                   "Requested resource not found: Table: Mine not found");
    assert_answer("rival@ListTables", "{}", "{'TableNames':[]}");
    assert_answer("rival@CreateTable", PLAIN("Mine"), "'TableStatus':'CREATING'");
    assert_answer("rival@ListTables", "{}", "{'TableNames':['Mine']}");
}

static void an_arn_names_a_table_of_its_account_alone(void **state)
{
    char account[13];
    char request[256];

    (void)state;
    api_call("CreateTable", PLAIN("ByArn"), NULL);
    tenant_account_id(registry_find(engine_registry(api_config.engine), SLICE_LIT("acme"))->number,
                      account);
    assert_true(snprintf(request, sizeof(request),
                         "{'TableName':'arn:aws:dynamodb:us-east-1:%s:table/ByArn'}", account) > 0);
    assert_answer("DescribeTable", request, "'TableName':'ByArn'");
    assert_answer("rival@DescribeTable", request, "ResourceNotFoundException");
}

static void lists_page_by_name(void **state)
{
    (void)state;
    api_call("pager@CreateTable", PLAIN("bbb"), NULL);
    api_call("pager@CreateTable", PLAIN("aaa"), NULL);
    assert_answer("pager@ListTables", "{'Limit':1}",
                  "{'TableNames':['aaa'],'LastEvaluatedTableName':'aaa'}");
    assert_answer("pager@ListTables", "{'Limit':1,'ExclusiveStartTableName':'aaa'}",
                  "{'TableNames':['bbb']}");
}

static void billing_and_throughput_must_agree(void **state)
{
    (void)state;
    assert_refused("CreateTable", "{'TableName':'Bill'," PK_S "," HASH_PK "}",
                   "ValidationException",
                   INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                           "BillingMode is PROVISIONED");
    assert_refused("CreateTable",
                   "{'TableName':'Bill'," PK_S "," HASH_PK "," ON_DEMAND "," FIVE "}",
                   "ValidationException",
                   INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                           "when BillingMode is PAY_PER_REQUEST");
    assert_answer("CreateTable", "{'TableName':'Bill'," PK_S "," HASH_PK "," FIVE "}",
                  "'ReadCapacityUnits':5");
    assert_no_answer("DescribeTable", NAMED("Bill"), "BillingModeSummary");
}

static void throughput_changes(void **state)
{
    (void)state;
    api_call("CreateTable", "{'TableName':'Through'," PK_S "," HASH_PK "," FIVE "}", NULL);
    assert_answer("UpdateTable", "{'TableName':'Through'," FIVE "}",
                  "The provisioned throughput for the table will not change.");
    assert_answer("UpdateTable",
                  "{'TableName':'Through','ProvisionedThroughput':{'ReadCapacityUnits':9,"
                  "'WriteCapacityUnits':5}}",
                  "'TableStatus':'UPDATING'");
    assert_answer("DescribeTable", NAMED("Through"), "'ReadCapacityUnits':9");
    assert_answer("UpdateTable", "{'TableName':'Through'," ON_DEMAND "}",
                  "'BillingMode':'PAY_PER_REQUEST'");
    assert_answer("UpdateTable", "{'TableName':'Through'," ON_DEMAND "}", "UPDATING");
    assert_answer("UpdateTable", "{'TableName':'Through','BillingMode':'PROVISIONED'," FIVE "}",
                  "'BillingMode':'PROVISIONED'");
}

static void keys_must_be_defined_and_definitions_used(void **state)
{
    (void)state;
    assert_refused("CreateTable",
                   "{'TableName':'Keys'," PK_S "," ON_DEMAND ",'KeySchema':["
                   "{'AttributeName':'pk','KeyType':'HASH'},"
                   "{'AttributeName':'pk','KeyType':'RANGE'}]}",
                   "ValidationException",
                   "Invalid KeySchema: Some index key attribute have no definition");
    assert_refused("CreateTable", "{'TableName':'Keys'," PK_SK_X "," ON_DEMAND "}",
                   "ValidationException",
                   INVALID "Number of attributes in KeySchema does not exactly match number of "
                           "attributes defined in AttributeDefinitions");
    assert_refused("CreateTable",
                   "{'TableName':'Keys'," PK_S "," ON_DEMAND
                   ",'KeySchema':[{'AttributeName':'pk','KeyType':'RANGE'}]}",
                   "ValidationException",
                   "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
}

static void local_indexes_share_the_partition_key(void **state)
{
    (void)state;
    assert_answer("CreateTable",
                  "{'TableName':'Local'," PK_SK_X "," ON_DEMAND
                  ",'LocalSecondaryIndexes':[{'IndexName':'byX'," ALL ",'KeySchema':["
                  "{'AttributeName':'pk','KeyType':'HASH'},"
                  "{'AttributeName':'x','KeyType':'RANGE'}]}]}",
                  "'LocalSecondaryIndexes':[{'IndexName':'byX'");
    assert_refused("CreateTable",
                   "{'TableName':'Local2'," PK_SK_X "," ON_DEMAND
                   ",'LocalSecondaryIndexes':[{'IndexName':'byX'," ALL ",'KeySchema':["
                   "{'AttributeName':'x','KeyType':'HASH'},"
                   "{'AttributeName':'sk','KeyType':'RANGE'}]}]}",
                   "ValidationException",
                   INVALID "Index KeySchema does not have the same leading hash key as table "
                           "KeySchema for index: byX. index hash key: x, table hash key: pk");
    assert_refused("CreateTable",
                   "{'TableName':'Local3'," PK_S "," HASH_PK "," ON_DEMAND
                   ",'LocalSecondaryIndexes':[{'IndexName':'byX'," ALL ",'KeySchema':["
                   "{'AttributeName':'pk','KeyType':'HASH'},"
                   "{'AttributeName':'x','KeyType':'RANGE'}]}]}",
                   "ValidationException",
                   INVALID "Table KeySchema does not have a range key, which is required when "
                           "specifying a LocalSecondaryIndex");
}

static void global_indexes_may_have_many_key_parts(void **state)
{
    (void)state;
    assert_answer("CreateTable",
                  "{'TableName':'Multi'," PK_SK_X "," ON_DEMAND
                  ",'GlobalSecondaryIndexes':[{'IndexName':'multi'," ALL ",'KeySchema':["
                  "{'AttributeName':'x','KeyType':'HASH'},{'AttributeName':'sk','KeyType':'HASH'},"
                  "{'AttributeName':'pk','KeyType':'RANGE'}]}]}",
                  "'IndexStatus':'CREATING'");
    assert_answer("DescribeTable", NAMED("Multi"),
                  "'KeySchema':[{'AttributeName':'x','KeyType':'HASH'},"
                  "{'AttributeName':'sk','KeyType':'HASH'},"
                  "{'AttributeName':'pk','KeyType':'RANGE'}]");
    assert_answer("DescribeTable", NAMED("Multi"), "'IndexStatus':'ACTIVE'");
}

static void what_must_stand_alone_stands_alone(void **state)
{
    (void)state;
    api_call("CreateTable", PLAIN("Alone"), NULL);
    assert_refused("UpdateTable",
                   "{'TableName':'Alone','DeletionProtectionEnabled':true,"
                   "'SSESpecification':{'Enabled':true}}",
                   "ValidationException",
                   INVALID "Server-Side Encryption modification must be the only operation in the "
                           "request");
    assert_answer("UpdateTable", NAMED("Alone"), "WarmThroughput or TableClass is required");
    assert_answer("UpdateTable", "{'TableName':'Alone','SSESpecification':{'Enabled':true}}",
                  ":alias/aws/dynamodb'");
    assert_answer("UpdateTable",
                  "{'TableName':'Alone','OnDemandThroughput':{'MaxReadRequestUnits':9}}",
                  "'MaxReadRequestUnits':9");
    assert_no_answer("UpdateTable",
                     "{'TableName':'Alone','OnDemandThroughput':{'MaxReadRequestUnits':-1}}",
                     "OnDemandThroughput");
}

static void an_index_needs_definitions_in_its_own_request(void **state)
{
    (void)state;
    api_call("CreateTable", PLAIN("Own"), NULL);
    assert_refused("UpdateTable",
                   "{'TableName':'Own','GlobalSecondaryIndexUpdates':[{'Create':{"
                   "'IndexName':'byPk'," ALL "," HASH_PK "}}]}",
                   "ValidationException",
                   INVALID "AttributeDefinitions is not specified for index: byPk");
    assert_refused("UpdateTable",
                   "{'TableName':'Own','AttributeDefinitions':[{'AttributeName':'y',"
                   "'AttributeType':'S'}],'GlobalSecondaryIndexUpdates':[{'Create':{"
                   "'IndexName':'byPk'," ALL "," HASH_PK "}}]}",
                   "ValidationException",
                   INVALID "Some index key attributes are not defined in AttributeDefinitions. "
                           "Keys: [pk], AttributeDefinitions: [y]");
    assert_answer("UpdateTable",
                  "{'TableName':'Own','AttributeDefinitions':[{'AttributeName':'pk',"
                  "'AttributeType':'N'},{'AttributeName':'y','AttributeType':'S'}],"
                  "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byPk'," ALL "," HASH_PK
                  "}}]}",
                  "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}]");
    assert_becomes("Own", "'IndexStatus':'ACTIVE'");
}

static void index_names_differ(void **state)
{
    (void)state;
    assert_refused("CreateTable",
                   "{'TableName':'Twice'," PK_SK_X "," ON_DEMAND
                   ",'GlobalSecondaryIndexes':[{'IndexName':'same'," ALL "," HASH_X "},"
                   "{'IndexName':'same'," ALL "," HASH_X "}]}",
                   "ValidationException", INVALID "Duplicate index name: same");
}

static void global_indexes_come_and_go(void **state)
{
    static const char create[] =
        "{'TableName':'Grow','AttributeDefinitions':["
        "{'AttributeName':'x','AttributeType':'N'}],"
        "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byX'," ALL "," HASH_X "}}]}";
    static const char drop[] = "{'TableName':'Grow','GlobalSecondaryIndexUpdates':"
                               "[{'Delete':{'IndexName':'byX'}}]}";

    (void)state;
    api_call("CreateTable", PLAIN("Grow"), NULL);
    assert_refused("UpdateTable", drop, "ResourceNotFoundException",
                   "Requested resource not found");
    assert_answer("UpdateTable", create, "'IndexStatus':'CREATING'");
    assert_becomes("Grow", "'IndexStatus':'ACTIVE'");
    assert_answer("DescribeTable", NAMED("Grow"), "{'AttributeName':'x','AttributeType':'N'}");
    assert_refused("UpdateTable", create, "ValidationException",
                   "Attempting to create an index which already exists");
    assert_answer("UpdateTable", drop, "'TableStatus':'UPDATING'");
    assert_no_answer("DescribeTable", NAMED("Grow"), "GlobalSecondaryIndexes");
    assert_no_answer("DescribeTable", NAMED("Grow"), "{'AttributeName':'x'");
}

static void one_index_at_a_time(void **state)
{
    (void)state;
    api_call("CreateTable", PLAIN("OneAtATime"), NULL);
    assert_refused("UpdateTable",
                   "{'TableName':'OneAtATime','GlobalSecondaryIndexUpdates':["
                   "{'Delete':{'IndexName':'one'}},{'Delete':{'IndexName':'two'}}]}",
                   "LimitExceededException",
                   "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                   "simultaneously per table");
}

static void protected_tables_stay(void **state)
{
    (void)state;
    assert_answer("CreateTable",
                  "{'TableName':'Keep'," PK_S "," HASH_PK "," ON_DEMAND
                  ",'DeletionProtectionEnabled':true}",
                  "'DeletionProtectionEnabled':true");
    assert_answer("DeleteTable", NAMED("Keep"), "currently protected against deletion");
    api_call("UpdateTable", "{'TableName':'Keep','DeletionProtectionEnabled':false}", NULL);
    assert_answer("DeleteTable", NAMED("Keep"), "'TableStatus':'DELETING'");
}

static void streams_and_classes_are_echoed(void **state)
{
    (void)state;
    assert_answer("CreateTable",
                  "{'TableName':'Echo'," PK_S "," HASH_PK "," ON_DEMAND
                  ",'TableClass':'STANDARD_INFREQUENT_ACCESS','StreamSpecification':"
                  "{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'},"
                  "'OnDemandThroughput':{'MaxReadRequestUnits':7}}",
                  "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'}");
    assert_answer("DescribeTable", NAMED("Echo"), ":table/Echo/stream/");
    assert_answer("DescribeTable", NAMED("Echo"),
                  "'TableClassSummary':{'TableClass':'STANDARD_INFREQUENT_ACCESS'}");
    assert_answer("DescribeTable", NAMED("Echo"),
                  "'OnDemandThroughput':{'MaxReadRequestUnits':7,'MaxWriteRequestUnits':-1}");
    assert_answer("UpdateTable",
                  "{'TableName':'Echo','StreamSpecification':{'StreamEnabled':false}}",
                  "'LatestStreamLabel'");
    assert_no_answer("DescribeTable", NAMED("Echo"), "'StreamSpecification'");
}

static void requests_that_cannot_be_read_are_refused(void **state)
{
    int http_status;

    (void)state;
    assert_answer("NoSuchOperation", "{}", "#UnknownOperationException'");
    assert_answer("ListTables", "{", "#SerializationException'");
    assert_answer("ListTables", "[]", "#SerializationException'");
    assert_refused("DescribeTable", "{}", "ValidationException",
                   "The parameter 'TableName' is required but was not present in the request");
    api_call("DescribeLimits", "{}", &http_status);
    assert_int_equal(http_status, 200);
    assert_answer("DescribeEndpoints", "{}", "'Address':'localhost:8000'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_active_once_created),
        cmocka_unit_test(a_deleted_table_is_gone),
        cmocka_unit_test(tenants_do_not_see_each_other),
        cmocka_unit_test(an_arn_names_a_table_of_its_account_alone),
        cmocka_unit_test(lists_page_by_name),
        cmocka_unit_test(billing_and_throughput_must_agree),
        cmocka_unit_test(throughput_changes),
        cmocka_unit_test(keys_must_be_defined_and_definitions_used),
        cmocka_unit_test(local_indexes_share_the_partition_key),
        cmocka_unit_test(global_indexes_may_have_many_key_parts),
        cmocka_unit_test(what_must_stand_alone_stands_alone),
        cmocka_unit_test(an_index_needs_definitions_in_its_own_request),
        cmocka_unit_test(index_names_differ),
        cmocka_unit_test(global_indexes_come_and_go),
        cmocka_unit_test(one_index_at_a_time),
        cmocka_unit_test(protected_tables_stay),
        cmocka_unit_test(streams_and_classes_are_echoed),
        cmocka_unit_test(requests_that_cannot_be_read_are_refused),
    };

    return cmocka_run_group_tests(tests, api_set_up, api_tear_down);
}
