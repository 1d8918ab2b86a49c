/*
 * Responses. Head and body go out in one system call; only what the kernel does not take at once is
 * kept, and then libuv writes it in order.
 */
#include "base/check.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/memory.h"
#include "http/connection.h"
#include "http/loop.h"

#define REFUSAL_SIZE_BYTES_MAX 512

/* What is left of a response. */
struct pending_write {
    uv_write_t request;
    struct connection *connection;
    struct buf head;
    struct buf body;
};

static void connection_written(struct connection *connection)
{
    if (connection->closes_after_write || connection->loop->is_stopping)
        connection_linger(connection);
    else
        connection_next_message(connection);
}

static void on_written(uv_write_t *request, int result)
{
    struct pending_write *write = request->data;
    struct connection *connection = write->connection;

    buf_deinit(&write->head);
    buf_deinit(&write->body);
    mem_free(write);
    connection->pending_write_count--;
    if (result != 0)
        connection_close(connection);
    else if (connection->state == CONNECTION_WRITING && connection->pending_write_count == 0)
        connection_written(connection);
}

static void take_body(struct pending_write *write, struct buf *body)
{
    write->body = *body;
    buf_init(body, body->size_bytes_max);
}

/* Fills at most two pieces, which libuv only reads; returns their number. */
static unsigned gather(struct slice head, struct slice body, uv_buf_t pieces[2])
{
    unsigned count = 0;

    if (head.n > 0)
        pieces[count++] = (uv_buf_t){.base = (char *)head.p, .len = head.n};
    if (body.n > 0)
        pieces[count++] = (uv_buf_t){.base = (char *)body.p, .len = body.n};
    return count;
}

/* Hands over to libuv all but the first `sent` bytes of head and body. */
static enum status queue_rest(struct connection *connection, struct slice head, struct buf *body,
                              size_t sent)
{
    struct pending_write *write = MEM_NEW(struct pending_write);
    size_t head_sent = sent < head.n ? sent : head.n;
    uv_buf_t pieces[2];
    unsigned count;

    buf_init(&write->head, head.n);
    buf_append_slice(&write->head, slice_from(head, head_sent));
    CHECK(buf_status(&write->head) == ST_OK);
    take_body(write, body);
    write->connection = connection;
    write->request.data = write;
    count = gather(buf_slice(&write->head), slice_from(buf_slice(&write->body), sent - head_sent),
                   pieces);
    connection->pending_write_count++;
    if (uv_write(&write->request, (uv_stream_t *)&connection->tcp, pieces, count, on_written) == 0)
        return ST_OK;
    on_written(&write->request, UV_EPIPE);
    return ST_CLOSED;
}

/* Empties the body in any case. */
static enum status connection_send(struct connection *connection, struct slice head,
                                   struct buf *body)
{
    uv_buf_t pieces[2];
    unsigned count = gather(head, buf_slice(body), pieces);
    size_t size_bytes = head.n + body->n;
    int sent = uv_try_write((uv_stream_t *)&connection->tcp, pieces, count);

    if (sent == UV_EAGAIN)
        return queue_rest(connection, head, body, 0);
    if (sent >= 0 && (size_t)sent < size_bytes)
        return queue_rest(connection, head, body, (size_t)sent);
    buf_reset(body);
    return sent < 0 ? ST_CLOSED : ST_OK;
}

static struct slice make_head(struct connection *connection, int status, struct slice header_lines,
                              size_t content_length)
{
    struct http_loop *loop = connection->loop;
    const struct http_options *options = &loop->shared->options;
    bool is_http10 = connection->message.parser.http_minor == 0;
    struct response_head head = {.status = status,
                                 .header_lines = header_lines,
                                 .content_length = content_length,
                                 .connection = connection->closes_after_write ? RESPONSE_CLOSE
                                               : is_http10                    ? RESPONSE_KEEP_ALIVE
                                                                              : RESPONSE_DEFAULT,
                                 .server_name = options->server_name};

    buf_reset(&loop->head);
    response_append_head(&loop->head, &head,
                         date_line_at(&loop->date, clock_wall_ms(options->clock)));
    CHECK(buf_status(&loop->head) == ST_OK);
    return buf_slice(&loop->head);
}

/* The owner may have worked for long since the loop last looked at the clock. */
static void await_peer(struct connection *connection)
{
    uv_update_time(&connection->loop->uv);
    connection->unwritten_bytes = uv_stream_get_write_queue_size((uv_stream_t *)&connection->tcp);
    connection_move(connection, CONNECTION_WRITING);
}

static void respond(struct connection *connection, int status, struct slice header_lines,
                    struct buf *body)
{
    bool is_head = slice_is(connection->message.request.method, "HEAD");
    struct slice head = make_head(connection, status, header_lines, body->n);

    if (is_head || response_is_bodyless(status))
        buf_reset(body);
    connection_move(connection, CONNECTION_WRITING);
    if (connection_send(connection, head, body) != ST_OK) {
        connection_close(connection);
        return;
    }
    if (connection->pending_write_count == 0)
        connection_written(connection);
    else
        await_peer(connection);
}

void connection_send_continue(struct connection *connection)
{
    struct buf none;

    buf_init(&none, 0);
    if (connection_send(connection, SLICE_LIT("HTTP/1.1 100 Continue\r\n\r\n"), &none) != ST_OK)
        connection_close(connection);
}

void connection_refuse(struct connection *connection, int status, const char *reason)
{
    struct buf body;

    connection_cancel(connection);
    buf_init(&body, REFUSAL_SIZE_BYTES_MAX);
    buf_printf(&body, "%d %s: %s\n", status, response_reason(status), reason);
    connection->message.request.method = SLICE_EMPTY;
    connection->closes_after_write = true;
    respond(connection, status, SLICE_LIT("Content-Type: text/plain\r\n"), &body);
    buf_deinit(&body);
}

static struct connection *connection_of(struct http_request *request)
{
    return CONTAINER_OF(request, struct connection, message.request);
}

static void respond_to_orphan(struct connection *connection, struct buf *body)
{
    buf_reset(body);
    connection_move(connection, CONNECTION_CLOSED);
    connection_release(connection);
}

static void respond_to_owner(struct connection *connection, int status, struct slice header_lines,
                             struct buf *body)
{
    bool is_early = connection->state == CONNECTION_BODY;

    /* An answer in on_head ends the request before its body: what comes then is no request. */
    CHECK(connection->state == CONNECTION_WORKING || (is_early && connection->is_announced));
    connection->is_announced = false;
    connection->closes_after_write =
        is_early || !connection->message.keep_alive || connection->loop->is_stopping;
    respond(connection, status, header_lines, body);
}

void http_respond(struct http_request *request, int status, struct slice header_lines,
                  struct buf *body)
{
    struct connection *connection = connection_of(request);
    struct buf none;

    buf_init(&none, 0);
    if (body == NULL)
        body = &none;
    CHECK(buf_status(body) == ST_OK);
    if (connection->state == CONNECTION_ORPHANED)
        respond_to_orphan(connection, body);
    else
        respond_to_owner(connection, status, header_lines, body);
}
