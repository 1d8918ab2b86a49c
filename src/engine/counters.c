/*
 * Counters and their deltas: see counters.h. The committer adds up a batch's changes; whoever
 * completes the batch commits or drops them; the fold runs on the committer between batches.
 *
 * Invariant: counter row + deltas of all durable batches since = what a full count would give.
 */
#include "engine/counters.h"

#include <uthash.h>

#include "base/check.h"
#include "base/encode.h"
#include "base/memory.h"
#include "model/row.h"
#include "store/sealed_row.h"
#include "tenant/registry.h"

#define COUNTER_BODY_SIZE_BYTES 16
#define COUNTER_CHANGE_SIZE_BYTES 30 /* one change in a delta row */

struct counters *counters_new(const struct scope *scope, uint32_t table, uint16_t index)
{
    struct counters *counters = MEM_NEW(struct counters);

    counters->scope = scope;
    counters->table = table;
    counters->index = index;
    atomic_init(&counters->refs, 1);
    return counters;
}

void counters_ref(struct counters *counters)
{
    atomic_fetch_add_explicit(&counters->refs, 1, memory_order_relaxed);
}

void counters_unref(struct counters *counters)
{
    if (counters != NULL &&
        atomic_fetch_sub_explicit(&counters->refs, 1, memory_order_acq_rel) == 1)
        mem_free(counters);
}

void counters_add(struct counters *counters, int64_t item_count, int64_t size_bytes)
{
    atomic_fetch_add(&counters->item_count, item_count);
    atomic_fetch_add(&counters->size_bytes, size_bytes);
}

static void counter_key(struct key *key, uint32_t table, uint16_t index)
{
    key_begin(key, KEY_SPACE_COUNTER);
    key_add_be32(key, table);
    key_add_be16(key, index);
}

static enum status read_counters(struct counters *counters, struct slice row)
{
    struct slice body;
    uint32_t size_aws;

    TRY(row_open(row, &body, &size_aws));
    if (body.n != COUNTER_BODY_SIZE_BYTES)
        return ST_CORRUPT;
    atomic_store(&counters->item_count, (int64_t)get_le64(body.p));
    atomic_store(&counters->size_bytes, (int64_t)get_le64(body.p + 8));
    return ST_OK;
}

enum status counters_load(const struct scope *scope, uint32_t table, uint16_t index,
                          struct counters **ret_counters)
{
    struct counters *counters = counters_new(scope, table, index);
    struct kv_value value = {0};
    struct key key;
    enum status status;

    counter_key(&key, table, index);
    status = kv_get(scope, NULL, KV_MAY_BLOCK, key_slice(&key), &value);
    if (status == ST_OK)
        status = read_counters(counters, value.bytes);
    kv_value_release(&value);
    if (status != ST_OK && status != ST_NOT_FOUND) {
        counters_unref(counters);
        return status;
    }
    *ret_counters = counters;
    return ST_OK;
}

static void put_counters(const struct counters *counters, struct kv_batch *batch)
{
    uint8_t body[COUNTER_BODY_SIZE_BYTES];
    struct key key;

    put_le64(body, (uint64_t)atomic_load(&counters->item_count));
    put_le64(body + 8, (uint64_t)atomic_load(&counters->size_bytes));
    counter_key(&key, counters->table, counters->index);
    sealed_row_put(batch, counters->scope, &key, slice_of(body, sizeof(body)));
}

/* ---- Deltas ---- */

static struct counter_change *change_of(struct counter_delta *delta, struct counters *counters)
{
    if (counters->delta_sequence == delta->sequence)
        return &delta->changes[counters->delta_slot];
    if (delta->count == delta->capacity) {
        delta->capacity = delta->capacity == 0 ? 64 : delta->capacity * 2;
        delta->changes =
            mem_realloc(delta->changes, delta->capacity * sizeof(struct counter_change));
    }
    counters_ref(counters);
    counters->delta_sequence = delta->sequence;
    counters->delta_slot = delta->count;
    delta->changes[delta->count] = (struct counter_change){.counters = counters};
    return &delta->changes[delta->count++];
}

void counter_delta_add(struct counter_delta *delta, struct counters *counters, int64_t item_count,
                       int64_t size_bytes)
{
    struct counter_change *change;

    if (item_count == 0 && size_bytes == 0)
        return;
    change = change_of(delta, counters);
    change->item_count += item_count;
    change->size_bytes += size_bytes;
}

static void delta_key(struct key *key, uint64_t sequence)
{
    key_begin(key, KEY_SPACE_DELTA);
    key_add_be64(key, sequence);
}

static void encode_change(const struct counter_change *change, uint8_t *p)
{
    put_le64(p, scope_tenant_number(change->counters->scope));
    put_le32(p + 8, change->counters->table);
    put_le16(p + 12, change->counters->index);
    put_le64(p + 14, (uint64_t)change->item_count);
    put_le64(p + 22, (uint64_t)change->size_bytes);
}

enum status counter_delta_next(struct slice body, size_t *at, struct stored_change *ret_change)
{
    const uint8_t *p = body.p + *at;

    if (*at == body.n)
        return ST_NOT_FOUND;
    if (body.n - *at < COUNTER_CHANGE_SIZE_BYTES)
        return ST_CORRUPT;
    *ret_change = (struct stored_change){
        .tenant_number = get_le64(p),
        .table = get_le32(p + 8),
        .index = get_le16(p + 12),
        .item_count = (int64_t)get_le64(p + 14),
        .size_bytes = (int64_t)get_le64(p + 22),
    };
    *at += COUNTER_CHANGE_SIZE_BYTES;
    return ST_OK;
}

