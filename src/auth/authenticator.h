/*
 * Who sent this request? One authenticator knows the credentials; each thread verifies with a
 * handle of its own, so that nothing is locked on the way of a request.
 *
 * In development mode nothing is verified: the access key id is the tenant's id, and the ids
 * `operator` and `application` are those principals. Otherwise access keys are bound to principals
 * and every request carries an AWS Signature Version 4 of them.
 *
 * Errors are those of DynamoDB, all found before anything of the request is looked at:
 *
 *   ERROR_MISSING_TOKEN          no credential at all
 *   ERROR_INCOMPLETE_SIGNATURE   parts of it are missing or malformed
 *   ERROR_UNRECOGNIZED_CLIENT    an unknown access key; no tenant id in development mode
 *   ERROR_INVALID_SIGNATURE      the signature, its date or what it covers is wrong
 *
 * Source: AWS General Reference, "Signature Version 4 signing process"; DynamoDB developer guide,
 * "Error handling".
 */
#ifndef ROWHOUSE_AUTH_AUTHENTICATOR_H
#define ROWHOUSE_AUTH_AUTHENTICATOR_H

#include "auth/principal.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/slice.h"
#include "base/status.h"

struct auth_header {
    struct slice name; /* in lower case */
    struct slice value;
};

/* What of a request is signed; protocol-neutral. Everything is as the client sent it. */
struct auth_request {
    struct slice method;
    struct slice path;  /* up to the '?' */
    struct slice query; /* after it */
    const struct auth_header *headers;
    size_t header_count;
    struct slice body;
    int64_t now_ms; /* wall clock */
};

struct authenticator;
struct auth_thread;

/* Without keys; in development mode it needs none. */
struct authenticator *authenticator_new(bool development);
/* After all of its threads' handles. NULL is fine. */
void authenticator_free(struct authenticator *authenticator);
/*
 * Adds an access key of a principal, before the first auth_thread_new; copies everything.
 * `tenant_id` is read for PRINCIPAL_TENANT alone. ST_EXISTS for a known id, ST_INVALID for an empty
 * id or secret, an id with other bytes than letters, digits, '_' and '-', or a tenant id that is
 * bad or reserved.
 */
enum status MUST_CHECK authenticator_add_key(struct authenticator *authenticator, struct slice id,
                                             struct slice secret, enum principal_kind kind,
                                             struct slice tenant_id);

/* A thread's handle. */
struct auth_thread *auth_thread_new(const struct authenticator *authenticator);
/* NULL is fine. */
void auth_thread_free(struct auth_thread *thread);

/*
 * The access key id that the request claims, unverified and maybe of nobody: good for refusing
 * early, never for access. Empty if there is none. Views of the request or copies in the arena.
 */
struct slice auth_peek(const struct auth_request *request, struct arena *arena);

/* ST_OK or ST_REFUSED with one of the errors above. The principal lasts as long as the arena and
 * the authenticator. */
enum status MUST_CHECK auth_verify(struct auth_thread *thread, const struct auth_request *request,
                                   struct arena *arena, struct error *error,
                                   struct principal *ret_principal);

#endif
