#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define LINE_SIZE_BYTES 4096

static _Atomic(enum log_level) level_max = LOG_INFO;

void log_set_level(enum log_level level)
{
    atomic_store(&level_max, level);
}

static void escape_controls(char *text)
{
    for (char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    char text[LINE_SIZE_BYTES], when[32];
    time_t now = time(NULL);
    struct tm utc;
    va_list args;

    if (level > atomic_load(&level_max) || gmtime_r(&now, &utc) == NULL)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    escape_controls(text);
    (void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
    (void)fprintf(stderr, "%s %s: %s\n", when, names[level], text);
}
