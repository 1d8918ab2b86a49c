/*
 * Changes of the catalogue, run alone on the committer's evaluator: nothing is in flight, the
 * change is written with a sync of its own, published, then answered.
 */
#include "base/check.h"
#include "engine/backfill.h"
#include "engine/committer.h"
#include "engine/engine_impl.h"
#include "engine/table_codec.h"
#include "tenant/sequence.h"

#define TABLE_SEQUENCE SLICE_LIT("table")

/* One change on its way. */
struct step {
    struct committer *committer;
    struct table_change *change;
    struct kv_batch *batch;
    struct tenant *new_tenant; /* comes into being with this change */
    const struct scope *scope;
    struct table *current; /* a reference, or NULL */
    struct table *next;    /* a reference, or NULL */
};

static void put_table(struct step *step)
{
    struct buf row;
    struct key key;

    buf_init(&row, TABLE_ROW_SIZE_BYTES_MAX);
    table_encode(step->next, &row);
    table_catalogue_key(&key, step->next->name);
    kv_batch_put(step->batch, step->scope, key_slice(&key), buf_slice(&row));
    buf_deinit(&row);
}

/* The next table id of the tenant; ids begin at 1. */
static enum status allocate_table_id(struct step *step, uint32_t *ret_id)
{
    uint64_t id;

    TRY(sequence_read(step->scope, TABLE_SEQUENCE, &id));
    CHECK(id < UINT32_MAX);
    sequence_put(step->scope, TABLE_SEQUENCE, id + 1, step->batch);
    *ret_id = (uint32_t)id;
    return ST_OK;
}

/* A first CreateTable may find that another one has just created the tenant. */
static void find_or_make_tenant(struct step *step)
{
    struct registry *registry = step->committer->engine->registry;
    struct tenant *tenant;

    if (step->scope != NULL)
        return;
    tenant = registry_find(registry, step->change->tenant_id);
    if (tenant == NULL) {
        step->new_tenant =
            registry_prepare(registry, step->change->tenant_id,
                             clock_wall_ms(step->committer->engine->clock), step->batch);
        tenant = step->new_tenant;
    }
    step->scope = tenant->scope;
}

static enum status make_first_version(struct step *step)
{
    struct table_spec spec = {0};
    uint32_t id;

    if (step->current != NULL)
        return ST_EXISTS;
    TRY(step->change->alter(step->change, NULL, &spec));
    TRY(allocate_table_id(step, &id));
    step->next = table_from_spec(step->scope, NULL, id,
                                 clock_wall_ms(step->committer->engine->clock), &spec);
    put_table(step);
    return ST_OK;
}

static void drop_missing_indexes(struct step *step)
{
    for (uint32_t i = 0; i < step->current->index_count; i++) {
        const struct index *index = &step->current->indexes[i];

        if (table_find_index(step->next, index->name) != NULL)
            continue;
        dead_set_put(step->committer->system, step->current->tenant_number, step->current->id,
                     index->id, step->batch);
        backfill_unmark(step->committer, step->current, index, step->batch);
    }
}

static enum status make_next_version(struct step *step)
{
    struct table_spec spec = {0};

    if (step->current == NULL)
        return ST_NOT_FOUND;
    TRY(step->change->alter(step->change, step->current, &spec));
    step->next = table_from_spec(step->scope, step->current, 0, 0, &spec);
    put_table(step);
    drop_missing_indexes(step);
    backfill_mark(step->committer, step->current, step->next, step->batch);
    return ST_OK;
}

static enum status drop_table(struct step *step)
{
    struct table_spec spec = {0};
    struct key key;

    if (step->current == NULL)
        return ST_NOT_FOUND;
    TRY(step->change->alter(step->change, step->current, &spec));
    table_catalogue_key(&key, step->current->name);
    kv_batch_delete(step->batch, step->scope, key_slice(&key));
    dead_set_put(step->committer->system, step->current->tenant_number, step->current->id, 0,
                 step->batch);
    for (uint32_t i = 0; i < step->current->index_count; i++)
        backfill_unmark(step->committer, step->current, &step->current->indexes[i], step->batch);
    return ST_OK;
}

static enum status prepare(struct step *step)
{
    enum status status = catalogue_find(step->committer->engine->catalogue, step->scope,
                                        step->change->name, &step->current);

    if (status != ST_OK && status != ST_NOT_FOUND)
        return status;
    switch (step->change->kind) {
    case TABLE_CREATE:
        return make_first_version(step);
    case TABLE_ALTER:
        return make_next_version(step);
    case TABLE_DROP:
        return drop_table(step);
    }
    CHECK(!"a known kind of table change");
    return ST_INVALID;
}

static void publish_drops(struct step *step)
{
    struct dead_set *dead = step->committer->engine->dead;

    if (step->change->kind == TABLE_DROP) {
        dead_set_add(dead, step->current->tenant_number, step->current->id, 0);
        return;
    }
    for (uint32_t i = 0; step->current != NULL && i < step->current->index_count; i++)
        if (table_find_index(step->next, step->current->indexes[i].name) == NULL)
            dead_set_add(dead, step->current->tenant_number, step->current->id,
                         step->current->indexes[i].id);
}

static void publish(struct step *step)
{
    struct engine *engine = step->committer->engine;

    if (step->new_tenant != NULL)
        registry_publish(engine->registry, step->new_tenant);
    publish_drops(step);
    if (step->next != NULL)
        catalogue_publish(engine->catalogue, step->next);
    else
        catalogue_remove(engine->catalogue, step->current);
    if (step->change->kind == TABLE_ALTER)
        backfill_start(step->committer, step->scope, step->next);
}

static void answer(struct step *step, enum status status)
{
    struct table_change *change = step->change;

    change->status = status;
    change->table = NULL;
    if (status == ST_OK) {
        change->table = step->next != NULL ? step->next : step->current;
        table_ref(change->table);
    }
    table_unref(step->current);
    table_unref(step->next);
    change->done(change);
}

void table_change_run(struct committer *committer, struct table_change *change)
{
    struct step step = {
        .committer = committer,
        .change = change,
        .batch = kv_batch_new(committer->store),
        .scope = change->scope,
    };
    enum status status;

    find_or_make_tenant(&step);
    status = prepare(&step);
    if (status == ST_OK)
        status = kv_write(committer->store, step.batch, true);
    if (status == ST_OK)
        publish(&step);
    else if (step.new_tenant != NULL)
        registry_discard(committer->engine->registry, step.new_tenant);
    kv_batch_free(step.batch);
    answer(&step, status);
}
