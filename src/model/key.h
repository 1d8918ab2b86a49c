/*
 * Physical keys inside one tenant's slice. The tenant's own prefix is no business of this file: a
 * scope (store/scope.h) puts it before every key.
 *
 *   item row    rows | hash16(2, BE) | pk | sk                    rows of index 0
 *   index row   rows | hash16(2, BE) | ipk... | isk... | pk | sk   rows of an index > 0
 *   rows        space(1) | table(4, BE) | index(2, BE)
 *
 *   partition key part   len(2, BE) bytes          (N: ordered form)
 *   sort key part, S, B  every 00 as 00 FF, then 00 00
 *   sort key part, N     ordered form (self-delimiting)
 *
 * hash16 spreads partition keys over 65,536 buckets, so that a segment of a parallel scan is a
 * contiguous range; it covers all parts of the partition key. In an index row the table's own key
 * follows as pk (framed like a partition key part) and sk (like a sort key part).
 *
 * Invariants (property tests in tests/unit/model):
 *  1. injective: different (table, index, key attributes) give different bytes, and no key is a
 *     prefix of another of the same table and index;
 *  2. order: among rows of equal partition key, bytes order as sort keys do: S and B by unsigned
 *     bytes, N by value, part by part.
 */
#ifndef ROWHOUSE_MODEL_KEY_H
#define ROWHOUSE_MODEL_KEY_H

#include "model/value.h"

#define PARTITION_KEY_SIZE_BYTES_MAX 2048
#define SORT_KEY_SIZE_BYTES_MAX 1024
#define KEY_PARTS_MAX 4

/* What a row is. Values are on disk: never renumber. */
enum key_space {
    KEY_SPACE_CATALOGUE = 1,  /* table descriptors, by name */
    KEY_SPACE_DATA = 2,       /* items and index rows */
    KEY_SPACE_COUNTER = 3,    /* item counts and sizes of tables and indexes */
    KEY_SPACE_COLLECTION = 4, /* sizes of item collections of tables with local indexes */
    KEY_SPACE_TOKEN = 5,      /* idempotency tokens */
    KEY_SPACE_SEQUENCE = 6,   /* id allocators */
    /* Only in the system slice: */
    KEY_SPACE_STORE = 16,  /* format, store id, commit counter */
    KEY_SPACE_TENANT = 17, /* the registry, by id */
    KEY_SPACE_TIMER = 18,  /* due work, by minute */
    KEY_SPACE_DEAD = 19,   /* dropped tables and indexes whose rows wait for compaction */
    KEY_SPACE_DELTA = 20,  /* counter changes not yet folded, one row per commit */
};

/* The largest key: 9 + pk parts + sk parts with every byte escaped + the table's own key. */
#define KEY_SIZE_BYTES_MAX 12288

/* A key being built; lives on the stack. */
struct key {
    size_t n;
    uint8_t bytes[KEY_SIZE_BYTES_MAX];
};

static inline struct slice key_slice(const struct key *key)
{
    return slice_of(key->bytes, key->n);
}

/* Starts a key over with its space. */
void key_begin(struct key *key, enum key_space space);
/* Integers that sort as numbers. */
void key_add_be16(struct key *key, uint16_t v);
void key_add_be32(struct key *key, uint32_t v);
void key_add_be64(struct key *key, uint64_t v);
/* Raw bytes, for the last part of a key or fixed-width parts. */
void key_add_bytes(struct key *key, struct slice bytes);

/* space | table | index: the prefix of all rows of a table (index 0) or of one of its indexes. */
void key_begin_rows(struct key *key, uint32_t table, uint16_t index);
/* hash16 and the framed parts (each S, N or B; 1 to KEY_PARTS_MAX). */
void key_add_partition(struct key *key, const struct value *parts, uint32_t count);
/* One framed part without hash16: the table's own partition key at the end of an index row. */
void key_add_framed(struct key *key, struct value part);
/* One part of a sort key, terminated. */
void key_add_sort(struct key *key, struct value part);
/* The bytes that all sort keys beginning with `prefix` (S or B) share: no terminator. */
void key_add_sort_prefix(struct key *key, struct slice prefix);
/* The bucket of a partition key; on disk: never change. */
uint16_t key_hash16(const struct value *parts, uint32_t count);

/* Turns the key into the smallest key greater than all that begin with it. False (key unchanged)
 * if there is none. */
bool key_make_upper_bound(struct key *key);

#endif
