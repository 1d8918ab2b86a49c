/*
 * From bytes to requests. The kernel writes straight into the connection's buffer, which is taken
 * from the pool just before the read and goes back when nothing of a request is left in it.
 *
 * While the owner has a request, reading is not stopped ahead of time: the next read simply gets no
 * room and stops itself then. A client that waits for its answers so costs no system call for it.
 */
#include "base/check.h"
#include "base/clock.h"
#include "http/connection.h"
#include "http/loop.h"

#define RECEIVE_ROOM_BYTES_MIN 512 /* less is not worth a read while much is to come */
#define RECEIVE_GROWN_BYTES_MIN (32 * 1024)
#define RECEIVE_CLAIM_BYTES_MAX (512 * 1024)

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_receiving(const struct connection *connection)
{
    /* IDLE, READY, HEAD and BODY come first in the enum. */
    return connection->state <= CONNECTION_BODY;
}

static bool has_unparsed(const struct connection *connection)
{
    return connection->buffer != NULL && connection->buffer->parsed < connection->buffer->filled;
}

static void drop_buffer(struct connection *connection)
{
    receive_buffer_free(&connection->loop->pool, connection->buffer);
    connection->buffer = NULL;
}

static uv_buf_t room_to_receive(struct connection *connection)
{
    struct receive_buffer *buffer = connection->buffer;

    if (buffer == NULL)
        buffer = receive_buffer_new(&connection->loop->pool, RECEIVE_BUFFER_SMALL_BYTES);
    connection->buffer = buffer;
    if (buffer == NULL)
        return uv_buf_init(NULL, 0);
    return uv_buf_init((char *)buffer->bytes + buffer->filled,
                       (unsigned)(buffer->capacity - buffer->filled));
}

static void on_room(uv_handle_t *handle, size_t suggested_bytes, uv_buf_t *ret_room)
{
    struct connection *connection = handle->data;

    (void)suggested_bytes;
    if (connection->state == CONNECTION_LINGERING)
        *ret_room = uv_buf_init(connection->loop->discard, LOOP_DISCARD_BYTES);
    else if (is_receiving(connection) && connection->state != CONNECTION_READY)
        *ret_room = room_to_receive(connection);
    else
        *ret_room = uv_buf_init(NULL, 0);
}

static void stop_reading(struct connection *connection)
{
    uv_read_stop((uv_stream_t *)&connection->tcp);
    connection->is_reading = false;
}

static void settle(struct connection *connection)
{
    if (connection->state == CONNECTION_IDLE && connection->buffer != NULL) {
        CHECK(!has_unparsed(connection));
        drop_buffer(connection);
    }
    if (is_receiving(connection))
        connection_resume_reading(connection);
}

static void on_read(uv_stream_t *stream, ssize_t size_bytes, const uv_buf_t *room)
{
    struct connection *connection = stream->data;

    (void)room;
    if (size_bytes == UV_ENOBUFS) {
        stop_reading(connection);
        return;
    }
    if (size_bytes < 0) {
        connection_close(connection);
        return;
    }
    if (connection->state == CONNECTION_LINGERING)
        return;
    connection->buffer->filled += (size_t)size_bytes;
    connection_advance(connection);
}

void connection_resume_reading(struct connection *connection)
{
    if (connection->is_reading)
        return;
    connection->is_reading = true;
    if (uv_read_start((uv_stream_t *)&connection->tcp, on_room, on_read) != 0)
        connection_close(connection);
}

/* The message moves to a block in which it, or at least more of it, has room. */
static enum status grow(struct connection *connection, size_t size_bytes)
{
    struct receive_buffer *old = connection->buffer;
    struct receive_buffer *bigger = receive_buffer_new(&connection->loop->pool, size_bytes);

    if (bigger == NULL)
        return ST_TOO_LARGE;
    message_move(&connection->message, bigger);
    connection->buffer = bigger;
    receive_buffer_free(&connection->loop->pool, old);
    return ST_OK;
}

/*
 * A length that is only announced does not claim all its memory at once: beyond a first step, who
 * wants more room must have filled half of it.
 */
static size_t grown_size(const struct connection *connection)
{
    const struct receive_buffer *buffer = connection->buffer;
    size_t doubled_bytes = larger(2 * (buffer->filled - buffer->start), RECEIVE_GROWN_BYTES_MIN);
    size_t whole_bytes;

    if (connection->state == CONNECTION_HEAD || connection->message.head.is_chunked)
        return doubled_bytes;
    whole_bytes = message_size_bytes(&connection->message);
    doubled_bytes = larger(doubled_bytes, RECEIVE_CLAIM_BYTES_MAX);
    return whole_bytes < doubled_bytes ? whole_bytes : doubled_bytes;
}

