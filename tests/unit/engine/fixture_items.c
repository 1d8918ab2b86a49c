/* Items as text, writes and reads: see fixture.h. */
#include "fixture.h"

#include <errno.h>

#include "base/check.h"

#define ATTRIBUTES_MAX 16

/* ---- Text ---- */

struct attribute {
    struct slice name;
    struct value value;
};

static struct value value_of(struct arena *arena, struct slice text)
{
    struct number number;
    size_t count = 0;

    if (text.n > 0 && text.p[0] == '#') {
        CHECK(number_parse(slice_from(text, 1), &number) == NUMBER_FINE);
        return value_make_number(arena, &number);
    }
    if (text.n > 0 && text.p[0] == '*') {
        uint8_t *filling;

        for (size_t i = 1; i < text.n; i++)
            count = count * 10 + (size_t)(text.p[i] - '0');
        filling = arena_alloc(arena, count);
        memset(filling, 'x', count);
        return value_make_string(arena, slice_of(filling, count));
    }
    return value_make_string(arena, text);
}

/* Splits "a=x b=y"; returns how many there are. */
static uint32_t read_attributes(struct arena *arena, const char *text, struct attribute *attributes)
{
    struct slice rest = arena_copy(arena, slice_cstr(text));
    uint32_t count = 0;

    while (rest.n > 0) {
        const uint8_t *blank = memchr(rest.p, ' ', rest.n);
        size_t n = blank == NULL ? rest.n : (size_t)(blank - rest.p);
        const uint8_t *sign = memchr(rest.p, '=', n);
        size_t name_n = (size_t)(sign - rest.p);

        CHECK(sign != NULL && count < ATTRIBUTES_MAX);
        attributes[count].name = slice_of(rest.p, name_n);
        attributes[count].value = value_of(arena, slice_of(sign + 1, n - name_n - 1));
        count++;
        rest = slice_from(rest, blank == NULL ? n : n + 1);
    }
    return count;
}

static void sort_by_name(struct attribute *attributes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && slice_compare(attributes[j].name, attributes[j - 1].name) < 0;
             j--) {
            struct attribute swapped = attributes[j];

            attributes[j] = attributes[j - 1];
            attributes[j - 1] = swapped;
        }
}

struct item item_of(struct arena *arena, const char *text)
{
    struct attribute attributes[ATTRIBUTES_MAX];
    uint32_t count = read_attributes(arena, text, attributes);
    struct value_writer writer;
    struct slice bytes;
    struct buf buf;

    sort_by_name(attributes, count);
    buf_init(&buf, 1024 * 1024);
    writer_init(&writer, &buf);
    writer_begin_map(&writer, count);
    for (uint32_t i = 0; i < count; i++) {
        writer_name(&writer, attributes[i].name);
        writer_value(&writer, attributes[i].value);
    }
    writer_end(&writer);
    CHECK(buf_status(&buf) == ST_OK);
    bytes = arena_copy(arena, writer_item(&writer, 0).payload);
    buf_deinit(&buf);
    return (struct item){bytes};
}

static void append_value(struct buf *buf, struct value value)
{
    char text[NUMBER_TEXT_SIZE_MAX];
    struct number number;

    if (value.type == VALUE_N) {
        number = value_number(value);
        buf_append_byte(buf, '#');
        buf_append(buf, text, number_format(&number, text));
        return;
    }
    if (value.type == VALUE_S && value.payload.n <= 64)
        buf_append_slice(buf, value.payload);
    else
        buf_printf(buf, "*%zu", value.payload.n);
}

static const char *take_text(struct arena *arena, struct buf *buf)
{
    struct slice text = arena_printf(arena, "%" PRISLICE, SLICE_ARG(buf_slice(buf)));

    buf_deinit(buf);
    return (const char *)text.p;
}

const char *text_of(struct arena *arena, struct item item)
{
    struct value map = item_as_value(item);
    struct buf buf;

    if (!item_exists(item))
        return NULL;
    buf_init(&buf, 1024 * 1024);
    for (uint32_t i = 0; i < value_count(map); i++) {
        struct slice name;
        struct value value = value_map_at(map, i, &name);

        buf_printf(&buf, "%s%" PRISLICE "=", i == 0 ? "" : " ", SLICE_ARG(name));
        append_value(&buf, value);
    }
    return take_text(arena, &buf);
}

