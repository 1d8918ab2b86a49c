/* What only a store on disk can do: survive, be locked, lose dead rows, and say what went wrong. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "store/rocks_error.h"

#define LARGE_VALUE_BYTES (200 << 10)

static int setup(void **state)
{
    static struct fixture fixture;

    fixture_init(&fixture, STORE_ROCKS);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    fixture_deinit(*state);
    return 0;
}

static void rows_survive_a_reopening(void **state)
{
    struct fixture *fixture = *state;

    put(fixture->kv, fixture->scope, "kept", "v");
    put(fixture->kv, fixture->scope, "gone", "v");
    del(fixture->kv, fixture->scope, "gone");
    fixture_reopen(fixture);
    expect(fixture->scope, "kept", "v");
    expect(fixture->scope, "gone", NULL);
}

/*
 * What this program does as its own child, told by its arguments: `child DIRECTORY` opens the
 * store, makes one synced write, says so with one byte on standard output, and waits to be killed.
 */
static int run_child(const char *directory)
{
    struct fixture fixture = {.kind = STORE_ROCKS};
    struct kv_batch *batch;

    if (snprintf(fixture.directory, sizeof(fixture.directory), "%s", directory) < 0)
        return 1;
    fixture_open(&fixture);
    batch = kv_batch_new(fixture.kv);
    kv_batch_put(batch, fixture.scope, SLICE_LIT("k"), SLICE_LIT("v"));
    if (kv_write(fixture.kv, batch, true) != ST_OK || write(STDOUT_FILENO, "r", 1) != 1)
        return 1;
    for (;;)
        pause();
}

/* Returns when the child has written. */
static pid_t start_child(const char *directory)
{
    int output[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(output), 0);
    pid = fork();
    if (pid == 0) {
        if (dup2(output[1], STDOUT_FILENO) >= 0)
            (void)execl("/proc/self/exe", "test_store_rocks", "child", directory, (char *)NULL);
        _exit(1);
    }
    assert_int_equal(close(output[1]), 0);
    assert_int_equal(read(output[0], &byte, 1), 1);
    assert_int_equal(close(output[0]), 0);
    return pid;
}

