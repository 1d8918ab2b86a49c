/*
 * Properties of physical keys (key.h): they are injective, they sort as sort keys do, and prefixes
 * and bounds enclose exactly the keys that they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/key.h"
#include "values.h"

#define ROUNDS 20000
#define PART_SIZE_BYTES_MAX 6

/* The key attributes of a row: what its key is made of. */
struct row {
    uint32_t table;
    uint16_t index;
    struct value partition[KEY_PARTS_MAX];
    struct value sort[KEY_PARTS_MAX];
};

/* How many parts rows have, and of which types: given by a table, so equal among its rows. */
struct schema {
    uint32_t partition_count;
    uint32_t sort_count;
    enum value_type sort_types[KEY_PARTS_MAX];
};

struct fixture {
    uint64_t seed;
    struct arena arena;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->seed = seed_choose();
    arena_init(&fixture->arena, 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    arena_deinit(&fixture->arena);
    free(fixture);
    return 0;
}

static struct value string(const char *text)
{
    return (struct value){VALUE_S, slice_cstr(text)};
}

static struct value bytes(const void *p, size_t n)
{
    return (struct value){VALUE_B, slice_of(p, n)};
}

static struct value number(struct fixture *fixture, const char *text)
{
    struct number parsed;

    assert_int_equal(number_parse(slice_cstr(text), &parsed), NUMBER_FINE);
    return value_make_number(&fixture->arena, &parsed);
}

static struct value random_part(struct fixture *fixture, enum value_type type)
{
    size_t n = random_below(&fixture->seed, PART_SIZE_BYTES_MAX);
    struct number parsed;

    if (type != VALUE_N)
        return (struct value){type, random_tricky_bytes(&fixture->seed, &fixture->arena, n)};
    parsed = random_number(&fixture->seed);
    return value_make_number(&fixture->arena, &parsed);
}

/* ---- Rows ---- */

static struct schema random_schema(struct fixture *fixture)
{
    static const enum value_type types[] = {VALUE_S, VALUE_B, VALUE_N};
    struct schema schema = {.partition_count = 1 + random_below(&fixture->seed, KEY_PARTS_MAX),
                            .sort_count = random_below(&fixture->seed, KEY_PARTS_MAX + 1)};

    for (uint32_t i = 0; i < schema.sort_count; i++)
        schema.sort_types[i] = types[random_below(&fixture->seed, 3)];
    return schema;
}

static struct row random_row(struct fixture *fixture, const struct schema *schema)
{
    struct row row = {.table = 1 + random_below(&fixture->seed, 2),
                      .index = (uint16_t)random_below(&fixture->seed, 2)};

    for (uint32_t i = 0; i < schema->partition_count; i++)
        row.partition[i] = random_part(fixture, VALUE_B);
    for (uint32_t i = 0; i < schema->sort_count; i++)
        row.sort[i] = random_part(fixture, schema->sort_types[i]);
    return row;
}

/* A row like another but for one part, which is where encodings are mistaken for one another. */
static struct row random_sibling(struct fixture *fixture, const struct schema *schema,
                                 const struct row *row)
{
    struct row sibling = *row;
    uint32_t part = random_below(&fixture->seed, schema->partition_count + schema->sort_count);

    if (part < schema->partition_count)
        sibling.partition[part] = random_part(fixture, VALUE_B);
    else
        sibling.sort[part - schema->partition_count] =
            random_part(fixture, schema->sort_types[part - schema->partition_count]);
    return sibling;
}

static void make_key(const struct schema *schema, const struct row *row, struct key *key)
{
    key_begin_rows(key, row->table, row->index);
    key_add_partition(key, row->partition, schema->partition_count);
    for (uint32_t i = 0; i < schema->sort_count; i++)
        key_add_sort(key, row->sort[i]);
}

static bool parts_equal(const struct value *a, const struct value *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!slice_equal(a[i].payload, b[i].payload))
            return false;
    return true;
}

static bool rows_equal(const struct schema *schema, const struct row *a, const struct row *b)
{
    return a->table == b->table && a->index == b->index &&
           parts_equal(a->partition, b->partition, schema->partition_count) &&
           parts_equal(a->sort, b->sort, schema->sort_count);
}

static int part_order(struct value a, struct value b)
{
    struct number x, y;

    if (a.type != VALUE_N)
        return slice_compare(a.payload, b.payload);
    x = value_number(a);
    y = value_number(b);
    return number_compare(&x, &y);
}

