/* Counting, and the one line at the end: see report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

void report_reset(struct report *report)
{
    *report = (struct report){0};
    histogram_reset(&report->latency_ns);
}

void report_error(struct report *report, const struct answer *answer)
{
    struct slice body = answer->body;

    if (report->errors++ > 0)
        return;
    if (body.n > FIRST_ERROR_SIZE_MAX)
        body.n = FIRST_ERROR_SIZE_MAX;
    if (snprintf(report->first_error, sizeof(report->first_error), "%d %" PRISLICE, answer->status,
                 SLICE_ARG(body)) < 0)
        report->first_error[0] = '\0';
}

static double microseconds(uint64_t ns)
{
    return (double)ns / 1e3;
}

void report_print(const struct report *report, const char *operation, unsigned connection_count)
{
    const struct histogram *latency = &report->latency_ns;
    double seconds = (double)report->elapsed_ns / 1e9;

    (void)printf("op=%s connections=%u requests=%" PRIu64 " seconds=%.3f "
                 "requests_per_second=%.0f errors=%" PRIu64 " p50_us=%.1f p99_us=%.1f "
                 "max_us=%.1f\n",
                 operation, connection_count, report->requests, seconds,
                 seconds > 0 ? (double)report->requests / seconds : 0, report->errors,
                 microseconds(histogram_percentile(latency, 500)),
                 microseconds(histogram_percentile(latency, 990)), microseconds(latency->maximum));
}
