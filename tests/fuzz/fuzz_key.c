/*
 * Physical keys: the input makes two rows of one table, and model/key.h's invariants must hold
 * between them.
 *
 *   shape(1): partition parts - 1 in bits 0-1, sort parts in bits 2-3, sort types in bits 4-7
 *   { size(1) bytes }... for the parts of one row and then those of the other
 */
#include "fuzz.h"

#include "base/check.h"
#include "model/key.h"

#define SORT_PARTS_MAX 3

struct shape {
    uint32_t partition_count;
    uint32_t sort_count;
    enum value_type types[SORT_PARTS_MAX];
};

struct row {
    struct value partition[KEY_PARTS_MAX];
    struct value sort[SORT_PARTS_MAX];
};

static struct shape shape_of(uint8_t byte)
{
    struct shape shape = {.partition_count = 1u + (byte & 3), .sort_count = byte >> 2 & 3};

    for (uint32_t i = 0; i < SORT_PARTS_MAX; i++)
        shape.types[i] = byte >> (4 + i) & 1 ? VALUE_N : VALUE_S;
    return shape;
}

static struct slice take_bytes(struct slice *input)
{
    size_t n = input->n == 0 ? 0 : input->p[0];
    struct slice bytes;

    *input = slice_from(*input, input->n > 0);
    bytes = slice_of(input->p, n < input->n ? n : input->n);
    *input = slice_from(*input, bytes.n);
    return bytes;
}

/* A number is an ordered form; zero stands in for what is none. */
static struct value take_part(struct slice *input, enum value_type type)
{
    struct slice bytes = take_bytes(input);
    struct number number;
    size_t size_bytes;

    if (type == VALUE_N && number_decode_ordered(bytes, &number, &size_bytes) != ST_OK)
        return (struct value){VALUE_N, SLICE_LIT("\x80")};
    return (struct value){type, type == VALUE_N ? slice_of(bytes.p, size_bytes) : bytes};
}

static struct row take_row(struct slice *input, const struct shape *shape)
{
    struct row row = {0};

    for (uint32_t i = 0; i < shape->partition_count; i++)
        row.partition[i] = take_part(input, VALUE_B);
    for (uint32_t i = 0; i < shape->sort_count; i++)
        row.sort[i] = take_part(input, shape->types[i]);
    return row;
}

static void make_key(const struct shape *shape, const struct row *row, struct key *key)
{
    key_begin_rows(key, 1, 0);
    key_add_partition(key, row->partition, shape->partition_count);
    for (uint32_t i = 0; i < shape->sort_count; i++)
        key_add_sort(key, row->sort[i]);
}

/* The order of the first parts that differ. */
static int compare_parts(const struct value *a, const struct value *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (value_compare(a[i], b[i]) != 0)
            return value_compare(a[i], b[i]);
    return 0;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void check_rows(const struct shape *shape, const struct row *a, const struct row *b)
{
    int partition = compare_parts(a->partition, b->partition, shape->partition_count);
    int sort = compare_parts(a->sort, b->sort, shape->sort_count);
    struct key a_key, b_key;
    struct slice one, two;

    make_key(shape, a, &a_key);
    make_key(shape, b, &b_key);
    one = key_slice(&a_key);
    two = key_slice(&b_key);
    CHECK(slice_equal(one, two) == (partition == 0 && sort == 0));
    CHECK(slice_equal(one, two) || (!slice_has_prefix(one, two) && !slice_has_prefix(two, one)));
    CHECK(partition != 0 || sign(slice_compare(one, two)) == sign(sort));
}

static void check_prefix(struct slice prefix, struct value part)
{
    struct key lower, upper, key;
    bool inside;

    key_begin_rows(&lower, 1, 0);
    key = lower;
    key_add_sort_prefix(&lower, prefix);
    key_add_sort(&key, part);
    upper = lower;
    CHECK(key_make_upper_bound(&upper));
    inside = slice_compare(key_slice(&key), key_slice(&lower)) >= 0 &&
             slice_compare(key_slice(&key), key_slice(&upper)) < 0;
    CHECK(inside == slice_has_prefix(part.payload, prefix));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct slice input = slice_of(bytes, n);
    struct shape shape;
    struct row a, b;

    if (n == 0)
        return 0;
    shape = shape_of(bytes[0]);
    input = slice_from(input, 1);
    a = take_row(&input, &shape);
    b = take_row(&input, &shape);
    check_rows(&shape, &a, &b);
    check_rows(&shape, &b, &a);
    check_prefix(a.partition[0].payload, b.partition[0]);
    check_prefix(slice_of(b.partition[0].payload.p, b.partition[0].payload.n / 2), b.partition[0]);
    return 0;
}
