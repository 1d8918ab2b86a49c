/*
 * Counts of latencies in buckets that are a fixed fraction wide, so that a percentile of any size
 * is at most 1/64 too high.
 */
#ifndef ROWHOUSE_BENCH_HISTOGRAM_H
#define ROWHOUSE_BENCH_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_STEPS_LOG2 = 6, /* buckets for each power of two */
    HISTOGRAM_STEPS = 1 << HISTOGRAM_STEPS_LOG2,
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_STEPS_LOG2 + 1) * HISTOGRAM_STEPS,
};

struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t maximum;
};

/* Empties it; must come first. */
void histogram_reset(struct histogram *histogram);
/* Counts one value; any value is in range. */
void histogram_add(struct histogram *histogram, uint64_t value);
/*
 * The smallest bucket end that `per_mille` of 1000 values do not exceed, and never more than the
 * maximum; 0 if nothing was added.
 */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned per_mille);

#endif
