/* The system's clocks, and one for tests whose fields may be moved while other threads read. */
#include "base/clock.h"

#include <time.h>

#include "base/check.h"
#include "base/container.h"

static struct timespec read_clock(clockid_t id)
{
    struct timespec now;

    CHECK(clock_gettime(id, &now) == 0);
    return now;
}

static int64_t system_wall_ms(const struct clock *clock)
{
    struct timespec now = read_clock(CLOCK_REALTIME);

    (void)clock;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_monotonic_ns(const struct clock *clock)
{
    struct timespec now = read_clock(CLOCK_MONOTONIC);

    (void)clock;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const struct clock clock_system = {system_wall_ms, system_monotonic_ns};

static const struct clock_fake *fake_of(const struct clock *clock)
{
    return CONTAINER_OF(clock, struct clock_fake, clock);
}

static int64_t fake_wall_ms(const struct clock *clock)
{
    return __atomic_load_n(&fake_of(clock)->wall_ms, __ATOMIC_RELAXED);
}

static int64_t fake_monotonic_ns(const struct clock *clock)
{
    return __atomic_load_n(&fake_of(clock)->monotonic_ns, __ATOMIC_RELAXED);
}

void clock_fake_init(struct clock_fake *fake, int64_t wall_ms)
{
    *fake = (struct clock_fake){
        .clock = {fake_wall_ms, fake_monotonic_ns},
        .wall_ms = wall_ms,
    };
}

void clock_fake_advance(struct clock_fake *fake, int64_t ms)
{
    __atomic_fetch_add(&fake->wall_ms, ms, __ATOMIC_RELAXED);
    __atomic_fetch_add(&fake->monotonic_ns, ms * 1000000, __ATOMIC_RELAXED);
}
