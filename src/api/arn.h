/*
 * Names of tables as AWS spells them:
 *   arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
 *   arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/index/INDEX
 *   arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL
 * The account is a permutation of the tenant's number (tenant_account_id).
 */
#ifndef ROWHOUSE_API_ARN_H
#define ROWHOUSE_API_ARN_H

#include "base/buf.h"
#include "base/slice.h"
#include "base/status.h"

struct arn {
    struct slice region;
    struct slice account;
    struct slice table;
    struct slice rest; /* "index/INDEX", "stream/LABEL" or empty */
};

/* Whether it is meant to be an ARN, of whatever. */
bool arn_is(struct slice text);
/* Views of `text`. ST_INVALID for what is no ARN of a table. */
enum status MUST_CHECK arn_parse(struct slice text, struct arn *ret_arn);
/* Appends the ARN; `rest` may be empty. */
void arn_append(struct buf *buf, const struct arn *arn);

#endif
