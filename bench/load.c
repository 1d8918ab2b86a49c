/*
 * rowhouse-load: puts a DynamoDB endpoint under load and says how it did.
 *
 * Everything that a request needs is made before the clock starts: bodies, heads, signatures. What
 * remains for the client to do while it measures is to send, receive and find Content-Length.
 */
#include <getopt.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/memory.h"
#include "setup.h"

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Signatures are valid for 15 minutes from the start. */
enum { SECONDS_MAX = 600 };

struct options {
    struct load load;
    struct data_set data_set;
    struct credentials credentials;
    unsigned prepared_count;
    unsigned seconds;
    unsigned requests_max; /* 0: as many as the time allows */
    unsigned seed;
    bool help;
};

/* ---- Options ---- */

static enum status read_endpoint(struct options *options, const char *value)
{
    return endpoint_parse(value, &options->load.endpoint);
}

static enum status read_table(struct options *options, const char *value)
{
    options->data_set.table = value;
    return strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
                       strlen(value) &&
                   strlen(value) >= 3 && strlen(value) <= 255
               ? ST_OK
               : ST_INVALID;
}

static enum status read_access_key(struct options *options, const char *value)
{
    options->credentials.access_key_id = slice_cstr(value);
    return ST_OK;
}

static enum status read_secret(struct options *options, const char *value)
{
    options->credentials.secret = slice_cstr(value);
    return ST_OK;
}

static enum status read_region(struct options *options, const char *value)
{
    options->credentials.region = slice_cstr(value);
    return ST_OK;
}

struct option_row {
    const char *name;
    const char *argument;
    const char *help;
    enum status (*read)(struct options *options, const char *value); /* or a number: */
    size_t field;                                                    /* an unsigned of it */
    int64_t low;
    int64_t high;
};

#define NUMBER(member, low, high) NULL, offsetof(struct options, member), low, high
#define TEXT(read) read, 0, 0, 0

static const struct option_row rows[] = {
    {"endpoint", "URL", "default http://127.0.0.1:8000", TEXT(read_endpoint)},
    {"table", "NAME", "default bench", TEXT(read_table)},
    {"access-key", "ID", "default bench; in Rowhouse's development mode this is the tenant",
     TEXT(read_access_key)},
    {"secret", "SECRET", "sign with it; without one, the signature is all zeros",
     TEXT(read_secret)},
    {"region", "NAME", "default us-east-1", TEXT(read_region)},
    {"items", "N", "rows of 1 KB for get and put (default 10000)",
     NUMBER(data_set.item_count, 1, 10000000)},
    {"partitions", "N", "partitions of 50 rows of 400 B for query (default 200)",
     NUMBER(data_set.partition_count, 1, 200000)},
    {"connections", "N", "default 32",
     NUMBER(load.connection_count, 1, CLOSED_LOOP_CONNECTIONS_MAX)},
    {"seconds", "T", "default 5", NUMBER(seconds, 1, SECONDS_MAX)},
    {"requests", "M", "stop after so many, if that comes first",
     NUMBER(requests_max, 1, UINT32_MAX)},
    {"prepared", "N", "requests made beforehand and sent in turn (default 8192)",
     NUMBER(prepared_count, 1, 500000)},
    {"seed", "N", "chooses their keys (default 1)", NUMBER(seed, 0, UINT32_MAX)},
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static void options_init(struct options *options)
{
    *options = (struct options){
        .load = {.connection_count = 32},
        .data_set = {.table = "bench", .item_count = 10000, .partition_count = 200},
        .credentials = {.access_key_id = SLICE_LIT("bench"), .region = SLICE_LIT("us-east-1")},
        .prepared_count = 8192,
        .seconds = 5,
        .seed = 1,
    };
}

static void print_help(FILE *out)
{
    (void)fprintf(out,
                  "Usage: rowhouse-load setup [OPTION...]\n"
                  "       rowhouse-load run get|put|query [OPTION...]\n\n"
                  "Creates a table and its rows on a DynamoDB endpoint; measures one operation.\n"
                  "setup and run must agree on --table, --items and --partitions.\n\n");
    for (size_t i = 0; i < ROW_COUNT; i++)
        (void)fprintf(out, "  --%-11s %-7s %s\n", rows[i].name, rows[i].argument, rows[i].help);
}

static enum status read_value(struct options *options, const struct option_row *row,
                              const char *value)
{
    unsigned *field = (unsigned *)(void *)((char *)options + row->field);
    int64_t number;

    if (row->read != NULL)
        return row->read(options, value);
    TRY(parse_int(slice_cstr(value), &number));
    if (number < row->low || number > row->high)
        return ST_INVALID;
    *field = (unsigned)number;
    return ST_OK;
}

static void long_options(struct option *ret_options)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        ret_options[i] = (struct option){rows[i].name, required_argument, NULL, (int)i};
    ret_options[ROW_COUNT] = (struct option){"help", no_argument, NULL, 'h'};
    ret_options[ROW_COUNT + 1] = (struct option){0};
}

