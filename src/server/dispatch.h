/*
 * From HTTP to calls and back, one dispatcher per event loop.
 *
 *   on_request -> authenticate -> tenant's run queue -> turns -> http_respond
 *
 *            +--------------------------- again ---+
 *            v                                     |
 *   QUEUED --pop--> RUNNING --done--> (answered)   |
 *     ^               |  |                         |
 *     |               |  +-------------------------+
 *     |               +--blocking--> ON_POOL --+
 *     |               +--waiting---> WAITING --+
 *     +------------- inbox of the loop <-------+
 */
#ifndef ROWHOUSE_SERVER_DISPATCH_H
#define ROWHOUSE_SERVER_DISPATCH_H

#include "api/call.h"
#include "auth/authenticator.h"
#include "http/http.h"

/* Larger requests are refused before their bodies are read. */
#define DISPATCH_BODY_SIZE_BYTES_MAX (16u * 1024 * 1024)

struct dispatcher;

/* Shared by all dispatchers, fixed at start. */
struct dispatch_config {
    struct api_config api;
    struct authenticator *authenticator;
    struct registry *registry;
};

/* Of a loop, on its thread. `config` must outlive it. */
struct dispatcher *dispatcher_new(const struct dispatch_config *config, struct http_loop *loop);
/* When none of its requests is left. */
void dispatcher_free(struct dispatcher *dispatcher);
/* The callbacks of http_options; the loop's context is its dispatcher. */
void dispatch_request(void *dispatcher, struct http_request *request);
void dispatch_task(void *dispatcher, struct inbox_node *task);
bool dispatch_turn(void *dispatcher);

#endif
