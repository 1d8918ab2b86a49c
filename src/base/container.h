/*
 * From an embedded member back to the struct that holds it: how queues and callbacks that know only
 * a node lead to what the node belongs to.
 */
#ifndef ROWHOUSE_BASE_CONTAINER_H
#define ROWHOUSE_BASE_CONTAINER_H

#include <stddef.h>

/* The `type` whose `member` is at `pointer`, which is not NULL. The compiler warns of a pointer of
 * another type than the member's. */
#define CONTAINER_OF(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(1 ? (pointer) : &((type *)0)->member) - offsetof(type, member)))

#endif
