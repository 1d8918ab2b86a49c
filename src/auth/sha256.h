/*
 * SHA-256 and HMAC-SHA-256 over OpenSSL with its objects fetched once: a fetch per digest costs
 * more than hashing a small request does. One per thread.
 */
#ifndef ROWHOUSE_AUTH_SHA256_H
#define ROWHOUSE_AUTH_SHA256_H

#include <openssl/types.h>

#include "base/slice.h"

#define SHA256_SIZE_BYTES 32
#define SHA256_BLOCK_SIZE_BYTES 64

struct sha256 {
    EVP_MD *algorithm;
    EVP_MD_CTX *context;
};

/* A secret as HMAC wants it: a block to hash before the text, one before the inner digest. */
struct hmac_key {
    uint8_t inner[SHA256_BLOCK_SIZE_BYTES];
    uint8_t outer[SHA256_BLOCK_SIZE_BYTES];
};

/* Aborts if OpenSSL has no memory. */
void sha256_init(struct sha256 *sha256);
void sha256_deinit(struct sha256 *sha256);
/* An empty slice has a digest too. */
void sha256_digest(struct sha256 *sha256, struct slice bytes,
                   uint8_t ret_digest[SHA256_SIZE_BYTES]);

/* Copies the secret; wipe the key with OPENSSL_cleanse when it is not needed any more. */
void hmac_key_init(struct sha256 *sha256, struct slice secret, struct hmac_key *ret_key);
/* HMAC-SHA-256 (RFC 2104) of the text. */
void hmac_digest(struct sha256 *sha256, const struct hmac_key *key, struct slice text,
                 uint8_t ret_digest[SHA256_SIZE_BYTES]);

#endif
