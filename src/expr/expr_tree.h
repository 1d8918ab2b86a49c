/*
 * The trees that expressions are parsed into, and how to build them. Private to this room: the
 * text of expressions is one front end of them among others, and every front end builds the same
 * trees, so that there is one evaluation of each.
 *
 *   condition   AND, OR             children, one or more
 *               NOT                 one child
 *               all others          operands
 *   term        PATH, VALUE         a leaf
 *               IF_NOT_EXISTS       path, left (taken if the path leads nowhere)
 *               LIST_APPEND + -     left, right
 *
 * Invariants:
 *  1. trees live in the request's arena and never change once they are built;
 *  2. a tree is at most TREE_DEPTH_MAX deep: AND and OR take all their members as children;
 *  3. the target paths of an update, and the paths of a parsed projection, are pairwise apart
 *     (path.h).
 */
#ifndef ROWHOUSE_EXPR_EXPR_TREE_H
#define ROWHOUSE_EXPR_EXPR_TREE_H

#include "expr/expr.h"
#include "expr/path.h"

#define IN_OPERANDS_MAX 100
/* A level is an operator or a pair of parentheses; of redundant pairs none is accepted, so there
 * are at most as many pairs as operators, and one around an operand. */
#define TREE_DEPTH_MAX (2 * EXPRESSION_OPERATORS_MAX + 8)

/* ---- Conditions ---- */

enum operand_kind {
    OPERAND_PATH,
    OPERAND_VALUE,
    OPERAND_SIZE_OF_PATH,
    OPERAND_SIZE_OF_VALUE,
};

struct operand {
    enum operand_kind kind;
    struct path path;
    struct value value;
};

enum condition_kind {
    CONDITION_AND,
    CONDITION_OR,
    CONDITION_NOT,
    CONDITION_EQ,
    CONDITION_NE,
    CONDITION_LT,
    CONDITION_LE,
    CONDITION_GT,
    CONDITION_GE,
    CONDITION_BETWEEN, /* tested, low, high */
    CONDITION_IN,      /* tested, candidates... */
    CONDITION_EXISTS,
    CONDITION_NOT_EXISTS,
    CONDITION_TYPE,
    CONDITION_BEGINS_WITH,
    CONDITION_CONTAINS,
};

struct condition {
    enum condition_kind kind;
    struct condition *first_child;
    struct condition *last_child;
    struct condition *next; /* sibling */
    struct operand *operands;
    uint32_t operand_count;
};

/* "AND", "<=", "begins_with": the operator or function, as messages name it. */
const char *condition_kind_name(enum condition_kind kind);
/* A test of operands, which are copied. */
struct condition *condition_new_test(struct arena *arena, enum condition_kind kind,
                                     const struct operand *operands, uint32_t count);
/* The negation of a condition. */
struct condition *condition_new_not(struct arena *arena, struct condition *child);
/* Both under one AND or OR (`kind`). A left side of that kind takes the right one as a member. */
struct condition *condition_join(struct arena *arena, enum condition_kind kind,
                                 struct condition *left, struct condition *right);

/* ---- Projections ---- */

struct projection {
    const struct path *paths; /* sorted by path_compare */
    uint32_t count;
};

/* ---- Updates ---- */

enum term_kind {
    TERM_PATH,
    TERM_VALUE,
    TERM_IF_NOT_EXISTS,
    TERM_LIST_APPEND,
    TERM_PLUS,
    TERM_MINUS,
};

struct term {
    enum term_kind kind;
    struct path path;
    struct value value;
    const struct term *left;
    const struct term *right;
};

/* Terms in the arena; their parts must outlive them. */
struct term *term_new_path(struct arena *arena, struct path path);
struct term *term_new_value(struct arena *arena, struct value value);
struct term *term_new_if_not_exists(struct arena *arena, struct path path,
                                    const struct term *otherwise);
/* TERM_LIST_APPEND, TERM_PLUS or TERM_MINUS. */
struct term *term_new_pair(struct arena *arena, enum term_kind kind, const struct term *left,
                           const struct term *right);

enum action_kind { ACTION_SET, ACTION_REMOVE, ACTION_ADD, ACTION_DELETE };

struct action {
    enum action_kind kind;
    struct path path;
    const struct term *term; /* of SET */
    struct value value;      /* of ADD and DELETE */
};

/* Actions in the order of the text; `written` holds their paths. */
struct update {
    struct action *actions;
    uint32_t count;
    uint32_t capacity;
    struct path_set written;
};

/* An update with room for `capacity` actions. */
struct update *update_new(struct arena *arena, uint32_t capacity);
/* Adds the action unless its path touches one that is written already; see path_set_add(). */
enum path_relation update_add(struct update *update, const struct action *action,
                              struct path *ret_other);

#endif
