/*
 * Proof of the shim: what was synced stays, what was not goes. Each case runs this program again as
 * a child under the shim, which works in a directory and ends by kill -9; then the discarding tool
 * cuts the power. The last cases do the same to a store.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/encode.h"
#include "store/kv.h"
#include "store/scope_mint.h"

#define STORE_ROWS 500

/* In the child. */

static int open_file(const char *name, int flags)
{
    int fd = open(name, flags, 0600);

    CHECK(fd >= 0);
    return fd;
}

static void append_to(const char *name, const char *text)
{
    int fd = open_file(name, O_WRONLY | O_CREAT | O_APPEND);

    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(fd) == 0);
}

static void sync_name(const char *name)
{
    int fd = open_file(name, O_RDONLY);

    CHECK(fsync(fd) == 0);
    CHECK(close(fd) == 0);
}

static void append_after_sync(void)
{
    append_to("a", "synced");
    sync_name("a");
    append_to("a", " and not");
}

static void sync_nothing(void)
{
    append_to("a", "text");
}

static void sync_file_and_directory(void)
{
    append_to("a", "text");
    sync_name("a");
    sync_name(".");
}

static void sync_file_only(void)
{
    append_to("a", "text");
    sync_name("a");
}

static void sync_directory_only(void)
{
    append_to("a", "text");
    sync_name(".");
}

/* The way a pointer to a newest version is replaced. */
static void replace_file(void)
{
    append_to("new", "new");
    sync_name("new");
    CHECK(rename("new", "old") == 0);
}

static void replace_file_and_sync(void)
{
    replace_file();
    sync_name(".");
}

static void remove_file(void)
{
    CHECK(unlink("old") == 0);
}

static void remove_file_and_sync(void)
{
    CHECK(remove("old") == 0);
    sync_name(".");
}

static void overwrite_synced_bytes(void)
{
    int fd = open_file("a", O_RDWR | O_CREAT);

    CHECK(write(fd, "0123456789", 10) == 10);
    CHECK(fdatasync(fd) == 0);
    CHECK(pwrite(fd, "x", 1, 5) == 1);
}

static void overwrite_unsynced_bytes(void)
{
    int fd = open_file("a", O_RDWR | O_CREAT);

    CHECK(write(fd, "0123456789", 10) == 10);
    CHECK(fdatasync(fd) == 0);
    CHECK(pwrite(fd, "abc", 3, 10) == 3);
    CHECK(pwrite(fd, "xyz", 3, 10) == 3);
}

/* Space reserved ahead and trimmed at the end, as log writers do. */
static void reserve_and_trim(void)
{
    int fd = open_file("a", O_RDWR | O_CREAT);

    CHECK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20) == 0);
    CHECK(write(fd, "kept", 4) == 4);
    CHECK(ftruncate(fd, 4) == 0);
    CHECK(fsync(fd) == 0);
}

static void append_through_stdio(void)
{
    FILE *file = fopen("a", "w");

    CHECK(file != NULL && fputs("text", file) >= 0 && fflush(file) == 0);
    CHECK(fsync(fileno(file)) == 0);
    CHECK(fputs(" lost", file) >= 0 && fflush(file) == 0);
}

static void work_in_a_new_directory(void)
{
    CHECK(mkdir("d", 0700) == 0);
    append_to("d/a", "text");
    sync_name("d/a");
    sync_name("d");
}

static void work_in_a_new_directory_and_sync(void)
{
    work_in_a_new_directory();
    sync_name(".");
}

static void sync_another_file(void)
{
    append_to("b", "text");
    sync_name("b");
}

static void append_a_lot(void)
{
    append_to("a", "synced");
    sync_name("a");
    for (int i = 0; i < 1000; i++)
        append_to("a", "0123456789");
}

