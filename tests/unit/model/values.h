/*
 * Random values for property tests, and a reader that touches all of a value. Every test prints
 * its seed; ROWHOUSE_SEED repeats a run.
 */
#ifndef ROWHOUSE_TESTS_MODEL_VALUES_H
#define ROWHOUSE_TESTS_MODEL_VALUES_H

#include "base/arena.h"
#include "model/value.h"

/* Chooses a seed, or takes ROWHOUSE_SEED, and prints it. */
uint64_t seed_choose(void);
/* A number from 0 to below `end`. */
uint32_t random_below(uint64_t *seed, uint32_t end);
/* `n` bytes, many of them 00, 01 and FF. */
struct slice random_tricky_bytes(uint64_t *seed, struct arena *arena, size_t n);
struct slice random_text(uint64_t *seed, struct arena *arena, size_t size_bytes_max);
struct number random_number(uint64_t *seed);
/* Writes a value whose containers nest at most `depth` deep. */
void random_value(uint64_t *seed, struct arena *arena, uint32_t depth, struct value_writer *writer);
/* A value in the arena, encoded and read back. */
struct slice random_encoded(uint64_t *seed, struct arena *arena, uint32_t depth);

/*
 * Reads a whole value, or item, through every reader of model/value.h. Returns a sum of what it
 * saw, so that no reading is optimised away.
 */
uint64_t value_walk(struct value value);

#endif
