/*
 * Verification: see verify.h. One pass over each tenant's slice in key order; for every item the
 * index rows that it must have are looked up, and at the end the numbers of index rows must agree,
 * so that a row too many shows as well as a row too few.
 */
#include "engine/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/encode.h"
#include "base/memory.h"
#include "engine/counters.h"
#include "engine/dead.h"
#include "engine/format.h"
#include "engine/table.h"
#include "engine/table_codec.h"
#include "model/row.h"
#include "tenant/registry.h"

/* What is expected and what was found of a table (index 0) or an index. */
struct tally {
    int64_t item_count; /* expected of an index: from the items */
    int64_t size_bytes;
    int64_t row_count; /* found */
};

struct checked_table {
    uint32_t id;
    struct table *table;
    struct tally tallies[1 + TABLE_INDEXES_MAX];
    UT_hash_handle hh;
};

struct verify {
    struct kv *store;
    struct registry *registry;
    struct dead_set *dead;
    void (*report)(void *context, struct slice sentence);
    void *context;
    struct verify_totals totals;
    struct arena arena; /* reset with each row */
    /* Of the tenant being checked: */
    const struct tenant *tenant;
    struct checked_table *tables;
    struct buf collection_key; /* COLLECTION row of the one being added up; empty: none */
    int64_t collection_bytes;
    uint64_t collection_count; /* rows of collections that have items */
};

__attribute__((format(printf, 2, 3))) static void fault(struct verify *verify, const char *format,
                                                        ...)
{
    char text[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    verify->totals.faults++;
    if (n > 0)
        verify->report(verify->context,
                       slice_of(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1));
}

static void row_fault(struct verify *verify, struct slice key, const char *what)
{
    char hex[2 * 64 + 1];
    size_t n = key.n < 64 ? key.n : 64;

    hex_encode(key.p, n, hex);
    hex[2 * n] = '\0';
    fault(verify, "tenant %" PRISLICE ", key %s%s: %s", SLICE_ARG(verify->tenant->id), hex,
          n < key.n ? "..." : "", what);
}

/* ---- Item collections ---- */

static void end_collection(struct verify *verify)
{
    struct kv_value value = {0};
    struct slice body, key = buf_slice(&verify->collection_key);
    uint32_t size_aws;
    int64_t stored = 0;

    if (key.n == 0)
        return;
    if (kv_get(verify->tenant->scope, NULL, KV_MAY_BLOCK, key, &value) == ST_OK)
        verify->collection_count++;
    if (row_open(value.bytes, &body, &size_aws) == ST_OK && body.n == 8)
        stored = (int64_t)get_le64(body.p);
    kv_value_release(&value);
    if (stored != verify->collection_bytes)
        row_fault(verify, key, "the size of the item collection is wrong");
    buf_reset(&verify->collection_key);
}

static void add_to_collection(struct verify *verify, struct checked_table *checked,
                              struct item item, int64_t size_bytes)
{
    struct key key;

    if (!table_has_local_index(checked->table))
        return;
    table_collection_key(checked->table, item, &key);
    if (!slice_equal(key_slice(&key), buf_slice(&verify->collection_key))) {
        end_collection(verify);
        buf_append_slice(&verify->collection_key, key_slice(&key));
        verify->collection_bytes = 0;
    }
    verify->collection_bytes += size_bytes;
}

/* ---- Rows ---- */

static void check_index_of_item(struct verify *verify, struct checked_table *checked,
                                uint32_t position, struct item item, int64_t *local_bytes)
{
    const struct index *index = &checked->table->indexes[position];
    struct tally *tally = &checked->tallies[1 + position];
    struct kv_value value = {0};
    struct item view;
    struct slice body;
    uint32_t size_aws;
    struct key key;
    enum status status;

    if (!table_index_key(checked->table, index, item, &key))
        return;
    view = table_index_item(checked->table, index, item, &verify->arena);
    status = kv_get(verify->tenant->scope, NULL, KV_MAY_BLOCK, key_slice(&key), &value);
    if (status == ST_OK)
        status = row_open(value.bytes, &body, &size_aws);
    if (status == ST_NOT_FOUND && index->status == INDEX_CREATING)
        return;
    if (status != ST_OK)
        row_fault(verify, key_slice(&key), "an item has no row in an index");
    else if (!slice_equal(body, view.payload))
        row_fault(verify, key_slice(&key), "an index row differs from its item");
    kv_value_release(&value);
    tally->item_count++;
    tally->size_bytes += (int64_t)item_size(view);
    if (index->local)
        *local_bytes += (int64_t)item_size(view);
}

static void check_item(struct verify *verify, struct checked_table *checked, struct slice row_key,
                       struct item item, uint32_t size_aws)
{
    int64_t size_bytes = (int64_t)item_size(item);
    struct key key;

    verify->totals.items++;
    checked->tallies[0].row_count++;
    checked->tallies[0].item_count++;
    checked->tallies[0].size_bytes += size_bytes;
    if (size_bytes != size_aws)
        row_fault(verify, row_key, "the size in the row's header is wrong");
    if (item_find(item, checked->table->key.partition[0].name).type !=
            checked->table->key.partition[0].type ||
        (checked->table->key.sort_count > 0 &&
         item_find(item, checked->table->key.sort[0].name).type !=
             checked->table->key.sort[0].type)) {
        row_fault(verify, row_key, "the item lacks a key attribute");
        return;
    }
    table_item_key(checked->table, item, &key);
    if (!slice_equal(key_slice(&key), row_key))
        row_fault(verify, row_key, "the key is not the item's");
    for (uint32_t i = 0; i < checked->table->index_count; i++)
        check_index_of_item(verify, checked, i, item, &size_bytes);
    add_to_collection(verify, checked, item, size_bytes);
}

static struct tally *index_tally(struct checked_table *checked, uint16_t index)
{
    for (uint32_t i = 0; i < checked->table->index_count; i++)
        if (checked->table->indexes[i].id == index)
            return &checked->tallies[1 + i];
    return NULL;
}

static struct checked_table *find_table(struct verify *verify, uint32_t id)
{
    struct checked_table *checked = NULL;

    HASH_FIND(hh, verify->tables, &id, sizeof(id), checked);
    return checked;
}

static void check_data_row(struct verify *verify, struct slice key, struct slice row)
{
    struct checked_table *checked;
    struct tally *tally;
    struct slice body;
    uint32_t size_aws;

    if (dead_set_has_row(verify->dead, verify->tenant->number, key)) {
        verify->totals.dead_rows++;
        return;
    }
    checked = key.n < 9 ? NULL : find_table(verify, get_be32(key.p + 1));
    if (checked == NULL) {
        row_fault(verify, key, "the row belongs to no table");
        return;
    }
    if (row_open(row, &body, &size_aws) != ST_OK || item_validate(body) != ST_OK) {
        row_fault(verify, key, "the value is not a valid item");
        return;
    }
    if (get_be16(key.p + 5) == 0) {
        check_item(verify, checked, key, (struct item){body}, size_aws);
        return;
    }
    tally = index_tally(checked, get_be16(key.p + 5));
    verify->totals.index_rows++;
    if (tally == NULL)
        row_fault(verify, key, "the row belongs to no index");
    else
        tally->row_count++;
}

static enum status check_rows(struct verify *verify)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_DATA);
    iter = kv_iter_new_prefix(verify->tenant->scope, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        arena_reset(&verify->arena);
        check_data_row(verify, kv_iter_key(iter), kv_iter_value(iter));
    }
    kv_iter_free(iter);
    end_collection(verify);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