static void put_row(struct kv *kv, const struct scope *scope, uint32_t number, bool sync)
{
    struct kv_batch *batch = kv_batch_new(kv);
    uint8_t key[4];

    put_be32(key, number);
    kv_batch_put(batch, scope, slice_of(key, 4), SLICE_LIT("row"));
    CHECK(kv_write(kv, batch, sync) == ST_OK);
    kv_batch_free(batch);
}

/* Rows in tables, rows in the log, and then rows that nobody waited for. */
static void write_to_a_store(void)
{
    struct kv_rocks_options options = {.path = "store", .write_buffer_bytes = 64 << 10};
    struct scope *scope;
    struct kv *kv;

    CHECK(kv_open_rocks(&options, &kv, NULL) == ST_OK);
    scope = scope_mint(kv, 1);
    for (uint32_t i = 0; i < STORE_ROWS; i++) {
        put_row(kv, scope, i, true);
        if (i == STORE_ROWS / 2)
            kv_compact(scope, SLICE_EMPTY, SLICE_EMPTY);
    }
    for (uint32_t i = STORE_ROWS; i < STORE_ROWS + 10; i++)
        put_row(kv, scope, i, false);
}

static const struct {
    const char *name;
    void (*work)(void);
} works[] = {
#define WORK(function)                                                                             \
    {                                                                                              \
#function, function                                                                        \
    }
    WORK(append_after_sync),
    WORK(sync_nothing),
    WORK(sync_file_and_directory),
    WORK(sync_file_only),
    WORK(sync_directory_only),
    WORK(replace_file),
    WORK(replace_file_and_sync),
    WORK(remove_file),
    WORK(remove_file_and_sync),
    WORK(overwrite_synced_bytes),
    WORK(overwrite_unsynced_bytes),
    WORK(reserve_and_trim),
    WORK(append_through_stdio),
    WORK(work_in_a_new_directory),
    WORK(work_in_a_new_directory_and_sync),
    WORK(sync_another_file),
    WORK(append_a_lot),
    WORK(write_to_a_store),
};

static int run_child(const char *name, const char *directory)
{
    CHECK(chdir(directory) == 0);
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
        if (strcmp(works[i].name, name) == 0) {
            works[i].work();
            CHECK(raise(SIGKILL) == 0);
        }
    return 1;
}

/* In the parent. */

