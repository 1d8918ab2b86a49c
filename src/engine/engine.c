/* Opening and closing the engine, and its small entrances. */
#include "engine/engine.h"

#include "base/memory.h"
#include "engine/backfill.h"
#include "engine/engine_impl.h"
#include "engine/format.h"
#include "engine/table_codec.h"

/* Tenants that the configuration names exist from the start. */
static enum status provision_tenants(struct engine *engine, const struct engine_options *options)
{
    for (size_t i = 0; i < options->tenant_count; i++) {
        struct kv_batch *batch;
        struct tenant *tenant;
        enum status status;

        if (registry_find(engine->registry, options->tenant_ids[i]) != NULL)
            continue;
        batch = kv_batch_new(engine->store);
        tenant = registry_prepare(engine->registry, options->tenant_ids[i],
                                  clock_wall_ms(engine->clock), batch);
        status = kv_write(engine->store, batch, true);
        kv_batch_free(batch);
        if (status != ST_OK) {
            registry_discard(engine->registry, tenant);
            return status;
        }
        registry_publish(engine->registry, tenant);
    }
    return ST_OK;
}

static enum status open_parts(struct engine *engine, const struct engine_options *options)
{
    const struct scope *system;
    uint64_t sequence;

    TRY(registry_open(engine->store, &engine->registry));
    system = registry_system_scope(engine->registry);
    TRY(format_open(engine->store, system, engine->clock));
    TRY(provision_tenants(engine, options));
    TRY(dead_set_load(engine->dead, system));
    TRY(counter_recover(engine->registry, engine->store, &sequence));
    engine->catalogue = catalogue_new();
    engine->pool = pool_new(options->reader_count == 0 ? 2 : options->reader_count);
    committer_init(&engine->committer, engine, sequence);
    TRY(backfill_resume(&engine->committer));
    committer_start(&engine->committer);
    return ST_OK;
}

static void close_parts(struct engine *engine)
{
    if (engine->pool != NULL) {
        pool_free(engine->pool);
        committer_deinit(&engine->committer);
    }
    if (engine->catalogue != NULL)
        catalogue_free(engine->catalogue);
    if (engine->registry != NULL)
        registry_close(engine->registry);
    mem_free(engine);
}

enum status engine_open(const struct engine_options *options, struct engine **ret_engine)
{
    struct engine *engine = MEM_NEW(struct engine);
    enum status status;

    engine->store = options->store;
    engine->clock = options->clock;
    engine->dead = options->dead;
    status = open_parts(engine, options);
    if (status != ST_OK) {
        close_parts(engine);
        return status;
    }
    *ret_engine = engine;
    return ST_OK;
}

void engine_close(struct engine *engine)
{
    committer_stop(&engine->committer);
    close_parts(engine);
}

struct registry *engine_registry(struct engine *engine)
{
    return engine->registry;
}

enum status engine_find_table(struct engine *engine, const struct scope *scope, struct slice name,
                              struct table **ret_table)
{
    return catalogue_find(engine->catalogue, scope, name, ret_table);
}

static struct kv_iter *iterate_catalogue(const struct scope *scope)
{
    struct key prefix;

    key_begin(&prefix, KEY_SPACE_CATALOGUE);
    return kv_iter_new_prefix(scope, NULL, &prefix);
}

enum status engine_list_tables(struct engine *engine, const struct scope *scope, struct slice after,
                               uint32_t limit, struct arena *arena, struct slice **ret_names,
                               uint32_t *ret_count, bool *ret_more)
{
    struct slice *names = ARENA_ARRAY(arena, struct slice, limit + 1);
    struct kv_iter *iter;
    struct key start;
    uint32_t count = 0;
    enum status status = ST_NOT_FOUND;

    (void)engine;
    if (scope != NULL) {
        iter = iterate_catalogue(scope);
        table_catalogue_key(&start, after);
        status = kv_iter_seek(iter, key_slice(&start));
        if (status == ST_OK && after.n > 0 && slice_equal(slice_from(kv_iter_key(iter), 1), after))
            status = kv_iter_next(iter);
        for (; status == ST_OK && count < limit; status = kv_iter_next(iter))
            names[count++] = arena_copy(arena, slice_from(kv_iter_key(iter), 1));
        kv_iter_free(iter);
    }
    if (status != ST_OK && status != ST_NOT_FOUND)
        return status;
    *ret_names = names;
    *ret_count = count;
    *ret_more = status == ST_OK;
    return ST_OK;
}

uint32_t engine_table_count(struct engine *engine, const struct scope *scope)
{
    struct kv_iter *iter;
    uint32_t count = 0;

    (void)engine;
    if (scope == NULL)
        return 0;
    iter = iterate_catalogue(scope);
    for (enum status status = kv_iter_seek(iter, SLICE_EMPTY); status == ST_OK;
         status = kv_iter_next(iter))
        count++;
    kv_iter_free(iter);
    return count;
}

void engine_change_table(struct engine *engine, struct table_change *change)
{
    error_init(&change->error, change->arena);
    change->job.run.tenant_number = change->scope == NULL ? 0 : scope_tenant_number(change->scope);
    committer_submit(&engine->committer, &change->job, JOB_TABLE);
}

void engine_write(struct engine *engine, struct write_request *request)
{
    error_init(&request->error, request->arena);
    request->job.run.tenant_number = scope_tenant_number(request->scope);
    request->job.progress = 0;
    request->job.warmed = false;
    request->replayed = request->canceled = false;
    committer_submit(&engine->committer, &request->job, JOB_WRITE);
}

void engine_run_blocking(struct engine *engine, struct pool_task *task)
{
    pool_submit(engine->pool, task);
}
