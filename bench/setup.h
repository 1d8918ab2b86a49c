/* Brings a server to the state that the measured operations expect. */
#ifndef ROWHOUSE_BENCH_SETUP_H
#define ROWHOUSE_BENCH_SETUP_H

#include "closed_loop.h"

/*
 * Creates the table unless it is there, waits until it is ACTIVE, and writes every row. `load`
 * gives the endpoint and the connections. `ret_report` is that of the writes that failed, or of the
 * last; a refused CreateTable or DescribeTable counts as an error there. Statuses are
 * closed_loop_run's.
 */
enum status MUST_CHECK setup_run(const struct load *load, const struct data_set *data_set,
                                 const struct signer *signer, struct report *ret_report);

#endif
