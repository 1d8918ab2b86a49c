/* Descriptions of tables and their changes: see fixture.h. */
#include "fixture.h"

#include <errno.h>
#include <sched.h>

#include "base/check.h"

#define ATTRIBUTES_MAX 64

static enum value_type type_of(uint8_t letter)
{
    switch (letter) {
    case 'S':
        return VALUE_S;
    case 'N':
        return VALUE_N;
    case 'B':
        return VALUE_B;
    default:
        CHECK(!"a type of keys");
        return VALUE_ABSENT;
    }
}

/* Adds the attribute to the spec's unless it is there. */
static void define(struct table_spec *spec, struct key_part part)
{
    struct key_part *attributes = (struct key_part *)(uintptr_t)spec->attributes;

    for (uint32_t i = 0; i < spec->attribute_count; i++)
        if (slice_equal(attributes[i].name, part.name))
            return;
    CHECK(spec->attribute_count < ATTRIBUTES_MAX);
    attributes[spec->attribute_count++] = part;
}

/* Reads "a:S b:N". */
static uint32_t read_parts(struct table_spec *spec, const char *text, struct key_part *ret_parts,
                           struct arena *arena)
{
    struct slice rest = arena_copy(arena, slice_cstr(text));
    uint32_t count = 0;

    while (rest.n > 0) {
        const uint8_t *colon = memchr(rest.p, ':', rest.n);
        size_t name_n = (size_t)(colon - rest.p);

        CHECK(colon != NULL && count < KEY_PARTS_MAX);
        ret_parts[count] = (struct key_part){slice_of(rest.p, name_n), type_of(colon[1])};
        define(spec, ret_parts[count]);
        count++;
        rest = slice_from(rest, rest.n == name_n + 2 ? name_n + 2 : name_n + 3);
    }
    return count;
}

void spec_init(struct table_spec *spec, const char *name, const char *key, struct arena *arena)
{
    struct key_part parts[KEY_PARTS_MAX];

    *spec = (struct table_spec){
        .name = arena_copy(arena, slice_cstr(name)),
        .attributes = ARENA_ARRAY(arena, struct key_part, ATTRIBUTES_MAX),
    };
    spec->key.sort_count = read_parts(spec, key, parts, arena) - 1;
    spec->key.partition_count = 1;
    spec->key.partition[0] = parts[0];
    spec->key.sort[0] = parts[1];
}

static struct index *add_index(struct table_spec *spec, const char *name,
                               enum projection_kind projection, struct arena *arena)
{
    struct index *index = &spec->indexes[spec->index_count++];

    CHECK(spec->index_count <= TABLE_INDEXES_MAX);
    *index = (struct index){
        .name = arena_copy(arena, slice_cstr(name)),
        .projection = projection,
    };
    return index;
}

static void include(struct index *index, const char *names, struct arena *arena)
{
    struct slice *included = ARENA_ARRAY(arena, struct slice, KEY_PARTS_MAX);
    struct slice rest = arena_copy(arena, slice_cstr(names));

    while (rest.n > 0) {
        const uint8_t *blank = memchr(rest.p, ' ', rest.n);
        size_t n = blank == NULL ? rest.n : (size_t)(blank - rest.p);

        CHECK(index->included_count < KEY_PARTS_MAX);
        included[index->included_count++] = slice_of(rest.p, n);
        rest = slice_from(rest, blank == NULL ? n : n + 1);
    }
    index->included = included;
}

void spec_add_index(struct table_spec *spec, const char *name, const char *partition,
                    const char *sort, enum projection_kind projection, const char *included,
                    struct arena *arena)
{
    struct index *index = add_index(spec, name, projection, arena);

    index->key.partition_count = read_parts(spec, partition, index->key.partition, arena);
    index->key.sort_count = read_parts(spec, sort, index->key.sort, arena);
    include(index, included, arena);
}

void spec_add_local_index(struct table_spec *spec, const char *name, const char *sort,
                          enum projection_kind projection, struct arena *arena)
{
    struct index *index = add_index(spec, name, projection, arena);

    index->local = true;
    index->key.partition_count = 1;
    index->key.partition[0] = spec->key.partition[0];
    index->key.sort_count = read_parts(spec, sort, index->key.sort, arena);
}

static void copy_attributes(struct table_spec *spec, const struct table *table, struct arena *arena)
{
    struct key_part *attributes = ARENA_ARRAY(arena, struct key_part, ATTRIBUTES_MAX);

    memcpy(attributes, table->attributes, table->attribute_count * sizeof(struct key_part));
    spec->attributes = attributes;
    spec->attribute_count = table->attribute_count;
}

void spec_of_table(struct table_spec *spec, const struct table *table, struct arena *arena)
{
    *spec = (struct table_spec){
        .name = table->name,
        .deletion_protected = table->deletion_protected,
        .key = table->key,
        .index_count = table->index_count,
        .settings = table->settings,
    };
    copy_attributes(spec, table, arena);
    memcpy(spec->indexes, table->indexes, sizeof(spec->indexes));
}

/* ---- Changes ---- */

struct change_ticket {
    struct table_change change;
    const struct table_spec *spec;
    sem_t done;
};

static enum status describe(struct table_change *change, const struct table *current,
                            struct table_spec *ret_next)
{
    const struct change_ticket *ticket = change->user;

    (void)current;
    if (ticket->spec != NULL)
        *ret_next = *ticket->spec;
    return ST_OK;
}

static void on_done(struct table_change *change)
{
    struct change_ticket *ticket = change->user;

    CHECK(sem_post(&ticket->done) == 0);
}

enum status change_table(struct client *client, enum table_change_kind kind, const char *name,
                         const struct table_spec *spec)
{
    struct change_ticket ticket = {
        .change =
            {
                .kind = kind,
                .arena = &client->arena,
                .scope = client->scope,
                .tenant_id = slice_cstr(client->tenant_id),
                .name = slice_cstr(name),
                .alter = describe,
                .done = on_done,
                .user = &ticket,
            },
        .spec = spec,
    };

    CHECK(sem_init(&ticket.done, 0, 0) == 0);
    engine_change_table(client->fixture->engine, &ticket.change);
    while (sem_wait(&ticket.done) != 0)
        CHECK(errno == EINTR);
    CHECK(sem_destroy(&ticket.done) == 0);
    table_unref(ticket.change.table);
    return ticket.change.status;
}

void create_table(struct client *client, const char *name, const char *key)
{
    struct table_spec spec;

    spec_init(&spec, name, key, &client->arena);
    CHECK(change_table(client, TABLE_CREATE, name, &spec) == ST_OK);
}

static void release_table(void *table)
{
    table_unref(table);
}

struct table *find_table(struct client *client, const char *name)
{
    struct table *table;

    CHECK(engine_find_table(client->fixture->engine, client->scope, slice_cstr(name), &table) ==
          ST_OK);
    arena_on_reset(&client->arena, release_table, table);
    return table;
}

bool table_exists(struct client *client, const char *name)
{
    struct table *table;
    enum status status =
        engine_find_table(client->fixture->engine, client->scope, slice_cstr(name), &table);

    CHECK(status == ST_OK || status == ST_NOT_FOUND);
    if (status == ST_OK)
        table_unref(table);
    return status == ST_OK;
}

void await_active(struct client *client, const char *table, const char *index)
{
    bool active = false;

    while (!active) {
        struct table *found;

        CHECK(engine_find_table(client->fixture->engine, client->scope, slice_cstr(table),
                                &found) == ST_OK);
        active = table_find_index(found, slice_cstr(index))->status == INDEX_ACTIVE;
        table_unref(found);
        (void)sched_yield();
    }
}
