/*
 * Load as a closed loop: each connection sends its next request when it has the answer to the last.
 * The throughput is what the server takes; a slow server gets fewer requests, not a longer queue.
 */
#ifndef ROWHOUSE_BENCH_CLOSED_LOOP_H
#define ROWHOUSE_BENCH_CLOSED_LOOP_H

#include "endpoint.h"
#include "report.h"
#include "workload.h"

#define CLOSED_LOOP_CONNECTIONS_MAX 4096

struct load {
    struct endpoint endpoint;
    unsigned connection_count;
    int64_t duration_ms;   /* no request starts later */
    uint64_t requests_max; /* and none after so many */
};

/*
 * Returns when the last answer has come. ST_IO: cannot connect, or no answer for 10 seconds;
 * ST_CLOSED: the server closed a connection; ST_INVALID, ST_TOO_LARGE: its answer is not
 * understood.
 */
enum status MUST_CHECK closed_loop_run(const struct load *load, const struct workload *workload,
                                       struct report *ret_report);

#endif
