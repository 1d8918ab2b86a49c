/*
 * Untrusted bytes: what value_validate accepts, every reader can read, and what breaks an invariant
 * of stored values is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/value.h"
#include "values.h"

#define ROUNDS 20000

#define REFUSED(bytes) assert_int_equal(value_validate(SLICE_LIT(bytes)), ST_INVALID)
#define ACCEPTED(bytes) assert_int_equal(value_validate(SLICE_LIT(bytes)), ST_OK)

static void scalars_fill_their_bytes(void **state)
{
    (void)state;
    ACCEPTED("\5");
    REFUSED("\5\0");
    ACCEPTED("\4\1");
    REFUSED("\4\2");
    REFUSED("\4");
    ACCEPTED("\1\1\0\0\0a");
    REFUSED("\1\2\0\0\0a");
    REFUSED("\1\1\0\0\0ab");
    REFUSED("\1\xff\xff\xff\xff"
            "a");
    REFUSED("\0");
    REFUSED("\x0b");
    REFUSED("");
    ACCEPTED("\2\1\x80");
    REFUSED("\2\2\x80\x80");
    REFUSED("\2\0");
    REFUSED("\2\5\xc1\2\0\x0a\0");
}

static void text_is_utf8(void **state)
{
    (void)state;
    ACCEPTED("\1\2\0\0\0\xc3\xa9");
    REFUSED("\1\1\0\0\0\xff");
    REFUSED("\6\x09\0\0\0\1\0\0\0\1\0\0\0\xff");
    REFUSED("\x0a\x0c\0\0\0\1\0\0\0\0\0\0\0\1\0\xff\5");
    ACCEPTED("\3\1\0\0\0\xff");
}

static void sets_are_sorted_and_not_empty(void **state)
{
    (void)state;
    ACCEPTED("\6\x0e\0\0\0\2\0\0\0\1\0\0\0a\1\0\0\0b");
    REFUSED("\6\x0e\0\0\0\2\0\0\0\1\0\0\0b\1\0\0\0a");
    REFUSED("\6\x0e\0\0\0\2\0\0\0\1\0\0\0a\1\0\0\0a");
    REFUSED("\6\4\0\0\0\0\0\0\0");
    REFUSED("\6\0\0\0\0");
    REFUSED("\6\x0e\0\0\0\1\0\0\0\1\0\0\0a\1\0\0\0b");
    REFUSED("\6\x0e\0\0\0\3\0\0\0\1\0\0\0a\1\0\0\0b");
    REFUSED("\7\x09\0\0\0\1\0\0\0\1\0\0\0a");
    ACCEPTED("\7\x09\0\0\0\1\0\0\0\1\0\0\0\x80");
}

static void containers_hold_what_they_say(void **state)
{
    (void)state;
    ACCEPTED("\x09\4\0\0\0\0\0\0\0");
    REFUSED("\x09\3\0\0\0\0\0\0");
    ACCEPTED("\x09\x09\0\0\0\1\0\0\0\0\0\0\0\5");
    REFUSED("\x09\x09\0\0\0\1\0\0\0\1\0\0\0\5");
    REFUSED("\x09\x0a\0\0\0\1\0\0\0\0\0\0\0\5\5");
    REFUSED("\x09\x08\0\0\0\1\0\0\0\0\0\0\0");
    REFUSED("\x09\4\0\0\0\xff\xff\xff\xff");
    ACCEPTED("\x0a\x0c\0\0\0\1\0\0\0\0\0\0\0\1\0a\5");
    REFUSED("\x0a\x0c\0\0\0\1\0\0\0\0\0\0\0\4\0a\5");
}

static void map_names_are_in_strict_order(void **state)
{
    (void)state;
    ACCEPTED("\x0a\x14\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0\1\0a\5\1\0b\5");
    REFUSED("\x0a\x14\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0\1\0b\5\1\0a\5");
    REFUSED("\x0a\x14\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0\1\0a\5\1\0a\5");
}

/* A list in a list in a list..., `levels` in all. */
static enum status validate_nested(unsigned levels)
{
    struct value_writer writer;
    enum status status;
    struct buf buf;

