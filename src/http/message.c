/*
 * llhttp walks over the bytes once and reports spans; slices are made of them where they lie. A
 * chunked body is moved together while it arrives, so that it is one slice in the end:
 *
 *     head | 5 CRLF hello CRLF 6 CRLF _world CRLF 0 CRLF CRLF
 *     head | hello_world
 *
 * Invariants
 * 1. The parser never reads past the end of a message: it is paused there, and the bytes that
 * follow belong to the next message.
 * 2. received_bytes is at most head_size_bytes_max in the head, and in the body at most twice
 *    body_size_bytes_max beyond: chunk framing is no way around the limits.
 * 3. Chunk extensions and trailers are refused: nothing here would read them, others might.
 */
#include "http/message.h"

#include "base/check.h"

static struct message *message_of(llhttp_t *parser)
{
    return parser->data;
}

static int refuse(struct message *message, int status, const char *reason)
{
    /* llhttp stops on any value but 0; the refusal itself says why. */
    return refusal_set(&message->refusal, status, reason) == ST_OK ? 0 : -1;
}

static void extend(struct slice *slice, const char *at, size_t size_bytes)
{
    if (slice->p == NULL && size_bytes > 0)
        slice->p = (const uint8_t *)at;
    slice->n += size_bytes;
}

static int on_url(llhttp_t *parser, const char *at, size_t size_bytes)
{
    extend(&message_of(parser)->target, at, size_bytes);
    return 0;
}

static struct http_header *last_header(struct message *message)
{
    return &message->buffer->headers[message->request.header_count - 1];
}

static int open_header(struct message *message)
{
    if (message->request.header_count == HTTP_HEADER_COUNT_MAX)
        return refuse(message, 431, "The head has too many headers.");
    message->request.header_count++;
    message->is_header_open = true;
    *last_header(message) = (struct http_header){.name = SLICE_EMPTY, .value = SLICE_EMPTY};
    return 0;
}

static int on_header_field(llhttp_t *parser, const char *at, size_t size_bytes)
{
    struct message *message = message_of(parser);

    if (message->is_head_complete)
        return refuse(message, 400, "Trailers are not taken.");
    if (!message->is_header_open && open_header(message) != 0)
        return -1;
    extend(&last_header(message)->name, at, size_bytes);
    return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t size_bytes)
{
    struct message *message = message_of(parser);
    struct slice *value = &last_header(message)->value;

    if (size_bytes > 0 && value->p != NULL && value->p + value->n != (const uint8_t *)at)
        return refuse(message, 400, "A header line is folded.");
    extend(value, at, size_bytes);
    return 0;
}

