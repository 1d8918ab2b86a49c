/*
 * The registry: see registry.h for what it promises.
 *
 * Readers are every loop on every request; the only writer is the committer, when a tenant comes
 * into being. One read-write lock guards the two hash tables; the tenants themselves never move or
 * go away, so that a pointer found under the lock stays good without it.
 *
 * Invariants:
 *  1. numbers are given out in order and the next one is durable before its tenant is visible;
 *  2. the system slice's number is never given to a tenant.
 */
#include "tenant/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

#include "base/check.h"
#include "base/container.h"
#include "base/encode.h"
#include "base/memory.h"
#include "model/key.h"
#include "model/row.h"
#include "store/scope_mint.h"
#include "store/sealed_row.h"
#include "tenant/sequence.h"

#define TENANT_ROW_SIZE_BYTES 21
#define TENANT_SEQUENCE SLICE_LIT("tenant")

struct entry {
    struct tenant tenant;
    UT_hash_handle by_id;
    UT_hash_handle by_number;
};

struct registry {
    struct kv *store;
    struct scope *system;
    pthread_rwlock_t lock; /* guards the two tables */
    struct entry *by_id;
    struct entry *by_number;
    uint64_t next_number; /* the committer's alone */
};

static bool is_id_char(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool tenant_id_valid(struct slice id)
{
    size_t run = 0;
    unsigned dots = 0;

    for (size_t i = 0; i < id.n; i++) {
        if (id.p[i] == '.' && run > 0) {
            dots++;
            run = 0;
            continue;
        }
        if (!is_id_char(id.p[i]) || ++run > 63)
            return false;
    }
    return run > 0 && dots <= 1;
}

void tenant_account_id(uint64_t number, char ret_digits[13])
{
    /* The multiplier is prime to 10^12, so that different numbers give different accounts. */
    const uint64_t modulus = 1000000000000u;
    uint64_t account =
        (uint64_t)(((unsigned __int128)number * 387420489u + 123456789012u) % modulus);

    for (int i = 11; i >= 0; i--) {
        ret_digits[i] = (char)('0' + account % 10);
        account /= 10;
    }
    ret_digits[12] = '\0';
}

static void tenant_key(struct key *key, struct slice id)
{
    key_begin(key, KEY_SPACE_TENANT);
    key_add_bytes(key, id);
}

static struct entry *entry_new(struct registry *registry, struct slice id, uint64_t number,
                               int64_t created_ms)
{
    struct entry *entry = MEM_NEW(struct entry);
    uint8_t *copy = mem_alloc(id.n);

    memcpy(copy, id.p, id.n);
    entry->tenant.id = slice_of(copy, id.n);
    entry->tenant.number = number;
    entry->tenant.created_ms = created_ms;
    atomic_init(&entry->tenant.epoch, 1);
    atomic_init(&entry->tenant.status, TENANT_ACTIVE);
    entry->tenant.scope = scope_mint(registry->store, number);
    return entry;
}

static void entry_free(struct entry *entry)
{
    scope_free(entry->tenant.scope);
    mem_free((void *)(uintptr_t)entry->tenant.id.p);
    mem_free(entry);
}

static void add_entry(struct registry *registry, struct entry *entry)
{
    HASH_ADD_KEYPTR(by_id, registry->by_id, entry->tenant.id.p, (unsigned)entry->tenant.id.n,
                    entry);
    HASH_ADD(by_number, registry->by_number, tenant.number, sizeof(uint64_t), entry);
}

static enum status load_row(struct registry *registry, struct slice id, struct slice row)
{
    struct slice body;
    uint32_t size_aws;
    struct entry *entry;

    TRY(row_open(row, &body, &size_aws));
    if (body.n != TENANT_ROW_SIZE_BYTES || !tenant_id_valid(id))
        return ST_CORRUPT;
    entry = entry_new(registry, id, get_le64(body.p), (int64_t)get_le64(body.p + 8));
    atomic_store(&entry->tenant.epoch, get_le32(body.p + 16));
    atomic_store(&entry->tenant.status, (enum tenant_status)body.p[20]);
    add_entry(registry, entry);
    return ST_OK;
}

static enum status load_tenants(struct registry *registry)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_TENANT);
    iter = kv_iter_new_prefix(registry->system, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        status = load_row(registry, slice_from(kv_iter_key(iter), 1), kv_iter_value(iter));
        if (status != ST_OK)
            break;
    }
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

enum status registry_open(struct kv *store, struct registry **ret_registry)
{
    struct registry *registry = MEM_NEW(struct registry);
    enum status status;

