/*
 * Dispatchers: see dispatch.h for the picture.
 *
 * Invariants:
 *  1. a running call is in one place: the run queue, the pool, the committer, or this thread;
 *  2. from the pool and the committer it comes back through the loop's inbox, and is touched by the
 *     loop alone from then on;
 *  3. each request is answered exactly once.
 */
#include "server/dispatch.h"

#include "base/check.h"
#include "base/container.h"
#include "base/inbox.h"
#include "base/memory.h"
#include "tenant/run_queue.h"

#define HEADERS_SIZE_BYTES_MAX 4096
#define TEXT_SIZE_BYTES_MAX 1024
#define SPARE_CALLS_MAX 256
/* Turns between two looks at the sockets. */
#define TURNS_PER_POLL 64

enum run_state { RUN_QUEUED, RUN_RUNNING, RUN_ON_POOL, RUN_WAITING, RUN_SPARE };

/* A call with its request and the places it can be in. */
struct running {
    struct call call;
    enum run_state state;
    bool begun;
    struct run_task task;
    struct inbox_node node;
    struct pool_task pool;
    enum turn pool_turn; /* how the turn on the pool ended */
    struct dispatcher *dispatcher;
    struct http_request *request;
    struct slice target;
    struct running *next_spare;
};

struct dispatcher {
    const struct dispatch_config *config;
    struct http_loop *loop;
    struct json_parser *parser;
    struct auth_thread *auth;
    struct run_queue *queue;
    struct buf headers;
    struct running *spares;
    size_t spare_count;
};

struct dispatcher *dispatcher_new(const struct dispatch_config *config, struct http_loop *loop)
{
    struct dispatcher *dispatcher = MEM_NEW(struct dispatcher);

    dispatcher->config = config;
    dispatcher->loop = loop;
    dispatcher->parser = json_parser_new(DISPATCH_BODY_SIZE_BYTES_MAX);
    dispatcher->auth = auth_thread_new(config->authenticator);
    dispatcher->queue = run_queue_new();
    buf_init(&dispatcher->headers, HEADERS_SIZE_BYTES_MAX);
    return dispatcher;
}

void dispatcher_free(struct dispatcher *dispatcher)
{
    while (dispatcher->spares != NULL) {
        struct running *running = dispatcher->spares;

        dispatcher->spares = running->next_spare;
        call_deinit(&running->call);
        mem_free(running);
    }
    buf_deinit(&dispatcher->headers);
    run_queue_free(dispatcher->queue);
    auth_thread_free(dispatcher->auth);
    json_parser_free(dispatcher->parser);
    mem_free(dispatcher);
}

/* ---- Running calls ---- */

static void move(struct running *running, enum run_state to)
{
    static const bool allowed[][RUN_SPARE + 1] = {
        [RUN_QUEUED] = {[RUN_RUNNING] = true},
        [RUN_RUNNING] =
            {[RUN_QUEUED] = true, [RUN_ON_POOL] = true, [RUN_WAITING] = true, [RUN_SPARE] = true},
        [RUN_ON_POOL] = {[RUN_RUNNING] = true},
        [RUN_WAITING] = {[RUN_QUEUED] = true},
        [RUN_SPARE] = {[RUN_RUNNING] = true},
    };

    CHECK(allowed[running->state][to]);
    running->state = to;
}

/* From the committer's thread: the call goes on in its loop. */
static void wake(struct call *call)
{
    struct running *running = CONTAINER_OF(call, struct running, call);

    http_loop_post(running->dispatcher->loop, &running->node);
}

static struct running *take_running(struct dispatcher *dispatcher)
{
    struct running *running = dispatcher->spares;

    if (running == NULL) {
        running = MEM_NEW(struct running);
        running->state = RUN_SPARE;
        running->dispatcher = dispatcher;
        call_init(&running->call, &dispatcher->config->api);
        return running;
    }
    dispatcher->spares = running->next_spare;
    dispatcher->spare_count--;
    return running;
}

static void give_running(struct dispatcher *dispatcher, struct running *running)
{
    move(running, RUN_SPARE);
    if (dispatcher->spare_count >= SPARE_CALLS_MAX) {
        call_deinit(&running->call);
        mem_free(running);
        return;
    }
    call_reset(&running->call);
    running->next_spare = dispatcher->spares;
    dispatcher->spares = running;
    dispatcher->spare_count++;
}

static void answer(struct dispatcher *dispatcher, struct running *running)
{
    int status;

    buf_reset(&dispatcher->headers);
    status = call_finish(&running->call, &dispatcher->headers);
    http_respond(running->request, status, buf_slice(&dispatcher->headers),
                 &running->call.response);
    give_running(dispatcher, running);
}

static void queue(struct dispatcher *dispatcher, struct running *running)
{
    move(running, RUN_QUEUED);
    run_queue_push(dispatcher->queue, &running->task);
}

