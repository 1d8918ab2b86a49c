/*
 * The running server: store, engine, authentication, event loops and the calls in flight.
 */
#ifndef ROWHOUSE_SERVER_SERVER_H
#define ROWHOUSE_SERVER_SERVER_H

#include <stdio.h>

#include "base/status.h"
#include "server/config.h"

struct server;

/*
 * Opens the store, starts the engine and listens. On failure a line that says what is wrong and
 * what would be right went to `errors`. `config` must outlive the server.
 */
enum status MUST_CHECK server_start(const struct config *config, FILE *errors,
                                    struct server **ret_server);
/* Finishes what is in flight, closes everything. */
void server_stop(struct server *server);
/* The port listened on, also if the system chose it. */
uint16_t server_port(const struct server *server);

#endif
