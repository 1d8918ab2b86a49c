/*
 * A queue from many threads to one: how work travels between loops, committers and the reader
 * pool. Nodes are embedded in what is sent, so that sending allocates nothing; a node is in at
 * most one inbox at a time and belongs to the receiver once pushed. No locks: a push never waits.
 *
 * The receiver is woken by whoever finds the inbox empty:
 *
 *     if (inbox_push(&loop->inbox, &job->node))
 *         wake(loop);
 */
#ifndef ROWHOUSE_BASE_INBOX_H
#define ROWHOUSE_BASE_INBOX_H

#include <stdatomic.h>
#include <stdbool.h>

struct inbox_node {
    struct inbox_node *next;
};

struct inbox {
    _Atomic(struct inbox_node *) newest;
};

/* Empty; there is nothing to deinit. */
void inbox_init(struct inbox *inbox);
/* Any thread. True when the inbox was empty before: the receiver may be asleep. */
bool inbox_push(struct inbox *inbox, struct inbox_node *node);
/* The receiver alone. All nodes, linked by `next` in the order of their pushes; NULL if none. */
struct inbox_node *inbox_take_all(struct inbox *inbox);
/* Any thread. A hint: a push may be under way. */
bool inbox_is_empty(const struct inbox *inbox);

#endif
