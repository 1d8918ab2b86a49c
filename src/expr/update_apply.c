/*
 * Applying updates. All operands read the item as it was; the results go into a draft. ADD and
 * DELETE are the set and number arithmetic of their own.
 */
#include <stdlib.h>

#include "base/check.h"
#include "expr/expr_tree.h"

static const char wrong_type[] = "An operand in the update expression has an incorrect data type";
static const char wrong_path[] =
    "The document path provided in the update expression is invalid for update";

static enum status refuse(struct error *error, const char *message)
{
    return error_set(error, ERROR_VALIDATION_DATA, "%s", message);
}

/* ---- Values of terms ---- */

/* What a term is computed over. */
struct terms {
    struct item old;
    struct arena *arena;
    struct error *error;
};

static enum status compute(const struct terms *terms, enum term_kind kind, struct value left,
                           struct value right, struct value *ret_value)
{
    struct number a, b, result;
    enum number_fault fault;
    bool takes_text;

    if (left.type != VALUE_N || right.type != VALUE_N)
        return refuse(terms->error, wrong_type);
    a = value_number(left);
    b = value_number(right);
    fault = kind == TERM_PLUS ? number_add(&a, &b, &result) : number_subtract(&a, &b, &result);
    if (fault != NUMBER_FINE)
        return refuse(terms->error, number_fault_format(fault, &takes_text));
    *ret_value = value_make_number(terms->arena, &result);
    return ST_OK;
}

static struct value encoded_value(struct arena *arena, struct buf *buf)
{
    struct slice bytes = arena_copy(arena, buf_slice(buf));
    struct value value;
    size_t size_bytes;

    CHECK(buf_status(buf) == ST_OK);
    CHECK(value_read(bytes, &value, &size_bytes) == ST_OK);
    buf_deinit(buf);
    return value;
}

static enum status append_lists(const struct terms *terms, struct value left, struct value right,
                                struct value *ret_value)
{
    struct value_writer writer;
    struct buf buf;

    if (left.type != VALUE_L || right.type != VALUE_L)
        return refuse(terms->error, wrong_type);
    buf_init(&buf, 64u * 1024 * 1024);
    writer_init(&writer, &buf);
    writer_begin_list(&writer, value_count(left) + value_count(right));
    for (uint32_t i = 0; i < value_count(left); i++)
        writer_value(&writer, value_list_at(left, i));
    for (uint32_t i = 0; i < value_count(right); i++)
        writer_value(&writer, value_list_at(right, i));
    writer_end(&writer);
    *ret_value = encoded_value(terms->arena, &buf);
    return ST_OK;
}

// NOLINTBEGIN(misc-no-recursion): the parser bounds the depth of terms
static enum status term_value(const struct terms *terms, const struct term *term,
                              struct value *ret_value)
{
    struct value left, right;
    uint8_t scratch[NUMBER_ORDERED_SIZE_MAX];

    if (term->kind == TERM_OPERAND) {
        *ret_value = operand_value(&term->operand, terms->old, scratch);
        if (ret_value->type == VALUE_ABSENT)
            return refuse(terms->error, "The provided expression refers to an attribute that does "
                                        "not exist in the item");
        return ST_OK;
    }
    if (term->kind == TERM_IF_NOT_EXISTS) {
        *ret_value = item_at_path(terms->old, term->path);
        return ret_value->type != VALUE_ABSENT ? ST_OK : term_value(terms, term->left, ret_value);
    }
    TRY(term_value(terms, term->left, &left));
    TRY(term_value(terms, term->right, &right));
    if (term->kind == TERM_LIST_APPEND)
        return append_lists(terms, left, right, ret_value);
    return compute(terms, term->kind, left, right, ret_value);
}
// NOLINTEND(misc-no-recursion)

/* ---- Sets ---- */

/* Writes the elements of `a` and, if `b_too`, those of `b`; without the latter if not. VALUE_NONE
 * if nothing is left. */
static struct value combine_sets(struct arena *arena, struct value a, struct value b, bool b_too)
{
    struct slice *elements =
        ARENA_ARRAY(arena, struct slice, (size_t)value_count(a) + value_count(b) + 1);
    struct value_writer writer;
    struct slice element;
    uint32_t count = 0;
    struct buf buf;
    size_t at = 0;

    while (value_set_next(a, &at, &element))
        if (b_too || !value_set_contains(b, element))
            elements[count++] = element;
    at = 0;
    while (b_too && value_set_next(b, &at, &element))
        if (!value_set_contains(a, element))
            elements[count++] = element;
    if (count == 0)
        return VALUE_NONE;
    buf_init(&buf, 64u * 1024 * 1024);
    writer_init(&writer, &buf);
    CHECK(writer_set(&writer, a.type, elements, count) == ST_OK);
    return encoded_value(arena, &buf);
}

static enum status added_value(const struct terms *terms, const struct action *action,
                               struct value *ret_value)
{
    struct value old = item_at_path(terms->old, action->path);

