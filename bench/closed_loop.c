/*
 * One thread, one epoll, level-triggered.
 *
 * Invariants
 * 1. Each connection has one request under way, or is finished and no longer watched.
 * 2. `busy` counts those with a request under way; the run is over when it is 0.
 */
#include "closed_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "connection.h"

enum { EVENTS_MAX = 256, SILENCE_MS_MAX = 10 * 1000 };

struct closed_loop {
    const struct load *load;
    const struct workload *workload;
    struct report *report;
    struct connection *connections;
    unsigned connection_count; /* of those that are open */
    unsigned busy;
    int epoll;
    int64_t end_ns;
    uint64_t started_requests;
};

static int64_t now_ns(void)
{
    return clock_monotonic_ns(&clock_system);
}

/* ---- Connections ---- */

static enum status open_connections(struct closed_loop *loop)
{
    for (unsigned i = 0; i < loop->load->connection_count; i++) {
        TRY(connection_init(&loop->connections[i], &loop->load->endpoint));
        loop->connection_count++;
    }
    return ST_OK;
}

static void close_connections(struct closed_loop *loop)
{
    for (unsigned i = 0; i < loop->connection_count; i++)
        connection_deinit(&loop->connections[i]);
}

static void watch(const struct closed_loop *loop, struct connection *connection, int how,
                  uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = connection};

    CHECK(epoll_ctl(loop->epoll, how, connection->socket, &event) == 0);
}

/* ---- Requests ---- */

static void count_answer(struct closed_loop *loop, const struct connection *connection,
                         const struct answer *answer, int64_t time_ns)
{
    loop->report->requests++;
    histogram_add(&loop->report->latency_ns, (uint64_t)(time_ns - connection->started_ns));
    if (answer->status != 200 || answer->body.n < loop->workload->answer_size_bytes_min)
        report_error(loop->report, answer);
}

static bool may_start(const struct closed_loop *loop, int64_t time_ns)
{
    return time_ns < loop->end_ns && loop->started_requests < loop->load->requests_max;
}

/* Sends the next request. ST_NOT_FOUND if there is none to send. */
static enum status send_next(struct closed_loop *loop, struct connection *connection,
                             int64_t time_ns)
{
    struct answer answer;
    enum status status;

    if (!may_start(loop, time_ns))
        return ST_NOT_FOUND;
    connection_start(connection, workload_request(loop->workload, loop->started_requests++),
                     time_ns);
    status = connection_advance(connection, &answer);
    CHECK(status != ST_OK);
    return status == ST_WOULD_BLOCK ? ST_OK : status;
}

/* ---- The loop ---- */

static enum status begin(struct closed_loop *loop)
{
    for (unsigned i = 0; i < loop->connection_count; i++) {
        struct connection *connection = &loop->connections[i];
        enum status status = send_next(loop, connection, now_ns());

        if (status == ST_NOT_FOUND)
            return ST_OK;
        TRY(status);
        loop->busy++;
        watch(loop, connection, EPOLL_CTL_ADD,
              connection->state == CONNECTION_SENDING ? EPOLLOUT : EPOLLIN);
    }
    return ST_OK;
}

static enum status on_answer(struct closed_loop *loop, struct connection *connection,
                             const struct answer *answer)
{
    int64_t time_ns = now_ns();
    enum status status;

    count_answer(loop, connection, answer, time_ns);
    status = send_next(loop, connection, time_ns);
    if (status != ST_NOT_FOUND)
        return status;
    watch(loop, connection, EPOLL_CTL_DEL, 0);
    loop->busy--;
    return ST_OK;
}

static enum status on_event(struct closed_loop *loop, struct connection *connection)
{
    bool was_sending = connection->state == CONNECTION_SENDING;
    struct answer answer;
    enum status status = connection_advance(connection, &answer);
    bool sending;

    if (status == ST_OK)
        status = on_answer(loop, connection, &answer);
    else if (status == ST_WOULD_BLOCK)
        status = ST_OK;
    TRY(status);
    sending = connection->state == CONNECTION_SENDING;
    if (sending != was_sending)
        watch(loop, connection, EPOLL_CTL_MOD, sending ? EPOLLOUT : EPOLLIN);
    return ST_OK;
}

static enum status run_events(struct closed_loop *loop)
{
    struct epoll_event events[EVENTS_MAX];

    while (loop->busy > 0) {
        int count = epoll_wait(loop->epoll, events, EVENTS_MAX, SILENCE_MS_MAX);

        if (count <= 0)
            return ST_IO;
        for (int i = 0; i < count; i++)
            TRY(on_event(loop, events[i].data.ptr));
    }
    return ST_OK;
}

static enum status run(struct closed_loop *loop)
{
    int64_t start_ns;

    TRY(open_connections(loop));
    start_ns = now_ns();
    loop->end_ns = start_ns + loop->load->duration_ms * 1000000;
    TRY(begin(loop));
    TRY(run_events(loop));
    loop->report->elapsed_ns = now_ns() - start_ns;
    return ST_OK;
}

enum status closed_loop_run(const struct load *load, const struct workload *workload,
                            struct report *ret_report)
{
    struct closed_loop loop = {.load = load, .workload = workload, .report = ret_report};
    enum status status;

    CHECK(load->connection_count > 0 && load->connection_count <= CLOSED_LOOP_CONNECTIONS_MAX);
    report_reset(ret_report);
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop.epoll < 0)
        return ST_IO;
    loop.connections = mem_zalloc(load->connection_count * sizeof(loop.connections[0]));
    status = run(&loop);
    close_connections(&loop);
    mem_free(loop.connections);
    (void)close(loop.epoll);
    return status;
}
