/*
 * Values below HISTOGRAM_STEPS have a bucket each. Above, the highest bit chooses a row and the six
 * bits below it the bucket in the row:
 *
 *   value   1 b b b b b b x x x ...        row = number of x's + 1,  bucket = bbbbbb
 *
 * Invariant: buckets are in the order of their values, and every value has exactly one.
 */
#include "histogram.h"

#include <string.h>

#include "base/check.h"

static unsigned bucket_of(uint64_t value)
{
    unsigned dropped_bits;

    if (value < HISTOGRAM_STEPS)
        return (unsigned)value;
    dropped_bits = 63u - HISTOGRAM_STEPS_LOG2 - (unsigned)__builtin_clzll(value);
    return (dropped_bits + 1) * HISTOGRAM_STEPS +
           (unsigned)(value >> dropped_bits) % HISTOGRAM_STEPS;
}

/* The largest value of the bucket. */
static uint64_t bucket_end(unsigned bucket)
{
    unsigned row = bucket / HISTOGRAM_STEPS;
    uint64_t step = bucket % HISTOGRAM_STEPS;

    if (row == 0)
        return step;
    return ((HISTOGRAM_STEPS + step) << (row - 1)) + ((UINT64_C(1) << (row - 1)) - 1);
}

void histogram_reset(struct histogram *histogram)
{
    memset(histogram, 0, sizeof(*histogram));
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram->counts[bucket_of(value)]++;
    histogram->total++;
    if (value > histogram->maximum)
        histogram->maximum = value;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned per_mille)
{
    uint64_t wanted = (histogram->total * per_mille + 999) / 1000, seen = 0;

    CHECK(per_mille > 0 && per_mille <= 1000);
    if (histogram->total == 0)
        return 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (seen >= wanted) {
            uint64_t end = bucket_end(bucket);

            return end < histogram->maximum ? end : histogram->maximum;
        }
    }
    return histogram->maximum;
}
