/*
 * What base shows outside of the process: lines on standard error, aborts, time and randomness.
 * Each case that aborts or writes runs in a child whose standard error is a pipe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"

/* gcc names its sanitizers by macros, clang by features. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER
#endif

static char captured[256 * 1024];

static size_t read_to_end(int fd)
{
    size_t n = 0;
    ssize_t got;

    while ((got = read(fd, captured + n, sizeof(captured) - 1 - n)) > 0)
        n += (size_t)got;
    captured[n] = '\0';
    return n;
}

/* Runs `body` in a child; its standard error is then in `captured`. Returns the wait status. */
static int run_in_child(void (*body)(void))
{
    int ends[2], wait_status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit no_core = {0, 0};

        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        body();
        _exit(0);
    }
    (void)close(ends[1]);
    (void)read_to_end(ends[0]);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    return wait_status;
}

static void break_a_check(void)
{
    int houses = 3;

    CHECK(houses == 4);
}

static void a_failed_check_names_its_condition_and_aborts(void **state)
{
    int wait_status = run_in_child(break_a_check);

    (void)state;
    assert_true(WIFSIGNALED(wait_status));
    assert_int_equal(WTERMSIG(wait_status), SIGABRT);
    assert_non_null(strstr(captured, "houses == 4"));
    assert_non_null(strstr(captured, "test_process.c:"));
}

static void log_control_characters(void)
{
    log_info("name=%s", "a\nb\x1b[31m\x7f\xc3\xa9");
}

static void a_log_line_stays_one_line(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(log_control_characters), 0);
    assert_non_null(strstr(captured, "Z info name=a\\x0ab\\x1b[31m\\x7f\xc3\xa9\n"));
    assert_ptr_equal(strchr(captured, '\n'), captured + strlen(captured) - 1);
    assert_int_equal(captured[10], 'T');
}

static void log_at_all_levels(void)
{
    log_set_level(LOG_WARNING);
    log_error("one");
    log_warning("two");
    log_info("three");
    log_set_level(LOG_DEBUG);
    log_debug("four");
}

static void lines_below_the_level_are_not_written(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(log_at_all_levels), 0);
    assert_non_null(strstr(captured, " error one\n"));
    assert_non_null(strstr(captured, " warning two\n"));
    assert_null(strstr(captured, "three"));
    assert_non_null(strstr(captured, " debug four\n"));
}

static void log_a_long_line(void)
{
    log_error("%100000d", 1);
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
    size_t n;

    (void)state;
    assert_int_equal(run_in_child(log_a_long_line), 0);
    n = strlen(captured);
    assert_in_range(n, 10000, 16 * 1024);
    assert_int_equal(captured[n - 1], '\n');
}

static void ask_for_all_memory(void)
{
    struct rlimit limit = {64 * 1024 * 1024, 64 * 1024 * 1024};

    (void)setrlimit(RLIMIT_AS, &limit);
    mem_free(mem_alloc((size_t)1 << 46));
}

static void being_out_of_memory_aborts_with_a_line(void **state)
{
    (void)state;
#if defined(UNDER_ADDRESS_SANITIZER) || defined(UNDER_THREAD_SANITIZER)
    skip(); /* the sanitizers' allocators report and exit in their own way */
#endif
    assert_true(WIFSIGNALED(run_in_child(ask_for_all_memory)));
    assert_non_null(strstr(captured, "out of memory"));
}

static void memory_of_no_bytes_is_a_block(void **state)
{
    void *p = mem_alloc(0);

    (void)state;
    assert_non_null(p);
    p = mem_realloc(p, 0);
    assert_non_null(p);
    mem_free(p);
    mem_free(NULL);
}

#if defined(UNDER_ADDRESS_SANITIZER)
static void read_after_reset(void)
{
    struct arena arena;
    volatile uint8_t *p;

    arena_init(&arena, 0);
    p = arena_zalloc(&arena, 64);
    arena_reset(&arena);
    (void)p[1];
}
#endif

static void address_sanitizer_sees_a_read_after_reset(void **state)
{
    (void)state;
#if defined(UNDER_ADDRESS_SANITIZER)
    assert_int_not_equal(run_in_child(read_after_reset), 0);
    assert_non_null(strstr(captured, "use-after-poison"));
#else
    skip();
#endif
}

static void a_fake_clock_moves_only_when_told(void **state)
{
    struct clock_fake fake;

    (void)state;
    clock_fake_init(&fake, 1000);
    assert_int_equal(clock_wall_ms(&fake.clock), 1000);
    assert_int_equal(clock_wall_ms(&fake.clock), 1000);
    clock_fake_advance(&fake, 250);
    assert_int_equal(clock_wall_ms(&fake.clock), 1250);
    assert_int_equal(clock_monotonic_ns(&fake.clock), 250000000);
}

static void the_system_clock_runs_forward(void **state)
{
    int64_t before_ns = clock_monotonic_ns(&clock_system);

    (void)state;
    assert_true(clock_wall_ms(&clock_system) > 1600000000000);
    assert_true(clock_monotonic_ns(&clock_system) >= before_ns);
}

static void random_bytes_do_not_repeat(void **state)
{
    enum { COUNT = 500 };
    static uint8_t seen[COUNT][16];
    static uint8_t large[4096];
    static const uint8_t zeros[64];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        random_bytes(seen[i], sizeof(seen[i]));
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(seen[i], seen[j], sizeof(seen[i]));
    }
    random_bytes(large, sizeof(large));
    assert_memory_not_equal(large, zeros, sizeof(zeros));
    assert_memory_not_equal(large + sizeof(large) - sizeof(zeros), zeros, sizeof(zeros));
}

static void a_seed_gives_the_published_sequence(void **state)
{
    uint64_t seed = 1234567;

    (void)state;
    assert_true(random_seeded_next(&seed) == 6457827717110365317u);
    assert_true(random_seeded_next(&seed) == 3203168211198807973u);
    assert_true(random_seeded_next(&seed) == 9817491932198370423u);
}

static void every_status_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (enum status a = ST_OK; a <= ST_VERSION; a++) {
        assert_string_not_equal(status_name(a), "unknown status");
        for (enum status b = ST_OK; b < a; b++)
            assert_string_not_equal(status_name(a), status_name(b));
    }
    assert_string_equal(status_name((enum status)999), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_check_names_its_condition_and_aborts),
        cmocka_unit_test(a_log_line_stays_one_line),
        cmocka_unit_test(lines_below_the_level_are_not_written),
        cmocka_unit_test(a_long_line_is_cut_and_still_ends),
        cmocka_unit_test(being_out_of_memory_aborts_with_a_line),
        cmocka_unit_test(memory_of_no_bytes_is_a_block),
        cmocka_unit_test(address_sanitizer_sees_a_read_after_reset),
        cmocka_unit_test(a_fake_clock_moves_only_when_told),
        cmocka_unit_test(the_system_clock_runs_forward),
        cmocka_unit_test(random_bytes_do_not_repeat),
        cmocka_unit_test(a_seed_gives_the_published_sequence),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
