/*
 * Signature Version 4 for POST requests of the DynamoDB API, written for the client alone: a server
 * that accepts these signatures was not checked against its own code.
 *
 * Source: AWS General Reference, "Signing AWS API requests".
 */
#ifndef ROWHOUSE_BENCH_SIGNER_H
#define ROWHOUSE_BENCH_SIGNER_H

#include "base/buf.h"
#include "base/slice.h"

#define SIGNER_KEY_SIZE_BYTES 32
#define SIGNER_TIMESTAMP_SIZE 16 /* 20150830T123600Z */
#define SIGNER_DATE_SIZE 8       /* the digits before the T */

struct credentials {
    struct slice access_key_id;
    struct slice secret; /* empty: a signature of zeros, for servers that do not verify */
    struct slice region;
};

/* Signs with one time and one derived key. Slices of the credentials must outlive it. */
struct signer {
    struct credentials credentials;
    char timestamp[SIGNER_TIMESTAMP_SIZE + 1];
    uint8_t key[SIGNER_KEY_SIZE_BYTES];
};

/* Derives the key of the day of `wall_ms`. */
void signer_init(struct signer *signer, const struct credentials *credentials, int64_t wall_ms);

/*
 * Appends the headers X-Amz-Date and Authorization, each with its line end. Signed are Content-Type
 * (application/x-amz-json-1.0), Host, X-Amz-Date and X-Amz-Target; the path is "/".
 */
void signer_append_headers(const struct signer *signer, struct slice host, struct slice target,
                           struct slice body, struct buf *headers);

#endif
