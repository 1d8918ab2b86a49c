/*
 * The committer's two threads: see committer.h for the picture and the invariants.
 *
 * The evaluator takes jobs from the inbox into a run queue, so that tenants take turns, and
 * evaluates them into the current commit. The syncer writes a launched commit with one sync and
 * answers its requests; if that failed, the evaluator does. A commit grows as long as the one
 * before it is being synced: batches form by themselves under load, and a lone request never waits.
 */
#include "engine/committer.h"

#include <time.h>

#include "base/check.h"
#include "base/container.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/backfill.h"
#include "engine/engine_impl.h"
#include "engine/tokens.h"

/* Between two looks at the commit in flight; its end wakes earlier. */
#define LANDING_WAIT_MS 100

static struct commit_job *job_of_node(struct inbox_node *node)
{
    return CONTAINER_OF(node, struct commit_job, node);
}

static struct commit_job *job_of_run(struct run_task *run)
{
    return CONTAINER_OF(run, struct commit_job, run);
}

static struct write_request *request_of(struct commit_job *job)
{
    return CONTAINER_OF(job, struct write_request, job);
}

static struct table_change *change_of(struct commit_job *job)
{
    return CONTAINER_OF(job, struct table_change, job);
}

/* ---- One commit ---- */

static void commit_init(struct commit *commit, struct kv *store)
{
    commit->rows = kv_batch_new(store);
    arena_init(&commit->arena, 0);
    commit->end = &commit->first;
}

static void commit_clear(struct commit *commit)
{
    overlay_clear(&commit->overlay);
    arena_reset(&commit->arena);
    kv_batch_clear(commit->rows);
    commit->first = NULL;
    commit->end = &commit->first;
    commit->operation_count = 0;
    commit->status = ST_OK;
}

static void commit_deinit(struct commit *commit)
{
    overlay_clear(&commit->overlay);
    arena_deinit(&commit->arena);
    kv_batch_free(commit->rows);
    counter_delta_drop(&commit->delta);
    mem_free(commit->delta.changes);
}

static bool commit_is_empty(const struct commit *commit)
{
    return commit->first == NULL && kv_batch_count(commit->rows) == 0;
}

static bool commit_is_full(const struct commit *commit)
{
    return commit->operation_count >= COMMIT_OPERATIONS_MAX ||
           kv_batch_size_bytes(commit->rows) >= COMMIT_SIZE_BYTES_MAX;
}

static void commit_add(struct commit *commit, struct write_request *request)
{
    request->job.node.next = NULL;
    *commit->end = &request->job.node;
    commit->end = &request->job.node.next;
}

static void commit_answer(struct commit *commit, enum status status)
{
    struct inbox_node *node = commit->first;

    while (node != NULL) {
        struct write_request *request = request_of(job_of_node(node));

        node = node->next; /* done() may reuse the request at once */
        if (status != ST_OK)
            request->status = status;
        request->done(request);
    }
}

/* ---- Rows, for the jobs ---- */

static enum status copy_row(struct arena *arena, struct slice row, struct slice *ret_row)
{
    if (row.n == 0)
        return ST_NOT_FOUND;
    *ret_row = arena_copy(arena, row);
    return ST_OK;
}

enum status commit_read(struct committer *committer, const struct scope *scope, struct slice key,
                        enum kv_mode mode, struct arena *arena, struct slice *ret_row)
{
    struct kv_value value = {0};
    struct slice row;
    enum status status;

    if (overlay_find(&committer->current->overlay, scope, key, &row))
        return copy_row(arena, row, ret_row);
    if (committer->overlay_below != NULL &&
        overlay_find(&committer->overlay_below->overlay, scope, key, &row))
        return copy_row(arena, row, ret_row);
    status = kv_get(scope, NULL, mode, key, &value);
    if (status == ST_OK)
        status = copy_row(arena, value.bytes, ret_row);
    kv_value_release(&value);
    return status;
}

