/*
 * A line is built whole and written with one call, so that lines of different threads do not mix:
 *
 *     2030-01-31T12:00:00.123Z warning the text, control characters as \xNN
 *
 * Lines are cut at LINE_BYTES_MAX. A line that standard error does not take is lost: there is
 * nowhere to report that.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"

enum { LINE_BYTES_MAX = 16 * 1024, ESCAPE_BYTES = 4 };

static const char *const level_names[] = {"error", "warning", "info", "debug"};

static _Atomic(enum log_level) level_max = LOG_INFO;

void log_set_level(enum log_level level)
{
    level_max = level;
}

static void append_time(struct buf *line)
{
    int64_t now_ms = clock_wall_ms(&clock_system);
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm utc;

    if (gmtime_r(&seconds, &utc) == NULL)
        return;
    buf_printf(line, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
               utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(now_ms % 1000));
}

static void append_escaped(struct buf *line, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < 0x20 || text.p[i] == 0x7f)
            buf_printf(line, "\\x%02x", text.p[i]);
        else
            buf_append_byte(line, text.p[i]);
    }
}

static void write_line(struct slice line)
{
    ssize_t written = write(STDERR_FILENO, line.p, line.n);

    (void)written;
}

void log_line(enum log_level level, const char *format, ...)
{
    struct arena arena;
    struct buf line;
    va_list arguments;

    if (level > level_max)
        return;
    arena_init(&arena, 0);
    buf_init(&line, (size_t)LINE_BYTES_MAX * ESCAPE_BYTES);
    append_time(&line);
    buf_printf(&line, " %s ", level_names[level]);
    va_start(arguments, format);
    append_escaped(&line, arena_vprintf(&arena, LINE_BYTES_MAX - 64, format, arguments));
    va_end(arguments);
    buf_append_byte(&line, '\n');
    write_line(buf_slice(&line));
    buf_deinit(&line);
    arena_deinit(&arena);
}
