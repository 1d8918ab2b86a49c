/* What holders of an arena rely on: alignment, bounds, hooks, and that a reset keeps one block. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int setup(void **state)
{
    static struct arena arena;

    arena_init(&arena, 1024 * 1024);
    *state = &arena;
    return 0;
}

static int teardown(void **state)
{
    arena_deinit(*state);
    return 0;
}

static void allocations_are_aligned_and_do_not_overlap(void **state)
{
    enum { COUNT = 2000 };
    uint8_t *blocks[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = arena_alloc(*state, i % 97);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i % 251), i % 97);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < i % 97; at++)
            assert_int_equal(blocks[i][at], i % 251);
    }
}

static void every_size_around_a_block_is_usable(void **state)
{
    for (size_t size = 0; size < 70 * 1024; size += 509) {
        uint8_t *p = arena_alloc(*state, size);

        memset(p, 0xee, size);
        arena_reset(*state);
    }
}

static void zalloc_clears_memory_that_was_used_before(void **state)
{
    uint8_t *p = arena_alloc(*state, 512);

    memset(p, 0xff, 512);
    arena_reset(*state);
    p = arena_zalloc(*state, 512);
    for (size_t i = 0; i < 512; i++)
        assert_int_equal(p[i], 0);
}

static void no_bytes_still_give_a_pointer(void **state)
{
    assert_non_null(arena_alloc(*state, 0));
    assert_non_null(arena_try_alloc(*state, 0));
    assert_non_null(arena_copy(*state, SLICE_EMPTY).p);
}

static void try_alloc_refuses_what_is_over_the_maximum(void **state)
{
    assert_null(arena_try_alloc(*state, 1024 * 1024 + 1));
    assert_null(arena_try_alloc(*state, SIZE_MAX));
    assert_null(arena_try_alloc(*state, SIZE_MAX - 15));
    assert_non_null(arena_try_alloc(*state, 700 * 1024));
    assert_null(arena_try_alloc(*state, 700 * 1024));
    arena_reset(*state);
    assert_non_null(arena_try_alloc(*state, 700 * 1024));
}

static void a_large_allocation_leaves_the_current_block_in_use(void **state)
{
    uint8_t *before = arena_alloc(*state, 16);

    arena_alloc(*state, 100 * 1024);
    assert_ptr_equal(arena_alloc(*state, 16), before + 16);
}

static void a_reset_keeps_the_first_block_and_frees_the_others(void **state)
{
    struct arena *arena = *state;
    uint8_t *first = arena_alloc(arena, 16);

    arena_alloc(arena, 500 * 1024);
    assert_true(arena->used_bytes >= 500 * 1024);
    arena_reset(arena);
    assert_int_equal(arena->used_bytes, 0);
    assert_ptr_equal(arena_alloc(arena, 16), first);
}

struct trace {
    char text[8];
    size_t n;
};

struct step {
    struct trace *trace;
    char letter;
};

static void record(void *context)
{
    struct step *step = context;

    step->trace->text[step->trace->n++] = step->letter;
}

static void hooks_run_once_newest_first_and_may_read_the_arena(void **state)
{
    struct trace trace = {0};

    for (int i = 0; i < 3; i++) {
        struct step *step = ARENA_NEW(*state, struct step);

        *step = (struct step){&trace, (char)('a' + i)};
        arena_on_reset(*state, record, step);
    }
    arena_reset(*state);
    assert_string_equal(trace.text, "cba");
    arena_reset(*state);
    assert_string_equal(trace.text, "cba");
}

static void hooks_run_at_deinit(void **state)
{
    struct arena arena;
    struct trace trace = {0};
    struct step step = {&trace, 'x'};

    (void)state;
    arena_init(&arena, 0);
    arena_on_reset(&arena, record, &step);
    arena_deinit(&arena);
    assert_string_equal(trace.text, "x");
}

static void copies_are_independent_of_their_source(void **state)
{
    char source[] = "terrace";
    struct slice copy = arena_copy(*state, slice_cstr(source));

    source[0] = 'T';
    assert_true(slice_is(copy, "terrace"));
}

static void printf_measures_any_length_and_adds_a_nul(void **state)
{
    struct slice text = arena_printf(*state, "%s-%05d|%40000s", "x", 42, "end");

    assert_int_equal(text.n, 7 + 1 + 40000);
    assert_true(slice_has_prefix(text, SLICE_LIT("x-00042|")));
    assert_int_equal(text.p[text.n], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(allocations_are_aligned_and_do_not_overlap),
        TEST(every_size_around_a_block_is_usable),
        TEST(zalloc_clears_memory_that_was_used_before),
        TEST(no_bytes_still_give_a_pointer),
        TEST(try_alloc_refuses_what_is_over_the_maximum),
        TEST(a_large_allocation_leaves_the_current_block_in_use),
        TEST(a_reset_keeps_the_first_block_and_frees_the_others),
        TEST(hooks_run_once_newest_first_and_may_read_the_arena),
        TEST(hooks_run_at_deinit),
        TEST(copies_are_independent_of_their_source),
        TEST(printf_measures_any_length_and_adds_a_nul),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
