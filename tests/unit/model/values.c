/* Random values: see values.h. */
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/random.h"

#define MEMBERS_MAX 6
#define NAME_SIZE_BYTES_MAX 12

uint64_t seed_choose(void)
{
    const char *text = getenv("ROWHOUSE_SEED");
    uint64_t seed;

    if (text != NULL)
        seed = strtoull(text, NULL, 0);
    else
        random_bytes(&seed, sizeof(seed));
    printf("ROWHOUSE_SEED=0x%" PRIx64 "\n", seed);
    return seed;
}

uint32_t random_below(uint64_t *seed, uint32_t end)
{
    return (uint32_t)(random_seeded_next(seed) % end);
}

struct slice random_tricky_bytes(uint64_t *seed, struct arena *arena, size_t n)
{
    static const uint8_t tricky[] = {0x00, 0x00, 0x01, 0xff, 0xff, 0xfe, '#', 'a'};
    uint8_t *bytes = arena_alloc(arena, n + 1);

    for (size_t i = 0; i < n; i++)
        bytes[i] = random_below(seed, 8) == 0 ? (uint8_t)random_below(seed, 256)
                                              : tricky[random_below(seed, sizeof(tricky))];
    return slice_of(bytes, n);
}

struct slice random_text(uint64_t *seed, struct arena *arena, size_t size_bytes_max)
{
    size_t n = random_below(seed, (uint32_t)size_bytes_max + 1);
    uint8_t *bytes = arena_alloc(arena, n + 1);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)('a' + random_below(seed, 3));
    return slice_of(bytes, n);
}

struct number random_number(uint64_t *seed)
{
    unsigned digits = random_below(seed, NUMBER_DIGITS_MAX + 1);
    struct number number = {.negative = random_below(seed, 2) == 1};

    for (unsigned i = 0; i < digits; i++)
        number.coefficient = number.coefficient * 10 + random_below(seed, 10);
    if (number.coefficient == 0)
        return (struct number){0};
    number.exponent = (int32_t)random_below(seed, 200) - 130;
    if (random_below(seed, 2) == 0)
        number.exponent = -(int32_t)random_below(seed, 3);
    for (; number.coefficient % 10 == 0; number.coefficient /= 10)
        number.exponent++;
    return number;
}

/* ---- Values ---- */

static struct slice random_member(uint64_t *seed, struct arena *arena, enum value_type set)
{
    struct number number;

    if (set == VALUE_BS)
        return random_tricky_bytes(seed, arena, random_below(seed, 8));
    if (set == VALUE_SS)
        return random_text(seed, arena, 8);
    number = random_number(seed);
    return value_make_number(arena, &number).payload;
}

static void random_set(uint64_t *seed, struct arena *arena, struct value_writer *writer)
{
    enum value_type set = VALUE_SS + random_below(seed, 3);
    struct slice members[MEMBERS_MAX];
    uint32_t count = 0, wanted = 1 + random_below(seed, MEMBERS_MAX);

    while (count < wanted) {
        struct slice member = random_member(seed, arena, set);
        bool known = false;

        for (uint32_t i = 0; i < count; i++)
            known |= slice_equal(members[i], member);
        if (!known)
            members[count++] = member;
    }
    CHECK(writer_set(writer, set, members, count) == ST_OK);
}

static void random_scalar(uint64_t *seed, struct arena *arena, struct value_writer *writer)
{
    struct number number;

    switch (random_below(seed, 6)) {
    case 0:
        writer_string(writer, random_text(seed, arena, 20));
        break;
    case 1:
        writer_binary(writer, random_tricky_bytes(seed, arena, random_below(seed, 20)));
        break;
    case 2:
        writer_bool(writer, random_below(seed, 2) == 1);
        break;
    case 3:
        writer_null(writer);
        break;
    case 4:
        random_set(seed, arena, writer);
        break;
    default:
        number = random_number(seed);
        writer_number(writer, &number);
    }
}

// NOLINTBEGIN(misc-no-recursion): as deep as the caller asks
/* Names in strict order: each begins with a letter of its own. */
static void random_map(uint64_t *seed, struct arena *arena, uint32_t depth,
                       struct value_writer *writer)
{
    uint32_t count = random_below(seed, MEMBERS_MAX);

