/*
 * One turn of a loop:
 *
 *     tick (deadlines) -> poll: accept, read, write, wake (inbox -> on_task)
 *                      -> after_poll: READY connections, on_turn -> closed handles -> again
 *
 * Invariants
 * 1. All but loop_start, loop_stop, loop_join and http_loop_post runs on the loop's thread.
 * 2. The poll waits only if no connection is READY and on_turn had nothing left to do.
 * 3. A stopping loop accepts nothing, finishes when its last connection is gone, and finishes once.
 */
#include "http/loop.h"

#include <limits.h>
#include <signal.h>

#include "base/check.h"

#define LISTEN_BACKLOG 4096
#define TICK_MS_MIN 5
#define TICK_MS_MAX 250
#define RESPONSE_HEAD_SIZE_BYTES_MAX (1024 * 1024)

static const struct http_callbacks *callbacks_of(const struct http_loop *loop)
{
    return &loop->shared->options.callbacks;
}

/* ---- Stopping ---- */

static void drain_inbox(struct http_loop *loop)
{
    struct inbox_node *task = inbox_take_all(&loop->inbox);

    while (task != NULL) {
        struct inbox_node *next = task->next;

        if (callbacks_of(loop)->on_task != NULL)
            callbacks_of(loop)->on_task(loop->context, task);
        task = next;
    }
}

static void finish_if_empty(struct http_loop *loop)
{
    if (!loop->is_stopping || loop->is_finished || loop->connection_count > 0)
        return;
    loop->is_finished = true;
    drain_inbox(loop);
    if (callbacks_of(loop)->on_loop_stop != NULL)
        callbacks_of(loop)->on_loop_stop(loop->context);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->after_poll, NULL);
    uv_close((uv_handle_t *)&loop->keep_turning, NULL);
    uv_close((uv_handle_t *)&loop->tick, NULL);
}

static void close_all(struct http_loop *loop, enum connection_state state)
{
    while (loop->queues[state].first != NULL)
        connection_close(loop->queues[state].first);
}

static void begin_stop(struct http_loop *loop, unsigned deadline_ms)
{
    loop->is_stopping = true;
    loop->cut_at_ms = uv_now(&loop->uv) + deadline_ms;
    uv_close((uv_handle_t *)&loop->listener, NULL);
    close_all(loop, CONNECTION_IDLE);
    finish_if_empty(loop);
}

static void cut_all(struct http_loop *loop)
{
    for (enum connection_state state = 0; state < CONNECTION_STATE_COUNT; state++)
        close_all(loop, state);
}

/* ---- Events ---- */

static void expire_queue(struct http_loop *loop, struct connection_queue *queue)
{
    uint64_t now_ms = uv_now(&loop->uv);

    if (queue->timeout_ms == 0)
        return;
    while (queue->first != NULL && queue->first->deadline_ms <= now_ms)
        connection_expire(queue->first);
}

static void on_tick(uv_timer_t *timer)
{
    struct http_loop *loop = timer->data;

    for (size_t state = 0; state < CONNECTION_STATE_COUNT; state++)
        expire_queue(loop, &loop->queues[state]);
    if (loop->is_stopping && uv_now(&loop->uv) >= loop->cut_at_ms)
        cut_all(loop);
}

static void on_wake(uv_async_t *async)
{
    struct http_loop *loop = async->data;
    unsigned deadline_ms = atomic_load(&loop->stop_deadline_ms);

    drain_inbox(loop);
    if (deadline_ms != UINT_MAX && !loop->is_stopping)
        begin_stop(loop, deadline_ms);
}

static void on_keep_turning(uv_idle_t *idle)
{
    (void)idle; /* Its being active is all: the poll does not wait. */
}

void loop_keep_turning(struct http_loop *loop)
{
    uv_idle_start(&loop->keep_turning, on_keep_turning);
}

/* Ends: nothing is read meanwhile, so what has arrived runs out. */
static void advance_ready(struct http_loop *loop)
{
    while (loop->queues[CONNECTION_READY].first != NULL)
        connection_advance(loop->queues[CONNECTION_READY].first);
}

static void on_after_poll(uv_check_t *check)
{
    struct http_loop *loop = check->data;
    bool has_more = false;

    advance_ready(loop);
    if (callbacks_of(loop)->on_turn != NULL)
        has_more = callbacks_of(loop)->on_turn(loop->context);
    if (has_more || loop->queues[CONNECTION_READY].first != NULL)
        loop_keep_turning(loop);
    else
        uv_idle_stop(&loop->keep_turning);
}

static void on_connection(uv_stream_t *listener, int result)
{
    if (result == 0)
        connection_accept(listener->data, listener);
}

void loop_connection_opened(struct http_loop *loop)
{
    loop->connection_count++;
    atomic_fetch_add_explicit(&loop->shared->connection_count, 1, memory_order_relaxed);
}