static int on_header_value_complete(llhttp_t *parser)
{
    message_of(parser)->is_header_open = false;
    return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

static int on_chunk_extension(llhttp_t *parser, const char *at, size_t size_bytes)
{
    (void)at, (void)size_bytes;
    return refuse(message_of(parser), 400, "Chunk extensions are not taken.");
}

static int on_chunk_header(llhttp_t *parser)
{
    struct message *message = message_of(parser);

    if (parser->content_length > message->rules->body_size_bytes_max - message->request.body.n)
        return refuse(message, 413, "The body is too large.");
    return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t size_bytes)
{
    struct message *message = message_of(parser);
    uint8_t *end = message->buffer->bytes + message->body_at + message->request.body.n;

    if (end != (const uint8_t *)at)
        memmove(end, at, size_bytes);
    message->request.body.n += size_bytes;
    return 0;
}

static int on_message_complete(llhttp_t *parser)
{
    message_of(parser)->is_complete = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_chunk_extension_name = on_chunk_extension,
    .on_chunk_extension_value = on_chunk_extension,
    .on_chunk_header = on_chunk_header,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void message_begin(struct message *message, const struct message_rules *rules,
                   struct receive_buffer *buffer)
{
    llhttp_init(&message->parser, HTTP_REQUEST, &settings);
    message->parser.data = message;
    message->rules = rules;
    message->buffer = buffer;
    message->request.headers = buffer->headers;
    message->request.header_count = 0;
    message->request.host = SLICE_EMPTY;
    message->request.body = SLICE_EMPTY;
    message->target = SLICE_EMPTY;
    message->received_bytes = 0;
    message->refusal.status = 0;
    message->is_header_open = false;
    message->is_head_complete = false;
    message->is_complete = false;
}

static void lower_names(struct message *message)
{
    struct receive_buffer *buffer = message->buffer;

    for (size_t i = 0; i < message->request.header_count; i++) {
        struct slice name = buffer->headers[i].name;
        uint8_t *p = buffer->bytes + (name.p - buffer->bytes);

        for (size_t at = 0; at < name.n; at++)
            p[at] = head_lower(p[at]);
    }
}

static enum status check_framing(struct message *message)
{
    bool chunked = (message->parser.flags & F_CHUNKED) != 0;

    if (chunked != message->head.is_chunked)
        return refusal_set(&message->refusal, 400, "The body's framing is unclear.");
    if (!chunked && message->parser.content_length > message->rules->body_size_bytes_max)
        return refusal_set(&message->refusal, 413, "The body is too large.");
    return ST_OK;
}

static bool is_line_ends(const uint8_t *p, size_t n)
{
    for (; n >= 2 && p[0] == '\r' && p[1] == '\n'; n -= 2)
        p += 2;
    return n == 0;
}

/*
 * The parser takes other forms of the request line and of the head's end, too: more blanks, other
 * protocols, bare LFs. Whole line ends before the request line are fine.
 */
static bool is_canonical(const struct message *message, struct slice method)
{
    const uint8_t *start = message->buffer->bytes + message->buffer->start;
    const uint8_t *head_end = message->buffer->bytes + message->buffer->parsed;
    const uint8_t *target_end = message->target.p + message->target.n;
    size_t before_bytes = (size_t)(message->target.p - start);

    if (message->target.n == 0 || before_bytes < method.n + 1 || message->target.p[-1] != ' ')
        return false;
    before_bytes -= method.n + 1;
    return is_line_ends(start, before_bytes) &&
           memcmp(start + before_bytes, method.p, method.n) == 0 &&
           memcmp(target_end, " HTTP/1.", 8) == 0 && is_line_ends(target_end + 9, 2) &&
           is_line_ends(head_end - 4, 4);
}

static enum status finish_head(struct message *message)
{
    struct head_line line = {.headers = message->buffer->headers,
                             .target = message->target,
                             .version_major = message->parser.http_major,
                             .version_minor = message->parser.http_minor};
    struct slice method = slice_cstr(llhttp_method_name((llhttp_method_t)message->parser.method));

    if (message->received_bytes > message->rules->head_size_bytes_max)
        return refusal_set(&message->refusal, 431, "The head is too large.");
    if (message->parser.http_major == 1 && !is_canonical(message, method))
        return refusal_set(&message->refusal, 400, "The request line or a line end is malformed.");
    message->request.method = method;
    message->keep_alive = llhttp_should_keep_alive(&message->parser) != 0;
    lower_names(message);
    TRY(head_check(&message->rules->head, &line, &message->request, &message->head,
                   &message->refusal));
    TRY(check_framing(message));
    message->is_head_complete = true;
    message->body_at = message->buffer->parsed;
    message->request.body.p = message->buffer->bytes + message->body_at;
    return ST_OK;
}

/* The last two bytes parsed, which squeezing may have taken out of the buffer. */
static void note_last(struct message *message, const char *from, size_t size_bytes)
{
    if (size_bytes == 0)
        return;
    message->last_bytes[0] = size_bytes > 1 ? from[size_bytes - 2] : message->last_bytes[1];
    message->last_bytes[1] = from[size_bytes - 1];
}

/* Runs the parser over the unparsed bytes; what it consumed counts as parsed. */
static llhttp_errno_t run_parser(struct message *message)
{
    struct receive_buffer *buffer = message->buffer;
    const char *from = (const char *)buffer->bytes + buffer->parsed;
    size_t size_bytes = buffer->filled - buffer->parsed;
    llhttp_errno_t result = llhttp_execute(&message->parser, from, size_bytes);

    if (result == HPE_PAUSED)
        size_bytes = (size_t)(llhttp_get_error_pos(&message->parser) - from);
    if (result == HPE_PAUSED)
        llhttp_resume(&message->parser);
    note_last(message, from, size_bytes);
    buffer->parsed += size_bytes;
    message->received_bytes += size_bytes;
    return result;
}

/* The parser takes a bare LF for the empty line that ends the chunks. */
static enum status finish(struct message *message)
{
    if (message->head.is_chunked && message->last_bytes[0] != '\r')
        return refusal_set(&message->refusal, 400, "The last chunk is not ended by CRLF.");
    return ST_OK;
}

static enum status check_partial(struct message *message)
{
    const struct message_rules *rules = message->rules;
    size_t received_bytes_max = rules->head_size_bytes_max + 2 * rules->body_size_bytes_max;

    if (!message->is_head_complete && message->received_bytes > rules->head_size_bytes_max)
        return refusal_set(&message->refusal, 431, "The head is too large.");
    if (message->received_bytes > received_bytes_max)
        return refusal_set(&message->refusal, 413, "The body's framing is too large.");
    return ST_OK;
}

/* All is parsed, so what lies behind the body is chunk framing that nobody needs any more. */
static void squeeze(struct message *message)
{
    struct receive_buffer *buffer = message->buffer;

    CHECK(buffer->parsed == buffer->filled);
    if (message->is_head_complete)
        buffer->parsed = buffer->filled = message->body_at + message->request.body.n;
}

static void refuse_syntax(struct message *message, llhttp_errno_t result)
{
    bool version = result == HPE_INVALID_VERSION || result == HPE_PAUSED_H2_UPGRADE;

    if (message->refusal.status != 0)
        return;
    message->refusal.status = version ? 505 : 400;
    message->refusal.reason = llhttp_get_error_reason(&message->parser);
}

enum message_progress message_parse(struct message *message)
{
    bool was_head_complete = message->is_head_complete;
    llhttp_errno_t result = run_parser(message);

    if (result != HPE_OK && result != HPE_PAUSED) {
        refuse_syntax(message, result);
        return MESSAGE_REFUSED;
    }
    if (message->is_complete)
        return finish(message) == ST_OK ? MESSAGE_COMPLETE : MESSAGE_REFUSED;
    if (result == HPE_PAUSED && !was_head_complete)
        return finish_head(message) == ST_OK ? MESSAGE_HEAD : MESSAGE_REFUSED;
    if (check_partial(message) != ST_OK)
        return MESSAGE_REFUSED;
    squeeze(message);
    return MESSAGE_PARTIAL;
}

size_t message_size_bytes(const struct message *message)
{
    const struct receive_buffer *buffer = message->buffer;
    size_t size_bytes = buffer->filled - buffer->start;

    /* While a body arrives, the parser's content_length is what is left of it or of its chunk. */
    if (message->is_head_complete && !message->is_complete)
        size_bytes += (size_t)message->parser.content_length;
    return size_bytes;
}

static void move_slice(struct slice *slice, const uint8_t *from, const uint8_t *to)
{
    if (slice->p != NULL)
        slice->p = to + (slice->p - from);
}

void message_move(struct message *message, struct receive_buffer *to)
{
    struct receive_buffer *from = message->buffer;
    const uint8_t *start = from->bytes + from->start;
    struct http_request *request = &message->request;

    CHECK(to->filled == 0 && to->capacity >= from->filled - from->start);
    memcpy(to->bytes, start, from->filled - from->start);
    to->filled = from->filled - from->start;
    to->parsed = from->parsed - from->start;
    for (size_t i = 0; i < request->header_count; i++) {
        to->headers[i] = from->headers[i];
        move_slice(&to->headers[i].name, start, to->bytes);
        move_slice(&to->headers[i].value, start, to->bytes);
    }
    request->headers = to->headers;
    move_slice(&message->target, start, to->bytes);
    if (message->is_head_complete) {
        move_slice(&request->path, start, to->bytes);
        move_slice(&request->query, start, to->bytes);
        move_slice(&request->host, start, to->bytes);
        move_slice(&request->body, start, to->bytes);
        message->body_at -= from->start;
    }
    message->buffer = to;
}
