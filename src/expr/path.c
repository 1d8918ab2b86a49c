/* Document paths: text, comparison, overlap. */
#include "base/buf.h"
#include "expr/expr_tree.h"

struct slice path_text(struct arena *arena, struct path path)
{
    struct slice text;
    struct buf buf;

    buf_init(&buf, 64 * 1024);
    for (uint32_t i = 0; i < path.count; i++) {
        buf_printf(&buf, "%s", i == 0 ? "[" : ", ");
        if (path.steps[i].is_index)
            buf_printf(&buf, "[%u]", path.steps[i].index);
        else
            buf_append_slice(&buf, path.steps[i].name);
    }
    BUF_APPEND_LIT(&buf, "]");
    text = arena_copy(arena, buf_slice(&buf));
    buf_deinit(&buf);
    return text;
}

static bool step_equal(const struct path_step *a, const struct path_step *b)
{
    if (a->is_index != b->is_index)
        return false;
    return a->is_index ? a->index == b->index : slice_equal(a->name, b->name);
}

bool path_equal(struct path a, struct path b)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (!step_equal(&a.steps[i], &b.steps[i]))
            return false;
    return true;
}

enum status path_check_overlap(struct arena *arena, const char *kind, struct path one,
                               struct path two, struct error *error)
{
    uint32_t shared = one.count < two.count ? one.count : two.count;
    const char *fault = "overlap";

    for (uint32_t i = 0; i < shared; i++) {
        if (step_equal(&one.steps[i], &two.steps[i]))
            continue;
        if (one.steps[i].is_index == two.steps[i].is_index)
            return ST_OK;
        fault = "conflict";
        break;
    }
    return error_set(error, ERROR_VALIDATION,
                     "Invalid %s: Two document paths %s with each other; must remove or rewrite "
                     "one of these paths; path one: %" PRISLICE ", path two: %" PRISLICE,
                     kind, fault, SLICE_ARG(path_text(arena, one)),
                     SLICE_ARG(path_text(arena, two)));
}

void path_add_root(struct path path, struct slice *names, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        if (slice_equal(names[i], path.steps[0].name))
            return;
    names[(*count)++] = path.steps[0].name;
}
