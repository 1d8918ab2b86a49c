/*
 * The committer: the one writer of a store. Inside the engine room only.
 *
 *            accept          evaluate            launch           sync, answer
 *   inbox ----------> waiting --------> current ------> in flight -----------> done()
 *   (any thread)      (by tenant)       \____ evaluator ____/     \__ syncer __/
 *
 * While one commit is being synced, the next is evaluated on top of it: its reads look through the
 * overlay of the current commit, then that of the commit in flight, then into the store.
 *
 * Invariants:
 *  1. at most one commit is in flight, and commits reach the store in the order of evaluation;
 *  2. whatever a commit's answers tell (also a failed condition) rests on rows that are durable
 *     when the answers go out, for the commit itself or one before it holds them;
 *  3. a commit evaluated on top of one that failed fails too;
 *  4. while a table change, a fold or a recovery runs, nothing is in flight and current is empty.
 */
#ifndef ROWHOUSE_ENGINE_COMMITTER_H
#define ROWHOUSE_ENGINE_COMMITTER_H

#include <pthread.h>

#include "engine/counters.h"
#include "engine/engine.h"
#include "engine/overlay.h"

#define COMMIT_OPERATIONS_MAX 256
#define COMMIT_SIZE_BYTES_MAX (256 * 1024)
#define FOLD_INTERVAL_MS 1000
#define SWEEP_INTERVAL_MS 5000
#define SWEEP_PAUSE_MS 50 /* while more tokens have expired than one sweep takes */

struct backfill;

enum job_kind { JOB_WRITE, JOB_TABLE, JOB_BACKFILL };

struct commit {
    struct kv_batch *rows;
    struct overlay overlay;
    struct counter_delta delta;
    struct arena arena;       /* the overlay's */
    struct inbox_node *first; /* write requests to answer, in order */
    struct inbox_node **end;
    uint32_t operation_count;
    enum status status;
};

struct committer {
    struct engine *engine;
    struct kv *store;
    const struct scope *system;
    struct inbox inbox;
    pthread_t evaluator;
    pthread_t syncer;

    pthread_mutex_t lock; /* guards this block */
    pthread_cond_t evaluator_wake;
    pthread_cond_t syncer_wake;
    bool signalled;        /* something happened that the evaluator should look at */
    bool stopping;         /* the evaluator ends when nothing is left */
    bool evaluated;        /* the evaluator has ended: nothing will be launched any more */
    struct commit *flight; /* set by the evaluator, cleared by the syncer */

    struct commit commits[2]; /* the rest is the evaluator's */
    struct commit *current;
    struct commit *overlay_below; /* the one launched last, until seen to be finished */
    struct run_queue *waiting;
    struct backfill *backfills;
    uint32_t warming_count; /* requests whose rows the pool reads */
    uint64_t failed_count;  /* commits that failed; a backfill looks whether one was its own */
    uint64_t next_sequence; /* no two evaluations of a commit share one */
    int64_t next_fold_ms;
    int64_t next_sweep_ms;
    struct counter_fold fold; /* the syncer's while a commit is in flight */
};

/* Of a zeroed struct. `engine` has its store, registry, catalogue and pool; `first_sequence` is the
 * first number of a commit that was never used. Starts no thread. */
void committer_init(struct committer *committer, struct engine *engine, uint64_t first_sequence);
/* Starts the threads. */
void committer_start(struct committer *committer);
/* Finishes what is queued, folds, stops the threads. */
void committer_stop(struct committer *committer);
/* When it is stopped (or was not started) and so is the reader pool, whose threads submit jobs. */
void committer_deinit(struct committer *committer);
/* Any thread. */
void committer_submit(struct committer *committer, struct commit_job *job, enum job_kind kind);

/* ---- For jobs, on the evaluator ---- */

/* The newest row of a key, through the overlays, copied into the arena. ST_NOT_FOUND if deleted. */
enum status MUST_CHECK commit_read(struct committer *committer, const struct scope *scope,
                                   struct slice key, enum kv_mode mode, struct arena *arena,
                                   struct slice *ret_row);
/* Changes a row that later evaluations read again. An empty row deletes. */
void commit_set(struct committer *committer, const struct scope *scope, struct slice key,
                struct slice row);
/* Changes a row that no evaluation reads (index rows, timers). */
void commit_set_blind(struct committer *committer, const struct scope *scope, struct slice key,
                      struct slice row);
/* True once committer_stop was called: background jobs give up. */
bool committer_is_stopping(struct committer *committer);
/* Waits until nothing is in flight and current is empty (invariant 4). */
void committer_quiesce(struct committer *committer);

/* Evaluates a request (write.c): ST_OK when it belongs to the current commit and is to be answered
 * with it; ST_WOULD_BLOCK when it must be warmed first; another status fails the request. */
enum status MUST_CHECK write_evaluate(struct committer *committer, struct write_request *request);
/* Runs a table change (table_change.c) to its end, answer included. */
void table_change_run(struct committer *committer, struct table_change *change);

#endif
