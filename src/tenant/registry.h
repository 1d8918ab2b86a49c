/*
 * The registry of tenants: id to number, status, epoch and scope. In memory as a hash table that
 * any thread reads; durable in the store's system slice, written by the committer alone. A tenant
 * is never removed from memory and its number is never reissued.
 *
 *   row  KEY_SPACE_TENANT | id bytes  ->  number(8, LE) created_ms(8, LE) epoch(4, LE) status(1)
 */
#ifndef ROWHOUSE_TENANT_REGISTRY_H
#define ROWHOUSE_TENANT_REGISTRY_H

#include "base/slice.h"
#include "base/status.h"
#include "store/kv.h"
#include "store/scope.h"

#define TENANT_ID_SIZE_BYTES_MAX 127 /* namespace.id: 63 + 1 + 63 */

enum tenant_status { TENANT_ACTIVE = 1, TENANT_SUSPENDED, TENANT_OFFBOARDING, TENANT_OFFBOARDED };

/* Immutable but for status and epoch; lives as long as the registry. */
struct tenant {
    uint64_t number;
    struct slice id;
    int64_t created_ms;
    _Atomic uint32_t epoch;
    _Atomic(enum tenant_status) status;
    struct scope *scope; /* its rows in the store that holds it */
};

struct registry;

/* [A-Za-z0-9_-]{1,63}, or two of them with a dot between; byte for byte. */
bool tenant_id_valid(struct slice id);

/* Loads all tenants from the store's system slice. */
enum status MUST_CHECK registry_open(struct kv *store, struct registry **ret_registry);
/* When no tenant of it is used any more. */
void registry_close(struct registry *registry);
/* Any thread. NULL if unknown. */
struct tenant *registry_find(struct registry *registry, struct slice id);
struct tenant *registry_find_number(struct registry *registry, uint64_t number);
/* Visits every tenant (a copy of the list is taken first). */
void registry_each(struct registry *registry, void (*visit)(struct tenant *tenant, void *context),
                   void *context);
/* Tenants known. Any thread. */
size_t registry_count(struct registry *registry);

/* The store's own slice (timers, dead ids, deltas): for the engine's bookkeeping. */
const struct scope *registry_system_scope(const struct registry *registry);

/*
 * Creating a tenant, on the committer's thread: prepare allocates the number and adds the rows to
 * the batch; publish makes it visible once the batch is durable; discard drops it if it failed.
 */
struct tenant *registry_prepare(struct registry *registry, struct slice id, int64_t now_ms,
                                struct kv_batch *batch);
void registry_publish(struct registry *registry, struct tenant *tenant);
void registry_discard(struct registry *registry, struct tenant *tenant);

/* The 12-digit account number that ARNs show: a permutation of the tenant's number. */
void tenant_account_id(uint64_t number, char ret_digits[13]);

#endif
