/*
 * Random work of several clients at once, and a simple model beside it. Every client has tables and
 * partition keys of its own, so that its model knows what each of its operations must answer, while
 * all of them meet in the committer, in the same tenants' slices and in the same commits.
 *
 * Writes fail now and then, indexes come and go, and the engine is closed and opened between
 * rounds. At the end of each round every item is where the model has it, and verify_store finds
 * nothing. Set ROWHOUSE_SEED to repeat a failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/check.h"
#include "base/random.h"
#include "fixture.h"

#define CLIENT_COUNT 4
#define ROUND_COUNT 4
#define STEP_COUNT 150
#define KEY_COUNT 12

/* What the model knows of an item: a counter and a maker, or that it does not exist. */
struct known {
    bool exists;
    uint64_t n;
    uint64_t maker; /* 0: none */
};

struct actor {
    struct fixture *fixture;
    const char *tenant_id;
    struct client client;
    unsigned id; /* begins its partition keys */
    uint64_t seed;
    struct known items[KEY_COUNT];
};

static uint64_t pick(struct actor *actor, uint64_t below)
{
    return random_seeded_next(&actor->seed) % below;
}

static const char *key_text(struct actor *actor, uint64_t key)
{
    return (const char *)arena_printf(&actor->client.arena, "pk=%u-%llu sk=#%llu", actor->id,
                                      (unsigned long long)key / 4, (unsigned long long)key % 4)
        .p;
}

/* In the order of names, as get() answers. */
static const char *item_text(struct actor *actor, uint64_t key, const struct known *known)
{
    struct arena *arena = &actor->client.arena;
    struct slice maker = SLICE_LIT("");

    if (known->maker != 0)
        maker = arena_printf(arena, "maker=m%llu ", (unsigned long long)known->maker);
    return (const char *)arena_printf(arena, "%" PRISLICE "n=#%llu %s", SLICE_ARG(maker),
                                      (unsigned long long)known->n, key_text(actor, key))
        .p;
}

/* ---- Single writes ---- */

/* A write and what the model says that it does. */
struct step {
    uint64_t key;
    struct write write;
    struct known after;
    enum error_code error;
};

static void plan_put(struct actor *actor, struct step *step)
{
    step->after = (struct known){true, pick(actor, 1000), pick(actor, 4)};
    step->write = put_of(&actor->client, "t", item_text(actor, step->key, &step->after));
}

static void plan_delete(struct actor *actor, struct step *step)
{
    step->after = (struct known){0};
    step->write = delete_of(&actor->client, "t", key_text(actor, step->key));
}

static void plan_add(struct actor *actor, struct step *step)
{
    const struct known *before = &actor->items[step->key];

    step->after = *before;
    step->after.n = before->exists ? before->n + 1 : 1;
    step->after.exists = true;
    step->write =
        update_of(&actor->client, "t", key_text(actor, step->key), "ADD n :one", ":one=#1");
}

static void plan_move(struct actor *actor, struct step *step)
{
    const struct known *before = &actor->items[step->key];

    step->after = *before;
    step->after.maker = 0;
    step->write = update_of(&actor->client, "t", key_text(actor, step->key), "REMOVE maker", NULL);
}

/* Sometimes on the condition that the item exists or does not. */
static void plan_condition(struct actor *actor, struct step *step)
{
    bool exists = actor->items[step->key].exists, wanted = pick(actor, 2) == 0;

    if (pick(actor, 3) > 0)
        return;
    write_when(&actor->client, &step->write,
               wanted ? "attribute_exists(pk)" : "attribute_not_exists(pk)", NULL);
    if (exists == wanted)
        return;
    step->error = ERROR_CONDITIONAL_CHECK;
    step->after = actor->items[step->key];
}

static void plan(struct actor *actor, uint64_t key, struct step *step)
{
    static void (*const kinds[])(struct actor * actor, struct step * step) = {
        plan_put, plan_put, plan_delete, plan_add, plan_move,
    };

    *step = (struct step){.key = key};
    kinds[pick(actor, sizeof(kinds) / sizeof(kinds[0]))](actor, step);
    plan_condition(actor, step);
}

