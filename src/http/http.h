/*
 * HTTP/1.1 over event loops: one thread each, each with a listening socket of its own on the same
 * port. The room turns bytes into complete, strictly checked requests and hands them to its owner;
 * it knows nothing of what they mean.
 *
 *   connection thread (loop)                         owner
 *   ------------------------                         -----
 *   bytes -> head, body  ---- on_request ---->       starts the work, or answers at once
 *   inbox <- any thread  ---- on_task ------->       goes on with work that was elsewhere
 *   after each poll      ---- on_turn ------->       drains its run queue for a while
 *   bytes <- head, body  <--- http_respond ---       exactly once per request
 *
 * Rules for owners
 * 1. Every callback runs on the thread of its loop and must not block.
 * 2. Each request is answered exactly once, on its loop's thread, sooner or later; its memory
 *    (slices, headers, body) lives until then, even if the peer is gone.
 * 3. http_respond() never calls back: on_request of a pipelined request comes later.
 */
#ifndef ROWHOUSE_HTTP_HTTP_H
#define ROWHOUSE_HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/status.h"

struct clock;
struct http_loop;
struct http_server;
struct inbox_node; /* base/inbox.h */

#define HTTP_BODY_PADDING_BYTES 64 /* readable after each body; their content is arbitrary */
#define HTTP_HEADER_COUNT_MAX 100

struct http_header {
    struct slice name;  /* in lower case */
    struct slice value; /* without the blanks around it */
};

/* A complete request. Everything in it but `user` is read-only for the owner. */
struct http_request {
    struct http_loop *loop;
    struct slice method;               /* "POST" */
    struct slice path;                 /* as sent, up to the '?'; begins with '/' */
    struct slice query;                /* as sent, after the '?'; empty if there is none */
    struct slice host;                 /* with its port, as sent; empty only with HTTP/1.0 */
    const struct http_header *headers; /* in the order sent; the framing ones included */
    size_t header_count;
    struct slice body;   /* HTTP_BODY_PADDING_BYTES readable bytes follow */
    struct slice peer;   /* the client's IP address as text, without the port */
    int64_t received_ns; /* when its last byte was read; the clock's monotonic time */
    void *user;          /* the owner's; NULL at first */
};

/* What the owner is called with. on_request is needed; the others may be NULL. */
struct http_callbacks {
    /* On the loop's thread before its first event: returns the loop's context. */
    void *(*on_loop_start)(struct http_loop *loop, void *context);
    /* On the loop's thread after its last event; no task may be posted to it from then on. */
    void (*on_loop_stop)(void *loop_context);
    /* The request is complete. It may be answered in here. */
    void (*on_request)(void *loop_context, struct http_request *request);
    /*
     * The head is complete and its body is still to come (not called if all came at once). To
     * refuse the body, answer in here; the connection is closed then. Otherwise on_request follows,
     * or on_cancel if the body never arrives.
     */
    void (*on_head)(void *loop_context, struct http_request *request);
    void (*on_cancel)(void *loop_context, struct http_request *request);
    /* A node given to http_loop_post(); in the order posted. */
    void (*on_task)(void *loop_context, struct inbox_node *task);
    /*
     * After each poll for events. True if work remains: the next poll does not wait then, and
     * on_turn is called again after it.
     */
    bool (*on_turn)(void *loop_context);
};

struct http_options {
    const char *listen_host; /* an address or a name; "127.0.0.1" at first */
    uint16_t port;           /* 0: any free one, see http_server_port() */
    unsigned loop_count;
    const char *server_name; /* the Server header; NULL for none */
    const struct clock *clock;

    size_t head_size_bytes_max;    /* 16 KB; beyond it 431 */
    size_t body_size_bytes_max;    /* 16 MB; beyond it 413 */
    unsigned connection_count_max; /* of all loops; at it the longest idle connection gives way */
    unsigned buffer_count_max;     /* free receive buffers (of 8 KB) kept per loop */
    size_t large_buffer_bytes_max; /* of all requests larger than 8 KB that are here; then 503 */

    unsigned head_timeout_ms;   /* first byte to end of head; then 408 */
    unsigned body_timeout_ms;   /* end of head to end of body; then 408 */
    unsigned idle_timeout_ms;   /* between requests; then a silent close */
    unsigned write_timeout_ms;  /* without the peer taking any of the response; then cut */
    unsigned linger_timeout_ms; /* for the peer to read the last response before the close */

    /*
     * Names in lower case that one request may carry once at most; NULL-terminated, or NULL for
     * none. A name that differs from one of them only by '_' for '-' is refused too. Host,
     * Authorization, Content-Type, Content-Length, Transfer-Encoding and Expect are always so.
     */
    const char *const *single_headers;

    struct http_callbacks callbacks;
    void *context; /* given to on_loop_start; the loop's context where that is NULL */
};

/* The defaults: one loop on a free port of 127.0.0.1, no callbacks. */
void http_options_init(struct http_options *options);

/* Copies the options; the strings, the clock and single_headers must outlive the server. */
struct http_server *http_server_new(const struct http_options *options);
/*
 * Binds, listens and starts the loops' threads. ST_BUSY: the port is taken; ST_INVALID: the host
 * cannot be resolved; ST_IO: anything else. After a failure only http_server_free() may follow.
 */
enum status MUST_CHECK http_server_start(struct http_server *server);
/*
 * Stops accepting, closes idle connections, lets requests in flight finish, cuts what is left after
 * `deadline_ms`, and joins the threads. It waits for the owner to answer each request that it
 * holds. Any thread but a loop's; once.
 */
void http_server_stop(struct http_server *server, unsigned deadline_ms);
/* The server was never started, or is stopped. NULL is fine. */
void http_server_free(struct http_server *server);
/* The port listened on, after a successful start. */
uint16_t http_server_port(const struct http_server *server);
/* Open connections of all loops at this moment; any thread. */
unsigned http_server_connection_count(const struct http_server *server);

/* Queues the node for on_task on the loop's thread. Any thread, never blocks. */
void http_loop_post(struct http_loop *loop, struct inbox_node *task);

/* The first header of this name (lower case); NULL if there is none. */
const struct http_header *http_request_header(const struct http_request *request,
                                              struct slice name);

/*
 * Answers a request and ends its life. `header_lines` are complete "Name: value\r\n" lines, may be
 * empty, and are copied; Content-Length, Date, Server and Connection are added here. The bytes of
 * `body` are taken without a copy: afterwards it is an empty buffer, still the caller's to deinit
 * (it may have kept its memory for reuse). NULL is an empty body. A response to a peer that is gone
 * is dropped. Loop's thread only.
 */
void http_respond(struct http_request *request, int status, struct slice header_lines,
                  struct buf *body);

#endif
