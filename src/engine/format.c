/* The format row: written once, checked at each open, so that an older server keeps its hands off.
 */
#include "engine/format.h"

#include "base/encode.h"
#include "base/random.h"
#include "model/key.h"
#include "model/row.h"
#include "store/sealed_row.h"

#define FORMAT_BODY_SIZE_BYTES 16

static void format_key(struct key *key)
{
    key_begin(key, KEY_SPACE_STORE);
    key_add_bytes(key, SLICE_LIT("format"));
}

enum status format_check(const struct scope *system)
{
    struct kv_value value = {0};
    struct slice body = SLICE_EMPTY;
    uint32_t size_aws;
    struct key key;
    enum status status;

    format_key(&key);
    status = kv_get(system, NULL, KV_MAY_BLOCK, key_slice(&key), &value);
    if (status == ST_OK)
        status = row_open(value.bytes, &body, &size_aws);
    if (status == ST_OK && body.n < 4)
        status = ST_CORRUPT;
    if (status == ST_OK && get_le32(body.p) > STORE_FORMAT_VERSION)
        status = ST_VERSION;
    kv_value_release(&value);
    return status;
}

static enum status write_row(struct kv *store, const struct scope *system,
                             const struct clock *clock)
{
    struct kv_batch *batch = kv_batch_new(store);
    uint8_t body[FORMAT_BODY_SIZE_BYTES];
    struct key key;
    enum status status;

    put_le32(body, STORE_FORMAT_VERSION);
    random_bytes(body + 4, 4);
    put_le64(body + 8, (uint64_t)clock_wall_ms(clock));
    format_key(&key);
    sealed_row_put(batch, system, &key, slice_of(body, sizeof(body)));
    status = kv_write(store, batch, true);
    kv_batch_free(batch);
    return status;
}

enum status format_open(struct kv *store, const struct scope *system, const struct clock *clock)
{
    enum status status = format_check(system);

    return status == ST_NOT_FOUND ? write_row(store, system, clock) : status;
}
