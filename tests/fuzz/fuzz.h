/* What every fuzz target defines. */
#ifndef ROWHOUSE_TESTS_FUZZ_H
#define ROWHOUSE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls it for each input. A fault shows as a CHECK or a sanitizer's report. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#endif