static enum status make_room(struct connection *connection)
{
    const struct receive_buffer *buffer = connection->buffer;

    if (buffer->capacity - buffer->filled >= RECEIVE_ROOM_BYTES_MIN)
        return ST_OK;
    if (connection->state == CONNECTION_BODY && !connection->message.head.is_chunked &&
        buffer->capacity - buffer->start >= message_size_bytes(&connection->message))
        return ST_OK;
    return grow(connection, grown_size(connection));
}

static void deliver(struct connection *connection)
{
    struct receive_buffer *buffer = connection->buffer;
    struct http_loop *loop = connection->loop;
    struct http_request *request = &connection->message.request;

    connection->is_announced = false;
    connection_move(connection, CONNECTION_WORKING);
    /* Other bytes of this client may follow the body; bytes of another's request may not. */
    memset(buffer->bytes + buffer->filled, 0, HTTP_BODY_PADDING_BYTES);
    request->received_ns = clock_monotonic_ns(loop->shared->options.clock);
    loop->shared->options.callbacks.on_request(loop->context, request);
}

/* A body is on its way. The owner may refuse it; if not, a client that waits is told to go on. */
static void announce(struct connection *connection)
{
    struct http_loop *loop = connection->loop;
    const struct http_callbacks *callbacks = &loop->shared->options.callbacks;

    if (callbacks->on_head != NULL) {
        connection->is_announced = true;
        callbacks->on_head(loop->context, &connection->message.request);
    }
    if (connection->state == CONNECTION_BODY && connection->message.head.expects_continue)
        connection_send_continue(connection);
}

static void begin_message(struct connection *connection)
{
    struct http_request *request = &connection->message.request;

    connection_move(connection, CONNECTION_HEAD);
    message_begin(&connection->message, &connection->loop->shared->rules, connection->buffer);
    request->loop = connection->loop;
    request->peer = slice_cstr(connection->peer);
    request->user = NULL;
    request->received_ns = 0;
}

static void await_more(struct connection *connection, bool is_head_new)
{
    if (is_head_new)
        announce(connection);
    if (!is_receiving(connection))
        return;
    if (make_room(connection) != ST_OK)
        connection_refuse(connection, 503, "There is no memory for this request.");
}

static void receive(struct connection *connection)
{
    struct message *message = &connection->message;
    enum message_progress progress = message_parse(message);
    bool is_head_new = progress == MESSAGE_HEAD;

    if (is_head_new) {
        connection_move(connection, CONNECTION_BODY);
        progress = message_parse(message);
    }
    if (progress == MESSAGE_COMPLETE)
        deliver(connection);
    else if (progress == MESSAGE_REFUSED)
        connection_refuse(connection, message->refusal.status, message->refusal.reason);
    else
        await_more(connection, is_head_new);
}

void connection_advance(struct connection *connection)
{
    connection->is_advancing = true;
    while (is_receiving(connection) && has_unparsed(connection)) {
        if (connection->state < CONNECTION_HEAD)
            begin_message(connection);
        receive(connection);
    }
    connection->is_advancing = false;
    settle(connection);
}

/* What follows a large message starts over in a small block. */
static void shrink(struct connection *connection)
{
    struct receive_buffer *buffer = connection->buffer;

    if (buffer->capacity == RECEIVE_BUFFER_SMALL_BYTES ||
        buffer->filled - buffer->start > RECEIVE_BUFFER_SMALL_BYTES / 2)
        return;
    message_begin(&connection->message, &connection->loop->shared->rules, buffer);
    if (grow(connection, RECEIVE_BUFFER_SMALL_BYTES) != ST_OK)
        connection_close(connection);
}

void connection_next_message(struct connection *connection)
{
    struct receive_buffer *buffer = connection->buffer;
    bool has_more = has_unparsed(connection);

    connection_move(connection,
                    has_more && !connection->is_advancing ? CONNECTION_READY : CONNECTION_IDLE);
    if (!has_more) {
        drop_buffer(connection);
        connection_resume_reading(connection);
        return;
    }
    buffer->start = buffer->parsed;
    shrink(connection);
    if (connection->state == CONNECTION_READY)
        loop_keep_turning(connection->loop);
}
