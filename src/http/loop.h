/* One event loop and its thread. Inside the room only. */
#ifndef ROWHOUSE_HTTP_LOOP_H
#define ROWHOUSE_HTTP_LOOP_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <uv.h>

#include "base/inbox.h"
#include "http/connection.h"
#include "http/http.h"
#include "http/message.h"
#include "http/receive_buffer.h"
#include "http/response.h"

#define LOOP_DISCARD_BYTES 16384

/* What all loops of a server share. Read-only after the start, but for the count. */
struct loop_shared {
    struct http_options options;
    struct message_rules rules;
    atomic_uint connection_count;
    sem_t started; /* posted by each loop when its context is there */
};

struct http_loop {
    struct loop_shared *shared;
    pthread_t thread;
    void *context; /* the owner's */

    uv_loop_t uv;
    uv_tcp_t listener;
    uv_async_t wake;
    uv_check_t after_poll;
    uv_idle_t keep_turning; /* active: the next poll does not wait */
    uv_timer_t tick;        /* looks for passed deadlines */

    struct inbox inbox;
    atomic_uint stop_deadline_ms; /* UINT_MAX until http_server_stop() */
    uint64_t cut_at_ms;           /* when stopping */
    bool is_stopping;
    bool is_finished;

    struct connection_queue queues[CONNECTION_STATE_COUNT];
    unsigned connection_count;
    struct receive_pool pool;
    struct buf head; /* of the response being sent */
    struct date_line date;
    char discard[LOOP_DISCARD_BYTES]; /* where the bytes of lingering connections go */
};

/* Prepares the loop over a bound, not yet listening socket, which it then owns. */
enum status MUST_CHECK loop_init(struct http_loop *loop, struct loop_shared *shared, int socket);
/* After the thread has ended, or if it never started. */
void loop_deinit(struct http_loop *loop);
/* Starts the thread. ST_IO if the system has none left. */
enum status MUST_CHECK loop_start(struct http_loop *loop);
/* Asks the loop to stop; any thread. Join with loop_join(). */
void loop_stop(struct http_loop *loop, unsigned deadline_ms);
/* Waits until the loop has stopped. */
void loop_join(struct http_loop *loop);

/* For connections. */
void loop_connection_opened(struct http_loop *loop);
void loop_connection_gone(struct http_loop *loop);
/* There is work that must not wait for an event. */
void loop_keep_turning(struct http_loop *loop);

#endif
