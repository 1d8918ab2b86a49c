/*
 * Evaluating conditions. Nothing is allocated: values are views of the item, and the result of
 * size() lives on the stack.
 */
#include "expr/expr_tree.h"

static bool size_of(struct value value, uint64_t *ret_size)
{
    switch (value.type) {
    case VALUE_S:
    case VALUE_B:
        *ret_size = value.payload.n;
        return true;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
    case VALUE_L:
    case VALUE_M:
        *ret_size = value_count(value);
        return true;
    default:
        return false;
    }
}

struct value operand_value(const struct operand *operand, struct item item, uint8_t *scratch)
{
    struct number number = {0};
    struct value value;
    uint64_t size;

    if (operand->kind == OPERAND_VALUE)
        return operand->value;
    if (!item_exists(item))
        return VALUE_NONE;
    value = item_at_path(item, operand->path);
    if (operand->kind == OPERAND_PATH)
        return value;
    if (!size_of(value, &size))
        return VALUE_NONE;
    number.coefficient = size;
    while (number.coefficient != 0 && number.coefficient % 10 == 0) {
        number.coefficient /= 10;
        number.exponent++;
    }
    return (struct value){VALUE_N, slice_of(scratch, number_encode_ordered(&number, scratch))};
}

static bool ordered_together(struct value a, struct value b)
{
    return a.type == b.type && (a.type == VALUE_S || a.type == VALUE_N || a.type == VALUE_B);
}

static bool compare(enum condition_kind kind, struct value a, struct value b)
{
    int order;

    if (kind == CONDITION_NE)
        return !value_equal(a, b) || a.type == VALUE_ABSENT;
    if (a.type == VALUE_ABSENT || b.type == VALUE_ABSENT)
        return false;
    if (kind == CONDITION_EQ)
        return value_equal(a, b);
    if (!ordered_together(a, b))
        return false;
    order = value_compare(a, b);
    switch (kind) {
    case CONDITION_LT:
        return order < 0;
    case CONDITION_LE:
        return order <= 0;
    case CONDITION_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool contains_bytes(struct slice whole, struct slice part)
{
    return part.n == 0 || memmem(whole.p, whole.n, part.p, part.n) != NULL;
}

static bool list_contains(struct value list, struct value wanted)
{
    for (uint32_t i = 0; i < value_count(list); i++)
        if (value_equal(value_list_at(list, i), wanted))
            return true;
    return false;
}

static bool contains(struct value a, struct value b)
{
    if (b.type == VALUE_ABSENT)
        return false;
    switch (a.type) {
    case VALUE_S:
    case VALUE_B:
        return a.type == b.type && contains_bytes(a.payload, b.payload);
    case VALUE_SS:
        return b.type == VALUE_S && value_set_contains(a, b.payload);
    case VALUE_NS:
        return b.type == VALUE_N && value_set_contains(a, b.payload);
    case VALUE_BS:
        return b.type == VALUE_B && value_set_contains(a, b.payload);
    case VALUE_L:
        return list_contains(a, b);
    default:
        return false;
    }
}

static bool begins_with(struct value a, struct value b)
{
    return a.type == b.type && (a.type == VALUE_S || a.type == VALUE_B) &&
           slice_has_prefix(a.payload, b.payload);
}

static bool is_one_of(const struct condition *condition, struct value first, struct item item)
{
    uint8_t scratch[NUMBER_ORDERED_SIZE_MAX];

    for (uint32_t i = 1; i < condition->operand_count; i++)
        if (compare(CONDITION_EQ, first, operand_value(&condition->operands[i], item, scratch)))
            return true;
    return false;
}

static bool eval_operands(const struct condition *condition, struct item item)
{
    uint8_t scratch[3][NUMBER_ORDERED_SIZE_MAX];
    struct value values[3] = {VALUE_NONE, VALUE_NONE, VALUE_NONE};

    for (uint32_t i = 0; i < condition->operand_count && i < 3; i++)
        values[i] = operand_value(&condition->operands[i], item, scratch[i]);
    switch (condition->kind) {
    case CONDITION_BETWEEN:
        return compare(CONDITION_GE, values[0], values[1]) &&
               compare(CONDITION_LE, values[0], values[2]);
    case CONDITION_IN:
        return is_one_of(condition, values[0], item);
    case CONDITION_EXISTS:
        return values[0].type != VALUE_ABSENT;
    case CONDITION_NOT_EXISTS:
        return values[0].type == VALUE_ABSENT;
    case CONDITION_TYPE:
        return values[0].type != VALUE_ABSENT && values[1].type == VALUE_S &&
               slice_is(values[1].payload, value_type_name(values[0].type));
    case CONDITION_BEGINS_WITH:
        return begins_with(values[0], values[1]);
    case CONDITION_CONTAINS:
        return contains(values[0], values[1]);
    default:
        return compare(condition->kind, values[0], values[1]);
    }
}

// NOLINTBEGIN(misc-no-recursion): trees are at most CONDITION_DEPTH_MAX deep on the right, and
// EXPRESSION_OPERATORS_MAX on the left
bool condition_eval(const struct condition *condition, struct item item)
{
    switch (condition->kind) {
    case CONDITION_AND:
        return condition_eval(condition->left, item) && condition_eval(condition->right, item);
    case CONDITION_OR:
        return condition_eval(condition->left, item) || condition_eval(condition->right, item);
    case CONDITION_NOT:
        return !condition_eval(condition->left, item);
    default:
        return eval_operands(condition, item);
    }
}

static uint32_t count_paths(const struct condition *condition)
{
    if (condition == NULL)
        return 0;
    return condition->operand_count + count_paths(condition->left) + count_paths(condition->right);
}

static void collect(const struct condition *condition, struct slice *names, uint32_t *count)
{
    if (condition == NULL)
        return;
    for (uint32_t i = 0; i < condition->operand_count; i++)
        if (condition->operands[i].kind != OPERAND_VALUE)
            path_add_root(condition->operands[i].path, names, count);
    collect(condition->left, names, count);
    collect(condition->right, names, count);
}
// NOLINTEND(misc-no-recursion)

void condition_attributes(const struct condition *condition, struct arena *arena,
                          struct slice **ret_names, uint32_t *ret_count)
{
    *ret_names = ARENA_ARRAY(arena, struct slice, count_paths(condition) + 1);
    *ret_count = 0;
    collect(condition, *ret_names, ret_count);
}
