/*
 * The API without sockets: an engine over the memory store, and calls that run to their end on the
 * test's thread. Tests give requests as JSON and read responses as text.
 */
#ifndef ROWHOUSE_TESTS_API_FIXTURE_H
#define ROWHOUSE_TESTS_API_FIXTURE_H

#include "api/call.h"

/* Group set-up and tear-down: one engine for all tests of a program. */
int api_set_up(void **state);
int api_tear_down(void **state);

/*
 * Runs one request of tenant "acme" ("@tenant" prefix in `operation` names another, as in
 * "rival@GetItem"). Returns the body, NUL-terminated, valid until the next call; single quotes in
 * `request` stand for double ones. The HTTP status goes to `ret_http_status` (may be NULL).
 */
const char *api_call(const char *operation, const char *request, int *ret_http_status);

/* The body must contain `part`, with single quotes for double ones. */
void assert_answer(const char *operation, const char *request, const char *part);
void assert_no_answer(const char *operation, const char *request, const char *part);
/* The call must fail with an error type that ends with `type` and exactly this message. */
void assert_refused(const char *operation, const char *request, const char *type,
                    const char *message);
/* Polls DescribeTable until it answers `part`; fails after five seconds. */
void assert_becomes(const char *table, const char *part);

extern struct api_config api_config;

#endif
