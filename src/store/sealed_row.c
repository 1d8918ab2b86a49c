/* Sealing on the way into a batch: see sealed_row.h. */
#include "store/sealed_row.h"

#include "base/check.h"
#include "model/row.h"

void sealed_row_put(struct kv_batch *batch, const struct scope *scope, const struct key *key,
                    struct slice body)
{
    struct buf row;

    buf_init(&row, ROW_HEADER_SIZE_BYTES + body.n);
    row_seal(&row, body, 0);
    CHECK(buf_status(&row) == ST_OK);
    kv_batch_put(batch, scope, key_slice(key), buf_slice(&row));
    buf_deinit(&row);
}
