/*
 * Expressions: the first byte of the input says which kind, the rest is the text. What parses is
 * applied to items; what is refused has words. New items must be valid as stored.
 *
 *   c  condition     p  projection     u  update     k  key condition
 */
#include "fuzz.h"

#include "base/check.h"
#include "expr/expr.h"
#include "values.h"
#include "json/attribute.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof((array)[0]))

#define FOUR(text) text text text text
#define MAPS_WITHIN_MAPS(level, end, leaf)                                                         \
    FOUR(FOUR(level))                                                                              \
    FOUR(level) FOUR(level) FOUR(level) leaf FOUR(FOUR(end)) FOUR(end) FOUR(end) FOUR(end)
/* Twenty-eight maps, so that a path and a value together nest too deep. */
#define DEEP MAPS_WITHIN_MAPS("{\"M\":{\"m\":", "}}", "{\"S\":\"leaf\"}")

/* An item with a value of each type, and lists and maps within each other. */
static const char item_text[] =
    "{\"pk\":{\"S\":\"k\"},\"s\":{\"S\":\"text\"},\"n\":{\"N\":\"5\"},\"b\":{\"B\":\"AP8=\"},"
    "\"t\":{\"BOOL\":true},\"z\":{\"NULL\":true},\"ss\":{\"SS\":[\"a\",\"b\"]},"
    "\"ns\":{\"NS\":[\"1\",\"2\"]},\"bs\":{\"BS\":[\"AA==\"]},"
    "\"l\":{\"L\":[{\"N\":\"1\"},{\"L\":[{\"S\":\"x\"},{\"M\":{\"a\":{\"N\":\"1\"}}}]},{\"S\":"
    "\"y\"}]},"
    "\"m\":{\"M\":{\"a\":{\"N\":\"1\"},\"l\":{\"L\":[{\"N\":\"1\"},{\"N\":\"2\"}]},"
    "\"m\":{\"M\":{\"a\":{\"S\":\"deep\"}}}}},\"d\":" DEEP "}";

static const char values_text[] =
    "{\":s\":{\"S\":\"te\"},\":n\":{\"N\":\"-12.5\"},\":b\":{\"B\":\"AA==\"},\":t\":{\"BOOL\":"
    "false},"
    "\":z\":{\"NULL\":true},\":ss\":{\"SS\":[\"b\",\"c\"]},\":ns\":{\"NS\":[\"2\",\"3\"]},"
    "\":bs\":{\"BS\":[\"AA==\"]},\":l\":{\"L\":[{\"N\":\"9\"}]},\":m\":{\"M\":{\"q\":{\"N\":\"9\"}}"
    "},"
    "\":type\":{\"S\":\"S\"},\":big\":{\"N\":\"9e125\"},\":deep\":" DEEP "}";

static const char *const names[][2] = {{"#a", "a"}, {"#l", "l"}, {"#m", "m"}, {"#dot", "x.y"}};

/* Made once: items and values to parse and apply expressions with. */
struct world {
    struct arena arena;
    struct item item;
    struct expr_name names[COUNT(names)];
    struct expr_value values[16];
    uint32_t value_count;
};

static struct item decode(struct arena *arena, struct json_parser *parser, const char *text)
{
    size_t n = strlen(text);
    uint8_t *padded = arena_zalloc(arena, n + JSON_PADDING_BYTES);
    struct error error;
    struct item item;
    struct json root;

    memcpy(padded, text, n);
    error_init(&error, arena);
    CHECK(json_parse(parser, slice_of(padded, n), &root) == ST_OK);
    CHECK(attribute_decode_item(arena, root, &error, &item) == ST_OK);
    return item;
}

static void make_world(struct world *world)
{
    struct json_parser *parser = json_parser_new(1 << 16);
    struct item values;

    arena_init(&world->arena, 0);
    world->item = decode(&world->arena, parser, item_text);
    values = decode(&world->arena, parser, values_text);
    world->value_count = value_count(item_as_value(values));
    CHECK(world->value_count <= COUNT(world->values));
    for (uint32_t i = 0; i < world->value_count; i++)
        world->values[i].value =
            value_map_at(item_as_value(values), i, &world->values[i].placeholder);
    for (uint32_t i = 0; i < COUNT(names); i++)
        world->names[i] =
            (struct expr_name){slice_cstr(names[i][0]), slice_cstr(names[i][1]), false};
    json_parser_free(parser);
}

static struct world *the_world(void)
{
    static struct world world;

    if (world.value_count == 0)
        make_world(&world);
    return &world;
}

/* ---- One input ---- */

