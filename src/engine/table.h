/*
 * What the engine knows of a table: names, keys, indexes and ids. A struct table is immutable and
 * reference counted; changing a table makes a new one and marks the old as superseded.
 *
 * `settings` is an item that the api room fills and reads back (billing mode, throughput, tags and
 * the like, under their API names). The engine stores it and looks at nothing in it.
 */
#ifndef ROWHOUSE_ENGINE_TABLE_H
#define ROWHOUSE_ENGINE_TABLE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/key.h"
#include "model/value.h"

struct scope;

#define TABLE_INDEXES_MAX 25 /* 20 global, 5 local */
#define TABLE_GLOBAL_INDEXES_MAX 20
#define TABLE_LOCAL_INDEXES_MAX 5

struct key_part {
    struct slice name;
    enum value_type type; /* S, N or B */
};

struct key_schema {
    struct key_part partition[KEY_PARTS_MAX];
    uint32_t partition_count; /* 1 for tables and local indexes */
    struct key_part sort[KEY_PARTS_MAX];
    uint32_t sort_count; /* 0 or 1 for tables */
};

/* Whether the attribute is part of the key. */
bool key_schema_has(const struct key_schema *key, struct slice name);
/* Bytes that count against the limits on keys: an N is measured as DynamoDB sizes it. */
size_t key_value_size_bytes(struct value value);
/* Refuses, with ERROR_VALIDATION_DATA, what all partition or sort key attributes may not have
 * together. */
enum status MUST_CHECK key_check_size(size_t size_bytes, bool is_sort, struct error *error);

enum projection_kind { PROJECTION_ALL = 1, PROJECTION_KEYS_ONLY, PROJECTION_INCLUDE };
/* On disk, as are the kinds of projections: never renumber. */
enum index_status { INDEX_CREATING = 1, INDEX_ACTIVE };

/*
 * Rows and bytes of a table or of one of its indexes. Anyone reads the two numbers; the rest is the
 * committer's. Shared by successive versions of the table.
 */
struct counters {
    _Atomic int64_t item_count;
    _Atomic int64_t size_bytes;
    _Atomic uint32_t refs;
    const struct scope *scope;
    uint32_t table;
    uint16_t index;
    bool counting;           /* of an INDEX_CREATING: writes count, for all rows are in */
    uint64_t delta_sequence; /* the batch that last changed it, and where in the batch's list */
    uint32_t delta_slot;
    bool dirty; /* in the list of counters to be folded */
    struct counters *next_dirty;
};

struct index {
    uint16_t id; /* never reused within its table; assigned by the engine */
    bool local;
    enum index_status status;
    struct slice name;
    struct key_schema key;
    enum projection_kind projection;
    const struct slice *included; /* of PROJECTION_INCLUDE */
    uint32_t included_count;
    struct item settings; /* api's: throughput and the like */
    struct counters *counters;
};

struct table {
    _Atomic uint32_t refs;
    _Atomic bool superseded; /* a newer version or a drop has been committed */
    uint64_t tenant_number;
    uint32_t id;        /* never reused within its tenant */
    uint16_t index_ids; /* the highest index id given out so far */
    struct slice name;
    char uuid[37]; /* TableId */
    int64_t created_ms;
    bool deletion_protected;
    const struct key_part *attributes; /* AttributeDefinitions, as given */
    uint32_t attribute_count;
    struct key_schema key;
    struct index indexes[TABLE_INDEXES_MAX];
    uint32_t index_count;
    struct item settings;
    struct counters *counters;
    struct arena arena; /* owns all of the above */
};

/* Any thread. */
void table_ref(struct table *table);
/* Frees at the last. NULL is fine. */
void table_unref(struct table *table);
/* NULL if there is none of that name. */
const struct index *table_find_index(const struct table *table, struct slice name);
/* Only such tables have item collections. */
bool table_has_local_index(const struct table *table);
/* The key attributes of the table, partition first; at most 2. */
uint32_t table_key_names(const struct table *table, struct slice ret_names[2]);

/*
 * Checks that `item` has all key attributes of the table, of the right type, not empty and not too
 * long (ERROR_VALIDATION_DATA, DynamoDB's words), and if `only_key` nothing else ("The provided key
 * element does not match the schema"). Index keys that are present are checked too unless
 * `only_key`: "Type mismatch for Index Key ...".
 */
enum status MUST_CHECK table_check_item(const struct table *table, struct item item, bool only_key,
                                        struct error *error);

/* The physical key of an item's row, or of its row in an index. False if the item has not all key
 * attributes of the index with the right types and sizes: it is then not in the index. An item
 * written before the index existed need not have them. */
void table_item_key(const struct table *table, struct item item, struct key *ret_key);
bool table_index_key(const struct table *table, const struct index *index, struct item item,
                     struct key *ret_key);
/* The row that holds the size of the item's collection: KEY_SPACE_COLLECTION | table | the item's
 * partition key. Of tables with local indexes. */
void table_collection_key(const struct table *table, struct item item, struct key *ret_key);
/* What a row of the index holds: the projected attributes, in the arena (ALL: the item itself). */
struct item table_index_item(const struct table *table, const struct index *index, struct item item,
                             struct arena *arena);
/* The attributes that a LastEvaluatedKey of a read of `index` (NULL: the table) has. */
struct item table_cursor(const struct table *table, const struct index *index, struct item item,
                         struct arena *arena);

#endif
