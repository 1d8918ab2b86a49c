/*
 * The error that a user reads: a code and a sentence. It is filled where the fault is found and
 * formatted by the top layer alone. The first error stays; later ones are dropped.
 */
#ifndef ROWHOUSE_BASE_ERROR_H
#define ROWHOUSE_BASE_ERROR_H

#include "base/slice.h"
#include "base/status.h"

struct arena;

enum error_code {
    ERROR_NONE = 0,
    /* Found in the request alone, before any table is looked at. */
    ERROR_VALIDATION,
    /* Found against a table's schema or an item's value. Same DynamoDB type, other wording rule. */
    ERROR_VALIDATION_DATA,
    /* A key value that no table takes (an empty one): as ERROR_VALIDATION_DATA, but it refuses a
     * transaction instead of cancelling it. */
    ERROR_VALIDATION_KEY,
    ERROR_SERIALIZATION,
    ERROR_UNKNOWN_OPERATION,
    ERROR_MISSING_TOKEN,
    ERROR_INCOMPLETE_SIGNATURE,
    ERROR_UNRECOGNIZED_CLIENT,
    ERROR_INVALID_SIGNATURE,
    ERROR_ACCESS_DENIED,
    ERROR_RESOURCE_NOT_FOUND,
    ERROR_RESOURCE_IN_USE,
    ERROR_TABLE_NOT_FOUND,
    ERROR_TABLE_IN_USE,
    ERROR_INDEX_NOT_FOUND,
    ERROR_LIMIT_EXCEEDED,
    ERROR_CONDITIONAL_CHECK,
    ERROR_TRANSACTION_CANCELED,
    ERROR_TRANSACTION_CONFLICT,
    ERROR_TRANSACTION_IN_PROGRESS,
    ERROR_IDEMPOTENT_MISMATCH,
    ERROR_COLLECTION_SIZE,
    ERROR_THROTTLING,
    ERROR_THROUGHPUT_EXCEEDED,
    ERROR_REQUEST_TOO_LARGE,
    ERROR_UNAVAILABLE,
    ERROR_INTERNAL,
    ERROR_CODE_COUNT
};

struct error {
    enum error_code code;
    struct slice message; /* in `arena` */
    struct arena *arena;
};

/* `arena` outlives the error; messages are allocated there. */
void error_init(struct error *error, struct arena *arena);

/*
 * Sets code and message unless an error is set already; returns ST_REFUSED always, so that
 * `return error_set(...)` is the idiom. Messages are cut at 64 KB.
 */
enum status error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
