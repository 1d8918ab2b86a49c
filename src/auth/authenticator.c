/*
 * The room's face: development mode believes a claim as it is, production mode looks its access key
 * up and has the signature verified. The table of keys is shared and read-only once threads run.
 */
#include "auth/authenticator.h"

#include "auth/access_keys.h"
#include "auth/claim.h"
#include "auth/signature.h"
#include "base/memory.h"
#include "tenant/registry.h"

struct authenticator {
    bool development;
    struct access_keys *keys;
};

struct auth_thread {
    const struct authenticator *authenticator;
    struct signature_verifier *verifier;
};

/* ---- Configuration ---- */

struct authenticator *authenticator_new(bool development)
{
    struct authenticator *authenticator = MEM_NEW(struct authenticator);

    authenticator->development = development;
    authenticator->keys = access_keys_new();
    return authenticator;
}

void authenticator_free(struct authenticator *authenticator)
{
    if (authenticator == NULL)
        return;
    access_keys_free(authenticator->keys);
    mem_free(authenticator);
}

static bool is_key_id(struct slice id)
{
    for (size_t i = 0; i < id.n; i++) {
        uint8_t c = id.p[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_' && c != '-')
            return false;
    }
    return id.n > 0;
}

/* The kind of a tenant that is reserved for a principal's own slice. */
static enum principal_kind kind_of(struct slice tenant_id)
{
    if (slice_equal(tenant_id, PRINCIPAL_OPERATOR_TENANT))
        return PRINCIPAL_OPERATOR;
    if (slice_equal(tenant_id, PRINCIPAL_APPLICATION_TENANT))
        return PRINCIPAL_APPLICATION;
    return PRINCIPAL_TENANT;
}

static struct slice tenant_of(enum principal_kind kind, struct slice tenant_id)
{
    if (kind == PRINCIPAL_APPLICATION)
        return PRINCIPAL_APPLICATION_TENANT;
    return kind == PRINCIPAL_OPERATOR ? PRINCIPAL_OPERATOR_TENANT : tenant_id;
}

enum status authenticator_add_key(struct authenticator *authenticator, struct slice id,
                                  struct slice secret, enum principal_kind kind,
                                  struct slice tenant_id)
{
    const struct access_key key = {
        .id = id,
        .secret = secret,
        .principal = {.kind = kind, .tenant_id = tenant_of(kind, tenant_id)},
    };

    if (!is_key_id(id) || secret.n == 0 || !tenant_id_valid(key.principal.tenant_id) ||
        kind_of(key.principal.tenant_id) != kind)
        return ST_INVALID;
    return access_keys_add(authenticator->keys, &key);
}

/* ---- Threads ---- */

struct auth_thread *auth_thread_new(const struct authenticator *authenticator)
{
    struct auth_thread *thread = MEM_NEW(struct auth_thread);

    thread->authenticator = authenticator;
    thread->verifier = signature_verifier_new();
    return thread;
}

void auth_thread_free(struct auth_thread *thread)
{
    if (thread == NULL)
        return;
    signature_verifier_free(thread->verifier);
    mem_free(thread);
}

/* ---- Requests ---- */

/* What stands before the first slash of a credential. */
static struct slice key_id_of(struct slice credential)
{
    const uint8_t *end = credential.n == 0 ? NULL : memchr(credential.p, '/', credential.n);

    return slice_of(credential.p, end == NULL ? credential.n : (size_t)(end - credential.p));
}

struct slice auth_peek(const struct auth_request *request, struct arena *arena)
{
    struct slice credential;
    struct error ignored;

    error_init(&ignored, arena);
    if (claim_credential(request, arena, &ignored, &credential) != ST_OK)
        return SLICE_EMPTY;
    return key_id_of(credential);
}

static enum status unrecognized(struct error *error)
{
    return error_set(error, ERROR_UNRECOGNIZED_CLIENT,
                     "The security token included in the request is invalid.");
}

static enum status accept_claimed(const struct auth_request *request, struct arena *arena,
                                  struct error *error, struct principal *ret_principal)
{
    struct slice credential, id;

    TRY(claim_credential(request, arena, error, &credential));
    id = key_id_of(credential);
    if (!tenant_id_valid(id))
        return unrecognized(error);
    ret_principal->kind = kind_of(id);
    ret_principal->tenant_id = arena_copy(arena, id);
    return ST_OK;
}

enum status auth_verify(struct auth_thread *thread, const struct auth_request *request,
                        struct arena *arena, struct error *error, struct principal *ret_principal)
{
    const struct access_key *key;
    struct claim claim;

    if (thread->authenticator->development)
        return accept_claimed(request, arena, error, ret_principal);
    TRY(claim_read(request, arena, error, &claim));
    key = access_keys_find(thread->authenticator->keys, claim.access_key_id);
    if (key == NULL || claim.has_session_token)
        return unrecognized(error);
    TRY(signature_verify(thread->verifier, request, &claim, key, arena, error));
    *ret_principal = key->principal;
    return ST_OK;
}
