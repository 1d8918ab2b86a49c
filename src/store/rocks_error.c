/*
 * A failure of RocksDB reads "<code>: [<detail>: ]<context>". The code decides, and for an
 * "IO error" the details of the operating system within. What matches nothing is ST_IO.
 */
#include "store/rocks_error.h"

#include <rocksdb/c.h>
#include <stdbool.h>
#include <string.h>

#define REASON_SIZE_BYTES_MAX 500

static _Thread_local char reason[REASON_SIZE_BYTES_MAX];

/* In order: the first row whose code begins the error and whose detail is in it. */
static const struct {
    const char *code;
    const char *detail;
    enum status status;
} meanings[] = {
    {"NotFound", "", ST_NOT_FOUND},
    {"Result incomplete", "", ST_WOULD_BLOCK},
    {"Corruption", "", ST_CORRUPT},
    {"Resource busy", "", ST_BUSY},
    {"Shutdown in progress", "", ST_CLOSED},
    {"IO error", "No space left on device", ST_NO_SPACE},
    {"IO error", "Disk quota exceeded", ST_NO_SPACE},
    {"IO error", "Space limit reached", ST_NO_SPACE},
    {"IO error", "lock hold by current process", ST_BUSY},
    {"IO error", "/LOCK: Resource temporarily unavailable", ST_BUSY},
};

static bool means(const char *error, const char *code, const char *detail)
{
    return strncmp(error, code, strlen(code)) == 0 && strstr(error, detail) != NULL;
}

enum status rocks_error_status(const char *error)
{
    if (error == NULL)
        return ST_OK;
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (means(error, meanings[i].code, meanings[i].detail))
            return meanings[i].status;
    return ST_IO;
}

/* A reason that does not fit is cut, as its header says. */
static void keep_reason(const char *error)
{
    size_t n = strnlen(error, REASON_SIZE_BYTES_MAX - 1);

    memcpy(reason, error, n);
    reason[n] = '\0';
}

enum status rocks_error_take(char *error)
{
    enum status status = rocks_error_status(error);

    if (status != ST_OK && status != ST_WOULD_BLOCK)
        keep_reason(error);
    rocksdb_free(error);
    return status;
}

const char *rocks_error_reason(void)
{
    return reason;
}
