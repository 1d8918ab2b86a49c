/*
 * Filling new indexes while the table is in use. Inside the engine room only.
 *
 *   ALTER publishes the index as INDEX_CREATING: from then on every write keeps it.
 *   pool:      reads a chunk of item keys  --->  evaluator: re-reads each item through the
 *              overlays and sets its index row  --->  next chunk ...
 *   pool:      counts the rows of a snapshot, while writes count their own ---> INDEX_ACTIVE
 *
 * Setting a row that a write has set meanwhile is harmless, for the item is read at that moment.
 * A mark in the store's system slice (a timer of minute 0) makes an interrupted backfill start
 * again when the engine is opened. So does one that lost rows to a commit that failed.
 */
#ifndef ROWHOUSE_ENGINE_BACKFILL_H
#define ROWHOUSE_ENGINE_BACKFILL_H

#include "engine/committer.h"

/* Adds marks for the indexes that are new in `next` to the batch. */
void backfill_mark(struct committer *committer, const struct table *current,
                   const struct table *next, struct kv_batch *batch);
/* Adds the removal of the mark of an index that is dropped before it is full. */
void backfill_unmark(struct committer *committer, const struct table *table,
                     const struct index *index, struct kv_batch *batch);
/* Starts filling those of the table's indexes that are INDEX_CREATING and not being filled. */
void backfill_start(struct committer *committer, const struct scope *scope, struct table *table);
/* One step of a backfill, on the evaluator. */
void backfill_run(struct committer *committer, struct commit_job *job);
/* Whether any is under way. */
bool backfill_active(const struct committer *committer);
/* At open, before the committer is started: starts what was marked. */
enum status MUST_CHECK backfill_resume(struct committer *committer);
/* Lets go of those that a failure to open left. */
void backfill_end_all(struct committer *committer);

#endif
