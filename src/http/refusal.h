/* Why a request is not taken: what its sender reads before the connection closes. */
#ifndef ROWHOUSE_HTTP_REFUSAL_H
#define ROWHOUSE_HTTP_REFUSAL_H

#include "base/status.h"

struct refusal {
    int status;         /* an HTTP status; 0: none */
    const char *reason; /* a static sentence without the sender's bytes */
};

/* ST_REFUSED always, so that `return refusal_set(...)` is the idiom. The first refusal stays. */
static inline enum status refusal_set(struct refusal *refusal, int status, const char *reason)
{
    if (refusal->status == 0)
        *refusal = (struct refusal){.status = status, .reason = reason};
    return ST_REFUSED;
}

#endif
