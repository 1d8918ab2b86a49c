/* DescribeLimits and DescribeEndpoints. The numbers are AWS's defaults; none is enforced yet. */
#include "api/response.h"
#include "api/table_operations.h"

#define ACCOUNT_UNITS_MAX 80000
#define TABLE_UNITS_MAX 40000
#define CACHE_PERIOD_MINUTES 1440

enum turn limits_describe_begin(struct call *call)
{
    struct buf *buf = &call->response;

    buf_append_byte(buf, '{');
    response_int(buf, "AccountMaxReadCapacityUnits", ACCOUNT_UNITS_MAX);
    response_int(buf, "AccountMaxWriteCapacityUnits", ACCOUNT_UNITS_MAX);
    response_int(buf, "TableMaxReadCapacityUnits", TABLE_UNITS_MAX);
    response_int(buf, "TableMaxWriteCapacityUnits", TABLE_UNITS_MAX);
    buf_append_byte(buf, '}');
    return TURN_DONE;
}

enum turn endpoints_describe_begin(struct call *call)
{
    struct buf *buf = &call->response;

    BUF_APPEND_LIT(buf, "{\"Endpoints\":[{");
    response_text(buf, "Address", slice_cstr(call->config->address));
    response_int(buf, "CachePeriodInMinutes", CACHE_PERIOD_MINUTES);
    BUF_APPEND_LIT(buf, "}]}");
    return TURN_DONE;
}
