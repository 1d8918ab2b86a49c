/*
 * DynamoDB's sizes: developer guide, "DynamoDB item sizes and formats". Containers are walked with
 * an explicit stack, bounded by VALUE_DEPTH_MAX.
 */
#include "base/check.h"
#include "model/value.h"

static size_t set_size(struct value set)
{
    struct slice element;
    size_t at = 0, size = 0;

    while (value_set_next(set, &at, &element))
        size += set.type == VALUE_NS ? number_size_ordered(element) : element.n;
    return size;
}

/* A list or map being added up. */
struct level {
    struct value container;
    uint32_t next;
};

/* The size of a value but for what is inside it, if it is a list or a map. */
static size_t own_size(struct value value)
{
    switch (value.type) {
    case VALUE_S:
    case VALUE_B:
        return value.payload.n;
    case VALUE_N:
        return number_size_ordered(value.payload);
    case VALUE_BOOL:
    case VALUE_NULL:
        return 1;
    case VALUE_SS:
    case VALUE_NS:
    case VALUE_BS:
        return set_size(value);
    case VALUE_L:
    case VALUE_M:
        return 3 + value_count(value);
    case VALUE_ABSENT:
        return 0;
    }
    return 0;
}

static struct value next_child(struct level *level, size_t *size)
{
    struct slice name;
    struct value child;

    if (level->container.type == VALUE_L)
        return value_list_at(level->container, level->next++);
    child = value_map_at(level->container, level->next++, &name);
    *size += name.n;
    return child;
}

size_t value_size(struct value value)
{
    struct level levels[VALUE_DEPTH_MAX + 2];
    size_t size = own_size(value);
    unsigned depth = 0;

    if (value.type != VALUE_L && value.type != VALUE_M)
        return size;
    levels[depth++] = (struct level){value, 0};
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        struct value child;

        if (level->next == value_count(level->container)) {
            depth--;
            continue;
        }
        child = next_child(level, &size);
        size += own_size(child);
        if (child.type == VALUE_L || child.type == VALUE_M) {
            CHECK(depth < sizeof(levels) / sizeof(levels[0]));
            levels[depth++] = (struct level){child, 0};
        }
    }
    return size;
}

/* An item is its names and values, without the 3 + count bytes that a nested map adds. */
size_t item_size(struct item item)
{
    struct value map = item_as_value(item);

    return value_size(map) - 3 - value_count(map);
}
