/* The text of a response's head. */
#ifndef ROWHOUSE_HTTP_RESPONSE_H
#define ROWHOUSE_HTTP_RESPONSE_H

#include "base/buf.h"
#include "base/slice.h"

/* "Date: Sun, 06 Nov 1994 08:49:37 GMT" and its line end, made once per second; one loop's. */
struct date_line {
    int64_t second;
    size_t size_bytes;
    char text[64];
};

enum response_connection { RESPONSE_DEFAULT, RESPONSE_KEEP_ALIVE, RESPONSE_CLOSE };

struct response_head {
    int status;
    struct slice header_lines;
    size_t content_length;
    enum response_connection connection;
    const char *server_name; /* or NULL */
};

/* Of no time yet. */
void date_line_init(struct date_line *date);
/* The line of that second, valid until another is asked for. */
struct slice date_line_at(struct date_line *date, int64_t wall_ms);

/* True if responses of this status have neither a body nor a Content-Length (204, 304). */
bool response_is_bodyless(int status);
/* "Bad Request"; "Unknown" for a status without a name here. */
const char *response_reason(int status);
/* Appends the head with the empty line that ends it. */
void response_append_head(struct buf *out, const struct response_head *head, struct slice date);

#endif
