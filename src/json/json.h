/*
 * Reading JSON: simdjson's DOM behind a C face. A document is parsed whole and validated (UTF-8,
 * syntax, depth); nodes are views of it, valid until the parser parses again.
 *
 * Numbers keep no text in the DOM; DynamoDB sends attribute numbers as strings, so integers and
 * doubles are enough for parameters. An integer that fits neither int64_t nor uint64_t, and a lone
 * surrogate in a string, make the whole document invalid.
 */
#ifndef ROWHOUSE_JSON_JSON_H
#define ROWHOUSE_JSON_JSON_H

#include "base/slice.h"
#include "base/status.h"

struct buf;
struct json_parser; /* one per thread */

/* Bytes that must be readable after the document (their content does not matter). */
#define JSON_PADDING_BYTES 64
/* Objects and arrays within each other; a value of DynamoDB takes two for each level of its own. */
#define JSON_DEPTH_MAX 1024

enum json_type {
    JSON_ABSENT,
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INT,
    JSON_DOUBLE,
    JSON_BOOL,
    JSON_NULL
};

struct json {
    const void *document;
    size_t at; /* 0 and a NULL document: absent */
};

/* Documents may have up to `size_bytes_max` bytes (at most 32 MB). Memory for one of usual size is
 * kept, that of a large one until the next document. */
struct json_parser *json_parser_new(size_t size_bytes_max);
/* NULL is fine. */
void json_parser_free(struct json_parser *parser);
/* ST_INVALID for what is no JSON, ST_TOO_LARGE over the parser's maximum, out of memory, or too
 * deep (over JSON_DEPTH_MAX). */
enum status MUST_CHECK json_parse(struct json_parser *parser, struct slice padded_text,
                                  struct json *ret_root);

/* Whether the node is absent or null: DynamoDB makes no difference. */
bool json_is_null(struct json node);
/* The readers of scalars give an empty slice, zero or false for nodes of another type. */
enum json_type json_type(struct json node);
struct slice json_string(struct json node); /* of a JSON_STRING: unescaped UTF-8 */
int64_t json_int(struct json node);         /* of a JSON_INT; values over INT64_MAX saturate */
double json_double(struct json node);       /* of a JSON_INT or JSON_DOUBLE */
bool json_bool(struct json node);           /* of a JSON_BOOL */
/* Elements of an array, members of an object (duplicates counted); 0 otherwise. */
uint32_t json_count(struct json node);
/* Value of a member; the last one if the name is repeated. Absent node if none. */
struct json json_member(struct json object, struct slice name);

struct json_iter {
    const void *document;
    size_t at;
    size_t end;
};
/* Of an array or object; for other nodes there is nothing to iterate. */
struct json_iter json_iter(struct json container);
/* The next one; false at the end. */
bool json_next_element(struct json_iter *iter, struct json *ret_value);
bool json_next_member(struct json_iter *iter, struct slice *ret_name, struct json *ret_value);

/*
 * A buffer of the parser that `node` belongs to, emptied: for what is built out of a node before
 * its size is known. Its bytes last until the next call.
 */
struct buf *json_scratch(struct json node);

#endif
