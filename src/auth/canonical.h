/*
 * The canonical request: the text over which both sides compute a signature.
 *
 *   METHOD \n path \n query \n name:value\n... \n signed header names \n hex SHA-256 of the body
 *
 * Source: AWS General Reference, "Create a canonical request".
 */
#ifndef ROWHOUSE_AUTH_CANONICAL_H
#define ROWHOUSE_AUTH_CANONICAL_H

#include "auth/claim.h"
#include "base/buf.h"

/*
 * Checks that the signed header names are sorted, each once, all in the request, and that they
 * cover what must not be changed by others: Host and, where present, the headers that choose the
 * operation, the tenant, the time and the body. ERROR_INVALID_SIGNATURE otherwise.
 */
enum status MUST_CHECK canonical_check_headers(const struct auth_request *request,
                                               const struct claim *claim, struct error *error);

/*
 * Appends the canonical request; `payload_hash` is its last line. The headers have passed the
 * check. Paths are encoded but not normalised: `.` and `..` stand for themselves.
 */
void canonical_append(struct buf *buf, const struct auth_request *request,
                      const struct claim *claim, struct slice payload_hash, struct arena *arena);

#endif