/* What is left in argv from optind on are the command and its operand. */
static enum status read_options(int argc, char **argv, struct options *options)
{
    struct option names[ROW_COUNT + 2];
    int found;

    long_options(names);
    TRY(read_endpoint(options, "http://127.0.0.1:8000"));
    while ((found = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (found == '?')
            return ST_INVALID;
        if (found == 'h') {
            options->help = true;
            return ST_OK;
        }
        if (read_value(options, &rows[found], optarg) != ST_OK) {
            (void)fprintf(stderr, "rowhouse-load: --%s cannot be '%s'\n", rows[found].name, optarg);
            return ST_INVALID;
        }
    }
    options->load.duration_ms = (int64_t)options->seconds * 1000;
    options->load.requests_max = options->requests_max > 0 ? options->requests_max : UINT64_MAX;
    return ST_OK;
}

/* ---- Commands ---- */

static int finish(enum status status, const struct options *options, const struct report *report,
                  const char *operation)
{
    if (status != ST_OK) {
        (void)fprintf(stderr, "rowhouse-load: %s at http://%s: %s\n", operation,
                      options->load.endpoint.authority, status_name(status));
        return EXIT_FAILED;
    }
    report_print(report, operation, options->load.connection_count);
    if (report->errors == 0)
        return EXIT_FINE;
    (void)fprintf(stderr, "rowhouse-load: the first error: %s\n", report->first_error);
    return EXIT_FAILED;
}

static int command_setup(const struct options *options, const struct signer *signer,
                         struct report *report)
{
    enum status status = setup_run(&options->load, &options->data_set, signer, report);

    return finish(status, options, report, "setup");
}

static int command_run(const struct options *options, const struct operation *operation,
                       const struct signer *signer, struct report *report)
{
    /* By the clock, so that a run writes nothing that the run before it has written. */
    const struct random_choice choice = {
        .count = options->prepared_count,
        .seed = options->seed,
        .version_first = (uint64_t)clock_wall_ms(&clock_system) << 20,
    };
    struct workload workload;
    enum status status;

    workload_init_random(&workload, operation, &options->data_set, &options->load.endpoint, signer,
                         &choice);
    status = closed_loop_run(&options->load, &workload, report);
    workload_deinit(&workload);
    return finish(status, options, report, operation->name);
}

static const struct operation *find_measured(const char *name)
{
    static const struct operation *const measured[] = {&operation_get, &operation_put,
                                                       &operation_query};

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        if (strcmp(measured[i]->name, name) == 0)
            return measured[i];
    }
    return NULL;
}

static int dispatch(int operand_count, char **operands, const struct options *options)
{
    const struct operation *operation = NULL;
    bool setup = operand_count == 1 && strcmp(operands[0], "setup") == 0;
    struct report *report;
    struct signer signer;
    int code;

    if (operand_count == 2 && strcmp(operands[0], "run") == 0)
        operation = find_measured(operands[1]);
    if (!setup && operation == NULL) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    signer_init(&signer, &options->credentials, clock_wall_ms(&clock_system));
    report = MEM_NEW(struct report);
    code = setup ? command_setup(options, &signer, report)
                 : command_run(options, operation, &signer, report);
    mem_free(report);
    return code;
}

int main(int argc, char **argv)
{
    struct options options;

    options_init(&options);
    if (read_options(argc, argv, &options) != ST_OK)
        return EXIT_USAGE;
    if (options.help) {
        print_help(stdout);
        return EXIT_FINE;
    }
    return dispatch(argc - optind, argv + optind, &options);
}
