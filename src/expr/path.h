/*
 * Document paths: their order, their text, and sets of paths of which none contains another.
 *
 * Paths are ordered step by step, names before indexes, a path before its extensions. So the paths
 * that lie below another stand right behind it, and those of one container stand together.
 */
#ifndef ROWHOUSE_EXPR_PATH_H
#define ROWHOUSE_EXPR_PATH_H

#include "base/arena.h"
#include "model/draft.h"

/* How deep a path may lead: as deep as values nest. */
#define PATH_STEPS_MAX VALUE_DEPTH_MAX

/* <0, 0 or >0 in the order above. */
int path_step_compare(const struct path_step *a, const struct path_step *b);
int path_compare(struct path a, struct path b);

/* The path without its first `count` steps (at most all). */
static inline struct path path_from(struct path path, uint32_t count)
{
    return (struct path){path.steps + count, path.count - count};
}

/* "[a, b, [0]]": how messages show a path. In the arena. */
struct slice path_text(struct path path, struct arena *arena);

/* Sorts the names and drops repeated ones; returns how many remain. */
uint32_t path_names_unique(struct slice *names, uint32_t count);

enum path_relation {
    PATHS_APART,
    PATHS_OVERLAP, /* one leads to the other or into it */
    PATHS_CONFLICT /* they use one value as a map and as a list */
};

/* Sorted paths, pairwise apart. Room for `capacity` is given at init. */
struct path_set {
    struct path *paths;
    uint32_t count;
    uint32_t capacity;
};

/* Empty, in the arena. */
void path_set_init(struct path_set *set, struct arena *arena, uint32_t capacity);
/* Adds the path if it is apart from all others; else says how it relates to `ret_other`. */
enum path_relation path_set_add(struct path_set *set, struct path path, struct path *ret_other);

#endif
