/*
 * Backfill: see backfill.h for the way it takes.
 *
 *   reading (pool) <--> filling (evaluator) --> counting (pool) --> active (evaluator)
 *
 * Invariants:
 *  1. a backfill is in the committer's list from its start to its end;
 *  2. it holds no reference to a table: each step finds the newest version by name and gives up if
 *     the table or the index is gone or another of the same name;
 *  3. the index becomes active only if no commit has failed since the backfill began, for the rows
 *     of its chunks may have been in it.
 */
#include "engine/backfill.h"

#include <utlist.h>

#include "base/container.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/engine_impl.h"
#include "engine/table_codec.h"
#include "engine/timers.h"
#include "model/row.h"
#include "store/sealed_row.h"

#define CHUNK_COUNT_MAX 128
#define MARK_IDS_SIZE_BYTES 6 /* of table and index */

struct backfill {
    struct commit_job job;
    struct pool_task task;
    struct committer *committer;
    const struct scope *scope;
    struct slice table_name;
    uint32_t table_id;
    uint16_t index_id;
    struct arena arena; /* of the chunk */
    struct slice keys[CHUNK_COUNT_MAX];
    uint32_t key_count;
    struct buf next_key; /* where the next chunk begins; empty: at the table's first row */
    bool read_all;
    enum status status;           /* of the last chunk read */
    uint64_t failed_count;        /* the committer's, at the start */
    struct kv_snapshot *snapshot; /* while rows are counted */
    int64_t item_count;           /* what the count adds to the counters */
    int64_t size_bytes;
    struct backfill *prev;
    struct backfill *next;
};

/* A timer of minute 0; its subject is table(4, BE) | index(2, BE) | name of the table. */
static void mark_key(struct key *key, uint64_t tenant_number, uint32_t table, uint16_t index,
                     struct slice table_name)
{
    struct timer timer = {.kind = TIMER_BACKFILL, .tenant_number = tenant_number};

    timer_key(&timer, key);
    key_add_be32(key, table);
    key_add_be16(key, index);
    key_add_bytes(key, table_name);
}

void backfill_mark(struct committer *committer, const struct table *current,
                   const struct table *next, struct kv_batch *batch)
{
    struct key key;

    for (uint32_t i = 0; i < next->index_count; i++) {
        const struct index *index = &next->indexes[i];

        if (table_find_index(current, index->name) != NULL)
            continue;
        mark_key(&key, next->tenant_number, next->id, index->id, next->name);
        sealed_row_put(batch, committer->system, &key, SLICE_EMPTY);
    }
}

void backfill_unmark(struct committer *committer, const struct table *table,
                     const struct index *index, struct kv_batch *batch)
{
    struct key key;

    if (index->status != INDEX_CREATING)
        return;
    mark_key(&key, table->tenant_number, table->id, index->id, table->name);
    kv_batch_delete(batch, committer->system, key_slice(&key));
}

/* ---- Reading keys, on the pool ---- */

static void read_chunk(struct backfill *backfill)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin_rows(&prefix, backfill->table_id, 0);
    iter = kv_iter_new_prefix(backfill->scope, NULL, &prefix);
    backfill->key_count = 0;
    for (status = kv_iter_seek(iter, buf_slice(&backfill->next_key));
         status == ST_OK && backfill->key_count < CHUNK_COUNT_MAX; status = kv_iter_next(iter))
        backfill->keys[backfill->key_count++] = arena_copy(&backfill->arena, kv_iter_key(iter));
    buf_reset(&backfill->next_key);
    if (status == ST_OK)
        buf_append_slice(&backfill->next_key, kv_iter_key(iter));
    backfill->read_all = status == ST_NOT_FOUND;
    backfill->status = backfill->read_all ? ST_OK : status;
    kv_iter_free(iter);
}

static void read_on_pool(struct pool_task *task)
{
    struct backfill *backfill = CONTAINER_OF(task, struct backfill, task);

    arena_reset(&backfill->arena);
    read_chunk(backfill);
    committer_submit(backfill->committer, &backfill->job, JOB_BACKFILL);
}

/* ---- Filling, on the evaluator ---- */

static const struct index *index_by_id(const struct table *table, uint16_t id)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].id == id)
            return &table->indexes[i];
    return NULL;
}

/* The newest version of the table with a reference, or NULL if table or index are gone. */
static struct table *find_table(struct backfill *backfill)
{
    struct table *table;

    if (catalogue_find(backfill->committer->engine->catalogue, backfill->scope,
                       backfill->table_name, &table) != ST_OK)
        return NULL;
    if (table->id == backfill->table_id && index_by_id(table, backfill->index_id) != NULL)
        return table;
    table_unref(table);
    return NULL;
}

