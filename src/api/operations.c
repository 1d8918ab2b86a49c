/*
 * All operations, one row each. What is true of one operation alone (what its input looks like, how
 * its errors are worded) stands in its row and nowhere else.
 *
 * Sorted by name; operation_find depends on it.
 */
#include "api/call.h"
#include "api/facts.h"
#include "api/item_operations.h"
#include "api/table_operations.h"

#include <stdlib.h>

static const struct operation operations[] = {
    {"BatchGetItem", batch_get_begin, batch_get_resume, &facts_batch_get_item, LAYER_BARE},
    {"BatchWriteItem", batch_write_begin, batch_write_resume, &facts_batch_write_item, LAYER_OLDER},
    {"CreateTable", table_create_begin, table_create_resume, &facts_create_table, LAYER_OLDER},
    {"DeleteItem", item_delete_begin, item_write_resume, &facts_delete_item, LAYER_ENVELOPED},
    {"DeleteTable", table_delete_begin, table_delete_resume, &facts_delete_table, LAYER_OLDER},
    {"DescribeEndpoints", endpoints_describe_begin, NULL, &facts_describe_endpoints, LAYER_OLDER},
    {"DescribeLimits", limits_describe_begin, NULL, &facts_describe_limits, LAYER_OLDER},
    {"DescribeTable", table_describe_begin, NULL, &facts_describe_table, LAYER_OLDER},
    {"GetItem", item_get_begin, item_get_resume, &facts_get_item, LAYER_BARE},
    {"ListTables", table_list_begin, NULL, &facts_list_tables, LAYER_OLDER},
    {"PutItem", item_put_begin, item_write_resume, &facts_put_item, LAYER_ENVELOPED},
    {"Query", query_begin, range_resume, &facts_query, LAYER_BARE},
    {"Scan", scan_begin, range_resume, &facts_scan, LAYER_OLDER},
    {"TransactGetItems", transact_get_begin, transact_get_resume, &facts_transact_get_items,
     LAYER_OLDER},
    {"TransactWriteItems", transact_write_begin, transact_write_resume, &facts_transact_write_items,
     LAYER_OLDER},
    {"UpdateItem", item_update_begin, item_write_resume, &facts_update_item, LAYER_ENVELOPED},
    {"UpdateTable", table_update_begin, table_update_resume, &facts_update_table, LAYER_OLDER},
};

static int compare_name(const void *name, const void *operation)
{
    return slice_compare(*(const struct slice *)name,
                         slice_cstr(((const struct operation *)operation)->name));
}

const struct operation *operation_find(struct slice name)
{
    return bsearch(&name, operations, sizeof(operations) / sizeof(operations[0]),
                   sizeof(operations[0]), compare_name);
}
