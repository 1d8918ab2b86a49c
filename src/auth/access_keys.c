/*
 * One block of memory per key:
 *
 *   struct key_row | id | secret | tenant id
 */
#include "auth/access_keys.h"

#include <openssl/crypto.h>
#include <uthash.h>

#include "base/memory.h"

struct key_row {
    UT_hash_handle hh;
    struct access_key key;
    uint8_t bytes[];
};

struct access_keys {
    struct key_row *rows;
};

struct access_keys *access_keys_new(void)
{
    return MEM_NEW(struct access_keys);
}

static void free_row(struct key_row *row)
{
    OPENSSL_cleanse(row->bytes, row->key.id.n + row->key.secret.n);
    mem_free(row);
}

void access_keys_free(struct access_keys *keys)
{
    struct key_row *row, *next;

    if (keys == NULL)
        return;
    HASH_ITER(hh, keys->rows, row, next)
    {
        HASH_DEL(keys->rows, row);
        free_row(row);
    }
    mem_free(keys);
}

static struct slice copy_to(uint8_t *place, struct slice bytes)
{
    if (bytes.n > 0)
        memcpy(place, bytes.p, bytes.n);
    return slice_of(place, bytes.n);
}

enum status access_keys_add(struct access_keys *keys, const struct access_key *key)
{
    struct slice tenant = key->principal.tenant_id;
    struct key_row *row;

    if (access_keys_find(keys, key->id) != NULL)
        return ST_EXISTS;
    row = mem_zalloc(sizeof(*row) + key->id.n + key->secret.n + tenant.n);
    row->key.id = copy_to(row->bytes, key->id);
    row->key.secret = copy_to(row->bytes + key->id.n, key->secret);
    row->key.principal.kind = key->principal.kind;
    row->key.principal.tenant_id = copy_to(row->bytes + key->id.n + key->secret.n, tenant);
    HASH_ADD_KEYPTR(hh, keys->rows, row->key.id.p, row->key.id.n, row);
    return ST_OK;
}

const struct access_key *access_keys_find(const struct access_keys *keys, struct slice id)
{
    struct key_row *row;

    HASH_FIND(hh, keys->rows, id.p, id.n, row);
    return row == NULL ? NULL : &row->key;
}
