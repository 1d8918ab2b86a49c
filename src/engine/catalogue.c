/*
 * The catalogue: see catalogue.h.
 *
 * A reader that misses loads the row without holding the lock; meanwhile the committer may publish
 * or remove that table. `changes` counts such events: a loaded table is entered only if none
 * happened since before the row was read, and the load is tried again otherwise.
 *
 * Invariant: an entry is the newest durable version of its table.
 */
#include "engine/catalogue.h"

#include <pthread.h>
#include <uthash.h>

#include "base/check.h"
#include "base/encode.h"
#include "base/memory.h"
#include "engine/table_codec.h"

#define TABLE_NAME_SIZE_BYTES_MAX 255

struct entry_key {
    size_t n;
    uint8_t bytes[8 + TABLE_NAME_SIZE_BYTES_MAX];
};

struct entry {
    struct entry_key key;
    struct table *table; /* a reference */
    UT_hash_handle hh;
};

struct catalogue {
    pthread_rwlock_t lock; /* guards the fields below */
    struct entry *entries;
    uint64_t changes;
};

struct catalogue *catalogue_new(void)
{
    struct catalogue *catalogue = MEM_NEW(struct catalogue);

    CHECK(pthread_rwlock_init(&catalogue->lock, NULL) == 0);
    return catalogue;
}

void catalogue_free(struct catalogue *catalogue)
{
    struct entry *entry, *next;

    HASH_ITER(hh, catalogue->entries, entry, next)
    {
        HASH_DEL(catalogue->entries, entry);
        table_unref(entry->table);
        mem_free(entry);
    }
    CHECK(pthread_rwlock_destroy(&catalogue->lock) == 0);
    mem_free(catalogue);
}

static void make_entry_key(struct entry_key *key, uint64_t tenant_number, struct slice name)
{
    CHECK(name.n <= TABLE_NAME_SIZE_BYTES_MAX);
    put_be64(key->bytes, tenant_number);
    memcpy(key->bytes + 8, name.p, name.n);
    key->n = 8 + name.n;
}

static struct entry *find_entry(struct catalogue *catalogue, const struct entry_key *key)
{
    struct entry *entry = NULL;

    HASH_FIND(hh, catalogue->entries, key->bytes, (unsigned)key->n, entry);
    return entry;
}

static void add_entry(struct catalogue *catalogue, const struct entry_key *key, struct table *table)
{
    struct entry *entry = MEM_NEW(struct entry);

    entry->key = *key;
    entry->table = table;
    table_ref(table);
    HASH_ADD_KEYPTR(hh, catalogue->entries, entry->key.bytes, (unsigned)entry->key.n, entry);
}

/* The cached table with a reference, or NULL; `ret_changes` is the count to load against. */
static struct table *find_cached(struct catalogue *catalogue, const struct entry_key *key,
                                 uint64_t *ret_changes)
{
    struct entry *entry;
    struct table *table = NULL;

    CHECK(pthread_rwlock_rdlock(&catalogue->lock) == 0);
    *ret_changes = catalogue->changes;
    entry = find_entry(catalogue, key);
    if (entry != NULL) {
        table = entry->table;
        table_ref(table);
    }
    CHECK(pthread_rwlock_unlock(&catalogue->lock) == 0);
    return table;
}

static enum status load(const struct scope *scope, struct slice name, struct table **ret_table)
{
    struct kv_value value = {0};
    struct key key;
    enum status status;

    table_catalogue_key(&key, name);
    status = kv_get(scope, NULL, KV_MAY_BLOCK, key_slice(&key), &value);
    if (status == ST_OK)
        status = table_decode(scope, value.bytes, ret_table);
    kv_value_release(&value);
    return status;
}

/* False if something changed since `changes` was read. */
static bool enter_loaded(struct catalogue *catalogue, const struct entry_key *key,
                         struct table *table, uint64_t changes)
{
    bool current;

    CHECK(pthread_rwlock_wrlock(&catalogue->lock) == 0);
    current = catalogue->changes == changes;
    if (current) {
        add_entry(catalogue, key, table);
        catalogue->changes++;
    }
    CHECK(pthread_rwlock_unlock(&catalogue->lock) == 0);
    return current;
}

enum status catalogue_find(struct catalogue *catalogue, const struct scope *scope,
                           struct slice name, struct table **ret_table)
{
    struct entry_key key;
    struct table *table;
    uint64_t changes;

    if (scope == NULL || name.n == 0 || name.n > TABLE_NAME_SIZE_BYTES_MAX)
        return ST_NOT_FOUND;
    make_entry_key(&key, scope_tenant_number(scope), name);
    for (;;) {
        table = find_cached(catalogue, &key, &changes);
        if (table != NULL)
            break;
        TRY(load(scope, name, &table));
        if (enter_loaded(catalogue, &key, table, changes))
            break;
        table_unref(table);
    }
    *ret_table = table;
    return ST_OK;
}

void catalogue_publish(struct catalogue *catalogue, struct table *table)
{
    struct entry_key key;
    struct entry *entry;

    make_entry_key(&key, table->tenant_number, table->name);
    CHECK(pthread_rwlock_wrlock(&catalogue->lock) == 0);
    catalogue->changes++;
    entry = find_entry(catalogue, &key);
    if (entry == NULL) {
        add_entry(catalogue, &key, table);
    } else {
        atomic_store(&entry->table->superseded, true);
        table_unref(entry->table);
        entry->table = table;
        table_ref(table);
    }
    CHECK(pthread_rwlock_unlock(&catalogue->lock) == 0);
}

void catalogue_remove(struct catalogue *catalogue, struct table *table)
{
    struct entry_key key;
    struct entry *entry;

    make_entry_key(&key, table->tenant_number, table->name);
    CHECK(pthread_rwlock_wrlock(&catalogue->lock) == 0);
    catalogue->changes++;
    entry = find_entry(catalogue, &key);
    CHECK(entry != NULL);
    atomic_store(&entry->table->superseded, true);
    HASH_DEL(catalogue->entries, entry);
    table_unref(entry->table);
    mem_free(entry);
    CHECK(pthread_rwlock_unlock(&catalogue->lock) == 0);
}