void loop_connection_gone(struct http_loop *loop)
{
    loop->connection_count--;
    atomic_fetch_sub_explicit(&loop->shared->connection_count, 1, memory_order_relaxed);
    finish_if_empty(loop);
}

/* ---- Life ---- */

static void init_queues(struct http_loop *loop)
{
    const struct http_options *options = &loop->shared->options;

    loop->queues[CONNECTION_IDLE].timeout_ms = options->idle_timeout_ms;
    loop->queues[CONNECTION_HEAD].timeout_ms = options->head_timeout_ms;
    loop->queues[CONNECTION_BODY].timeout_ms = options->body_timeout_ms;
    loop->queues[CONNECTION_WRITING].timeout_ms = options->write_timeout_ms;
    loop->queues[CONNECTION_LINGERING].timeout_ms = options->linger_timeout_ms;
}

/* Deadlines are met to within a quarter of the shortest one. */
static uint64_t tick_ms(const struct http_loop *loop)
{
    uint64_t tick = TICK_MS_MAX;

    for (size_t state = 0; state < CONNECTION_STATE_COUNT; state++) {
        uint64_t timeout_ms = loop->queues[state].timeout_ms;

        if (timeout_ms > 0 && timeout_ms / 4 < tick)
            tick = timeout_ms / 4;
    }
    return tick < TICK_MS_MIN ? TICK_MS_MIN : tick;
}

static void init_handles(struct http_loop *loop)
{
    CHECK(uv_loop_init(&loop->uv) == 0);
    CHECK(uv_tcp_init(&loop->uv, &loop->listener) == 0);
    CHECK(uv_async_init(&loop->uv, &loop->wake, on_wake) == 0);
    CHECK(uv_check_init(&loop->uv, &loop->after_poll) == 0);
    CHECK(uv_idle_init(&loop->uv, &loop->keep_turning) == 0);
    CHECK(uv_timer_init(&loop->uv, &loop->tick) == 0);
    loop->listener.data = loop;
    loop->wake.data = loop;
    loop->after_poll.data = loop;
    loop->tick.data = loop;
}

static enum status listen_on(struct http_loop *loop, int socket)
{
    int result = uv_tcp_open(&loop->listener, socket);

    CHECK(result == 0); /* The socket is ours and new. */
    result = uv_listen((uv_stream_t *)&loop->listener, LISTEN_BACKLOG, on_connection);
    if (result == UV_EADDRINUSE)
        return ST_BUSY;
    return result == 0 ? ST_OK : ST_IO;
}

enum status loop_init(struct http_loop *loop, struct loop_shared *shared, int socket)
{
    loop->shared = shared;
    atomic_init(&loop->stop_deadline_ms, UINT_MAX);
    inbox_init(&loop->inbox);
    receive_pool_init(&loop->pool, shared->options.buffer_count_max,
                      shared->options.large_buffer_bytes_max / shared->options.loop_count);
    buf_init(&loop->head, RESPONSE_HEAD_SIZE_BYTES_MAX);
    date_line_init(&loop->date);
    init_queues(loop);
    init_handles(loop);
    return listen_on(loop, socket);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void loop_deinit(struct http_loop *loop)
{
    /* Nothing is left of a loop that ran; one that never did still has its handles. */
    uv_walk(&loop->uv, close_handle, NULL);
    CHECK(uv_run(&loop->uv, UV_RUN_DEFAULT) == 0);
    CHECK(uv_loop_close(&loop->uv) == 0);
    receive_pool_deinit(&loop->pool);
    buf_deinit(&loop->head);
}

static void *run(void *argument)
{
    struct http_loop *loop = argument;
    uint64_t tick = tick_ms(loop);

    loop->context = loop->shared->options.context;
    if (callbacks_of(loop)->on_loop_start != NULL)
        loop->context = callbacks_of(loop)->on_loop_start(loop, loop->context);
    sem_post(&loop->shared->started);
    uv_check_start(&loop->after_poll, on_after_poll);
    uv_timer_start(&loop->tick, on_tick, tick, tick);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

enum status loop_start(struct http_loop *loop)
{
    sigset_t all, before;
    int result;

    /* Signals are for other threads; a peer's reset must not raise SIGPIPE here. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    result = pthread_create(&loop->thread, NULL, run, loop);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result == 0 ? ST_OK : ST_IO;
}

void loop_stop(struct http_loop *loop, unsigned deadline_ms)
{
    atomic_store(&loop->stop_deadline_ms, deadline_ms == UINT_MAX ? UINT_MAX - 1 : deadline_ms);
    uv_async_send(&loop->wake);
}

void loop_join(struct http_loop *loop)
{
    CHECK(pthread_join(loop->thread, NULL) == 0);
}

void http_loop_post(struct http_loop *loop, struct inbox_node *task)
{
    if (inbox_push(&loop->inbox, task))
        uv_async_send(&loop->wake);
}
