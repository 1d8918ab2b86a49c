/*
 * One keep-alive connection with at most one request under way.
 *
 *            connection_start            all bytes sent
 *   IDLE ------------------------> SENDING -----------> RECEIVING
 *     ^                                                     |
 *     +-----------------------------------------------------+
 *                       the whole answer is there
 *
 * The answer must have a Content-Length; every DynamoDB endpoint sends one.
 */
#ifndef ROWHOUSE_BENCH_CONNECTION_H
#define ROWHOUSE_BENCH_CONNECTION_H

#include "base/buf.h"
#include "endpoint.h"

enum connection_state { CONNECTION_IDLE, CONNECTION_SENDING, CONNECTION_RECEIVING };

struct connection {
    int socket;
    enum connection_state state;
    struct slice unsent;
    struct buf received;
    int64_t started_ns;
};

struct answer {
    int status;
    struct slice body; /* valid until the connection's next start */
};

/* ST_IO if nobody listens. On failure there is nothing to deinit. */
enum status MUST_CHECK connection_init(struct connection *connection,
                                       const struct endpoint *endpoint);
/* Closes it, whatever is under way. */
void connection_deinit(struct connection *connection);

/* Takes up a request, whose bytes must stay until the answer. Sends nothing yet. */
void connection_start(struct connection *connection, struct slice request, int64_t now_ns);

/*
 * Sends and receives what is possible now. ST_OK with the answer, ST_WOULD_BLOCK when the socket is
 * to be waited for: to write in CONNECTION_SENDING, to read in CONNECTION_RECEIVING. Final are
 * ST_CLOSED (the server hung up), ST_INVALID (not HTTP, or no Content-Length), ST_TOO_LARGE, ST_IO.
 */
enum status MUST_CHECK connection_advance(struct connection *connection, struct answer *ret_answer);

#endif
