/*
 * Parsing updates.
 *
 *   update    = { section }
 *   section   = SET set , ... | REMOVE path , ... | ADD path :value , ... | DELETE path :value ,
 * ... set       = path = value value     = operand [ + operand | - operand ] | ( value ) operand =
 * ( operand ) | function | path | :value function  = if_not_exists ( operand , operand ) |
 * list_append ( operand , operand )
 *
 * What parentheses hold, an operand or an arithmetic, shows only behind them; nodes know which.
 */
#include "base/check.h"
#include "expr/parser.h"

struct node {
    struct term *term;
    bool arithmetic;
    bool grouped;   /* in parentheses */
    bool is_append; /* list_append(), which may stand nowhere but alone */
};

struct section {
    enum token_kind token;
    enum action_kind kind;
    const char *name;
};

static const struct section sections[] = {
    {TOKEN_SET, ACTION_SET, "SET"},
    {TOKEN_REMOVE, ACTION_REMOVE, "REMOVE"},
    {TOKEN_ADD, ACTION_ADD, "ADD"},
    {TOKEN_DELETE, ACTION_DELETE, "DELETE"},
};

/* ---- Checks ---- */

static void check_nesting(struct parser *parser, const struct node *operand)
{
    if (operand->is_append)
        parser_note(parser, FAULT_FUNCTION_PLACE,
                    "The function is not allowed to be used this way in an expression; function: "
                    "list_append");
}

/* Operands whose type is known before there is an item: values. */
static void check_type(struct parser *parser, const char *function, const struct node *operand,
                       enum value_type wanted)
{
    enum value_type type;

    CHECK(operand->term != NULL);
    type = operand->term->value.type;
    if (operand->term->kind == TERM_VALUE && type != VALUE_ABSENT && type != wanted)
        parser_note_type(parser, function, value_type_name(type));
}

static void check_pair(struct parser *parser, const char *function, const struct node *operands,
                       enum value_type wanted)
{
    for (uint32_t i = 0; i < 2; i++)
        check_nesting(parser, &operands[i]);
    for (uint32_t i = 0; i < 2; i++)
        check_type(parser, function, &operands[i], wanted);
}

static void note_function_name(struct parser *parser, struct slice name)
{
    static const char *const elsewhere[] = {"attribute_exists", "attribute_not_exists",
                                            "attribute_type",   "begins_with",
                                            "contains",         "size"};

    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (slice_is(name, elsewhere[i]))
            parser_note(parser, FAULT_FUNCTION_NAME,
                        "The function is not allowed in an update expression; function: %s",
                        elsewhere[i]);
    parser_note(parser, FAULT_FUNCTION_NAME, "Invalid function name; function: %" PRISLICE,
                SLICE_ARG(name));
}

static bool check_count(struct parser *parser, struct slice function, uint32_t count)
{
    if (count == 2)
        return true;
    parser_note(parser, FAULT_OPERANDS,
                "Incorrect number of operands for operator or function; operator or function: "
                "%" PRISLICE ", number of operands: %u",
                SLICE_ARG(function), count);
    return false;
}

/* ---- Functions ---- */

static void make_if_not_exists(struct parser *parser, const struct node *operands,
                               struct node *node)
{
    check_nesting(parser, &operands[1]);
    if (operands[0].term->kind != TERM_PATH)
        parser_note(parser, FAULT_OPERANDS,
                    "Operator or function requires a document path; operator or function: "
                    "if_not_exists");
    node->term = term_new_if_not_exists(parser->arena, operands[0].term->path, operands[1].term);
}

static void make_list_append(struct parser *parser, const struct node *operands, struct node *node)
{
    check_pair(parser, "list_append", operands, VALUE_L);
    node->is_append = true;
    node->term = term_new_pair(parser->arena, TERM_LIST_APPEND, operands[0].term, operands[1].term);
}

/* A value stands in for a function that cannot be. */
static void make_function(struct parser *parser, struct slice name, const struct node *operands,
                          uint32_t count, struct node *node)
{
    bool is_condition = slice_is(name, "if_not_exists");

    node->term = term_new_value(parser->arena, VALUE_NONE);
    if (!is_condition && !slice_is(name, "list_append"))
        note_function_name(parser, name);
    else if (check_count(parser, name, count) && is_condition)
        make_if_not_exists(parser, operands, node);
    else if (count == 2)
        make_list_append(parser, operands, node);
}

// NOLINTBEGIN(misc-no-recursion): parser_enter bounds the depth

static enum status parse_operand(struct parser *parser, struct node *ret_node);

static enum status parse_function(struct parser *parser, struct node *ret_node)
{
    struct slice name = parser->token.text;
    struct node operands[2] = {0};
    uint32_t count = 0;

    parser->operators++;
    parser_advance(parser);
    TRY(parser_enter(parser));
    do {
        struct node operand;

        parser_advance(parser);
        TRY(parse_operand(parser, &operand));
        if (count < 2)
            operands[count] = operand;
        count++;
    } while (parser_at(parser, TOKEN_COMMA));
    TRY(parser_expect(parser, TOKEN_CLOSE));
    parser_leave(parser);
    make_function(parser, name, operands, count, ret_node);
    return ST_OK;
}

/* ---- Values ---- */

static void close_group(struct parser *parser, struct node *node)
{
    parser_leave(parser);
    if (node->grouped)
        parser_note(parser, FAULT_PARENTHESES, "The expression has redundant parentheses;");
    node->grouped = true;
}

static enum status parse_leaf(struct parser *parser, struct node *ret_node)
{
    struct value value;
    struct path path;

    if (parser_at(parser, TOKEN_VALUE_REF)) {
        TRY(parser_value(parser, &value));
        ret_node->term = term_new_value(parser->arena, value);
        return ST_OK;
    }
    TRY(parser_path(parser, &path));
    ret_node->term = term_new_path(parser->arena, path);
    return ST_OK;
}