void commit_set_blind(struct committer *committer, const struct scope *scope, struct slice key,
                      struct slice row)
{
    if (row.n == 0)
        kv_batch_delete(committer->current->rows, scope, key);
    else
        kv_batch_put(committer->current->rows, scope, key, row);
}

void commit_set(struct committer *committer, const struct scope *scope, struct slice key,
                struct slice row)
{
    commit_set_blind(committer, scope, key, row);
    overlay_set(&committer->current->overlay, &committer->current->arena, scope, key, row);
}

/* ---- The syncer ---- */

static enum status sync_commit(struct committer *committer, struct commit *commit)
{
    enum status status;

    if (kv_batch_count(commit->rows) == 0)
        return ST_OK;
    status = kv_write(committer->store, commit->rows, true);
    if (status != ST_OK)
        log_error("a commit of %zu rows failed: %s", kv_batch_count(commit->rows),
                  status_name(status));
    return status;
}

static void finish_commit(struct committer *committer, struct commit *commit)
{
    if (commit->status == ST_OK)
        commit->status = sync_commit(committer, commit);
    if (commit->status != ST_OK) {
        counter_delta_drop(&commit->delta);
        return; /* land answers */
    }
    counter_delta_commit(&commit->delta, &committer->fold);
    commit_answer(commit, ST_OK);
}

static void *syncer_main(void *context)
{
    struct committer *committer = context;

    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    for (;;) {
        struct commit *commit = committer->flight;

        if (commit == NULL && committer->evaluated)
            break;
        if (commit == NULL) {
            CHECK(pthread_cond_wait(&committer->syncer_wake, &committer->lock) == 0);
            continue;
        }
        CHECK(pthread_mutex_unlock(&committer->lock) == 0);
        finish_commit(committer, commit);
        CHECK(pthread_mutex_lock(&committer->lock) == 0);
        committer->flight = NULL;
        committer->signalled = true;
        CHECK(pthread_cond_signal(&committer->evaluator_wake) == 0);
    }
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
    return NULL;
}

/* ---- The evaluator ---- */

/* Waits until something happens or `timeout_ms` has passed (0: does not wait). Returns whether a
 * commit is in flight. */
static bool evaluator_wait(struct committer *committer, int64_t timeout_ms)
{
    struct timespec until;
    bool flying;

    CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    while (!committer->signalled && timeout_ms > 0)
        if (pthread_cond_timedwait(&committer->evaluator_wake, &committer->lock, &until) != 0)
            break;
    committer->signalled = false;
    flying = committer->flight != NULL;
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
    return flying;
}

bool committer_is_stopping(struct committer *committer)
{
    bool stopping;

    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    stopping = committer->stopping;
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
    return stopping;
}

/* The commit launched last has ended: its rows are in the store, or it failed and what was
 * evaluated on top of it fails too (invariant 3). Both are answered here, so that whoever hears of
 * a failure and tries again does not become part of it. */
static void land(struct committer *committer)
{
    struct commit *landed = committer->overlay_below;

    if (landed == NULL)
        return;
    if (landed->status != ST_OK) {
        counter_delta_drop(&committer->current->delta);
        commit_answer(landed, landed->status);
        commit_answer(committer->current, landed->status);
        commit_clear(committer->current);
        committer->current->delta.sequence = committer->next_sequence++;
        committer->failed_count++;
    }
    commit_clear(landed);
    committer->overlay_below = NULL;
}

static void launch(struct committer *committer)
{
    struct commit *commit = committer->current;

    CHECK(committer->overlay_below == NULL);
    counter_delta_put(&commit->delta, committer->system, commit->rows);
    committer->overlay_below = commit;
    committer->current =
        commit == &committer->commits[0] ? &committer->commits[1] : &committer->commits[0];
    committer->current->delta.sequence = committer->next_sequence++;
    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    committer->flight = commit;
    CHECK(pthread_cond_signal(&committer->syncer_wake) == 0);
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
}

