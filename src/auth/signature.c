/*
 *   canonical request --SHA-256--> string to sign --HMAC with the signing key--> signature
 *
 * The body is hashed here always; a hash that the client sent is only compared with it. The
 * comparison of signatures takes the same time wherever they differ.
 */
#include "auth/signature.h"

#include <openssl/crypto.h>

#include "auth/canonical.h"
#include "auth/sha256.h"
#include "auth/signing_keys.h"
#include "base/buf.h"
#include "base/encode.h"
#include "base/memory.h"

#define SERVICE "dynamodb"
#define TERMINATOR "aws4_request"
#define UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"
/* Three times a head of 16 KB, all of it percent-encoded, and some. */
enum { TEXT_SIZE_BYTES_MAX = 64 * 1024, HEX_SIZE_BYTES = 2 * SHA256_SIZE_BYTES };

struct signature_verifier {
    struct sha256 sha256;
    struct signing_keys *keys;
    struct buf text;
};

struct signature_verifier *signature_verifier_new(void)
{
    struct signature_verifier *verifier = MEM_NEW(struct signature_verifier);

    sha256_init(&verifier->sha256);
    verifier->keys = signing_keys_new();
    buf_init(&verifier->text, TEXT_SIZE_BYTES_MAX);
    return verifier;
}

void signature_verifier_free(struct signature_verifier *verifier)
{
    if (verifier == NULL)
        return;
    sha256_deinit(&verifier->sha256);
    signing_keys_free(verifier->keys);
    buf_deinit(&verifier->text);
    mem_free(verifier);
}

/* ---- Scope and time ---- */

static enum status check_scope(const struct claim *claim, struct error *error)
{
    struct slice day = slice_of(claim->timestamp, 8);

    if (!slice_is(claim->service, SERVICE))
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "Credential should be scoped to correct service: '" SERVICE "'. ");
    if (!slice_is(claim->terminator, TERMINATOR))
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "Credential should be scoped with a valid terminator: '" TERMINATOR
                         "', not '%" PRISLICE "'. ",
                         SLICE_ARG(claim->terminator));
    if (!slice_equal(claim->date, day))
        return error_set(error, ERROR_INVALID_SIGNATURE,
                         "Date in Credential scope does not match YYYYMMDD from ISO-8601 version "
                         "of date from HTTP: '%" PRISLICE "' != '%" PRISLICE "', from '%s'.",
                         SLICE_ARG(claim->date), SLICE_ARG(day), claim->timestamp);
    return ST_OK;
}

static enum status too_early(const struct claim *claim, int64_t now_ms, struct error *error)
{
    char now[CLAIM_TIMESTAMP_SIZE + 1], limit[CLAIM_TIMESTAMP_SIZE + 1];

    claim_format_time(now_ms, now);
    claim_format_time(now_ms + CLAIM_SKEW_MS, limit);
    return error_set(error, ERROR_INVALID_SIGNATURE,
                     "Signature not yet current: %s is still later than %s (%s + %d min.)",
                     claim->timestamp, limit, now, CLAIM_SKEW_MS / 60000);
}

static enum status too_late(const struct claim *claim, int64_t now_ms, struct error *error)
{
    char now[CLAIM_TIMESTAMP_SIZE + 1], limit[CLAIM_TIMESTAMP_SIZE + 1];

    claim_format_time(now_ms, now);
    claim_format_time(now_ms - claim->valid_ms, limit);
    return error_set(error, ERROR_INVALID_SIGNATURE,
                     "Signature expired: %s is now earlier than %s (%s - %lld min.)",
                     claim->timestamp, limit, now, (long long)(claim->valid_ms / 60000));
}

static enum status check_time(const struct claim *claim, int64_t now_ms, struct error *error)
{
    if (claim->signed_ms > now_ms + CLAIM_SKEW_MS)
        return too_early(claim, now_ms, error);
    if (claim->signed_ms < now_ms - claim->valid_ms)
        return too_late(claim, now_ms, error);
    return ST_OK;
}

