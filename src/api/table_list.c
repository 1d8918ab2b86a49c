/* ListTables. */
#include "api/request.h"
#include "api/response.h"
#include "api/table_operations.h"
#include "json/attribute.h"

#define LIMIT_DEFAULT 100

static void append_names(struct buf *buf, const struct slice *names, uint32_t count, bool more)
{
    buf_append_byte(buf, '{');
    response_name(buf, "TableNames");
    buf_append_byte(buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        response_comma(buf);
        json_append_string(buf, names[i]);
    }
    buf_append_byte(buf, ']');
    if (more)
        response_text(buf, "LastEvaluatedTableName", names[count - 1]);
    buf_append_byte(buf, '}');
}

enum turn table_list_begin(struct call *call)
{
    struct slice after = request_string(call, call->request, "ExclusiveStartTableName");
    uint32_t limit = (uint32_t)request_int(call->request, "Limit", LIMIT_DEFAULT);
    struct slice *names = NULL;
    uint32_t count = 0;
    bool more = false;
    enum status status;

    status = engine_list_tables(call->config->engine, call->scope, after, limit, &call->arena,
                                &names, &count, &more);
    if (status != ST_OK)
        return request_fail(call, status);
    append_names(&call->response, names, count, more && count > 0);
    return TURN_DONE;
}
