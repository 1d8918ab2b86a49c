/* What there is to know of an update without applying it, and what it touched. */
#include "expr/expr_tree.h"

bool update_only_removes(const struct update *update)
{
    for (uint32_t i = 0; i < update->count; i++)
        if (update->actions[i].kind == ACTION_SET || update->actions[i].kind == ACTION_ADD)
            return false;
    return true;
}

static bool is_one_of(struct slice name, const struct slice *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (slice_equal(name, names[i]))
            return true;
    return false;
}

enum status update_check_keys(const struct update *update, const struct slice *names,
                              uint32_t count, struct error *error)
{
    for (uint32_t i = 0; i < update->count; i++) {
        struct slice name = update->actions[i].path.steps[0].name;

        if (is_one_of(name, names, count))
            return error_set(error, ERROR_VALIDATION_DATA,
                             "One or more parameter values were invalid: Cannot update attribute "
                             "%" PRISLICE ". This attribute is part of the key",
                             SLICE_ARG(name));
    }
    return ST_OK;
}

struct item update_touched(const struct update *update, struct item image, struct arena *arena)
{
    struct projection written = {update->written.paths, update->written.count};

    return projection_apply(&written, image, arena);
}

// NOLINTBEGIN(misc-no-recursion): terms are at most TREE_DEPTH_MAX deep
/* Adds the first names of the term's paths; returns how many there are, and only that if `names` is
 * NULL. */
static uint32_t collect_roots(const struct term *term, struct slice *names)
{
    uint32_t count = 0;

    if (term == NULL)
        return 0;
    if (term->path.count > 0) {
        if (names != NULL)
            names[count] = term->path.steps[0].name;
        count++;
    }
    count += collect_roots(term->left, names == NULL ? NULL : names + count);
    return count + collect_roots(term->right, names == NULL ? NULL : names + count);
}
// NOLINTEND(misc-no-recursion)

void update_attributes(const struct update *update, struct arena *arena, struct slice **ret_names,
                       uint32_t *ret_count)
{
    uint32_t room = update->count, count = 0;
    struct slice *names;

    for (uint32_t i = 0; i < update->count; i++)
        room += collect_roots(update->actions[i].term, NULL);
    names = ARENA_ARRAY(arena, struct slice, room + 1);
    for (uint32_t i = 0; i < update->count; i++) {
        names[count++] = update->actions[i].path.steps[0].name;
        count += collect_roots(update->actions[i].term, names + count);
    }
    *ret_names = names;
    *ret_count = path_names_unique(names, count);
}