    writer_begin_map(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        struct slice tail = random_text(seed, arena, NAME_SIZE_BYTES_MAX);

        writer_name(writer, arena_printf(arena, "%c%" PRISLICE, 'a' + (int)i, SLICE_ARG(tail)));
        random_value(seed, arena, depth - 1, writer);
    }
    writer_end(writer);
}

void random_value(uint64_t *seed, struct arena *arena, uint32_t depth, struct value_writer *writer)
{
    uint32_t kind = random_below(seed, 3), count = random_below(seed, MEMBERS_MAX);

    if (depth == 0 || kind == 0) {
        random_scalar(seed, arena, writer);
        return;
    }
    if (kind == 1) {
        random_map(seed, arena, depth, writer);
        return;
    }
    writer_begin_list(writer, count);
    for (uint32_t i = 0; i < count; i++)
        random_value(seed, arena, depth - 1, writer);
    writer_end(writer);
}

// NOLINTEND(misc-no-recursion)

struct slice random_encoded(uint64_t *seed, struct arena *arena, uint32_t depth)
{
    struct value_writer writer;
    struct slice bytes;
    struct buf buf;

    buf_init(&buf, 1u << 24);
    writer_init(&writer, &buf);
    random_value(seed, arena, depth, &writer);
    CHECK(buf_status(&buf) == ST_OK);
    bytes = arena_copy(arena, buf_slice(&buf));
    buf_deinit(&buf);
    return bytes;
}

/* ---- Reading ---- */

static uint64_t walk_bytes(struct slice bytes)
{
    uint64_t sum = bytes.n;

    for (size_t i = 0; i < bytes.n; i++)
        sum = sum * 31 + bytes.p[i];
    return sum;
}

static uint64_t walk_number(struct value value)
{
    struct number number = value_number(value);
    char text[NUMBER_TEXT_SIZE_MAX], again[NUMBER_TEXT_SIZE_MAX];
    uint8_t ordered[NUMBER_ORDERED_SIZE_MAX];
    size_t n = number_format(&number, text), again_n = number_format_ordered(value.payload, again);

    CHECK(slice_equal(slice_of(text, n), slice_of(again, again_n)));
    CHECK(number_size(&number) == number_size_ordered(value.payload));
    n = number_encode_ordered(&number, ordered);
    CHECK(slice_equal(slice_of(ordered, n), value.payload));
    return walk_bytes(slice_of(text, again_n)) + number_size(&number);
}

static uint64_t walk_set(struct value set)
{
    struct slice member;
    uint64_t sum = 0;
    size_t at = 0;

    while (value_set_next(set, &at, &member)) {
        CHECK(value_set_contains(set, member));
        sum += set.type == VALUE_NS ? walk_number((struct value){VALUE_N, member})
                                    : walk_bytes(member);
    }
    return sum;
}

// NOLINTBEGIN(misc-no-recursion): valid values are at most VALUE_DEPTH_MAX deep
static uint64_t walk_members(struct value container)
{
    uint32_t count = value_count(container);
    uint64_t sum = count;

    for (uint32_t i = 0; i < count; i++) {
        struct value child = value_list_at(container, i);
        struct slice name = SLICE_EMPTY;

        if (container.type == VALUE_M) {
            child = value_map_at(container, i, &name);
            CHECK(value_equal(value_map_find(container, name), child));
        }
        sum = sum * 31 + walk_bytes(name) + value_walk(child);
    }
    return sum;
}

uint64_t value_walk(struct value value)
{
    uint64_t sum = value_size(value) + (uint64_t)value.type;

    CHECK(value_equal(value, value));
    switch (value.type) {
    case VALUE_N:
        return sum + walk_number(value);
    case VALUE_BOOL:
        return sum + value_bool(value);
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return sum + walk_set(value);
    case VALUE_L:
    case VALUE_M:
        return sum + walk_members(value);
    default:
        return sum + walk_bytes(value.payload);
    }
}
// NOLINTEND(misc-no-recursion)
