/*
 * Evaluating conditions. Nothing is allocated: operands are views of the item or of the request,
 * and the result of size() lives on the stack.
 *
 * A comparison with a value that does not exist is false, but <> is true; so is one of values of
 * different types.
 */
#include "expr/expr_tree.h"

/* Room for the value of size(). */
struct scratch {
    uint8_t bytes[NUMBER_ORDERED_SIZE_MAX];
};

/* ---- Operands ---- */

static bool has_size(enum value_type type)
{
    return type != VALUE_ABSENT && type != VALUE_N && type != VALUE_BOOL && type != VALUE_NULL;
}

static struct value size_of(struct value value, struct scratch *scratch)
{
    bool is_text = value.type == VALUE_S || value.type == VALUE_B;
    struct number size = number_of_int(is_text ? (int64_t)value.payload.n : value_count(value));

    if (!has_size(value.type))
        return VALUE_NONE;
    return (struct value){VALUE_N,
                          slice_of(scratch->bytes, number_encode_ordered(&size, scratch->bytes))};
}

static struct value operand_value(const struct operand *operand, struct item item,
                                  struct scratch *scratch)
{
    switch (operand->kind) {
    case OPERAND_PATH:
        return item_at_path(item, operand->path);
    case OPERAND_VALUE:
        return operand->value;
    case OPERAND_SIZE_OF_PATH:
        return size_of(item_at_path(item, operand->path), scratch);
    case OPERAND_SIZE_OF_VALUE:
        return size_of(operand->value, scratch);
    }
    return VALUE_NONE;
}

/* ---- Tests ---- */

static bool equal(struct value a, struct value b)
{
    return a.type != VALUE_ABSENT && b.type != VALUE_ABSENT && value_equal(a, b);
}

static bool is_ordered(enum value_type type)
{
    return type == VALUE_S || type == VALUE_N || type == VALUE_B;
}

/* Whether the values have an order, and which. */
static bool order_of(struct value a, struct value b, int *ret_order)
{
    if (a.type != b.type || !is_ordered(a.type))
        return false;
    *ret_order = value_compare(a, b);
    return true;
}

static bool is_between(struct value tested, struct value low, struct value high)
{
    int above_low, above_high;

    return order_of(tested, low, &above_low) && order_of(tested, high, &above_high) &&
           above_low >= 0 && above_high <= 0;
}

static bool has_type(struct value tested, struct value type_name)
{
    return tested.type != VALUE_ABSENT && type_name.type == VALUE_S &&
           slice_is(type_name.payload, value_type_name(tested.type));
}

static bool begins_with(struct value text, struct value prefix)
{
    return text.type == prefix.type && (text.type == VALUE_S || text.type == VALUE_B) &&
           slice_has_prefix(text.payload, prefix.payload);
}

static bool contains(struct value whole, struct value part)
{
    switch (whole.type) {
    case VALUE_S:
    case VALUE_B:
        return whole.type == part.type &&
               (part.payload.n == 0 ||
                memmem(whole.payload.p, whole.payload.n, part.payload.p, part.payload.n) != NULL);
    case VALUE_SS:
        return part.type == VALUE_S && value_set_contains(whole, part.payload);
    case VALUE_NS:
        return part.type == VALUE_N && value_set_contains(whole, part.payload);
    case VALUE_BS:
        return part.type == VALUE_B && value_set_contains(whole, part.payload);
    case VALUE_L:
        return value_list_contains(whole, part);
    default:
        return false;
    }
}

static bool compare(enum condition_kind kind, struct value a, struct value b)
{
    int order;

    if (!order_of(a, b, &order))
        return false;
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

static bool eval_in(const struct condition *condition, struct item item)
{
    struct scratch scratch[2];
    struct value tested = operand_value(&condition->operands[0], item, &scratch[0]);

    for (uint32_t i = 1; i < condition->operand_count; i++)
        if (equal(tested, operand_value(&condition->operands[i], item, &scratch[1])))
            return true;
    return false;
}

static bool eval_test(const struct condition *condition, struct item item)
{
    struct value v[3] = {VALUE_NONE, VALUE_NONE, VALUE_NONE};
    struct scratch scratch[3];

    for (uint32_t i = 0; i < condition->operand_count && i < 3; i++)
        v[i] = operand_value(&condition->operands[i], item, &scratch[i]);
    switch (condition->kind) {
    case CONDITION_EQ:
        return equal(v[0], v[1]);
    case CONDITION_NE:
        return !equal(v[0], v[1]);
    case CONDITION_BETWEEN:
        return is_between(v[0], v[1], v[2]);
    case CONDITION_EXISTS:
        return v[0].type != VALUE_ABSENT;
    case CONDITION_NOT_EXISTS:
        return v[0].type == VALUE_ABSENT;
    case CONDITION_TYPE:
        return has_type(v[0], v[1]);
    case CONDITION_BEGINS_WITH:
        return begins_with(v[0], v[1]);
    case CONDITION_CONTAINS:
        return contains(v[0], v[1]);
    default:
        return compare(condition->kind, v[0], v[1]);
    }
}

// NOLINTBEGIN(misc-no-recursion): trees are at most TREE_DEPTH_MAX deep

static bool eval_all(const struct condition *child, struct item item)
{
    for (; child != NULL; child = child->next)
        if (!condition_eval(child, item))
            return false;
    return true;
}

static bool eval_any(const struct condition *child, struct item item)
{
    for (; child != NULL; child = child->next)
        if (condition_eval(child, item))
            return true;
    return false;
}

bool condition_eval(const struct condition *condition, struct item item)
{
    switch (condition->kind) {
    case CONDITION_AND:
        return eval_all(condition->first_child, item);
    case CONDITION_OR:
        return eval_any(condition->first_child, item);
    case CONDITION_NOT:
        return !condition_eval(condition->first_child, item);
    case CONDITION_IN:
        return eval_in(condition, item);
    default:
        return eval_test(condition, item);
    }
}

/* ---- Attributes ---- */

uint32_t condition_operand_count(const struct condition *condition)
{
    uint32_t count = condition->operand_count;

    for (const struct condition *child = condition->first_child; child != NULL; child = child->next)
        count += condition_operand_count(child);
    return count;
}

static void collect_roots(const struct condition *condition, struct slice *names, uint32_t *count)
{
    for (uint32_t i = 0; i < condition->operand_count; i++)
        if (condition->operands[i].path.count > 0)
            names[(*count)++] = condition->operands[i].path.steps[0].name;
    for (const struct condition *child = condition->first_child; child != NULL; child = child->next)
        collect_roots(child, names, count);
}
// NOLINTEND(misc-no-recursion)

void condition_attributes(const struct condition *condition, struct arena *arena,
                          struct slice **ret_names, uint32_t *ret_count)
{
    struct slice *names = ARENA_ARRAY(arena, struct slice, condition_operand_count(condition) + 1);
    uint32_t count = 0;

    collect_roots(condition, names, &count);
    *ret_names = names;
    *ret_count = path_names_unique(names, count);
}
