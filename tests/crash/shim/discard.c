/*
 * powerloss-discard [--strict] [--tail=drop|random] [--seed=N] TREE
 *
 * Makes of a tree that was followed by the shim, and whose process is dead, what a power cut would
 * have left: each durable name leads to the durable prefix of its file, and nothing else is there.
 *
 *   --strict       a name is durable only when its directory was synced, not when its file was
 *   --tail=random  some of the bytes after the durable prefix stay: a part of them, of which the
 *                  end may read as zeros, as after a write whose length got to the disk and whose
 *                  blocks did not
 *   --seed=N       repeats a random choice
 *
 * What is left counts as durable from then on: the journal is removed. Exit status: 0 done, 1 wrong
 * arguments, 2 the process still lives or there is no journal, 3 the journal is malformed, 4 done,
 * but durable bytes had been overwritten, so that the result is only nearly what a disk would hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger.h"

#define OPEN_DIRECTORIES_MAX 16
#define ZEROS_SIZE_BYTES 4096

static struct {
    bool strict;
    bool random_tail;
    uint64_t seed;
    char tree[PATH_MAX];
    char side[PATH_MAX];
    struct ledger ledger;
    size_t kept;
    size_t shortened;
    uint64_t lost_bytes;
} discard;

static void die(int status, const char *what, const char *name)
{
    (void)fprintf(stderr, "powerloss-discard: %s: %s: %m\n", what, name);
    exit(status);
}

__attribute__((format(printf, 2, 3))) static void format_path(char *path, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (n < 0 || n >= PATH_MAX)
        die(1, "path too long", format);
}

/* splitmix64; `below` is not 0. */
static uint64_t pick(uint64_t below)
{
    uint64_t z = discard.seed += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % below;
}

/* A name is only found again if all directories above it are. */
static bool is_durable(const char *name)
{
    char above[PATH_MAX];

    format_path(above, "%s", name);
    for (char *end = above + strlen(above); end != NULL; end = strrchr(above, '/')) {
        *end = '\0';
        if (ledger_find_name(&discard.ledger.durable, above) == 0)
            return false;
    }
    return true;
}

/* Durable directories stay where they are; all else goes, and durable files come back. */
static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)type;
    if (where->level == 0)
        return 0;
    if (!S_ISDIR(info->st_mode))
        return unlink(path);
    return is_durable(path + strlen(discard.tree) + 1) ? 0 : rmdir(path);
}

static void zero_range(const char *path, uint64_t from, uint64_t to)
{
    static const char zeros[ZEROS_SIZE_BYTES];
    int fd = open(path, O_WRONLY);

    if (fd < 0)
        die(2, "cannot open", path);
    while (from < to) {
        size_t n = to - from < sizeof(zeros) ? (size_t)(to - from) : sizeof(zeros);

        if (pwrite(fd, zeros, n, (off_t)from) != (ssize_t)n)
            die(2, "cannot write", path);
        from += n;
    }
    if (close(fd) != 0)
        die(2, "cannot close", path);
}

/* Cuts a file to its durable prefix, or a little more. */
static void shorten(const char *path, uint64_t durable_bytes)
{
    struct stat info;
    uint64_t size;
    uint64_t kept = durable_bytes;

    if (stat(path, &info) != 0)
        die(2, "cannot stat", path);
    size = (uint64_t)info.st_size;
    if (size <= durable_bytes)
        return;
    if (discard.random_tail)
        kept += pick(size - durable_bytes + 1);
    if (truncate(path, (off_t)kept) != 0)
        die(2, "cannot truncate", path);
    if (kept > durable_bytes && pick(2) == 0)
        zero_range(path, durable_bytes + pick(kept - durable_bytes), kept);
    discard.shortened++;
    discard.lost_bytes += size - kept;
}

static void restore(const struct ledger_name *name)
{
    const struct ledger_file *file = ledger_file(&discard.ledger, name->id);
    char path[PATH_MAX];
    char side[PATH_MAX];

    if (!is_durable(name->name))
        return;
    format_path(path, "%s/%s", discard.tree, name->name);
    format_path(side, "%s/%zu", discard.side, name->id);
    if (file->is_directory) {
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            die(2, "cannot make", path);
        return;
    }
    if (link(side, path) != 0)
        die(2, "cannot restore", path);
    shorten(path, file->durable_bytes);
    discard.kept++;
}

/* Parents before children. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct ledger_name *)a)->name, ((const struct ledger_name *)b)->name);
}

static void restore_all(void)
{
    struct ledger_names *durable = &discard.ledger.durable;

    if (durable->n > 0)
        qsort(durable->p, durable->n, sizeof(durable->p[0]), compare_names);
    for (size_t i = 0; i < durable->n; i++)
        restore(&durable->p[i]);
}

static int remove_side_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void load_journal(void)
{
    char path[PATH_MAX];
    int fd;

    format_path(discard.side, "%s.powerloss", discard.tree);
    format_path(path, "%s/journal", discard.side);
    fd = open(path, O_RDONLY);
    if (fd < 0)
        die(2, "cannot open", path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        die(2, "the process still lives", path);
    ledger_init(&discard.ledger, !discard.strict);
    (void)ledger_load(&discard.ledger, fd);
}

static bool model_held(void)
{
    for (size_t i = 0; i < discard.ledger.file_count; i++)
        if (discard.ledger.files[i].overwritten)
            return false;
    return true;
}

static void parse_arguments(int argc, char **argv)
{
    static const struct option options[] = {{"strict", no_argument, NULL, 's'},
                                            {"tail", required_argument, NULL, 't'},
                                            {"seed", required_argument, NULL, 'n'},
                                            {0}};
    int option;

    if (getrandom(&discard.seed, sizeof(discard.seed), 0) != sizeof(discard.seed))
        die(1, "no randomness", "getrandom");
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 's')
            discard.strict = true;
        else if (option == 't' && strcmp(optarg, "random") == 0)
            discard.random_tail = true;
        else if (option == 'n')
            discard.seed = strtoull(optarg, NULL, 0);
        else if (option != 't' || strcmp(optarg, "drop") != 0)
            exit(1);
    }
    if (optind + 1 != argc || realpath(argv[optind], discard.tree) == NULL)
        die(1, "no such tree", optind < argc ? argv[optind] : "");
}

static void cut_power(void)
{
    if (nftw(discard.tree, remove_entry, OPEN_DIRECTORIES_MAX, FTW_PHYS | FTW_DEPTH) != 0)
        die(2, "cannot empty", discard.tree);
    restore_all();
}

int main(int argc, char **argv)
{
    uint64_t seed;
    bool held;

    parse_arguments(argc, argv);
    seed = discard.seed;
    load_journal();
    if (discard.ledger.begun)
        cut_power();
    if (nftw(discard.side, remove_side_entry, OPEN_DIRECTORIES_MAX, FTW_PHYS | FTW_DEPTH) != 0)
        die(2, "cannot remove", discard.side);
    (void)printf("powerloss: %zu files kept, %zu shortened by %llu bytes (seed 0x%llx)\n",
                 discard.kept, discard.shortened, (unsigned long long)discard.lost_bytes,
                 (unsigned long long)seed);
    held = model_held();
    ledger_deinit(&discard.ledger);
    return held ? 0 : 4;
}
