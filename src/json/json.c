/*
 * Walking a parsed document: see dom.h for the tape's layout. A node is a tape index, so that
 * making one costs nothing, and walking a container is one pass forward.
 *
 * Invariants:
 *  1. The document of a node is its parser, so that a node leads to the tape and to the scratch
 *     buffer.
 *  2. Counts are exact: the tape's saturate at 2^24 - 1, and an element takes two bytes of text.
 */
#include "json/json.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/memory.h"
#include "json/dom.h"

/* What is decoded out of a text is never this many times larger. */
enum { SCRATCH_BYTES_PER_TEXT_BYTE = 8, TAPE_COUNT_MAX = 0xffffff };

struct json_parser {
    struct json_dom *dom;
    struct json_tape tape;
    struct buf scratch;
};

struct json_parser *json_parser_new(size_t size_bytes_max)
{
    struct json_parser *parser = MEM_NEW(struct json_parser);

    CHECK(size_bytes_max <= 2 * TAPE_COUNT_MAX); /* invariant 2 */
    parser->dom = json_dom_new(size_bytes_max, JSON_DEPTH_MAX);
    if (parser->dom == NULL)
        mem_exhausted(size_bytes_max);
    buf_init(&parser->scratch, SCRATCH_BYTES_PER_TEXT_BYTE * size_bytes_max);
    return parser;
}

void json_parser_free(struct json_parser *parser)
{
    if (parser == NULL)
        return;
    buf_deinit(&parser->scratch);
    json_dom_free(parser->dom);
    mem_free(parser);
}

enum status json_parse(struct json_parser *parser, struct slice padded_text, struct json *ret_root)
{
    switch (json_dom_parse(parser->dom, padded_text.p, padded_text.n, &parser->tape)) {
    case JSON_DOM_OK:
        *ret_root = (struct json){parser, 1};
        return ST_OK;
    case JSON_DOM_TOO_LARGE:
        return ST_TOO_LARGE;
    case JSON_DOM_INVALID:
        break;
    }
    return ST_INVALID;
}

struct buf *json_scratch(struct json node)
{
    struct json_parser *parser = (struct json_parser *)(uintptr_t)node.document;

    buf_reset(&parser->scratch);
    return &parser->scratch;
}

/* ---- The tape ---- */

static inline const struct json_tape *tape_of(const void *document)
{
    return &((const struct json_parser *)document)->tape;
}

static inline uint64_t word_at(const struct json_tape *tape, size_t at)
{
    return tape->words[at];
}

static inline char type_at(const struct json_tape *tape, size_t at)
{
    return (char)(word_at(tape, at) >> 56);
}

static inline struct slice string_at(const struct json_tape *tape, size_t at)
{
    const uint8_t *string = tape->strings + (word_at(tape, at) & UINT64_C(0xffffffffffffff));
    uint32_t n;

    memcpy(&n, string, sizeof(n));
    return slice_of(string + sizeof(n), n);
}

/* The index after the value at `at`. */
static inline size_t after_value(const struct json_tape *tape, size_t at)
{
    switch (type_at(tape, at)) {
    case '{':
    case '[':
        return (uint32_t)word_at(tape, at);
    case 'l':
    case 'u':
    case 'd':
        return at + 2;
    default:
        return at + 1;
    }
}

/* The type's letter on the tape; NUL for the absent node. */
static inline char letter_of(struct json node)
{
    return node.document == NULL ? '\0' : type_at(tape_of(node.document), node.at);
}

static inline uint64_t payload_word(struct json node)
{
    return word_at(tape_of(node.document), node.at + 1);
}

/* ---- Nodes ---- */

enum json_type json_type(struct json node)
{
    switch (letter_of(node)) {
    case '\0':
        return JSON_ABSENT;
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 'l':
    case 'u':
        return JSON_INT;
    case 'd':
        return JSON_DOUBLE;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        break;
    }
    CHECK(!"a node stands at a value");
    return JSON_ABSENT;
}

bool json_is_null(struct json node)
{
    return json_type(node) == JSON_ABSENT || json_type(node) == JSON_NULL;
}

struct slice json_string(struct json node)
{
    return letter_of(node) == '"' ? string_at(tape_of(node.document), node.at) : SLICE_EMPTY;
}

int64_t json_int(struct json node)
{
    if (letter_of(node) == 'l')
        return (int64_t)payload_word(node);
    return letter_of(node) == 'u' ? INT64_MAX : 0;
}

double json_double(struct json node)
{
    uint64_t word;
    double value;

    if (letter_of(node) == 'u')
        return (double)payload_word(node);
    if (letter_of(node) != 'd')
        return (double)json_int(node);
    word = payload_word(node);
    memcpy(&value, &word, sizeof(value));
    return value;
}

bool json_bool(struct json node)
{
    return letter_of(node) == 't';
}

static inline bool is_container(struct json node)
{
    char letter = letter_of(node);

    return letter == '{' || letter == '[';
}

uint32_t json_count(struct json node)
{
    if (!is_container(node))
        return 0;
    return (uint32_t)(word_at(tape_of(node.document), node.at) >> 32) & TAPE_COUNT_MAX;
}

/* ---- Containers ---- */

struct json_iter json_iter(struct json container)
{
    if (!is_container(container))
        return (struct json_iter){NULL, 0, 0};
    return (struct json_iter){
        .document = container.document,
        .at = container.at + 1,
        .end = after_value(tape_of(container.document), container.at) - 1,
    };
}

bool json_next_element(struct json_iter *iter, struct json *ret_value)
{
    if (iter->at >= iter->end)
        return false;
    *ret_value = (struct json){iter->document, iter->at};
    iter->at = after_value(tape_of(iter->document), iter->at);
    return true;
}

bool json_next_member(struct json_iter *iter, struct slice *ret_name, struct json *ret_value)
{
    if (iter->at >= iter->end)
        return false;
    *ret_name = string_at(tape_of(iter->document), iter->at);
    *ret_value = (struct json){iter->document, iter->at + 1};
    iter->at = after_value(tape_of(iter->document), iter->at + 1);
    return true;
}

struct json json_member(struct json object, struct slice name)
{
    struct json_iter iter = json_iter(object);
    struct json found = {NULL, 0};
    struct slice member;
    struct json value;

    if (letter_of(object) != '{')
        return found;
    while (json_next_member(&iter, &member, &value)) {
        if (slice_equal(member, name))
            found = value;
    }
    return found;
}