    registry->store = store;
    registry->system = scope_mint(store, TENANT_NUMBER_SYSTEM);
    CHECK(pthread_rwlock_init(&registry->lock, NULL) == 0);
    status = sequence_read(registry->system, TENANT_SEQUENCE, &registry->next_number);
    if (status == ST_OK)
        status = load_tenants(registry);
    if (status != ST_OK) {
        registry_close(registry);
        return status;
    }
    *ret_registry = registry;
    return ST_OK;
}

void registry_close(struct registry *registry)
{
    struct entry *entry, *next;

    HASH_CLEAR(by_number, registry->by_number);
    HASH_ITER(by_id, registry->by_id, entry, next)
    {
        HASH_DELETE(by_id, registry->by_id, entry);
        entry_free(entry);
    }
    scope_free(registry->system);
    CHECK(pthread_rwlock_destroy(&registry->lock) == 0);
    mem_free(registry);
}

struct tenant *registry_find(struct registry *registry, struct slice id)
{
    struct entry *entry = NULL;

    CHECK(pthread_rwlock_rdlock(&registry->lock) == 0);
    HASH_FIND(by_id, registry->by_id, id.p, (unsigned)id.n, entry);
    CHECK(pthread_rwlock_unlock(&registry->lock) == 0);
    return entry == NULL ? NULL : &entry->tenant;
}

struct tenant *registry_find_number(struct registry *registry, uint64_t number)
{
    struct entry *entry = NULL;

    CHECK(pthread_rwlock_rdlock(&registry->lock) == 0);
    HASH_FIND(by_number, registry->by_number, &number, sizeof(number), entry);
    CHECK(pthread_rwlock_unlock(&registry->lock) == 0);
    return entry == NULL ? NULL : &entry->tenant;
}

void registry_each(struct registry *registry, void (*visit)(struct tenant *tenant, void *context),
                   void *context)
{
    struct entry *entry, *next;
    struct tenant **all;
    size_t count = 0;

    CHECK(pthread_rwlock_rdlock(&registry->lock) == 0);
    all = mem_alloc((HASH_CNT(by_id, registry->by_id) + 1) * sizeof(struct tenant *));
    HASH_ITER(by_id, registry->by_id, entry, next)
    all[count++] = &entry->tenant;
    CHECK(pthread_rwlock_unlock(&registry->lock) == 0);
    for (size_t i = 0; i < count; i++)
        visit(all[i], context);
    mem_free(all);
}

size_t registry_count(struct registry *registry)
{
    size_t count;

    CHECK(pthread_rwlock_rdlock(&registry->lock) == 0);
    count = HASH_CNT(by_id, registry->by_id);
    CHECK(pthread_rwlock_unlock(&registry->lock) == 0);
    return count;
}

const struct scope *registry_system_scope(const struct registry *registry)
{
    return registry->system;
}

static void put_tenant_row(struct registry *registry, const struct tenant *tenant,
                           struct kv_batch *batch)
{
    uint8_t body[TENANT_ROW_SIZE_BYTES];
    struct key key;

    put_le64(body, tenant->number);
    put_le64(body + 8, (uint64_t)tenant->created_ms);
    put_le32(body + 16, atomic_load(&tenant->epoch));
    body[20] = (uint8_t)atomic_load(&tenant->status);
    tenant_key(&key, tenant->id);
    sealed_row_put(batch, registry->system, &key, slice_of(body, sizeof(body)));
}

struct tenant *registry_prepare(struct registry *registry, struct slice id, int64_t now_ms,
                                struct kv_batch *batch)
{
    struct entry *entry;

    CHECK(tenant_id_valid(id));
    entry = entry_new(registry, id, registry->next_number++, now_ms);
    sequence_put(registry->system, TENANT_SEQUENCE, registry->next_number, batch);
    put_tenant_row(registry, &entry->tenant, batch);
    return &entry->tenant;
}

static struct entry *entry_of(struct tenant *tenant)
{
    return CONTAINER_OF(tenant, struct entry, tenant);
}

void registry_publish(struct registry *registry, struct tenant *tenant)
{
    CHECK(pthread_rwlock_wrlock(&registry->lock) == 0);
    add_entry(registry, entry_of(tenant));
    CHECK(pthread_rwlock_unlock(&registry->lock) == 0);
}

void registry_discard(struct registry *registry, struct tenant *tenant)
{
    (void)registry;
    entry_free(entry_of(tenant));
}
