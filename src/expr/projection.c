/*
 * Projections. The paths are put into a tree of steps once; writing walks tree and item together,
 * so that a map or list with several selected parts is written once, with its parts in order.
 */
#include <stdlib.h>

#include "base/check.h"
#include "expr/lexer.h"

static enum status check_overlaps(struct parser *parser, const struct path *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            TRY(path_check_overlap(parser->arena, parser->kind, paths[i], paths[j], parser->error));
    return ST_OK;
}

static int compare_steps(const struct path_step *a, const struct path_step *b)
{
    if (a->is_index != b->is_index)
        return a->is_index ? 1 : -1;
    if (a->is_index)
        return a->index < b->index ? -1 : a->index > b->index;
    return slice_compare(a->name, b->name);
}

static int compare_paths(const void *a, const void *b)
{
    const struct path *one = a, *two = b;

    for (uint32_t i = 0; i < one->count && i < two->count; i++) {
        int order = compare_steps(&one->steps[i], &two->steps[i]);

        if (order != 0)
            return order;
    }
    return one->count < two->count ? -1 : one->count > two->count;
}

void projection_sort(struct projection *projection)
{
    qsort(projection->paths, projection->count, sizeof(projection->paths[0]), compare_paths);
}

enum status projection_parse(struct arena *arena, struct slice text, struct expr_params *params,
                             struct error *error, struct projection **ret_projection)
{
    struct projection *projection = ARENA_NEW(arena, struct projection);
    struct parser parser;

    TRY(parser_begin(&parser, arena, "ProjectionExpression", text, params, error));
    /* Each path but the last takes at least two bytes of the text. */
    projection->paths = ARENA_ARRAY(arena, struct path, text.n / 2 + 1);
    for (;;) {
        TRY(parser_path(&parser, &projection->paths[projection->count]));
        projection->count++;
        if (!parser_is(&parser, ","))
            break;
        parser_advance(&parser);
    }
    TRY(parser_expect_end(&parser));
    TRY(check_overlaps(&parser, projection->paths, projection->count));
    projection_sort(projection);
    *ret_projection = projection;
    return ST_OK;
}

struct projection *projection_of_names(struct arena *arena, const struct slice *names,
                                       uint32_t count)
{
    struct projection *projection = ARENA_NEW(arena, struct projection);
    struct path_step *steps = ARENA_ARRAY(arena, struct path_step, count + 1);

    projection->paths = ARENA_ARRAY(arena, struct path, count + 1);
    projection->count = count;
    for (uint32_t i = 0; i < count; i++) {
        steps[i].name = names[i];
        projection->paths[i] = (struct path){&steps[i], 1};
    }
    projection_sort(projection);
    return projection;
}

/* ---- Writing ---- */

/* Paths [first, end) share their steps up to `depth`; the next group shares one step more. */
static uint32_t group_end(const struct projection *projection, uint32_t first, uint32_t end,
                          uint32_t depth)
{
    uint32_t at = first + 1;

    while (at < end && compare_steps(&projection->paths[at].steps[depth],
                                     &projection->paths[first].steps[depth]) == 0)
        at++;
    return at;
}

static struct value value_at(struct value container, const struct path_step *step)
{
    return step->is_index ? value_list_at(container, step->index)
                          : value_map_find(container, step->name);
}

// NOLINTBEGIN(misc-no-recursion): as deep as paths are, at most VALUE_DEPTH_MAX + 1
/* Whether any path of the group leads to a value. */
static bool selects(const struct projection *projection, uint32_t first, uint32_t end,
                    uint32_t depth, struct value value)
{
    for (uint32_t i = first; i < end; i++) {
        struct path rest = {projection->paths[i].steps + depth, projection->paths[i].count - depth};
        struct value found = value;

        for (uint32_t s = 0; s < rest.count && found.type != VALUE_ABSENT; s++)
            found = value_at(found, &rest.steps[s]);
        if (found.type != VALUE_ABSENT)
            return true;
    }
    return false;
}

static uint32_t count_groups(const struct projection *projection, uint32_t first, uint32_t end,
                             uint32_t depth, struct value container)
{
    uint32_t count = 0, next;

    for (; first < end; first = next) {
        struct value child = value_at(container, &projection->paths[first].steps[depth]);

        next = group_end(projection, first, end, depth);
        if (child.type != VALUE_ABSENT && selects(projection, first, next, depth + 1, child))
            count++;
    }
    return count;
}

static void write_group(const struct projection *projection, uint32_t first, uint32_t end,
                        uint32_t depth, struct value value, struct value_writer *writer);

static void write_children(const struct projection *projection, uint32_t first, uint32_t end,
                           uint32_t depth, struct value container, struct value_writer *writer)
{
    uint32_t next;

    for (; first < end; first = next) {
        const struct path_step *step = &projection->paths[first].steps[depth];
        struct value child = value_at(container, step);

        next = group_end(projection, first, end, depth);
        if (child.type == VALUE_ABSENT || !selects(projection, first, next, depth + 1, child))
            continue;
        if (!step->is_index)
            writer_name(writer, step->name);
        write_group(projection, first, next, depth + 1, child, writer);
    }
}

static void write_group(const struct projection *projection, uint32_t first, uint32_t end,
                        uint32_t depth, struct value value, struct value_writer *writer)
{
    uint32_t count;

    if (projection->paths[first].count == depth) {
        writer_value(writer, value);
        return;
    }
    count = count_groups(projection, first, end, depth, value);
    if (value.type == VALUE_M)
        writer_begin_map(writer, count);
    else
        writer_begin_list(writer, count);
    write_children(projection, first, end, depth, value, writer);
    writer_end(writer);
}
// NOLINTEND(misc-no-recursion)

void projection_write(const struct projection *projection, struct item item,
                      struct value_writer *writer)
{
    struct value map = item_as_value(item);

    writer_begin_map(writer, count_groups(projection, 0, projection->count, 0, map));
    write_children(projection, 0, projection->count, 0, map, writer);
    writer_end(writer);
}

struct item projection_apply(const struct projection *projection, struct item item,
                             struct arena *arena)
{
    struct value_writer writer;
    struct slice payload;
    struct buf buf;

    buf_init(&buf, 2 * item.payload.n + 64);
    writer_init(&writer, &buf);
    projection_write(projection, item, &writer);
    CHECK(buf_status(&buf) == ST_OK);
    payload = arena_copy(arena, writer_item(&writer, 0).payload);
    buf_deinit(&buf);
    return (struct item){payload};
}

void projection_attributes(const struct projection *projection, struct arena *arena,
                           struct slice **ret_names, uint32_t *ret_count)
{
    *ret_names = ARENA_ARRAY(arena, struct slice, projection->count + 1);
    *ret_count = 0;
    for (uint32_t i = 0; i < projection->count; i++)
        path_add_root(projection->paths[i], *ret_names, ret_count);
}