/* Sizes of collections that have no items any more are faults too. */
static enum status check_collections(struct verify *verify)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;
    uint64_t count = 0;

    key_begin(&prefix, KEY_SPACE_COLLECTION);
    iter = kv_iter_new_prefix(verify->tenant->scope, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter))
        if (!dead_set_has_row(verify->dead, verify->tenant->number, kv_iter_key(iter)))
            count++;
    kv_iter_free(iter);
    if (status != ST_NOT_FOUND)
        return status;
    if (count != verify->collection_count)
        fault(verify, "tenant %" PRISLICE ": %llu sizes of item collections for %llu with items",
              SLICE_ARG(verify->tenant->id), (unsigned long long)count,
              (unsigned long long)verify->collection_count);
    return ST_OK;
}

/* ---- Tables ---- */

static void add_table(struct verify *verify, struct slice row, struct slice key)
{
    struct checked_table *checked;
    struct table *table;

    if (table_decode(verify->tenant->scope, row, &table) != ST_OK) {
        row_fault(verify, key, "the table's descriptor is not valid");
        return;
    }
    if (find_table(verify, table->id) != NULL) {
        row_fault(verify, key, "two tables have the same id");
        table_unref(table);
        return;
    }
    checked = MEM_NEW(struct checked_table);
    checked->id = table->id;
    checked->table = table;
    HASH_ADD(hh, verify->tables, id, sizeof(checked->id), checked);
    verify->totals.tables++;
}

static enum status load_tables(struct verify *verify)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_CATALOGUE);
    iter = kv_iter_new_prefix(verify->tenant->scope, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter))
        add_table(verify, kv_iter_value(iter), kv_iter_key(iter));
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

/* NULL for a table or an index that has been dropped. */
static struct counters *find_counters(struct verify *verify, uint32_t table_id, uint16_t index_id)
{
    struct checked_table *checked = find_table(verify, table_id);

    if (checked == NULL)
        return NULL;
    if (index_id == 0)
        return checked->table->counters;
    for (uint32_t i = 0; i < checked->table->index_count; i++)
        if (checked->table->indexes[i].id == index_id)
            return checked->table->indexes[i].counters;
    return NULL;
}

