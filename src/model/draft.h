/*
 * A draft is an item being changed. It starts as a view of the stored item and turns into a tree
 * only along the paths that are written, so that an update costs what it touches; draft_finish
 * encodes it once. A path is a list of steps: attribute names and list indexes.
 */
#ifndef ROWHOUSE_MODEL_DRAFT_H
#define ROWHOUSE_MODEL_DRAFT_H

#include "model/value.h"

struct path_step {
    bool is_index;
    uint32_t index;    /* if is_index */
    struct slice name; /* otherwise */
};

struct path {
    const struct path_step *steps; /* the first is always a name */
    uint32_t count;
};

struct draft;

/* `old` (or ITEM_NONE for an empty item) must stay readable as long as the draft. */
struct draft *draft_new(struct arena *arena, struct item old);
/* Sets the value, which must stay readable as long as the draft. An index past the end appends.
 * ST_INVALID if the parent is missing or of the wrong type ("The document path provided in the
 * update expression is invalid for update"). */
enum status MUST_CHECK draft_set(struct draft *draft, struct path path, struct value value);
/* Removes it; a missing last step (or index past the end) is fine; ST_INVALID if the parent is
 * missing or of the wrong type. List elements removed in one update use the indexes of the list as
 * it was before the update: removals take effect in draft_finish. */
enum status MUST_CHECK draft_remove(struct draft *draft, struct path path);
/* Encodes into the arena. That the item is within ITEM_SIZE_BYTES_MAX and VALUE_DEPTH_MAX is for
 * the caller to see to: only values that together fit an item may be set. */
struct item draft_finish(struct draft *draft);

/* The value at a path of a finished item. */
struct value item_at_path(struct item item, struct path path);

#endif
