/*
 * crash-plant DIR FAULT [TENANT]: damages a store, so that tests can see it refused or reported.
 *
 *   newer-format      the format row says that a newer version wrote the store
 *   lost-index-row    the tenant's first index row is gone
 *   lost-item         the tenant's first item is gone, its index rows and counts are not
 *
 * Exit status: 0 done, 1 not done.
 */
#include <stdio.h>
#include <string.h>

#include "base/encode.h"
#include "engine/format.h"
#include "model/key.h"
#include "model/row.h"
#include "store/kv.h"
#include "tenant/registry.h"

#define INDEX_OFFSET 5 /* in a row's key: space, table, index */

static enum status write_batch(struct kv *store, struct kv_batch *batch)
{
    enum status status = kv_write(store, batch, true);

    kv_batch_free(batch);
    return status;
}

static enum status read_format(const struct scope *system, struct slice key, struct buf *body)
{
    struct kv_value value = {0};
    struct slice found = SLICE_EMPTY;
    uint32_t size_aws;
    enum status status = kv_get(system, NULL, KV_MAY_BLOCK, key, &value);

    if (status == ST_OK)
        status = row_open(value.bytes, &found, &size_aws);
    if (status == ST_OK)
        buf_append_slice(body, found);
    kv_value_release(&value);
    return status;
}

/* The version is what the body begins with. */
static enum status plant_newer_format(struct kv *store, const struct scope *system)
{
    uint8_t newer[4];
    struct buf body, row;
    struct kv_batch *batch;
    struct key key;
    enum status status;

    buf_init(&body, 256);
    buf_init(&row, 256);
    put_le32(newer, STORE_FORMAT_VERSION + 1);
    key_begin(&key, KEY_SPACE_STORE);
    key_add_bytes(&key, SLICE_LIT("format"));
    status = read_format(system, key_slice(&key), &body);
    if (status == ST_OK) {
        memcpy(body.p, newer, sizeof(newer));
        row_seal(&row, buf_slice(&body), 0);
        batch = kv_batch_new(store);
        kv_batch_put(batch, system, key_slice(&key), buf_slice(&row));
        status = write_batch(store, batch);
    }
    buf_deinit(&row);
    buf_deinit(&body);
    return status;
}

static bool is_index_row(struct slice key)
{
    return get_be16(key.p + INDEX_OFFSET) > 0;
}

/* Removes the first row of the tenant that is one of an index, or is one of an item. */
static enum status lose_row(struct kv *store, const struct scope *scope, bool of_index)
{
    struct key lower;
    struct kv_iter *iter;
    struct kv_batch *batch = kv_batch_new(store);
    enum status status;

    key_begin(&lower, KEY_SPACE_DATA);
    iter = kv_iter_new(scope, NULL, KV_MAY_BLOCK, key_slice(&lower), SLICE_EMPTY);
    status = kv_iter_seek(iter, SLICE_EMPTY);
    while (status == ST_OK && is_index_row(kv_iter_key(iter)) != of_index)
        status = kv_iter_next(iter);
    if (status == ST_OK && kv_iter_key(iter).p[0] != KEY_SPACE_DATA)
        status = ST_NOT_FOUND;
    if (status == ST_OK)
        kv_batch_delete(batch, scope, kv_iter_key(iter));
    kv_iter_free(iter);
    if (status == ST_OK)
        return write_batch(store, batch);
    kv_batch_free(batch);
    return status;
}

static enum status plant(struct kv *store, const char *fault, const char *tenant_id)
{
    struct registry *registry;
    const struct tenant *tenant;
    enum status status = ST_INVALID;

    TRY(registry_open(store, &registry));
    tenant = registry_find(registry, slice_cstr(tenant_id));
    if (strcmp(fault, "newer-format") == 0)
        status = plant_newer_format(store, registry_system_scope(registry));
    else if (tenant != NULL && strcmp(fault, "lost-index-row") == 0)
        status = lose_row(store, tenant->scope, true);
    else if (tenant != NULL && strcmp(fault, "lost-item") == 0)
        status = lose_row(store, tenant->scope, false);
    registry_close(registry);
    return status;
}

int main(int argc, char **argv)
{
    struct kv_rocks_options options = {.path = argc < 3 ? "" : argv[1]};
    const char *reason = "";
    struct kv *store;
    enum status status;

    if (argc < 3 || kv_open_rocks(&options, &store, &reason) != ST_OK) {
        (void)fprintf(stderr, "usage: crash-plant DIR FAULT [TENANT] %s\n", reason);
        return 1;
    }
    status = plant(store, argv[2], argc > 3 ? argv[3] : "");
    kv_close(store);
    if (status != ST_OK)
        (void)fprintf(stderr, "crash-plant: %s: %s\n", argv[2], status_name(status));
    return status == ST_OK ? 0 : 1;
}
