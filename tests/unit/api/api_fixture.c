/* Calls that run to their end on the test's thread: see api_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api_fixture.h"
#include "engine/dead.h"

#define REQUEST_SIZE_BYTES_MAX (1024 * 1024)

struct api_config api_config;

static struct kv *store;
static struct dead_set *dead;
static struct json_parser *parser;
static struct call call;
static struct buf answer;
static char request_text[REQUEST_SIZE_BYTES_MAX + JSON_PADDING_BYTES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static bool awake;

static void wake(struct call *sleeper)
{
    (void)sleeper;
    pthread_mutex_lock(&lock);
    awake = true;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&lock);
}

static void wait_for_wake(void)
{
    pthread_mutex_lock(&lock);
    while (!awake)
        pthread_cond_wait(&woken, &lock);
    pthread_mutex_unlock(&lock);
}

int api_set_up(void **state)
{
    struct engine_options options = {.clock = &clock_system};

    (void)state;
    store = kv_open_memory();
    dead = dead_set_new();
    options.store = store;
    options.dead = dead;
    if (engine_open(&options, &api_config.engine) != ST_OK)
        return -1;
    api_config.clock = &clock_system;
    api_config.development = true;
    api_config.region = "us-east-1";
    api_config.address = "localhost:8000";
    parser = json_parser_new(REQUEST_SIZE_BYTES_MAX);
    buf_init(&answer, RESPONSE_SIZE_BYTES_MAX);
    call_init(&call, &api_config);
    return 0;
}

int api_tear_down(void **state)
{
    (void)state;
    call_deinit(&call);
    buf_deinit(&answer);
    json_parser_free(parser);
    engine_close(api_config.engine);
    kv_close(store);
    dead_set_free(dead);
    return 0;
}

static void double_quotes(char *ret_text, size_t size, const char *text)
{
    size_t n = strlen(text);

    assert_true(n < size);
    for (size_t i = 0; i <= n; i++)
        ret_text[i] = text[i] == '\'' ? '"' : text[i];
}

static void run(const char *target, size_t request_size)
{
    enum turn turn;

    awake = false;
    turn = call_begin(&call, parser, slice_cstr(target), slice_of(request_text, request_size));
    while (turn != TURN_DONE) {
        if (turn == TURN_WAITING)
            wait_for_wake();
        awake = false;
        call.may_block = turn == TURN_BLOCKING;
        turn = call_resume(&call);
    }
}

static const char *take_answer(int *ret_http_status)
{
    struct buf headers;
    int http_status;

    buf_init(&headers, 4096);
    http_status = call_finish(&call, &headers);
    buf_deinit(&headers);
    if (ret_http_status != NULL)
        *ret_http_status = http_status;
    buf_reset(&answer);
    buf_append_slice(&answer, buf_slice(&call.response));
    buf_append_byte(&answer, 0);
    return (const char *)answer.p;
}

const char *api_call(const char *operation, const char *request, int *ret_http_status)
{
    const char *at = strchr(operation, '@');
    const char *name = at == NULL ? operation : at + 1;
    char target[128];

    call_reset(&call);
    call.tenant_id = at == NULL ? SLICE_LIT("acme") : slice_of(operation, (size_t)(at - operation));
    call.tenant = registry_find(engine_registry(api_config.engine), call.tenant_id);
    call.scope = call.tenant == NULL ? NULL : call.tenant->scope;
    call.wake = wake;
    assert_true(snprintf(target, sizeof(target), "DynamoDB_20120810.%s", name) > 0);
    double_quotes(request_text, REQUEST_SIZE_BYTES_MAX, request);
    run(target, strlen(request_text));
    return take_answer(ret_http_status);
}

static bool contains(const char *text, const char *part)
{
    char quoted[4096];

    double_quotes(quoted, sizeof(quoted), part);
    return strstr(text, quoted) != NULL;
}

void assert_answer(const char *operation, const char *request, const char *part)
{
    const char *body = api_call(operation, request, NULL);

    if (!contains(body, part))
        fail_msg("%s answered %s\nwithout %s", operation, body, part);
}

void assert_no_answer(const char *operation, const char *request, const char *part)
{
    const char *body = api_call(operation, request, NULL);

    if (contains(body, part))
        fail_msg("%s answered %s\nwith %s", operation, body, part);
}

void assert_refused(const char *operation, const char *request, const char *type,
                    const char *message)
{
    int http_status;
    const char *body = api_call(operation, request, &http_status);
    char type_end[128];

    assert_true(snprintf(type_end, sizeof(type_end), "#%s\"", type) > 0);
    assert_int_equal(http_status, 400);
    if (strstr(body, type_end) == NULL || !slice_equal(call.error.message, slice_cstr(message)))
        fail_msg("%s answered %s\ninstead of %s: %s", operation, body, type, message);
}

void assert_becomes(const char *table, const char *part)
{
    const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
    char request[512];

    assert_true(snprintf(request, sizeof(request), "{'TableName':'%s'}", table) > 0);
    for (int i = 0; i < 1000; i++) {
        if (contains(api_call("DescribeTable", request, NULL), part))
            return;
        nanosleep(&pause, NULL);
    }
    fail_msg("%s never became %s: %s", table, part, (const char *)answer.p);
}