void committer_quiesce(struct committer *committer)
{
    for (;;) {
        if (evaluator_wait(committer, 0)) {
            (void)evaluator_wait(committer, LANDING_WAIT_MS);
            continue;
        }
        land(committer);
        if (commit_is_empty(committer->current))
            return;
        launch(committer);
    }
}

static void accept_jobs(struct committer *committer)
{
    struct inbox_node *node = inbox_take_all(&committer->inbox);

    while (node != NULL) {
        struct commit_job *job = job_of_node(node);

        node = node->next;
        run_queue_push(committer->waiting, &job->run);
    }
}

/* A request that needs the disk: the pool reads its rows, then it queues again. */
struct warming {
    struct pool_task task;
    struct committer *committer;
    struct write_request *request;
};

static void warm(struct pool_task *task)
{
    struct warming *warming = CONTAINER_OF(task, struct warming, task);
    struct write_request *request = warming->request;

    for (uint32_t i = request->job.progress; i < request->count; i++) {
        struct kv_value value = {0};
        struct key key;

        table_item_key(request->writes[i].table, request->writes[i].item, &key);
        if (kv_get(request->scope, NULL, KV_MAY_BLOCK, key_slice(&key), &value) == ST_OK)
            kv_value_release(&value);
    }
    request->job.warmed = true;
    committer_submit(warming->committer, &request->job, JOB_WRITE);
}

static void send_to_warm(struct committer *committer, struct write_request *request)
{
    struct warming *warming = ARENA_NEW(request->arena, struct warming);

    warming->task.run = warm;
    warming->committer = committer;
    warming->request = request;
    committer->warming_count++;
    pool_submit(committer->engine->pool, &warming->task);
}

static void run_write(struct committer *committer, struct write_request *request)
{
    enum status status = write_evaluate(committer, request);

    if (status == ST_WOULD_BLOCK) {
        CHECK(request->job.progress == 0); /* else its first writes would miss a failed commit */
        send_to_warm(committer, request);
        return;
    }
    request->status = status;
    committer->current->operation_count += request->count;
    commit_add(committer->current, request);
}

static void run_job(struct committer *committer, struct commit_job *job)
{
    switch ((enum job_kind)job->kind) {
    case JOB_WRITE:
        if (job->warmed)
            committer->warming_count--;
        run_write(committer, request_of(job));
        return;
    case JOB_TABLE:
        committer_quiesce(committer);
        table_change_run(committer, change_of(job));
        return;
    case JOB_BACKFILL:
        backfill_run(committer, job);
        return;
    }
}

/* Evaluates jobs until the commit is full or none is left; true if it did anything. */
static bool evaluate(struct committer *committer)
{
    struct run_task *run;
    bool worked = false;

    while (!commit_is_full(committer->current) &&
           (run = run_queue_pop(committer->waiting)) != NULL) {
        run_job(committer, job_of_run(run));
        worked = true;
    }
    return worked;
}

static void fold_counters(struct committer *committer)
{
    struct kv_batch *batch;

    if (committer->fold.dirty == NULL)
        return;
    batch = kv_batch_new(committer->store);
    if (counter_fold_put(&committer->fold, committer->system, batch) &&
        kv_write(committer->store, batch, false) == ST_OK)
        counter_fold_done(&committer->fold);
    kv_batch_free(batch);
}

/* Periodic work; true if there was any. */
static bool keep_house(struct committer *committer)
{
    int64_t now_ms = clock_monotonic_ns(committer->engine->clock) / 1000000;
    bool worked = false;

    if (now_ms >= committer->next_fold_ms) {
        committer_quiesce(committer);
        fold_counters(committer);
        committer->next_fold_ms = now_ms + FOLD_INTERVAL_MS;
        worked = true;
    }
    if (now_ms >= committer->next_sweep_ms) {
        committer->next_sweep_ms =
            now_ms + (tokens_sweep(committer) ? SWEEP_PAUSE_MS : SWEEP_INTERVAL_MS);
        worked = true;
    }
    return worked;
}

