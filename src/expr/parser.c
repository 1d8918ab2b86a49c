/* The common ground of the parsers: see parser.h. */
#include "expr/parser.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/encode.h"

#define NOTE_SIZE_BYTES_MAX (16 * 1024)

/* ---- Faults ---- */

static enum status refuse(struct parser *parser, struct slice message)
{
    return error_set(parser->error, ERROR_VALIDATION, "Invalid %s: %" PRISLICE, parser->kind,
                     SLICE_ARG(message));
}

/* Shows the token, and near it the text from the token before to the one behind. */
enum status parser_syntax_error(struct parser *parser)
{
    size_t at = parser->at;
    struct token behind = lexer_next(parser->text, &at);
    struct slice shown = parser->token.text;
    const uint8_t *start = parser->before.text.n > 0 ? parser->before.text.p : shown.p;
    const uint8_t *end = behind.text.n > 0 ? behind.text.p + behind.text.n : shown.p + shown.n;

    if (parser_at(parser, TOKEN_END)) {
        shown = SLICE_LIT("<EOF>");
        end = parser->before.text.p + parser->before.text.n;
    }
    return refuse(parser, arena_printf(parser->arena,
                                       "Syntax error; token: \"%" PRISLICE "\", near: \"%.*s\"",
                                       SLICE_ARG(shown), (int)(end - start), (const char *)start));
}

void parser_note(struct parser *parser, enum fault fault, const char *format, ...)
{
    va_list arguments;

    if (parser->notes[fault].n > 0)
        return;
    va_start(arguments, format);
    parser->notes[fault] = arena_vprintf(parser->arena, NOTE_SIZE_BYTES_MAX, format, arguments);
    va_end(arguments);
}

void parser_settle_condition(struct parser *parser)
{
    static const enum fault order[] = {FAULT_NAME, FAULT_VALUE, FAULT_OPERANDS};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (parser->notes[FAULT_CONDITION].n == 0)
            parser->notes[FAULT_CONDITION] = parser->notes[order[i]];
        parser->notes[order[i]] = SLICE_EMPTY;
    }
}

void parser_note_type(struct parser *parser, const char *operator_name, const char *type_name)
{
    parser_note(parser, FAULT_OPERANDS,
                "Incorrect operand type for operator or function; operator or function: %s, "
                "operand type: %s",
                operator_name, type_name);
}

void parser_note_relation(struct parser *parser, enum path_relation relation, struct path one,
                          struct path two)
{
    if (relation == PATHS_APART || parser->notes[FAULT_PATHS].n > 0)
        return;
    parser_note(parser, FAULT_PATHS,
                "Two document paths %s with each other; must remove or rewrite one of these "
                "paths; path one: %" PRISLICE ", path two: %" PRISLICE,
                relation == PATHS_OVERLAP ? "overlap" : "conflict",
                SLICE_ARG(path_text(one, parser->arena)), SLICE_ARG(path_text(two, parser->arena)));
}

/* ---- Beginning and end ---- */

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
    if (text.n > EXPRESSION_SIZE_BYTES_MAX)
        return refuse(parser, arena_printf(arena,
                                           "Expression size has exceeded the maximum allowed "
                                           "size; expression size: %zu",
                                           text.n));
    parser->token = lexer_next(text, &parser->at);
    if (parser_at(parser, TOKEN_END))
        return refuse(parser, SLICE_LIT("The expression can not be empty;"));
    return ST_OK;
}

static enum status check_operators(struct parser *parser)
{
    if (parser->operators <= EXPRESSION_OPERATORS_MAX)
        return ST_OK;
    return refuse(parser, arena_printf(parser->arena,
                                       "The expression contains too many operators; operator "
                                       "count: %u",
                                       parser->operators));
}

enum status parser_end(struct parser *parser, const enum fault *order)
{
    if (!parser_at(parser, TOKEN_END))
        return parser_syntax_error(parser);
    TRY(check_operators(parser));
    for (; *order != FAULT_NONE; order++)
        if (parser->notes[*order].n > 0)
            return refuse(parser, parser->notes[*order]);
    return ST_OK;
}

/* ---- Tokens ---- */

void parser_advance(struct parser *parser)
{
    parser->before = parser->token;
    parser->token = lexer_next(parser->text, &parser->at);
}

bool parser_accept(struct parser *parser, enum token_kind kind)
{
    if (!parser_at(parser, kind))
        return false;
    parser_advance(parser);
    return true;
}

enum status parser_expect(struct parser *parser, enum token_kind kind)
{
    return parser_accept(parser, kind) ? ST_OK : parser_syntax_error(parser);
}

bool parser_at_function(const struct parser *parser)
{
    size_t at = parser->at;

    return parser_at(parser, TOKEN_NAME) && lexer_next(parser->text, &at).kind == TOKEN_OPEN;
}

/* Deeper than TREE_DEPTH_MAX is an expression with too many operators or, whatever follows, with
 * parentheses that hold no operator of their own. */
enum status parser_enter(struct parser *parser)
{
    if (++parser->depth <= TREE_DEPTH_MAX)
        return ST_OK;
    TRY(check_operators(parser));
    return refuse(parser, SLICE_LIT("The expression has redundant parentheses;"));
}

void parser_leave(struct parser *parser)
{
    parser->depth--;
}

/* ---- Names and values ---- */

static int compare_placeholders(const void *a, const void *b)
{
    const struct slice *const *one = a, *const *two = b;

    return slice_compare(**one, **two);
}

