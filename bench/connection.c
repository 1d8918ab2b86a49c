/*
 * Reads HTTP/1.1 answers just well enough for endpoints that answer JSON of a known length: the
 * client must cost less than the servers that it measures.
 */
#include "connection.h"

#include <errno.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/encode.h"

enum { READ_SIZE_BYTES = 32 * 1024, ANSWER_SIZE_BYTES_MAX = 4 * 1024 * 1024 };

enum status connection_init(struct connection *connection, const struct endpoint *endpoint)
{
    TRY(endpoint_connect(endpoint, &connection->socket));
    connection->state = CONNECTION_IDLE;
    buf_init(&connection->received, ANSWER_SIZE_BYTES_MAX);
    return ST_OK;
}

void connection_deinit(struct connection *connection)
{
    (void)close(connection->socket);
    buf_deinit(&connection->received);
}

void connection_start(struct connection *connection, struct slice request, int64_t now_ns)
{
    CHECK(connection->state == CONNECTION_IDLE);
    connection->state = CONNECTION_SENDING;
    connection->unsent = request;
    connection->started_ns = now_ns;
    buf_reset(&connection->received);
}

static enum status send_some(struct connection *connection)
{
    while (connection->unsent.n > 0) {
        ssize_t sent =
            send(connection->socket, connection->unsent.p, connection->unsent.n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EAGAIN)
            return ST_WOULD_BLOCK;
        if (sent < 0)
            return errno == EPIPE || errno == ECONNRESET ? ST_CLOSED : ST_IO;
        connection->unsent = slice_from(connection->unsent, (size_t)sent);
    }
    connection->state = CONNECTION_RECEIVING;
    return ST_OK;
}

static enum status receive_some(struct connection *connection)
{
    uint8_t *room = buf_room(&connection->received, READ_SIZE_BYTES);
    ssize_t got;

    TRY(buf_status(&connection->received));
    got = recv(connection->socket, room, READ_SIZE_BYTES, 0);
    if (got > 0) {
        connection->received.n += (size_t)got;
        return ST_OK;
    }
    if (got == 0 || errno == ECONNRESET)
        return ST_CLOSED;
    return errno == EAGAIN ? ST_WOULD_BLOCK : ST_IO;
}

/* HTTP/1.1 200 OK */
static enum status parse_status_line(struct slice head, int *ret_status)
{
    enum { STATUS_AT = 9, STATUS_DIGITS = 3 };
    int64_t status;

    if (!slice_has_prefix(head, SLICE_LIT("HTTP/1.1 ")) || head.n < STATUS_AT + STATUS_DIGITS)
        return ST_INVALID;
    TRY(parse_int(slice_of(head.p + STATUS_AT, STATUS_DIGITS), &status));
    *ret_status = (int)status;
    return ST_OK;
}

/* The number after "\r\nContent-Length:" in whatever case. */
static enum status parse_content_length(struct slice head, int64_t *ret_size_bytes)
{
    static const char name[] = "\r\ncontent-length:";
    const size_t name_size = sizeof(name) - 1;

    for (size_t i = 0; i + name_size < head.n; i++) {
        struct slice value = slice_from(head, i + name_size);
        size_t digits = 0;

        if (head.p[i] != '\r' || strncasecmp((const char *)head.p + i, name, name_size) != 0)
            continue;
        while (value.n > 0 && value.p[0] == ' ')
            value = slice_from(value, 1);
        while (digits < value.n && value.p[digits] >= '0' && value.p[digits] <= '9')
            digits++;
        return parse_int(slice_of(value.p, digits), ret_size_bytes);
    }
    return ST_INVALID;
}

/* ST_WOULD_BLOCK while bytes are missing. */
static enum status parse_answer(struct slice received, struct answer *ret_answer)
{
    const uint8_t *end = received.n == 0 ? NULL : memmem(received.p, received.n, "\r\n\r\n", 4);
    struct slice head, body;
    int64_t size_bytes;
    int status;

    if (end == NULL)
        return ST_WOULD_BLOCK;
    head = slice_of(received.p, (size_t)(end - received.p) + 2);
    body = slice_from(received, head.n + 2);
    TRY(parse_status_line(head, &status));
    TRY(parse_content_length(head, &size_bytes));
    if (body.n < (size_t)size_bytes)
        return ST_WOULD_BLOCK;
    if (body.n > (size_t)size_bytes)
        return ST_INVALID;
    *ret_answer = (struct answer){.status = status, .body = body};
    return ST_OK;
}

enum status connection_advance(struct connection *connection, struct answer *ret_answer)
{
    CHECK(connection->state != CONNECTION_IDLE);
    if (connection->state == CONNECTION_SENDING) {
        TRY(send_some(connection));
        return ST_WOULD_BLOCK; /* no server has answered by now */
    }
    TRY(receive_some(connection));
    TRY(parse_answer(buf_slice(&connection->received), ret_answer));
    connection->state = CONNECTION_IDLE;
    return ST_OK;
}
