/*
 * Stored values: bytes that pass validation can be read by every reader, and are the only encoding
 * of what is read.
 */
#include "fuzz.h"

#include "base/check.h"
#include "values.h"

static void check_copy(struct value value, struct slice bytes)
{
    struct value_writer writer;
    struct buf buf;

    buf_init(&buf, bytes.n);
    writer_init(&writer, &buf);
    writer_value(&writer, value);
    CHECK(buf_status(&buf) == ST_OK && slice_equal(buf_slice(&buf), bytes));
    buf_deinit(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct slice input = slice_of(bytes, n);
    struct value value;
    size_t size_bytes;

    if (item_validate(input) == ST_OK) {
        value_walk((struct value){VALUE_M, input});
        item_size((struct item){input});
    }
    if (value_validate(input) != ST_OK)
        return 0;
    CHECK(value_read(input, &value, &size_bytes) == ST_OK && size_bytes == n);
    value_walk(value);
    check_copy(value, input);
    return 0;
}
