/*
 * One client's connection. Inside the room only. All functions run on the loop's thread.
 */
#ifndef ROWHOUSE_HTTP_CONNECTION_H
#define ROWHOUSE_HTTP_CONNECTION_H

#include <netinet/in.h>
#include <stdbool.h>
#include <uv.h>

#include "base/buf.h"
#include "http/message.h"
#include "http/receive_buffer.h"

struct http_loop;

enum connection_state {
    CONNECTION_IDLE,      /* no byte of a request is here */
    CONNECTION_READY,     /* bytes of the next request wait for the end of this turn of the loop */
    CONNECTION_HEAD,      /* a head is arriving */
    CONNECTION_BODY,      /* a body is arriving */
    CONNECTION_WORKING,   /* the owner has the request */
    CONNECTION_WRITING,   /* a response is being taken by the peer */
    CONNECTION_LINGERING, /* our side is shut; the peer may read what it was sent */
    CONNECTION_ORPHANED,  /* closed, but the owner still has the request */
    CONNECTION_CLOSED,    /* freed as soon as the socket is */
    CONNECTION_STATE_COUNT
};

/* The connections in one state, by deadline: all wait equally long, so the newest goes last. */
struct connection_queue {
    struct connection *first;
    uint64_t timeout_ms; /* 0: no deadline */
};

struct connection {
    uv_tcp_t tcp;
    uv_shutdown_t shutdown;
    struct http_loop *loop;
    struct connection *prev, *next; /* in the queue of its state */
    uint64_t deadline_ms;
    enum connection_state state;
    bool is_reading;
    bool is_advancing;       /* connection_advance() is at work further up the stack */
    bool is_announced;       /* on_head has the request, and no end of it yet */
    bool closes_after_write; /* the response in WRITING is the last one */
    bool is_handle_closed;
    unsigned pending_write_count;
    size_t unwritten_bytes;        /* when the write deadline was set */
    struct receive_buffer *buffer; /* NULL when IDLE */
    struct message message;
    char peer[INET6_ADDRSTRLEN];
};

/* Accepts the connection that waits on the listener. The loop's count grows by one. */
void connection_accept(struct http_loop *loop, uv_stream_t *listener);
/* Drops the connection; the memory goes once the socket is closed and the owner has answered. */
void connection_close(struct connection *connection);
/* Tells the owner, if on_head showed it the request, that no body will come. */
void connection_cancel(struct connection *connection);
/* Its state's deadline has passed. */
void connection_expire(struct connection *connection);
/* The only way to another state: checks the move, queues the connection and sets the deadline. */
void connection_move(struct connection *connection, enum connection_state to);
/* Frees a closed connection that nobody holds any more. */
void connection_release(struct connection *connection);
/* Shuts our side; what the peer still sends is thrown away. */
void connection_linger(struct connection *connection);

/* connection_read.c */

/* Parses what the buffer holds and hands complete requests over. */
void connection_advance(struct connection *connection);
/* Reads on if it has stopped. */
void connection_resume_reading(struct connection *connection);
/* The request at the front of the buffer is done with; what follows may be the next. */
void connection_next_message(struct connection *connection);

/* connection_write.c */

/* Answers with a short text, and closes. */
void connection_refuse(struct connection *connection, int status, const char *reason);
/* Tells the peer to send the body that it holds back. */
void connection_send_continue(struct connection *connection);

#endif
