/*
 * A call from the bytes of its request to those of its response: what all operations have in
 * common. Which operation it is, and what that does, stands in operations.c.
 *
 * Invariants:
 *  1. once a call is done, either its error is set or its response is complete JSON;
 *  2. an operation's functions return TURN_DONE when they set the error.
 */
#include "api/call.h"

#include <zlib.h>

#include "api/errors.h"
#include "api/shape.h"
#include "base/check.h"
#include "base/random.h"

#define TARGET_PREFIX "DynamoDB_20120810."

static void clear(struct call *call)
{
    const struct api_config *config = call->config;
    struct arena arena = call->arena;
    struct buf response = call->response;

    *call = (struct call){.config = config, .arena = arena, .response = response};
    error_init(&call->error, &call->arena);
}

void call_init(struct call *call, const struct api_config *config)
{
    call->config = config;
    arena_init(&call->arena, 0);
    buf_init(&call->response, RESPONSE_SIZE_BYTES_MAX);
    clear(call);
}

void call_reset(struct call *call)
{
    arena_reset(&call->arena);
    buf_reset(&call->response);
    clear(call);
}

void call_deinit(struct call *call)
{
    arena_deinit(&call->arena);
    buf_deinit(&call->response);
}

static enum status find_operation(struct call *call, struct slice target)
{
    if (slice_has_prefix(target, SLICE_LIT(TARGET_PREFIX)))
        call->operation = operation_find(slice_from(target, sizeof(TARGET_PREFIX) - 1));
    if (call->operation == NULL)
        return error_set(&call->error, ERROR_UNKNOWN_OPERATION, "%s", "");
    return ST_OK;
}

static enum status parse(struct call *call, struct json_parser *parser, struct slice body)
{
    enum status status = json_parse(parser, body, &call->request);

    if (status == ST_TOO_LARGE)
        return error_set(&call->error, ERROR_SERIALIZATION, "Request is too large or too deep");
    if (status != ST_OK)
        return error_set(&call->error, ERROR_SERIALIZATION,
                         "Request body is not a well-formed JSON document");
    if (json_type(call->request) != JSON_OBJECT)
        return error_set(&call->error, ERROR_SERIALIZATION, "Request body must be a JSON object");
    return ST_OK;
}

static enum status decode(struct call *call, struct json_parser *parser, struct slice target,
                          struct slice body)
{
    TRY(find_operation(call, target));
    TRY(parse(call, parser, body));
    return shape_check(call->operation->input, call->request, call->config->wording, &call->error);
}

enum turn call_begin(struct call *call, struct json_parser *parser, struct slice target,
                     struct slice body)
{
    if (decode(call, parser, target, body) != ST_OK) {
        CHECK(call->error.code != ERROR_NONE);
        return TURN_DONE;
    }
    return call->operation->begin(call);
}

enum turn call_resume(struct call *call)
{
    CHECK(call->operation != NULL && call->operation->resume != NULL);
    return call->operation->resume(call);
}

static void append_request_id(struct buf *headers)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint8_t id[REQUEST_ID_SIZE];

    random_bytes(id, sizeof(id));
    for (size_t i = 0; i < sizeof(id); i++)
        id[i] = (uint8_t)digits[id[i] % (sizeof(digits) - 1)];
    buf_append(headers, id, sizeof(id));
}

static int write_error(struct call *call)
{
    struct error_body body = {
        .error = &call->error,
        .wording = call->config->wording,
        .enveloped = call->operation != NULL && call->operation->layer == LAYER_ENVELOPED,
        .item = call->error_item,
        .detail = call->error_detail,
    };

    buf_reset(&call->response);
    errors_append_body(&call->response, &body);
    return errors_facts(call->error.code)->http_status;
}

int call_finish(struct call *call, struct buf *ret_headers)
{
    int http_status = 200;

    if (call->error.code == ERROR_NONE && buf_status(&call->response) != ST_OK)
        (void)error_set(&call->error, ERROR_VALIDATION_DATA, "The response is too large");
    if (call->error.code != ERROR_NONE)
        http_status = write_error(call);
    BUF_APPEND_LIT(ret_headers, "Content-Type: application/x-amz-json-1.0\r\n"
                                "x-amzn-RequestId: ");
    append_request_id(ret_headers);
    buf_printf(ret_headers, "\r\nx-amz-crc32: %lu\r\n",
               crc32(0, call->response.p, (uInt)call->response.n));
    return http_status;
}
