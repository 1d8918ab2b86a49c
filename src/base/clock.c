#include "base/clock.h"

#include <assert.h>
#include <stddef.h>
#include <time.h>

#include "base/check.h"

static int64_t system_wall_ms(const struct clock *clock)
{
    struct timespec now;

    (void)clock;
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_monotonic_ns(const struct clock *clock)
{
    struct timespec now;

    (void)clock;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const struct clock clock_system = {system_wall_ms, system_monotonic_ns};

static int64_t fake_wall_ms(const struct clock *clock)
{
    return ((const struct clock_fake *)clock)->wall_ms;
}

static int64_t fake_monotonic_ns(const struct clock *clock)
{
    return ((const struct clock_fake *)clock)->monotonic_ns;
}

static_assert(offsetof(struct clock_fake, clock) == 0, "a fake clock begins with its interface");

void clock_fake_init(struct clock_fake *fake, int64_t wall_ms)
{
    *fake = (struct clock_fake){{fake_wall_ms, fake_monotonic_ns}, wall_ms, 0};
}

void clock_fake_advance(struct clock_fake *fake, int64_t ms)
{
    fake->wall_ms += ms;
    fake->monotonic_ns += ms * 1000000;
}