void counter_delta_put(const struct counter_delta *delta, const struct scope *system,
                       struct kv_batch *batch)
{
    uint8_t encoded[COUNTER_CHANGE_SIZE_BYTES];
    struct key key;
    struct buf body;

    if (delta->count == 0)
        return;
    buf_init(&body, (size_t)delta->count * COUNTER_CHANGE_SIZE_BYTES);
    for (uint32_t i = 0; i < delta->count; i++) {
        encode_change(&delta->changes[i], encoded);
        buf_append(&body, encoded, sizeof(encoded));
    }
    CHECK(buf_status(&body) == ST_OK);
    delta_key(&key, delta->sequence);
    sealed_row_put(batch, system, &key, buf_slice(&body));
    buf_deinit(&body);
}

static void mark_dirty(struct counter_fold *fold, struct counters *counters)
{
    if (counters->dirty)
        return;
    counters_ref(counters);
    counters->dirty = true;
    counters->next_dirty = fold->dirty;
    fold->dirty = counters;
}

void counter_delta_commit(struct counter_delta *delta, struct counter_fold *fold)
{
    if (delta->count == 0)
        return;
    if (fold->dirty == NULL)
        fold->first_sequence = delta->sequence;
    fold->last_sequence = delta->sequence;
    for (uint32_t i = 0; i < delta->count; i++) {
        struct counter_change *change = &delta->changes[i];

        counters_add(change->counters, change->item_count, change->size_bytes);
        mark_dirty(fold, change->counters);
    }
    counter_delta_drop(delta);
}

void counter_delta_drop(struct counter_delta *delta)
{
    for (uint32_t i = 0; i < delta->count; i++)
        counters_unref(delta->changes[i].counters);
    delta->count = 0;
}

/* ---- Folding ---- */

bool counter_fold_put(const struct counter_fold *fold, const struct scope *system,
                      struct kv_batch *batch)
{
    struct key key;

    if (fold->dirty == NULL)
        return false;
    for (const struct counters *c = fold->dirty; c != NULL; c = c->next_dirty)
        put_counters(c, batch);
    for (uint64_t s = fold->first_sequence; s <= fold->last_sequence; s++) {
        delta_key(&key, s);
        kv_batch_delete(batch, system, key_slice(&key));
    }
    return true;
}

void counter_fold_done(struct counter_fold *fold)
{
    while (fold->dirty != NULL) {
        struct counters *counters = fold->dirty;

        fold->dirty = counters->next_dirty;
        counters->dirty = false;
        counters_unref(counters);
    }
}

/* ---- Recovery ---- */

struct recovered {
    struct {
        uint64_t tenant_number;
        uint64_t table_and_index;
    } id;
    struct counters *counters;
    UT_hash_handle hh;
};

struct recovery {
    struct registry *registry;
    struct recovered *all;
    struct kv_batch *batch;
    uint64_t last_sequence;
};

static enum status recovered_counters(struct recovery *recovery, const struct stored_change *change,
                                      struct counters **ret_counters)
{
    struct recovered *recovered = NULL, wanted;
    struct tenant *tenant;

    memset(&wanted, 0, sizeof(wanted));
    wanted.id.tenant_number = change->tenant_number;
    wanted.id.table_and_index = (uint64_t)change->table << 16 | change->index;
    HASH_FIND(hh, recovery->all, &wanted.id, sizeof(wanted.id), recovered);
    if (recovered != NULL) {
        *ret_counters = recovered->counters;
        return ST_OK;
    }
    tenant = registry_find_number(recovery->registry, change->tenant_number);
    if (tenant == NULL)
        return ST_CORRUPT;
    TRY(counters_load(tenant->scope, change->table, change->index, ret_counters));
    recovered = MEM_NEW(struct recovered);
    recovered->id = wanted.id;
    recovered->counters = *ret_counters;
    HASH_ADD(hh, recovery->all, id, sizeof(recovered->id), recovered);
    return ST_OK;
}

static enum status recover_row(struct recovery *recovery, struct slice row)
{
    struct stored_change change;
    struct counters *counters;
    enum status status;
    struct slice body;
    uint32_t size_aws;
    size_t at = 0;

    TRY(row_open(row, &body, &size_aws));
    while ((status = counter_delta_next(body, &at, &change)) == ST_OK) {
        TRY(recovered_counters(recovery, &change, &counters));
        counters_add(counters, change.item_count, change.size_bytes);
    }
    return status == ST_NOT_FOUND ? ST_OK : status;
}

static enum status recover_rows(struct recovery *recovery, const struct scope *system)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_DELTA);
    iter = kv_iter_new_prefix(system, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        struct slice key = kv_iter_key(iter);

        status = key.n == 9 ? recover_row(recovery, kv_iter_value(iter)) : ST_CORRUPT;
        if (status != ST_OK)
            break;
        recovery->last_sequence = get_be64(key.p + 1);
        kv_batch_delete(recovery->batch, system, key);
    }
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

enum status counter_recover(struct registry *registry, struct kv *store, uint64_t *ret_sequence)
{
    struct recovery recovery = {.registry = registry, .batch = kv_batch_new(store)};
    struct recovered *recovered, *next;
    enum status status = recover_rows(&recovery, registry_system_scope(registry));

    HASH_ITER(hh, recovery.all, recovered, next)
    {
        put_counters(recovered->counters, recovery.batch);
        counters_unref(recovered->counters);
        HASH_DEL(recovery.all, recovered);
        mem_free(recovered);
    }
    if (status == ST_OK && kv_batch_count(recovery.batch) > 0)
        status = kv_write(store, recovery.batch, true);
    kv_batch_free(recovery.batch);
    if (status == ST_OK)
        *ret_sequence = recovery.last_sequence + 1;
    return status;
}
