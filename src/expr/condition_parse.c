/*
 * Parsing conditions.
 *
 *   expression  = unary { (AND | OR) unary }        by precedence: NOT, AND, OR
 *   unary       = NOT unary | comparison
 *   comparison  = term [ comparator operand | BETWEEN operand AND operand | IN ( operand , ... ) ]
 *   term        = ( expression ) | function ( operand , ... ) | path | :value
 *   operand     = ( operand ) | function ( operand , ... ) | path | :value
 *
 * What parentheses hold, a condition or an operand, shows only behind them: so parsing yields a
 * node of either sort, and whoever takes it demands the sort that it needs.
 */
#include "expr/condition_check.h"
#include "expr/parser.h"

enum precedence { PRECEDENCE_NONE, PRECEDENCE_OR, PRECEDENCE_AND, PRECEDENCE_NOT };

enum node_sort {
    NODE_OPERAND,
    NODE_CONDITION,
    NODE_FUNCTION /* by the grammar either; by its name one of them */
};

struct node {
    enum node_sort sort;
    bool grouped;          /* in parentheses */
    struct slice function; /* the name of NODE_FUNCTION */
    struct operand operand;
    struct condition *condition; /* NULL for an operand */
};

static const struct {
    const char *name;
    enum condition_kind kind;
    uint32_t operand_count;
} functions[] = {
    {"attribute_exists", CONDITION_EXISTS, 1}, {"attribute_not_exists", CONDITION_NOT_EXISTS, 1},
    {"attribute_type", CONDITION_TYPE, 2},     {"begins_with", CONDITION_BEGINS_WITH, 2},
    {"contains", CONDITION_CONTAINS, 2},
};

static const enum condition_kind comparators[] = {
    [TOKEN_EQ] = CONDITION_EQ, [TOKEN_NE] = CONDITION_NE, [TOKEN_LT] = CONDITION_LT,
    [TOKEN_LE] = CONDITION_LE, [TOKEN_GT] = CONDITION_GT, [TOKEN_GE] = CONDITION_GE,
};

static bool at_comparator(const struct parser *parser)
{
    return parser->token.kind >= TOKEN_EQ && parser->token.kind <= TOKEN_GE;
}

/* ---- The sort of a node ---- */

static void note_place(struct parser *parser, struct slice function)
{
    parser_note(parser, FAULT_FUNCTION_PLACE,
                "The function is not allowed to be used this way in an expression; function: "
                "%" PRISLICE,
                SLICE_ARG(function));
}

/* A condition of the node; a test of nothing stands in for a misplaced function. */
static enum status take_condition(struct parser *parser, const struct node *node,
                                  struct condition **ret_condition)
{
    if (node->sort == NODE_OPERAND)
        return parser_syntax_error(parser);
    *ret_condition = node->condition;
    if (node->condition == NULL) {
        note_place(parser, node->function);
        *ret_condition = condition_new_test(parser->arena, CONDITION_EXISTS, &node->operand, 1);
    }
    return ST_OK;
}

static enum status take_operand(struct parser *parser, const struct node *node,
                                struct operand *ret_operand)
{
    if (node->sort == NODE_CONDITION)
        return parser_syntax_error(parser);
    if (node->condition != NULL)
        note_place(parser, node->function);
    *ret_operand = node->operand;
    return ST_OK;
}

// NOLINTBEGIN(misc-no-recursion): parser_enter bounds the depth

static enum status parse_expression(struct parser *parser, enum precedence least,
                                    struct node *ret_node);
static enum status parse_term(struct parser *parser, bool only_operand, struct node *ret_node);

static enum status parse_operand(struct parser *parser, struct operand *ret_operand)
{
    struct node node;

    TRY(parse_term(parser, true, &node));
    return take_operand(parser, &node, ret_operand);
}

/* ---- Functions ---- */

/* Operands and the parenthesis that closes them; `operands` has room for `room`, the rest is
 * counted only. */
static enum status parse_operands(struct parser *parser, struct operand *operands, uint32_t room,
                                  uint32_t *ret_count)
{
    uint32_t count = 0;

    do {
        struct operand operand;

        TRY(parse_operand(parser, &operand));
        if (count < room)
            operands[count] = operand;
        count++;
    } while (parser_accept(parser, TOKEN_COMMA));
    TRY(parser_expect(parser, TOKEN_CLOSE));
    *ret_count = count;
    return ST_OK;
}

