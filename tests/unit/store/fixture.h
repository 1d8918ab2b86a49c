/* A store in a directory of its own, with the scopes of some neighbouring tenants. */
#ifndef ROWHOUSE_TESTS_STORE_FIXTURE_H
#define ROWHOUSE_TESTS_STORE_FIXTURE_H

#include "store/kv.h"
#include "store/scope_mint.h"

enum store_kind { STORE_MEMORY, STORE_ROCKS };

#if defined(__SANITIZE_THREAD__)
#define STORE_KIND_COUNT 1
#else
#define STORE_KIND_COUNT 2
#endif

struct fixture {
    enum store_kind kind;
    char directory[64]; /* empty for memory */
    struct kv *kv;
    struct scope *scope;
};

#define FIXTURE_TENANT 7

/* Each of these aborts the test program when it fails. */
void fixture_init(struct fixture *fixture, enum store_kind kind);
void fixture_deinit(struct fixture *fixture);
/* The halves of both: a new store in its directory and the scope; the directory. */
void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);
void fixture_remove(struct fixture *fixture);
/* Closes and opens the same directory. */
void fixture_reopen(struct fixture *fixture);

/* One-entry batches that must succeed. */
void put(struct kv *kv, const struct scope *scope, const char *key, const char *value);
void del(struct kv *kv, const struct scope *scope, const char *key);
/* CHECKs that the key's newest value is this one, or that there is none if NULL. */
void expect(const struct scope *scope, const char *key, const char *value);
/* Writes all keys of an iterator from where it stands to the end (or beginning) as "a b c". */
struct slice keys_forward(struct kv_iter *iter, enum status status);
struct slice keys_backward(struct kv_iter *iter, enum status status);

#endif
