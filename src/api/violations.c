/*
 * Sentences are made when a violation is found, while its path still stands on the stack.
 */
#include "api/violations.h"

#include "api/java_text.h"
#include "base/buf.h"

#define MESSAGE_SIZE_BYTES_MAX (64 * 1024)

void violations_init(struct violations *violations, struct arena *arena, enum wording wording)
{
    *violations = (struct violations){.arena = arena, .wording = wording};
}

static bool is_new(const struct violations *violations)
{
    return violations->wording == WORDING_2026_10;
}

static bool is_bare(const struct violations *violations, enum shape_form form)
{
    if (form == FORM_BARE_ALWAYS)
        return true;
    return is_new(violations) && (form == FORM_BARE || form == FORM_BARE_NEW_ONLY);
}

static bool is_unnamed(const struct violations *violations, enum shape_form form)
{
    return is_new(violations) && (form == FORM_UNNAMED || form == FORM_UNNAMED_ALONE);
}

/* `depth` counts the parents, of which a request has at most SHAPE_DEPTH_MAX. */
static void append_path(struct buf *buf, const struct violation_path *path, bool as_members)
{
    const struct violation_path *chain[SHAPE_DEPTH_MAX + 1];
    uint32_t depth = 0;

    for (; path != NULL && depth <= SHAPE_DEPTH_MAX; path = path->parent)
        chain[depth++] = path;
    while (depth-- > 0) {
        const struct violation_path *step = chain[depth];

        if (buf->n > 0)
            buf_append_byte(buf, '.');
        if (step->number > 0)
            buf_printf(buf, "%u.member", step->number);
        else if (as_members || step->is_key)
            buf_append_slice(buf, step->name);
        else
            java_append_member_name(buf, step->name);
        if (step->is_key)
            BUF_APPEND_LIT(buf, ".member");
    }
}

static struct slice path_text(const struct violations *violations,
                              const struct violation_path *path, bool as_members)
{
    struct slice text;
    struct buf buf;

    buf_init(&buf, MESSAGE_SIZE_BYTES_MAX);
    append_path(&buf, path, as_members);
    text = arena_copy(violations->arena, buf_slice(&buf));
    buf_deinit(&buf);
    return text;
}

/* "null", or the value between quotes. */
static struct slice value_text(const struct violations *violations, const struct shape *shape,
                               struct json value)
{
    struct slice text;
    struct buf buf;

    if (json_type(value) == JSON_ABSENT || json_type(value) == JSON_NULL)
        return SLICE_LIT("null");
    buf_init(&buf, MESSAGE_SIZE_BYTES_MAX);
    buf_append_byte(&buf, '\'');
    java_append_value(&buf, shape, value);
    buf_append_byte(&buf, '\'');
    text = arena_copy(violations->arena, buf_slice(&buf));
    buf_deinit(&buf);
    return text;
}

static struct slice sentence(const struct violations *violations, const struct violation_path *path,
                             const struct shape *shape, struct json value, enum shape_form form,
                             struct slice constraint)
{
    struct slice at;

    if (is_unnamed(violations, form))
        return arena_printf(violations->arena, "Failed to satisfy constraint: %" PRISLICE,
                            SLICE_ARG(constraint));
    at = path_text(violations, path, is_bare(violations, form));
    if (is_bare(violations, form))
        return arena_printf(violations->arena,
                            "Value at '%" PRISLICE "' failed to satisfy constraint: %" PRISLICE,
                            SLICE_ARG(at), SLICE_ARG(constraint));
    return arena_printf(
        violations->arena,
        "Value %" PRISLICE " at '%" PRISLICE "' failed to satisfy constraint: %" PRISLICE,
        SLICE_ARG(value_text(violations, shape, value)), SLICE_ARG(at), SLICE_ARG(constraint));
}

void violations_add(struct violations *violations, const struct violation_path *path,
                    const struct shape *shape, struct json value, enum shape_form form,
                    struct slice constraint)
{
    bool alone = is_bare(violations, form) || (is_new(violations) && form == FORM_UNNAMED_ALONE);
    struct slice text;

    if (alone ? violations->alone.p != NULL : violations->count == VIOLATIONS_MAX)
        return;
    if (form == FORM_BARE_NEW_ONLY && !is_new(violations))
        return;
    if (form == FORM_YIELDING && violations->count > 0)
        return;
    text = sentence(violations, path, shape, value, form, constraint);
    if (is_bare(violations, form))
        violations->alone =
            arena_printf(violations->arena, ENVELOPE_OF_ONE "%" PRISLICE, SLICE_ARG(text));
    else if (alone)
        violations->alone = text;
    else
        violations->sentences[violations->count++] = text;
}

static struct slice joined(const struct violations *violations)
{
    struct slice text = violations->sentences[0];

    for (uint32_t i = 1; i < violations->count; i++)
        text = arena_printf(violations->arena, "%" PRISLICE "; %" PRISLICE, SLICE_ARG(text),
                            SLICE_ARG(violations->sentences[i]));
    return text;
}

enum status violations_finish(const struct violations *violations, struct error *error)
{
    if (violations->alone.p != NULL)
        return error_set(error, ERROR_VALIDATION, "%" PRISLICE, SLICE_ARG(violations->alone));
    if (violations->count == 0)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION, "%u validation error%s detected: %" PRISLICE,
                     violations->count, violations->count == 1 ? "" : "s",
                     SLICE_ARG(joined(violations)));
}
