/*
 * The loops of one port. Each has a listening socket of its own (SO_REUSEPORT), so that the kernel
 * spreads the connections and the loops share nothing.
 *
 * SO_REUSEPORT would also let two servers of one user listen on the same port unnoticed. Therefore
 * a fixed port is first bound without it, which fails if anybody listens there.
 */
#include "http/http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "http/loop.h"

struct http_server {
    struct loop_shared shared;
    struct http_loop *loops;
    unsigned initialized_count;
    unsigned running_count;
    uint16_t port;
};

struct listen_address {
    struct sockaddr_storage address;
    socklen_t size_bytes;
};

void http_options_init(struct http_options *options)
{
    *options = (struct http_options){
        .listen_host = "127.0.0.1",
        .loop_count = 1,
        .server_name = "Rowhouse",
        .clock = &clock_system,
        .head_size_bytes_max = 16 * 1024,
        .body_size_bytes_max = 16 * 1024 * 1024,
        .connection_count_max = 16384,
        .buffer_count_max = 256,
        .large_buffer_bytes_max = 1024 * 1024 * 1024,
        .head_timeout_ms = 10000,
        .body_timeout_ms = 60000,
        .idle_timeout_ms = 75000,
        .write_timeout_ms = 30000,
        .linger_timeout_ms = 1000,
    };
}

struct http_server *http_server_new(const struct http_options *options)
{
    struct http_server *server = MEM_NEW(struct http_server);
    struct loop_shared *shared = &server->shared;

    CHECK(options->loop_count > 0 && options->callbacks.on_request != NULL);
    shared->options = *options;
    head_rules_init(&shared->rules.head, options->single_headers);
    shared->rules.head_size_bytes_max = options->head_size_bytes_max;
    shared->rules.body_size_bytes_max = options->body_size_bytes_max;
    atomic_init(&shared->connection_count, 0);
    CHECK(sem_init(&shared->started, 0, 0) == 0);
    server->loops = mem_zalloc(options->loop_count * sizeof(struct http_loop));
    server->port = options->port;
    return server;
}

static enum status resolve(const struct http_server *server, struct listen_address *ret_address)
{
    const struct http_options *options = &server->shared.options;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found;
    char port[8];

    CHECK(snprintf(port, sizeof(port), "%u", options->port) < (int)sizeof(port));
    if (getaddrinfo(options->listen_host, port, &hints, &found) != 0)
        return ST_INVALID;
    memcpy(&ret_address->address, found->ai_addr, found->ai_addrlen);
    ret_address->size_bytes = found->ai_addrlen;
    freeaddrinfo(found);
    return ST_OK;
}

static enum status set_option(int socket, int level, int name)
{
    int on = 1;

    return setsockopt(socket, level, name, &on, sizeof(on)) == 0 ? ST_OK : ST_IO;
}

static enum status bind_socket(int socket, const struct listen_address *address)
{
    if (bind(socket, (const struct sockaddr *)&address->address, address->size_bytes) == 0)
        return ST_OK;
    return errno == EADDRINUSE ? ST_BUSY : ST_IO;
}

static enum status prepare_socket(int socket, const struct listen_address *address, bool is_shared)
{
    TRY(set_option(socket, SOL_SOCKET, SO_REUSEADDR));
    if (is_shared)
        TRY(set_option(socket, SOL_SOCKET, SO_REUSEPORT));
    /* Accepted sockets inherit it. */
    TRY(set_option(socket, IPPROTO_TCP, TCP_NODELAY));
    return bind_socket(socket, address);
}

static enum status open_socket(const struct listen_address *address, bool is_shared,
                               int *ret_socket)
{
    int opened = socket(address->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    enum status status;

    if (opened < 0)
        return ST_IO;
    status = prepare_socket(opened, address, is_shared);
    if (status != ST_OK) {
        close(opened);
        return status;
    }
    *ret_socket = opened;
    return ST_OK;
}

static in_port_t *port_of(struct listen_address *address)
{
    if (address->address.ss_family == AF_INET6)
        return &((struct sockaddr_in6 *)&address->address)->sin6_port;
    return &((struct sockaddr_in *)&address->address)->sin_port;
}

static enum status check_port_free(const struct http_server *server,
                                   const struct listen_address *address)
{
    int probe;

    if (server->port == 0 || server->shared.options.loop_count == 1)
        return ST_OK;
    TRY(open_socket(address, false, &probe));
    close(probe);
    return ST_OK;
}

/* The first socket may have chosen the port; the others follow. */
static enum status init_loop(struct http_server *server, struct listen_address *address)
{
    unsigned index = server->initialized_count;
    int opened;

    TRY(open_socket(address, server->shared.options.loop_count > 1, &opened));
    if (getsockname(opened, (struct sockaddr *)&address->address, &address->size_bytes) != 0) {
        close(opened);
        return ST_IO;
    }
    server->initialized_count++;
    server->port = ntohs(*port_of(address));
    return loop_init(&server->loops[index], &server->shared, opened);
}

static enum status init_loops(struct http_server *server)
{
    struct listen_address address;

    TRY(resolve(server, &address));
    TRY(check_port_free(server, &address));
    while (server->initialized_count < server->shared.options.loop_count)
        TRY(init_loop(server, &address));
    return ST_OK;
}

static enum status start_loops(struct http_server *server)
{
    while (server->running_count < server->initialized_count) {
        TRY(loop_start(&server->loops[server->running_count]));
        server->running_count++;
        while (sem_wait(&server->shared.started) != 0)
            CHECK(errno == EINTR);
    }
    return ST_OK;
}

enum status http_server_start(struct http_server *server)
{
    enum status status;

    TRY(init_loops(server));
    status = start_loops(server);
    if (status != ST_OK)
        http_server_stop(server, 0);
    return status;
}

void http_server_stop(struct http_server *server, unsigned deadline_ms)
{
    for (unsigned i = 0; i < server->running_count; i++)
        loop_stop(&server->loops[i], deadline_ms);
    for (unsigned i = 0; i < server->running_count; i++)
        loop_join(&server->loops[i]);
    server->running_count = 0;
}

void http_server_free(struct http_server *server)
{
    if (server == NULL)
        return;
    CHECK(server->running_count == 0);
    for (unsigned i = 0; i < server->initialized_count; i++)
        loop_deinit(&server->loops[i]);
    CHECK(sem_destroy(&server->shared.started) == 0);
    mem_free(server->loops);
    mem_free(server);
}

uint16_t http_server_port(const struct http_server *server)
{
    return server->port;
}

unsigned http_server_connection_count(const struct http_server *server)
{
    return atomic_load_explicit(&server->shared.connection_count, memory_order_relaxed);
}
