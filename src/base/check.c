/* Where a broken invariant ends the process: the core dump is worth more than going on. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
    abort();
}