/* An item whose key attributes of the index have a wrong type or are too long stays out of it. */
static enum status fill_row(struct backfill *backfill, const struct table *table,
                            const struct index *index, struct slice item_key)
{
    struct committer *committer = backfill->committer;
    struct slice row, body;
    struct item item, view;
    uint32_t size_aws;
    struct key key;
    struct buf out;
    enum status status =
        commit_read(committer, backfill->scope, item_key, KV_MAY_BLOCK, &backfill->arena, &row);

    if (status == ST_NOT_FOUND)
        return ST_OK;
    TRY(status);
    TRY(row_open(row, &body, &size_aws));
    item = (struct item){body};
    if (!table_index_key(table, index, item, &key))
        return ST_OK;
    view = table_index_item(table, index, item, &backfill->arena);
    buf_init(&out, view.payload.n + ROW_HEADER_SIZE_BYTES);
    row_seal(&out, view.payload, (uint32_t)item_size(view));
    commit_set_blind(committer, backfill->scope, key_slice(&key), buf_slice(&out));
    buf_deinit(&out);
    return ST_OK;
}

static enum status fill_chunk(struct backfill *backfill)
{
    struct table *table = find_table(backfill);
    enum status status = ST_OK;

    if (table == NULL)
        return ST_NOT_FOUND;
    for (uint32_t i = 0; i < backfill->key_count && status == ST_OK; i++)
        status =
            fill_row(backfill, table, index_by_id(table, backfill->index_id), backfill->keys[i]);
    backfill->committer->current->operation_count += backfill->key_count;
    table_unref(table);
    return status;
}

/* Invariant 3. */
static enum status check_commits(const struct backfill *backfill)
{
    return backfill->committer->failed_count == backfill->failed_count ? ST_OK : ST_IO;
}

/* ---- Counting: from now on writes count, and the pool counts what was there before ---- */

static enum status count_rows(struct backfill *backfill)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin_rows(&prefix, backfill->table_id, backfill->index_id);
    iter = kv_iter_new_prefix(backfill->scope, backfill->snapshot, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        struct slice body;
        uint32_t size_aws;

        status = row_open(kv_iter_value(iter), &body, &size_aws);
        if (status != ST_OK)
            break;
        backfill->item_count++;
        backfill->size_bytes += size_aws;
    }
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

static void count_on_pool(struct pool_task *task)
{
    struct backfill *backfill = CONTAINER_OF(task, struct backfill, task);

    backfill->status = count_rows(backfill);
    committer_submit(backfill->committer, &backfill->job, JOB_BACKFILL);
}

/* Nothing is in flight, so the snapshot has every row whose write did not count. What the counters
 * hold already (after an interrupted backfill) is subtracted. */
static enum status begin_count(struct backfill *backfill)
{
    struct committer *committer = backfill->committer;
    struct counters *counters;
    struct table *table;

    committer_quiesce(committer);
    TRY(check_commits(backfill));
    table = find_table(backfill);
    if (table == NULL)
        return ST_NOT_FOUND;
    counters = index_by_id(table, backfill->index_id)->counters;
    counters->counting = true;
    backfill->item_count = -atomic_load(&counters->item_count);
    backfill->size_bytes = -atomic_load(&counters->size_bytes);
    backfill->snapshot = kv_snapshot_take(committer->store);
    backfill->task.run = count_on_pool;
    table_unref(table);
    return ST_OK;
}

/* ---- The end ---- */

/* The table's next version has the index active; it and the counts are durable together. */
static enum status activate(struct backfill *backfill, struct table *table)
{
    struct committer *committer = backfill->committer;
    struct table_spec spec;
    enum status status;
    struct table *next;
    struct buf row;
    struct key key;

    table_spec_of(table, &spec);
    next = table_from_spec(backfill->scope, table, 0, 0, &spec);
    for (uint32_t i = 0; i < next->index_count; i++)
        if (next->indexes[i].id == backfill->index_id)
            next->indexes[i].status = INDEX_ACTIVE;
    buf_init(&row, TABLE_ROW_SIZE_BYTES_MAX);
    table_encode(next, &row);
    table_catalogue_key(&key, next->name);
    commit_set_blind(committer, backfill->scope, key_slice(&key), buf_slice(&row));
    mark_key(&key, next->tenant_number, next->id, backfill->index_id, next->name);
    commit_set_blind(committer, committer->system, key_slice(&key), SLICE_EMPTY);
    buf_deinit(&row);
    committer_quiesce(committer);
    status = check_commits(backfill);
    if (status == ST_OK)
        catalogue_publish(committer->engine->catalogue, next);
    table_unref(next);
    return status;
}

