/*
 * Checking a Query or Scan against the schema, and turning it into a range of keys.
 *
 * A query names every attribute of the partition key by equality, then the attributes of the sort
 * key from the left: equalities, then at most one comparison (DynamoDB developer guide, "Key
 * condition expressions for the Query operation" and "Multi-attribute keys").
 */
#include "base/check.h"
#include "engine/range.h"

const struct key_schema *range_schema(const struct range_spec *spec)
{
    return spec->index != NULL ? &spec->index->key : &spec->table->key;
}

const struct key_term *range_find_term(const struct range_spec *spec, struct slice name)
{
    for (uint32_t i = 0; i < spec->condition.count; i++)
        if (slice_equal(spec->condition.terms[i].name, name))
            return &spec->condition.terms[i];
    return NULL;
}

/* ---- The key condition ---- */

static enum status refuse_condition(struct error *error)
{
    return error_set(error, ERROR_VALIDATION_DATA, "Query key condition not supported");
}

static enum status refuse_missing(struct slice name, struct error *error)
{
    return error_set(error, ERROR_VALIDATION_DATA,
                     "Query condition missed key schema element: %" PRISLICE, SLICE_ARG(name));
}

/* `size_bytes` is that of the operands of the parts before it: the limits are on their sum. */
static enum status check_operand(struct key_part part, struct value operand, size_t size_bytes,
                                 bool is_sort, struct error *error)
{
    if (operand.type != part.type)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values were invalid: Condition parameter type does "
                         "not match schema type");
    if (operand.payload.n == 0)
        return error_set(error, ERROR_VALIDATION_DATA,
                         "One or more parameter values are not valid. The AttributeValue for a key "
                         "attribute cannot contain an empty %s value. Key: %" PRISLICE,
                         part.type == VALUE_S ? "string" : "binary", SLICE_ARG(part.name));
    return key_check_size(size_bytes + key_value_size_bytes(operand), is_sort, error);
}

