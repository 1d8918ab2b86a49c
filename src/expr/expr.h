/*
 * DynamoDB expressions: condition, filter, key condition, projection and update. Parsed once per
 * request into trees in its arena, then evaluated over stored items as often as needed. Pure: no
 * I/O, no clock, no logging.
 *
 * Source: DynamoDB developer guide, "Using expressions"; API reference of each operation.
 *
 * Parsing uses an operator-precedence loop with a depth limit. Faults fill `error` with
 * DynamoDB's words, e.g.
 *   Invalid UpdateExpression: Syntax error; token: "x", near: "y x z"
 * Of several faults the one is told that DynamoDB tells (expr/parser.h).
 * All faults of this room are ERROR_VALIDATION, except those that arise against an item
 * (ERROR_VALIDATION_DATA).
 */
#ifndef ROWHOUSE_EXPR_EXPR_H
#define ROWHOUSE_EXPR_EXPR_H

#include "base/arena.h"
#include "base/error.h"
#include "base/slice.h"
#include "model/draft.h"
#include "model/value.h"

#define EXPRESSION_SIZE_BYTES_MAX 4096
#define EXPRESSION_OPERATORS_MAX 300

/*
 * ExpressionAttributeNames and -Values of one request. Parsers look placeholders up here and mark
 * them used. Filled by the caller: names as placeholder ("#n") -> attribute name, values as
 * placeholder (":v") -> value.
 */
struct expr_name {
    struct slice placeholder;
    struct slice name;
    bool used;
};

struct expr_value {
    struct slice placeholder;
    struct value value;
    bool used;
};

struct expr_params {
    struct expr_name *names;
    uint32_t name_count;
    struct expr_value *values;
    uint32_t value_count;
};

/* More placeholders of a kind than any request can use: each use takes three bytes or more of one
 * of its expressions, of which there are at most four. */
#define EXPR_PLACEHOLDERS_MAX (4 * EXPRESSION_SIZE_BYTES_MAX / 3)

/* Checks that every placeholder is well formed (#..., :...), that the tables are not empty when
 * given, and that there are not so many that some must be unused. */
enum status MUST_CHECK expr_params_check(const struct expr_params *params, struct error *error);
/* After all expressions are parsed: refuses placeholders that none of them used. */
enum status MUST_CHECK expr_params_check_used(const struct expr_params *params,
                                              struct error *error);

/* ---- Conditions: ConditionExpression and FilterExpression ---- */

struct condition;

/* `kind` is the parameter's name, for messages: "ConditionExpression", "FilterExpression". */
enum status MUST_CHECK condition_parse(struct arena *arena, const char *kind, struct slice text,
                                       struct expr_params *params, struct error *error,
                                       struct condition **ret_condition);
/* An absent item is ITEM_NONE: every path in it is absent. Cannot fail: a comparison of different
 * types is false (<> is true). */
bool condition_eval(const struct condition *condition, struct item item);
/* How many operands it has. Evaluating reads at most so many times the bytes of the item. */
uint32_t condition_operand_count(const struct condition *condition);
/* The top-level attribute names that the condition reads, each once, in the arena. Used to refuse
 * key attributes in filters and (later) by policies. */
void condition_attributes(const struct condition *condition, struct arena *arena,
                          struct slice **ret_names, uint32_t *ret_count);

/* ---- Projections ---- */

struct projection;

/* Into the arena; the text must outlive the projection. */
enum status MUST_CHECK projection_parse(struct arena *arena, struct slice text,
                                        struct expr_params *params, struct error *error,
                                        struct projection **ret_projection);
/* Top-level names only (AttributesToGet, projected index attributes). */
struct projection *projection_of_names(struct arena *arena, const struct slice *names,
                                       uint32_t count);
/* Appends the projected item to the writer as a map (possibly empty). Lists keep the selected
 * elements in index order. */
void projection_write(const struct projection *projection, struct item item,
                      struct value_writer *writer);
/* The same into the arena. ITEM with zero entries when nothing matches. */
struct item projection_apply(const struct projection *projection, struct item item,
                             struct arena *arena);
/* The top-level attribute names that it selects from, each once, in the arena. */
void projection_attributes(const struct projection *projection, struct arena *arena,
                           struct slice **ret_names, uint32_t *ret_count);

/* ---- Updates ---- */

struct update;

/* Into the arena; the text must outlive the update. */
enum status MUST_CHECK update_parse(struct arena *arena, struct slice text,
                                    struct expr_params *params, struct error *error,
                                    struct update **ret_update);
/* Refuses updates whose target paths begin with one of `names` (the table's key attributes):
 * "Cannot update attribute X. This attribute is part of the key". */
enum status MUST_CHECK update_check_keys(const struct update *update, const struct slice *names,
                                         uint32_t count, struct error *error);
/* True if the update has only REMOVE (and DELETE) actions, which do not create an item. */
bool update_only_removes(const struct update *update);
/*
 * Applies the update to `old`. If the item does not exist, `old` holds its key attributes alone and
 * `exists` is false. Operands read the old item. The new item is in the arena.
 */
enum status MUST_CHECK update_apply(const struct update *update, struct item old, bool exists,
                                    struct arena *arena, struct error *error, struct item *ret_new);
/*
 * The fragment that UPDATED_OLD / UPDATED_NEW return: the values that `image` (the old or the new
 * item) has at the paths the update wrote. A map with zero entries if none.
 */
struct item update_touched(const struct update *update, struct item image, struct arena *arena);
/* The top-level attribute names that the update writes or reads, each once, in the arena. */
void update_attributes(const struct update *update, struct arena *arena, struct slice **ret_names,
                       uint32_t *ret_count);

/* ---- Key conditions ---- */

enum key_operator {
    KEY_NONE,
    KEY_EQ,
    KEY_LT,
    KEY_LE,
    KEY_GT,
    KEY_GE,
    KEY_BETWEEN,
    KEY_BEGINS_WITH
};

struct key_term {
    struct slice name; /* attribute */
    enum key_operator op;
    struct value low; /* the operand; the lower one of BETWEEN */
    struct value high;
};

/* A conjunction of terms on top-level attributes, as written (constant on either side is
 * normalised: `:v <= a` is a >= :v). The engine checks them against the schema. */
struct key_condition {
    struct key_term *terms;
    uint32_t count;
};

/* Into the arena; the text must outlive the condition. */
enum status MUST_CHECK key_condition_parse(struct arena *arena, struct slice text,
                                           struct expr_params *params, struct error *error,
                                           struct key_condition *ret_condition);

/* True for one of DynamoDB's reserved words, in any case. */
bool expr_is_reserved_word(struct slice name);

#endif
