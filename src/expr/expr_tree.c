/* Building the trees: see expr_tree.h. */
#include "expr/expr_tree.h"

#include "base/check.h"

const char *condition_kind_name(enum condition_kind kind)
{
    static const char *const names[] = {
        [CONDITION_AND] = "AND",
        [CONDITION_OR] = "OR",
        [CONDITION_NOT] = "NOT",
        [CONDITION_EQ] = "=",
        [CONDITION_NE] = "<>",
        [CONDITION_LT] = "<",
        [CONDITION_LE] = "<=",
        [CONDITION_GT] = ">",
        [CONDITION_GE] = ">=",
        [CONDITION_BETWEEN] = "BETWEEN",
        [CONDITION_IN] = "IN",
        [CONDITION_EXISTS] = "attribute_exists",
        [CONDITION_NOT_EXISTS] = "attribute_not_exists",
        [CONDITION_TYPE] = "attribute_type",
        [CONDITION_BEGINS_WITH] = "begins_with",
        [CONDITION_CONTAINS] = "contains",
    };

    return names[kind];
}

/* ---- Conditions ---- */

static struct condition *condition_new(struct arena *arena, enum condition_kind kind)
{
    struct condition *condition = ARENA_NEW(arena, struct condition);

    condition->kind = kind;
    return condition;
}

static void add_child(struct condition *parent, struct condition *child)
{
    CHECK(child->next == NULL);
    if (parent->first_child == NULL)
        parent->first_child = child;
    else
        parent->last_child->next = child;
    parent->last_child = child;
}

struct condition *condition_new_test(struct arena *arena, enum condition_kind kind,
                                     const struct operand *operands, uint32_t count)
{
    struct condition *condition = condition_new(arena, kind);

    condition->operands = ARENA_ARRAY(arena, struct operand, count);
    memcpy(condition->operands, operands, count * sizeof(operands[0]));
    condition->operand_count = count;
    return condition;
}

struct condition *condition_new_not(struct arena *arena, struct condition *child)
{
    struct condition *condition = condition_new(arena, CONDITION_NOT);

    add_child(condition, child);
    return condition;
}

struct condition *condition_join(struct arena *arena, enum condition_kind kind,
                                 struct condition *left, struct condition *right)
{
    struct condition *group = left;

    if (left->kind != kind) {
        group = condition_new(arena, kind);
        add_child(group, left);
    }
    add_child(group, right);
    return group;
}

/* ---- Updates ---- */

static struct term *term_new(struct arena *arena, enum term_kind kind)
{
    struct term *term = ARENA_NEW(arena, struct term);

    term->kind = kind;
    return term;
}

struct term *term_new_path(struct arena *arena, struct path path)
{
    struct term *term = term_new(arena, TERM_PATH);

    term->path = path;
    return term;
}

struct term *term_new_value(struct arena *arena, struct value value)
{
    struct term *term = term_new(arena, TERM_VALUE);

    term->value = value;
    return term;
}

struct term *term_new_if_not_exists(struct arena *arena, struct path path,
                                    const struct term *otherwise)
{
    struct term *term = term_new(arena, TERM_IF_NOT_EXISTS);

    term->path = path;
    term->left = otherwise;
    return term;
}

struct term *term_new_pair(struct arena *arena, enum term_kind kind, const struct term *left,
                           const struct term *right)
{
    struct term *term = term_new(arena, kind);

    CHECK(kind == TERM_LIST_APPEND || kind == TERM_PLUS || kind == TERM_MINUS);
    term->left = left;
    term->right = right;
    return term;
}

struct update *update_new(struct arena *arena, uint32_t capacity)
{
    struct update *update = ARENA_NEW(arena, struct update);

    update->actions = ARENA_ARRAY(arena, struct action, capacity + 1);
    update->capacity = capacity;
    path_set_init(&update->written, arena, capacity);
    return update;
}

enum path_relation update_add(struct update *update, const struct action *action,
                              struct path *ret_other)
{
    enum path_relation relation = path_set_add(&update->written, action->path, ret_other);

    if (relation != PATHS_APART)
        return relation;
    CHECK(update->count < update->capacity);
    update->actions[update->count++] = *action;
    return PATHS_APART;
}
