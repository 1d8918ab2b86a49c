/*
 * An engine on a store of its own, and clients that drive it without sockets. Everything here waits
 * for its answer and aborts the test program when something fails that no test is about.
 *
 * Items, keys and values of expressions are written as text: "pk=a sk=#5 note=*300" has the string
 * a, the number 5 and a string of 300 x's.
 */
#ifndef ROWHOUSE_TESTS_ENGINE_FIXTURE_H
#define ROWHOUSE_TESTS_ENGINE_FIXTURE_H

#include <semaphore.h>

#include "engine/dead.h"
#include "engine/engine.h"
#include "engine/verify.h"
#include "store/kv_fault.h"

enum store_kind { STORE_MEMORY, STORE_ROCKS };

/* ThreadSanitizer cannot see into librocksdb. */
#if defined(__SANITIZE_THREAD__)
#define STORE_KIND_COUNT 1
#else
#define STORE_KIND_COUNT 2
#endif

struct fixture;

/* What one thread does on behalf of one tenant. */
struct client {
    struct fixture *fixture;
    const char *tenant_id;
    const struct scope *scope;
    struct arena arena; /* answers and references to tables live here */
};

struct fixture {
    enum store_kind kind;
    char directory[64]; /* empty for memory */
    struct clock_fake clock;
    struct kv *kv; /* fails when armed (store/kv_fault.h) */
    struct dead_set *dead;
    struct engine *engine;
    struct client acme; /* the tenants that exist from the start */
    struct client beta;
};

void fixture_init(struct fixture *fixture, enum store_kind kind);
void fixture_deinit(struct fixture *fixture);
/* Closes the engine and the store in order, and opens them again. */
void fixture_reopen(struct fixture *fixture);
/* Opens the engine on what a memory store held at this moment, as after a loss of power. */
void fixture_crash(struct fixture *fixture);
void client_init(struct client *client, struct fixture *fixture, const char *tenant_id);
void client_deinit(struct client *client);

/* ---- Text ---- */

struct item item_of(struct arena *arena, const char *text);
/* In the order of names, numbers as #5. */
const char *text_of(struct arena *arena, struct item item);

/* ---- Tables ---- */

/* `key` is "pk:S" or "pk:S sk:N". */
void spec_init(struct table_spec *spec, const char *name, const char *key, struct arena *arena);
/* `partition` and `sort` (may be "") have up to four attributes. `included` are names, for
 * PROJECTION_INCLUDE. */
void spec_add_index(struct table_spec *spec, const char *name, const char *partition,
                    const char *sort, enum projection_kind projection, const char *included,
                    struct arena *arena);
/* Its partition key is the table's. */
void spec_add_local_index(struct table_spec *spec, const char *name, const char *sort,
                          enum projection_kind projection, struct arena *arena);
/* The table as it is, to be changed. */
void spec_of_table(struct table_spec *spec, const struct table *table, struct arena *arena);
/* `spec` is NULL for TABLE_DROP. */
enum status change_table(struct client *client, enum table_change_kind kind, const char *name,
                         const struct table_spec *spec);
/* Of the simplest kind; must succeed. */
void create_table(struct client *client, const char *name, const char *key);
/* The newest version; the client's arena holds the reference. It must exist. */
struct table *find_table(struct client *client, const char *name);
bool table_exists(struct client *client, const char *name);
/* Waits until the index is active. */
void await_active(struct client *client, const char *table, const char *index);

/* ---- Writes ---- */

struct write put_of(struct client *client, const char *table, const char *item);
struct write delete_of(struct client *client, const char *table, const char *key);
struct write update_of(struct client *client, const char *table, const char *key,
                       const char *expression, const char *values);
struct write check_of(struct client *client, const char *table, const char *key,
                      const char *condition, const char *values);
/* Adds a condition. */
void write_when(struct client *client, struct write *write, const char *condition,
                const char *values);

/* A request under way. */
struct ticket {
    struct write_request request;
    sem_t done;
};

/* `token` may be NULL; the digest is that of `parameters`. */
void submit(struct client *client, struct ticket *ticket, struct write *writes, uint32_t count);
void submit_atomic(struct client *client, struct ticket *ticket, struct write *writes,
                   uint32_t count, const char *token, const char *parameters);
enum status await(struct ticket *ticket);

/* Runs one write, alone; the error that refused it, if any. The store must not fail. */
enum error_code run(struct client *client, struct write *write);
/* Runs a transaction; true unless it was cancelled. */
bool transact(struct client *client, struct write *writes, uint32_t count);
/* Must succeed. */
void put(struct client *client, const char *table, const char *item);
void del(struct client *client, const char *table, const char *key);

/* ---- Reads ---- */

/* The item as text, or NULL. */
const char *get(struct client *client, const char *table, const char *key);

struct query {
    const char *table;
    const char *index;     /* NULL: the table */
    const char *condition; /* NULL: a scan */
    const char *values;
    const char *filter;
    const char *filter_values;
    const char *show; /* the attribute that stands for an item in the answer; "sk" if NULL */
    bool backward;
    bool fetch_items;
    uint32_t limit;
    uint32_t segment;
    uint32_t segment_count;
    struct item start;
};

struct page {
    const char *items; /* the shown attributes, with blanks between */
    struct range_result result;
};

struct page run_query(struct client *client, const struct query *query);
/* All pages, " | " between. */
const char *run_pages(struct client *client, struct query query);
/* Why range_check refuses it, or NULL. */
const char *query_fault(struct client *client, const struct query *query);

/* ---- Truth ---- */

/* What verify_store finds in the store as it is now; faults are printed if `print`. */
struct verify_totals verify(struct fixture *fixture, bool print);
void expect_healthy(struct fixture *fixture);
/* `index` NULL: the table's own. */
void expect_counts(struct client *client, const char *table, const char *index, int64_t item_count,
                   int64_t size_bytes);

#endif
