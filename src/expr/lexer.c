/*
 * Tokens, messages and document paths: what all expression parsers share.
 *
 * Messages show the bad token and what stands around it: the token before, it, and the one after.
 */
#include "expr/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/encode.h"

#define PATH_STEPS_MAX (VALUE_DEPTH_MAX + 1)

/* ---- Tokens ---- */

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(uint8_t c)
{
    return is_name_start(c) || is_digit(c);
}

/* References may hold any of these, digits first too. */
static size_t run_of(struct slice text, size_t at, bool (*belongs)(uint8_t c))
{
    size_t n = 0;

    while (at + n < text.n && belongs(text.p[at + n]))
        n++;
    return n;
}

static struct token token_of(struct slice text, size_t at, size_t n, enum token_kind kind)
{
    return (struct token){kind, slice_of(text.p + at, n)};
}

static struct token punctuation_at(struct slice text, size_t at)
{
    uint8_t c = text.p[at], d = at + 1 < text.n ? text.p[at + 1] : 0;

    if ((c == '<' && (d == '=' || d == '>')) || (c == '>' && d == '='))
        return token_of(text, at, 2, TOKEN_PUNCTUATION);
    if (c != 0 && strchr("()[],.+-=<>", c) != NULL)
        return token_of(text, at, 1, TOKEN_PUNCTUATION);
    return token_of(text, at, 1, TOKEN_BAD);
}

static struct token token_at(struct slice text, size_t *at)
{
    struct token token;
    uint8_t c;

    while (*at < text.n && is_space(text.p[*at]))
        (*at)++;
    if (*at >= text.n)
        return (struct token){TOKEN_END, SLICE_LIT("<EOF>")};
    c = text.p[*at];
    if (is_name_start(c))
        token = token_of(text, *at, run_of(text, *at, is_name_char), TOKEN_NAME);
    else if (is_digit(c))
        token = token_of(text, *at, run_of(text, *at, is_digit), TOKEN_NUMBER);
    else if ((c == '#' || c == ':') && run_of(text, *at + 1, is_name_char) > 0)
        token = token_of(text, *at, 1 + run_of(text, *at + 1, is_name_char),
                         c == '#' ? TOKEN_NAME_REF : TOKEN_VALUE_REF);
    else
        token = punctuation_at(text, *at);
    *at += token.text.n;
    return token;
}

void parser_advance(struct parser *parser)
{
    parser->before = parser->token;
    parser->token = token_at(parser->text, &parser->at);
}

struct token parser_peek(const struct parser *parser)
{
    size_t at = parser->at;

    return token_at(parser->text, &at);
}

bool parser_is(const struct parser *parser, const char *punctuation)
{
    return parser->token.kind == TOKEN_PUNCTUATION && slice_is(parser->token.text, punctuation);
}

bool parser_is_keyword(const struct parser *parser, const char *keyword)
{
    return parser->token.kind == TOKEN_NAME && parser->token.text.n == strlen(keyword) &&
           strncasecmp((const char *)parser->token.text.p, keyword, parser->token.text.n) == 0;
}

/* ---- Messages ---- */

enum status parser_fault(struct parser *parser, const char *format, ...)
{
    char text[1024];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_set(parser->error, ERROR_VALIDATION, "Invalid %s: %s", parser->kind,
                     n < 0 ? "" : text);
}

enum status parser_syntax_error(struct parser *parser)
{
    struct token after = parser_peek(parser);
    const uint8_t *start = parser->token.text.p, *end;

    if (parser->token.kind == TOKEN_END) {
        struct slice last = parser->before.text;

        return error_set(parser->error, ERROR_VALIDATION,
                         "Invalid %s: Syntax error; token: \"<EOF>\", near: \"%" PRISLICE "\"",
                         parser->kind, SLICE_ARG(last));
    }
    if (parser->before.text.n > 0)
        start = parser->before.text.p;
    end = after.kind == TOKEN_END ? parser->token.text.p + parser->token.text.n
                                  : after.text.p + after.text.n;
    return error_set(parser->error, ERROR_VALIDATION,
                     "Invalid %s: Syntax error; token: \"%" PRISLICE "\", near: \"%.*s\"",
                     parser->kind, SLICE_ARG(parser->token.text), (int)(end - start),
                     (const char *)start);
}

enum status parser_begin(struct parser *parser, struct arena *arena, const char *kind,
                         struct slice text, struct expr_params *params, struct error *error)
{
    *parser = (struct parser){
        .arena = arena,
        .kind = kind,
        .text = text,
        .params = params,
        .error = error,
    };
    if (text.n == 0)
        return parser_fault(parser, "The expression can not be empty;");
    if (text.n > EXPRESSION_SIZE_BYTES_MAX)
        return parser_fault(parser,
                            "Expression size has exceeded the maximum allowed size; expression "
                            "size: %zu",
                            text.n);
    parser->token = token_at(text, &parser->at);
    if (parser->token.kind == TOKEN_END)
        return parser_fault(parser, "The expression can not be empty;");
    return ST_OK;
}