static void expect_step(struct actor *actor, const struct step *step)
{
    CHECK(step->write.error.code == step->error);
    actor->items[step->key] = step->after;
}

/* ---- Requests ---- */

/* A request that the store failed may not have changed anything. */
static void write_one(struct actor *actor)
{
    struct ticket ticket;
    struct step step;

    plan(actor, pick(actor, KEY_COUNT), &step);
    submit(&actor->client, &ticket, &step.write, 1);
    if (await(&ticket) == ST_OK)
        expect_step(actor, &step);
}

#define TOGETHER_MAX 4

/* Different items, all or none. */
static void write_together(struct actor *actor)
{
    struct step steps[TOGETHER_MAX];
    struct write writes[TOGETHER_MAX];
    struct ticket ticket;
    uint64_t first = pick(actor, KEY_COUNT);
    bool canceled = false;

    for (uint32_t i = 0; i < TOGETHER_MAX; i++) {
        plan(actor, (first + i) % KEY_COUNT, &steps[i]);
        canceled = canceled || steps[i].error != ERROR_NONE;
        writes[i] = steps[i].write;
    }
    submit_atomic(&actor->client, &ticket, writes, TOGETHER_MAX, NULL, NULL);
    if (await(&ticket) != ST_OK)
        return;
    CHECK(ticket.request.canceled == canceled);
    for (uint32_t i = 0; i < TOGETHER_MAX; i++) {
        CHECK(writes[i].error.code == steps[i].error);
        if (!canceled)
            actor->items[steps[i].key] = steps[i].after;
    }
}

static void read_one(struct actor *actor)
{
    uint64_t key = pick(actor, KEY_COUNT);
    const struct known *known = &actor->items[key];
    const char *found = get(&actor->client, "t", key_text(actor, key));

    CHECK((found != NULL) == known->exists);
    CHECK(found == NULL || strcmp(found, item_text(actor, key, known)) == 0);
}

/* The items of one partition, in the order of their sort keys. */
static void read_partition(struct actor *actor)
{
    uint64_t partition = pick(actor, KEY_COUNT / 4);
    struct arena *arena = &actor->client.arena;
    struct slice expected = SLICE_LIT("");
    struct query query = {.table = "t", .condition = "pk = :p"};

    for (uint64_t key = partition * 4; key < partition * 4 + 4; key++)
        if (actor->items[key].exists)
            expected = arena_printf(arena, "%" PRISLICE "%s#%llu", SLICE_ARG(expected),
                                    expected.n == 0 ? "" : " ", (unsigned long long)key % 4);
    query.values =
        (const char *)arena_printf(arena, ":p=%u-%llu", actor->id, (unsigned long long)partition).p;
    CHECK(slice_is(expected, run_query(&actor->client, &query).items));
}

/* Adds or drops the second index; the others of the tenant do so too, at any moment. */
static void change_indexes(struct actor *actor)
{
    struct table_spec spec;
    struct client *client = &actor->client;

    spec_init(&spec, "t", "pk:S sk:N", &client->arena);
    spec_add_index(&spec, "by_maker", "maker:S", "n:N", PROJECTION_ALL, "", &client->arena);
    spec_add_local_index(&spec, "by_n", "n:N", PROJECTION_KEYS_ONLY, &client->arena);
    if (pick(actor, 2) == 0)
        spec_add_index(&spec, "by_n_alone", "n:N", "", PROJECTION_KEYS_ONLY, "", &client->arena);
    (void)change_table(client, TABLE_ALTER, "t", &spec);
}

static void fail_a_write(struct actor *actor)
{
    kv_fault_arm(actor->fixture->kv, 1 + pick(actor, 3), ST_IO, KV_FAULT_ONCE);
}

static void pass_time(struct actor *actor)
{
    clock_fake_advance(&actor->fixture->clock, (int64_t)pick(actor, 2000));
}

