/*
 * Members of a response, appended to its buffer. Commas need no thought: a member that does not
 * follow an opening brace gets one before it.
 */
#ifndef ROWHOUSE_API_RESPONSE_H
#define ROWHOUSE_API_RESPONSE_H

#include "base/buf.h"

/* "name": -- the value follows. */
void response_name(struct buf *buf, const char *name);
/* A comma if an element or member stands before. */
void response_comma(struct buf *buf);
/* Whole members: a name and its value. */
void response_text(struct buf *buf, const char *name, struct slice text);
void response_int(struct buf *buf, const char *name, int64_t value);
void response_bool(struct buf *buf, const char *name, bool value);
/* Seconds since 1970 with three decimals. */
void response_date(struct buf *buf, const char *name, int64_t wall_ms);
/* "name":{ */
void response_open(struct buf *buf, const char *name);

#endif
