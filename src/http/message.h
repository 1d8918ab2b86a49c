/*
 * One request on its way in: the grammar (llhttp), the limits and the rules of the head, over the
 * bytes of a receive buffer.
 */
#ifndef ROWHOUSE_HTTP_MESSAGE_H
#define ROWHOUSE_HTTP_MESSAGE_H

#include <llhttp.h>

#include "http/head.h"
#include "http/http.h"
#include "http/receive_buffer.h"
#include "http/refusal.h"

/* Fixed at start; one for all connections. */
struct message_rules {
    struct head_rules head;
    size_t head_size_bytes_max;
    size_t body_size_bytes_max;
};

struct message {
    llhttp_t parser;
    struct http_request request;
    const struct message_rules *rules;
    struct receive_buffer *buffer;
    struct slice target;
    size_t body_at;        /* where the body grows in the buffer, after the head */
    size_t received_bytes; /* of this message, framing included */
    char last_bytes[2];    /* parsed last */
    struct head_result head;
    struct refusal refusal;
    bool keep_alive;
    bool is_header_open; /* the last header's value may still grow */
    bool is_head_complete;
    bool is_complete;
};

enum message_progress { MESSAGE_PARTIAL, MESSAGE_HEAD, MESSAGE_COMPLETE, MESSAGE_REFUSED };

/* Prepares for the message at buffer->start; peer, loop and user are left to the caller. */
void message_begin(struct message *message, const struct message_rules *rules,
                   struct receive_buffer *buffer);
/*
 * Parses the buffer's unparsed bytes up to the next end: of the head (reported once), or of the
 * message. After MESSAGE_PARTIAL every byte is parsed, and the framing of chunks is squeezed out.
 */
enum message_progress message_parse(struct message *message);
/* The room that the whole message takes from buffer->start, as far as it is known. */
size_t message_size_bytes(const struct message *message);
/* The message's bytes and headers move to the start of an empty buffer, with all that points there.
 */
void message_move(struct message *message, struct receive_buffer *to);

#endif
