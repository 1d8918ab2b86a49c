/* Where the server is: http://HOST or http://HOST:PORT. */
#ifndef ROWHOUSE_BENCH_ENDPOINT_H
#define ROWHOUSE_BENCH_ENDPOINT_H

#include "base/status.h"

#define ENDPOINT_TEXT_SIZE_MAX 272

struct endpoint {
    char authority[ENDPOINT_TEXT_SIZE_MAX]; /* HOST:PORT as it was given, for the header Host */
    char host[ENDPOINT_TEXT_SIZE_MAX];      /* without the brackets of an IPv6 address */
    char port[6];
};

/* ST_INVALID for anything but the two forms, with or without a slash at the end. */
enum status MUST_CHECK endpoint_parse(const char *url, struct endpoint *ret_endpoint);

/* A connected, non-blocking socket that sends at once. ST_IO if nobody listens there. */
enum status MUST_CHECK endpoint_connect(const struct endpoint *endpoint, int *ret_socket);

#endif
