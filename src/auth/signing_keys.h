/*
 * Signing keys: HMACs of an access key's secret over date, region and service. Deriving one takes
 * four HMACs, so each thread keeps those that it has verified with.
 *
 * Source: AWS General Reference, "Derive a signing key".
 */
#ifndef ROWHOUSE_AUTH_SIGNING_KEYS_H
#define ROWHOUSE_AUTH_SIGNING_KEYS_H

#include "auth/access_keys.h"
#include "auth/claim.h"
#include "auth/sha256.h"

struct signing_keys; /* a cache of fixed size */

/* An empty cache. */
struct signing_keys *signing_keys_new(void);
/* Wipes the keys. NULL is fine. */
void signing_keys_free(struct signing_keys *keys);

/* The key of this credential scope. True if it was in the cache, false if it was derived. */
bool signing_keys_get(const struct signing_keys *keys, struct sha256 *sha256,
                      const struct access_key *access_key, const struct claim *claim,
                      struct hmac_key *ret_key);
/* Keeps a key that a signature was verified with: strangers cannot fill the cache. */
void signing_keys_keep(struct signing_keys *keys, const struct access_key *access_key,
                       const struct claim *claim, const struct hmac_key *key);

#endif
