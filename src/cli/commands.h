/* The subcommands. Each gets its own name as argv[0] and returns the exit code. */
#ifndef ROWHOUSE_CLI_COMMANDS_H
#define ROWHOUSE_CLI_COMMANDS_H

enum exit_code {
    EXIT_FINE = 0,
    EXIT_FAILED = 1, /* it was tried and did not work; for check: the store has faults */
    EXIT_USAGE = 2,  /* the command line or the configuration is wrong */
};

int command_serve(int argc, char **argv);
int command_check(int argc, char **argv);
int command_version(int argc, char **argv);

#endif