/* ---- Writes ---- */

static struct expr_params params_of(struct arena *arena, const char *text)
{
    struct attribute attributes[ATTRIBUTES_MAX];
    struct expr_params params = {0};

    params.value_count = text == NULL ? 0 : read_attributes(arena, text, attributes);
    params.values = ARENA_ARRAY(arena, struct expr_value, params.value_count + 1);
    for (uint32_t i = 0; i < params.value_count; i++)
        params.values[i] = (struct expr_value){attributes[i].name, attributes[i].value, false};
    return params;
}

static struct condition *condition_of(struct arena *arena, const char *text, const char *values)
{
    struct expr_params params = params_of(arena, values);
    struct condition *condition;
    struct error error;

    error_init(&error, arena);
    CHECK(condition_parse(arena, "ConditionExpression", slice_cstr(text), &params, &error,
                          &condition) == ST_OK);
    return condition;
}

static struct write write_of(struct client *client, enum write_kind kind, const char *table,
                             const char *item)
{
    struct write write = {.kind = kind, .table = find_table(client, table)};
    struct error error;

    write.item = item_of(&client->arena, item);
    error_init(&error, &client->arena);
    CHECK(table_check_item(write.table, write.item, kind != WRITE_PUT, &error) == ST_OK);
    return write;
}

struct write put_of(struct client *client, const char *table, const char *item)
{
    return write_of(client, WRITE_PUT, table, item);
}

struct write delete_of(struct client *client, const char *table, const char *key)
{
    return write_of(client, WRITE_DELETE, table, key);
}

struct write update_of(struct client *client, const char *table, const char *key,
                       const char *expression, const char *values)
{
    struct write write = write_of(client, WRITE_UPDATE, table, key);
    struct expr_params params = params_of(&client->arena, values);
    struct update *update;
    struct error error;

    error_init(&error, &client->arena);
    CHECK(update_parse(&client->arena, slice_cstr(expression), &params, &error, &update) == ST_OK);
    write.update = update;
    return write;
}

struct write check_of(struct client *client, const char *table, const char *key,
                      const char *condition, const char *values)
{
    struct write write = write_of(client, WRITE_CHECK, table, key);

    write_when(client, &write, condition, values);
    return write;
}

void write_when(struct client *client, struct write *write, const char *condition,
                const char *values)
{
    write->condition = condition_of(&client->arena, condition, values);
}

static void on_done(struct write_request *request)
{
    struct ticket *ticket = request->user;

    CHECK(sem_post(&ticket->done) == 0);
}

static void end_arena(void *arena)
{
    arena_deinit(arena);
}

/* An arena that the committer has to itself while this thread goes on with the client's. */
static struct arena *request_arena(struct client *client)
{
    struct arena *arena = ARENA_NEW(&client->arena, struct arena);

    arena_init(arena, 0);
    arena_on_reset(&client->arena, end_arena, arena);
    return arena;
}

static void prepare(struct client *client, struct ticket *ticket, struct write *writes,
                    uint32_t count)
{
    *ticket = (struct ticket){
        .request =
            {
                .scope = client->scope,
                .arena = request_arena(client),
                .writes = writes,
                .count = count,
                .done = on_done,
                .user = ticket,
            },
    };
    CHECK(sem_init(&ticket->done, 0, 0) == 0);
}

void submit(struct client *client, struct ticket *ticket, struct write *writes, uint32_t count)
{
    prepare(client, ticket, writes, count);
    engine_write(client->fixture->engine, &ticket->request);
}

void submit_atomic(struct client *client, struct ticket *ticket, struct write *writes,
                   uint32_t count, const char *token, const char *parameters)
{
    prepare(client, ticket, writes, count);
    ticket->request.atomic = true;
    if (token != NULL) {
        CHECK(strlen(parameters) <= TOKEN_DIGEST_SIZE_BYTES);
        ticket->request.token = slice_cstr(token);
        memcpy(ticket->request.token_digest, parameters, strlen(parameters));
    }
    engine_write(client->fixture->engine, &ticket->request);
}

enum status await(struct ticket *ticket)
{
    while (sem_wait(&ticket->done) != 0)
        CHECK(errno == EINTR);
    CHECK(sem_destroy(&ticket->done) == 0);
    return ticket->request.status;
}

