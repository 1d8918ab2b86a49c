/* Cutting expressions into tokens: see lexer.h. */
#include "expr/lexer.h"

#include <strings.h>

static const struct {
    const char *text;
    enum token_kind kind;
} keywords[] = {
    {"AND", TOKEN_AND},       {"OR", TOKEN_OR},   {"NOT", TOKEN_NOT},
    {"IN", TOKEN_IN},         {"SET", TOKEN_SET}, {"BETWEEN", TOKEN_BETWEEN},
    {"REMOVE", TOKEN_REMOVE}, {"ADD", TOKEN_ADD}, {"DELETE", TOKEN_DELETE},
};

/* Longer ones first. */
static const struct {
    const char *text;
    enum token_kind kind;
} marks[] = {
    {"<>", TOKEN_NE},  {"<=", TOKEN_LE},   {">=", TOKEN_GE},          {"=", TOKEN_EQ},
    {"<", TOKEN_LT},   {">", TOKEN_GT},    {"+", TOKEN_PLUS},         {"-", TOKEN_MINUS},
    {"(", TOKEN_OPEN}, {")", TOKEN_CLOSE}, {"[", TOKEN_OPEN_BRACKET}, {"]", TOKEN_CLOSE_BRACKET},
    {".", TOKEN_DOT},  {",", TOKEN_COMMA},
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_byte(uint8_t c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

/* Whether the byte continues a UTF-8 character. */
static bool is_continuation(uint8_t c)
{
    return (c & 0xC0) == 0x80;
}

/* How many bytes from `at` on belong. */
static size_t run_length(struct slice text, size_t at, bool (*belongs)(uint8_t c))
{
    size_t n = 0;

    while (at + n < text.n && belongs(text.p[at + n]))
        n++;
    return n;
}

static struct token cut(struct slice text, size_t at, size_t n, enum token_kind kind)
{
    return (struct token){kind, slice_of(text.p + at, n)};
}

static struct token name_at(struct slice text, size_t at)
{
    struct token token = cut(text, at, run_length(text, at, is_name_byte), TOKEN_NAME);

    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (token.text.n == strlen(keywords[i].text) &&
            strncasecmp((const char *)token.text.p, keywords[i].text, token.text.n) == 0)
            token.kind = keywords[i].kind;
    return token;
}

/* No index begins with a zero but zero itself. */
static struct token index_at(struct slice text, size_t at)
{
    return cut(text, at, text.p[at] == '0' ? 1 : run_length(text, at, is_digit), TOKEN_INDEX);
}

static struct token mark_at(struct slice text, size_t at)
{
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (slice_has_prefix(slice_from(text, at), slice_cstr(marks[i].text)))
            return cut(text, at, strlen(marks[i].text), marks[i].kind);
    return cut(text, at, 1 + run_length(text, at + 1, is_continuation), TOKEN_UNKNOWN);
}

static struct token token_at(struct slice text, size_t at)
{
    uint8_t c = text.p[at];

    if (is_letter(c))
        return name_at(text, at);
    if (is_digit(c))
        return index_at(text, at);
    if ((c == '#' || c == ':') && run_length(text, at + 1, is_name_byte) > 0)
        return cut(text, at, 1 + run_length(text, at + 1, is_name_byte),
                   c == '#' ? TOKEN_NAME_REF : TOKEN_VALUE_REF);
    return mark_at(text, at);
}

struct token lexer_next(struct slice text, size_t *at)
{
    struct token token;

    *at += run_length(text, *at, is_space);
    if (*at == text.n)
        return cut(text, text.n, 0, TOKEN_END);
    token = token_at(text, *at);
    *at += token.text.n;
    return token;
}