/* ---- Body ---- */

/* The last line of the canonical request: the hash of the body, or that it is not signed. */
static enum status payload_hash(struct signature_verifier *verifier,
                                const struct auth_request *request, const struct claim *claim,
                                struct error *error, char ret_text[HEX_SIZE_BYTES],
                                size_t *ret_size_bytes)
{
    const struct auth_header *header = claim_header(request, SLICE_LIT("x-amz-content-sha256"));
    uint8_t digest[SHA256_SIZE_BYTES];

    if (header != NULL && claim->presigned && slice_is(header->value, UNSIGNED_PAYLOAD)) {
        *ret_size_bytes = sizeof(UNSIGNED_PAYLOAD) - 1;
        memcpy(ret_text, UNSIGNED_PAYLOAD, *ret_size_bytes);
        return ST_OK;
    }
    sha256_digest(&verifier->sha256, request->body, digest);
    hex_encode(digest, sizeof(digest), ret_text);
    *ret_size_bytes = HEX_SIZE_BYTES;
    if (header != NULL && !slice_equal(header->value, slice_of(ret_text, HEX_SIZE_BYTES)))
        return claim_mismatch(error);
    return ST_OK;
}

/* ---- Signature ---- */

/*
 *   AWS4-HMAC-SHA256 \n timestamp \n scope \n hex SHA-256 of the canonical request
 *
 * Takes the place of the canonical request in the buffer.
 */
static void make_string_to_sign(struct signature_verifier *verifier, const struct claim *claim)
{
    struct buf *text = &verifier->text;
    uint8_t digest[SHA256_SIZE_BYTES];
    char hex[HEX_SIZE_BYTES];

    sha256_digest(&verifier->sha256, buf_slice(text), digest);
    hex_encode(digest, sizeof(digest), hex);
    buf_reset(text);
    BUF_APPEND_LIT(text, "AWS4-HMAC-SHA256\n");
    buf_append(text, claim->timestamp, CLAIM_TIMESTAMP_SIZE);
    buf_append_byte(text, '\n');
    buf_append_slice(text, claim->scope);
    buf_append_byte(text, '\n');
    buf_append(text, hex, sizeof(hex));
}

static enum status check_signature(struct signature_verifier *verifier, const struct claim *claim,
                                   const struct access_key *access_key, struct error *error)
{
    uint8_t digest[SHA256_SIZE_BYTES];
    char hex[HEX_SIZE_BYTES];
    struct hmac_key key;
    bool cached, equal;

    cached = signing_keys_get(verifier->keys, &verifier->sha256, access_key, claim, &key);
    hmac_digest(&verifier->sha256, &key, buf_slice(&verifier->text), digest);
    hex_encode(digest, sizeof(digest), hex);
    equal = claim->signature.n == sizeof(hex) &&
            CRYPTO_memcmp(claim->signature.p, hex, sizeof(hex)) == 0;
    if (equal && !cached)
        signing_keys_keep(verifier->keys, access_key, claim, &key);
    OPENSSL_cleanse(&key, sizeof(key));
    return equal ? ST_OK : claim_mismatch(error);
}

enum status signature_verify(struct signature_verifier *verifier,
                             const struct auth_request *request, const struct claim *claim,
                             const struct access_key *access_key, struct arena *arena,
                             struct error *error)
{
    char hash[HEX_SIZE_BYTES];
    size_t hash_bytes;

    TRY(check_scope(claim, error));
    TRY(check_time(claim, request->now_ms, error));
    TRY(canonical_check_headers(request, claim, error));
    TRY(payload_hash(verifier, request, claim, error, hash, &hash_bytes));
    buf_reset(&verifier->text);
    canonical_append(&verifier->text, request, claim, slice_of(hash, hash_bytes), arena);
    if (buf_status(&verifier->text) != ST_OK)
        return error_set(error, ERROR_INVALID_SIGNATURE, "The request's head is too large");
    make_string_to_sign(verifier, claim);
    return check_signature(verifier, claim, access_key, error);
}
