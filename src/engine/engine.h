/*
 * The engine: tables, items and indexes on a key-value store. One committer thread per store makes
 * every change; reads run on the caller's thread.
 *
 *   loops ----write_request----> committer ----batch----> store
 *     ^                             |
 *     +---------- done() -----------+        loops ----reads----> store
 */
#ifndef ROWHOUSE_ENGINE_ENGINE_H
#define ROWHOUSE_ENGINE_ENGINE_H

#include "base/clock.h"
#include "base/inbox.h"
#include "engine/table.h"
#include "expr/expr.h"
#include "store/kv.h"
#include "tenant/registry.h"
#include "tenant/run_queue.h"

struct dead_set;
struct engine;

/* What the committer needs to queue a job; zero it, the rest is the engine's business. */
struct commit_job {
    struct inbox_node node;
    struct run_task run;
    uint8_t kind;      /* enum job_kind of engine/committer.h */
    bool warmed;       /* its rows have been read on the reader pool */
    uint32_t progress; /* writes of a request that are applied already */
};

struct engine_options {
    struct kv *store;      /* not owned; outlives the engine */
    struct dead_set *dead; /* not owned; the store's compaction filter asks it (engine/dead.h) */
    const struct clock *clock;
    unsigned reader_count;          /* threads of the reader pool; 0 = 2 */
    const struct slice *tenant_ids; /* tenants to create if they do not exist; valid ids */
    size_t tenant_count;
};

/* Opens the catalogue and the counters, resumes unfinished work and starts the threads. */
enum status MUST_CHECK engine_open(const struct engine_options *options,
                                   struct engine **ret_engine);
/* Finishes queued writes, stops the threads. Every struct table must have been released. */
void engine_close(struct engine *engine);
/* Lives as long as the engine. */
struct registry *engine_registry(struct engine *engine);

/* ---- Tables ---- */

/* The table of that name with a reference, or ST_NOT_FOUND. A NULL scope has no tables. */
enum status MUST_CHECK engine_find_table(struct engine *engine, const struct scope *scope,
                                         struct slice name, struct table **ret_table);
/* Up to `limit` names after `after` (empty: from the start), in byte order, in the arena.
 * `*ret_more` says whether others follow. */
enum status MUST_CHECK engine_list_tables(struct engine *engine, const struct scope *scope,
                                          struct slice after, uint32_t limit, struct arena *arena,
                                          struct slice **ret_names, uint32_t *ret_count,
                                          bool *ret_more);
/* Tables of the tenant, for limits. */
uint32_t engine_table_count(struct engine *engine, const struct scope *scope);

/*
 * A change of the catalogue. It runs alone on the committer: `alter` sees the newest version and
 * describes the next one, so checks made there cannot be overtaken.
 */
enum table_change_kind { TABLE_CREATE, TABLE_ALTER, TABLE_DROP };

/* The next version of a table, in the change's arena. Ids, uuid, created time and counters are the
 * engine's; an index keeps its id by its name. */
struct table_spec {
    struct slice name;
    bool deletion_protected;
    const struct key_part *attributes;
    uint32_t attribute_count;
    struct key_schema key;
    struct index indexes[TABLE_INDEXES_MAX];
    uint32_t index_count;
    struct item settings;
};

/* The next version that is like this one; its parts are views of the table. */
void table_spec_of(const struct table *table, struct table_spec *ret_spec);

struct table_change {
    struct commit_job job;
    enum table_change_kind kind;
    struct arena *arena;       /* the request's; the committer allocates here until done() */
    const struct scope *scope; /* NULL with TABLE_CREATE: create the tenant `tenant_id` */
    struct slice tenant_id;
    struct slice name;
    /* CREATE: `current` is NULL. ALTER: fills `ret_next`. DROP: may refuse; leaves `ret_next`. */
    enum status (*alter)(struct table_change *change, const struct table *current,
                         struct table_spec *ret_next);
    void (*done)(struct table_change *change); /* on the committer's thread */
    void *user;
    /* answers */
    enum status status; /* ST_REFUSED with `error`, ST_EXISTS, ST_NOT_FOUND, ST_IO, ... */
    struct error error;
    struct table
        *table; /* the version before a drop, after otherwise; a reference for the caller */
};

/*
 * Indexes of the next version that are new are backfilled in the background, while reads and writes
 * go on: their status is INDEX_CREATING until every row is in. Indexes that are gone are dropped.
 */
void engine_change_table(struct engine *engine, struct table_change *change);

/* ---- Writes ---- */

enum write_kind { WRITE_PUT, WRITE_UPDATE, WRITE_DELETE, WRITE_CHECK };

/* Write units as DynamoDB charges them, before doubling for transactions. */
struct write_cost {
    uint32_t table_units;
    uint32_t index_units[TABLE_INDEXES_MAX]; /* by position in table->indexes */
};

