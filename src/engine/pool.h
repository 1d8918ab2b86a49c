/* Threads for work that may block on the disk. Inside the engine room only. */
#ifndef ROWHOUSE_ENGINE_POOL_H
#define ROWHOUSE_ENGINE_POOL_H

#include "engine/engine.h"

struct pool;

/* Starts 1 to 64 threads. */
struct pool *pool_new(unsigned thread_count);
/* Runs what is queued, then joins the threads. */
void pool_free(struct pool *pool);
/* Queues the task, first come, first served. Any thread. */
void pool_submit(struct pool *pool, struct pool_task *task);

#endif
