/* A store in a directory of its own, removed with it: see fixture.h. */
#include "fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

void fixture_open(struct fixture *fixture)
{
    struct kv_rocks_options options = {.path = fixture->directory, .cache_size_bytes = 8 << 20};

    if (fixture->kind == STORE_MEMORY)
        fixture->kv = kv_open_memory();
    else
        CHECK(kv_open_rocks(&options, &fixture->kv, NULL) == ST_OK);
    fixture->scope = scope_mint(fixture->kv, FIXTURE_TENANT);
}

void fixture_close(struct fixture *fixture)
{
    scope_free(fixture->scope);
    kv_close(fixture->kv);
}

void fixture_init(struct fixture *fixture, enum store_kind kind)
{
    *fixture = (struct fixture){.kind = kind};
    if (kind == STORE_ROCKS) {
        CHECK(snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/rowhouse-XXXXXX") > 0);
        CHECK(mkdtemp(fixture->directory) != NULL);
    }
    fixture_open(fixture);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

void fixture_remove(struct fixture *fixture)
{
    if (fixture->directory[0] != '\0')
        CHECK(nftw(fixture->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

void fixture_deinit(struct fixture *fixture)
{
    fixture_close(fixture);
    fixture_remove(fixture);
}

void fixture_reopen(struct fixture *fixture)
{
    fixture_close(fixture);
    fixture_open(fixture);
}

void put(struct kv *kv, const struct scope *scope, const char *key, const char *value)
{
    struct kv_batch *batch = kv_batch_new(kv);

    kv_batch_put(batch, scope, slice_cstr(key), slice_cstr(value));
    CHECK(kv_write(kv, batch, false) == ST_OK);
    kv_batch_free(batch);
}

void del(struct kv *kv, const struct scope *scope, const char *key)
{
    struct kv_batch *batch = kv_batch_new(kv);

    kv_batch_delete(batch, scope, slice_cstr(key));
    CHECK(kv_write(kv, batch, false) == ST_OK);
    kv_batch_free(batch);
}

void expect(const struct scope *scope, const char *key, const char *value)
{
    struct kv_value found = {0};
    enum status status = kv_get(scope, NULL, KV_MAY_BLOCK, slice_cstr(key), &found);

    CHECK(status == (value == NULL ? ST_NOT_FOUND : ST_OK));
    CHECK(value == NULL || slice_is(found.bytes, value));
    kv_value_release(&found);
}

static struct slice collect(struct kv_iter *iter, enum status status,
                            enum status (*step)(struct kv_iter *iter))
{
    static uint8_t keys[1024];
    size_t n = 0;

    for (bool first = true; status == ST_OK; status = step(iter), first = false) {
        struct slice key = kv_iter_key(iter);

        CHECK(n + key.n + 1 < sizeof(keys));
        if (!first)
            keys[n++] = ' ';
        memcpy(keys + n, key.p, key.n);
        n += key.n;
    }
    CHECK(status == ST_NOT_FOUND);
    return slice_of(keys, n);
}

struct slice keys_forward(struct kv_iter *iter, enum status status)
{
    return collect(iter, status, kv_iter_next);
}

struct slice keys_backward(struct kv_iter *iter, enum status status)
{
    return collect(iter, status, kv_iter_previous);
}
