/* The access keys of the configuration: id to secret and principal. Read-only once threads run. */
#ifndef ROWHOUSE_AUTH_ACCESS_KEYS_H
#define ROWHOUSE_AUTH_ACCESS_KEYS_H

#include "auth/principal.h"
#include "base/slice.h"
#include "base/status.h"

struct access_key {
    struct slice id;
    struct slice secret;
    struct principal principal;
};

struct access_keys;

/* An empty table. */
struct access_keys *access_keys_new(void);
/* Wipes the secrets. NULL is fine. */
void access_keys_free(struct access_keys *keys);
/* Copies everything. ST_EXISTS if the id is known. */
enum status MUST_CHECK access_keys_add(struct access_keys *keys, const struct access_key *key);
/* NULL if unknown; lasts as long as the table. */
const struct access_key *access_keys_find(const struct access_keys *keys, struct slice id);

#endif