/* On a thread of the reader pool. */
static void run_on_pool(struct pool_task *task)
{
    struct running *running = CONTAINER_OF(task, struct running, pool);

    running->call.may_block = true;
    do {
        running->pool_turn = call_resume(&running->call);
    } while (running->pool_turn == TURN_BLOCKING);
    running->call.may_block = false;
    http_loop_post(running->dispatcher->loop, &running->node);
}

static void after_turn(struct dispatcher *dispatcher, struct running *running, enum turn turn)
{
    switch (turn) {
    case TURN_DONE:
        answer(dispatcher, running);
        return;
    case TURN_AGAIN:
        queue(dispatcher, running);
        return;
    case TURN_BLOCKING:
        move(running, RUN_ON_POOL);
        running->pool.run = run_on_pool;
        engine_run_blocking(dispatcher->config->api.engine, &running->pool);
        return;
    case TURN_WAITING:
        move(running, RUN_WAITING);
        return;
    }
}

static void run(struct dispatcher *dispatcher, struct running *running)
{
    enum turn turn;

    move(running, RUN_RUNNING);
    if (running->begun) {
        turn = call_resume(&running->call);
    } else {
        running->begun = true;
        turn =
            call_begin(&running->call, dispatcher->parser, running->target, running->request->body);
    }
    after_turn(dispatcher, running, turn);
}

bool dispatch_turn(void *context)
{
    struct dispatcher *dispatcher = context;

    for (unsigned i = 0; i < TURNS_PER_POLL; i++) {
        struct run_task *task = run_queue_pop(dispatcher->queue);

        if (task == NULL)
            return false;
        run(dispatcher, CONTAINER_OF(task, struct running, task));
    }
    return run_queue_count(dispatcher->queue) > 0;
}

void dispatch_task(void *context, struct inbox_node *node)
{
    struct dispatcher *dispatcher = context;
    struct running *running = CONTAINER_OF(node, struct running, node);

    if (running->state == RUN_WAITING) {
        queue(dispatcher, running);
        return;
    }
    move(running, RUN_RUNNING);
    after_turn(dispatcher, running, running->pool_turn);
}

/* ---- Requests ---- */

/* Takes the body. */
static void respond_text(struct http_request *request, int status, struct buf *body)
{
    http_respond(request, status, SLICE_LIT("Content-Type: text/plain\r\n"), body);
    buf_deinit(body);
}

/* What DynamoDB says to load balancers and to people who open it in a browser. */
static void respond_health(struct dispatcher *dispatcher, struct http_request *request)
{
    struct buf body;

    buf_init(&body, TEXT_SIZE_BYTES_MAX);
    buf_printf(&body, "healthy: dynamodb.%s.amazonaws.com", dispatcher->config->api.region);
    respond_text(request, 200, &body);
}

static void respond_not_found(struct http_request *request)
{
    struct buf body;

    buf_init(&body, TEXT_SIZE_BYTES_MAX);
    BUF_APPEND_LIT(&body, "The DynamoDB API is POST / with an X-Amz-Target header.\n");
    respond_text(request, 404, &body);
}

static enum status authenticate(struct dispatcher *dispatcher, struct running *running)
{
    const struct http_request *http = running->request;
    struct auth_header *headers =
        ARENA_ARRAY(&running->call.arena, struct auth_header, http->header_count + 1);
    struct auth_request request = {
        .method = http->method,
        .path = http->path,
        .query = http->query,
        .headers = headers,
        .header_count = http->header_count,
        .body = http->body,
        .now_ms = clock_wall_ms(dispatcher->config->api.clock),
    };
    struct principal principal;

    for (size_t i = 0; i < http->header_count; i++)
        headers[i] = (struct auth_header){http->headers[i].name, http->headers[i].value};
    TRY(auth_verify(dispatcher->auth, &request, &running->call.arena, &running->call.error,
                    &principal));
    running->call.tenant_id = principal.tenant_id;
    running->call.tenant = registry_find(dispatcher->config->registry, principal.tenant_id);
    if (running->call.tenant != NULL)
        running->call.scope = running->call.tenant->scope;
    return ST_OK;
}

static void start(struct dispatcher *dispatcher, struct http_request *request)
{
    const struct http_header *target = http_request_header(request, SLICE_LIT("x-amz-target"));
    struct running *running = take_running(dispatcher);

    move(running, RUN_RUNNING);
    running->begun = false;
    running->request = request;
    running->target = target == NULL ? SLICE_EMPTY : target->value;
    running->call.wake = wake;
    if (authenticate(dispatcher, running) != ST_OK) {
        answer(dispatcher, running);
        return;
    }
    running->task.tenant_number = running->call.tenant == NULL ? 0 : running->call.tenant->number;
    queue(dispatcher, running);
}

void dispatch_request(void *context, struct http_request *request)
{
    struct dispatcher *dispatcher = context;

    if (!slice_is(request->path, "/"))
        respond_not_found(request);
    else if (slice_is(request->method, "POST"))
        start(dispatcher, request);
    else if (slice_is(request->method, "GET"))
        respond_health(dispatcher, request);
    else
        respond_not_found(request);
}