static void make_size(struct parser *parser, struct operand *operands, uint32_t count,
                      struct node *node)
{
    if (condition_check_count(parser, "size", 1, count))
        condition_check_size(parser, &operands[0]);
    node->operand = operands[0];
    node->operand.kind =
        operands[0].kind == OPERAND_PATH ? OPERAND_SIZE_OF_PATH : OPERAND_SIZE_OF_VALUE;
}

static void note_name(struct parser *parser, struct slice name)
{
    if (slice_is(name, "if_not_exists") || slice_is(name, "list_append"))
        parser_note(parser, FAULT_FUNCTION_NAME,
                    "The function is not allowed in a condition expression; function: %" PRISLICE,
                    SLICE_ARG(name));
    else
        parser_note(parser, FAULT_FUNCTION_NAME, "Invalid function name; function: %" PRISLICE,
                    SLICE_ARG(name));
}

/* Gives the node its condition or, for size, its operand. */
static void make_function(struct parser *parser, struct operand *operands, uint32_t count,
                          struct node *node)
{
    if (slice_is(node->function, "size")) {
        make_size(parser, operands, count, node);
        return;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!slice_is(node->function, functions[i].name))
            continue;
        if (condition_check_count(parser, functions[i].name, functions[i].operand_count, count))
            condition_check_function(parser, functions[i].kind, operands);
        node->condition = condition_new_test(parser->arena, functions[i].kind, operands,
                                             functions[i].operand_count);
        return;
    }
    note_name(parser, node->function);
}

static enum status parse_function(struct parser *parser, struct node *ret_node)
{
    struct node node = {.sort = NODE_FUNCTION, .function = parser->token.text};
    struct operand operands[2] = {0};
    uint32_t count;

    parser->operators++;
    parser_advance(parser);
    parser_advance(parser);
    TRY(parser_enter(parser));
    TRY(parse_operands(parser, operands, 2, &count));
    parser_leave(parser);
    make_function(parser, operands, count, &node);
    *ret_node = node;
    return ST_OK;
}

/* ---- Terms ---- */

static enum status parse_group(struct parser *parser, bool only_operand, struct node *ret_node)
{
    TRY(parser_expect(parser, TOKEN_OPEN));
    TRY(parser_enter(parser));
    if (only_operand)
        TRY(parse_term(parser, true, ret_node));
    else
        TRY(parse_expression(parser, PRECEDENCE_OR, ret_node));
    TRY(parser_expect(parser, TOKEN_CLOSE));
    parser_leave(parser);
    if (ret_node->grouped)
        parser_note(parser, FAULT_PARENTHESES, "The expression has redundant parentheses;");
    ret_node->grouped = true;
    return ST_OK;
}

static enum status parse_term(struct parser *parser, bool only_operand, struct node *ret_node)
{
    if (parser_at(parser, TOKEN_OPEN))
        return parse_group(parser, only_operand, ret_node);
    if (parser_at_function(parser))
        return parse_function(parser, ret_node);
    *ret_node = (struct node){.sort = NODE_OPERAND};
    if (parser_at(parser, TOKEN_VALUE_REF)) {
        ret_node->operand.kind = OPERAND_VALUE;
        return parser_value(parser, &ret_node->operand.value);
    }
    ret_node->operand.kind = OPERAND_PATH;
    return parser_path(parser, &ret_node->operand.path);
}

/* ---- Comparisons ---- */

static void make_test(struct parser *parser, enum condition_kind kind,
                      const struct operand *operands, uint32_t count, struct node *node)
{
    parser->operators++;
    condition_check_operator(parser, kind, operands, count);
    *node = (struct node){
        .sort = NODE_CONDITION,
        .condition = condition_new_test(parser->arena, kind, operands, count),
    };
}

static enum status parse_comparator(struct parser *parser, struct operand first,
                                    struct node *ret_node)
{
    enum condition_kind kind = comparators[parser->token.kind];
    struct operand operands[2] = {first};

    parser_advance(parser);
    TRY(parse_operand(parser, &operands[1]));
    make_test(parser, kind, operands, 2, ret_node);
    return ST_OK;
}

static enum status parse_between(struct parser *parser, struct operand first, struct node *ret_node)
{
    struct operand operands[3] = {first};

    TRY(parser_expect(parser, TOKEN_BETWEEN));
    TRY(parse_operand(parser, &operands[1]));
    TRY(parser_expect(parser, TOKEN_AND));
    TRY(parse_operand(parser, &operands[2]));
    make_test(parser, CONDITION_BETWEEN, operands, 3, ret_node);
    return ST_OK;
}

