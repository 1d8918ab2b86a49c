/*
 * A signature is HMAC(signing key, string to sign), in hexadecimal:
 *
 *   signing key      HMAC chain over "AWS4" + secret, date, region, "dynamodb", "aws4_request"
 *   string to sign   algorithm \n timestamp \n scope \n hex SHA-256 of the canonical request
 *   canonical        method \n path \n query \n name:value\n... \n signed names \n hex hash of body
 *
 * OpenSSL fails here only for want of memory.
 */
#include "signer.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <time.h>

#include "base/check.h"
#include "base/encode.h"

#define SIGNED_HEADERS "content-type;host;x-amz-date;x-amz-target"
#define TEXT_SIZE_BYTES_MAX 4096

static const char zero_signature[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

static void format_time(int64_t wall_ms, char ret_text[SIGNER_TIMESTAMP_SIZE + 1])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;

    CHECK(gmtime_r(&seconds, &tm) != NULL);
    CHECK(strftime(ret_text, SIGNER_TIMESTAMP_SIZE + 1, "%Y%m%dT%H%M%SZ", &tm) ==
          SIGNER_TIMESTAMP_SIZE);
}

static void hmac(struct slice key, struct slice text, uint8_t ret_digest[SIGNER_KEY_SIZE_BYTES])
{
    uint8_t digest[SIGNER_KEY_SIZE_BYTES]; /* `key` may be what `ret_digest` points to */
    unsigned size_bytes = 0;

    CHECK(HMAC(EVP_sha256(), key.p, (int)key.n, text.p, text.n, digest, &size_bytes) != NULL);
    CHECK(size_bytes == sizeof(digest));
    memcpy(ret_digest, digest, sizeof(digest));
}

static void derive_key(struct signer *signer)
{
    struct slice parts[] = {slice_of(signer->timestamp, SIGNER_DATE_SIZE),
                            signer->credentials.region, SLICE_LIT("dynamodb"),
                            SLICE_LIT("aws4_request")};
    struct buf secret;
    struct slice key;

    buf_init(&secret, TEXT_SIZE_BYTES_MAX);
    BUF_APPEND_LIT(&secret, "AWS4");
    buf_append_slice(&secret, signer->credentials.secret);
    CHECK(buf_status(&secret) == ST_OK);
    key = buf_slice(&secret);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        hmac(key, parts[i], signer->key);
        key = slice_of(signer->key, sizeof(signer->key));
    }
    buf_deinit(&secret);
}

void signer_init(struct signer *signer, const struct credentials *credentials, int64_t wall_ms)
{
    signer->credentials = *credentials;
    format_time(wall_ms, signer->timestamp);
    derive_key(signer);
}

static void append_hash(struct buf *buf, struct slice bytes)
{
    uint8_t digest[SIGNER_KEY_SIZE_BYTES];
    char text[2 * SIGNER_KEY_SIZE_BYTES];

    CHECK(EVP_Digest(bytes.p, bytes.n, digest, NULL, EVP_sha256(), NULL) == 1);
    hex_encode(digest, sizeof(digest), text);
    buf_append(buf, text, sizeof(text));
}

static void append_scope(const struct signer *signer, struct buf *buf)
{
    buf_append(buf, signer->timestamp, SIGNER_DATE_SIZE);
    buf_append_byte(buf, '/');
    buf_append_slice(buf, signer->credentials.region);
    BUF_APPEND_LIT(buf, "/dynamodb/aws4_request");
}

static void append_canonical(const struct signer *signer, struct slice host, struct slice target,
                             struct slice body, struct buf *buf)
{
    buf_printf(buf,
               "POST\n/\n\n"
               "content-type:application/x-amz-json-1.0\n"
               "host:%" PRISLICE "\n"
               "x-amz-date:%s\n"
               "x-amz-target:%" PRISLICE "\n"
               "\n" SIGNED_HEADERS "\n",
               SLICE_ARG(host), signer->timestamp, SLICE_ARG(target));
    append_hash(buf, body);
}

static void append_signature(const struct signer *signer, struct slice host, struct slice target,
                             struct slice body, struct buf *headers)
{
    uint8_t digest[SIGNER_KEY_SIZE_BYTES];
    char hex[2 * SIGNER_KEY_SIZE_BYTES];
    struct buf canonical, text;

    buf_init(&canonical, TEXT_SIZE_BYTES_MAX);
    buf_init(&text, TEXT_SIZE_BYTES_MAX);
    append_canonical(signer, host, target, body, &canonical);
    buf_printf(&text, "AWS4-HMAC-SHA256\n%s\n", signer->timestamp);
    append_scope(signer, &text);
    buf_append_byte(&text, '\n');
    append_hash(&text, buf_slice(&canonical));
    CHECK(buf_status(&canonical) == ST_OK && buf_status(&text) == ST_OK);
    hmac(slice_of(signer->key, sizeof(signer->key)), buf_slice(&text), digest);
    hex_encode(digest, sizeof(digest), hex);
    buf_append(headers, hex, sizeof(hex));
    buf_deinit(&text);
    buf_deinit(&canonical);
}

void signer_append_headers(const struct signer *signer, struct slice host, struct slice target,
                           struct slice body, struct buf *headers)
{
    buf_printf(headers,
               "X-Amz-Date: %s\r\n"
               "Authorization: AWS4-HMAC-SHA256 Credential=%" PRISLICE "/",
               signer->timestamp, SLICE_ARG(signer->credentials.access_key_id));
    append_scope(signer, headers);
    BUF_APPEND_LIT(headers, ", SignedHeaders=" SIGNED_HEADERS ", Signature=");
    if (signer->credentials.secret.n == 0)
        buf_append_slice(headers, slice_cstr(zero_signature));
    else
        append_signature(signer, host, target, body, headers);
    BUF_APPEND_LIT(headers, "\r\n");
}
