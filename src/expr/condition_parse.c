/*
 * Parsing conditions: an operator-precedence loop over AND and OR, with NOT, parentheses,
 * comparisons and functions as its operands. Nesting is bounded by CONDITION_DEPTH_MAX.
 */
#include "expr/condition_check.h"
#include "expr/lexer.h"

enum precedence { PRECEDENCE_NONE, PRECEDENCE_OR, PRECEDENCE_AND, PRECEDENCE_NOT };

static const struct {
    const char *name;
    enum condition_kind kind;
    uint32_t operand_count;
} functions[] = {
    {"attribute_exists", CONDITION_EXISTS, 1}, {"attribute_not_exists", CONDITION_NOT_EXISTS, 1},
    {"attribute_type", CONDITION_TYPE, 2},     {"begins_with", CONDITION_BEGINS_WITH, 2},
    {"contains", CONDITION_CONTAINS, 2},
};

static const struct {
    const char *text;
    enum condition_kind kind;
} comparators[] = {
    {"=", CONDITION_EQ},  {"<>", CONDITION_NE}, {"<", CONDITION_LT},
    {"<=", CONDITION_LE}, {">", CONDITION_GT},  {">=", CONDITION_GE},
};

static struct condition *new_condition(struct parser *parser, enum condition_kind kind)
{
    struct condition *condition = ARENA_NEW(parser->arena, struct condition);

    condition->kind = kind;
    return condition;
}

/* ---- Operands ---- */

static bool at_function(const struct parser *parser)
{
    struct token next = parser_peek(parser);

    return parser->token.kind == TOKEN_NAME && next.kind == TOKEN_PUNCTUATION &&
           slice_is(next.text, "(");
}

static enum status refuse_function(struct parser *parser)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (slice_is(parser->token.text, functions[i].name))
            return parser_fault(parser,
                                "The function is not allowed to be used this way in an expression; "
                                "function: %s",
                                functions[i].name);
    return parser_fault(parser, "Invalid function name; function: %" PRISLICE,
                        SLICE_ARG(parser->token.text));
}

static enum status parse_size(struct parser *parser, struct operand *ret_operand)
{
    struct operand operand = {.kind = OPERAND_SIZE};

    TRY(parser_count_operator(parser));
    parser_advance(parser);
    TRY(parser_expect(parser, "("));
    if (parser->token.kind == TOKEN_VALUE_REF) {
        struct value value;

        TRY(parser_value(parser, &value));
        if (parser_is(parser, ","))
            return parser_fault(parser, "Incorrect number of operands for operator or function; "
                                        "operator or function: size, number of operands: 2");
        return check_size_operand(parser, value);
    }
    if (!parser_at_path(parser))
        return parser_syntax_error(parser);
    TRY(parser_path(parser, &operand.path));
    if (parser_is(parser, ","))
        return parser_fault(parser, "Incorrect number of operands for operator or function; "
                                    "operator or function: size, number of operands: 2");
    TRY(parser_expect(parser, ")"));
    *ret_operand = operand;
    return ST_OK;
}

static enum status parse_operand(struct parser *parser, struct operand *ret_operand)
{
    struct operand operand = {.kind = OPERAND_PATH};

    if (at_function(parser)) {
        if (slice_is(parser->token.text, "size"))
            return parse_size(parser, ret_operand);
        return refuse_function(parser);
    }
    if (parser->token.kind == TOKEN_VALUE_REF) {
        operand.kind = OPERAND_VALUE;
        TRY(parser_value(parser, &operand.value));
    } else if (parser_at_path(parser)) {
        TRY(parser_path(parser, &operand.path));
    } else {
        return parser_syntax_error(parser);
    }
    *ret_operand = operand;
    return ST_OK;
}

/* Operands separated by commas up to the closing parenthesis; at most `count_max` are kept. */
static enum status parse_operands(struct parser *parser, struct operand *operands,
                                  uint32_t count_max, uint32_t *ret_count)
{
    uint32_t count = 0;

    for (;;) {
        struct operand operand;

        TRY(parse_operand(parser, &operand));
        if (count < count_max)
            operands[count] = operand;
        count++;
        if (!parser_is(parser, ","))
            break;
        parser_advance(parser);
    }
    TRY(parser_expect(parser, ")"));
    *ret_count = count;
    return ST_OK;
}

/* ---- Functions and comparisons ---- */

static enum status parse_function(struct parser *parser, struct condition **ret_condition)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        struct condition *condition;

        if (!slice_is(parser->token.text, functions[i].name))
            continue;
        TRY(parser_count_operator(parser));
        condition = new_condition(parser, functions[i].kind);
        condition->operands = ARENA_ARRAY(parser->arena, struct operand, 2);
        parser_advance(parser);
        parser_advance(parser);
        TRY(parse_operands(parser, condition->operands, 2, &condition->operand_count));
        if (condition->operand_count != functions[i].operand_count)
            return parser_fault(parser,
                                "Incorrect number of operands for operator or function; operator "
                                "or function: %s, number of operands: %u",
                                functions[i].name, condition->operand_count);
        TRY(check_function(parser, functions[i].name, condition));
        *ret_condition = condition;
        return ST_OK;
    }
    return refuse_function(parser);
}

static enum status parse_between(struct parser *parser, struct operand first,
                                 struct condition **ret_condition)
{
    struct condition *condition = new_condition(parser, CONDITION_BETWEEN);

    condition->operands = ARENA_ARRAY(parser->arena, struct operand, 3);
    condition->operand_count = 3;
    condition->operands[0] = first;
    parser_advance(parser);
    TRY(parse_operand(parser, &condition->operands[1]));
    if (!parser_is_keyword(parser, "AND"))
        return parser_syntax_error(parser);
    parser_advance(parser);
    TRY(parse_operand(parser, &condition->operands[2]));
    TRY(check_between(parser, condition));
    *ret_condition = condition;
    return ST_OK;
}

