/* Reading one item. */
#include "engine/engine.h"
#include "model/row.h"

enum status engine_get(const struct scope *scope, const struct table *table,
                       const struct kv_snapshot *snapshot, enum kv_mode mode, struct item key,
                       struct item_read *ret_read)
{
    struct item_read read = {0};
    struct slice body;
    struct key row_key;
    enum status status;

    table_item_key(table, key, &row_key);
    status = kv_get(scope, snapshot, mode, key_slice(&row_key), &read.pin);
    if (status == ST_NOT_FOUND) {
        *ret_read = read;
        return ST_OK;
    }
    TRY(status);
    status = row_open(read.pin.bytes, &body, &read.size_bytes);
    if (status != ST_OK) {
        kv_value_release(&read.pin);
        return status;
    }
    read.item = (struct item){body};
    *ret_read = read;
    return ST_OK;
}
