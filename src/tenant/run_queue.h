/*
 * The run queue of one event loop: tasks wait per tenant, and tenants take turns. Inside one tenant
 * it is first come, first served. A tenant without waiting tasks costs nothing.
 */
#ifndef ROWHOUSE_TENANT_RUN_QUEUE_H
#define ROWHOUSE_TENANT_RUN_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* Embedded in whatever waits. */
struct run_task {
    struct run_task *next;
    uint64_t tenant_number;
};

struct run_queue;

/* Empty. One thread uses it. */
struct run_queue *run_queue_new(void);
/* It must be empty. */
void run_queue_free(struct run_queue *queue);
/* The task stays the caller's memory and is queued under its tenant_number until it is popped. */
void run_queue_push(struct run_queue *queue, struct run_task *task);
/* The next task in turn, or NULL. */
struct run_task *run_queue_pop(struct run_queue *queue);
/* Tasks that wait. */
size_t run_queue_count(const struct run_queue *queue);

#endif
