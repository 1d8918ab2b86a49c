/* The engine under test, its end and its truth: see fixture.h. */
#include "fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "model/key.h"
#include "store/scope_mint.h"

#define START_MS 1700000000000

static struct kv *open_store(struct fixture *fixture)
{
    struct kv_rocks_options options = {
        .path = fixture->directory,
        .cache_size_bytes = 8 << 20,
        .is_dead = dead_set_has_row,
        .is_dead_context = fixture->dead,
    };
    struct kv *kv;

    if (fixture->kind == STORE_MEMORY)
        return kv_open_memory();
    CHECK(kv_open_rocks(&options, &kv, NULL) == ST_OK);
    return kv;
}

void client_init(struct client *client, struct fixture *fixture, const char *tenant_id)
{
    struct tenant *tenant = registry_find(engine_registry(fixture->engine), slice_cstr(tenant_id));

    *client = (struct client){
        .fixture = fixture,
        .tenant_id = tenant_id,
        .scope = tenant == NULL ? NULL : tenant->scope,
    };
    arena_init(&client->arena, 0);
}

void client_deinit(struct client *client)
{
    arena_deinit(&client->arena);
}

static void open_engine(struct fixture *fixture)
{
    const struct slice tenant_ids[] = {SLICE_LIT("acme"), SLICE_LIT("beta")};
    struct engine_options options = {
        .store = fixture->kv,
        .dead = fixture->dead,
        .clock = &fixture->clock.clock,
        .tenant_ids = tenant_ids,
        .tenant_count = 2,
    };

    CHECK(engine_open(&options, &fixture->engine) == ST_OK);
    client_init(&fixture->acme, fixture, "acme");
    client_init(&fixture->beta, fixture, "beta");
}

static void close_engine(struct fixture *fixture)
{
    client_deinit(&fixture->acme);
    client_deinit(&fixture->beta);
    engine_close(fixture->engine);
}

void fixture_init(struct fixture *fixture, enum store_kind kind)
{
    *fixture = (struct fixture){.kind = kind};
    if (kind == STORE_ROCKS) {
        CHECK(snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/rowhouse-XXXXXX") > 0);
        CHECK(mkdtemp(fixture->directory) != NULL);
    }
    clock_fake_init(&fixture->clock, START_MS);
    fixture->dead = dead_set_new();
    fixture->kv = kv_fault_new(open_store(fixture));
    open_engine(fixture);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void close_store(struct fixture *fixture)
{
    kv_close(fixture->kv);
    dead_set_free(fixture->dead);
}

void fixture_deinit(struct fixture *fixture)
{
    close_engine(fixture);
    close_store(fixture);
    if (fixture->directory[0] != '\0')
        CHECK(nftw(fixture->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

/* ---- Copies of a store ---- */

struct copy {
    struct kv *from;
    struct kv_snapshot *snapshot;
    struct kv *to;
};

static void copy_slice(const struct copy *copy, uint64_t tenant_number)
{
    struct scope *from = scope_mint(copy->from, tenant_number);
    struct scope *to = scope_mint(copy->to, tenant_number);
    struct kv_batch *batch = kv_batch_new(copy->to);
    struct kv_iter *iter =
        kv_iter_new(from, copy->snapshot, KV_MAY_BLOCK, SLICE_EMPTY, SLICE_EMPTY);

    for (enum status s = kv_iter_seek(iter, SLICE_EMPTY); s == ST_OK; s = kv_iter_next(iter))
        kv_batch_put(batch, to, kv_iter_key(iter), kv_iter_value(iter));
    kv_iter_free(iter);
    CHECK(kv_write(copy->to, batch, true) == ST_OK);
    kv_batch_free(batch);
    scope_free(to);
    scope_free(from);
}

static void copy_tenant(struct tenant *tenant, void *copy)
{
    copy_slice(copy, tenant->number);
}

static struct kv *copy_store(struct fixture *fixture)
{
    struct copy copy = {
        .from = fixture->kv,
        .snapshot = kv_snapshot_take(fixture->kv),
        .to = kv_open_memory(),
    };

    copy_slice(&copy, TENANT_NUMBER_SYSTEM);
    registry_each(engine_registry(fixture->engine), copy_tenant, &copy);
    kv_snapshot_release(fixture->kv, copy.snapshot);
    return copy.to;
}

void fixture_crash(struct fixture *fixture)
{
    struct kv *left = kv_fault_new(copy_store(fixture));

    CHECK(fixture->kind == STORE_MEMORY);
    close_engine(fixture);
    close_store(fixture);
    fixture->kv = left;
    fixture->dead = dead_set_new();
    open_engine(fixture);
}

void fixture_reopen(struct fixture *fixture)
{
    close_engine(fixture);
    if (fixture->kind == STORE_MEMORY) {
        dead_set_free(fixture->dead);
        fixture->dead = dead_set_new();
    } else {
        close_store(fixture);
        fixture->dead = dead_set_new();
        fixture->kv = kv_fault_new(open_store(fixture));
    }
    open_engine(fixture);
}

/* ---- Truth ---- */

static void print_fault(void *context, struct slice sentence)
{
    if (*(bool *)context)
        fprintf(stderr, "%" PRISLICE "\n", SLICE_ARG(sentence));
}

/* A copy is of one moment, whatever the committer does meanwhile. */
struct verify_totals verify(struct fixture *fixture, bool print)
{
    struct kv *copy = copy_store(fixture);
    struct verify_totals totals;

    CHECK(verify_store(copy, print_fault, &print, &totals) == ST_OK);
    kv_close(copy);
    return totals;
}

void expect_healthy(struct fixture *fixture)
{
    CHECK(verify(fixture, true).faults == 0);
}

void expect_counts(struct client *client, const char *table, const char *index, int64_t item_count,
                   int64_t size_bytes)
{
    struct table *found = find_table(client, table);
    const struct counters *counters = found->counters;

    if (index != NULL)
        counters = table_find_index(found, slice_cstr(index))->counters;
    if (atomic_load(&counters->item_count) == item_count &&
        atomic_load(&counters->size_bytes) == size_bytes)
        return;
    fprintf(stderr, "%lld items, %lld bytes\n", (long long)atomic_load(&counters->item_count),
            (long long)atomic_load(&counters->size_bytes));
    CHECK(!"the counters say what is expected");
}
