/*
 * One status for every function that can fail. A refusal that a user must read also fills a
 * struct error (base/error.h) and returns ST_REFUSED.
 */
#ifndef ROWHOUSE_BASE_STATUS_H
#define ROWHOUSE_BASE_STATUS_H

enum status {
    ST_OK = 0,
    ST_NOT_FOUND,   /* the thing asked for does not exist */
    ST_EXISTS,      /* it exists already */
    ST_WOULD_BLOCK, /* needs the disk: try again where blocking is allowed */
    ST_REFUSED,     /* the caller's request is wrong; a struct error says why */
    ST_INVALID,     /* the input bytes are not of the expected form */
    ST_TOO_LARGE,   /* over a maximum given at init */
    ST_CORRUPT,     /* stored bytes fail their checks */
    ST_IO,          /* the operating system or the storage engine failed */
    ST_NO_SPACE,    /* the disk is full */
    ST_BUSY,        /* in use by another process */
    ST_CLOSED,      /* shutting down */
    ST_VERSION,     /* written by a newer format */
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* Returns from the calling function unless `call` succeeds. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status_ = (call);                                                          \
        if (try_status_ != ST_OK)                                                                  \
            return try_status_;                                                                    \
    } while (0)

/* A short English name, for logs. Never NULL. */
const char *status_name(enum status status);

#endif
