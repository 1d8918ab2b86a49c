/*
 * What stands before every stored value:
 *
 *   format(1) | flags(1) | key version(2, LE) | AWS size(4, LE) | body
 *
 * and the one hook that every value passes on its way to the store and back. Encryption will live
 * behind it; today flags and key version are zero and the body is plain.
 */
#ifndef ROWHOUSE_MODEL_ROW_H
#define ROWHOUSE_MODEL_ROW_H

#include "base/buf.h"
#include "base/slice.h"
#include "base/status.h"

#define ROW_HEADER_SIZE_BYTES 8
#define ROW_FORMAT 1

/* Appends header and body to `buf`. `size_aws` is DynamoDB's size of the item (0 for other rows).
 */
void row_seal(struct buf *buf, struct slice body, uint32_t size_aws);
/* ST_CORRUPT for a short or unknown row, ST_VERSION for a newer format. `ret_body` is a view. */
enum status MUST_CHECK row_open(struct slice row, struct slice *ret_body, uint32_t *ret_size_aws);

#endif
