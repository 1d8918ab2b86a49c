/*
 * A small owner of src/http for black-box tests and measurements.
 *
 *     http_echo_server [option=value]...     prints "port N", serves until SIGTERM, exits with 0
 *
 * What a path does:
 *     /echo          answers at once with the body; X-... lines tell what was understood
 *     /headers       answers with the headers, one per line
 *     /size?N        answers with N bytes, byte i being i % 251
 *     /turn          answers in on_turn
 *     /thread        answers after a trip through another thread
 *     /hold          answers when /release is asked for
 *     /release       answers with the number of requests released
 *     /count         answers with the counts of connections and of cancelled requests
 *     /deny          refuses the body in on_head
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/encode.h"
#include "base/inbox.h"
#include "base/memory.h"
#include "http/http.h"

#define RESPONSE_SIZE_BYTES_MAX (64u * 1024 * 1024)

/* A request that is not answered at once. */
struct waiting {
    struct inbox_node node;
    struct waiting *next;
    struct http_request *request;
};

struct echo_loop {
    struct buf lines;
    struct buf body;
    struct waiting *turn;
    struct waiting *held;
    unsigned cancelled_count;
};

static struct http_server *server;

static void answer(struct echo_loop *loop, struct http_request *request)
{
    buf_reset(&loop->lines);
    buf_printf(&loop->lines, "X-Method: %" PRISLICE "\r\nX-Path: %" PRISLICE "\r\n",
               SLICE_ARG(request->method), SLICE_ARG(request->path));
    buf_printf(&loop->lines, "X-Query: %" PRISLICE "\r\nX-Host: %" PRISLICE "\r\n",
               SLICE_ARG(request->query), SLICE_ARG(request->host));
    buf_printf(&loop->lines, "X-Peer: %" PRISLICE "\r\n", SLICE_ARG(request->peer));
    http_respond(request, 200, buf_slice(&loop->lines), &loop->body);
}

static void echo(struct echo_loop *loop, struct http_request *request)
{
    buf_append_slice(&loop->body, request->body);
    answer(loop, request);
}

static void echo_fast(struct echo_loop *loop, struct http_request *request)
{
    buf_append_slice(&loop->body, request->body);
    http_respond(request, 200, SLICE_LIT("Content-Type: application/x-amz-json-1.0\r\n"),
                 &loop->body);
}

static void list_headers(struct echo_loop *loop, struct http_request *request)
{
    for (size_t i = 0; i < request->header_count; i++)
        buf_printf(&loop->body, "%" PRISLICE "=%" PRISLICE "\n",
                   SLICE_ARG(request->headers[i].name), SLICE_ARG(request->headers[i].value));
    answer(loop, request);
}

static void append_pattern(struct buf *body, size_t size_bytes)
{
    uint8_t pattern[251];

    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)i;
    for (; size_bytes > sizeof(pattern); size_bytes -= sizeof(pattern))
        buf_append(body, pattern, sizeof(pattern));
    buf_append(body, pattern, size_bytes);
}

static void send_size(struct echo_loop *loop, struct http_request *request)
{
    int64_t size_bytes = 0;

    if (parse_int(request->query, &size_bytes) != ST_OK) {
        http_respond(request, 400, SLICE_EMPTY, NULL);
        return;
    }
    append_pattern(&loop->body, (size_t)size_bytes);
    answer(loop, request);
}

static struct waiting *wait_with(struct http_request *request, struct waiting *next)
{
    struct waiting *waiting = MEM_NEW(struct waiting);

    waiting->request = request;
    waiting->next = next;
    request->user = waiting;
    return waiting;
}

static unsigned answer_all(struct echo_loop *loop, struct waiting **list)
{
    unsigned count = 0;

    while (*list != NULL) {
        struct waiting *waiting = *list;

        *list = waiting->next;
        echo(loop, waiting->request);
        mem_free(waiting);
        count++;
    }
    return count;
}

static void wait_for_turn(struct echo_loop *loop, struct http_request *request)
{
    loop->turn = wait_with(request, loop->turn);
}

static void hold(struct echo_loop *loop, struct http_request *request)
{
    loop->held = wait_with(request, loop->held);
}

static void release(struct echo_loop *loop, struct http_request *request)
{
    unsigned count = answer_all(loop, &loop->held);

    buf_printf(&loop->body, "%u", count);
    answer(loop, request);
}

static void *pass_back(void *argument)
{
    struct waiting *waiting = argument;

    http_loop_post(waiting->request->loop, &waiting->node);
    return NULL;
}

static void pass_to_thread(struct echo_loop *loop, struct http_request *request)
{
    pthread_t thread;

    (void)loop;
    CHECK(pthread_create(&thread, NULL, pass_back, wait_with(request, NULL)) == 0);
    CHECK(pthread_detach(thread) == 0);
}

