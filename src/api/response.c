/*
 * Responses are small objects around items that are written straight from their stored form; a tree
 * of JSON values would only be in the way.
 */
#include "api/response.h"

#include "json/attribute.h"

void response_comma(struct buf *buf)
{
    uint8_t last = buf->n == 0 ? '{' : buf->p[buf->n - 1];

    if (last != '{' && last != '[')
        buf_append_byte(buf, ',');
}

void response_name(struct buf *buf, const char *name)
{
    response_comma(buf);
    buf_append_byte(buf, '"');
    buf_append(buf, name, strlen(name));
    BUF_APPEND_LIT(buf, "\":");
}

void response_text(struct buf *buf, const char *name, struct slice text)
{
    response_name(buf, name);
    json_append_string(buf, text);
}

void response_int(struct buf *buf, const char *name, int64_t value)
{
    response_name(buf, name);
    json_append_int(buf, value);
}

void response_bool(struct buf *buf, const char *name, bool value)
{
    response_name(buf, name);
    buf_printf(buf, "%s", value ? "true" : "false");
}

void response_date(struct buf *buf, const char *name, int64_t wall_ms)
{
    response_name(buf, name);
    buf_printf(buf, "%lld.%03d", (long long)(wall_ms / 1000), (int)(wall_ms % 1000));
}

void response_open(struct buf *buf, const char *name)
{
    response_name(buf, name);
    buf_append_byte(buf, '{');
}
