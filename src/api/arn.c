/*
 * Table ARNs, read and written. Nothing is decoded: names of tables need no escapes in them.
 */
#include "api/arn.h"

bool arn_is(struct slice text)
{
    return slice_has_prefix(text, SLICE_LIT("arn:"));
}

/* Cuts `*text` behind the next `separator` and returns what stood before it. */
static struct slice take_until(struct slice *text, uint8_t separator)
{
    const uint8_t *at = text->n == 0 ? NULL : memchr(text->p, separator, text->n);
    struct slice before = *text;

    if (at == NULL) {
        *text = slice_from(*text, text->n);
        return before;
    }
    before.n = (size_t)(at - text->p);
    *text = slice_from(*text, before.n + 1);
    return before;
}

enum status arn_parse(struct slice text, struct arn *ret_arn)
{
    struct arn arn;

    if (!slice_has_prefix(text, SLICE_LIT("arn:aws:dynamodb:")))
        return ST_INVALID;
    text = slice_from(text, sizeof("arn:aws:dynamodb:") - 1);
    arn.region = take_until(&text, ':');
    arn.account = take_until(&text, ':');
    if (!slice_has_prefix(text, SLICE_LIT("table/")))
        return ST_INVALID;
    text = slice_from(text, sizeof("table/") - 1);
    arn.table = take_until(&text, '/');
    arn.rest = text;
    if (arn.table.n == 0)
        return ST_INVALID;
    *ret_arn = arn;
    return ST_OK;
}

void arn_append(struct buf *buf, const struct arn *arn)
{
    buf_printf(buf, "arn:aws:dynamodb:%" PRISLICE ":%" PRISLICE ":table/%" PRISLICE,
               SLICE_ARG(arn->region), SLICE_ARG(arn->account), SLICE_ARG(arn->table));
    if (arn->rest.n > 0)
        buf_printf(buf, "/%" PRISLICE, SLICE_ARG(arn->rest));
}
