/* rowhouse version. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

int command_version(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        (void)printf("Usage: rowhouse version\n\nPrints the version.\n");
        return EXIT_FINE;
    }
    if (argc > 1) {
        (void)fprintf(stderr, "rowhouse version: takes no argument, not '%s'\n", argv[1]);
        return EXIT_USAGE;
    }
    (void)printf("rowhouse %s\n", ROWHOUSE_VERSION);
    return EXIT_FINE;
}
