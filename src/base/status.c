/* Names of statuses. */
#include "base/status.h"

const char *status_name(enum status status)
{
    switch (status) {
    case ST_OK:
        return "ok";
    case ST_NOT_FOUND:
        return "not found";
    case ST_EXISTS:
        return "exists already";
    case ST_WOULD_BLOCK:
        return "would block";
    case ST_REFUSED:
        return "refused";
    case ST_INVALID:
        return "invalid";
    case ST_TOO_LARGE:
        return "too large";
    case ST_CORRUPT:
        return "corrupt";
    case ST_IO:
        return "input or output failed";
    case ST_NO_SPACE:
        return "no space left";
    case ST_BUSY:
        return "busy";
    case ST_CLOSED:
        return "closed";
    case ST_VERSION:
        return "written by a newer version";
    }
    return "unknown status";
}