static int sort_order(const struct schema *schema, const struct row *a, const struct row *b)
{
    for (uint32_t i = 0; i < schema->sort_count; i++)
        if (part_order(a->sort[i], b->sort[i]) != 0)
            return part_order(a->sort[i], b->sort[i]);
    return 0;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

/* ---- Properties ---- */

static void check_pair(const struct schema *schema, const struct row *a, const struct row *b)
{
    struct key a_key, b_key;

    make_key(schema, a, &a_key);
    make_key(schema, b, &b_key);
    assert_int_equal(slice_equal(key_slice(&a_key), key_slice(&b_key)), rows_equal(schema, a, b));
    if (a->table != b->table || a->index != b->index)
        return;
    if (!rows_equal(schema, a, b))
        assert_false(slice_has_prefix(key_slice(&a_key), key_slice(&b_key)));
    if (parts_equal(a->partition, b->partition, schema->partition_count))
        assert_int_equal(sign(slice_compare(key_slice(&a_key), key_slice(&b_key))),
                         sign(sort_order(schema, a, b)));
}

static void keys_are_injective_and_sort_as_their_parts(void **state)
{
    struct fixture *fixture = *state;

    for (int round = 0; round < ROUNDS; round++) {
        struct schema schema = random_schema(fixture);
        struct row a = random_row(fixture, &schema), b = random_row(fixture, &schema);
        struct row sibling = random_sibling(fixture, &schema, &a);

        check_pair(&schema, &a, &b);
        check_pair(&schema, &a, &sibling);
        check_pair(&schema, &sibling, &a);
        check_pair(&schema, &a, &a);
        arena_reset(&fixture->arena);
    }
}

static void assert_keys_differ(const struct value *a, const struct value *b, uint32_t count)
{
    struct schema schema = {.partition_count = count};
    struct row rows[2] = {{.table = 1}, {.table = 1}};

    memcpy(rows[0].partition, a, count * sizeof(a[0]));
    memcpy(rows[1].partition, b, count * sizeof(b[0]));
    assert_false(parts_equal(a, b, count));
    check_pair(&schema, &rows[0], &rows[1]);
}

/* Where one part ends and the next begins belongs to the key. */
static void parts_of_a_partition_key_are_framed(void **state)
{
    (void)state;
    assert_keys_differ((struct value[]){string("a#b"), string("c")},
                       (struct value[]){string("a"), string("b#c")}, 2);
    assert_keys_differ((struct value[]){string(""), string("ab")},
                       (struct value[]){string("ab"), string("")}, 2);
    assert_keys_differ((struct value[]){bytes("\0\1", 2), bytes("a", 1)},
                       (struct value[]){bytes("\0", 1), bytes("\1a", 2)}, 2);
    assert_keys_differ((struct value[]){bytes("\xff", 1)}, (struct value[]){bytes("\xff\0", 2)}, 1);
}

/* A partition key that ends as a sort key begins is another row's. */
static void partition_and_sort_keys_are_framed(void **state)
{
    struct schema schema = {1, 1, {VALUE_S}};
    struct row a = {.table = 1, .partition = {string("a")}, .sort = {string("bc")}};
    struct row b = {.table = 1, .partition = {string("ab")}, .sort = {string("c")}};

    (void)state;
    check_pair(&schema, &a, &b);
}

static void assert_ascending(const struct value *parts, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        struct key low, high;

        key_begin(&low, KEY_SPACE_DATA);
        key_begin(&high, KEY_SPACE_DATA);
        key_add_sort(&low, parts[i]);
        key_add_sort(&high, parts[i + 1]);
        assert_true(slice_compare(key_slice(&low), key_slice(&high)) < 0);
    }
}

static void sort_keys_ascend_by_bytes_and_by_value(void **state)
{
    struct fixture *fixture = *state;

    assert_ascending((struct value[]){bytes("", 0), bytes("\0", 1), bytes("\0\0", 2),
                                      bytes("\0\0\xff", 3), bytes("\0\1", 2), bytes("\0\xff", 2),
                                      bytes("\1", 1), bytes("a", 1), bytes("a\0", 2),
                                      bytes("a\0b", 3), bytes("ab", 2), bytes("b", 1),
                                      bytes("\xff", 1), bytes("\xff\0", 2), bytes("\xff\xff", 2)},
                     15);
    assert_ascending(
        (struct value[]){string("B"), string("a"), string("é"), string("€"), string("\U0001F600")},
        5);
    assert_ascending(
        (struct value[]){number(fixture, "-9.9e125"), number(fixture, "-100"),
                         number(fixture, "-99"), number(fixture, "-10.5"), number(fixture, "-10"),
                         number(fixture, "-1"), number(fixture, "-0.1"), number(fixture, "-1e-130"),
                         number(fixture, "0"), number(fixture, "1e-130"), number(fixture, "0.09"),
                         number(fixture, "0.1"), number(fixture, "1"), number(fixture, "2"),
                         number(fixture, "10"), number(fixture, "10.5"), number(fixture, "99"),
                         number(fixture, "100"), number(fixture, "9.9e125")},
        19);
}

/* 1000 and 1e3 are one number, so they are one key. */
static void equal_numbers_are_one_key(void **state)
{
    struct fixture *fixture = *state;
    struct value a = number(fixture, "1000"), b = number(fixture, "1e3"),
                 c = number(fixture, "0001000.000");

    assert_true(slice_equal(a.payload, b.payload));
    assert_true(slice_equal(a.payload, c.payload));
    assert_int_equal(key_hash16(&a, 1), key_hash16(&c, 1));
}

