/* What owners ask a request for. */
#include "http/http.h"

const struct http_header *http_request_header(const struct http_request *request, struct slice name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (slice_equal(request->headers[i].name, name))
            return &request->headers[i];
    return NULL;
}
