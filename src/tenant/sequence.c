/* Allocators of ids: see sequence.h. */
#include "tenant/sequence.h"

#include "base/encode.h"
#include "model/key.h"
#include "model/row.h"
#include "store/sealed_row.h"

#define SEQUENCE_BODY_SIZE_BYTES 8

static void sequence_key(struct key *key, struct slice name)
{
    key_begin(key, KEY_SPACE_SEQUENCE);
    key_add_bytes(key, name);
}

static enum status decode(struct slice row, uint64_t *ret_next)
{
    struct slice body;
    uint32_t size_aws;

    TRY(row_open(row, &body, &size_aws));
    if (body.n != SEQUENCE_BODY_SIZE_BYTES)
        return ST_CORRUPT;
    *ret_next = get_le64(body.p);
    return ST_OK;
}

enum status sequence_read(const struct scope *scope, struct slice name, uint64_t *ret_next)
{
    struct kv_value value = {0};
    struct key key;
    enum status status;

    sequence_key(&key, name);
    status = kv_get(scope, NULL, KV_MAY_BLOCK, key_slice(&key), &value);
    if (status == ST_NOT_FOUND) {
        *ret_next = 1;
        return ST_OK;
    }
    if (status == ST_OK)
        status = decode(value.bytes, ret_next);
    kv_value_release(&value);
    return status;
}

void sequence_put(const struct scope *scope, struct slice name, uint64_t next,
                  struct kv_batch *batch)
{
    uint8_t body[SEQUENCE_BODY_SIZE_BYTES];
    struct key key;

    put_le64(body, next);
    sequence_key(&key, name);
    sealed_row_put(batch, scope, &key, slice_of(body, sizeof(body)));
}
