/*
 * Assertions that stay in release builds, for what only a bug can break; never for client input.
 * CHECK prints the condition and aborts.
 */
#ifndef ROWHOUSE_BASE_CHECK_H
#define ROWHOUSE_BASE_CHECK_H

/* What CHECK calls; prints to standard error. */
void check_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn, cold));

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            check_failed(#condition, __FILE__, __LINE__);                                          \
    } while (0)

#endif
