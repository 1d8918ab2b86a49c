/* One line per event on standard error: time, level, text. Only top layers log. */
#ifndef ROWHOUSE_BASE_LOG_H
#define ROWHOUSE_BASE_LOG_H

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Lines above this level are dropped; LOG_INFO at first. Any thread. */
void log_set_level(enum log_level level);
/* Control characters in the text are escaped, so that a line stays a line. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_WARNING, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
