/* Verifying a Signature Version 4 against an access key. */
#ifndef ROWHOUSE_AUTH_SIGNATURE_H
#define ROWHOUSE_AUTH_SIGNATURE_H

#include "auth/access_keys.h"
#include "auth/claim.h"

struct signature_verifier; /* one per thread */

/* With an empty cache of signing keys. */
struct signature_verifier *signature_verifier_new(void);
/* NULL is fine. */
void signature_verifier_free(struct signature_verifier *verifier);

/*
 * Checks the scope, the time, what is signed, the hash of the body and the signature itself.
 * ST_REFUSED with ERROR_INVALID_SIGNATURE, in that order.
 */
enum status MUST_CHECK signature_verify(struct signature_verifier *verifier,
                                        const struct auth_request *request,
                                        const struct claim *claim,
                                        const struct access_key *access_key, struct arena *arena,
                                        struct error *error);

#endif
