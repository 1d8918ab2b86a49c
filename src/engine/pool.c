/* The reader pool: a queue, a lock, a condition and a few threads. */
#include "engine/pool.h"

#include <pthread.h>

#include "base/check.h"
#include "base/container.h"
#include "base/memory.h"

#define THREADS_MAX 64

struct pool {
    pthread_mutex_t lock; /* guards the queue and `stopping` */
    pthread_cond_t wake;
    struct inbox_node *first;
    struct inbox_node **end;
    bool stopping;
    unsigned thread_count;
    pthread_t threads[THREADS_MAX];
};

/* The next task, or NULL when the pool stops and nothing is left. */
static struct pool_task *pool_next(struct pool *pool)
{
    struct inbox_node *node;

    CHECK(pthread_mutex_lock(&pool->lock) == 0);
    while (pool->first == NULL && !pool->stopping)
        CHECK(pthread_cond_wait(&pool->wake, &pool->lock) == 0);
    node = pool->first;
    if (node != NULL) {
        pool->first = node->next;
        if (pool->first == NULL)
            pool->end = &pool->first;
    }
    CHECK(pthread_mutex_unlock(&pool->lock) == 0);
    return node == NULL ? NULL : CONTAINER_OF(node, struct pool_task, node);
}

static void *pool_main(void *context)
{
    struct pool *pool = context;
    struct pool_task *task;

    while ((task = pool_next(pool)) != NULL)
        task->run(task);
    return NULL;
}

struct pool *pool_new(unsigned thread_count)
{
    struct pool *pool = MEM_NEW(struct pool);

    CHECK(thread_count > 0 && thread_count <= THREADS_MAX);
    CHECK(pthread_mutex_init(&pool->lock, NULL) == 0);
    CHECK(pthread_cond_init(&pool->wake, NULL) == 0);
    pool->end = &pool->first;
    pool->thread_count = thread_count;
    for (unsigned i = 0; i < thread_count; i++)
        CHECK(pthread_create(&pool->threads[i], NULL, pool_main, pool) == 0);
    return pool;
}

void pool_free(struct pool *pool)
{
    CHECK(pthread_mutex_lock(&pool->lock) == 0);
    pool->stopping = true;
    CHECK(pthread_cond_broadcast(&pool->wake) == 0);
    CHECK(pthread_mutex_unlock(&pool->lock) == 0);
    for (unsigned i = 0; i < pool->thread_count; i++)
        CHECK(pthread_join(pool->threads[i], NULL) == 0);
    CHECK(pthread_cond_destroy(&pool->wake) == 0);
    CHECK(pthread_mutex_destroy(&pool->lock) == 0);
    mem_free(pool);
}

void pool_submit(struct pool *pool, struct pool_task *task)
{
    CHECK(pthread_mutex_lock(&pool->lock) == 0);
    task->node.next = NULL;
    *pool->end = &task->node;
    pool->end = &task->node.next;
    CHECK(pthread_cond_signal(&pool->wake) == 0);
    CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}
