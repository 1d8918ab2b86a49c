/*
 * Applying updates: every action is computed over the item as it was, then all results are put
 * into a draft of it.
 *
 * Invariants:
 *  1. an operand never sees what another action of the same update writes;
 *  2. results that no item has room for are refused before they are built, so that a short
 *     expression over large values cannot fill the memory;
 *  3. values in a new item nest at most VALUE_DEPTH_MAX deep;
 *  4. the draft's tree goes with the update, for many of them may wait for one commit and an open
 *     list takes twenty times its bytes.
 */
#include "base/check.h"
#include "expr/expr_tree.h"

/* One application of an update. */
struct application {
    struct item old;
    struct arena *arena;
    struct error *error;
    size_t written_bytes; /* what the values set so far take in an item, at least */
};

static enum status refuse(struct application *application, const char *message)
{
    return error_set(application->error, ERROR_VALIDATION_DATA, "%s", message);
}

static enum status refuse_type(struct application *application)
{
    return refuse(application, "An operand in the update expression has an incorrect data type");
}

static enum status refuse_path(struct application *application)
{
    return refuse(application,
                  "The document path provided in the update expression is invalid for update");
}

/* Counts bytes that the new item cannot do without. */
static enum status claim(struct application *application, size_t size_bytes)
{
    application->written_bytes += size_bytes;
    if (application->written_bytes > ITEM_SIZE_BYTES_MAX)
        return refuse(application, "Item size to update has exceeded the maximum allowed size");
    return ST_OK;
}

/* ---- Numbers, lists and sets ---- */

static enum status compute(struct application *application, enum term_kind kind, struct value left,
                           struct value right, struct value *ret_value)
{
    struct number a, b, result;
    enum number_fault fault;
    bool takes_text;

    if (left.type != VALUE_N || right.type != VALUE_N)
        return refuse_type(application);
    a = value_number(left);
    b = value_number(right);
    fault = kind == TERM_PLUS ? number_add(&a, &b, &result) : number_subtract(&a, &b, &result);
    if (fault != NUMBER_FINE)
        return refuse(application, number_fault_format(fault, &takes_text));
    *ret_value = value_make_number(application->arena, &result);
    return ST_OK;
}

/* Room for a value made of parts of two others. */
static void begin_value(struct buf *buf, struct value_writer *writer, struct value a,
                        struct value b)
{
    buf_init(buf, a.payload.n + b.payload.n + 64);
    writer_init(writer, buf);
}

static struct value end_value(struct buf *buf, struct arena *arena)
{
    struct slice bytes = arena_copy(arena, buf_slice(buf));
    struct value value;
    size_t size_bytes;

    CHECK(buf_status(buf) == ST_OK);
    buf_deinit(buf);
    CHECK(value_read(bytes, &value, &size_bytes) == ST_OK);
    return value;
}

static void write_elements(struct value list, struct value_writer *writer)
{
    uint32_t count = value_count(list);

    for (uint32_t i = 0; i < count; i++)
        writer_value(writer, value_list_at(list, i));
}

static enum status append_lists(struct application *application, struct value left,
                                struct value right, struct value *ret_value)
{
    struct value_writer writer;
    struct buf buf;

    if (left.type != VALUE_L || right.type != VALUE_L)
        return refuse_type(application);
    if (value_size(left) + value_size(right) > ITEM_SIZE_BYTES_MAX)
        return claim(application, ITEM_SIZE_BYTES_MAX + 1);
    begin_value(&buf, &writer, left, right);
    writer_begin_list(&writer, value_count(left) + value_count(right));
    write_elements(left, &writer);
    write_elements(right, &writer);
    writer_end(&writer);
    *ret_value = end_value(&buf, application->arena);
    return ST_OK;
}

/* An element of a set, and what follows it. */
struct cursor {
    struct value set;
    size_t at;
    struct slice element;
    bool valid;
};

