/*
 * All operations, one row each. What is true of one operation alone (who may call it, what its
 * input looks like, how its errors are worded) stands in its row and nowhere else.
 *
 * Sorted by name; operation_find depends on it.
 */
#include "api/call.h"
#include "api/facts.h"
#include "api/table_operations.h"

#include <stdlib.h>

static const struct operation operations[] = {
    {"CreateTable", table_create_begin, table_create_resume, ACCESS_TABLE, &facts_create_table,
     LAYER_OLDER},
    {"DeleteTable", table_delete_begin, table_delete_resume, ACCESS_TABLE, &facts_delete_table,
     LAYER_OLDER},
    {"DescribeEndpoints", endpoints_describe_begin, NULL, ACCESS_NONE, &facts_describe_endpoints,
     LAYER_OLDER},
    {"DescribeLimits", limits_describe_begin, NULL, ACCESS_NONE, &facts_describe_limits,
     LAYER_OLDER},
    {"DescribeTable", table_describe_begin, NULL, ACCESS_TABLE, &facts_describe_table, LAYER_OLDER},
    {"ListTables", table_list_begin, NULL, ACCESS_TABLE, &facts_list_tables, LAYER_OLDER},
    {"UpdateTable", table_update_begin, table_update_resume, ACCESS_TABLE, &facts_update_table,
     LAYER_OLDER},
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