static enum status parse_in(struct parser *parser, struct operand first,
                            struct condition **ret_condition)
{
    struct condition *condition = new_condition(parser, CONDITION_IN);
    uint32_t count;

    condition->operands = ARENA_ARRAY(parser->arena, struct operand, IN_OPERANDS_MAX + 1);
    condition->operands[0] = first;
    parser_advance(parser);
    TRY(parser_expect(parser, "("));
    TRY(parse_operands(parser, condition->operands + 1, IN_OPERANDS_MAX, &count));
    if (count > IN_OPERANDS_MAX)
        return parser_fault(parser,
                            "Incorrect number of operands for operator or function; operator or "
                            "function: IN, number of operands: %u",
                            count + 1);
    condition->operand_count = count + 1;
    TRY(check_distinct(parser, "IN", condition));
    *ret_condition = condition;
    return ST_OK;
}

static enum status parse_comparison(struct parser *parser, struct condition **ret_condition)
{
    struct operand first;

    TRY(parse_operand(parser, &first));
    TRY(parser_count_operator(parser));
    if (parser_is_keyword(parser, "BETWEEN"))
        return parse_between(parser, first, ret_condition);
    if (parser_is_keyword(parser, "IN"))
        return parse_in(parser, first, ret_condition);
    for (size_t i = 0; i < sizeof(comparators) / sizeof(comparators[0]); i++) {
        struct condition *condition;

        if (!parser_is(parser, comparators[i].text))
            continue;
        parser_advance(parser);
        condition = new_condition(parser, comparators[i].kind);
        condition->operands = ARENA_ARRAY(parser->arena, struct operand, 2);
        condition->operand_count = 2;
        condition->operands[0] = first;
        TRY(parse_operand(parser, &condition->operands[1]));
        TRY(check_comparison(parser, comparators[i].text, condition));
        *ret_condition = condition;
        return ST_OK;
    }
    return parser_syntax_error(parser);
}

/* ---- The precedence loop ---- */

// NOLINTBEGIN(misc-no-recursion): nesting is bounded by CONDITION_DEPTH_MAX
static enum status parse_expression(struct parser *parser, enum precedence least,
                                    struct condition **ret_condition);

static enum status enter(struct parser *parser)
{
    if (++parser->depth > CONDITION_DEPTH_MAX)
        return parser_fault(parser, "The expression is nested too deeply");
    return ST_OK;
}

/* ((a)) is refused: a group that holds another group and nothing beside it. */
static enum status parse_parenthesised(struct parser *parser, struct condition **ret_condition)
{
    const uint8_t *open = parser->token.text.p, *inner_open, *inner_close;

    parser_advance(parser);
    inner_open = parser->token.text.p;
    TRY(enter(parser));
    TRY(parse_expression(parser, PRECEDENCE_OR, ret_condition));
    parser->depth--;
    inner_close = parser->before.text.p;
    if (parser->group_open != NULL && parser->group_open == inner_open &&
        parser->group_close == inner_close)
        return parser_fault(parser, "The expression has redundant parentheses;");
    parser->group_open = open;
    parser->group_close = parser->token.text.p;
    TRY(parser_expect(parser, ")"));
    return ST_OK;
}

static enum status parse_not(struct parser *parser, struct condition **ret_condition)
{
    struct condition *condition = new_condition(parser, CONDITION_NOT);

    TRY(parser_count_operator(parser));
    parser_advance(parser);
    TRY(enter(parser));
    TRY(parse_expression(parser, PRECEDENCE_NOT, &condition->left));
    parser->depth--;
    *ret_condition = condition;
    return ST_OK;
}

static enum status parse_primary(struct parser *parser, struct condition **ret_condition)
{
    if (parser_is(parser, "("))
        return parse_parenthesised(parser, ret_condition);
    if (parser_is_keyword(parser, "NOT"))
        return parse_not(parser, ret_condition);
    if (at_function(parser) && !slice_is(parser->token.text, "size"))
        return parse_function(parser, ret_condition);
    return parse_comparison(parser, ret_condition);
}

static enum precedence precedence_of(const struct parser *parser)
{
    if (parser_is_keyword(parser, "AND"))
        return PRECEDENCE_AND;
    return parser_is_keyword(parser, "OR") ? PRECEDENCE_OR : PRECEDENCE_NONE;
}

static enum status parse_expression(struct parser *parser, enum precedence least,
                                    struct condition **ret_condition)
{
    struct condition *left;

    TRY(parse_primary(parser, &left));
    for (;;) {
        enum precedence found = precedence_of(parser);
        struct condition *both;

        if (found == PRECEDENCE_NONE || found < least)
            break;
        TRY(parser_count_operator(parser));
        both = new_condition(parser, found == PRECEDENCE_AND ? CONDITION_AND : CONDITION_OR);
        parser_advance(parser);
        both->left = left;
        TRY(enter(parser));
        TRY(parse_expression(parser, found == PRECEDENCE_AND ? PRECEDENCE_NOT : PRECEDENCE_AND,
                             &both->right));
        parser->depth--;
        left = both;
    }
    *ret_condition = left;
    return ST_OK;
}
// NOLINTEND(misc-no-recursion)

enum status condition_parse(struct arena *arena, const char *kind, struct slice text,
                            struct expr_params *params, struct error *error,
                            struct condition **ret_condition)
{
    struct condition *condition;
    struct parser parser;

    TRY(parser_begin(&parser, arena, kind, text, params, error));
    TRY(parse_expression(&parser, PRECEDENCE_OR, &condition));
    TRY(parser_expect_end(&parser));
    *ret_condition = condition;
    return ST_OK;
}
