#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"

#define MESSAGE_SIZE_BYTES_MAX (64 * 1024)

void error_init(struct error *error, struct arena *arena)
{
    *error = (struct error){.arena = arena};
}

enum status error_set(struct error *error, enum error_code code, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    if (error->code != ERROR_NONE)
        return ST_REFUSED;
    error->code = code;
    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return ST_REFUSED;
    if (n > MESSAGE_SIZE_BYTES_MAX)
        n = MESSAGE_SIZE_BYTES_MAX;
    text = arena_alloc(error->arena, (size_t)n + 1);
    va_start(args, format);
    (void)vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    error->message = slice_of(text, (size_t)n);
    return ST_REFUSED;
}