static bool names_attribute_twice(const struct range_spec *spec)
{
    for (uint32_t i = 0; i < spec->condition.count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (slice_equal(spec->condition.terms[i].name, spec->condition.terms[j].name))
                return true;
    return false;
}

static enum status check_partition_terms(const struct range_spec *spec, struct error *error)
{
    const struct key_schema *key = range_schema(spec);
    size_t size_bytes = 0;

    for (uint32_t i = 0; i < key->partition_count; i++) {
        const struct key_term *term = range_find_term(spec, key->partition[i].name);

        if (term == NULL)
            return refuse_missing(key->partition[i].name, error);
        if (term->op != KEY_EQ)
            return refuse_condition(error);
        TRY(check_operand(key->partition[i], term->low, size_bytes, false, error));
        size_bytes += key_value_size_bytes(term->low);
    }
    return ST_OK;
}

static enum status check_sort_term(struct key_part part, const struct key_term *term,
                                   size_t size_bytes, struct error *error)
{
    if (term->op == KEY_BEGINS_WITH && part.type == VALUE_N)
        return refuse_condition(error);
    TRY(check_operand(part, term->low, size_bytes, true, error));
    if (term->op == KEY_BETWEEN)
        TRY(check_operand(part, term->high, size_bytes, true, error));
    return ST_OK;
}

/* Terms on the sort key's attributes; counts them. */
static enum status check_sort_terms(const struct range_spec *spec, uint32_t *ret_count,
                                    struct error *error)
{
    const struct key_schema *key = range_schema(spec);
    size_t size_bytes = 0;
    bool ended = false;

    *ret_count = 0;
    for (uint32_t i = 0; i < key->sort_count; i++) {
        const struct key_term *term = range_find_term(spec, key->sort[i].name);

        if (term != NULL && ended)
            return refuse_condition(error);
        if (term == NULL || term->op != KEY_EQ)
            ended = true;
        if (term == NULL)
            continue;
        (*ret_count)++;
        TRY(check_sort_term(key->sort[i], term, size_bytes, error));
        size_bytes += key_value_size_bytes(term->low);
    }
    return ST_OK;
}

static enum status check_condition(const struct range_spec *spec, struct error *error)
{
    const struct key_schema *key = range_schema(spec);
    uint32_t sort_terms;

    TRY(check_partition_terms(spec, error));
    if (names_attribute_twice(spec))
        return refuse_condition(error);
    TRY(check_sort_terms(spec, &sort_terms, error));
    if (key->partition_count + sort_terms == spec->condition.count)
        return ST_OK;
    if (key->sort_count > sort_terms && spec->condition.count == key->partition_count + 1)
        return refuse_missing(key->sort[sort_terms].name, error);
    return refuse_condition(error);
}

/* ---- The start key ---- */

static enum status refuse_start(const struct range_spec *spec, struct error *error)
{
    return error_set(error, ERROR_VALIDATION_DATA,
                     spec->is_query ? "The provided starting key is invalid"
                                    : "The provided starting key is invalid: The provided key "
                                      "element does not match the schema");
}

static bool has_attribute(struct item item, struct key_part part)
{
    struct value value = item_find(item, part.name);

    return value.type == part.type && value.payload.n > 0 &&
           value.payload.n <= PARTITION_KEY_SIZE_BYTES_MAX;
}

/* The start key has the attributes of a cursor (table_cursor) and no others. */
static bool start_fits(const struct range_spec *spec, struct arena *arena)
{
    const struct key_schema *keys[2] = {&spec->table->key,
                                        spec->index == NULL ? NULL : &spec->index->key};
    struct item cursor;
    struct key key;

    for (size_t k = 0; k < 2 && keys[k] != NULL; k++) {
        for (uint32_t i = 0; i < keys[k]->partition_count; i++)
            if (!has_attribute(spec->start, keys[k]->partition[i]))
                return false;
        for (uint32_t i = 0; i < keys[k]->sort_count; i++)
            if (!has_attribute(spec->start, keys[k]->sort[i]))
                return false;
    }
    if (spec->index != NULL && !table_index_key(spec->table, spec->index, spec->start, &key))
        return false;
    cursor = table_cursor(spec->table, spec->index, spec->start, arena);
    return value_count(item_as_value(cursor)) == value_count(item_as_value(spec->start));
}

static bool term_holds(const struct key_term *term, struct value value)
{
    int low = value_compare(value, term->low);

    switch (term->op) {
    case KEY_NONE:
        return true;
    case KEY_EQ:
        return low == 0;
    case KEY_LT:
        return low < 0;
    case KEY_LE:
        return low <= 0;
    case KEY_GT:
        return low > 0;
    case KEY_GE:
        return low >= 0;
    case KEY_BETWEEN:
        return low >= 0 && value_compare(value, term->high) <= 0;
    case KEY_BEGINS_WITH:
        return slice_has_prefix(value.payload, term->low.payload);
    }
    return false;
}

static enum status check_start_of_query(const struct range_spec *spec, struct error *error)
{
    const struct key_schema *key = range_schema(spec);

    for (uint32_t i = 0; i < key->partition_count; i++) {
        const struct key_term *term = range_find_term(spec, key->partition[i].name);

        if (!term_holds(term, item_find(spec->start, term->name)))
            return error_set(error, ERROR_VALIDATION_DATA,
                             "The provided starting key is outside query boundaries based on "
                             "provided conditions");
    }
    for (uint32_t i = 0; i < key->sort_count; i++) {
        const struct key_term *term = range_find_term(spec, key->sort[i].name);

        if (term != NULL && !term_holds(term, item_find(spec->start, term->name)))
            return error_set(error, ERROR_VALIDATION_DATA,
                             "The provided starting key does not match the range key predicate");
    }
    return ST_OK;
}

static enum status check_start_of_scan(const struct range_spec *spec, struct error *error)
{
    struct range_bounds bounds;
    struct key key;

    if (spec->segment_count <= 1)
        return ST_OK;
    range_bounds_of(spec, &bounds);
    range_start_key(spec, &key);
    if (slice_compare(key_slice(&key), key_slice(&bounds.lower)) >= 0 &&
        slice_compare(key_slice(&key), key_slice(&bounds.upper)) < 0)
        return ST_OK;
    return error_set(error, ERROR_VALIDATION_DATA,
                     "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                     "ExclusiveStartKey with correct Segment. TotalSegments: %u Segment: %u",
                     spec->segment_count, spec->segment);
}

enum status range_check(const struct range_spec *spec, struct arena *arena, struct error *error)
{
    if (spec->is_query)
        TRY(check_condition(spec, error));
    if (!item_exists(spec->start))
        return ST_OK;
    if (!start_fits(spec, arena))
        return refuse_start(spec, error);
    return spec->is_query ? check_start_of_query(spec, error) : check_start_of_scan(spec, error);
}

/* ---- Bounds ---- */

void range_start_key(const struct range_spec *spec, struct key *ret_key)
{
    if (spec->index == NULL)
        table_item_key(spec->table, spec->start, ret_key);
    else
        CHECK(table_index_key(spec->table, spec->index, spec->start, ret_key));
}

static void bound_segment(const struct range_spec *spec, struct range_bounds *bounds)
{
    uint64_t count = spec->segment_count <= 1 ? 1 : spec->segment_count;
    uint64_t first = spec->segment * 65536ull / count;
    uint64_t end = (spec->segment + 1ull) * 65536ull / count;
    uint16_t index = spec->index == NULL ? 0 : spec->index->id;

    key_begin_rows(&bounds->lower, spec->table->id, index);
    bounds->upper = bounds->lower;
    if (first < 65536)
        key_add_be16(&bounds->lower, (uint16_t)first);
    else
        CHECK(key_make_upper_bound(&bounds->lower));
    if (end < 65536)
        key_add_be16(&bounds->upper, (uint16_t)end);
    else
        CHECK(key_make_upper_bound(&bounds->upper));
}

/* Narrows bounds that span all rows with the key built so far to those that the term allows. */
static void bound_term(const struct key_term *term, struct range_bounds *bounds)
{
    switch (term->op) {
    case KEY_NONE:
        break;
    case KEY_EQ:
        key_add_sort(&bounds->lower, term->low);
        key_add_sort(&bounds->upper, term->low);
        break;
    case KEY_LT:
        key_add_sort(&bounds->upper, term->low);
        bounds->upper_is_exact = true;
        break;
    case KEY_LE:
        key_add_sort(&bounds->upper, term->low);
        break;
    case KEY_GT:
        key_add_sort(&bounds->lower, term->low);
        CHECK(key_make_upper_bound(&bounds->lower));
        break;
    case KEY_GE:
        key_add_sort(&bounds->lower, term->low);
        break;
    case KEY_BETWEEN:
        key_add_sort(&bounds->lower, term->low);
        key_add_sort(&bounds->upper, term->high);
        break;
    case KEY_BEGINS_WITH:
        key_add_sort_prefix(&bounds->lower, term->low.payload);
        key_add_sort_prefix(&bounds->upper, term->low.payload);
        break;
    }
}

static void bound_query(const struct range_spec *spec, struct range_bounds *bounds)
{
    const struct key_schema *key = range_schema(spec);
    struct value partition[KEY_PARTS_MAX];

    for (uint32_t i = 0; i < key->partition_count; i++)
        partition[i] = range_find_term(spec, key->partition[i].name)->low;
    key_begin_rows(&bounds->lower, spec->table->id, spec->index == NULL ? 0 : spec->index->id);
    key_add_partition(&bounds->lower, partition, key->partition_count);
    bounds->upper = bounds->lower;
    for (uint32_t i = 0; i < key->sort_count; i++) {
        const struct key_term *term = range_find_term(spec, key->sort[i].name);

        if (term != NULL)
            bound_term(term, bounds);
    }
    if (!bounds->upper_is_exact)
        CHECK(key_make_upper_bound(&bounds->upper));
}

void range_bounds_of(const struct range_spec *spec, struct range_bounds *ret_bounds)
{
    ret_bounds->upper_is_exact = false;
    if (spec->is_query)
        bound_query(spec, ret_bounds);
    else
        bound_segment(spec, ret_bounds);
}
