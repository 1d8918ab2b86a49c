/*
 * Evaluating writes: what a put, update, delete or condition check does to its item, its index rows
 * and its counters. Runs on the committer's evaluator only.
 *
 * A request that is not atomic is evaluated and applied write by write; an atomic one is evaluated
 * whole before anything is applied, so that a refusal leaves nothing behind.
 */
#include "base/check.h"
#include "base/encode.h"
#include "engine/committer.h"
#include "engine/engine_impl.h"
#include "engine/tokens.h"
#include "model/row.h"

#define WRITE_UNIT_BYTES 1024
#define COLLECTION_SIZE_BYTES_MAX (10ll * 1024 * 1024 * 1024)
/* What the conditions of one request may read: operands times item. All tenants wait meanwhile. */
#define CONDITION_WORK_BYTES_MAX (512ull * 1024 * 1024)

static uint32_t units_of(size_t size_bytes)
{
    return size_bytes == 0 ? 1 : (uint32_t)((size_bytes + WRITE_UNIT_BYTES - 1) / WRITE_UNIT_BYTES);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- Evaluating: from the old item to the new one ---- */

static void release_table(void *table)
{
    table_unref(table);
}

/* Exchanges a table that a change of the catalogue has overtaken. */
static enum status refresh_table(struct committer *committer, struct write_request *request,
                                 struct write *write)
{
    struct table *newest;
    enum status status;

    if (!atomic_load(&write->table->superseded))
        return ST_OK;
    status =
        catalogue_find(committer->engine->catalogue, request->scope, write->table->name, &newest);
    if (status == ST_OK && newest->id != write->table->id) {
        table_unref(newest);
        status = ST_NOT_FOUND;
    }
    if (status == ST_NOT_FOUND)
        return error_set(&write->error, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
    TRY(status);
    arena_on_reset(request->arena, release_table, newest);
    write->table = newest;
    if (write->kind == WRITE_PUT)
        return table_check_item(newest, write->item, false, &write->error);
    return ST_OK;
}

static enum status read_old_item(struct committer *committer, struct write_request *request,
                                 struct write *write)
{
    /* A request that has changed rows cannot leave its commit to have others warmed. */
    bool may_block = request->job.warmed || request->job.progress > 0;
    enum kv_mode mode = may_block ? KV_MAY_BLOCK : KV_NO_BLOCK;
    struct slice row, body;
    uint32_t size_aws;
    struct key key;
    enum status status;

    write->old_item = ITEM_NONE;
    write->old_size_bytes = 0;
    table_item_key(write->table, write->item, &key);
    status = commit_read(committer, request->scope, key_slice(&key), mode, request->arena, &row);
    if (status == ST_NOT_FOUND)
        return ST_OK;
    TRY(status);
    TRY(row_open(row, &body, &size_aws));
    write->old_item = (struct item){body};
    write->old_size_bytes = size_aws;
    return ST_OK;
}

static void keep_old_item(struct write *write)
{
    write->new_item = write->old_item;
    write->new_size_bytes = write->old_size_bytes;
}

/* The key attributes alone, as an update of a missing item starts from. */
static enum status update_item(struct write_request *request, struct write *write)
{
    bool exists = item_exists(write->old_item);
    struct item base = exists ? write->old_item : write->item;

    if (!exists && write->update != NULL && update_only_removes(write->update))
        return ST_OK;
    write->new_item = base;
    if (write->update != NULL)
        TRY(update_apply(write->update, base, exists, request->arena, &write->error,
                         &write->new_item));
    write->new_size_bytes = item_size(write->new_item);
    if (write->update == NULL)
        return ST_OK;
    if (write->new_size_bytes > ITEM_SIZE_BYTES_MAX)
        return error_set(&write->error, ERROR_VALIDATION_DATA,
                         "Item size to update has exceeded the maximum allowed size");
    return table_check_item(write->table, write->new_item, false, &write->error);
}

static enum status make_new_item(struct write_request *request, struct write *write)
{
    switch (write->kind) {
    case WRITE_PUT:
        write->new_item = write->item;
        write->new_size_bytes = item_size(write->item);
        return ST_OK;
    case WRITE_DELETE:
        write->new_item = ITEM_NONE;
        write->new_size_bytes = 0;
        return ST_OK;
    case WRITE_CHECK:
        keep_old_item(write);
        return ST_OK;
    case WRITE_UPDATE:
        return update_item(request, write);
    }
    CHECK(!"a known kind of write");
    return ST_INVALID;
}

/* `work_bytes` is what the conditions before it have read. */
static enum status check_condition(struct write *write, uint64_t *work_bytes)
{
    if (write->condition == NULL)
        return ST_OK;
    *work_bytes += (uint64_t)condition_operand_count(write->condition) * write->old_item.payload.n;
    if (*work_bytes > CONDITION_WORK_BYTES_MAX)
        return error_set(&write->error, ERROR_VALIDATION_DATA,
                         "The conditions have too many operands for items of this size");
    if (!condition_eval(write->condition, write->old_item))
        return error_set(&write->error, ERROR_CONDITIONAL_CHECK, "The conditional request failed");
    return ST_OK;
}

/*
 * ST_OK also if the write is refused: its error says so then.
 */
static enum status evaluate_write(struct committer *committer, struct write_request *request,
                                  struct write *write, uint64_t *work_bytes)
{
    enum status status;

    error_init(&write->error, request->arena);
    status = refresh_table(committer, request, write);
    if (status == ST_REFUSED)
        return ST_OK;
    TRY(status);
    TRY(read_old_item(committer, request, write));
    keep_old_item(write);
    write->collection_size_bytes = -1;
    write->cost.table_units = units_of(write->old_size_bytes);
    if (check_condition(write, work_bytes) != ST_OK)
        return ST_OK;
    status = make_new_item(request, write);
    if (status == ST_REFUSED) {
        keep_old_item(write);
        return ST_OK;
    }
    TRY(status);
    write->cost.table_units = units_of(larger(write->old_size_bytes, write->new_size_bytes));
    return ST_OK;
}

/* ---- Applying: rows, index rows, collections, counters ---- */

static void set_item_row(struct committer *committer, const struct scope *scope, struct slice key,
                         struct item item, size_t size_bytes, bool indexed)
{
    struct buf row;

    if (!item_exists(item)) {
        if (indexed)
            commit_set_blind(committer, scope, key, SLICE_EMPTY);
        else
            commit_set(committer, scope, key, SLICE_EMPTY);
        return;
    }
    buf_init(&row, item.payload.n + ROW_HEADER_SIZE_BYTES);
    row_seal(&row, item.payload, (uint32_t)size_bytes);
    if (indexed)
        commit_set_blind(committer, scope, key, buf_slice(&row));
    else
        commit_set(committer, scope, key, buf_slice(&row));
    buf_deinit(&row);
}

/* How one index sees a write. */
struct index_change {
    struct slice old_key; /* empty: not in the index */
    struct slice new_key;
    struct item old_view;
    struct item new_view;
    size_t old_size_bytes;
    size_t new_size_bytes;
};

static void view_in_index(const struct table *table, const struct index *index, struct item item,
                          size_t item_size_bytes, struct arena *arena, struct slice *ret_key,
                          struct item *ret_view, size_t *ret_size_bytes)
{
    struct key key;

    *ret_key = SLICE_EMPTY;
    *ret_view = ITEM_NONE;
    *ret_size_bytes = 0;
    if (!table_index_key(table, index, item, &key))
        return;
    *ret_key = arena_copy(arena, key_slice(&key));
    *ret_view = table_index_item(table, index, item, arena);
    *ret_size_bytes =
        ret_view->payload.p == item.payload.p ? item_size_bytes : item_size(*ret_view);
}

static uint32_t index_units(const struct index_change *change)
{
    bool had = change->old_key.n > 0, has = change->new_key.n > 0;

    if (!had && !has)
        return 0;
    if (had && has && slice_equal(change->old_key, change->new_key)) {
        if (slice_equal(change->old_view.payload, change->new_view.payload))
            return 0;
        return units_of(larger(change->old_size_bytes, change->new_size_bytes));
    }
    return (had ? units_of(change->old_size_bytes) : 0) +
           (has ? units_of(change->new_size_bytes) : 0);
}

static void apply_index_change(struct committer *committer, const struct scope *scope,
                               const struct index *index, const struct index_change *change)
{
    bool had = change->old_key.n > 0, has = change->new_key.n > 0;

    if (had && !slice_equal(change->old_key, change->new_key))
        set_item_row(committer, scope, change->old_key, ITEM_NONE, 0, true);
    if (has)
        set_item_row(committer, scope, change->new_key, change->new_view, change->new_size_bytes,
                     true);
    /* The backfill counts what was written before it began to count. */
    if (index->status == INDEX_CREATING && !index->counters->counting)
        return;
    counter_delta_add(&committer->current->delta, index->counters, (int)has - (int)had,
                      (int64_t)change->new_size_bytes - (int64_t)change->old_size_bytes);
}

/* Index rows of the write; returns by how many bytes its item collection grew in local indexes. */
static int64_t apply_indexes(struct committer *committer, struct write_request *request,
                             struct write *write)
{
    const struct table *table = write->table;
    int64_t grown_bytes = 0;

    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct index *index = &table->indexes[i];
        struct index_change change;

        view_in_index(table, index, write->old_item, write->old_size_bytes, request->arena,
                      &change.old_key, &change.old_view, &change.old_size_bytes);
        view_in_index(table, index, write->new_item, write->new_size_bytes, request->arena,
                      &change.new_key, &change.new_view, &change.new_size_bytes);
        write->cost.index_units[i] = index_units(&change);
        if (index->local)
            grown_bytes += (int64_t)change.new_size_bytes - (int64_t)change.old_size_bytes;
        if (write->cost.index_units[i] > 0)
            apply_index_change(committer, request->scope, index, &change);
    }
    return grown_bytes;
}

static enum status read_collection(struct committer *committer, struct write_request *request,
                                   const struct key *key, int64_t *ret_size_bytes)
{
    struct slice row, body;
    uint32_t size_aws;
    enum status status;

    *ret_size_bytes = 0;
    status =
        commit_read(committer, request->scope, key_slice(key), KV_MAY_BLOCK, request->arena, &row);
    if (status == ST_NOT_FOUND)
        return ST_OK;
    TRY(status);
    TRY(row_open(row, &body, &size_aws));
    if (body.n != 8)
        return ST_CORRUPT;
    *ret_size_bytes = (int64_t)get_le64(body.p);
    return ST_OK;
}

static void set_collection(struct committer *committer, const struct scope *scope,
                           const struct key *key, int64_t size_bytes)
{
    uint8_t body[8];
    struct buf row;

    if (size_bytes == 0) {
        commit_set(committer, scope, key_slice(key), SLICE_EMPTY);
        return;
    }
    put_le64(body, (uint64_t)size_bytes);
    buf_init(&row, 64);
    row_seal(&row, slice_of(body, sizeof(body)), 0);
    commit_set(committer, scope, key_slice(key), buf_slice(&row));
    buf_deinit(&row);
}

static enum status grow_collection(struct committer *committer, struct write_request *request,
                                   struct write *write, int64_t grown_bytes)
{
    struct key key;
    int64_t size_bytes;

    table_collection_key(write->table, write->item, &key);
    TRY(read_collection(committer, request, &key, &size_bytes));
    write->collection_size_bytes = size_bytes + grown_bytes;
    if (grown_bytes != 0)
        set_collection(committer, request->scope, &key, size_bytes + grown_bytes);
    return ST_OK;
}

/* A collection may not grow past 10 GB; checked before anything is applied, and its row is read
 * then even if it shrinks, so that applying cannot fail half way. What the local indexes add is
 * left out of the sum: the limit is a guard, not an account. */
static enum status check_collection(struct committer *committer, struct write_request *request,
                                    struct write *write)
{
    size_t old_bytes = write->old_size_bytes, new_bytes = write->new_size_bytes;
    struct key key;
    int64_t size_bytes;

    if (write->error.code != ERROR_NONE || !table_has_local_index(write->table))
        return ST_OK;
    table_collection_key(write->table, write->item, &key);
    TRY(read_collection(committer, request, &key, &size_bytes));
    if (new_bytes > old_bytes &&
        size_bytes + (int64_t)(new_bytes - old_bytes) > COLLECTION_SIZE_BYTES_MAX)
        (void)error_set(&write->error, ERROR_COLLECTION_SIZE, "Collection size exceeded.");
    return ST_OK;
}

static enum status apply_write(struct committer *committer, struct write_request *request,
                               struct write *write)
{
    bool had = item_exists(write->old_item), has = item_exists(write->new_item);
    int64_t grown_bytes = (int64_t)write->new_size_bytes - (int64_t)write->old_size_bytes;
    struct key key;

    if (write->error.code != ERROR_NONE || write->kind == WRITE_CHECK)
        return ST_OK;
    if (!slice_equal(write->old_item.payload, write->new_item.payload)) {
        table_item_key(write->table, write->item, &key);
        set_item_row(committer, request->scope, key_slice(&key), write->new_item,
                     write->new_size_bytes, false);
        counter_delta_add(&committer->current->delta, write->table->counters, (int)has - (int)had,
                          grown_bytes);
    }
    grown_bytes += apply_indexes(committer, request, write);
    if (table_has_local_index(write->table))
        TRY(grow_collection(committer, request, write, grown_bytes));
    return ST_OK;
}

/* ---- Requests ---- */

static enum status run_each(struct committer *committer, struct write_request *request)
{
    while (request->job.progress < request->count) {
        struct write *write = &request->writes[request->job.progress];
        uint64_t work_bytes = 0;

        TRY(evaluate_write(committer, request, write, &work_bytes));
        TRY(check_collection(committer, request, write));
        TRY(apply_write(committer, request, write));
        request->job.progress++;
    }
    return ST_OK;
}

static enum status run_atomic(struct committer *committer, struct write_request *request)
{
    uint64_t work_bytes = 0;

    request->canceled = false;
    for (uint32_t i = 0; i < request->count; i++) {
        TRY(evaluate_write(committer, request, &request->writes[i], &work_bytes));
        TRY(check_collection(committer, request, &request->writes[i]));
        if (request->writes[i].error.code != ERROR_NONE)
            request->canceled = true;
    }
    if (request->canceled)
        return ST_OK;
    for (uint32_t i = 0; i < request->count; i++)
        TRY(apply_write(committer, request, &request->writes[i]));
    if (request->token.n > 0)
        token_remember(committer, request);
    return ST_OK;
}

enum status write_evaluate(struct committer *committer, struct write_request *request)
{
    if (!request->atomic)
        return run_each(committer, request);
    if (request->token.n > 0) {
        TRY(token_check(committer, request, &request->replayed));
        if (request->replayed)
            return ST_OK;
    }
    return run_atomic(committer, request);
}
