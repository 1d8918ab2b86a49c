/*
 * Attribute values in their stored form.
 *
 * A value is encoded once, when a request is decoded, and from then on read in place: in requests,
 * in the store, in expressions and in responses. `struct value` is a view of such bytes and owns
 * nothing.
 *
 *   encoded value = tag(1) payload
 *     S, B      len(4) bytes
 *     N         len(1) ordered form (model/number.h)
 *     BOOL      byte 0 or 1
 *     NULL      (nothing)
 *     SS,NS,BS  size(4) count(4) { len(4) bytes }...   sorted by bytes, no duplicates
 *     L         size(4) count(4) offset(4)*count value...
 *     M         size(4) count(4) offset(4)*count { namelen(2) name value }...   sorted by name
 *
 * Integers are little-endian. `size` counts the bytes after itself. Offsets count from the first
 * byte after the offset table. A map's entries are in unsigned byte order of their names, so that
 * an attribute is found by binary search without decoding its neighbours. An item is an M payload
 * at the top level.
 *
 * Invariants of every encoded value that passed a writer or value_validate():
 *  1. one encoding per value: equal values have equal bytes (sets sorted, numbers canonical);
 *  2. nesting is at most VALUE_DEPTH_MAX;
 *  3. every length and offset lies inside its container.
 */
#ifndef ROWHOUSE_MODEL_VALUE_H
#define ROWHOUSE_MODEL_VALUE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/status.h"
#include "model/number.h"

#define VALUE_DEPTH_MAX 32
#define ITEM_SIZE_BYTES_MAX (400 * 1024)
#define ATTRIBUTE_NAME_SIZE_BYTES_MAX 65535

enum value_type {
    VALUE_ABSENT = 0, /* no value: a path that leads nowhere. Never encoded. */
    VALUE_S,
    VALUE_N,
    VALUE_B,
    VALUE_BOOL,
    VALUE_NULL,
    VALUE_SS,
    VALUE_NS,
    VALUE_BS,
    VALUE_L,
    VALUE_M,
};

struct value {
    enum value_type type;
    struct slice payload; /* S, B: the bytes; N: the ordered form; BOOL: one byte;
                             sets, L, M: from `count` on */
};

struct item {
    struct slice payload; /* an M payload from `count` on; n == 0 means no item */
};

#define VALUE_NONE ((struct value){VALUE_ABSENT, {NULL, 0}})
#define ITEM_NONE ((struct item){{NULL, 0}})

static inline bool item_exists(struct item item)
{
    return item.payload.n != 0;
}

static inline struct value item_as_value(struct item item)
{
    return (struct value){VALUE_M, item.payload};
}

/* "S", "N", ..., "M": the type's name on the wire. */
const char *value_type_name(enum value_type type);

/* ---- Reading. All are O(1) or O(log n) on valid bytes; see value_validate for others. ---- */

/* Reads one encoded value at the start of `bytes`; `ret_size_bytes` is its whole length. */
enum status MUST_CHECK value_read(struct slice bytes, struct value *ret_value,
                                  size_t *ret_size_bytes);
/* Elements of a set, list or map; 0 for other types. */
uint32_t value_count(struct value value);
/* Element `index` of a list; VALUE_NONE past the end. */
struct value value_list_at(struct value list, uint32_t index);
/* Whether an element of the list equals `wanted`. */
bool value_list_contains(struct value list, struct value wanted);
/* Entry `index` (< count) of a map, in name order. */
struct value value_map_at(struct value map, uint32_t index, struct slice *ret_name);
/* VALUE_NONE if the map has no such name or `map` is not an M. */
struct value value_map_find(struct value map, struct slice name);
/* Iterates a set: start with *at = 0; false at the end. Elements of NS are ordered forms. */
bool value_set_next(struct value set, size_t *at, struct slice *ret_element);
/* Whether the set has the element, given in its stored form. */
bool value_set_contains(struct value set, struct slice element);
/* Of an N. */
struct number value_number(struct value n);
/* Of a BOOL. */
bool value_bool(struct value value);

/* The attribute; VALUE_NONE if there is none or no item. */
struct value item_find(struct item item, struct slice name);

/* Same type and same value. Numbers by value, sets regardless of order. */
bool value_equal(struct value a, struct value b);
/* Order of two values of the same scalar type S, N or B. */
int value_compare(struct value a, struct value b);

/* DynamoDB's size of the value alone (an item adds its names): developer guide, "Item sizes". */
size_t value_size(struct value value);
size_t item_size(struct item item);

/* Checks untrusted bytes (a file, a fuzzer) against the invariants above. */
enum status MUST_CHECK value_validate(struct slice encoded);
enum status MUST_CHECK item_validate(struct slice payload);

/* ---- Writing ---- */

/*
 * Appends encoded values to a buffer. Containers are opened with their count; map entries come in
 * strict name order (CHECKed) as writer_name + value. Sets come through writer_set, which sorts.
 */
struct value_writer {
    struct buf *buf;
    uint32_t depth;
    struct open_container {
        size_t start; /* of the offset table */
        uint32_t count;
        uint32_t filled;
        bool is_map;
    } open[VALUE_DEPTH_MAX + 3];
};

/* Appends to `buf`, whose status the caller checks at the end. */
void writer_init(struct value_writer *writer, struct buf *buf);
void writer_string(struct value_writer *writer, struct slice s);
void writer_binary(struct value_writer *writer, struct slice b);
void writer_number(struct value_writer *writer, const struct number *number);
void writer_bool(struct value_writer *writer, bool value);
void writer_null(struct value_writer *writer);
/* Sorts `elements` in place (NS: ordered forms). ST_INVALID if two are equal. */
enum status MUST_CHECK writer_set(struct value_writer *writer, enum value_type type,
                                  struct slice *elements, uint32_t count);
void writer_begin_list(struct value_writer *writer, uint32_t count);
void writer_begin_map(struct value_writer *writer, uint32_t count);
void writer_name(struct value_writer *writer, struct slice name);
void writer_end(struct value_writer *writer);
/* Copies an encoded value as it is. */
void writer_value(struct value_writer *writer, struct value value);

/* Shorthands: values in an arena. */
struct value value_make_string(struct arena *arena, struct slice s);
struct value value_make_number(struct arena *arena, const struct number *number);

/* The item payload of a finished top-level map that starts at `start` in the buffer. */
struct item writer_item(const struct value_writer *writer, size_t start);

#endif
