/* Idempotency tokens and their timers: see tokens.h. */
#include "engine/tokens.h"

#include "base/encode.h"
#include "engine/engine_impl.h"
#include "engine/timers.h"
#include "model/row.h"

#define TOKEN_BODY_SIZE_BYTES (TOKEN_DIGEST_SIZE_BYTES + 8)
#define SWEEP_COUNT_MAX 200

static void token_key(struct key *key, struct slice token)
{
    key_begin(key, KEY_SPACE_TOKEN);
    key_add_bytes(key, token);
}

enum status token_check(struct committer *committer, struct write_request *request,
                        bool *ret_replayed)
{
    struct slice row, body;
    uint32_t size_aws;
    struct key key;
    enum status status;

    *ret_replayed = false;
    token_key(&key, request->token);
    status =
        commit_read(committer, request->scope, key_slice(&key), KV_MAY_BLOCK, request->arena, &row);
    if (status == ST_NOT_FOUND)
        return ST_OK;
    TRY(status);
    TRY(row_open(row, &body, &size_aws));
    if (body.n != TOKEN_BODY_SIZE_BYTES)
        return ST_CORRUPT;
    if ((int64_t)get_le64(body.p + TOKEN_DIGEST_SIZE_BYTES) <=
        clock_wall_ms(committer->engine->clock))
        return ST_OK;
    if (memcmp(body.p, request->token_digest, TOKEN_DIGEST_SIZE_BYTES) != 0)
        return error_set(&request->error, ERROR_IDEMPOTENT_MISMATCH,
                         "DynamoDB rejected the request because you retried a request with a "
                         "different payload but with an idempotent token that was already used.");
    *ret_replayed = true;
    return ST_OK;
}

void token_remember(struct committer *committer, const struct write_request *request)
{
    int64_t expires_ms = clock_wall_ms(committer->engine->clock) + TOKEN_LIFE_MS;
    struct timer timer = {
        .minute = timer_minute(expires_ms),
        .kind = TIMER_TOKEN,
        .tenant_number = scope_tenant_number(request->scope),
        .subject = request->token,
    };
    uint8_t body[TOKEN_BODY_SIZE_BYTES];
    struct key key;
    struct buf row;

    memcpy(body, request->token_digest, TOKEN_DIGEST_SIZE_BYTES);
    put_le64(body + TOKEN_DIGEST_SIZE_BYTES, (uint64_t)expires_ms);
    buf_init(&row, 128);
    row_seal(&row, slice_of(body, sizeof(body)), 0);
    token_key(&key, request->token);
    commit_set(committer, request->scope, key_slice(&key), buf_slice(&row));
    buf_reset(&row);
    row_seal(&row, SLICE_EMPTY, 0);
    timer_key(&timer, &key);
    commit_set_blind(committer, committer->system, key_slice(&key), buf_slice(&row));
    buf_deinit(&row);
}

/* A token used again after it expired has a newer row under the same key: that one stays. */
static bool token_expired(struct committer *committer, const struct scope *scope,
                          struct slice token_row_key, int64_t now_ms)
{
    struct slice row, body;
    uint32_t size_aws;

    if (commit_read(committer, scope, token_row_key, KV_MAY_BLOCK, &committer->current->arena,
                    &row) != ST_OK)
        return false;
    if (row_open(row, &body, &size_aws) != ST_OK || body.n != TOKEN_BODY_SIZE_BYTES)
        return false;
    return (int64_t)get_le64(body.p + TOKEN_DIGEST_SIZE_BYTES) <= now_ms;
}

static void sweep_timer(struct committer *committer, struct slice row_key, int64_t now_ms)
{
    struct tenant *tenant;
    struct timer timer;
    struct key key;

    if (timer_read(row_key, &timer) != ST_OK || timer.kind != TIMER_TOKEN)
        return;
    tenant = registry_find_number(committer->engine->registry, timer.tenant_number);
    token_key(&key, timer.subject);
    if (tenant != NULL && token_expired(committer, tenant->scope, key_slice(&key), now_ms))
        commit_set(committer, tenant->scope, key_slice(&key), SLICE_EMPTY);
    commit_set_blind(committer, committer->system, row_key, SLICE_EMPTY);
}

bool tokens_sweep(struct committer *committer)
{
    int64_t now_ms = clock_wall_ms(committer->engine->clock);
    struct kv_iter *iter = timer_iter_new(committer->system, 1, timer_minute(now_ms));
    unsigned count = 0;

    for (enum status status = kv_iter_seek(iter, SLICE_EMPTY);
         status == ST_OK && count < SWEEP_COUNT_MAX; status = kv_iter_next(iter), count++)
        sweep_timer(committer, kv_iter_key(iter), now_ms);
    kv_iter_free(iter);
    return count == SWEEP_COUNT_MAX;
}
