/* Document paths: see path.h. */
#include "expr/path.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

#define INDEX_TEXT_SIZE_BYTES_MAX 16

int path_step_compare(const struct path_step *a, const struct path_step *b)
{
    if (a->is_index != b->is_index)
        return a->is_index ? 1 : -1;
    if (a->is_index)
        return a->index < b->index ? -1 : a->index > b->index;
    return slice_compare(a->name, b->name);
}

/* How many steps the two have in common at their beginning. */
static uint32_t shared_steps(struct path a, struct path b)
{
    uint32_t i = 0;

    while (i < a.count && i < b.count && path_step_compare(&a.steps[i], &b.steps[i]) == 0)
        i++;
    return i;
}

int path_compare(struct path a, struct path b)
{
    uint32_t shared = shared_steps(a, b);

    if (shared < a.count && shared < b.count)
        return path_step_compare(&a.steps[shared], &b.steps[shared]);
    return a.count < b.count ? -1 : a.count > b.count;
}

/* Writes the step at `text`, which has room for it; returns its length. */
static size_t step_text(const struct path_step *step, char *text)
{
    int n;

    if (!step->is_index) {
        memcpy(text, step->name.p, step->name.n);
        return step->name.n;
    }
    n = snprintf(text, INDEX_TEXT_SIZE_BYTES_MAX, "[%u]", step->index);
    CHECK(n > 0 && n < INDEX_TEXT_SIZE_BYTES_MAX);
    return (size_t)n;
}

struct slice path_text(struct path path, struct arena *arena)
{
    size_t size_bytes = 3, n = 0;
    char *text;

    for (uint32_t i = 0; i < path.count; i++)
        size_bytes +=
            2 + (path.steps[i].is_index ? INDEX_TEXT_SIZE_BYTES_MAX : path.steps[i].name.n);
    text = arena_alloc(arena, size_bytes);
    text[n++] = '[';
    for (uint32_t i = 0; i < path.count; i++) {
        if (i > 0) {
            text[n++] = ',';
            text[n++] = ' ';
        }
        n += step_text(&path.steps[i], text + n);
    }
    text[n++] = ']';
    return slice_of(text, n);
}

uint32_t path_names_unique(struct slice *names, uint32_t count)
{
    uint32_t kept = 0;

    qsort(names, count, sizeof(names[0]), slice_compare_at);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || !slice_equal(names[kept - 1], names[i]))
            names[kept++] = names[i];
    return kept;
}

/* ---- Sets of paths ---- */

static enum path_relation relate(struct path a, struct path b)
{
    uint32_t shared = shared_steps(a, b);

    if (shared == a.count || shared == b.count)
        return PATHS_OVERLAP;
    return a.steps[shared].is_index == b.steps[shared].is_index ? PATHS_APART : PATHS_CONFLICT;
}

void path_set_init(struct path_set *set, struct arena *arena, uint32_t capacity)
{
    *set = (struct path_set){ARENA_ARRAY(arena, struct path, capacity + 1), 0, capacity};
}

/* Where the path is, or belongs. */
static uint32_t position_of(const struct path_set *set, struct path path)
{
    uint32_t low = 0, high = set->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (path_compare(set->paths[middle], path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Members are apart from each other, so one that is not apart from the path is its neighbour. */
enum path_relation path_set_add(struct path_set *set, struct path path, struct path *ret_other)
{
    uint32_t at = position_of(set, path);

    for (uint32_t i = at == 0 ? 0 : at - 1; i <= at && i < set->count; i++) {
        enum path_relation relation = relate(set->paths[i], path);

        if (relation == PATHS_APART)
            continue;
        *ret_other = set->paths[i];
        return relation;
    }
    CHECK(set->count < set->capacity);
    memmove(set->paths + at + 1, set->paths + at, (set->count - at) * sizeof(set->paths[0]));
    set->paths[at] = path;
    set->count++;
    return PATHS_APART;
}
