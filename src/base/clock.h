/* Time behind an interface, so that tests own it. */
#ifndef ROWHOUSE_BASE_CLOCK_H
#define ROWHOUSE_BASE_CLOCK_H

#include <stdint.h>

struct clock {
    int64_t (*wall_ms)(const struct clock *clock);      /* milliseconds since 1970, UTC */
    int64_t (*monotonic_ns)(const struct clock *clock); /* never goes back */
};

/* The operating system's clocks. */
extern const struct clock clock_system;

/* A clock that stands still until moved. */
struct clock_fake {
    struct clock clock;
    int64_t wall_ms;
    int64_t monotonic_ns;
};
/* At `wall_ms`; its monotonic time begins at 0. */
void clock_fake_init(struct clock_fake *fake, int64_t wall_ms);
/* Moves both times. Any thread. */
void clock_fake_advance(struct clock_fake *fake, int64_t ms);

static inline int64_t clock_wall_ms(const struct clock *clock)
{
    return clock->wall_ms(clock);
}

static inline int64_t clock_monotonic_ns(const struct clock *clock)
{
    return clock->monotonic_ns(clock);
}

#endif
