/*
 * Parsing update expressions: SET, REMOVE, ADD and DELETE sections, each at most once.
 *
 *   SET     path = term, ...       term: operand [+|- operand], function, or (term)
 *   REMOVE  path, ...
 *   ADD     path :value, ...
 *   DELETE  path :value, ...
 */
#include "expr/lexer.h"

#define TERM_DEPTH_MAX 8

static const char *const section_names[] = {
    [ACTION_SET] = "SET",
    [ACTION_REMOVE] = "REMOVE",
    [ACTION_ADD] = "ADD",
    [ACTION_DELETE] = "DELETE",
};

/* Names of types in messages about ADD and DELETE. */
static const char *const long_type_names[] = {
    [VALUE_ABSENT] = "",       [VALUE_S] = "STRING",      [VALUE_N] = "NUMBER",
    [VALUE_B] = "BINARY",      [VALUE_BOOL] = "BOOLEAN",  [VALUE_NULL] = "NULL",
    [VALUE_SS] = "STRING_SET", [VALUE_NS] = "NUMBER_SET", [VALUE_BS] = "BINARY_SET",
    [VALUE_L] = "LIST",        [VALUE_M] = "MAP",
};

/* ---- Terms ---- */

static struct term *new_term(struct parser *parser, enum term_kind kind)
{
    struct term *term = ARENA_NEW(parser->arena, struct term);

    term->kind = kind;
    return term;
}

static enum status refuse_type(struct parser *parser, const char *name, enum value_type type)
{
    return parser_fault(parser,
                        "Incorrect operand type for operator or function; operator or function: "
                        "%s, operand type: %s",
                        name, value_type_name(type));
}

/* A literal operand must be of `type`; what a path holds is checked when the update is applied. */
static enum status check_literal(struct parser *parser, const char *name, const struct term *term,
                                 enum value_type type)
{
    if (term->kind != TERM_OPERAND || term->operand.kind != OPERAND_VALUE ||
        term->operand.value.type == type)
        return ST_OK;
    return refuse_type(parser, name, term->operand.value.type);
}

static enum status refuse_term_function(struct parser *parser)
{
    static const char *const elsewhere[] = {"attribute_exists", "attribute_not_exists",
                                            "attribute_type",   "begins_with",
                                            "contains",         "size"};

    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (slice_is(parser->token.text, elsewhere[i]))
            return parser_fault(parser,
                                "The function is not allowed in an update expression; function: %s",
                                elsewhere[i]);
    return parser_fault(parser, "Invalid function name; function: %" PRISLICE,
                        SLICE_ARG(parser->token.text));
}

static bool at_function(const struct parser *parser)
{
    struct token next = parser_peek(parser);

    return parser->token.kind == TOKEN_NAME && next.kind == TOKEN_PUNCTUATION &&
           slice_is(next.text, "(");
}

static enum status refuse_count(struct parser *parser, const char *name, unsigned count)
{
    return parser_fault(parser,
                        "Incorrect number of operands for operator or function; operator or "
                        "function: %s, number of operands: %u",
                        name, count);
}

// NOLINTBEGIN(misc-no-recursion): bounded by TERM_DEPTH_MAX
static enum status parse_term(struct parser *parser, struct term **ret_term);
static enum status parse_simple_term(struct parser *parser, struct term **ret_term);

/* Arguments after the opening parenthesis; at most two are kept. */
static enum status parse_arguments(struct parser *parser, const char *name,
                                   struct term *ret_arguments[2])
{
    unsigned count = 0;

    for (;;) {
        struct term *argument;

        TRY(parse_simple_term(parser, &argument));
        if (count < 2)
            ret_arguments[count] = argument;
        count++;
        if (!parser_is(parser, ","))
            break;
        parser_advance(parser);
    }
    TRY(parser_expect(parser, ")"));
    return count == 2 ? ST_OK : refuse_count(parser, name, count);
}

static enum status parse_if_not_exists(struct parser *parser, struct term **ret_term)
{
    struct term *term = new_term(parser, TERM_IF_NOT_EXISTS), *arguments[2];

    TRY(parse_arguments(parser, "if_not_exists", arguments));
    if (arguments[0]->kind != TERM_OPERAND || arguments[0]->operand.kind != OPERAND_PATH)
        return parser_fault(parser, "Operator or function requires a document path; operator or "
                                    "function: if_not_exists");
    term->path = arguments[0]->operand.path;
    term->left = arguments[1];
    *ret_term = term;
    return ST_OK;
}

static enum status parse_list_append(struct parser *parser, struct term **ret_term)
{
    struct term *term = new_term(parser, TERM_LIST_APPEND), *arguments[2];

    TRY(parse_arguments(parser, "list_append", arguments));
    for (size_t i = 0; i < 2; i++) {
        if (arguments[i]->kind == TERM_LIST_APPEND)
            return parser_fault(parser, "The function is not allowed to be used this way in an "
                                        "expression; function: list_append");
        TRY(check_literal(parser, "list_append", arguments[i], VALUE_L));
    }
    term->left = arguments[0];
    term->right = arguments[1];
    *ret_term = term;
    return ST_OK;
}

static enum status parse_function(struct parser *parser, struct term **ret_term)
{
    bool if_not_exists = slice_is(parser->token.text, "if_not_exists");

    if (!if_not_exists && !slice_is(parser->token.text, "list_append"))
        return refuse_term_function(parser);
    TRY(parser_count_operator(parser));
    parser_advance(parser);
    parser_advance(parser);
    return if_not_exists ? parse_if_not_exists(parser, ret_term)
                         : parse_list_append(parser, ret_term);
}

static enum status parse_operand(struct parser *parser, struct term **ret_term)
{
    struct term *term = new_term(parser, TERM_OPERAND);