static int setup(void **state)
{
    static char directory[32];

    assert_true(snprintf(directory, sizeof(directory), "/tmp/powerloss-XXXXXX") > 0);
    assert_non_null(mkdtemp(directory));
    *state = directory;
    return 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static int teardown(void **state)
{
    return nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* The child's exit status as waitpid has it. */
static int run(char *const *arguments, const char *directory)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        if (directory != NULL && (setenv("ROWHOUSE_SHIM_DIR", directory, 1) != 0 ||
                                  setenv("LD_PRELOAD", SHIM_PATH, 1) != 0 ||
                                  setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1) != 0))
            _exit(1);
        (void)execv(arguments[0], arguments);
        _exit(1);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void work_and_die(const char *directory, const char *work)
{
    char *arguments[] = {"/proc/self/exe", (char *)work, (char *)directory, NULL};
    int status = run(arguments, directory);

    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static int cut_power(const char *directory, const char *option)
{
    char *arguments[] = {DISCARD_PATH, (char *)option, (char *)directory, NULL};
    int status = run(arguments, NULL);

    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* In the words of the file system that keeps the names of synced files, and of one that does not.
 */
#define LENIENT "--tail=drop"
#define STRICT "--strict"

static void work_and_cut(const char *directory, const char *work, const char *option)
{
    work_and_die(directory, work);
    assert_int_equal(cut_power(directory, option), 0);
}

static void path_of(char path[64], const char *directory, const char *name)
{
    int n = snprintf(path, 64, "%s/%s", directory, name);

    assert_true(n > 0 && n < 64);
}

static void make_file(const char *directory, const char *name, const char *text)
{
    char path[64];
    FILE *file;

    path_of(path, directory, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_file(const char *directory, const char *name, const char *text)
{
    char bytes[64] = "";
    char path[64];
    FILE *file;

    path_of(path, directory, name);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof(bytes) - 1, file), strlen(text));
    assert_string_equal(bytes, text);
    assert_int_equal(fclose(file), 0);
}

static void assert_missing(const char *directory, const char *name)
{
    char path[64];

    path_of(path, directory, name);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(errno, ENOENT);
}

static void bytes_after_the_last_sync_go(void **state)
{
    work_and_cut(*state, "append_after_sync", LENIENT);
    assert_file(*state, "a", "synced");
}

static void without_a_power_cut_all_stays(void **state)
{
    char *side;

    work_and_die(*state, "append_after_sync");
    assert_file(*state, "a", "synced and not");
    assert_int_equal(cut_power(*state, LENIENT), 0);
    assert_true(asprintf(&side, "%s.powerloss", (char *)*state) > 0);
    assert_int_equal(access(side, F_OK), -1);
    free(side);
}

static void without_the_start_of_a_journal_nothing_goes(void **state)
{
    char *side;

    make_file(*state, "a", "text");
    assert_true(asprintf(&side, "%s.powerloss", (char *)*state) > 0);
    assert_int_equal(mkdir(side, 0700), 0);
    make_file(side, "journal", "file 1 1 0\n");
    free(side);
    assert_int_equal(cut_power(*state, STRICT), 0);
    assert_file(*state, "a", "text");
}

static void a_file_never_synced_goes(void **state)
{
    work_and_cut(*state, "sync_nothing", LENIENT);
    assert_missing(*state, "a");
}

static void a_synced_file_in_a_synced_directory_stays(void **state)
{
    work_and_cut(*state, "sync_file_and_directory", STRICT);
    assert_file(*state, "a", "text");
}

static void the_name_of_a_synced_file_depends_on_the_file_system(void **state)
{
    work_and_cut(*state, "sync_file_only", STRICT);
    assert_missing(*state, "a");
    work_and_cut(*state, "sync_file_only", LENIENT);
    assert_file(*state, "a", "text");
}

static void a_synced_directory_keeps_names_and_no_content(void **state)
{
    work_and_cut(*state, "sync_directory_only", STRICT);
    assert_file(*state, "a", "");
}

static void an_unsynced_rename_is_undone(void **state)
{
    make_file(*state, "old", "old");
    work_and_cut(*state, "replace_file", STRICT);
    assert_file(*state, "old", "old");
    assert_missing(*state, "new");
    work_and_cut(*state, "replace_file", LENIENT);
    assert_file(*state, "old", "old");
    assert_file(*state, "new", "new");
}

static void a_synced_rename_stays(void **state)
{
    make_file(*state, "old", "old");
    work_and_cut(*state, "replace_file_and_sync", STRICT);
    assert_file(*state, "old", "new");
    assert_missing(*state, "new");
}

static void an_unsynced_removal_is_undone(void **state)
{
    make_file(*state, "old", "old");
    work_and_cut(*state, "remove_file", STRICT);
    assert_file(*state, "old", "old");
    work_and_cut(*state, "remove_file_and_sync", STRICT);
    assert_missing(*state, "old");
}

static void files_that_were_there_before_stay(void **state)
{
    make_file(*state, "before", "as it was");
    work_and_cut(*state, "sync_nothing", STRICT);
    assert_file(*state, "before", "as it was");
}

static void overwriting_durable_bytes_is_reported(void **state)
{
    work_and_die(*state, "overwrite_synced_bytes");
    assert_int_equal(cut_power(*state, LENIENT), 4);
}

static void overwriting_other_bytes_is_not(void **state)
{
    work_and_cut(*state, "overwrite_unsynced_bytes", LENIENT);
    assert_file(*state, "a", "0123456789");
}

static void reserved_space_is_no_content(void **state)
{
    work_and_cut(*state, "reserve_and_trim", LENIENT);
    assert_file(*state, "a", "kept");
}

static void streams_are_followed(void **state)
{
    work_and_cut(*state, "append_through_stdio", LENIENT);
    assert_file(*state, "a", "text");
}

static void a_new_directory_needs_its_parent_synced(void **state)
{
    work_and_cut(*state, "work_in_a_new_directory", STRICT);
    assert_missing(*state, "d");
    work_and_cut(*state, "work_in_a_new_directory_and_sync", STRICT);
    assert_file(*state, "d/a", "text");
}

static void a_second_process_goes_on_where_the_first_died(void **state)
{
    work_and_die(*state, "append_after_sync");
    work_and_die(*state, "sync_another_file");
    assert_int_equal(cut_power(*state, LENIENT), 0);
    assert_file(*state, "a", "synced");
    assert_file(*state, "b", "text");
}

static void a_random_tail_keeps_what_was_synced(void **state)
{
    char path[64];
    struct stat info;

    path_of(path, *state, "a");
    for (int i = 0; i < 8; i++) {
        char bytes[7] = "";
        FILE *file;

        work_and_cut(*state, "append_a_lot", "--tail=random");
        assert_int_equal(stat(path, &info), 0);
        assert_in_range(info.st_size, 6, 10006);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(bytes, 1, 6, file), 6);
        assert_string_equal(bytes, "synced");
        assert_int_equal(fclose(file), 0);
        assert_int_equal(unlink(path), 0);
    }
}

static void assert_store(const char *directory, bool unsynced_rows_are_gone)
{
    char path[64];
    struct kv_rocks_options options = {.path = path};
    struct scope *scope;
    struct kv *kv;

    path_of(path, directory, "store");
    assert_int_equal(kv_open_rocks(&options, &kv, NULL), ST_OK);
    scope = scope_mint(kv, 1);
    for (uint32_t i = 0; i < STORE_ROWS + 10; i++) {
        struct kv_value value = {0};
        uint8_t key[4];
        enum status status;

        put_be32(key, i);
        status = kv_get(scope, NULL, KV_MAY_BLOCK, slice_of(key, 4), &value);
        if (i < STORE_ROWS)
            assert_int_equal(status, ST_OK);
        else if (unsynced_rows_are_gone)
            assert_int_equal(status, ST_NOT_FOUND);
        kv_value_release(&value);
    }
    scope_free(scope);
    kv_close(kv);
}

static void a_store_keeps_synced_rows_alone(void **state)
{
    work_and_cut(*state, "write_to_a_store", LENIENT);
    assert_store(*state, true);
}

static void a_store_relies_on_no_more_than_posix(void **state)
{
    work_and_cut(*state, "write_to_a_store", STRICT);
    assert_store(*state, true);
}

static void a_store_bears_a_torn_tail(void **state)
{
    work_and_cut(*state, "write_to_a_store", "--tail=random");
    assert_store(*state, false);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(bytes_after_the_last_sync_go),
        CASE(without_a_power_cut_all_stays),
        CASE(without_the_start_of_a_journal_nothing_goes),
        CASE(a_file_never_synced_goes),
        CASE(a_synced_file_in_a_synced_directory_stays),
        CASE(the_name_of_a_synced_file_depends_on_the_file_system),
        CASE(a_synced_directory_keeps_names_and_no_content),
        CASE(an_unsynced_rename_is_undone),
        CASE(a_synced_rename_stays),
        CASE(an_unsynced_removal_is_undone),
        CASE(files_that_were_there_before_stay),
        CASE(overwriting_durable_bytes_is_reported),
        CASE(overwriting_other_bytes_is_not),
        CASE(reserved_space_is_no_content),
        CASE(streams_are_followed),
        CASE(a_new_directory_needs_its_parent_synced),
        CASE(a_second_process_goes_on_where_the_first_died),
        CASE(a_random_tail_keeps_what_was_synced),
        CASE(a_store_keeps_synced_rows_alone),
        CASE(a_store_relies_on_no_more_than_posix),
        CASE(a_store_bears_a_torn_tail),
    };

    if (argc == 3)
        return run_child(argv[1], argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