/* One expression being tried; in its own arena. */
struct trial {
    struct world *world;
    struct arena arena;
    struct error error;
    struct expr_params params;
};

/* Whether the call succeeded; if not, it was refused with words. */
static bool succeeded(struct trial *trial, enum status status)
{
    CHECK(status == ST_OK || status == ST_REFUSED);
    CHECK((status == ST_OK) == (trial->error.code == ERROR_NONE));
    CHECK(status == ST_OK || trial->error.message.n > 0);
    return status == ST_OK;
}

static void check_item(struct item item)
{
    CHECK(item_validate(item.payload) == ST_OK);
    value_walk(item_as_value(item));
}

static void check_names(struct slice *attributes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        CHECK(slice_compare(attributes[i - 1], attributes[i]) < 0);
}

static void try_condition(struct trial *trial, struct slice text)
{
    struct condition *condition;
    struct slice *attributes;
    uint32_t count;

    if (!succeeded(trial, condition_parse(&trial->arena, "ConditionExpression", text,
                                          &trial->params, &trial->error, &condition)))
        return;
    condition_eval(condition, trial->world->item);
    condition_eval(condition, ITEM_NONE);
    condition_attributes(condition, &trial->arena, &attributes, &count);
    check_names(attributes, count);
}

/* A projection of a projection is the same again, but for lists, whose elements have moved. */
static void try_projection(struct trial *trial, struct slice text)
{
    struct projection *projection;
    struct slice *attributes;
    struct item part;
    uint32_t count;

    if (!succeeded(trial, projection_parse(&trial->arena, text, &trial->params, &trial->error,
                                           &projection)))
        return;
    part = projection_apply(projection, trial->world->item, &trial->arena);
    check_item(part);
    CHECK(item_size(part) <= item_size(trial->world->item));
    projection_attributes(projection, &trial->arena, &attributes, &count);
    check_names(attributes, count);
    CHECK(value_count(item_as_value(part)) <= count);
    check_item(projection_apply(projection, ITEM_NONE, &trial->arena));
}

static void apply(struct trial *trial, const struct update *update, struct item old, bool exists)
{
    struct item new;

    error_init(&trial->error, &trial->arena);
    if (!succeeded(trial, update_apply(update, old, exists, &trial->arena, &trial->error, &new)))
        return;
    check_item(new);
    check_item(update_touched(update, old, &trial->arena));
    check_item(update_touched(update, new, &trial->arena));
}

static void try_update(struct trial *trial, struct slice text)
{
    const struct slice key = SLICE_LIT("pk");
    const struct slice paths[] = {key};
    struct projection *key_only = projection_of_names(&trial->arena, paths, 1);
    struct update *update;
    struct slice *attributes;
    uint32_t count;

    if (!succeeded(trial,
                   update_parse(&trial->arena, text, &trial->params, &trial->error, &update)))
        return;
    update_attributes(update, &trial->arena, &attributes, &count);
    check_names(attributes, count);
    if (!succeeded(trial, update_check_keys(update, paths, 1, &trial->error)))
        return;
    apply(trial, update, trial->world->item, true);
    apply(trial, update, projection_apply(key_only, trial->world->item, &trial->arena), false);
}

static void try_key_condition(struct trial *trial, struct slice text)
{
    struct key_condition condition;

    if (!succeeded(trial, key_condition_parse(&trial->arena, text, &trial->params, &trial->error,
                                              &condition)))
        return;
    CHECK(condition.count > 0);
    for (uint32_t i = 0; i < condition.count; i++) {
        CHECK(condition.terms[i].op != KEY_NONE && condition.terms[i].name.n > 0);
        CHECK(condition.terms[i].low.type != VALUE_ABSENT);
        CHECK((condition.terms[i].op == KEY_BETWEEN) ==
              (condition.terms[i].high.type != VALUE_ABSENT));
    }
}

static void try_text(struct trial *trial, uint8_t kind, struct slice text)
{
    switch (kind) {
    case 'c':
        try_condition(trial, text);
        break;
    case 'p':
        try_projection(trial, text);
        break;
    case 'u':
        try_update(trial, text);
        break;
    case 'k':
        try_key_condition(trial, text);
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct world *world = the_world();
    struct trial trial = {
        .world = world,
        .params = {world->names, COUNT(world->names), world->values, world->value_count},
    };

    if (n == 0)
        return 0;
    arena_init(&trial.arena, 0);
    error_init(&trial.error, &trial.arena);
    try_text(&trial, bytes[0], slice_of(bytes + 1, n - 1));
    arena_deinit(&trial.arena);
    return 0;
}
