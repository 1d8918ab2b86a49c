/*
 * The rows that a commit has changed and the store does not show yet. The committer looks here
 * before it looks into the store.
 */
#ifndef ROWHOUSE_ENGINE_OVERLAY_H
#define ROWHOUSE_ENGINE_OVERLAY_H

#include "base/arena.h"
#include "store/scope.h"

struct overlay_row;

struct overlay {
    struct overlay_row *rows;
};

/* Keys and rows are copied into the arena; an empty `row` says that the row is deleted. */
void overlay_set(struct overlay *overlay, struct arena *arena, const struct scope *scope,
                 struct slice key, struct slice row);
/* False if the overlay knows nothing of the key. */
bool overlay_find(const struct overlay *overlay, const struct scope *scope, struct slice key,
                  struct slice *ret_row);
/* Before the arena is reset. */
void overlay_clear(struct overlay *overlay);

#endif
