/*
 * A scope is a store and a tenant number, nothing more: what makes it a capability is that only
 * scope_mint makes one and that no other file of the tree sees inside (kv.c asks through
 * scope_store and scope_tenant_number).
 */
#include "store/scope.h"

#include "base/check.h"
#include "base/memory.h"
#include "store/scope_mint.h"

struct scope {
    struct kv *kv;
    uint64_t tenant_number;
};

struct scope *scope_mint(struct kv *kv, uint64_t tenant_number)
{
    struct scope *scope = MEM_NEW(struct scope);

    CHECK(kv != NULL && tenant_number <= TENANT_NUMBER_MAX);
    scope->kv = kv;
    scope->tenant_number = tenant_number;
    return scope;
}

void scope_free(struct scope *scope)
{
    mem_free(scope);
}

struct kv *scope_store(const struct scope *scope)
{
    return scope->kv;
}

bool scope_same(const struct scope *a, const struct scope *b)
{
    return a->kv == b->kv && a->tenant_number == b->tenant_number;
}

uint64_t scope_tenant_number(const struct scope *scope)
{
    return scope->tenant_number;
}
