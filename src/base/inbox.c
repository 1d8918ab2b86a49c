/* A stack that is pushed with one compare-and-swap and taken whole, then turned around. */
#include "base/inbox.h"

#include <stddef.h>

void inbox_init(struct inbox *inbox)
{
    atomic_init(&inbox->newest, NULL);
}

bool inbox_push(struct inbox *inbox, struct inbox_node *node)
{
    struct inbox_node *newest = atomic_load_explicit(&inbox->newest, memory_order_relaxed);

    do {
        node->next = newest;
    } while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &newest, node,
                                                    memory_order_release, memory_order_relaxed));
    return newest == NULL;
}

struct inbox_node *inbox_take_all(struct inbox *inbox)
{
    struct inbox_node *node = atomic_exchange_explicit(&inbox->newest, NULL, memory_order_acquire);
    struct inbox_node *oldest_first = NULL;

    while (node != NULL) {
        struct inbox_node *next = node->next;

        node->next = oldest_first;
        oldest_first = node;
        node = next;
    }
    return oldest_first;
}
