/* Response heads are put together by hand: formatting would cost as much as the rest of it. */
#include "http/response.h"

#include <stdio.h>
#include <time.h>

#include "base/check.h"

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

void date_line_init(struct date_line *date)
{
    *date = (struct date_line){.second = INT64_MIN};
}

static void make_date(struct date_line *date)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t second = (time_t)date->second;
    struct tm tm;
    int size_bytes;

    CHECK(gmtime_r(&second, &tm) != NULL);
    /* Not strftime: its names follow the locale. */
    size_bytes =
        snprintf(date->text, sizeof(date->text), "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                 days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour,
                 tm.tm_min, tm.tm_sec);
    CHECK(size_bytes > 0 && (size_t)size_bytes < sizeof(date->text));
    date->size_bytes = (size_t)size_bytes;
}

struct slice date_line_at(struct date_line *date, int64_t wall_ms)
{
    if (date->second != wall_ms / 1000) {
        date->second = wall_ms / 1000;
        make_date(date);
    }
    return slice_of(date->text, date->size_bytes);
}

bool response_is_bodyless(int status)
{
    return status == 204 || status == 304;
}

const char *response_reason(int status)
{
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

static void append_number(struct buf *out, size_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    buf_append(out, digits + at, sizeof(digits) - at);
}

static void append_status_line(struct buf *out, int status)
{
    if (status == 200) {
        BUF_APPEND_LIT(out, "HTTP/1.1 200 OK\r\n");
        return;
    }
    BUF_APPEND_LIT(out, "HTTP/1.1 ");
    append_number(out, (size_t)status);
    buf_append_byte(out, ' ');
    buf_append_slice(out, slice_cstr(response_reason(status)));
    BUF_APPEND_LIT(out, "\r\n");
}

void response_append_head(struct buf *out, const struct response_head *head, struct slice date)
{
    CHECK(head->status >= 200 && head->status <= 599);
    append_status_line(out, head->status);
    buf_append_slice(out, date);
    if (head->server_name != NULL) {
        BUF_APPEND_LIT(out, "Server: ");
        buf_append_slice(out, slice_cstr(head->server_name));
        BUF_APPEND_LIT(out, "\r\n");
    }
    buf_append_slice(out, head->header_lines);
    if (!response_is_bodyless(head->status)) {
        BUF_APPEND_LIT(out, "Content-Length: ");
        append_number(out, head->content_length);
        BUF_APPEND_LIT(out, "\r\n");
    }
    if (head->connection == RESPONSE_CLOSE)
        BUF_APPEND_LIT(out, "Connection: close\r\n");
    else if (head->connection == RESPONSE_KEEP_ALIVE)
        BUF_APPEND_LIT(out, "Connection: keep-alive\r\n");
    BUF_APPEND_LIT(out, "\r\n");
}
