/*
 * Key conditions: parsed as conditions, then taken apart into terms. What is more than a
 * conjunction of tests of one top-level attribute each against values is refused, in the order of
 * the text. Whether the attributes are the key of a table is for others to say.
 */
#include "expr/expr_tree.h"

/* KEY_NONE for kinds that no key condition may use. */
static const enum key_operator key_operators[CONDITION_CONTAINS + 1] = {
    [CONDITION_EQ] = KEY_EQ,
    [CONDITION_LT] = KEY_LT,
    [CONDITION_LE] = KEY_LE,
    [CONDITION_GT] = KEY_GT,
    [CONDITION_GE] = KEY_GE,
    [CONDITION_BETWEEN] = KEY_BETWEEN,
    [CONDITION_BEGINS_WITH] = KEY_BEGINS_WITH,
};

/* `:v < a` is `a > :v`. */
static const enum key_operator mirrored[] = {
    [KEY_EQ] = KEY_EQ, [KEY_LT] = KEY_GT, [KEY_LE] = KEY_GE, [KEY_GT] = KEY_LT, [KEY_GE] = KEY_LE,
};

static enum status refuse(struct error *error, const char *fault, const char *subject)
{
    return error_set(error, ERROR_VALIDATION, "Invalid KeyConditionExpression: %s%s", fault,
                     subject);
}

static bool is_size(const struct operand *operand)
{
    return operand->kind == OPERAND_SIZE_OF_PATH || operand->kind == OPERAND_SIZE_OF_VALUE;
}

/* Finds the one operand that is an attribute. */
static enum status find_attribute(const struct condition *test, struct error *error,
                                  uint32_t *ret_at)
{
    uint32_t at = test->operand_count;

    for (uint32_t i = 0; i < test->operand_count; i++) {
        if (is_size(&test->operands[i]))
            return refuse(error, "KeyConditionExpressions cannot contain nested operations", "");
        if (test->operands[i].kind != OPERAND_PATH)
            continue;
        if (at < test->operand_count)
            return refuse(error, "Invalid condition in KeyConditionExpression: ",
                          "Multiple attribute names used in one condition");
        if (test->operands[i].path.count > 1)
            return refuse(error, "KeyConditionExpressions cannot have conditions on nested ",
                          "attributes");
        at = i;
    }
    if (at == test->operand_count)
        return refuse(
            error, "Invalid condition in KeyConditionExpression: ", "No key attribute specified");
    *ret_at = at;
    return ST_OK;
}

static enum status make_term(const struct condition *test, struct error *error,
                             struct key_term *ret_term)
{
    enum key_operator op = key_operators[test->kind];
    const struct operand *operands = test->operands;
    uint32_t at = 0;

    if (op == KEY_NONE)
        return refuse(error, "Invalid operator used in KeyConditionExpression: ",
                      condition_kind_name(test->kind));
    if ((op == KEY_BETWEEN || op == KEY_BEGINS_WITH) && operands[0].kind == OPERAND_VALUE)
        return error_set(error, ERROR_VALIDATION,
                         "Invalid KeyConditionExpression: Invalid condition in "
                         "KeyConditionExpression: %s operator must have the key attribute as its "
                         "first operand",
                         condition_kind_name(test->kind));
    TRY(find_attribute(test, error, &at));
    *ret_term = (struct key_term){
        .name = operands[at].path.steps[0].name,
        .op = at == 0 ? op : mirrored[op],
        .low = operands[at == 0 ? 1 : 0].value,
        .high = op == KEY_BETWEEN ? operands[2].value : VALUE_NONE,
    };
    return ST_OK;
}

static enum status add_term(const struct condition *test, struct error *error,
                            struct key_condition *terms)
{
    struct key_term term;

    TRY(make_term(test, error, &term));
    for (uint32_t i = 0; i < terms->count; i++)
        if (slice_equal(terms->terms[i].name, term.name))
            return refuse(error, "KeyConditionExpressions must only contain one condition per ",
                          "key");
    terms->terms[terms->count++] = term;
    return ST_OK;
}

// NOLINTBEGIN(misc-no-recursion): trees are at most TREE_DEPTH_MAX deep

static uint32_t count_tests(const struct condition *condition)
{
    uint32_t count = condition->first_child == NULL;

    for (const struct condition *child = condition->first_child; child != NULL; child = child->next)
        count += count_tests(child);
    return count;
}

static enum status add_terms(const struct condition *condition, struct error *error,
                             struct key_condition *terms)
{
    if (condition->kind != CONDITION_AND)
        return add_term(condition, error, terms);
    for (const struct condition *child = condition->first_child; child != NULL; child = child->next)
        TRY(add_terms(child, error, terms));
    return ST_OK;
}
// NOLINTEND(misc-no-recursion)

enum status key_condition_parse(struct arena *arena, struct slice text, struct expr_params *params,
                                struct error *error, struct key_condition *ret_condition)
{
    struct key_condition terms = {0};
    struct condition *condition = NULL;

    TRY(condition_parse(arena, "KeyConditionExpression", text, params, error, &condition));
    terms.terms = ARENA_ARRAY(arena, struct key_term, count_tests(condition));
    TRY(add_terms(condition, error, &terms));
    *ret_condition = terms;
    return ST_OK;
}