/* Adds the deltas that are not folded yet to the counters that table_decode read. */
static enum status add_delta(struct verify *verify, struct slice row)
{
    struct stored_change change;
    enum status status;
    struct slice body;
    uint32_t size_aws;
    size_t at = 0;

    TRY(row_open(row, &body, &size_aws));
    while ((status = counter_delta_next(body, &at, &change)) == ST_OK) {
        struct counters *counters = NULL;

        if (change.tenant_number == verify->tenant->number)
            counters = find_counters(verify, change.table, change.index);
        if (counters != NULL)
            counters_add(counters, change.item_count, change.size_bytes);
    }
    return status == ST_NOT_FOUND ? ST_OK : status;
}

static enum status add_deltas(struct verify *verify)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_DELTA);
    iter = kv_iter_new_prefix(registry_system_scope(verify->registry), NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter))
        if (add_delta(verify, kv_iter_value(iter)) != ST_OK)
            row_fault(verify, kv_iter_key(iter), "a delta of counters is not valid");
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

static void check_tally(struct verify *verify, const struct table *table, const char *index,
                        const struct tally *tally, const struct counters *counters)
{
    if (tally->row_count != tally->item_count)
        fault(verify, "tenant %" PRISLICE ", table %" PRISLICE "%s: %lld rows for %lld items",
              SLICE_ARG(verify->tenant->id), SLICE_ARG(table->name), index,
              (long long)tally->row_count, (long long)tally->item_count);
    if (atomic_load(&counters->item_count) != tally->item_count ||
        atomic_load(&counters->size_bytes) != tally->size_bytes)
        fault(verify,
              "tenant %" PRISLICE ", table %" PRISLICE
              "%s: the counters say %lld items and %lld bytes, but there are %lld and %lld",
              SLICE_ARG(verify->tenant->id), SLICE_ARG(table->name), index,
              (long long)atomic_load(&counters->item_count),
              (long long)atomic_load(&counters->size_bytes), (long long)tally->item_count,
              (long long)tally->size_bytes);
}

static void check_tallies(struct verify *verify, const struct checked_table *checked)
{
    check_tally(verify, checked->table, "", &checked->tallies[0], checked->table->counters);
    for (uint32_t i = 0; i < checked->table->index_count; i++)
        if (checked->table->indexes[i].status != INDEX_CREATING)
            check_tally(verify, checked->table, ", an index", &checked->tallies[1 + i],
                        checked->table->indexes[i].counters);
}

static void free_tables(struct verify *verify)
{
    struct checked_table *checked, *next;

    HASH_ITER(hh, verify->tables, checked, next)
    {
        HASH_DEL(verify->tables, checked);
        table_unref(checked->table);
        mem_free(checked);
    }
}

static enum status check_tenant(struct verify *verify)
{
    enum status status;

    verify->collection_count = 0;
    status = load_tables(verify);
    if (status == ST_OK)
        status = add_deltas(verify);
    if (status == ST_OK)
        status = check_rows(verify);
    if (status == ST_OK)
        status = check_collections(verify);
    if (status == ST_OK)
        for (struct checked_table *c = verify->tables; c != NULL; c = c->hh.next)
            check_tallies(verify, c);
    free_tables(verify);
    return status;
}

/* ---- The store ---- */

struct tenants {
    struct tenant **all;
    size_t count;
};

static void collect(struct tenant *tenant, void *context)
{
    struct tenants *tenants = context;

    tenants->all[tenants->count++] = tenant;
}

static enum status check_tenants(struct verify *verify)
{
    struct tenants tenants = {
        .all = mem_alloc((registry_count(verify->registry) + 1) * sizeof(struct tenant *)),
    };
    enum status status = ST_OK;

    registry_each(verify->registry, collect, &tenants);
    for (size_t i = 0; i < tenants.count && status == ST_OK; i++) {
        verify->tenant = tenants.all[i];
        verify->totals.tenants++;
        status = check_tenant(verify);
    }
    mem_free(tenants.all);
    return status;
}

enum status verify_store(struct kv *store, void (*report)(void *context, struct slice sentence),
                         void *context, struct verify_totals *ret_totals)
{
    struct verify verify = {.store = store, .report = report, .context = context};
    enum status status;

    arena_init(&verify.arena, 0);
    buf_init(&verify.collection_key, KEY_SIZE_BYTES_MAX);
    verify.dead = dead_set_new();
    status = registry_open(store, &verify.registry);
    if (status == ST_OK) {
        status = format_check(registry_system_scope(verify.registry));
        if (status == ST_OK)
            status = dead_set_load(verify.dead, registry_system_scope(verify.registry));
        if (status == ST_OK)
            status = check_tenants(&verify);
        registry_close(verify.registry);
    }
    dead_set_free(verify.dead);
    buf_deinit(&verify.collection_key);
    arena_deinit(&verify.arena);
    if (status == ST_OK)
        *ret_totals = verify.totals;
    return status;
}