/* One round; true if it is worth another one at once. */
static bool evaluator_turn(struct committer *committer, bool flying)
{
    bool worked;

    if (!flying)
        land(committer);
    accept_jobs(committer);
    worked = evaluate(committer);
    if (committer->overlay_below == NULL && !commit_is_empty(committer->current)) {
        launch(committer);
        worked = true;
    } else if (commit_is_full(committer->current)) {
        worked = false;
    }
    return keep_house(committer) || worked;
}

/* Whether no job is queued and none is at the pool, about to come back. */
static bool is_idle(const struct committer *committer)
{
    return run_queue_count(committer->waiting) == 0 && committer->warming_count == 0 &&
           !backfill_active(committer);
}

static void *evaluator_main(void *context)
{
    struct committer *committer = context;
    bool worked = false;

    for (;;) {
        bool flying = evaluator_wait(committer, worked ? 0 : FOLD_INTERVAL_MS);
        bool stopping = committer_is_stopping(committer);

        worked = evaluator_turn(committer, flying);
        if (!worked && stopping && is_idle(committer))
            break;
    }
    committer_quiesce(committer);
    fold_counters(committer);
    return NULL;
}

/* ---- Start, submit, stop ---- */

static void init_locks(struct committer *committer)
{
    pthread_condattr_t monotonic;

    CHECK(pthread_condattr_init(&monotonic) == 0);
    CHECK(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_mutex_init(&committer->lock, NULL) == 0);
    CHECK(pthread_cond_init(&committer->evaluator_wake, &monotonic) == 0);
    CHECK(pthread_cond_init(&committer->syncer_wake, &monotonic) == 0);
    CHECK(pthread_condattr_destroy(&monotonic) == 0);
}

void committer_init(struct committer *committer, struct engine *engine, uint64_t first_sequence)
{
    committer->engine = engine;
    committer->store = engine->store;
    committer->system = registry_system_scope(engine->registry);
    committer->waiting = run_queue_new();
    inbox_init(&committer->inbox);
    init_locks(committer);
    commit_init(&committer->commits[0], engine->store);
    commit_init(&committer->commits[1], engine->store);
    committer->current = &committer->commits[0];
    committer->current->delta.sequence = first_sequence;
    committer->next_sequence = first_sequence + 1;
}

void committer_start(struct committer *committer)
{
    CHECK(pthread_create(&committer->syncer, NULL, syncer_main, committer) == 0);
    CHECK(pthread_create(&committer->evaluator, NULL, evaluator_main, committer) == 0);
}

/* Sets a flag that both threads look at. */
static void raise_flag(struct committer *committer, bool *flag)
{
    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    *flag = true;
    committer->signalled = true;
    CHECK(pthread_cond_signal(&committer->evaluator_wake) == 0);
    CHECK(pthread_cond_signal(&committer->syncer_wake) == 0);
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
}

void committer_stop(struct committer *committer)
{
    raise_flag(committer, &committer->stopping);
    CHECK(pthread_join(committer->evaluator, NULL) == 0);
    raise_flag(committer, &committer->evaluated);
    CHECK(pthread_join(committer->syncer, NULL) == 0);
}

void committer_deinit(struct committer *committer)
{
    backfill_end_all(committer);
    counter_fold_done(&committer->fold);
    commit_deinit(&committer->commits[0]);
    commit_deinit(&committer->commits[1]);
    run_queue_free(committer->waiting);
    CHECK(pthread_cond_destroy(&committer->evaluator_wake) == 0);
    CHECK(pthread_cond_destroy(&committer->syncer_wake) == 0);
    CHECK(pthread_mutex_destroy(&committer->lock) == 0);
}

void committer_submit(struct committer *committer, struct commit_job *job, enum job_kind kind)
{
    job->kind = (uint8_t)kind;
    if (!inbox_push(&committer->inbox, &job->node))
        return;
    CHECK(pthread_mutex_lock(&committer->lock) == 0);
    committer->signalled = true;
    CHECK(pthread_cond_signal(&committer->evaluator_wake) == 0);
    CHECK(pthread_mutex_unlock(&committer->lock) == 0);
}