    if (parser->token.kind == TOKEN_VALUE_REF) {
        term->operand.kind = OPERAND_VALUE;
        TRY(parser_value(parser, &term->operand.value));
    } else {
        if (!parser_at_path(parser))
            return parser_syntax_error(parser);
        term->operand.kind = OPERAND_PATH;
        TRY(parser_path(parser, &term->operand.path));
    }
    *ret_term = term;
    return ST_OK;
}

static enum status parse_parenthesised(struct parser *parser, struct term **ret_term)
{
    parser_advance(parser);
    if (parser_is(parser, "("))
        return parser_fault(parser, "The expression has redundant parentheses;");
    TRY(parse_term(parser, ret_term));
    return parser_expect(parser, ")");
}

static enum status parse_simple_term(struct parser *parser, struct term **ret_term)
{
    enum status status;

    if (++parser->depth > TERM_DEPTH_MAX)
        return parser_fault(parser, "The expression is nested too deeply");
    if (parser_is(parser, "("))
        status = parse_parenthesised(parser, ret_term);
    else if (at_function(parser))
        status = parse_function(parser, ret_term);
    else
        status = parse_operand(parser, ret_term);
    parser->depth--;
    return status;
}

static enum status parse_term(struct parser *parser, struct term **ret_term)
{
    struct term *left, *both;
    const char *name;

    TRY(parse_simple_term(parser, &left));
    if (!parser_is(parser, "+") && !parser_is(parser, "-")) {
        *ret_term = left;
        return ST_OK;
    }
    both = new_term(parser, parser_is(parser, "+") ? TERM_PLUS : TERM_MINUS);
    name = both->kind == TERM_PLUS ? "+" : "-";
    TRY(parser_count_operator(parser));
    parser_advance(parser);
    TRY(parse_simple_term(parser, &both->right));
    both->left = left;
    TRY(check_literal(parser, name, left, VALUE_N));
    TRY(check_literal(parser, name, both->right, VALUE_N));
    *ret_term = both;
    return ST_OK;
}
// NOLINTEND(misc-no-recursion)

/* ---- Actions ---- */

static enum status parse_set(struct parser *parser, struct action *action)
{
    TRY(parser_path(parser, &action->path));
    TRY(parser_expect(parser, "="));
    TRY(parser_count_operator(parser));
    return parse_term(parser, &action->term);
}

static bool is_set(enum value_type type)
{
    return type == VALUE_SS || type == VALUE_NS || type == VALUE_BS;
}

static enum status parse_add_or_delete(struct parser *parser, struct action *action)
{
    bool add = action->kind == ACTION_ADD;

    TRY(parser_path(parser, &action->path));
    TRY(parser_count_operator(parser));
    TRY(parser_value(parser, &action->value));
    if (is_set(action->value.type) || (add && action->value.type == VALUE_N))
        return ST_OK;
    return parser_fault(parser,
                        "Incorrect operand type for operator or function; operator: %s, operand "
                        "type: %s, typeSet: ALLOWED_FOR_%s_OPERAND",
                        section_names[action->kind], long_type_names[action->value.type],
                        section_names[action->kind]);
}

static enum status parse_action(struct parser *parser, struct action *action)
{
    switch (action->kind) {
    case ACTION_SET:
        return parse_set(parser, action);
    case ACTION_REMOVE:
        return parser_path(parser, &action->path);
    case ACTION_ADD:
    case ACTION_DELETE:
        return parse_add_or_delete(parser, action);
    }
    return parser_syntax_error(parser);
}

static enum status parse_section(struct parser *parser, enum action_kind kind,
                                 struct update *update)
{
    for (;;) {
        struct action *action = &update->actions[update->count];

        action->kind = kind;
        if (!parser_at_path(parser))
            return parser_syntax_error(parser);
        TRY(parse_action(parser, action));
        update->count++;
        if (!parser_is(parser, ","))
            return ST_OK;
        parser_advance(parser);
    }
}

static enum status find_section(struct parser *parser, enum action_kind *ret_kind)
{
    for (size_t i = 0; i < sizeof(section_names) / sizeof(section_names[0]); i++) {
        if (!parser_is_keyword(parser, section_names[i]))
            continue;
        *ret_kind = (enum action_kind)i;
        return ST_OK;
    }
    return parser_syntax_error(parser);
}

static enum status check_overlaps(struct parser *parser, const struct update *update)
{
    for (uint32_t i = 0; i < update->count; i++)
        for (uint32_t j = i + 1; j < update->count; j++)
            TRY(path_check_overlap(parser->arena, parser->kind, update->actions[i].path,
                                   update->actions[j].path, parser->error));
    return ST_OK;
}

enum status update_parse(struct arena *arena, struct slice text, struct expr_params *params,
                         struct error *error, struct update **ret_update)
{
    struct update *update = ARENA_NEW(arena, struct update);
    bool seen[ACTION_DELETE + 1] = {false};
    struct parser parser;

    TRY(parser_begin(&parser, arena, "UpdateExpression", text, params, error));
    /* Each action but the last takes at least two bytes of the text. */
    update->actions = ARENA_ARRAY(arena, struct action, text.n / 2 + 1);
    while (parser.token.kind != TOKEN_END) {
        enum action_kind kind = ACTION_SET;

        TRY(find_section(&parser, &kind));
        if (seen[kind])
            return parser_fault(&parser,
                                "The \"%s\" section can only be used once in an update expression;",
                                section_names[kind]);
        seen[kind] = true;
        parser_advance(&parser);
        TRY(parse_section(&parser, kind, update));
    }
    TRY(check_overlaps(&parser, update));
    *ret_update = update;
    return ST_OK;
}
