/*
 * An inbox: many threads put nodes in, one takes them all out. Lock-free; the nodes are the
 * caller's, embedded in whatever is passed on.
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

void inbox_init(struct inbox *inbox);
/* Any thread. True if the inbox was empty: then its owner has to be woken. */
bool inbox_push(struct inbox *inbox, struct inbox_node *node);
/* The owner: everything that was put in, oldest first, linked by `next`; NULL if nothing was. */
struct inbox_node *inbox_take_all(struct inbox *inbox);

#endif