enum error_code run(struct client *client, struct write *write)
{
    struct ticket ticket;

    submit(client, &ticket, write, 1);
    CHECK(await(&ticket) == ST_OK);
    return write->error.code;
}

bool transact(struct client *client, struct write *writes, uint32_t count)
{
    struct ticket ticket;

    submit_atomic(client, &ticket, writes, count, NULL, NULL);
    CHECK(await(&ticket) == ST_OK);
    return !ticket.request.canceled;
}

void put(struct client *client, const char *table, const char *item)
{
    struct write write = put_of(client, table, item);

    CHECK(run(client, &write) == ERROR_NONE);
}

void del(struct client *client, const char *table, const char *key)
{
    struct write write = delete_of(client, table, key);

    CHECK(run(client, &write) == ERROR_NONE);
}

/* ---- Reads ---- */

const char *get(struct client *client, const char *table, const char *key)
{
    struct item_read read;
    const char *text;

    CHECK(engine_get(client->scope, find_table(client, table), NULL, KV_MAY_BLOCK,
                     item_of(&client->arena, key), &read) == ST_OK);
    text = text_of(&client->arena, read.item);
    kv_value_release(&read.pin);
    return text;
}

struct shown {
    struct slice name;
    struct buf text;
};

static bool show(void *context, struct item item)
{
    struct shown *shown = context;

    if (shown->text.n > 0)
        buf_append_byte(&shown->text, ' ');
    append_value(&shown->text, item_find(item, shown->name));
    return true;
}

static void build_range(struct client *client, const struct query *query, struct range_spec *spec)
{
    struct arena *arena = &client->arena;
    struct error error;

    *spec = (struct range_spec){
        .scope = client->scope,
        .table = find_table(client, query->table),
        .is_query = query->condition != NULL,
        .backward = query->backward,
        .segment = query->segment,
        .segment_count = query->segment_count,
        .limit = query->limit,
        .start = query->start,
        .fetch_items = query->fetch_items,
        .emit = show,
    };
    error_init(&error, arena);
    if (query->index != NULL) {
        spec->index = table_find_index(spec->table, slice_cstr(query->index));
        CHECK(spec->index != NULL);
    }
    if (query->filter != NULL)
        spec->filter = condition_of(arena, query->filter, query->filter_values);
    if (query->condition != NULL) {
        struct expr_params params = params_of(arena, query->values);

        CHECK(key_condition_parse(arena, slice_cstr(query->condition), &params, &error,
                                  &spec->condition) == ST_OK);
    }
}

const char *query_fault(struct client *client, const struct query *query)
{
    struct range_spec spec;
    struct error error;

    build_range(client, query, &spec);
    error_init(&error, &client->arena);
    if (range_check(&spec, &client->arena, &error) == ST_OK)
        return NULL;
    return (const char *)arena_printf(&client->arena, "%" PRISLICE, SLICE_ARG(error.message)).p;
}

/* Turns are as short as they can be, so that every read is resumed many times. */
static struct range_result read_page(struct client *client, const struct range_spec *spec)
{
    struct range_read *read = range_new(spec, &client->arena);
    struct range_result result;
    enum range_turn turn;

    while ((turn = range_turn(read, KV_MAY_BLOCK, 0, &result)) == RANGE_MORE)
        continue;
    CHECK(turn == RANGE_DONE);
    return result;
}

struct page run_query(struct client *client, const struct query *query)
{
    struct shown shown = {.name = slice_cstr(query->show == NULL ? "sk" : query->show)};
    struct range_spec spec;
    struct error error;
    struct page page;

    build_range(client, query, &spec);
    error_init(&error, &client->arena);
    CHECK(range_check(&spec, &client->arena, &error) == ST_OK);
    buf_init(&shown.text, 1024 * 1024);
    spec.context = &shown;
    page.result = read_page(client, &spec);
    page.items = take_text(&client->arena, &shown.text);
    return page;
}

const char *run_pages(struct client *client, struct query query)
{
    struct buf text;

    buf_init(&text, 4 * 1024 * 1024);
    for (;;) {
        struct page page = run_query(client, &query);

        buf_append_slice(&text, slice_cstr(page.items));
        if (!item_exists(page.result.last_key))
            break;
        BUF_APPEND_LIT(&text, " | ");
        query.start = page.result.last_key;
    }
    return take_text(&client->arena, &text);
}
