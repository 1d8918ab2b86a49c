/*
 * The cache is direct-mapped: a scope has one place, and the newest holds it. Scopes with unusual
 * long names are not cached.
 *
 * Invariant: a place is empty or holds the key of exactly its access key and scope text, so that a
 * hit is as good as a derivation.
 */
#include "auth/signing_keys.h"

#include <openssl/crypto.h>

#include "base/memory.h"

enum { PLACE_COUNT = 512, SCOPE_SIZE_BYTES_MAX = 63 };

struct place {
    const struct access_key *access_key; /* NULL: empty */
    uint8_t scope_size_bytes;
    uint8_t scope[SCOPE_SIZE_BYTES_MAX];
    struct hmac_key key;
};

struct signing_keys {
    struct place places[PLACE_COUNT];
};

struct signing_keys *signing_keys_new(void)
{
    return MEM_NEW(struct signing_keys);
}

void signing_keys_free(struct signing_keys *keys)
{
    if (keys == NULL)
        return;
    OPENSSL_cleanse(keys, sizeof(*keys));
    mem_free(keys);
}

/* FNV-1a over the scope, begun with the access key's address. */
static size_t place_index(const struct access_key *access_key, struct slice scope)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)access_key;

    for (size_t i = 0; i < scope.n; i++)
        hash = (hash ^ scope.p[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32) % PLACE_COUNT;
}

static bool holds(const struct place *place, const struct access_key *access_key,
                  struct slice scope)
{
    return place->access_key == access_key &&
           slice_equal(slice_of(place->scope, place->scope_size_bytes), scope);
}

static void derive_step(struct sha256 *sha256, struct slice text, struct hmac_key *key)
{
    uint8_t digest[SHA256_SIZE_BYTES];

    hmac_digest(sha256, key, text, digest);
    hmac_key_init(sha256, slice_of(digest, sizeof(digest)), key);
    OPENSSL_cleanse(digest, sizeof(digest));
}

static void derive(struct sha256 *sha256, const struct access_key *access_key,
                   const struct claim *claim, struct hmac_key *ret_key)
{
    static const char prefix[] = {'A', 'W', 'S', '4'};
    size_t size_bytes = sizeof(prefix) + access_key->secret.n;
    uint8_t *secret = mem_alloc(size_bytes);

    memcpy(secret, prefix, sizeof(prefix));
    memcpy(secret + sizeof(prefix), access_key->secret.p, access_key->secret.n);
    hmac_key_init(sha256, slice_of(secret, size_bytes), ret_key);
    OPENSSL_cleanse(secret, size_bytes);
    mem_free(secret);
    derive_step(sha256, claim->date, ret_key);
    derive_step(sha256, claim->region, ret_key);
    derive_step(sha256, claim->service, ret_key);
    derive_step(sha256, claim->terminator, ret_key);
}

bool signing_keys_get(const struct signing_keys *keys, struct sha256 *sha256,
                      const struct access_key *access_key, const struct claim *claim,
                      struct hmac_key *ret_key)
{
    const struct place *place = &keys->places[place_index(access_key, claim->scope)];

    if (holds(place, access_key, claim->scope)) {
        *ret_key = place->key;
        return true;
    }
    derive(sha256, access_key, claim, ret_key);
    return false;
}

void signing_keys_keep(struct signing_keys *keys, const struct access_key *access_key,
                       const struct claim *claim, const struct hmac_key *key)
{
    struct place *place = &keys->places[place_index(access_key, claim->scope)];

    if (claim->scope.n > SCOPE_SIZE_BYTES_MAX)
        return;
    place->access_key = access_key;
    place->scope_size_bytes = (uint8_t)claim->scope.n;
    memcpy(place->scope, claim->scope.p, claim->scope.n);
    place->key = *key;
}
