/*
 * What tests of expressions need: items and parameters written as DynamoDB JSON, and back. For
 * the sake of C strings the JSON is written with ' in place of ".
 */
#ifndef ROWHOUSE_TESTS_EXPR_FIXTURE_H
#define ROWHOUSE_TESTS_EXPR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "expr/expr.h"

struct json_parser;

struct fixture {
    struct json_parser *json;
    struct arena arena;
    struct error error;
    struct expr_params params;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);

/* An item; NULL is none. */
struct item fixture_item(struct fixture *fixture, const char *json);
/* Sets names, {'#n':'name'}, and values, {':v':{'S':'x'}}; NULL is none of them. Clears the error.
 */
void fixture_params(struct fixture *fixture, const char *names, const char *values);
/* The item as JSON, with '. */
const char *fixture_json(struct fixture *fixture, struct item item);
/* "" for success, else the message of the refusal. Clears the error. */
const char *fixture_message(struct fixture *fixture, enum status status);

#define EXPR_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

#endif