    buf_init(&buf, 4096);
    writer_init(&writer, &buf);
    for (unsigned i = 0; i < levels; i++)
        writer_begin_list(&writer, i + 1 < levels);
    for (unsigned i = 0; i < levels; i++)
        writer_end(&writer);
    assert_int_equal(buf_status(&buf), ST_OK);
    status = value_validate(buf_slice(&buf));
    buf_deinit(&buf);
    return status;
}

static void values_nest_as_deep_as_dynamodb_lets_them(void **state)
{
    (void)state;
    assert_int_equal(validate_nested(VALUE_DEPTH_MAX), ST_OK);
    assert_int_equal(validate_nested(VALUE_DEPTH_MAX + 1), ST_INVALID);
}

/* ---- Mutations ---- */

static void mutate(uint64_t *seed, uint8_t *bytes, size_t *n)
{
    size_t at = random_below(seed, (uint32_t)*n);

    switch (random_below(seed, 5)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << random_below(seed, 8));
        break;
    case 1:
        bytes[at] = (uint8_t)random_below(seed, 256);
        break;
    case 2:
        bytes[at] = random_below(seed, 2) == 0 ? 0x00 : 0xff;
        break;
    case 3:
        *n = at + 1;
        break;
    default:
        memmove(bytes + at, bytes + at + 1, *n - at - 1);
        *n -= *n > 1;
    }
}

/* The readers get bytes of exactly the size, so that a sanitizer sees each read behind them. */
static bool check_mutated(struct slice bytes)
{
    uint8_t *copy = malloc(bytes.n);
    struct slice exact = slice_of(copy, bytes.n);
    struct value value;
    size_t size_bytes;
    bool accepted;

    memcpy(copy, bytes.p, bytes.n);
    accepted = value_validate(exact) == ST_OK;
    if (accepted) {
        assert_int_equal(value_read(exact, &value, &size_bytes), ST_OK);
        value_walk(value);
    }
    free(copy);
    return accepted;
}

static void what_is_accepted_can_be_read(void **state)
{
    uint64_t seed = seed_choose();
    unsigned accepted = 0;
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct slice bytes = random_encoded(&seed, &arena, 4);
        uint8_t *copy = arena_alloc(&arena, bytes.n);
        size_t n = bytes.n;

        memcpy(copy, bytes.p, n);
        for (uint32_t i = 1 + random_below(&seed, 3); i > 0; i--)
            mutate(&seed, copy, &n);
        accepted += check_mutated(slice_of(copy, n));
        arena_reset(&arena);
    }
    assert_in_range(accepted, ROUNDS / 100, ROUNDS * 99 / 100);
    arena_deinit(&arena);
}

static void random_bytes_are_no_trap(void **state)
{
    uint64_t seed = seed_choose();
    struct arena arena;

    (void)state;
    arena_init(&arena, 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct slice bytes = random_tricky_bytes(&seed, &arena, random_below(&seed, 40));
        uint8_t tagged[41] = {(uint8_t)random_below(&seed, 12)};

        memcpy(tagged + 1, bytes.p, bytes.n);
        check_mutated(slice_of(tagged, 1 + bytes.n));
        if (item_validate(bytes) == ST_OK)
            value_walk((struct value){VALUE_M, bytes});
        arena_reset(&arena);
    }
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_fill_their_bytes),
        cmocka_unit_test(text_is_utf8),
        cmocka_unit_test(sets_are_sorted_and_not_empty),
        cmocka_unit_test(containers_hold_what_they_say),
        cmocka_unit_test(map_names_are_in_strict_order),
        cmocka_unit_test(values_nest_as_deep_as_dynamodb_lets_them),
        cmocka_unit_test(what_is_accepted_can_be_read),
        cmocka_unit_test(random_bytes_are_no_trap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