enum status parser_expect(struct parser *parser, const char *punctuation)
{
    if (!parser_is(parser, punctuation))
        return parser_syntax_error(parser);
    parser_advance(parser);
    return ST_OK;
}

enum status parser_expect_end(struct parser *parser)
{
    return parser->token.kind == TOKEN_END ? ST_OK : parser_syntax_error(parser);
}

enum status parser_count_operator(struct parser *parser)
{
    if (++parser->operators > EXPRESSION_OPERATORS_MAX)
        return parser_fault(parser,
                            "The expression contains too many operators; operator count: %u",
                            parser->operators);
    return ST_OK;
}

/* ---- Paths and values ---- */

bool parser_at_path(const struct parser *parser)
{
    return parser->token.kind == TOKEN_NAME || parser->token.kind == TOKEN_NAME_REF;
}

static enum status find_name(struct parser *parser, struct slice ref, struct slice *ret_name)
{
    for (uint32_t i = 0; i < parser->params->name_count; i++) {
        struct expr_name *name = &parser->params->names[i];

        if (!slice_equal(name->placeholder, ref))
            continue;
        name->used = true;
        *ret_name = name->name;
        return ST_OK;
    }
    return parser_fault(parser,
                        "An expression attribute name used in the document path is not defined; "
                        "attribute name: %" PRISLICE,
                        SLICE_ARG(ref));
}

static enum status parse_name(struct parser *parser, struct slice *ret_name)
{
    struct token token = parser->token;

    if (token.kind == TOKEN_NAME_REF) {
        TRY(find_name(parser, token.text, ret_name));
    } else if (token.kind == TOKEN_NAME) {
        if (expr_is_reserved_word(token.text))
            return parser_fault(parser,
                                "Attribute name is a reserved keyword; reserved keyword: "
                                "%" PRISLICE,
                                SLICE_ARG(token.text));
        *ret_name = token.text;
    } else {
        return parser_syntax_error(parser);
    }
    parser_advance(parser);
    return ST_OK;
}

static enum status parse_index(struct parser *parser, uint32_t *ret_index)
{
    int64_t index;

    if (parser->token.kind != TOKEN_NUMBER)
        return parser_syntax_error(parser);
    if (parse_int(parser->token.text, &index) != ST_OK || index > INT32_MAX)
        return parser_fault(parser,
                            "List index is not within the allowable range; index: [%" PRISLICE "]",
                            SLICE_ARG(parser->token.text));
    parser_advance(parser);
    *ret_index = (uint32_t)index;
    return parser_expect(parser, "]");
}

static enum status parse_step(struct parser *parser, struct path_step *ret_step)
{
    struct path_step step = {0};

    if (parser_is(parser, "[")) {
        parser_advance(parser);
        step.is_index = true;
        TRY(parse_index(parser, &step.index));
    } else {
        parser_advance(parser);
        TRY(parse_name(parser, &step.name));
    }
    *ret_step = step;
    return ST_OK;
}

enum status parser_path(struct parser *parser, struct path *ret_path)
{
    struct path_step steps[PATH_STEPS_MAX] = {0};
    struct path_step *copy;
    uint32_t count = 1;

    TRY(parse_name(parser, &steps[0].name));
    while (parser_is(parser, "[") || parser_is(parser, ".")) {
        if (count == PATH_STEPS_MAX)
            return parser_fault(parser,
                                "The document path has too many nesting elements; nesting levels: "
                                "%u",
                                count + 1);
        TRY(parse_step(parser, &steps[count]));
        count++;
    }
    copy = ARENA_ARRAY(parser->arena, struct path_step, count);
    memcpy(copy, steps, count * sizeof(steps[0]));
    *ret_path = (struct path){copy, count};
    return ST_OK;
}

enum status parser_value(struct parser *parser, struct value *ret_value)
{
    struct slice ref = parser->token.text;

    if (parser->token.kind != TOKEN_VALUE_REF)
        return parser_syntax_error(parser);
    for (uint32_t i = 0; i < parser->params->value_count; i++) {
        struct expr_value *value = &parser->params->values[i];

        if (!slice_equal(value->placeholder, ref))
            continue;
        value->used = true;
        *ret_value = value->value;
        parser_advance(parser);
        return ST_OK;
    }
    return parser_fault(parser,
                        "An expression attribute value used in expression is not defined; "
                        "attribute value: %" PRISLICE,
                        SLICE_ARG(ref));
}
