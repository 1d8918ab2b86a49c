/*
 * Checks of operands: see condition_check.h. Types are known of values and of size() alone; paths
 * pass every check of types.
 */
#include "expr/condition_check.h"

static enum value_type static_type(const struct operand *operand)
{
    switch (operand->kind) {
    case OPERAND_VALUE:
        return operand->value.type;
    case OPERAND_SIZE_OF_PATH:
    case OPERAND_SIZE_OF_VALUE:
        return VALUE_N;
    case OPERAND_PATH:
        break;
    }
    return VALUE_ABSENT;
}

static bool is_ordered(enum value_type type)
{
    return type == VALUE_S || type == VALUE_N || type == VALUE_B;
}

bool condition_check_count(struct parser *parser, const char *function, uint32_t expected,
                           uint32_t count)
{
    if (count == expected)
        return true;
    parser_note(parser, FAULT_OPERANDS,
                "Incorrect number of operands for operator or function; operator or function: %s, "
                "number of operands: %u",
                function, count);
    return false;
}

static void require_path(struct parser *parser, const char *function, const struct operand *operand)
{
    if (operand->kind != OPERAND_PATH)
        parser_note(parser, FAULT_OPERANDS,
                    "Operator or function requires a document path; operator or function: %s",
                    function);
}

/* The first operand may not stand among the others. */
static void check_distinct(struct parser *parser, enum condition_kind kind,
                           const struct operand *operands, uint32_t count)
{
    for (uint32_t i = 1; i < count && operands[0].kind == OPERAND_PATH; i++) {
        if (operands[i].kind != OPERAND_PATH ||
            path_compare(operands[0].path, operands[i].path) != 0)
            continue;
        parser_note(parser, FAULT_OPERANDS,
                    "The first operand must be distinct from the remaining operands for this "
                    "operator or function; operator: %s, first operand: %" PRISLICE,
                    condition_kind_name(kind),
                    SLICE_ARG(path_text(operands[0].path, parser->arena)));
        return;
    }
}

static void check_ordered(struct parser *parser, enum condition_kind kind,
                          const struct operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        enum value_type type = static_type(&operands[i]);

        if (type != VALUE_ABSENT && !is_ordered(type))
            parser_note_type(parser, condition_kind_name(kind), value_type_name(type));
    }
}

/* "{N:5}": how messages show a bound. */
static struct slice bound_text(struct value value, struct arena *arena)
{
    char digits[NUMBER_TEXT_SIZE_MAX];
    struct slice text = value.payload;

    if (value.type == VALUE_N) {
        struct number number = value_number(value);

        text = slice_of(digits, number_format(&number, digits));
    }
    return arena_printf(arena, "{%s:%" PRISLICE "}", value_type_name(value.type), SLICE_ARG(text));
}

static void check_bounds(struct parser *parser, const struct operand *low,
                         const struct operand *high)
{
    const char *demand;

    if (low->kind != OPERAND_VALUE || high->kind != OPERAND_VALUE || !is_ordered(low->value.type) ||
        !is_ordered(high->value.type))
        return;
    if (low->value.type != high->value.type)
        demand = "same data type for lower and upper bounds";
    else if (value_compare(low->value, high->value) > 0)
        demand = "upper bound to be greater than or equal to lower bound";
    else
        return;
    parser_note(parser, FAULT_OPERANDS,
                "The BETWEEN operator requires %s; lower bound operand: AttributeValue: %" PRISLICE
                ", upper bound operand: AttributeValue: %" PRISLICE,
                demand, SLICE_ARG(bound_text(low->value, parser->arena)),
                SLICE_ARG(bound_text(high->value, parser->arena)));
}

void condition_note_in_count(struct parser *parser, uint32_t count)
{
    parser_note(parser, FAULT_OPERANDS,
                "The IN operator is provided with too many operands; number of operands: %u",
                count);
}

void condition_check_operator(struct parser *parser, enum condition_kind kind,
                              const struct operand *operands, uint32_t count)
{
    check_distinct(parser, kind, operands, count);
    if (kind != CONDITION_EQ && kind != CONDITION_NE && kind != CONDITION_IN)
        check_ordered(parser, kind, operands, count);
    if (kind == CONDITION_BETWEEN)
        check_bounds(parser, &operands[1], &operands[2]);
}

/* ---- Functions ---- */

static void check_prefix(struct parser *parser, const struct operand *operands)
{
    for (uint32_t i = 0; i < 2; i++) {
        enum value_type type = static_type(&operands[i]);

        if (type != VALUE_ABSENT && type != VALUE_S && type != VALUE_B)
            parser_note_type(parser, "begins_with", value_type_name(type));
    }
}

static bool is_type_name(struct slice text)
{
    for (enum value_type type = VALUE_S; type <= VALUE_M; type++)
        if (slice_is(text, value_type_name(type)))
            return true;
    return false;
}

/* The type must be named by a value; of a path, the message lists all types it might have. An
 * undefined value is noted already. */
static void check_type_operand(struct parser *parser, const struct operand *operand)
{
    enum value_type type = static_type(operand);

    if (operand->kind == OPERAND_PATH)
        parser_note_type(parser, "attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
    else if (type != VALUE_S && type != VALUE_ABSENT)
        parser_note_type(parser, "attribute_type", value_type_name(type));
    else if (type == VALUE_S && !is_type_name(operand->value.payload))
        parser_note(parser, FAULT_OPERANDS,
                    "Invalid attribute type name found; type: %" PRISLICE
                    ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
                    SLICE_ARG(operand->value.payload));
}

void condition_check_function(struct parser *parser, enum condition_kind kind,
                              const struct operand *operands)
{
    if (kind == CONDITION_EXISTS || kind == CONDITION_NOT_EXISTS) {
        require_path(parser, condition_kind_name(kind), &operands[0]);
        return;
    }
    check_distinct(parser, kind, operands, 2);
    if (kind == CONDITION_BEGINS_WITH)
        check_prefix(parser, operands);
    if (kind == CONDITION_TYPE)
        check_type_operand(parser, &operands[1]);
}

void condition_check_size(struct parser *parser, const struct operand *operand)
{
    enum value_type type = static_type(operand);

    if (type == VALUE_N || type == VALUE_BOOL || type == VALUE_NULL)
        parser_note_type(parser, "size", value_type_name(type));
}
