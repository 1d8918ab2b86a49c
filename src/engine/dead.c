/* The set of dropped ids: see dead.h. Compaction threads read it, the committer adds to it. */
#include "engine/dead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

#include "base/check.h"
#include "base/encode.h"
#include "base/memory.h"
#include "model/key.h"
#include "store/sealed_row.h"

#define DEAD_KEY_SIZE_BYTES 15

struct dead_id {
    struct {
        uint64_t tenant_number;
        uint64_t table_and_index;
    } id;
    UT_hash_handle hh;
};

struct dead_set {
    pthread_rwlock_t lock; /* guards `ids` */
    struct dead_id *ids;
    _Atomic size_t count; /* spares the lock while nothing is dead */
};

struct dead_set *dead_set_new(void)
{
    struct dead_set *set = MEM_NEW(struct dead_set);

    CHECK(pthread_rwlock_init(&set->lock, NULL) == 0);
    return set;
}

static void make_id(struct dead_id *id, uint64_t tenant_number, uint32_t table, uint16_t index)
{
    memset(id, 0, sizeof(*id));
    id->id.tenant_number = tenant_number;
    id->id.table_and_index = (uint64_t)table << 16 | index;
}

void dead_set_add(struct dead_set *set, uint64_t tenant_number, uint32_t table, uint16_t index)
{
    struct dead_id *id = MEM_NEW(struct dead_id);

    make_id(id, tenant_number, table, index);
    CHECK(pthread_rwlock_wrlock(&set->lock) == 0);
    HASH_ADD(hh, set->ids, id, sizeof(id->id), id);
    CHECK(pthread_rwlock_unlock(&set->lock) == 0);
    atomic_fetch_add(&set->count, 1);
}

enum status dead_set_load(struct dead_set *set, const struct scope *system)
{
    struct key prefix;
    struct kv_iter *iter;
    enum status status;

    key_begin(&prefix, KEY_SPACE_DEAD);
    iter = kv_iter_new_prefix(system, NULL, &prefix);
    for (status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK; status = kv_iter_next(iter)) {
        struct slice key = kv_iter_key(iter);

        if (key.n != DEAD_KEY_SIZE_BYTES) {
            status = ST_CORRUPT;
            break;
        }
        dead_set_add(set, get_be64(key.p + 1), get_be32(key.p + 9), get_be16(key.p + 13));
    }
    kv_iter_free(iter);
    return status == ST_NOT_FOUND ? ST_OK : status;
}

void dead_set_free(struct dead_set *set)
{
    struct dead_id *id, *next;

    HASH_ITER(hh, set->ids, id, next)
    {
        HASH_DEL(set->ids, id);
        mem_free(id);
    }
    CHECK(pthread_rwlock_destroy(&set->lock) == 0);
    mem_free(set);
}

void dead_set_put(const struct scope *system, uint64_t tenant_number, uint32_t table,
                  uint16_t index, struct kv_batch *batch)
{
    struct key key;

    key_begin(&key, KEY_SPACE_DEAD);
    key_add_be64(&key, tenant_number);
    key_add_be32(&key, table);
    key_add_be16(&key, index);
    sealed_row_put(batch, system, &key, SLICE_EMPTY);
}

static bool has_id(const struct dead_set *set, uint64_t tenant_number, uint32_t table,
                   uint16_t index)
{
    struct dead_id wanted, *found = NULL;

    make_id(&wanted, tenant_number, table, index);
    HASH_FIND(hh, set->ids, &wanted.id, sizeof(wanted.id), found);
    return found != NULL;
}

/* Rows of these spaces begin with space | table; those of data and counters go on with the index.
 */
static bool names_table(struct slice key)
{
    return key.n >= 7 && (key.p[0] == KEY_SPACE_DATA || key.p[0] == KEY_SPACE_COUNTER ||
                          key.p[0] == KEY_SPACE_COLLECTION);
}

bool dead_set_has_row(void *context, uint64_t tenant_number, struct slice key)
{
    struct dead_set *set = context;
    bool dead;

    if (atomic_load_explicit(&set->count, memory_order_relaxed) == 0 || !names_table(key))
        return false;
    CHECK(pthread_rwlock_rdlock(&set->lock) == 0);
    dead = has_id(set, tenant_number, get_be32(key.p + 1), 0);
    if (!dead && key.p[0] != KEY_SPACE_COLLECTION && get_be16(key.p + 5) != 0)
        dead = has_id(set, tenant_number, get_be32(key.p + 1), get_be16(key.p + 5));
    CHECK(pthread_rwlock_unlock(&set->lock) == 0);
    return dead;
}
