/*
 * Idempotency tokens of TransactWriteItems: a token that succeeded is remembered for 10 minutes.
 *
 *   token  tenant's slice: KEY_SPACE_TOKEN | token -> digest(32) expires_ms(8, LE)
 *
 * A timer (timers.h) whose subject is the token stands in the minute in which it expires.
 */
#ifndef ROWHOUSE_ENGINE_TOKENS_H
#define ROWHOUSE_ENGINE_TOKENS_H

#include "engine/committer.h"

#define TOKEN_LIFE_MS (10 * 60 * 1000)

/* Looks the request's token up: `ret_replayed` if the same request succeeded under it, ST_REFUSED
 * with the request's error if another one did. */
enum status MUST_CHECK token_check(struct committer *committer, struct write_request *request,
                                   bool *ret_replayed);
/* Remembers the token in the current commit. */
void token_remember(struct committer *committer, const struct write_request *request);
/* Forgets tokens that have expired, in the current commit. True if it stopped at its maximum. */
bool tokens_sweep(struct committer *committer);

#endif
