/*
 * RocksDB's C API reports failures as sentences. This is the one place that reads them.
 */
#ifndef ROWHOUSE_STORE_ROCKS_ERROR_H
#define ROWHOUSE_STORE_ROCKS_ERROR_H

#include "base/status.h"

/* The status of an error string of RocksDB, which is freed; NULL is ST_OK. Failures other than
 * ST_WOULD_BLOCK are kept for rocks_error_reason. */
enum status MUST_CHECK rocks_error_take(char *error);
/* Without freeing or keeping it. */
enum status MUST_CHECK rocks_error_status(const char *error);
/* This thread's last failure, cut at 500 bytes; never NULL. Valid until its next one. */
const char *rocks_error_reason(void);

#endif
