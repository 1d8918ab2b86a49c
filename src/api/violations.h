/*
 * The violations that a shape check has found, in the words of the service.
 *
 * Classic: all of them (at most VIOLATIONS_MAX) in one message,
 *   2 validation errors detected: Value 'x' at 'select' failed to satisfy constraint: Member must
 *   ...; Value null at 'tableName' failed to satisfy constraint: Member must not be null
 * Bare (2026-10): the first of them alone, without its value,
 *   1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must ...
 */
#ifndef ROWHOUSE_API_VIOLATIONS_H
#define ROWHOUSE_API_VIOLATIONS_H

#include "api/shape.h"
#include "base/arena.h"

#define ENVELOPE_OF_ONE "1 validation error detected: "

/* Where the check is: a chain from the member back to the request. Lives on the stack. */
struct violation_path {
    const struct violation_path *parent; /* NULL: the request itself */
    struct slice name;                   /* of a member or a map's key */
    uint32_t number;                     /* of a list's element from 1; 0: not one */
    bool is_key;                         /* a map's key: printed as it is, followed by .member */
};

struct violations {
    struct arena *arena;
    enum wording wording;
    uint32_t count;
    struct slice sentences[VIOLATIONS_MAX];
    struct slice alone; /* a whole message that replaces all others */
};

/* None found yet; sentences are made in the arena. */
void violations_init(struct violations *violations, struct arena *arena, enum wording wording);
/*
 * Adds what `value` (of `shape`; absent: null) at `path` violates. `constraint` is the sentence
 * after "failed to satisfy constraint: ". `form` is the member's, FORM_CLASSIC for constraints that
 * have no other form.
 */
void violations_add(struct violations *violations, const struct violation_path *path,
                    const struct shape *shape, struct json value, enum shape_form form,
                    struct slice constraint);
/* ST_OK if there are none; fills the error otherwise. */
enum status MUST_CHECK violations_finish(const struct violations *violations, struct error *error);

#endif
