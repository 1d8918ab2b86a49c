/*
 * The service model's shapes, and the check of a request against them.
 *
 * Shapes are constant tables that tools/generate-facts writes (facts.c). The check knows nothing of
 * single operations: what a member is called, how long it may be and how a violation is worded are
 * facts of the tables.
 */
#ifndef ROWHOUSE_API_SHAPE_H
#define ROWHOUSE_API_SHAPE_H

#include "api/wording.h"
#include "base/error.h"
#include "json/json.h"

enum shape_kind {
    SHAPE_STRING,
    SHAPE_BOOLEAN,
    SHAPE_INTEGER,
    SHAPE_LONG,
    SHAPE_DOUBLE,
    SHAPE_BLOB,
    SHAPE_TIMESTAMP,
    SHAPE_LIST,
    SHAPE_MAP,
    SHAPE_STRUCTURE,
    SHAPE_ATTRIBUTE_VALUE, /* checked when it is decoded, by json/attribute.h */
};

/*
 * How a violation of a member is worded. The classic sentence is
 *     Value 'x' at 'memberName' failed to satisfy constraint: ...
 * and all violations of a request are listed.
 */
enum shape_form {
    FORM_CLASSIC,
    /* Bounds of sizes: "Value at 'MemberName' failed ...", alone, before all others (2026-10). */
    FORM_BARE,
    FORM_BARE_ALWAYS,   /* the same in both wordings */
    FORM_BARE_NEW_ONLY, /* the same; in 2026-05 the operation has words of its own */
    /* "Failed to satisfy constraint: ..." without a name, listed with the others (2026-10). */
    FORM_UNNAMED,
    FORM_UNNAMED_ALONE, /* the same, alone, before all others, in the operation's envelope */
    FORM_YIELDING,      /* classic, but dropped if anything else is violated */
};

struct shape;

struct shape_member {
    const char *name;
    const struct shape *shape;
    bool required;
    enum shape_form form;
};

#define SHAPE_NO_MIN INT64_MIN
#define SHAPE_NO_MAX INT64_MAX

struct shape {
    enum shape_kind kind;
    const char *name;
    int64_t min; /* of the value, the length or the count; or SHAPE_NO_MIN */
    int64_t max;
    const char *pattern;       /* as printed; NULL if none. Only [a-zA-Z0-9_.-]+ exists. */
    bool names_table;          /* a value that is an ARN is not held to pattern and max */
    bool printed_as_json;      /* in messages, rather than as Java prints it */
    const char *const *values; /* enum values; NULL if it is none */
    uint32_t value_count;
    const char *printed;     /* the enum values in the order in which messages list them */
    const char *printed_new; /* the same in unnamed messages */
    const struct shape_member *members; /* of structures, in the order of messages */
    uint32_t member_count;
    const struct shape *element; /* of lists; the values of maps */
    const struct shape *key;     /* of maps */
};

/* 3 to 255 letters, digits, and any of "_.-": what tables and indexes may be called. */
bool shape_is_table_name(struct slice name);

/* A JSON number as an integer: fractions are cut, what is too large saturates. */
int64_t shape_int(struct json number);

#define SHAPE_DEPTH_MAX 16
#define VIOLATIONS_MAX 10

/*
 * Checks a request. A request that lacks a required member is worded as in 2026-05. Wrong JSON
 * types are an ERROR_SERIALIZATION, violated constraints an ERROR_VALIDATION whose message is
 * complete (see errors_is_listed in api/errors.h). Members that are null count as absent, unknown
 * members are passed over.
 */
enum status MUST_CHECK shape_check(const struct shape *shape, struct json request,
                                   enum wording wording, struct error *error);

#endif