static void take_step(struct actor *actor)
{
    uint64_t dice = pick(actor, 100);

    if (dice < 55)
        write_one(actor);
    else if (dice < 70)
        write_together(actor);
    else if (dice < 80)
        read_one(actor);
    else if (dice < 92)
        read_partition(actor);
    else if (dice < 94)
        change_indexes(actor);
    else if (dice < 97)
        fail_a_write(actor);
    else
        pass_time(actor);
}

/* ---- The world ---- */

static void *act(void *context)
{
    struct actor *actor = context;

    client_init(&actor->client, actor->fixture, actor->tenant_id);
    for (int i = 0; i < STEP_COUNT; i++)
        take_step(actor);
    client_deinit(&actor->client);
    return NULL;
}

static void create_simulated_table(struct client *client)
{
    struct table_spec spec;

    spec_init(&spec, "t", "pk:S sk:N", &client->arena);
    spec_add_index(&spec, "by_maker", "maker:S", "n:N", PROJECTION_ALL, "", &client->arena);
    spec_add_local_index(&spec, "by_n", "n:N", PROJECTION_KEYS_ONLY, &client->arena);
    CHECK(change_table(client, TABLE_CREATE, "t", &spec) == ST_OK);
}

/* The engine holds what the models say: no item less, and by their number none more. */
static void expect_models(struct fixture *fixture, struct actor *actors)
{
    uint64_t count = 0;

    for (int a = 0; a < CLIENT_COUNT; a++) {
        struct actor *actor = &actors[a];

        client_init(&actor->client, fixture, actor->tenant_id);
        for (uint64_t key = 0; key < KEY_COUNT; key++) {
            const struct known *known = &actor->items[key];
            const char *found = get(&actor->client, "t", key_text(actor, key));

            CHECK((found != NULL) == known->exists);
            CHECK(found == NULL || strcmp(found, item_text(actor, key, known)) == 0);
            count += known->exists;
        }
        client_deinit(&actor->client);
    }
    CHECK(verify(fixture, true).items == count);
    expect_healthy(fixture);
}

static void run_round(struct actor *actors)
{
    pthread_t threads[CLIENT_COUNT];

    for (int a = 0; a < CLIENT_COUNT; a++)
        CHECK(pthread_create(&threads[a], NULL, act, &actors[a]) == 0);
    for (int a = 0; a < CLIENT_COUNT; a++)
        CHECK(pthread_join(threads[a], NULL) == 0);
}

static void simulate(enum store_kind kind, uint64_t seed)
{
    static struct fixture fixture;
    struct actor actors[CLIENT_COUNT] = {0};

    fixture_init(&fixture, kind);
    create_simulated_table(&fixture.acme);
    create_simulated_table(&fixture.beta);
    for (unsigned a = 0; a < CLIENT_COUNT; a++) {
        actors[a].fixture = &fixture;
        actors[a].tenant_id = a % 2 == 0 ? "acme" : "beta";
        actors[a].id = a;
        actors[a].seed = seed + a;
    }
    for (int round = 0; round < ROUND_COUNT; round++) {
        run_round(actors);
        kv_fault_disarm(fixture.kv);
        expect_models(&fixture, actors);
        if (kind == STORE_MEMORY && round % 2 == 0)
            fixture_crash(&fixture);
        else
            fixture_reopen(&fixture);
        expect_models(&fixture, actors);
    }
    fixture_deinit(&fixture);
}

static uint64_t choose_seed(void)
{
    const char *text = getenv("ROWHOUSE_SEED");
    uint64_t seed;

    if (text != NULL)
        seed = strtoull(text, NULL, 10);
    else
        random_bytes(&seed, sizeof(seed));
    print_message("ROWHOUSE_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static void in_memory(void **state)
{
    (void)state;
    simulate(STORE_MEMORY, choose_seed());
}

static void on_disk(void **state)
{
    (void)state;
    if (STORE_KIND_COUNT > 1)
        simulate(STORE_ROCKS, choose_seed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(on_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
