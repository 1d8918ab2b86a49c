/*
 * A connection's life.
 *
 *             accept
 *               |
 *               v     bytes          head ends          body ends
 *     +------> IDLE ---------> HEAD -----------> BODY -----------> WORKING ---------+
 *     |                         ^ |               |                 |   |           |
 *     |         end of turn     | |               | refused         |   | peer gone |
 *     |     +-------------------+ | refused       v                 |   v           |
 *     |   READY                   +----------> WRITING <------------+  ORPHANED     |
 *     |     ^    more bytes here               |  |  |    http_respond             |
 *     |     +----------------------------------+  |  |       |                      |
 *     +-------------------------------------------+  | last  | http_respond         |
 *                                                    v       v                      |
 *                                    LINGERING ----> CLOSED <-- (any state, on failure)
 *
 * Invariants (connection_check)
 * 1. The owner has the request in WORKING and ORPHANED, and in no other state.
 * 2. A connection is in exactly one queue, that of its state; ORPHANED and CLOSED have none.
 * 3. IDLE holds no receive buffer once the stack is unwound; all states that a request goes through
 *    hold one, and the request's slices point into it.
 * 4. The socket's handle is closing or closed exactly in ORPHANED and CLOSED.
 * 5. Memory goes when both the handle is closed and the state is CLOSED, never earlier.
 */
#include "http/connection.h"

#include <utlist.h>

#include "base/check.h"
#include "base/memory.h"
#include "http/loop.h"

#define BIT(state) (1u << (state))

static const unsigned allowed_moves[CONNECTION_STATE_COUNT] = {
    [CONNECTION_IDLE] = BIT(CONNECTION_HEAD) | BIT(CONNECTION_CLOSED),
    [CONNECTION_READY] = BIT(CONNECTION_HEAD) | BIT(CONNECTION_CLOSED),
    [CONNECTION_HEAD] = BIT(CONNECTION_BODY) | BIT(CONNECTION_WRITING) | BIT(CONNECTION_CLOSED),
    [CONNECTION_BODY] = BIT(CONNECTION_WORKING) | BIT(CONNECTION_WRITING) | BIT(CONNECTION_CLOSED),
    [CONNECTION_WORKING] = BIT(CONNECTION_WRITING) | BIT(CONNECTION_ORPHANED),
    [CONNECTION_WRITING] = BIT(CONNECTION_IDLE) | BIT(CONNECTION_READY) | BIT(CONNECTION_WRITING) |
                           BIT(CONNECTION_LINGERING) | BIT(CONNECTION_CLOSED),
    [CONNECTION_LINGERING] = BIT(CONNECTION_CLOSED),
    [CONNECTION_ORPHANED] = BIT(CONNECTION_CLOSED),
    [CONNECTION_CLOSED] = 0,
};

static bool is_queued(enum connection_state state)
{
    return state != CONNECTION_ORPHANED && state != CONNECTION_CLOSED;
}

static bool needs_buffer(enum connection_state state)
{
    return state == CONNECTION_READY || state == CONNECTION_HEAD || state == CONNECTION_BODY ||
           state == CONNECTION_WORKING || state == CONNECTION_ORPHANED;
}

static void connection_check(const struct connection *connection)
{
    enum connection_state state = connection->state;

    CHECK(!needs_buffer(state) || connection->buffer != NULL);
    CHECK(is_queued(state) == !uv_is_closing((const uv_handle_t *)&connection->tcp));
    CHECK(!connection->is_announced || state == CONNECTION_BODY);
}

static void leave_queue(struct connection *connection)
{
    struct connection_queue *queue = &connection->loop->queues[connection->state];

    if (is_queued(connection->state))
        DL_DELETE(queue->first, connection);
}

static void enter_queue(struct connection *connection)
{
    struct connection_queue *queue = &connection->loop->queues[connection->state];

    if (!is_queued(connection->state))
        return;
    connection->deadline_ms = uv_now(&connection->loop->uv) + queue->timeout_ms;
    DL_APPEND(queue->first, connection);
}

void connection_move(struct connection *connection, enum connection_state to)
{
    CHECK((allowed_moves[connection->state] & BIT(to)) != 0);
    leave_queue(connection);
    connection->state = to;
    enter_queue(connection);
    connection_check(connection);
}

void connection_release(struct connection *connection)
{
    struct http_loop *loop = connection->loop;

    if (connection->state != CONNECTION_CLOSED || !connection->is_handle_closed)
        return;
    receive_buffer_free(&loop->pool, connection->buffer);
    mem_free(connection);
    loop_connection_gone(loop);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;

    connection->is_handle_closed = true;
    connection_release(connection);
}