static void cursor_next(struct cursor *cursor)
{
    cursor->valid = value_set_next(cursor->set, &cursor->at, &cursor->element);
}

static struct cursor cursor_of(struct value set)
{
    struct cursor cursor = {.set = set};

    cursor_next(&cursor);
    return cursor;
}

static int compare_cursors(const struct cursor *a, const struct cursor *b)
{
    if (!a->valid || !b->valid)
        return a->valid ? -1 : 1;
    return slice_compare(a->element, b->element);
}

/* Merges two sorted sets: all elements of both, or those of `a` that are not in `b`. */
static uint32_t merge(struct value set_a, struct value set_b, bool keep_b, struct slice *elements)
{
    struct cursor a = cursor_of(set_a), b = cursor_of(set_b);
    uint32_t count = 0;

    while (a.valid || (b.valid && keep_b)) {
        int order = compare_cursors(&a, &b);

        if (order < 0 || (order == 0 && keep_b))
            elements[count++] = a.element;
        else if (order > 0 && keep_b)
            elements[count++] = b.element;
        if (order <= 0)
            cursor_next(&a);
        if (order >= 0)
            cursor_next(&b);
    }
    return count;
}

/* The union or the difference; VALUE_NONE if no element is left. */
static struct value combine_sets(struct arena *arena, struct value a, struct value b, bool keep_b)
{
    size_t room = (size_t)value_count(a) + (keep_b ? value_count(b) : 0);
    struct slice *elements = ARENA_ARRAY(arena, struct slice, room);
    uint32_t count = merge(a, b, keep_b, elements);
    struct value_writer writer;
    struct buf buf;

    if (count == 0)
        return VALUE_NONE;
    begin_value(&buf, &writer, a, b);
    CHECK(writer_set(&writer, a.type, elements, count) == ST_OK);
    return end_value(&buf, arena);
}

/* ---- Results of actions ---- */

static enum status existing_value(struct application *application, struct path path,
                                  struct value *ret_value)
{
    struct value value = item_at_path(application->old, path);

    if (value.type == VALUE_ABSENT)
        return refuse(application, "The provided expression refers to an attribute that does not "
                                   "exist in the item");
    *ret_value = value;
    return ST_OK;
}

// NOLINTBEGIN(misc-no-recursion): terms are at most TREE_DEPTH_MAX deep

static enum status term_value(struct application *application, const struct term *term,
                              struct value *ret_value);

static enum status pair_value(struct application *application, const struct term *term,
                              struct value *ret_value)
{
    struct value left, right;

    TRY(term_value(application, term->left, &left));
    TRY(term_value(application, term->right, &right));
    if (term->kind == TERM_LIST_APPEND)
        return append_lists(application, left, right, ret_value);
    return compute(application, term->kind, left, right, ret_value);
}

static enum status term_value(struct application *application, const struct term *term,
                              struct value *ret_value)
{
    switch (term->kind) {
    case TERM_PATH:
        return existing_value(application, term->path, ret_value);
    case TERM_VALUE:
        *ret_value = term->value;
        return ST_OK;
    case TERM_IF_NOT_EXISTS:
        *ret_value = item_at_path(application->old, term->path);
        if (ret_value->type != VALUE_ABSENT)
            return ST_OK;
        return term_value(application, term->left, ret_value);
    case TERM_LIST_APPEND:
    case TERM_PLUS:
    case TERM_MINUS:
        return pair_value(application, term, ret_value);
    }
    CHECK(!"a known kind of term");
    return ST_INVALID;
}
// NOLINTEND(misc-no-recursion)

static enum status added_value(struct application *application, const struct action *action,
                               struct value *ret_value)
{
    struct value old = item_at_path(application->old, action->path);

    if (old.type == VALUE_ABSENT) {
        *ret_value = action->value;
        return ST_OK;
    }
    if (old.type != action->value.type)
        return refuse_type(application);
    if (old.type == VALUE_N)
        return compute(application, TERM_PLUS, old, action->value, ret_value);
    *ret_value = combine_sets(application->arena, old, action->value, true);
    return ST_OK;
}

