/* Tokens of expressions, and the parser's common ground. */
#ifndef ROWHOUSE_EXPR_LEXER_H
#define ROWHOUSE_EXPR_LEXER_H

#include "expr/expr_tree.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,        /* an attribute name, a function or a keyword */
    TOKEN_NAME_REF,    /* #n */
    TOKEN_VALUE_REF,   /* :v */
    TOKEN_NUMBER,      /* a list index */
    TOKEN_PUNCTUATION, /* ( ) [ ] , . + - = <> < <= > >= */
    TOKEN_BAD,         /* a character that begins nothing */
};

struct token {
    enum token_kind kind;
    struct slice text;
};

/* One expression being parsed: the token looked at, and those beside it for messages. */
struct parser {
    struct arena *arena;
    const char *kind; /* the parameter's name */
    struct slice text;
    struct expr_params *params;
    struct error *error;
    struct token before;
    struct token token;
    size_t at; /* behind `token` */
    unsigned depth;
    unsigned operators;
    const uint8_t *group_open; /* the parentheses closed last, in the text */
    const uint8_t *group_close;
};

/* Checks the size and reads the first token. */
enum status MUST_CHECK parser_begin(struct parser *parser, struct arena *arena, const char *kind,
                                    struct slice text, struct expr_params *params,
                                    struct error *error);
void parser_advance(struct parser *parser);
/* The token after the one looked at. */
struct token parser_peek(const struct parser *parser);
bool parser_is(const struct parser *parser, const char *punctuation);
/* A keyword in any case. */
bool parser_is_keyword(const struct parser *parser, const char *keyword);
/* Invalid KIND: Syntax error; token: "T", near: "N" */
enum status MUST_CHECK parser_syntax_error(struct parser *parser);
/* Invalid KIND: MESSAGE */
enum status MUST_CHECK parser_fault(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the punctuation or fails. */
enum status MUST_CHECK parser_expect(struct parser *parser, const char *punctuation);
enum status MUST_CHECK parser_expect_end(struct parser *parser);
/* Counts an operator or function against the limit. */
enum status MUST_CHECK parser_count_operator(struct parser *parser);

/* A document path: names, #refs and [indexes]. */
enum status MUST_CHECK parser_path(struct parser *parser, struct path *ret_path);
/* The value of the :ref looked at, and steps over it. */
enum status MUST_CHECK parser_value(struct parser *parser, struct value *ret_value);
bool parser_at_path(const struct parser *parser);

#endif
