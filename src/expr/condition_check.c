/* Checks of operands: see condition_check.h. */
#include "expr/condition_check.h"

#include "base/buf.h"
#include "base/encode.h"

static enum status refuse_type(struct parser *parser, const char *name, enum value_type type)
{
    return parser_fault(parser,
                        "Incorrect operand type for operator or function; operator or function: "
                        "%s, operand type: %s",
                        name, value_type_name(type));
}

static bool operand_equal(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->kind == OPERAND_PATH && path_equal(a->path, b->path);
}

enum status check_distinct(struct parser *parser, const char *operator_text,
                           const struct condition *condition)
{
    for (uint32_t i = 1; i < condition->operand_count; i++)
        if (operand_equal(&condition->operands[0], &condition->operands[i]))
            return parser_fault(parser,
                                "The first operand must be distinct from the remaining operands "
                                "for this operator or function; operator: %s, first operand: "
                                "%" PRISLICE,
                                operator_text,
                                SLICE_ARG(path_text(parser->arena, condition->operands[0].path)));
    return ST_OK;
}

static bool is_ordered(enum value_type type)
{
    return type == VALUE_S || type == VALUE_N || type == VALUE_B;
}

enum status check_comparison(struct parser *parser, const char *operator_text,
                             const struct condition *condition)
{
    bool orders = condition->kind != CONDITION_EQ && condition->kind != CONDITION_NE;

    for (uint32_t i = 0; i < 2 && orders; i++) {
        const struct operand *operand = &condition->operands[i];

        if (operand->kind == OPERAND_VALUE && !is_ordered(operand->value.type))
            return refuse_type(parser, operator_text, operand->value.type);
    }
    return check_distinct(parser, operator_text, condition);
}

/* {S:a} as the service shows a bound. */
static struct slice show_value(struct arena *arena, struct value value)
{
    char number[NUMBER_TEXT_SIZE_MAX];
    struct slice text = value.payload;

    if (value.type == VALUE_N) {
        struct number parsed = value_number(value);

        text = slice_of(number, number_format(&parsed, number));
    }
    return arena_printf(arena, "AttributeValue: {%s:%" PRISLICE "}", value_type_name(value.type),
                        SLICE_ARG(text));
}

enum status check_between(struct parser *parser, const struct condition *condition)
{
    const struct operand *low = &condition->operands[1], *high = &condition->operands[2];
    const char *fault = NULL;

    for (uint32_t i = 0; i < 3; i++)
        if (condition->operands[i].kind == OPERAND_VALUE &&
            !is_ordered(condition->operands[i].value.type))
            return refuse_type(parser, "BETWEEN", condition->operands[i].value.type);
    TRY(check_distinct(parser, "BETWEEN", condition));
    if (low->kind != OPERAND_VALUE || high->kind != OPERAND_VALUE)
        return ST_OK;
    if (low->value.type != high->value.type)
        fault = "same data type for lower and upper bounds";
    else if (value_compare(low->value, high->value) > 0)
        fault = "upper bound to be greater than or equal to lower bound";
    if (fault == NULL)
        return ST_OK;
    return parser_fault(parser,
                        "The BETWEEN operator requires %s; lower bound operand: %" PRISLICE
                        ", upper bound operand: %" PRISLICE,
                        fault, SLICE_ARG(show_value(parser->arena, low->value)),
                        SLICE_ARG(show_value(parser->arena, high->value)));
}

enum status check_size_operand(struct parser *parser, struct value value)
{
    if (value.type == VALUE_N || value.type == VALUE_BOOL || value.type == VALUE_NULL)
        return refuse_type(parser, "size", value.type);
    return parser_fault(parser, "Operator or function requires a document path; operator or "
                                "function: size");
}

static enum status check_type_name(struct parser *parser, struct value value)
{
    static const char *const names[] = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (slice_is(value.payload, names[i]))
            return ST_OK;
    return parser_fault(parser,
                        "Invalid attribute type name found; type: %" PRISLICE
                        ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
                        SLICE_ARG(value.payload));
}

enum status check_function(struct parser *parser, const char *name,
                           const struct condition *condition)
{
    const struct operand *first = &condition->operands[0], *second = &condition->operands[1];

    if (first->kind != OPERAND_PATH &&
        (condition->kind == CONDITION_EXISTS || condition->kind == CONDITION_NOT_EXISTS))
        return parser_fault(parser,
                            "Operator or function requires a document path; operator or function: "
                            "%s",
                            name);
    if (condition->kind == CONDITION_BEGINS_WITH)
        for (uint32_t i = 0; i < 2; i++)
            if (condition->operands[i].kind == OPERAND_VALUE &&
                condition->operands[i].value.type != VALUE_S &&
                condition->operands[i].value.type != VALUE_B)
                return refuse_type(parser, name, condition->operands[i].value.type);
    if (condition->kind == CONDITION_TYPE && second->kind == OPERAND_VALUE) {
        if (second->value.type != VALUE_S)
            return refuse_type(parser, name, second->value.type);
        TRY(check_type_name(parser, second->value));
    }
    return condition->operand_count > 1 ? check_distinct(parser, name, condition) : ST_OK;
}