static enum status parse_in(struct parser *parser, struct operand first, struct node *ret_node)
{
    struct operand *operands = ARENA_ARRAY(parser->arena, struct operand, 1 + IN_OPERANDS_MAX);
    uint32_t count;

    operands[0] = first;
    TRY(parser_expect(parser, TOKEN_IN));
    TRY(parser_expect(parser, TOKEN_OPEN));
    TRY(parse_operands(parser, operands + 1, IN_OPERANDS_MAX, &count));
    if (count > IN_OPERANDS_MAX) {
        condition_note_in_count(parser, count);
        count = IN_OPERANDS_MAX;
    }
    make_test(parser, CONDITION_IN, operands, 1 + count, ret_node);
    return ST_OK;
}

static enum status parse_test(struct parser *parser, struct node *ret_node)
{
    struct operand first = {0};

    TRY(parse_term(parser, false, ret_node));
    if (!at_comparator(parser) && !parser_at(parser, TOKEN_BETWEEN) && !parser_at(parser, TOKEN_IN))
        return ST_OK;
    TRY(take_operand(parser, ret_node, &first));
    if (parser_at(parser, TOKEN_BETWEEN))
        return parse_between(parser, first, ret_node);
    if (parser_at(parser, TOKEN_IN))
        return parse_in(parser, first, ret_node);
    return parse_comparator(parser, first, ret_node);
}

/* ---- The precedence loop ---- */

static enum status parse_not(struct parser *parser, struct node *ret_node);

static enum status parse_unary(struct parser *parser, struct node *ret_node)
{
    if (parser_at(parser, TOKEN_NOT))
        return parse_not(parser, ret_node);
    TRY(parse_test(parser, ret_node));
    if (ret_node->sort != NODE_OPERAND)
        parser_settle_condition(parser);
    return ST_OK;
}

static enum status parse_not(struct parser *parser, struct node *ret_node)
{
    struct condition *child = NULL;

    parser->operators++;
    parser_advance(parser);
    TRY(parser_enter(parser));
    TRY(parse_unary(parser, ret_node));
    parser_leave(parser);
    TRY(take_condition(parser, ret_node, &child));
    *ret_node = (struct node){
        .sort = NODE_CONDITION,
        .condition = condition_new_not(parser->arena, child),
    };
    return ST_OK;
}

static enum precedence precedence_of(const struct parser *parser)
{
    if (parser_at(parser, TOKEN_AND))
        return PRECEDENCE_AND;
    return parser_at(parser, TOKEN_OR) ? PRECEDENCE_OR : PRECEDENCE_NONE;
}

static enum status parse_expression(struct parser *parser, enum precedence least,
                                    struct node *ret_node)
{
    TRY(parse_unary(parser, ret_node));
    for (;;) {
        enum precedence found = precedence_of(parser);
        struct condition *left = NULL, *right = NULL;
        struct node node;

        if (found == PRECEDENCE_NONE || found < least)
            return ST_OK;
        TRY(take_condition(parser, ret_node, &left));
        parser->operators++;
        parser_advance(parser);
        TRY(parse_expression(parser, found + 1, &node));
        TRY(take_condition(parser, &node, &right));
        *ret_node = (struct node){
            .sort = NODE_CONDITION,
            .condition = condition_join(
                parser->arena, found == PRECEDENCE_AND ? CONDITION_AND : CONDITION_OR, left, right),
        };
    }
}
// NOLINTEND(misc-no-recursion)

enum status condition_parse(struct arena *arena, const char *kind, struct slice text,
                            struct expr_params *params, struct error *error,
                            struct condition **ret_condition)
{
    static const enum fault order[] = {
        FAULT_PARENTHESES,   FAULT_FUNCTION_NAME, FAULT_FUNCTION_PLACE,
        FAULT_RESERVED_WORD, FAULT_CONDITION,     FAULT_NONE,
    };
    struct condition *condition = NULL;
    struct parser parser;
    struct node node;

    TRY(parser_begin(&parser, arena, kind, text, params, error));
    TRY(parse_expression(&parser, PRECEDENCE_OR, &node));
    TRY(take_condition(&parser, &node, &condition));
    TRY(parser_end(&parser, order));
    *ret_condition = condition;
    return ST_OK;
}
