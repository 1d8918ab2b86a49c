/*
 * Key conditions: parsed as conditions, then flattened into terms; what is more than a conjunction
 * of comparisons of key attributes with values is refused.
 */
#include "expr/expr_tree.h"

#define TERMS_MAX 16

static const char *operator_name(enum condition_kind kind)
{
    static const char *const names[] = {
        [CONDITION_OR] = "OR",
        [CONDITION_NOT] = "NOT",
        [CONDITION_NE] = "<>",
        [CONDITION_IN] = "IN",
        [CONDITION_EXISTS] = "attribute_exists",
        [CONDITION_NOT_EXISTS] = "attribute_not_exists",
        [CONDITION_TYPE] = "attribute_type",
        [CONDITION_CONTAINS] = "contains",
    };

    return names[kind];
}

static enum key_operator key_operator_of(enum condition_kind kind)
{
    switch (kind) {
    case CONDITION_EQ:
        return KEY_EQ;
    case CONDITION_LT:
        return KEY_LT;
    case CONDITION_LE:
        return KEY_LE;
    case CONDITION_GT:
        return KEY_GT;
    case CONDITION_GE:
        return KEY_GE;
    case CONDITION_BETWEEN:
        return KEY_BETWEEN;
    case CONDITION_BEGINS_WITH:
        return KEY_BEGINS_WITH;
    default:
        return KEY_NONE;
    }
}

static enum key_operator mirrored(enum key_operator op)
{
    switch (op) {
    case KEY_LT:
        return KEY_GT;
    case KEY_LE:
        return KEY_GE;
    case KEY_GT:
        return KEY_LT;
    case KEY_GE:
        return KEY_LE;
    default:
        return op;
    }
}

static enum status check_operands(const struct condition *condition, struct error *error)
{
    uint32_t paths = 0;

    for (uint32_t i = 0; i < condition->operand_count; i++) {
        if (condition->operands[i].kind == OPERAND_SIZE)
            return error_set(error, ERROR_VALIDATION,
                             "Invalid operator used in KeyConditionExpression: size");
        if (condition->operands[i].kind != OPERAND_PATH)
            continue;
        paths++;
        if (condition->operands[i].path.count > 1)
            return error_set(error, ERROR_VALIDATION,
                             "KeyConditionExpressions cannot have conditions on nested attributes");
    }
    if (paths > 1)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid condition in KeyConditionExpression: Multiple attribute names "
                         "used in one condition");
    if (paths == 0)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid condition in KeyConditionExpression: No key attribute specified");
    return ST_OK;
}

static enum status make_term(const struct condition *condition, struct error *error,
                             struct key_term *ret_term)
{
    const struct operand *operands = condition->operands;
    enum key_operator op = key_operator_of(condition->kind);
    bool path_first = operands[0].kind == OPERAND_PATH;

    if (op == KEY_NONE)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid operator used in KeyConditionExpression: %s",
                         operator_name(condition->kind));
    TRY(check_operands(condition, error));
    if (!path_first && (op == KEY_BETWEEN || op == KEY_BEGINS_WITH))
        return error_set(error, ERROR_VALIDATION,
                         "Invalid condition in KeyConditionExpression: %s operator must have the "
                         "key attribute as its first operand",
                         op == KEY_BETWEEN ? "BETWEEN" : "begins_with");
    *ret_term = (struct key_term){
        .name = operands[path_first ? 0 : 1].path.steps[0].name,
        .op = path_first ? op : mirrored(op),
        .low = operands[path_first ? 1 : 0].value,
        .high = op == KEY_BETWEEN ? operands[2].value : VALUE_NONE,
    };
    return ST_OK;
}

static enum status add_term(const struct condition *condition, struct error *error,
                            struct key_condition *terms)
{
    struct key_term term;

    TRY(make_term(condition, error, &term));
    for (uint32_t i = 0; i < terms->count; i++)
        if (slice_equal(terms->terms[i].name, term.name))
            return error_set(error, ERROR_VALIDATION,
                             "KeyConditionExpressions must only contain one condition per key");
    if (terms->count == TERMS_MAX)
        return error_set(error, ERROR_VALIDATION, "Conditions can be of length 1 to %d only",
                         TERMS_MAX);
    terms->terms[terms->count++] = term;
    return ST_OK;
}

/* Visits the terms of a conjunction in the order of the text, without recursion: right branches
 * wait on a stack that the depth limit bounds. */
static enum status flatten(const struct condition *condition, struct error *error,
                           struct key_condition *terms)
{
    const struct condition *waiting[CONDITION_DEPTH_MAX + 2];
    uint32_t count = 0;

    waiting[count++] = condition;
    while (count > 0) {
        condition = waiting[--count];
        if (condition->kind != CONDITION_AND) {
            TRY(add_term(condition, error, terms));
            continue;
        }
        if (count + 2 > sizeof(waiting) / sizeof(waiting[0]))
            return error_set(error, ERROR_VALIDATION,
                             "Invalid KeyConditionExpression: The expression is nested too deeply");
        waiting[count++] = condition->right;
        waiting[count++] = condition->left;
    }
    return ST_OK;
}

enum status key_condition_parse(struct arena *arena, struct slice text, struct expr_params *params,
                                struct error *error, struct key_condition *ret_condition)
{
    struct key_condition terms = {.terms = ARENA_ARRAY(arena, struct key_term, TERMS_MAX)};
    struct condition *condition;

    TRY(condition_parse(arena, "KeyConditionExpression", text, params, error, &condition));
    TRY(flatten(condition, error, &terms));
    *ret_condition = terms;
    return ST_OK;
}