/* Puts `count` rows from `first` on, each of `row_size_bytes`, in order. */
static void index_rows(struct placeholder_index *index, struct arena *arena, const void *first,
                       size_t row_size_bytes, uint32_t count)
{
    index->sorted = ARENA_ARRAY(arena, const struct slice *, count + 1);
    index->count = count;
    for (uint32_t i = 0; i < count; i++)
        index->sorted[i] = (const void *)((const char *)first + i * row_size_bytes);
    qsort(index->sorted, count, sizeof(const struct slice *), compare_placeholders);
}

/* The placeholder in its row, or NULL. */
static const void *find_row(const struct placeholder_index *index, struct slice ref)
{
    const struct slice *key = &ref;
    const struct slice **found = bsearch(&key, index->sorted, index->count,
                                         sizeof(const struct slice *), compare_placeholders);

    return found == NULL ? NULL : *found;
}

static struct expr_name *find_name(struct parser *parser, struct slice ref)
{
    struct expr_name *rows = parser->params->names;
    const struct expr_name *found;

    static_assert(offsetof(struct expr_name, placeholder) == 0, "an index points at rows");
    if (parser->names.sorted == NULL)
        index_rows(&parser->names, parser->arena, rows, sizeof(rows[0]),
                   parser->params->name_count);
    found = find_row(&parser->names, ref);
    return found == NULL ? NULL : &rows[found - rows];
}

static struct expr_value *find_value(struct parser *parser, struct slice ref)
{
    struct expr_value *rows = parser->params->values;
    const struct expr_value *found;

    static_assert(offsetof(struct expr_value, placeholder) == 0, "an index points at rows");
    if (parser->values.sorted == NULL)
        index_rows(&parser->values, parser->arena, rows, sizeof(rows[0]),
                   parser->params->value_count);
    found = find_row(&parser->values, ref);
    return found == NULL ? NULL : &rows[found - rows];
}

/* The attribute's name; the placeholder itself stands in for one that is not defined. */
static struct slice resolve_name(struct parser *parser, struct slice ref)
{
    struct expr_name *name = find_name(parser, ref);

    if (name != NULL) {
        name->used = true;
        return name->name;
    }
    parser_note(parser, FAULT_NAME,
                "An expression attribute name used in the document path is not defined; "
                "attribute name: %" PRISLICE,
                SLICE_ARG(ref));
    return ref;
}

static enum status parse_name(struct parser *parser, struct path_step *ret_step)
{
    struct slice text = parser->token.text;

    if (parser_accept(parser, TOKEN_NAME_REF)) {
        *ret_step = (struct path_step){.name = resolve_name(parser, text)};
        return ST_OK;
    }
    TRY(parser_expect(parser, TOKEN_NAME));
    if (expr_is_reserved_word(text))
        parser_note(parser, FAULT_RESERVED_WORD,
                    "Attribute name is a reserved keyword; reserved keyword: %" PRISLICE,
                    SLICE_ARG(text));
    *ret_step = (struct path_step){.name = text};
    return ST_OK;
}

static enum status parse_index(struct parser *parser, struct path_step *ret_step)
{
    struct slice text = parser->token.text;
    int64_t index = 0;

    TRY(parser_expect(parser, TOKEN_INDEX));
    TRY(parser_expect(parser, TOKEN_CLOSE_BRACKET));
    if (parse_int(text, &index) != ST_OK || index > INT32_MAX)
        parser_note(parser, FAULT_NAME,
                    "List index is not within the allowable range; index: [%" PRISLICE "]",
                    SLICE_ARG(text));
    *ret_step = (struct path_step){.is_index = true, .index = (uint32_t)index};
    return ST_OK;
}

static enum status parse_steps(struct parser *parser, struct path_step *steps, uint32_t *ret_count)
{
    uint32_t count = 0;

    TRY(parse_name(parser, &steps[count++]));
    for (;;) {
        struct path_step step;

        if (parser_accept(parser, TOKEN_OPEN_BRACKET))
            TRY(parse_index(parser, &step));
        else if (parser_accept(parser, TOKEN_DOT))
            TRY(parse_name(parser, &step));
        else
            break;
        if (count < PATH_STEPS_MAX)
            steps[count] = step;
        count++;
    }
    *ret_count = count;
    return ST_OK;
}

enum status parser_path(struct parser *parser, struct path *ret_path)
{
    struct path_step steps[PATH_STEPS_MAX];
    struct path_step *copy;
    uint32_t count;

    TRY(parse_steps(parser, steps, &count));
    if (count > PATH_STEPS_MAX) {
        parser_note(parser, FAULT_NAME,
                    "The document path has too many nesting elements; nesting levels: %u", count);
        count = PATH_STEPS_MAX;
    }
    copy = ARENA_ARRAY(parser->arena, struct path_step, count);
    memcpy(copy, steps, count * sizeof(steps[0]));
    *ret_path = (struct path){copy, count};
    return ST_OK;
}

enum status parser_value(struct parser *parser, struct value *ret_value)
{
    struct slice ref = parser->token.text;
    struct expr_value *value;

    TRY(parser_expect(parser, TOKEN_VALUE_REF));
    value = find_value(parser, ref);
    if (value == NULL) {
        parser_note(parser, FAULT_VALUE,
                    "An expression attribute value used in expression is not defined; attribute "
                    "value: %" PRISLICE,
                    SLICE_ARG(ref));
        *ret_value = VALUE_NONE;
        return ST_OK;
    }
    value->used = true;
    *ret_value = value->value;
    return ST_OK;
}