static enum status parse_operand(struct parser *parser, struct node *ret_node)
{
    *ret_node = (struct node){0};
    if (parser_at_function(parser))
        return parse_function(parser, ret_node);
    if (!parser_accept(parser, TOKEN_OPEN))
        return parse_leaf(parser, ret_node);
    TRY(parser_enter(parser));
    TRY(parse_operand(parser, ret_node));
    TRY(parser_expect(parser, TOKEN_CLOSE));
    close_group(parser, ret_node);
    return ST_OK;
}

/* What stands behind the first operand. */
static enum status parse_arithmetic(struct parser *parser, struct node *node)
{
    bool plus = parser_at(parser, TOKEN_PLUS);
    struct node operands[2] = {*node};

    if (!plus && !parser_at(parser, TOKEN_MINUS))
        return ST_OK;
    if (node->arithmetic)
        return parser_syntax_error(parser);
    parser->operators++;
    parser_advance(parser);
    TRY(parse_operand(parser, &operands[1]));
    check_pair(parser, plus ? "+" : "-", operands, VALUE_N);
    *node = (struct node){
        .arithmetic = true,
        .term = term_new_pair(parser->arena, plus ? TERM_PLUS : TERM_MINUS, operands[0].term,
                              operands[1].term),
    };
    return ST_OK;
}

static enum status parse_set_value(struct parser *parser, struct node *ret_node)
{
    if (parser_accept(parser, TOKEN_OPEN)) {
        TRY(parser_enter(parser));
        TRY(parse_set_value(parser, ret_node));
        TRY(parser_expect(parser, TOKEN_CLOSE));
        close_group(parser, ret_node);
    } else {
        TRY(parse_operand(parser, ret_node));
    }
    return parse_arithmetic(parser, ret_node);
}
// NOLINTEND(misc-no-recursion)

/* ---- Actions ---- */

static const char *operand_type_name(enum value_type type)
{
    static const char *const names[] = {
        [VALUE_S] = "STRING",      [VALUE_N] = "NUMBER",      [VALUE_B] = "BINARY",
        [VALUE_BOOL] = "BOOLEAN",  [VALUE_NULL] = "NULL",     [VALUE_SS] = "STRING_SET",
        [VALUE_NS] = "NUMBER_SET", [VALUE_BS] = "BINARY_SET", [VALUE_L] = "LIST",
        [VALUE_M] = "MAP",
    };

    return names[type];
}

/* ADD takes numbers and sets, DELETE sets. */
static void check_action_operand(struct parser *parser, const struct section *section,
                                 enum value_type type)
{
    if (type == VALUE_ABSENT || type == VALUE_SS || type == VALUE_NS || type == VALUE_BS ||
        (type == VALUE_N && section->kind == ACTION_ADD))
        return;
    parser_note(parser, FAULT_ACTION_OPERAND,
                "Incorrect operand type for operator or function; operator: %s, operand type: %s, "
                "typeSet: ALLOWED_FOR_%s_OPERAND",
                section->name, operand_type_name(type), section->name);
}

static enum status parse_set(struct parser *parser, struct action *action)
{
    struct node value;

    TRY(parser_expect(parser, TOKEN_EQ));
    TRY(parse_set_value(parser, &value));
    action->term = value.term;
    return ST_OK;
}

static enum status parse_action(struct parser *parser, const struct section *section,
                                struct update *update)
{
    struct action action = {.kind = section->kind};
    enum path_relation relation;
    struct path other = {0};

    TRY(parser_path(parser, &action.path));
    if (section->kind == ACTION_SET) {
        TRY(parse_set(parser, &action));
    } else if (section->kind != ACTION_REMOVE) {
        TRY(parser_value(parser, &action.value));
        check_action_operand(parser, section, action.value.type);
    }
    relation = update_add(update, &action, &other);
    parser_note_relation(parser, relation, other, action.path);
    return ST_OK;
}

static const struct section *section_at(const struct parser *parser)
{
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (parser_at(parser, sections[i].token))
            return &sections[i];
    return NULL;
}

static enum status parse_sections(struct parser *parser, struct update *update)
{
    bool seen[TOKEN_UNKNOWN] = {false};

    do {
        const struct section *section = section_at(parser);

        if (section == NULL)
            return parser_syntax_error(parser);
        if (seen[section->token])
            parser_note(parser, FAULT_SECTION,
                        "The \"%s\" section can only be used once in an update expression;",
                        section->name);
        seen[section->token] = true;
        do {
            parser_advance(parser);
            TRY(parse_action(parser, section, update));
        } while (parser_at(parser, TOKEN_COMMA));
    } while (!parser_at(parser, TOKEN_END));
    return ST_OK;
}

enum status update_parse(struct arena *arena, struct slice text, struct expr_params *params,
                         struct error *error, struct update **ret_update)
{
    static const enum fault order[] = {
        FAULT_PARENTHESES,    FAULT_RESERVED_WORD, FAULT_FUNCTION_NAME, FAULT_FUNCTION_PLACE,
        FAULT_SECTION,        FAULT_NAME,          FAULT_VALUE,         FAULT_PATHS,
        FAULT_ACTION_OPERAND, FAULT_OPERANDS,      FAULT_NONE,
    };
    struct update *update;
    struct parser parser;

    TRY(parser_begin(&parser, arena, "UpdateExpression", text, params, error));
    /* Each action but the last takes at least two bytes of the text. */
    update = update_new(arena, (uint32_t)text.n / 2 + 1);
    TRY(parse_sections(&parser, update));
    TRY(parser_end(&parser, order));
    *ret_update = update;
    return ST_OK;
}
