/* What a run found. */
#ifndef ROWHOUSE_BENCH_REPORT_H
#define ROWHOUSE_BENCH_REPORT_H

#include "connection.h"
#include "histogram.h"

#define FIRST_ERROR_SIZE_MAX 400

struct report {
    uint64_t requests; /* answered, errors included */
    uint64_t errors;   /* not 200, or shorter than an answer can be */
    int64_t elapsed_ns;
    struct histogram latency_ns;            /* of all answers */
    char first_error[FIRST_ERROR_SIZE_MAX]; /* status and body, cut; "" if there was none */
};

/* Empties it; must come first. */
void report_reset(struct report *report);
/* Counts an error and keeps the first. */
void report_error(struct report *report, const struct answer *answer);
/* One line of name=value for people and scripts. */
void report_print(const struct report *report, const char *operation, unsigned connection_count);

#endif
