/*
 * Names of types are one, two or four letters; they are told apart by length first, for this runs
 * once for every value of every request.
 */
#include "json/attribute_type.h"

static enum value_type type_of_letter(uint8_t letter)
{
    switch (letter) {
    case 'S':
        return VALUE_S;
    case 'N':
        return VALUE_N;
    case 'B':
        return VALUE_B;
    case 'L':
        return VALUE_L;
    case 'M':
        return VALUE_M;
    default:
        return VALUE_ABSENT;
    }
}

static enum value_type type_of_set(uint8_t letter)
{
    switch (letter) {
    case 'S':
        return VALUE_SS;
    case 'N':
        return VALUE_NS;
    case 'B':
        return VALUE_BS;
    default:
        return VALUE_ABSENT;
    }
}

enum value_type attribute_type_named(struct slice name)
{
    if (name.n == 1)
        return type_of_letter(name.p[0]);
    if (name.n == 2 && name.p[1] == 'S')
        return type_of_set(name.p[0]);
    if (name.n == 4 && memcmp(name.p, "BOOL", 4) == 0)
        return VALUE_BOOL;
    if (name.n == 4 && memcmp(name.p, "NULL", 4) == 0)
        return VALUE_NULL;
    return VALUE_ABSENT;
}

enum value_type attribute_member(struct json node, struct json *ret_content, bool *ret_several)
{
    struct json_iter iter = json_iter(node);
    enum value_type found = VALUE_ABSENT;
    struct slice name;
    struct json content;

    *ret_several = false;
    while (json_next_member(&iter, &name, &content)) {
        enum value_type type = attribute_type_named(name);

        if (type == VALUE_ABSENT || json_type(content) == JSON_NULL)
            continue;
        *ret_several |= found != VALUE_ABSENT && found != type;
        found = type;
        *ret_content = content;
    }
    return found;
}
