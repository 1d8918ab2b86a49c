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

struct dispatcher;

/* Shared by all dispatchers, fixed at start. */
struct dispatch_config {
    struct api_config api;
    struct authenticator *authenticator;
    struct registry *registry;
};

struct dispatcher *dispatcher_new(const struct dispatch_config *config, struct http_loop *loop);
void dispatcher_free(struct dispatcher *dispatcher);
/* The callbacks of http_options; the loop's context is its dispatcher. */
void dispatch_request(void *dispatcher, struct http_request *request);
void dispatch_task(void *dispatcher, struct inbox_node *task);
bool dispatch_turn(void *dispatcher);

#endif
