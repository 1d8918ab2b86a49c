/*
 * What a request says about its sender, read and not yet believed. Two forms carry the same:
 *
 *   Authorization: AWS4-HMAC-SHA256 Credential=ID/DATE/REGION/SERVICE/aws4_request,
 *                  SignedHeaders=host;x-amz-date, Signature=HEX      with X-Amz-Date or Date
 *   ?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=...&X-Amz-Date=...&X-Amz-Expires=SECONDS
 *                  &X-Amz-SignedHeaders=...&X-Amz-Signature=HEX      ("presigned")
 */
#ifndef ROWHOUSE_AUTH_CLAIM_H
#define ROWHOUSE_AUTH_CLAIM_H

#include "auth/authenticator.h"

#define CLAIM_TIMESTAMP_SIZE 16 /* 20150830T123600Z */
#define CLAIM_SKEW_MS (15 * 60 * 1000)
#define CLAIM_EXPIRES_S_MAX (7 * 24 * 60 * 60)

struct claim {
    bool presigned;
    bool has_session_token;
    struct slice access_key_id;
    struct slice scope; /* DATE/REGION/SERVICE/aws4_request */
    struct slice date;  /* the parts of it */
    struct slice region;
    struct slice service;
    struct slice terminator;
    struct slice signed_headers; /* a;b;c */
    struct slice signature;
    char timestamp[CLAIM_TIMESTAMP_SIZE + 1];
    int64_t signed_ms;
    int64_t valid_ms; /* how long after signed_ms */
};

/* The first header of that name; NULL if there is none. */
const struct auth_header *claim_header(const struct auth_request *request, struct slice name);

/*
 * The value of Credential, in either form. ERROR_MISSING_TOKEN if the request has neither form,
 * ERROR_INVALID_SIGNATURE if it has both, ERROR_INCOMPLETE_SIGNATURE without a credential.
 */
enum status MUST_CHECK claim_credential(const struct auth_request *request, struct arena *arena,
                                        struct error *error, struct slice *ret_credential);

/* All parts, well formed; of the scope's meaning nothing has been checked. */
enum status MUST_CHECK claim_read(const struct auth_request *request, struct arena *arena,
                                  struct error *error, struct claim *ret_claim);

/* Refuses with ERROR_INVALID_SIGNATURE and the one sentence that tells nothing of the reason. */
enum status claim_mismatch(struct error *error);

/* 20150830T123600Z, with a NUL. */
void claim_format_time(int64_t wall_ms, char ret_text[CLAIM_TIMESTAMP_SIZE + 1]);

#endif