    if (old.type == VALUE_ABSENT) {
        *ret_value = action->value;
        return ST_OK;
    }
    if (old.type != action->value.type)
        return refuse(terms->error, wrong_type);
    if (old.type == VALUE_N)
        return compute(terms, TERM_PLUS, old, action->value, ret_value);
    *ret_value = combine_sets(terms->arena, old, action->value, true);
    return ST_OK;
}

/* ---- Actions ---- */

static enum status check_path(const struct terms *terms, enum status status)
{
    return status == ST_INVALID ? refuse(terms->error, wrong_path) : status;
}

static enum status apply_set(const struct terms *terms, struct draft *draft,
                             const struct action *action)
{
    struct value value;

    if (action->kind == ACTION_SET)
        TRY(term_value(terms, action->term, &value));
    else
        TRY(added_value(terms, action, &value));
    return check_path(terms, draft_set(draft, action->path, value));
}

static enum status apply_delete(const struct terms *terms, struct draft *draft,
                                const struct action *action)
{
    struct value old = item_at_path(terms->old, action->path), rest;

    if (old.type == VALUE_ABSENT)
        return ST_OK;
    if (old.type != action->value.type)
        return refuse(terms->error, wrong_type);
    rest = combine_sets(terms->arena, old, action->value, false);
    if (rest.type == VALUE_ABSENT)
        return check_path(terms, draft_remove(draft, action->path));
    return check_path(terms, draft_set(draft, action->path, rest));
}

static enum status apply_action(const struct terms *terms, struct draft *draft,
                                const struct action *action)
{
    switch (action->kind) {
    case ACTION_SET:
    case ACTION_ADD:
        return apply_set(terms, draft, action);
    case ACTION_REMOVE:
        return check_path(terms, draft_remove(draft, action->path));
    case ACTION_DELETE:
        return apply_delete(terms, draft, action);
    }
    return ST_INVALID;
}

enum status update_apply(const struct update *update, struct item old, bool exists,
                         struct arena *arena, struct error *error, struct item *ret_new)
{
    struct terms terms = {old, arena, error};
    struct draft *draft;

    /* Nothing to remove from: paths that lead nowhere are no fault then. */
    if (!exists && update_only_removes(update)) {
        *ret_new = old;
        return ST_OK;
    }
    draft = draft_new(arena, old);
    for (uint32_t i = 0; i < update->count; i++)
        TRY(apply_action(&terms, draft, &update->actions[i]));
    *ret_new = draft_finish(draft);
    return ST_OK;
}

bool update_only_removes(const struct update *update)
{
    for (uint32_t i = 0; i < update->count; i++)
        if (update->actions[i].kind == ACTION_SET || update->actions[i].kind == ACTION_ADD)
            return false;
    return true;
}

enum status update_check_keys(const struct update *update, const struct slice *names,
                              uint32_t count, struct error *error)
{
    for (uint32_t i = 0; i < update->count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (slice_equal(update->actions[i].path.steps[0].name, names[j]))
                return error_set(error, ERROR_VALIDATION_DATA,
                                 "One or more parameter values were invalid: Cannot update "
                                 "attribute %" PRISLICE ". This attribute is part of the key",
                                 SLICE_ARG(names[j]));
    return ST_OK;
}

struct item update_touched(const struct update *update, struct item image, struct arena *arena)
{
    struct projection *projection = ARENA_NEW(arena, struct projection);

    projection->paths = ARENA_ARRAY(arena, struct path, update->count + 1);
    projection->count = update->count;
    for (uint32_t i = 0; i < update->count; i++)
        projection->paths[i] = update->actions[i].path;
    projection_sort(projection);
    return projection_apply(projection, image, arena);
}

static void collect_term(const struct term *term, struct slice *names, uint32_t *count)
{
    const struct term *waiting[64];
    uint32_t left = 0;

    if (term != NULL)
        waiting[left++] = term;
    while (left > 0) {
        term = waiting[--left];
        if (term->kind == TERM_OPERAND && term->operand.kind == OPERAND_PATH)
            path_add_root(term->operand.path, names, count);
        if (term->kind == TERM_IF_NOT_EXISTS)
            path_add_root(term->path, names, count);
        CHECK(left + 2 <= sizeof(waiting) / sizeof(waiting[0]));
        if (term->left != NULL)
            waiting[left++] = term->left;
        if (term->right != NULL)
            waiting[left++] = term->right;
    }
}

void update_attributes(const struct update *update, struct arena *arena, struct slice **ret_names,
                       uint32_t *ret_count)
{
    /* Every path takes at least one byte of the expression. */
    *ret_names = ARENA_ARRAY(arena, struct slice, EXPRESSION_SIZE_BYTES_MAX);
    *ret_count = 0;
    for (uint32_t i = 0; i < update->count; i++) {
        path_add_root(update->actions[i].path, *ret_names, ret_count);
        collect_term(update->actions[i].term, *ret_names, ret_count);
    }
}
