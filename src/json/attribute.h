/*
 * DynamoDB JSON ({"S":"x"}, {"N":"1"}, ...) to stored values and back.
 * Source: DynamoDB API reference, AttributeValue; low-level API guide.
 */
#ifndef ROWHOUSE_JSON_ATTRIBUTE_H
#define ROWHOUSE_JSON_ATTRIBUTE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "model/value.h"
#include "json/json.h"

/* ---- Decoding ---- */

/*
 * Decodes one AttributeValue or a map of them (an item) into the arena. Faults fill `error`, which
 * must be clear, with DynamoDB's type and words:
 *   wrong JSON types                        ERROR_SERIALIZATION
 *   no or several type members, bad numbers, empty or duplicate sets, nesting over 32, ...
 *                                           ERROR_VALIDATION
 * A null or absent value is an empty one; an absent item is an item without attributes. Of
 * repeated names the last counts. Uses the scratch buffer of the node's parser.
 */
enum status MUST_CHECK attribute_decode(struct arena *arena, struct json node, struct error *error,
                                        struct value *ret_value);
enum status MUST_CHECK attribute_decode_item(struct arena *arena, struct json node,
                                             struct error *error, struct item *ret_item);

/*
 * DynamoDB has two generations of words for bad numbers and repeated set members, side by side:
 * what decoding says is the newer. These replace a fault that decoding `node` found by the older
 * words, which BatchWriteItem, transactions and Scan use. Other errors stay as they are. Call them
 * right after the decoding.
 */
void attribute_reword(struct json node, struct error *error);
void attribute_reword_item(struct json node, struct error *error);

/*
 * Looks for wrong JSON types alone. Decoding does this by itself when it finds any fault; call it
 * before other checks of the request report theirs, for DynamoDB deserialises the whole request
 * first.
 */
enum status MUST_CHECK attribute_check_types(struct json node, struct error *error);
enum status MUST_CHECK attribute_check_item_types(struct json node, struct error *error);

/* What the service's deserialiser calls a scalar: "STRING_VALUE", "TRUE_VALUE" and the like. */
const char *attribute_scalar_name(struct json scalar);

/* ---- Encoding ---- */

/* Appends {"S":"x"} and the like. */
void attribute_append(struct buf *buf, struct value value);
/* Appends {"name":{"S":"x"},...} of a whole item. */
void attribute_append_item(struct buf *buf, struct item item);
/* Appends a JSON string with quotes and escapes; `text` is UTF-8. */
void json_append_string(struct buf *buf, struct slice text);
void json_append_int(struct buf *buf, int64_t value);
/* Shortest form that reads back the same; integers print as 1.0, as DynamoDB does. */
void json_append_double(struct buf *buf, double value);

#endif