static void check_prefix(struct slice prefix, struct value part)
{
    struct key lower, upper, key;
    bool inside;

    key_begin_rows(&lower, 7, 1);
    key = upper = lower;
    key_add_sort_prefix(&lower, prefix);
    key_add_sort_prefix(&upper, prefix);
    assert_true(key_make_upper_bound(&upper));
    key_add_sort(&key, part);
    inside = slice_compare(key_slice(&key), key_slice(&lower)) >= 0 &&
             slice_compare(key_slice(&key), key_slice(&upper)) < 0;
    assert_int_equal(inside, slice_has_prefix(part.payload, prefix));
}

static void prefix_ranges_hold_what_begins_with_the_prefix(void **state)
{
    struct fixture *fixture = *state;

    for (int round = 0; round < ROUNDS; round++) {
        struct value part = random_part(fixture, VALUE_B);
        size_t n = random_below(&fixture->seed, (uint32_t)part.payload.n + 1);

        check_prefix(slice_of(part.payload.p, n), part);
        check_prefix(random_part(fixture, VALUE_B).payload, part);
        arena_reset(&fixture->arena);
    }
}

static void set_bytes(struct key *key, struct slice raw)
{
    key->n = 0;
    key_add_bytes(key, raw);
}

/* No key lies between those that begin with the prefix and the bound. */
static void upper_bounds_are_the_smallest(void **state)
{
    struct fixture *fixture = *state;

    for (int round = 0; round < ROUNDS; round++) {
        struct slice prefix = random_part(fixture, VALUE_B).payload;
        struct slice other = random_part(fixture, VALUE_B).payload;
        struct key bound;

        set_bytes(&bound, prefix);
        if (!key_make_upper_bound(&bound)) {
            assert_true(slice_equal(key_slice(&bound), prefix));
            for (size_t i = 0; i < prefix.n; i++)
                assert_int_equal(prefix.p[i], 0xff);
        } else if (slice_compare(other, prefix) >= 0) {
            assert_int_equal(slice_compare(other, key_slice(&bound)) < 0,
                             slice_has_prefix(other, prefix));
        }
        arena_reset(&fixture->arena);
    }
}

static void rows_of_tables_and_indexes_do_not_mix(void **state)
{
    struct key table, index, end;

    (void)state;
    key_begin_rows(&table, 0x01020304, 0);
    key_begin_rows(&index, 0x01020304, 1);
    assert_int_equal(table.n, 7);
    assert_memory_equal(table.bytes, "\2\1\2\3\4\0\0", 7);
    end = table;
    assert_true(key_make_upper_bound(&end));
    assert_true(slice_equal(key_slice(&end), key_slice(&index)));
}

/* A segment of a parallel scan is a range of hashes, so partitions must be spread over them. */
static void partitions_spread_over_the_hashes(void **state)
{
    unsigned buckets[16] = {0};
    enum { KEYS = 16000 };

    (void)state;
    for (int i = 0; i < KEYS; i++) {
        char text[32];
        struct value part = {VALUE_S, slice_of(text, (size_t)snprintf(text, 32, "USER#%d", i))};

        buckets[key_hash16(&part, 1) >> 12]++;
    }
    for (size_t i = 0; i < 16; i++)
        assert_in_range(buckets[i], KEYS / 16 * 8 / 10, KEYS / 16 * 12 / 10);
}

/* An index row with keys of the largest sizes, every byte of the sort keys escaped. */
static void the_largest_key_fits(void **state)
{
    static uint8_t zeros[PARTITION_KEY_SIZE_BYTES_MAX];
    struct value partition = bytes(zeros, sizeof(zeros));
    struct value sort = bytes(zeros, SORT_KEY_SIZE_BYTES_MAX);
    struct key key;

    (void)state;
    key_begin_rows(&key, UINT32_MAX, UINT16_MAX);
    key_add_partition(&key, &partition, 1);
    key_add_sort(&key, sort);
    key_add_framed(&key, partition);
    key_add_sort(&key, sort);
    assert_true(key.n < KEY_SIZE_BYTES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_injective_and_sort_as_their_parts),
        cmocka_unit_test(parts_of_a_partition_key_are_framed),
        cmocka_unit_test(partition_and_sort_keys_are_framed),
        cmocka_unit_test(sort_keys_ascend_by_bytes_and_by_value),
        cmocka_unit_test(equal_numbers_are_one_key),
        cmocka_unit_test(prefix_ranges_hold_what_begins_with_the_prefix),
        cmocka_unit_test(upper_bounds_are_the_smallest),
        cmocka_unit_test(rows_of_tables_and_indexes_do_not_mix),
        cmocka_unit_test(partitions_spread_over_the_hashes),
        cmocka_unit_test(the_largest_key_fits),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
