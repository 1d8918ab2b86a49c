/* The header of stored values, and the hook that all of them pass. See row.h. */
#include "model/row.h"

#include "base/encode.h"

void row_seal(struct buf *buf, struct slice body, uint32_t size_aws)
{
    uint8_t header[ROW_HEADER_SIZE_BYTES] = {ROW_FORMAT};

    put_le32(header + 4, size_aws);
    buf_append(buf, header, sizeof(header));
    buf_append_slice(buf, body);
}

enum status row_open(struct slice row, struct slice *ret_body, uint32_t *ret_size_aws)
{
    if (row.n < ROW_HEADER_SIZE_BYTES)
        return ST_CORRUPT;
    if (row.p[0] > ROW_FORMAT)
        return ST_VERSION;
    if (row.p[0] != ROW_FORMAT || row.p[1] != 0 || get_le16(row.p + 2) != 0)
        return ST_CORRUPT;
    *ret_size_aws = get_le32(row.p + 4);
    *ret_body = slice_from(row, ROW_HEADER_SIZE_BYTES);
    return ST_OK;
}
