/*
 * What an error looks like on the wire: its DynamoDB type, HTTP status and body. The only place
 * that knows the difference between the wordings of messages that are found outside the shape
 * check.
 *
 * Source: DynamoDB developer guide, "Error handling"; recorded answers of the service.
 */
#ifndef ROWHOUSE_API_ERRORS_H
#define ROWHOUSE_API_ERRORS_H

#include "api/wording.h"
#include "base/buf.h"
#include "base/error.h"
#include "model/value.h"

struct error_facts {
    const char *type; /* __type, e.g. com.amazon.coral.validate#ValidationException */
    int http_status;
    const char *message_key; /* "message" or "Message" */
};

/* Never NULL for a code other than ERROR_NONE. */
const struct error_facts *errors_facts(enum error_code code);
/* True if the message is a list of violations already: "N validation error(s) detected: ...". */
bool errors_is_listed(struct slice message);

struct error_body {
    const struct error *error;
    enum wording wording;
    bool enveloped;      /* of the operation */
    struct item item;    /* "Item", or ITEM_NONE */
    struct slice detail; /* raw JSON members without a leading comma, or empty */
};

/* Appends the JSON body. */
void errors_append_body(struct buf *buf, const struct error_body *body);

#endif
