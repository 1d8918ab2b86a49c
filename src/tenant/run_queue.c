/*
 * Tenants that have waiting tasks stand in a ring; a pop takes the first task of the first tenant
 * and sends that tenant to the back. A tenant leaves the ring, and memory, with its last task.
 *
 * Invariant: a tenant is in the hash table and in the ring exactly while it has a task.
 */
#include "tenant/run_queue.h"

#include <uthash.h>
#include <utlist.h>

#include "base/check.h"
#include "base/memory.h"

#define SPARE_COUNT_MAX 256

struct waiting {
    uint64_t tenant_number;
    struct run_task *first;
    struct run_task *last;
    struct waiting *prev; /* the ring */
    struct waiting *next;
    UT_hash_handle hh;
};

struct run_queue {
    struct waiting *by_tenant;
    struct waiting *ring;
    struct waiting *spare; /* singly linked by `next`, to spare the allocator */
    size_t spare_count;
    size_t count;
};

struct run_queue *run_queue_new(void)
{
    return MEM_NEW(struct run_queue);
}

void run_queue_free(struct run_queue *queue)
{
    CHECK(queue->count == 0);
    while (queue->spare != NULL) {
        struct waiting *waiting = queue->spare;

        queue->spare = waiting->next;
        mem_free(waiting);
    }
    mem_free(queue);
}

static struct waiting *waiting_take(struct run_queue *queue)
{
    struct waiting *waiting = queue->spare;

    if (waiting == NULL)
        return MEM_NEW(struct waiting);
    queue->spare = waiting->next;
    queue->spare_count--;
    memset(waiting, 0, sizeof(*waiting));
    return waiting;
}

static void waiting_give(struct run_queue *queue, struct waiting *waiting)
{
    if (queue->spare_count >= SPARE_COUNT_MAX) {
        mem_free(waiting);
        return;
    }
    waiting->next = queue->spare;
    queue->spare = waiting;
    queue->spare_count++;
}

void run_queue_push(struct run_queue *queue, struct run_task *task)
{
    struct waiting *waiting = NULL;

    task->next = NULL;
    queue->count++;
    HASH_FIND(hh, queue->by_tenant, &task->tenant_number, sizeof(uint64_t), waiting);
    if (waiting != NULL) {
        waiting->last->next = task;
        waiting->last = task;
        return;
    }
    waiting = waiting_take(queue);
    waiting->tenant_number = task->tenant_number;
    waiting->first = waiting->last = task;
    HASH_ADD(hh, queue->by_tenant, tenant_number, sizeof(uint64_t), waiting);
    DL_APPEND(queue->ring, waiting);
}

struct run_task *run_queue_pop(struct run_queue *queue)
{
    struct waiting *waiting = queue->ring;
    struct run_task *task;

    if (waiting == NULL)
        return NULL;
    task = waiting->first;
    waiting->first = task->next;
    queue->count--;
    DL_DELETE(queue->ring, waiting);
    if (waiting->first != NULL) {
        DL_APPEND(queue->ring, waiting);
        return task;
    }
    HASH_DEL(queue->by_tenant, waiting);
    waiting_give(queue, waiting);
    return task;
}

size_t run_queue_count(const struct run_queue *queue)
{
    return queue->count;
}