static enum status reduced_value(struct application *application, const struct action *action,
                                 struct value *ret_value)
{
    struct value old = item_at_path(application->old, action->path);

    *ret_value = VALUE_NONE;
    if (old.type == VALUE_ABSENT)
        return ST_OK;
    if (old.type != action->value.type)
        return refuse_type(application);
    *ret_value = combine_sets(application->arena, old, action->value, false);
    return ST_OK;
}

/* VALUE_NONE for what is to be removed. */
static enum status action_value(struct application *application, const struct action *action,
                                struct value *ret_value)
{
    switch (action->kind) {
    case ACTION_SET:
        return term_value(application, action->term, ret_value);
    case ACTION_ADD:
        return added_value(application, action, ret_value);
    case ACTION_DELETE:
        return reduced_value(application, action, ret_value);
    case ACTION_REMOVE:
        *ret_value = VALUE_NONE;
        return ST_OK;
    }
    CHECK(!"a known kind of action");
    return ST_INVALID;
}

/* ---- Putting them into the item ---- */

// NOLINTBEGIN(misc-no-recursion): values are at most VALUE_DEPTH_MAX deep

/* Whether the value nests at most `levels` deep; a scalar is one level. */
static bool fits_levels(struct value value, uint32_t levels)
{
    uint32_t count = value.type == VALUE_L || value.type == VALUE_M ? value_count(value) : 0;
    struct slice name;

    if (levels == 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct value child =
            value.type == VALUE_L ? value_list_at(value, i) : value_map_at(value, i, &name);

        if (!fits_levels(child, levels - 1))
            return false;
    }
    return true;
}
// NOLINTEND(misc-no-recursion)

/* Values come from requests and items, where they fit at the top level; only below it may they
 * reach too deep. */
static enum status check_levels(struct application *application, struct path path,
                                struct value value)
{
    if (path.count == 1 || fits_levels(value, VALUE_DEPTH_MAX - (path.count - 1)))
        return ST_OK;
    return refuse(application, "Nesting Levels have exceeded supported limits: Attributes in the "
                               "item have nested levels beyond supported limit");
}

static enum status put_value(struct application *application, struct draft *draft, struct path path,
                             struct value value)
{
    TRY(claim(application, value_size(value)));
    TRY(check_levels(application, path, value));
    return draft_set(draft, path, value) == ST_OK ? ST_OK : refuse_path(application);
}

static enum status apply_action(struct application *application, struct draft *draft,
                                const struct action *action)
{
    struct value value = VALUE_NONE;

    TRY(action_value(application, action, &value));
    if (value.type != VALUE_ABSENT)
        return put_value(application, draft, action->path, value);
    return draft_remove(draft, action->path) == ST_OK ? ST_OK : refuse_path(application);
}

static enum status apply_actions(const struct update *update, struct application *application,
                                 struct arena *scratch, struct item *ret_new)
{
    struct draft *draft = draft_new(scratch, application->old);

    for (uint32_t i = 0; i < update->count; i++)
        TRY(apply_action(application, draft, &update->actions[i]));
    ret_new->payload = arena_copy(application->arena, draft_finish(draft).payload);
    return ST_OK;
}

enum status update_apply(const struct update *update, struct item old, bool exists,
                         struct arena *arena, struct error *error, struct item *ret_new)
{
    struct application application = {old, arena, error, 0};
    struct arena scratch;
    enum status status;

    /* There is nothing to remove from, so paths that lead nowhere are no fault. */
    if (!exists && update_only_removes(update)) {
        *ret_new = old;
        return ST_OK;
    }
    arena_init(&scratch, 0);
    status = apply_actions(update, &application, &scratch, ret_new);
    arena_deinit(&scratch);
    return status;
}