static enum status finish(struct backfill *backfill)
{
    struct table *table;
    enum status status;

    committer_quiesce(backfill->committer);
    TRY(check_commits(backfill));
    table = find_table(backfill);
    if (table == NULL)
        return ST_NOT_FOUND;
    counter_delta_add(&backfill->committer->current->delta,
                      index_by_id(table, backfill->index_id)->counters, backfill->item_count,
                      backfill->size_bytes);
    status = activate(backfill, table);
    table_unref(table);
    return status;
}

static void end(struct backfill *backfill)
{
    DL_DELETE(backfill->committer->backfills, backfill);
    kv_snapshot_release(backfill->committer->store, backfill->snapshot);
    arena_deinit(&backfill->arena);
    buf_deinit(&backfill->next_key);
    mem_free((void *)(uintptr_t)backfill->table_name.p);
    mem_free(backfill);
}

/* ST_WOULD_BLOCK while there is more to read or to count. */
static enum status fill(struct backfill *backfill)
{
    TRY(fill_chunk(backfill));
    if (backfill->read_all)
        TRY(begin_count(backfill));
    return ST_WOULD_BLOCK;
}

void backfill_run(struct committer *committer, struct commit_job *job)
{
    struct backfill *backfill = CONTAINER_OF(job, struct backfill, job);
    enum status status = backfill->status;

    if (committer_is_stopping(committer)) {
        end(backfill);
        return;
    }
    if (status == ST_OK)
        status = backfill->snapshot == NULL ? fill(backfill) : finish(backfill);
    if (status == ST_WOULD_BLOCK) {
        pool_submit(committer->engine->pool, &backfill->task);
        return;
    }
    if (status != ST_OK && status != ST_NOT_FOUND)
        log_error("filling an index stopped: %s; it starts again with the server",
                  status_name(status));
    end(backfill);
}

/* ---- Starting ---- */

static bool is_filling(const struct committer *committer, const struct table *table,
                       uint16_t index_id)
{
    for (const struct backfill *b = committer->backfills; b != NULL; b = b->next)
        if (scope_tenant_number(b->scope) == table->tenant_number && b->table_id == table->id &&
            b->index_id == index_id)
            return true;
    return false;
}

static void start_one(struct committer *committer, const struct scope *scope,
                      const struct table *table, uint16_t index_id)
{
    struct backfill *backfill = MEM_NEW(struct backfill);
    uint8_t *name = mem_alloc(table->name.n);

    memcpy(name, table->name.p, table->name.n);
    backfill->committer = committer;
    backfill->scope = scope;
    backfill->table_name = slice_of(name, table->name.n);
    backfill->table_id = table->id;
    backfill->index_id = index_id;
    backfill->failed_count = committer->failed_count;
    backfill->job.run.tenant_number = table->tenant_number;
    backfill->task.run = read_on_pool;
    arena_init(&backfill->arena, 0);
    buf_init(&backfill->next_key, KEY_SIZE_BYTES_MAX);
    DL_APPEND(committer->backfills, backfill);
    pool_submit(committer->engine->pool, &backfill->task);
}

void backfill_start(struct committer *committer, const struct scope *scope, struct table *table)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].status == INDEX_CREATING &&
            !is_filling(committer, table, table->indexes[i].id))
            start_one(committer, scope, table, table->indexes[i].id);
}

bool backfill_active(const struct committer *committer)
{
    return committer->backfills != NULL;
}

static enum status resume_mark(struct committer *committer, struct slice mark)
{
    struct tenant *tenant;
    struct timer timer;
    struct table *table;
    enum status status;

    TRY(timer_read(mark, &timer));
    if (timer.kind != TIMER_BACKFILL || timer.subject.n <= MARK_IDS_SIZE_BYTES)
        return ST_CORRUPT;
    tenant = registry_find_number(committer->engine->registry, timer.tenant_number);
    if (tenant == NULL)
        return ST_CORRUPT;
    status = catalogue_find(committer->engine->catalogue, tenant->scope,
                            slice_from(timer.subject, MARK_IDS_SIZE_BYTES), &table);
    if (status == ST_NOT_FOUND)
        return ST_OK;
    TRY(status);
    backfill_start(committer, tenant->scope, table);
    table_unref(table);
    return ST_OK;
}

enum status backfill_resume(struct committer *committer)
{
    struct kv_iter *iter = timer_iter_new(committer->system, 0, 1);
    enum status status;

    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        status = resume_mark(committer, kv_iter_key(iter));
        if (status != ST_OK)
            break;
    }
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

void backfill_end_all(struct committer *committer)
{
    while (committer->backfills != NULL)
        end(committer->backfills);
}
