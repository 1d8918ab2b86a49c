/*
 * Minting scopes: for src/tenant and src/store alone (tools/check-includes).
 */
#ifndef ROWHOUSE_STORE_SCOPE_MINT_H
#define ROWHOUSE_STORE_SCOPE_MINT_H

#include "store/scope.h"

/* The system slice: registry, timers, dead ids, counters in flight. No tenant has this number. */
#define TENANT_NUMBER_SYSTEM 0
/* One less than the largest 64-bit number, so that every slice ends where the next would begin. */
#define TENANT_NUMBER_MAX (UINT64_MAX - 1)

/* A scope lives as long as its owner keeps it; `kv` must outlive it. */
struct scope *scope_mint(struct kv *kv, uint64_t tenant_number);
/* When nobody uses it any more; NULL is fine. */
void scope_free(struct scope *scope);

#endif