static void count(struct echo_loop *loop, struct http_request *request)
{
    buf_printf(&loop->body, "%u %u", http_server_connection_count(server), loop->cancelled_count);
    answer(loop, request);
}

static const struct {
    const char *path;
    void (*run)(struct echo_loop *loop, struct http_request *request);
} routes[] = {
    {"/fast", echo_fast},       {"/echo", echo},
    {"/headers", list_headers}, {"/size", send_size},
    {"/turn", wait_for_turn},   {"/hold", hold},
    {"/count", count},          {"/thread", pass_to_thread},
    {"/release", release},
};

static void on_request(void *context, struct http_request *request)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (slice_is(request->path, routes[i].path)) {
            routes[i].run(context, request);
            return;
        }
    }
    http_respond(request, 404, SLICE_EMPTY, NULL);
}

static void on_head(void *context, struct http_request *request)
{
    (void)context;
    if (slice_is(request->path, "/deny"))
        http_respond(request, 403, SLICE_EMPTY, NULL);
}

static void on_cancel(void *context, struct http_request *request)
{
    struct echo_loop *loop = context;

    (void)request;
    loop->cancelled_count++;
}

static void on_task(void *context, struct inbox_node *task)
{
    struct waiting *waiting = (struct waiting *)task;

    echo(context, waiting->request);
    mem_free(waiting);
}

static bool on_turn(void *context)
{
    struct echo_loop *loop = context;

    answer_all(loop, &loop->turn);
    return false;
}

static void *on_loop_start(struct http_loop *loop, void *context)
{
    struct echo_loop *echo_loop = MEM_NEW(struct echo_loop);

    (void)loop, (void)context;
    buf_init(&echo_loop->lines, RESPONSE_SIZE_BYTES_MAX);
    buf_init(&echo_loop->body, RESPONSE_SIZE_BYTES_MAX);
    return echo_loop;
}

static void on_loop_stop(void *context)
{
    struct echo_loop *loop = context;

    buf_deinit(&loop->lines);
    buf_deinit(&loop->body);
    mem_free(loop);
}

struct number_option {
    const char *name;
    unsigned *value;
};

static void set_option(const struct number_option *options, const char *argument)
{
    const char *equals = strchr(argument, '=');
    int64_t value = 0;

    CHECK(equals != NULL && parse_int(slice_cstr(equals + 1), &value) == ST_OK);
    for (; options->name != NULL; options++) {
        if (slice_is(slice_of(argument, (size_t)(equals - argument)), options->name)) {
            *options->value = (unsigned)value;
            return;
        }
    }
    CHECK(!"a known option");
}

static void read_options(struct http_options *http, unsigned *stop_ms, int count, char **arguments)
{
    unsigned port = 0;
    unsigned memory = 256u * 1024 * 1024;
    const struct number_option options[] = {
        {"loops", &http->loop_count},
        {"port", &port},
        {"head", &http->head_timeout_ms},
        {"body", &http->body_timeout_ms},
        {"idle", &http->idle_timeout_ms},
        {"write", &http->write_timeout_ms},
        {"linger", &http->linger_timeout_ms},
        {"connections", &http->connection_count_max},
        {"memory", &memory},
        {"stop", stop_ms},
        {NULL, NULL},
    };

    for (int i = 1; i < count; i++)
        set_option(options, arguments[i]);
    http->port = (uint16_t)port;
    http->large_buffer_bytes_max = memory;
}

static void wait_for_signal(void)
{
    sigset_t set;
    int number;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    printf("port %u\n", http_server_port(server));
    fflush(stdout);
    CHECK(sigwait(&set, &number) == 0);
}

int main(int count, char **arguments)
{
    static const char *const single_headers[] = {"x-amz-target", "x-tenant-id", NULL};
    struct http_options options;
    unsigned stop_ms = 5000;
    enum status status;

    http_options_init(&options);
    read_options(&options, &stop_ms, count, arguments);
    options.single_headers = single_headers;
    options.callbacks = (struct http_callbacks){.on_loop_start = on_loop_start,
                                                .on_loop_stop = on_loop_stop,
                                                .on_request = on_request,
                                                .on_head = on_head,
                                                .on_cancel = on_cancel,
                                                .on_task = on_task,
                                                .on_turn = on_turn};
    server = http_server_new(&options);
    status = http_server_start(server);
    if (status == ST_OK) {
        wait_for_signal();
        http_server_stop(server, stop_ms);
    } else {
        fprintf(stderr, "cannot start: %s\n", status_name(status));
    }
    http_server_free(server);
    return status == ST_OK ? 0 : 1;
}