/* One change of one item, and what came of it. */
struct write {
    enum write_kind kind;
    struct table *table; /* the request's arena holds the reference; may become a newer version */
    struct item item; /* PUT: the item. Others: the key attributes alone. Checked by the caller. */
    const struct update *update;       /* UPDATE; NULL creates the item if it is missing */
    const struct condition *condition; /* may be NULL */
    /* answers; items in the request's arena */
    struct error error;    /* ERROR_CONDITIONAL_CHECK, ERROR_VALIDATION_DATA, ... or none */
    struct item old_item;  /* the item before (also when the condition failed) */
    struct item new_item;  /* the item after */
    size_t old_size_bytes; /* DynamoDB's sizes of the two; 0 where there is no item */
    size_t new_size_bytes;
    struct write_cost cost;
    int64_t collection_size_bytes; /* of its item collection after; -1 without local indexes */
};

#define TOKEN_DIGEST_SIZE_BYTES 32

/*
 * Changes that are queued together. `atomic`: all or none, and each item once (a transaction);
 * otherwise each stands alone (single writes and batches).
 */
struct write_request {
    struct commit_job job;
    const struct scope *scope;
    struct arena *arena; /* the committer allocates here between submit and done() */
    struct write *writes;
    uint32_t count;
    bool atomic;
    struct slice token;                            /* idempotency token; may be empty */
    uint8_t token_digest[TOKEN_DIGEST_SIZE_BYTES]; /* of the request's parameters */
    void (*done)(struct write_request *request);   /* on the committer's threads */
    void *user;
    /* answers */
    enum status status; /* ST_OK even if single writes were refused; see their errors */
    struct error error; /* with ST_REFUSED: of the whole, e.g. idempotency mismatch */
    bool canceled;      /* atomic: some write has an error and nothing was changed */
    bool replayed;      /* the token had been used by the same request: nothing was done again */
};

/* Queues it; done() is called exactly once. Never blocks. */
void engine_write(struct engine *engine, struct write_request *request);

/* ---- Reads ---- */

/* What a read of one item found: a view pinned by `pin` until kv_value_release. */
struct item_read {
    struct item item; /* ITEM_NONE if there is none */
    uint32_t size_bytes;
    struct kv_value pin;
};

/* `key` holds the key attributes (checked). ST_OK also if there is no such item; ST_WOULD_BLOCK
 * only with KV_NO_BLOCK. */
enum status MUST_CHECK engine_get(const struct scope *scope, const struct table *table,
                                  const struct kv_snapshot *snapshot, enum kv_mode mode,
                                  struct item key, struct item_read *ret_read);

/* A Query or Scan over a table or one of its indexes. */
struct range_spec {
    const struct scope *scope;
    const struct table *table;
    const struct index *index; /* NULL: the table itself */
    bool is_query;
    struct key_condition condition; /* query: normalised terms, checked by range_check */
    bool backward;
    uint32_t segment;       /* scan */
    uint32_t segment_count; /* 0 or 1: all */
    uint32_t limit;         /* items to look at; 0: no limit but the page size */
    const struct condition *filter;
    struct item start; /* ExclusiveStartKey or ITEM_NONE; checked by range_check */
    bool fetch_items;  /* local index: read the whole item of each row from the table */
    /* Called for each item that passed the filter; a view valid during the call. False: there is no
     * room for another, the page ends with this one. */
    bool (*emit)(void *context, struct item item);
    void *context;
};

#define PAGE_SIZE_BYTES_MAX (1024 * 1024)

struct range_read;

enum range_turn {
    RANGE_DONE,
    RANGE_MORE,        /* the budget is used up: call again */
    RANGE_WOULD_BLOCK, /* call again with KV_MAY_BLOCK */
    RANGE_FAILED,
};

struct range_result {
    uint32_t count;              /* passed the filter */
    uint32_t scanned_count;      /* looked at */
    uint64_t size_bytes;         /* looked at, DynamoDB's sizes; what read units are charged for */
    uint64_t fetched_units_half; /* fetch_items: units for the table reads, in halves, if
                                    eventually consistent */
    struct item last_key;        /* LastEvaluatedKey or ITEM_NONE; in the arena */
    enum status status;          /* with RANGE_FAILED */
};

/* Checks key condition and start key against the schema with DynamoDB's words
 * (ERROR_VALIDATION_DATA): "Query condition missed key schema element: ...", "Query key condition
 * not supported", "The provided starting key is invalid", ... */
enum status MUST_CHECK range_check(const struct range_spec *spec, struct arena *arena,
                                   struct error *error);
/* In the arena; released by a hook of it. The spec is copied; its parts must outlive it. */
struct range_read *range_new(const struct range_spec *spec, struct arena *arena);
/* Works for at most about `budget_ns`. May move between threads from turn to turn. */
enum range_turn range_turn(struct range_read *read, enum kv_mode mode, int64_t budget_ns,
                           struct range_result *ret_result);

/* ---- The reader pool ---- */

/* Work that may block, run once on a thread of the pool. */
struct pool_task {
    struct inbox_node node;
    void (*run)(struct pool_task *task);
};
/* Queues the task; it belongs to the pool until `run` is called. Any thread. */
void engine_run_blocking(struct engine *engine, struct pool_task *task);

#endif
