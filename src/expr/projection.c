/*
 * Projections. Their paths are sorted once; writing then walks paths and item together. A run of
 * paths that begin alike selects from one container, which is written once with all its parts:
 *
 *   a.b, a.c[0], a.c[2], d     run a { b, run c { 0, 2 } }, d
 */
#include "base/check.h"
#include "expr/parser.h"

/* Paths [first, end) that share their first `depth` steps. */
struct run {
    const struct path *paths;
    uint32_t first;
    uint32_t end;
    uint32_t depth;
};

/* ---- Making ---- */

static enum status parse_paths(struct parser *parser, struct path_set *set)
{
    do {
        struct path path, other = {0};
        enum path_relation relation;

        TRY(parser_path(parser, &path));
        relation = path_set_add(set, path, &other);
        parser_note_relation(parser, relation, other, path);
    } while (parser_accept(parser, TOKEN_COMMA));
    return ST_OK;
}

enum status projection_parse(struct arena *arena, struct slice text, struct expr_params *params,
                             struct error *error, struct projection **ret_projection)
{
    static const enum fault order[] = {FAULT_RESERVED_WORD, FAULT_NAME, FAULT_PATHS, FAULT_NONE};
    struct projection *projection;
    struct parser parser;
    struct path_set set;

    TRY(parser_begin(&parser, arena, "ProjectionExpression", text, params, error));
    /* Each path but the last takes at least two bytes of the text. */
    path_set_init(&set, arena, (uint32_t)text.n / 2 + 1);
    TRY(parse_paths(&parser, &set));
    TRY(parser_end(&parser, order));
    projection = ARENA_NEW(arena, struct projection);
    *projection = (struct projection){set.paths, set.count};
    *ret_projection = projection;
    return ST_OK;
}

struct projection *projection_of_names(struct arena *arena, const struct slice *names,
                                       uint32_t count)
{
    struct projection *projection = ARENA_NEW(arena, struct projection);
    struct path_step *steps = ARENA_ARRAY(arena, struct path_step, count + 1);
    struct path *paths = ARENA_ARRAY(arena, struct path, count + 1);
    struct slice *sorted = ARENA_ARRAY(arena, struct slice, count + 1);

    if (count > 0)
        memcpy(sorted, names, count * sizeof(names[0]));
    count = path_names_unique(sorted, count);
    for (uint32_t i = 0; i < count; i++) {
        steps[i].name = sorted[i];
        paths[i] = (struct path){&steps[i], 1};
    }
    *projection = (struct projection){paths, count};
    return projection;
}

/* ---- Writing ---- */

/* The run within `run` that begins at `first` and shares one step more. */
static struct run inner_run(struct run run, uint32_t first)
{
    const struct path_step *step = &run.paths[first].steps[run.depth];
    uint32_t end = first + 1;

    while (end < run.end && path_step_compare(&run.paths[end].steps[run.depth], step) == 0)
        end++;
    return (struct run){run.paths, first, end, run.depth + 1};
}

static struct value value_at(struct value container, const struct path_step *step)
{
    return step->is_index ? value_list_at(container, step->index)
                          : value_map_find(container, step->name);
}

static bool leads_somewhere(struct value value, struct path rest)
{
    for (uint32_t i = 0; i < rest.count && value.type != VALUE_ABSENT; i++)
        value = value_at(value, &rest.steps[i]);
    return value.type != VALUE_ABSENT;
}

/* Whether any path of the run leads from `value` to another. */
static bool selects(struct run run, struct value value)
{
    for (uint32_t i = run.first; i < run.end; i++)
        if (leads_somewhere(value, path_from(run.paths[i], run.depth)))
            return true;
    return false;
}

static uint32_t count_parts(struct run run, struct value container)
{
    uint32_t count = 0;

    for (uint32_t at = run.first; at < run.end;) {
        struct run inner = inner_run(run, at);

        if (selects(inner, value_at(container, &run.paths[at].steps[run.depth])))
            count++;
        at = inner.end;
    }
    return count;
}

// NOLINTBEGIN(misc-no-recursion): as deep as paths are, at most PATH_STEPS_MAX

static void write_parts(struct run run, struct value container, struct value_writer *writer);

static void write_selected(struct run run, struct value value, struct value_writer *writer)
{
    if (run.paths[run.first].count == run.depth) {
        writer_value(writer, value);
        return;
    }
    if (value.type == VALUE_M)
        writer_begin_map(writer, count_parts(run, value));
    else
        writer_begin_list(writer, count_parts(run, value));
    write_parts(run, value, writer);
    writer_end(writer);
}

static void write_parts(struct run run, struct value container, struct value_writer *writer)
{
    for (uint32_t at = run.first; at < run.end;) {
        const struct path_step *step = &run.paths[at].steps[run.depth];
        struct value value = value_at(container, step);
        struct run inner = inner_run(run, at);

        if (selects(inner, value)) {
            if (!step->is_index)
                writer_name(writer, step->name);
            write_selected(inner, value, writer);
        }
        at = inner.end;
    }
}
// NOLINTEND(misc-no-recursion)

void projection_write(const struct projection *projection, struct item item,
                      struct value_writer *writer)
{
    struct run all = {projection->paths, 0, projection->count, 0};
    struct value map = item_as_value(item);

    writer_begin_map(writer, count_parts(all, map));
    write_parts(all, map, writer);
    writer_end(writer);
}

struct item projection_apply(const struct projection *projection, struct item item,
                             struct arena *arena)
{
    struct value_writer writer;
    struct slice payload;
    struct buf buf;

    /* A part takes no more room than it did in the item, but for the frame of an empty one. */
    buf_init(&buf, item.payload.n + 64);
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
    struct slice *names = ARENA_ARRAY(arena, struct slice, projection->count + 1);

    for (uint32_t i = 0; i < projection->count; i++)
        names[i] = projection->paths[i].steps[0].name;
    *ret_names = names;
    *ret_count = path_names_unique(names, projection->count);
}