static void kill_child(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void synced_rows_survive_the_death_of_the_process(void **state)
{
    struct fixture *fixture = *state;

    fixture_close(fixture);
    kill_child(start_child(fixture->directory));
    fixture_open(fixture);
    expect(fixture->scope, "k", "v");
}

static void large_values_come_back(void **state)
{
    struct fixture *fixture = *state;
    char *value = malloc(LARGE_VALUE_BYTES + 1);

    assert_non_null(value);
    memset(value, 'x', LARGE_VALUE_BYTES);
    value[LARGE_VALUE_BYTES] = '\0';
    put(fixture->kv, fixture->scope, "large", value);
    kv_compact(fixture->scope, SLICE_EMPTY, SLICE_EMPTY);
    fixture_reopen(fixture);
    expect(fixture->scope, "large", value);
    free(value);
}

static void a_second_opening_is_told_that_the_store_is_busy(void **state)
{
    struct fixture *fixture = *state;
    struct kv_rocks_options options = {.path = fixture->directory};
    const char *reason = NULL;
    struct kv *second = NULL;

    assert_int_equal(kv_open_rocks(&options, &second, &reason), ST_BUSY);
    assert_null(second);
    assert_non_null(strstr(reason, "LOCK"));
    options.read_only = true;
    assert_int_equal(kv_open_rocks(&options, &second, &reason), ST_OK);
    kv_close(second);
}

static void another_process_is_told_that_the_store_is_busy(void **state)
{
    struct fixture *fixture = *state;
    struct kv_rocks_options options = {.path = fixture->directory};
    struct kv *kv;
    pid_t pid;

    fixture_close(fixture);
    pid = start_child(fixture->directory);
    assert_int_equal(kv_open_rocks(&options, &kv, NULL), ST_BUSY);
    kill_child(pid);
    fixture_open(fixture);
}

static void a_read_only_store_is_read_and_not_written(void **state)
{
    struct fixture *fixture = *state;
    struct kv_rocks_options options = {.path = fixture->directory, .read_only = true};
    struct kv_batch *batch;
    struct scope *scope;
    struct kv *kv;

    put(fixture->kv, fixture->scope, "k", "v");
    assert_int_equal(kv_open_rocks(&options, &kv, NULL), ST_OK);
    scope = scope_mint(kv, scope_tenant_number(fixture->scope));
    expect(scope, "k", "v");
    batch = kv_batch_new(kv);
    kv_batch_delete(batch, scope, SLICE_LIT("k"));
    assert_int_equal(kv_write(kv, batch, true), ST_IO);
    expect(scope, "k", "v");
    kv_batch_free(batch);
    scope_free(scope);
    kv_close(kv);
}

static void a_path_that_cannot_be_made_is_an_error_with_a_reason(void **state)
{
    struct kv_rocks_options options = {.path = "/proc/no/such/place"};
    const char *reason = "";
    struct kv *kv = NULL;

    (void)state;
    assert_int_equal(kv_open_rocks(&options, &kv, &reason), ST_IO);
    assert_non_null(strstr(reason, "/proc/no/such/place"));
}

static void truncate_file(const char *directory, const char *name)
{
    char path[128];

    assert_true(snprintf(path, sizeof(path), "%s/%s", directory, name) > 0);
    assert_int_equal(truncate(path, 0), 0);
}

static void damage_to_the_manifest_is_found(void **state)
{
    struct fixture damaged;
    struct kv_rocks_options options = {.path = damaged.directory};
    const char *reason = "";

    (void)state;
    fixture_init(&damaged, STORE_ROCKS);
    fixture_close(&damaged);
    truncate_file(damaged.directory, "CURRENT");
    assert_int_equal(kv_open_rocks(&options, &damaged.kv, &reason), ST_CORRUPT);
    assert_non_null(strstr(reason, "CURRENT"));
    fixture_remove(&damaged);
}

static void a_cold_read_refuses_to_block(void **state)
{
    struct fixture *fixture = *state;
    struct kv_value value = {0};
    struct kv_iter *iter;

    put(fixture->kv, fixture->scope, "k", "v");
    assert_int_equal(kv_get(fixture->scope, NULL, KV_NO_BLOCK, SLICE_LIT("k"), &value), ST_OK);
    kv_value_release(&value);
    fixture_reopen(fixture);
    assert_int_equal(kv_get(fixture->scope, NULL, KV_NO_BLOCK, SLICE_LIT("k"), &value),
                     ST_WOULD_BLOCK);
    iter = kv_iter_new(fixture->scope, NULL, KV_NO_BLOCK, SLICE_EMPTY, SLICE_EMPTY);
    assert_int_equal(kv_iter_seek(iter, SLICE_EMPTY), ST_WOULD_BLOCK);
    kv_iter_free(iter);
    expect(fixture->scope, "k", "v");
    assert_int_equal(kv_get(fixture->scope, NULL, KV_NO_BLOCK, SLICE_LIT("k"), &value), ST_OK);
    kv_value_release(&value);
}

struct dead_range {
    uint64_t tenant_number;
    uint8_t first_byte;
};

static bool is_dead(void *context, uint64_t tenant_number, struct slice key)
{
    const struct dead_range *range = context;

    return tenant_number == range->tenant_number && key.n > 0 && key.p[0] == range->first_byte;
}

static void dead_rows_go_in_compaction(void **state)
{
    struct fixture *fixture = *state;
    struct dead_range range = {7, 'd'};
    struct kv_rocks_options options = {
        .path = fixture->directory, .is_dead = is_dead, .is_dead_context = &range};
    struct scope *other;

    fixture_close(fixture);
    assert_int_equal(kv_open_rocks(&options, &fixture->kv, NULL), ST_OK);
    fixture->scope = scope_mint(fixture->kv, FIXTURE_TENANT);
    other = scope_mint(fixture->kv, 8);
    put(fixture->kv, fixture->scope, "alive", "v");
    put(fixture->kv, fixture->scope, "dead", "v");
    put(fixture->kv, other, "dead", "v");
    expect(fixture->scope, "dead", "v");
    kv_compact(fixture->scope, SLICE_EMPTY, SLICE_EMPTY);
    kv_compact(other, SLICE_EMPTY, SLICE_EMPTY);
    expect(fixture->scope, "alive", "v");
    expect(fixture->scope, "dead", NULL);
    expect(other, "dead", "v");
    scope_free(other);
}

static void sentences_of_rocksdb_become_statuses(void **state)
{
    static const struct {
        const char *error;
        enum status status;
    } cases[] = {
        {NULL, ST_OK},
        {"Result incomplete: Block cache", ST_WOULD_BLOCK},
        {"IO error: No space left on device: While appending to file: /d/1.log: x", ST_NO_SPACE},
        {"IO error: While lock file: /d/LOCK: Resource temporarily unavailable", ST_BUSY},
        {"IO error: lock hold by current process, acquire time 1 acquiring thread 2: /d/LOCK: No "
         "locks available",
         ST_BUSY},
        {"IO error: While open a file: /d/1.sst: Permission denied", ST_IO},
        {"Corruption: block checksum mismatch: stored = 1, computed = 2", ST_CORRUPT},
        {"NotFound: ", ST_NOT_FOUND},
        {"Shutdown in progress: ", ST_CLOSED},
        {"Not implemented: ", ST_IO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(rocks_error_status(cases[i].error), cases[i].status);
}

#define ON_DISK(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(rows_survive_a_reopening),
        ON_DISK(synced_rows_survive_the_death_of_the_process),
        ON_DISK(another_process_is_told_that_the_store_is_busy),
        ON_DISK(large_values_come_back),
        ON_DISK(a_second_opening_is_told_that_the_store_is_busy),
        ON_DISK(a_read_only_store_is_read_and_not_written),
        ON_DISK(a_cold_read_refuses_to_block),
        ON_DISK(dead_rows_go_in_compaction),
        cmocka_unit_test(damage_to_the_manifest_is_found),
        cmocka_unit_test(a_path_that_cannot_be_made_is_an_error_with_a_reason),
        cmocka_unit_test(sentences_of_rocksdb_become_statuses),
    };

    if (argc == 3)
        return run_child(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
