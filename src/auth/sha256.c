/*
 * HMAC by its definition (RFC 2104): H(outer | H(inner | text)). Hashing a block of 64 bytes again
 * is cheaper than copying a digest context that has seen it.
 *
 * OpenSSL fails here only for want of memory, in sha256_init.
 */
#include "auth/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/memory.h"

void sha256_init(struct sha256 *sha256)
{
    sha256->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    sha256->context = EVP_MD_CTX_new();
    if (sha256->algorithm == NULL || sha256->context == NULL)
        mem_exhausted(sizeof(*sha256));
    CHECK(EVP_DigestInit_ex2(sha256->context, sha256->algorithm, NULL) == 1);
}

void sha256_deinit(struct sha256 *sha256)
{
    EVP_MD_CTX_free(sha256->context);
    EVP_MD_free(sha256->algorithm);
}

static void digest_two(struct sha256 *sha256, struct slice first, struct slice second,
                       uint8_t ret_digest[SHA256_SIZE_BYTES])
{
    unsigned size_bytes = 0;

    CHECK(EVP_DigestInit_ex2(sha256->context, NULL, NULL) == 1);
    CHECK(EVP_DigestUpdate(sha256->context, first.p, first.n) == 1);
    CHECK(second.n == 0 || EVP_DigestUpdate(sha256->context, second.p, second.n) == 1);
    CHECK(EVP_DigestFinal_ex(sha256->context, ret_digest, &size_bytes) == 1);
    CHECK(size_bytes == SHA256_SIZE_BYTES);
}

void sha256_digest(struct sha256 *sha256, struct slice bytes, uint8_t ret_digest[SHA256_SIZE_BYTES])
{
    digest_two(sha256, bytes, SLICE_EMPTY, ret_digest);
}

void hmac_key_init(struct sha256 *sha256, struct slice secret, struct hmac_key *ret_key)
{
    uint8_t block[SHA256_BLOCK_SIZE_BYTES] = {0};

    if (secret.n > sizeof(block))
        sha256_digest(sha256, secret, block);
    else if (secret.n > 0)
        memcpy(block, secret.p, secret.n);
    for (size_t i = 0; i < sizeof(block); i++) {
        ret_key->inner[i] = block[i] ^ 0x36;
        ret_key->outer[i] = block[i] ^ 0x5c;
    }
    OPENSSL_cleanse(block, sizeof(block));
}

void hmac_digest(struct sha256 *sha256, const struct hmac_key *key, struct slice text,
                 uint8_t ret_digest[SHA256_SIZE_BYTES])
{
    uint8_t inner[SHA256_SIZE_BYTES];

    digest_two(sha256, slice_of(key->inner, sizeof(key->inner)), text, inner);
    digest_two(sha256, slice_of(key->outer, sizeof(key->outer)), slice_of(inner, sizeof(inner)),
               ret_digest);
}
