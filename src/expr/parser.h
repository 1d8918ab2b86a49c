/*
 * What the parsers of all expressions share: the token looked at, names, values and paths, and the
 * book of faults.
 *
 * DynamoDB reads an expression in passes: the grammar first, then one check of the whole tree after
 * another. These parsers read it once. A syntax error ends the parse on the spot; any other fault
 * is only noted, the first of its kind, and the parse goes on with a stand-in. At the end the most
 * urgent note is reported, in the order of DynamoDB's passes:
 *
 *   conditions                       updates                   projections
 *   redundant parentheses            redundant parentheses     reserved word
 *   function name, then its place    reserved word             undefined #name
 *   reserved word                    function name, place      overlapping paths
 *   the first condition at fault:    section used twice
 *     undefined #name                undefined #name
 *     undefined :value               undefined :value
 *     operands                       overlapping paths
 *                                    operand of ADD, DELETE
 *                                    operands of functions
 *
 * Invariants:
 *  1. a tree is handed out only if nothing was noted, so stand-ins never leave a parser;
 *  2. depth is at most TREE_DEPTH_MAX.
 */
#ifndef ROWHOUSE_EXPR_PARSER_H
#define ROWHOUSE_EXPR_PARSER_H

#include "expr/expr_tree.h"
#include "expr/lexer.h"

enum fault {
    FAULT_NONE,
    FAULT_PARENTHESES,
    FAULT_RESERVED_WORD,
    FAULT_FUNCTION_NAME,
    FAULT_FUNCTION_PLACE,
    FAULT_SECTION,
    FAULT_CONDITION, /* the first of the next three in a condition */
    FAULT_NAME,
    FAULT_VALUE,
    FAULT_OPERANDS,
    FAULT_PATHS,
    FAULT_ACTION_OPERAND,
    FAULT_COUNT
};

/* Placeholders in order. Each is the first member of its row in struct expr_params. */
struct placeholder_index {
    const struct slice **sorted; /* NULL until it is needed */
    uint32_t count;
};

struct parser {
    struct arena *arena;
    const char *kind; /* the parameter's name, for messages */
    struct slice text;
    struct expr_params *params;
    struct placeholder_index names;
    struct placeholder_index values;
    struct error *error;
    struct token before;
    struct token token; /* the one looked at */
    size_t at;          /* behind `token` */
    uint32_t depth;
    uint32_t operators;
    struct slice notes[FAULT_COUNT]; /* the message of the first fault of each kind */
};

/* Refuses empty and oversized expressions and reads the first token. */
enum status MUST_CHECK parser_begin(struct parser *parser, struct arena *arena, const char *kind,
                                    struct slice text, struct expr_params *params,
                                    struct error *error);
/* Refuses what is left of the text, too many operators, and then the most urgent of the notes.
 * `order` ends with FAULT_NONE. */
enum status MUST_CHECK parser_end(struct parser *parser, const enum fault *order);

/* ---- Faults ---- */

/* "Syntax error" at the token looked at. */
enum status MUST_CHECK parser_syntax_error(struct parser *parser);
/* Notes a fault unless one of its kind is noted already. */
void parser_note(struct parser *parser, enum fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* At the end of one condition: what it did wrong counts unless an earlier condition was at fault.
 */
void parser_settle_condition(struct parser *parser);

/* ---- Tokens ---- */

/* Looks at the next token; TOKEN_END follows itself. */
void parser_advance(struct parser *parser);
static inline bool parser_at(const struct parser *parser, enum token_kind kind)
{
    return parser->token.kind == kind;
}
/* Steps over the token if it is of the kind. */
bool parser_accept(struct parser *parser, enum token_kind kind);
/* Steps over the token or fails. */
enum status MUST_CHECK parser_expect(struct parser *parser, enum token_kind kind);
/* Whether the token is a name with "(" behind it. */
bool parser_at_function(const struct parser *parser);
/* Counts a level of nesting; undone by parser_leave. */
enum status MUST_CHECK parser_enter(struct parser *parser);
void parser_leave(struct parser *parser);

/* ---- Names and values ---- */

/* A document path: names, #refs and [indexes]. */
enum status MUST_CHECK parser_path(struct parser *parser, struct path *ret_path);
/* A :ref; VALUE_NONE stands in for one that is not defined. */
enum status MUST_CHECK parser_value(struct parser *parser, struct value *ret_value);
/* Notes that two paths cannot be written or selected together. */
void parser_note_relation(struct parser *parser, enum path_relation relation, struct path one,
                          struct path two);
/* Notes: Incorrect operand type for operator or function. */
void parser_note_type(struct parser *parser, const char *operator_name, const char *type_name);

#endif
