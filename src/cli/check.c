/* rowhouse check DIR: verifies a store offline. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "engine/verify.h"
#include "store/kv.h"

static void print_help(void)
{
    (void)printf("Usage: rowhouse check DIR\n\n"
                 "Verifies the store in DIR, which no server may have open: keys, values, index\n"
                 "rows against their items, counters. Prints one line per fault and a summary.\n"
                 "Exit code: 0 if the store is sound, 1 if not, 2 for a wrong command line.\n");
}

static void print_fault(void *context, struct slice sentence)
{
    (void)context;
    (void)printf("%" PRISLICE "\n", SLICE_ARG(sentence));
}

static int verify(struct kv *store, const char *path)
{
    struct verify_totals totals;
    enum status status = verify_store(store, print_fault, NULL, &totals);

    if (status == ST_NOT_FOUND) {
        (void)fprintf(stderr, "rowhouse check: %s is no Rowhouse store\n", path);
        return EXIT_FAILED;
    }
    if (status != ST_OK) {
        (void)fprintf(stderr, "rowhouse check: cannot read %s to its end: %s\n", path,
                      status_name(status));
        return EXIT_FAILED;
    }
    (void)printf("%" PRIu64 " tenants, %" PRIu64 " tables, %" PRIu64 " items, %" PRIu64
                 " index rows, %" PRIu64 " rows of dropped tables, %" PRIu64 " faults\n",
                 totals.tenants, totals.tables, totals.items, totals.index_rows, totals.dead_rows,
                 totals.faults);
    return totals.faults == 0 ? EXIT_FINE : EXIT_FAILED;
}

/* CURRENT is the file that names a store's newest state. */
static bool holds_store(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool holds = folder >= 0 && (faccessat(folder, "CURRENT", F_OK, 0) == 0 || errno == EACCES);

    if (folder < 0)
        return errno == EACCES; /* opening the store says why */
    (void)close(folder);
    return holds;
}

int command_check(int argc, char **argv)
{
    struct kv_rocks_options options = {.read_only = true};
    const char *reason = "";
    struct stat found;
    struct kv *store;
    int code;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return EXIT_FINE;
    }
    if (argc != 2 || argv[1][0] == '-') {
        (void)fprintf(stderr, "rowhouse check: expected one folder; see 'rowhouse check --help'\n");
        return EXIT_USAGE;
    }
    options.path = argv[1];
    if (stat(options.path, &found) != 0 || !S_ISDIR(found.st_mode)) {
        (void)fprintf(stderr, "rowhouse check: there is no folder %s\n", options.path);
        return EXIT_FAILED;
    }
    if (!holds_store(options.path)) {
        (void)fprintf(stderr, "rowhouse check: %s is no Rowhouse store\n", options.path);
        return EXIT_FAILED;
    }
    if (kv_open_rocks(&options, &store, &reason) != ST_OK) {
        (void)fprintf(stderr, "rowhouse check: cannot open the store in %s: %s\n", options.path,
                      reason);
        return EXIT_FAILED;
    }
    code = verify(store, options.path);
    kv_close(store);
    return code;
}
