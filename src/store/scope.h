/*
 * A scope is the capability to touch one tenant's rows in one store. It is opaque, and only the
 * tenant room can mint one (store/scope_mint.h; the include check enforces it). Every function of
 * store/kv.h takes a scope and prepends its tenant's 8-byte prefix itself: keys passed to the
 * store never name a tenant, so no query, cursor or bug above can reach another's rows.
 */
#ifndef ROWHOUSE_STORE_SCOPE_H
#define ROWHOUSE_STORE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct scope;
struct kv;

/* The store of its rows. */
struct kv *scope_store(const struct scope *scope);
/* Same tenant and same store. */
bool scope_same(const struct scope *a, const struct scope *b);
/* A stable number for hashing, account ids and grouping; no storage function takes it back. */
uint64_t scope_tenant_number(const struct scope *scope);

#endif
