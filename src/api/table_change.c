/*
 * A call waits for its change of the catalogue as a write waits for its batch: it belongs to the
 * committer until it is woken.
 */
#include "api/table_change.h"

#include "api/request.h"

enum status table_change_name(struct call *call, struct slice *ret_name)
{
    struct json name = request_member(call->request, "TableName");

    if (json_type(name) != JSON_STRING)
        return error_set(&call->error, ERROR_VALIDATION,
                         "The parameter 'TableName' is required but was not present in the "
                         "request");
    *ret_name = request_table_name(call, name);
    return ST_OK;
}

static void wake_call(struct table_change *change)
{
    struct call *call = change->user;

    call->wake(call);
}

enum turn table_change_submit(struct call *call, struct table_change *change,
                              enum table_change_kind kind, struct slice name,
                              enum status (*alter)(struct table_change *, const struct table *,
                                                   struct table_spec *))
{
    *change = (struct table_change){
        .kind = kind,
        .arena = &call->arena,
        .scope = call->scope,
        .tenant_id = call->tenant_id,
        .name = name,
        .alter = alter,
        .done = wake_call,
        .user = call,
    };
    error_init(&change->error, &call->arena);
    engine_change_table(call->config->engine, change);
    return TURN_WAITING;
}

static void refuse(struct call *call, const struct table_change *change)
{
    switch (change->status) {
    case ST_REFUSED:
        (void)error_set(&call->error, change->error.code, "%" PRISLICE,
                        SLICE_ARG(change->error.message));
        return;
    case ST_EXISTS:
        (void)error_set(&call->error, ERROR_RESOURCE_IN_USE, "Table already exists: %" PRISLICE,
                        SLICE_ARG(change->name));
        return;
    case ST_NOT_FOUND:
        (void)error_set(&call->error, ERROR_RESOURCE_NOT_FOUND,
                        "Requested resource not found: Table: %" PRISLICE " not found",
                        SLICE_ARG(change->name));
        return;
    default:
        request_fail(call, change->status);
    }
}

enum turn table_change_answer(struct call *call, struct table_change *change,
                              enum table_state state)
{
    if (change->status != ST_OK) {
        refuse(call, change);
        return TURN_DONE;
    }
    request_hold_table(call, change->table);
    BUF_APPEND_LIT(&call->response, "{\"TableDescription\":");
    table_description_append(&call->response, call->config, change->table, state);
    buf_append_byte(&call->response, '}');
    return TURN_DONE;
}
