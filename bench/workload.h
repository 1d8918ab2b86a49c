/*
 * Requests made before anything is measured: heads, signatures and bodies, back to back in memory.
 * A run sends them in their order and begins again at the end.
 *
 * Signed ones are valid for 15 minutes from the signer's time.
 *
 * Invariant: of all requests of a random workload each has a version of its own, and each key comes
 * at least twice. So no PutItem repeats the one before it on its key, not even when the list begins
 * again; and versions of another run, with another first version, are different.
 */
#ifndef ROWHOUSE_BENCH_WORKLOAD_H
#define ROWHOUSE_BENCH_WORKLOAD_H

#include "endpoint.h"
#include "operation.h"
#include "signer.h"

struct workload {
    struct buf bytes;
    size_t *offsets; /* count + 1 of them: request i is from offsets[i] to offsets[i + 1] */
    size_t count;
    size_t answer_size_bytes_min;
};

/* Every request of the operation once, in order, all of version 0. */
void workload_init_all(struct workload *workload, const struct operation *operation,
                       const struct data_set *data_set, const struct endpoint *endpoint,
                       const struct signer *signer);

struct random_choice {
    size_t count; /* of requests; rounded up to an even number */
    uint64_t seed;
    uint64_t version_first; /* greater than 0; `count` versions from here on */
};

/* Requests drawn at random: the second half asks for the keys of the first half again. */
void workload_init_random(struct workload *workload, const struct operation *operation,
                          const struct data_set *data_set, const struct endpoint *endpoint,
                          const struct signer *signer, const struct random_choice *choice);
void workload_deinit(struct workload *workload);

/* Request `sequence` modulo count; valid as long as the workload. */
static inline struct slice workload_request(const struct workload *workload, uint64_t sequence)
{
    size_t i = (size_t)(sequence % workload->count);

    return slice_of(workload->bytes.p + workload->offsets[i],
                    workload->offsets[i + 1] - workload->offsets[i]);
}

#endif
