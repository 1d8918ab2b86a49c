/*
 * rowhouse serve: configuration, start, the line that says so, and the wait for a signal.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cli/commands.h"
#include "server/config.h"
#include "server/server.h"

/* What getopt_long() returns for a key of the configuration, for --config and for --help. */
enum { OPTION_KEY = 'k', OPTION_CONFIG = 'c', OPTION_HELP = 'h' };

enum { OPTIONS_MAX = 64 };

static void list_options(struct option ret_options[OPTIONS_MAX])
{
    const struct config_key *key;
    size_t count = 0;

    for (; (key = config_key_at(count)) != NULL; count++) {
        CHECK(count < OPTIONS_MAX - 3);
        ret_options[count] = (struct option){
            key->name, key->argument == NULL ? no_argument : required_argument, NULL, OPTION_KEY};
    }
    ret_options[count++] = (struct option){"config", required_argument, NULL, OPTION_CONFIG};
    ret_options[count++] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    ret_options[count] = (struct option){0};
}

static void print_key(const struct config_key *key)
{
    int width = printf("  --%s%s%s", key->name, key->argument == NULL ? "" : " ",
                       key->argument == NULL ? "" : key->argument);

    (void)printf("%*s%s", width < 25 ? 26 - width : 1, "", key->help);
    (void)(key->otherwise == NULL ? printf("\n") : printf(" (default: %s)\n", key->otherwise));
}

static void print_help(void)
{
    const struct config_key *key;

    (void)printf(
        "Usage: rowhouse serve [OPTION...]\n\n"
        "Runs the server until SIGTERM or SIGINT. Without --config it is a development server:\n"
        "it listens on loopback only, and any access key id is accepted and is the tenant.\n\n"
        "  --config FILE           configuration with access keys: production mode\n");
    for (size_t i = 0; (key = config_key_at(i)) != NULL; i++)
        print_key(key);
    (void)printf(
        "\nThe file has the same keys without the hyphens before them (listen = ...), and\n"
        "for each access key a section:\n\n"
        "  [access-key \"ID\"]      secret = ..., and tenant = ID, operator = yes or\n"
        "                         application = yes\n");
}

/* The file is read first, wherever it stands, so that the command line wins over it. */
static int read_file(int argc, char **argv, struct config *config)
{
    struct option options[OPTIONS_MAX];
    int option;

    list_options(options);
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        if (option == OPTION_CONFIG && config_read(config, optarg, stderr) != ST_OK)
            return EXIT_USAGE;
    optind = 0;
    opterr = 1;
    return EXIT_FINE;
}

static int read_options(int argc, char **argv, struct config *config)
{
    struct option options[OPTIONS_MAX];
    int index = 0, option;

    list_options(options);
    while ((option = getopt_long(argc, argv, "h", options, &index)) != -1) {
        const char *reason = "";

        if (option == '?')
            return EXIT_USAGE;
        if (option == OPTION_CONFIG)
            continue;
        if (config_set(config, options[index].name, optarg == NULL ? "yes" : optarg, &reason) ==
            ST_OK)
            continue;
        (void)fprintf(stderr, "rowhouse serve: --%s %s: %s\n", options[index].name,
                      optarg == NULL ? "" : optarg, reason);
        return EXIT_USAGE;
    }
    if (optind < argc) {
        (void)fprintf(stderr, "rowhouse serve: unexpected argument '%s'\n", argv[optind]);
        return EXIT_USAGE;
    }
    return EXIT_FINE;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* One line, for people and for scripts that wait for it. */
static void print_ready(const struct config *config, const struct server *server)
{
    bool six = strchr(config->listen_host, ':') != NULL;

    (void)printf("listening on http://%s%s%s:%u (%s; %s%s)\n", six ? "[" : "", config->listen_host,
                 six ? "]" : "", server_port(server),
                 config->development ? "development mode: the access key id is the tenant"
                                     : "production mode",
                 config->in_memory ? "in memory" : "data in ",
                 config->in_memory ? "" : config->data);
    (void)fflush(stdout);
}

/* Signals are blocked before any thread starts, so that this thread alone receives them. */
static void block_signals(sigset_t *ret_signals)
{
    CHECK(sigemptyset(ret_signals) == 0);
    CHECK(sigaddset(ret_signals, SIGTERM) == 0);
    CHECK(sigaddset(ret_signals, SIGINT) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, ret_signals, NULL) == 0);
    (void)signal(SIGPIPE, SIG_IGN);
}

static int serve(const struct config *config)
{
    struct server *server;
    sigset_t signals;
    int received;

    block_signals(&signals);
    if (server_start(config, stderr, &server) != ST_OK)
        return EXIT_FAILED;
    print_ready(config, server);
    CHECK(sigwait(&signals, &received) == 0);
    server_stop(server);
    return EXIT_FINE;
}

int command_serve(int argc, char **argv)
{
    static char name[] = "rowhouse serve"; /* what getopt's complaints begin with */
    struct config config;
    int code;

    argv[0] = name;
    if (asks_for_help(argc, argv)) {
        print_help();
        return EXIT_FINE;
    }
    config_init(&config);
    code = read_file(argc, argv, &config);
    if (code == EXIT_FINE)
        code = read_options(argc, argv, &config);
    if (code == EXIT_FINE && config_check(&config, stderr) != ST_OK)
        code = EXIT_USAGE;
    if (code == EXIT_FINE)
        code = serve(&config);
    config_deinit(&config);
    return code;
}
