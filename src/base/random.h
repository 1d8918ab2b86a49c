/* Randomness behind an interface: the operating system's, or a seeded one for tests. */
#ifndef ROWHOUSE_BASE_RANDOM_H
#define ROWHOUSE_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Unpredictable bytes (getrandom, buffered per thread); aborts if the system has none.
 * A process that forks without exec must not call it in the child: it would repeat the parent's. */
void random_bytes(void *ret_bytes, size_t size_bytes);

/* splitmix64: reproducible, for tests and hashing seeds; not for secrets. */
uint64_t random_seeded_next(uint64_t *state);

#endif