void connection_cancel(struct connection *connection)
{
    const struct http_loop *loop = connection->loop;
    const struct http_callbacks *callbacks = &loop->shared->options.callbacks;

    if (!connection->is_announced)
        return;
    connection->is_announced = false;
    if (callbacks->on_cancel != NULL)
        callbacks->on_cancel(loop->context, &connection->message.request);
}

void connection_close(struct connection *connection)
{
    bool is_owned = connection->state == CONNECTION_WORKING;

    if (!is_queued(connection->state))
        return;
    connection_cancel(connection);
    uv_close((uv_handle_t *)&connection->tcp, on_handle_closed);
    connection_move(connection, is_owned ? CONNECTION_ORPHANED : CONNECTION_CLOSED);
}

/* Resets instead of an orderly close: the kernel need not keep what the peer does not read. */
static void cut(struct connection *connection)
{
    CHECK(connection->state == CONNECTION_WRITING);
    if (uv_tcp_close_reset(&connection->tcp, on_handle_closed) == 0)
        connection_move(connection, CONNECTION_CLOSED);
    else
        connection_close(connection);
}

static void on_shutdown(uv_shutdown_t *request, int result)
{
    struct connection *connection = request->data;

    /* The peer may have reset the connection; a cancelled shutdown is a close on its way. */
    if (result != 0 && result != UV_ECANCELED)
        connection_close(connection);
}

void connection_linger(struct connection *connection)
{
    connection_move(connection, CONNECTION_LINGERING);
    receive_buffer_free(&connection->loop->pool, connection->buffer);
    connection->buffer = NULL;
    connection->shutdown.data = connection;
    if (uv_shutdown(&connection->shutdown, (uv_stream_t *)&connection->tcp, on_shutdown) != 0) {
        connection_close(connection);
        return;
    }
    connection_resume_reading(connection);
}

/* A peer that takes something of the response in time gets more time. */
static void expire_write(struct connection *connection)
{
    size_t unwritten_bytes = uv_stream_get_write_queue_size((uv_stream_t *)&connection->tcp);

    if (unwritten_bytes >= connection->unwritten_bytes) {
        cut(connection);
        return;
    }
    connection->unwritten_bytes = unwritten_bytes;
    connection_move(connection, CONNECTION_WRITING);
}

void connection_expire(struct connection *connection)
{
    switch (connection->state) {
    case CONNECTION_HEAD:
        connection_refuse(connection, 408, "The head took too long.");
        break;
    case CONNECTION_BODY:
        connection_refuse(connection, 408, "The body took too long.");
        break;
    case CONNECTION_WRITING:
        expire_write(connection);
        break;
    default:
        connection_close(connection);
    }
}

static void name_peer(struct connection *connection, const struct sockaddr_storage *address)
{
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    if (address->ss_family == AF_INET)
        uv_ip4_name((const struct sockaddr_in *)address, connection->peer,
                    sizeof(connection->peer));
    else if (!IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        uv_ip6_name(v6, connection->peer, sizeof(connection->peer));
    else
        uv_inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], connection->peer,
                     sizeof(connection->peer));
}

static bool find_peer(struct connection *connection)
{
    struct sockaddr_storage address;
    int size_bytes = sizeof(address);

    if (uv_tcp_getpeername(&connection->tcp, (struct sockaddr *)&address, &size_bytes) != 0)
        return false;
    name_peer(connection, &address);
    return true;
}

/* At the maximum a newcomer is worth more than the connection that was silent longest. */
static bool make_way(struct http_loop *loop)
{
    unsigned count_max = loop->shared->options.connection_count_max;
    struct connection *oldest = loop->queues[CONNECTION_IDLE].first;

    if (atomic_load_explicit(&loop->shared->connection_count, memory_order_relaxed) < count_max)
        return true;
    if (oldest != NULL)
        connection_close(oldest);
    return oldest != NULL;
}

void connection_accept(struct http_loop *loop, uv_stream_t *listener)
{
    bool has_place = make_way(loop);
    struct connection *connection = MEM_NEW(struct connection);

    connection->loop = loop;
    connection->tcp.data = connection;
    CHECK(uv_tcp_init(&loop->uv, &connection->tcp) == 0);
    loop_connection_opened(loop);
    enter_queue(connection);
    if (uv_accept(listener, (uv_stream_t *)&connection->tcp) != 0 || !has_place ||
        !find_peer(connection)) {
        connection_close(connection);
        return;
    }
    connection_resume_reading(connection);
}
