/*
 * Tokens of expressions. Keywords are tokens of their own in any case, so that they are never
 * attribute names; everything else that begins with a letter is a name.
 *
 *   name       [A-Za-z][A-Za-z0-9_]*        index      0 | [1-9][0-9]*
 *   name ref   # followed by [A-Za-z0-9_]+  value ref  : followed by [A-Za-z0-9_]+
 *
 * Source: DynamoDB developer guide, "Referring to item attributes when using expressions"; the
 * published grammar of DynamoDB expressions.
 */
#ifndef ROWHOUSE_EXPR_LEXER_H
#define ROWHOUSE_EXPR_LEXER_H

#include "base/slice.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NAME_REF,
    TOKEN_VALUE_REF,
    TOKEN_INDEX,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_BETWEEN,
    TOKEN_SET,
    TOKEN_REMOVE,
    TOKEN_ADD,
    TOKEN_DELETE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_BRACKET,
    TOKEN_CLOSE_BRACKET,
    TOKEN_DOT,
    TOKEN_COMMA,
    TOKEN_UNKNOWN /* a character that begins nothing */
};

struct token {
    enum token_kind kind;
    struct slice text; /* within the expression; empty, at its end, for TOKEN_END */
};

/* The token at or after `*at`, which moves behind it. */
struct token lexer_next(struct slice text, size_t *at);

#endif
