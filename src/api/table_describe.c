/* DescribeTable. */
#include "api/request.h"
#include "api/table_change.h"
#include "api/table_operations.h"

enum turn table_describe_begin(struct call *call)
{
    enum status status;
    struct table *table;
    struct slice name;

    if (table_change_name(call, &name) != ST_OK)
        return TURN_DONE;
    status = request_find_table(call, request_member(call->request, "TableName"), LOOKUP_FOR_TABLE,
                                &table);
    if (status != ST_OK)
        return request_fail(call, status);
    BUF_APPEND_LIT(&call->response, "{\"Table\":");
    table_description_append(&call->response, call->config, table, TABLE_ACTIVE);
    buf_append_byte(&call->response, '}');
    return TURN_DONE;
}
