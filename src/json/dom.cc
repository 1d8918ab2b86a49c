/*
 * simdjson's parser behind dom.h. Memory grows with the documents by doubling and returns to
 * KEPT_CAPACITY with the first small document after a large one, so that one body of 16 MB does
 * not cost every thread 200 MB for ever.
 */
#include "json/dom.h"

#include <simdjson.h>

#include <new>

namespace
{
constexpr size_t KEPT_CAPACITY = 64 * 1024;
}

struct json_dom {
    simdjson::dom::parser parser;
    size_t size_bytes_max;
    size_t depth_max;
};

static simdjson::error_code set_capacity(struct json_dom *dom, size_t capacity)
{
    simdjson::error_code error = dom->parser.allocate(capacity, dom->depth_max);

    return error ? error : dom->parser.doc.allocate(capacity);
}

static simdjson::error_code fit_capacity(struct json_dom *dom, size_t size_bytes)
{
    size_t capacity = dom->parser.capacity();

    if (capacity > KEPT_CAPACITY && size_bytes <= KEPT_CAPACITY) {
        dom->parser = simdjson::dom::parser(dom->size_bytes_max);
        return set_capacity(dom, KEPT_CAPACITY);
    }
    if (size_bytes <= capacity)
        return simdjson::SUCCESS;
    capacity = capacity > dom->size_bytes_max / 2 ? dom->size_bytes_max : capacity * 2;
    return set_capacity(dom, size_bytes > capacity ? size_bytes : capacity);
}

static enum json_dom_status status_of(simdjson::error_code error)
{
    switch (error) {
    case simdjson::SUCCESS:
        return JSON_DOM_OK;
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
    case simdjson::DEPTH_ERROR:
        return JSON_DOM_TOO_LARGE;
    default:
        return JSON_DOM_INVALID;
    }
}

struct json_dom *json_dom_new(size_t size_bytes_max, size_t depth_max)
{
    struct json_dom *dom = new (std::nothrow) json_dom();

    if (dom == nullptr)
        return nullptr;
    dom->size_bytes_max = size_bytes_max;
    dom->depth_max = depth_max;
    if (set_capacity(dom, KEPT_CAPACITY) == simdjson::SUCCESS)
        return dom;
    delete dom;
    return nullptr;
}

void json_dom_free(struct json_dom *dom)
{
    delete dom;
}

enum json_dom_status json_dom_parse(struct json_dom *dom, const uint8_t *text, size_t size_bytes,
                                    struct json_tape *ret_tape)
{
    simdjson::error_code error;

    if (size_bytes > dom->size_bytes_max)
        return JSON_DOM_TOO_LARGE;
    error = fit_capacity(dom, size_bytes);
    if (error == simdjson::SUCCESS)
        error = dom->parser.parse(text, size_bytes, false).error();
    if (error == simdjson::SUCCESS)
        *ret_tape = {dom->parser.doc.tape.get(), dom->parser.doc.string_buf.get()};
    return status_of(error);
}
