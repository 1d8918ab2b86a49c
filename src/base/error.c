/* Filling a struct error. The text of a cut message still ends with a whole UTF-8 character. */
#include "base/error.h"

#include <stdarg.h>

#include "base/arena.h"

enum { MESSAGE_BYTES_MAX = 64 * 1024 };

void error_init(struct error *error, struct arena *arena)
{
    *error = (struct error){.arena = arena};
}

/* `text` less the incomplete character at its end, if it was cut inside one. */
static struct slice whole_characters(struct slice text)
{
    size_t start = text.n;
    size_t width;

    while (start > 0 && text.n - start < 4 && (text.p[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0 || text.p[start - 1] < 0xc0)
        return text;
    width = text.p[start - 1] >= 0xf0 ? 4 : text.p[start - 1] >= 0xe0 ? 3 : 2;
    if (text.n - (start - 1) < width)
        text.n = start - 1;
    return text;
}

enum status error_set(struct error *error, enum error_code code, const char *format, ...)
{
    va_list arguments;

    if (error->code != ERROR_NONE)
        return ST_REFUSED;
    va_start(arguments, format);
    error->code = code;
    error->message = arena_vprintf(error->arena, MESSAGE_BYTES_MAX, format, arguments);
    va_end(arguments);
    if (error->message.n == MESSAGE_BYTES_MAX)
        error->message = whole_characters(error->message);
    return ST_REFUSED;
}
