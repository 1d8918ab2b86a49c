/* DeleteTable. */
#include "api/request.h"
#include "api/table_change.h"
#include "api/table_operations.h"

static enum status alter(struct table_change *change, const struct table *current,
                         struct table_spec *ret_next)
{
    (void)ret_next;
    if (current->deletion_protected)
        return error_set(&change->error, ERROR_VALIDATION,
                         "Resource cannot be deleted as it is currently protected against "
                         "deletion. Disable deletion protection first.");
    for (uint32_t i = 0; i < current->index_count; i++) {
        if (current->indexes[i].status == INDEX_CREATING)
            return error_set(&change->error, ERROR_RESOURCE_IN_USE,
                             "Attempt to change a resource which is still in use: Table is being "
                             "updated: %" PRISLICE,
                             SLICE_ARG(current->name));
    }
    return ST_OK;
}

enum turn table_delete_begin(struct call *call)
{
    struct table_change *change = ARENA_NEW(&call->arena, struct table_change);
    enum status status;
    struct table *table;
    struct slice name;

    call->state = change;
    if (table_change_name(call, &name) != ST_OK)
        return TURN_DONE;
    status = request_find_table(call, request_member(call->request, "TableName"), LOOKUP_FOR_TABLE,
                                &table);
    if (status != ST_OK)
        return request_fail(call, status);
    return table_change_submit(call, change, TABLE_DROP, name, alter);
}

enum turn table_delete_resume(struct call *call)
{
    return table_change_answer(call, call->state, TABLE_DELETING);
}
