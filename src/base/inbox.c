/*
 * The inbox is a stack that is emptied whole and turned around:
 *
 *     newest -> c -> b -> a -> NULL        take_all: a -> b -> c -> NULL
 *
 * Emptying takes every node at once, so a node is never compared against a head that was popped
 * and pushed again meanwhile: the usual trouble of lock-free stacks does not arise.
 *
 * Invariants:
 *  1. What a thread wrote before it pushed is seen by the receiver (release, acquire).
 *  2. Of the pushes between two takes, exactly the first returns true: no wake-up is lost.
 */
#include "base/inbox.h"

#include <stddef.h>

void inbox_init(struct inbox *inbox)
{
    atomic_init(&inbox->newest, NULL);
}

bool inbox_push(struct inbox *inbox, struct inbox_node *node)
{
    struct inbox_node *head = atomic_load_explicit(&inbox->newest, memory_order_relaxed);

    do {
        node->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &head, node,
                                                    memory_order_release, memory_order_relaxed));
    return head == NULL;
}

struct inbox_node *inbox_take_all(struct inbox *inbox)
{
    struct inbox_node *node = atomic_exchange_explicit(&inbox->newest, NULL, memory_order_acquire);
    struct inbox_node *oldest = NULL;

    while (node != NULL) {
        struct inbox_node *older = node->next;

        node->next = oldest;
        oldest = node;
        node = older;
    }
    return oldest;
}

bool inbox_is_empty(const struct inbox *inbox)
{
    return atomic_load_explicit(&inbox->newest, memory_order_relaxed) == NULL;
}
