/*
 * The trees that expressions are parsed into, for the expr room alone. Other front ends (legacy
 * parameters, PartiQL) build the same trees.
 */
#ifndef ROWHOUSE_EXPR_EXPR_TREE_H
#define ROWHOUSE_EXPR_EXPR_TREE_H

#include "expr/expr.h"

#define CONDITION_DEPTH_MAX 300
#define IN_OPERANDS_MAX 100

enum operand_kind { OPERAND_PATH, OPERAND_VALUE, OPERAND_SIZE /* size(path) */ };

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
    CONDITION_BETWEEN,
    CONDITION_IN,
    CONDITION_EXISTS,
    CONDITION_NOT_EXISTS,
    CONDITION_TYPE,
    CONDITION_BEGINS_WITH,
    CONDITION_CONTAINS,
};

/* AND, OR: left and right. NOT: left. Others: operands. */
struct condition {
    enum condition_kind kind;
    struct condition *left;
    struct condition *right;
    struct operand *operands;
    uint32_t operand_count;
};

struct projection {
    struct path *paths;
    uint32_t count;
};

/* ---- Updates ---- */

enum term_kind {
    TERM_OPERAND,       /* a path or a value */
    TERM_IF_NOT_EXISTS, /* path, left */
    TERM_LIST_APPEND,   /* left, right */
    TERM_PLUS,          /* left, right */
    TERM_MINUS,         /* left, right */
};

struct term {
    enum term_kind kind;
    struct operand operand;
    struct path path;
    struct term *left;
    struct term *right;
};

enum action_kind { ACTION_SET, ACTION_REMOVE, ACTION_ADD, ACTION_DELETE };

struct action {
    enum action_kind kind;
    struct path path;
    struct term *term;  /* of SET */
    struct value value; /* of ADD and DELETE */
};

struct update {
    struct action *actions;
    uint32_t count;
};

/* "[a, b, [0]]", as messages show paths. */
struct slice path_text(struct arena *arena, struct path path);
bool path_equal(struct path a, struct path b);
/* Refuses paths of which one begins with the other, or that use one value as list and as map. */
enum status MUST_CHECK path_check_overlap(struct arena *arena, const char *kind, struct path one,
                                          struct path two, struct error *error);
/* Adds the path's first name to the list unless it is there. */
void path_add_root(struct path path, struct slice *names, uint32_t *count);

/* Puts the paths in the order that writing needs: names by bytes, indexes by number. */
void projection_sort(struct projection *projection);

/* The operand's value in the item; VALUE_NONE if there is none. `scratch` holds the result of
 * size(). */
struct value operand_value(const struct operand *operand, struct item item, uint8_t *scratch);

#endif
