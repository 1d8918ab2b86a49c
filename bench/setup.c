/*
 * The two control operations go over a connection of their own and wait with poll; the rows are a
 * closed loop like any other.
 */
#include "setup.h"

#include <poll.h>
#include <time.h>

#include "base/clock.h"
#include "connection.h"

enum { ANSWER_MS_MAX = 10 * 1000, ACTIVE_POLL_MS = 50, ACTIVE_POLLS_MAX = 1200 };

struct control {
    const struct load *load;
    const struct data_set *data_set;
    const struct signer *signer;
    struct connection connection;
    struct report *report;
};

/* Sends a request and waits for its answer, which is valid until the next. */
static enum status exchange(struct control *control, struct slice request,
                            struct answer *ret_answer)
{
    struct connection *connection = &control->connection;
    enum status status;

    connection_start(connection, request, clock_monotonic_ns(&clock_system));
    for (;;) {
        struct pollfd wait = {.fd = connection->socket};

        status = connection_advance(connection, ret_answer);
        if (status != ST_WOULD_BLOCK)
            return status;
        wait.events = connection->state == CONNECTION_SENDING ? POLLOUT : POLLIN;
        if (poll(&wait, 1, ANSWER_MS_MAX) <= 0)
            return ST_IO;
    }
}

static enum status ask(struct control *control, const struct operation *operation,
                       struct answer *ret_answer)
{
    struct workload workload;
    enum status status;

    workload_init_all(&workload, operation, control->data_set, &control->load->endpoint,
                      control->signer);
    status = exchange(control, workload_request(&workload, 0), ret_answer);
    workload_deinit(&workload);
    return status;
}

static bool mentions(const struct answer *answer, const char *text)
{
    struct slice body = answer->body;

    return body.p != NULL && memmem(body.p, body.n, text, strlen(text)) != NULL;
}

static enum status create_table(struct control *control)
{
    struct answer answer;

    TRY(ask(control, &operation_create_table, &answer));
    if (answer.status != 200 && !mentions(&answer, "ResourceInUseException"))
        report_error(control->report, &answer);
    return ST_OK;
}

static void pause_between_polls(void)
{
    const struct timespec pause = {.tv_nsec = ACTIVE_POLL_MS * 1000000L};

    (void)nanosleep(&pause, NULL);
}

/* The API has no way to be told: one asks. */
static enum status wait_until_active(struct control *control)
{
    struct answer answer;

    for (unsigned i = 0; i < ACTIVE_POLLS_MAX; i++) {
        TRY(ask(control, &operation_describe_table, &answer));
        if (answer.status == 200 && mentions(&answer, "\"ACTIVE\""))
            return ST_OK;
        if (answer.status != 200)
            break;
        pause_between_polls();
    }
    report_error(control->report, &answer);
    return ST_OK;
}

static enum status make_table(struct control *control)
{
    enum status status;

    TRY(connection_init(&control->connection, &control->load->endpoint));
    status = create_table(control);
    if (status == ST_OK && control->report->errors == 0)
        status = wait_until_active(control);
    connection_deinit(&control->connection);
    return status;
}

static enum status write_rows(const struct load *load, const struct operation *operation,
                              const struct data_set *data_set, const struct signer *signer,
                              struct report *ret_report)
{
    struct load all = *load;
    struct workload workload;
    enum status status;

    workload_init_all(&workload, operation, data_set, &load->endpoint, signer);
    all.duration_ms = INT32_MAX;
    all.requests_max = workload.count;
    status = closed_loop_run(&all, &workload, ret_report);
    workload_deinit(&workload);
    return status;
}

enum status setup_run(const struct load *load, const struct data_set *data_set,
                      const struct signer *signer, struct report *ret_report)
{
    struct control control = {
        .load = load, .data_set = data_set, .signer = signer, .report = ret_report};

    report_reset(ret_report);
    TRY(make_table(&control));
    if (ret_report->errors > 0)
        return ST_OK;
    TRY(write_rows(load, &operation_put, data_set, signer, ret_report));
    if (ret_report->errors > 0)
        return ST_OK;
    return write_rows(load, &operation_put_row, data_set, signer, ret_report);
}
