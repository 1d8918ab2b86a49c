/* The `rowhouse` command: picks the subcommand. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"serve", command_serve, "run the server"},
    {"check", command_check, "verify a store that no server has open"},
    {"version", command_version, "print the version"},
};

static void print_help(FILE *out)
{
    (void)fprintf(out, "Rowhouse, a multi-tenant data server that speaks the DynamoDB protocol.\n\n"
                       "Usage: rowhouse COMMAND [OPTION...]\n\nCommands:\n");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        (void)fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
    (void)fprintf(out, "\n'rowhouse COMMAND --help' tells more about each.\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    (void)fprintf(stderr, "rowhouse: there is no command '%s'; see 'rowhouse --help'\n", argv[1]);
    return EXIT_USAGE;
}
