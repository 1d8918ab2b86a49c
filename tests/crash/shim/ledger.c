/*
 * See ledger.h. Sets are searched from end to end: a database directory holds some hundred files.
 */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *grow(void *p, size_t size_bytes)
{
    p = realloc(p, size_bytes);
    if (p == NULL)
        abort();
    return p;
}

void ledger_init(struct ledger *ledger, bool file_sync_keeps_name)
{
    *ledger = (struct ledger){.file_sync_keeps_name = file_sync_keeps_name};
}

static void names_deinit(struct ledger_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->p[i].name);
    free(names->p);
}

void ledger_deinit(struct ledger *ledger)
{
    names_deinit(&ledger->current);
    names_deinit(&ledger->durable);
    names_deinit(&ledger->pending);
    free(ledger->files);
}

static void names_add(struct ledger_names *names, const char *name, size_t id, size_t subject)
{
    if (names->n == names->capacity) {
        names->capacity = names->capacity == 0 ? 64 : names->capacity * 2;
        names->p = grow(names->p, names->capacity * sizeof(names->p[0]));
    }
    names->p[names->n] = (struct ledger_name){strdup(name), id, subject};
    if (names->p[names->n].name == NULL)
        abort();
    names->n++;
}

static void names_remove_at(struct ledger_names *names, size_t at)
{
    free(names->p[at].name);
    names->n--;
    memmove(names->p + at, names->p + at + 1, (names->n - at) * sizeof(names->p[0]));
}

/* For sets where a name stands once: leads it elsewhere, or drops it if `id` is 0. */
static void names_set(struct ledger_names *names, const char *name, size_t id)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->p[i].name, name) == 0) {
            names_remove_at(names, i);
            break;
        }
    if (id != 0)
        names_add(names, name, id, id);
}

size_t ledger_find_name(const struct ledger_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->p[i].name, name) == 0)
            return names->p[i].id;
    return 0;
}

struct ledger_file *ledger_file(struct ledger *ledger, size_t id)
{
    return id == 0 || id > ledger->file_count ? NULL : &ledger->files[id - 1];
}

size_t ledger_find_inode(const struct ledger *ledger, uint64_t inode)
{
    for (size_t id = ledger->file_count; id > 0; id--)
        if (ledger->files[id - 1].inode == inode && !ledger->files[id - 1].forgotten)
            return id;
    return 0;
}

static bool names_lead_to(const struct ledger_names *names, size_t id)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->p[i].id == id)
            return true;
    return false;
}

bool ledger_has_name(const struct ledger *ledger, size_t id)
{
    return names_lead_to(&ledger->current, id) || names_lead_to(&ledger->durable, id) ||
           names_lead_to(&ledger->pending, id);
}

/* Makes one pending change durable. Older changes of the same name are thereby overtaken. */
static void settle_at(struct ledger *ledger, size_t at)
{
    struct ledger_names *pending = &ledger->pending;
    char *name = strdup(pending->p[at].name);

    if (name == NULL)
        abort();
    names_set(&ledger->durable, name, pending->p[at].id);
    for (size_t i = at + 1; i-- > 0;)
        if (strcmp(pending->p[i].name, name) == 0)
            names_remove_at(pending, i);
    free(name);
}

static bool is_directly_in(const char *name, const char *directory)
{
    const char *last = strrchr(name, '/');
    size_t n = last == NULL ? 0 : (size_t)(last - name);

    if (last == NULL)
        return strcmp(directory, ".") == 0;
    return strlen(directory) == n && memcmp(name, directory, n) == 0;
}

static bool is_in_or_at(const char *name, const char *directory)
{
    size_t n = strlen(directory);

    return strncmp(name, directory, n) == 0 && (name[n] == '/' || name[n] == '\0');
}

static void settle_directory(struct ledger *ledger, const char *directory)
{
    for (size_t i = 0; i < ledger->pending.n;) {
        size_t before = ledger->pending.n;

        if (is_directly_in(ledger->pending.p[i].name, directory))
            settle_at(ledger, i);
        i = ledger->pending.n == before ? i + 1 : 0;
    }
}

/* True for changes about this file and for the directories above its names. */
static bool is_on_the_way(const struct ledger *ledger, const struct ledger_name *change, size_t id)
{
    if (change->subject == id)
        return true;
    for (size_t i = 0; i < ledger->current.n; i++)
        if (ledger->current.p[i].id == id && is_in_or_at(ledger->current.p[i].name, change->name))
            return true;
    return false;
}

static void settle_file(struct ledger *ledger, size_t id)
{
    for (size_t i = 0; i < ledger->pending.n;) {
        size_t before = ledger->pending.n;

        if (is_on_the_way(ledger, &ledger->pending.p[i], id))
            settle_at(ledger, i);
        i = ledger->pending.n == before ? i + 1 : 0;
    }
}

/* A record taken apart. */
struct fields {
    char kind[16];
    size_t id;
    uint64_t number;
    uint64_t number_next;
    const char *name;
};

static bool apply_file(struct ledger *ledger, const struct fields *fields)
{
    if (fields->id != ledger->file_count + 1)
        return false;
    if (ledger->file_count == ledger->file_capacity) {
        ledger->file_capacity = ledger->file_capacity == 0 ? 64 : ledger->file_capacity * 2;
        ledger->files = grow(ledger->files, ledger->file_capacity * sizeof(ledger->files[0]));
    }
    ledger->files[ledger->file_count++] =
        (struct ledger_file){.inode = fields->number, .is_directory = fields->number_next != 0};
    return true;
}

static bool apply_name(struct ledger *ledger, const struct fields *fields)
{
    if (ledger_file(ledger, fields->id) == NULL)
        return false;
    names_set(&ledger->current, fields->name, fields->id);
    names_add(&ledger->pending, fields->name, fields->id, fields->id);
    return true;
}

static bool apply_gone(struct ledger *ledger, const struct fields *fields)
{
    size_t id = ledger_find_name(&ledger->current, fields->name);

    names_set(&ledger->current, fields->name, 0);
    names_add(&ledger->pending, fields->name, 0, id);
    return true;
}

static bool apply_keep(struct ledger *ledger, const struct fields *fields)
{
    struct ledger_file *file = ledger_file(ledger, fields->id);

    if (file == NULL)
        return false;
    file->durable_bytes = fields->number;
    names_set(&ledger->current, fields->name, fields->id);
    names_set(&ledger->durable, fields->name, fields->id);
    return true;
}

static bool apply_begun(struct ledger *ledger, const struct fields *fields)
{
    (void)fields;
    ledger->begun = true;
    return true;
}

static bool apply_sync(struct ledger *ledger, const struct fields *fields)
{
    struct ledger_file *file = ledger_file(ledger, fields->id);

    if (file == NULL)
        return false;
    if (file->durable_bytes < fields->number)
        file->durable_bytes = fields->number;
    if (ledger->file_sync_keeps_name)
        settle_file(ledger, fields->id);
    return true;
}

static bool apply_cut(struct ledger *ledger, const struct fields *fields)
{
    struct ledger_file *file = ledger_file(ledger, fields->id);

    if (file == NULL)
        return false;
    if (file->durable_bytes > fields->number)
        file->durable_bytes = fields->number;
    return true;
}

/* What no name leads to after this is beyond return. */
static bool apply_syncdir(struct ledger *ledger, const struct fields *fields)
{
    settle_directory(ledger, fields->name);
    for (size_t id = 1; id <= ledger->file_count; id++)
        if (!ledger->files[id - 1].forgotten && !ledger_has_name(ledger, id))
            ledger->files[id - 1].forgotten = true;
    return true;
}

static bool apply_overwrite(struct ledger *ledger, const struct fields *fields)
{
    struct ledger_file *file = ledger_file(ledger, fields->id);

    if (file == NULL)
        return false;
    file->overwritten = true;
    return true;
}

/* `numbers` counts the fields before the name, the id included. */
static const struct {
    const char *kind;
    int numbers;
    bool named;
    bool (*apply)(struct ledger *ledger, const struct fields *fields);
} kinds[] = {
    {"file", 3, false, apply_file},
    {"name", 1, true, apply_name},
    {"gone", 0, true, apply_gone},
    {"keep", 2, true, apply_keep},
    {"begun", 0, false, apply_begun},
    {"sync", 2, false, apply_sync},
    {"cut", 2, false, apply_cut},
    {"syncdir", 0, true, apply_syncdir},
    {"overwrite", 2, false, apply_overwrite},
};

/* The next field as a number; moves past it and the space after it. */
static bool take_number(const char **record, uint64_t *ret_number)
{
    char *end;

    *ret_number = strtoull(*record, &end, 10);
    if (end == *record || (*end != ' ' && *end != '\0'))
        return false;
    *record = *end == ' ' ? end + 1 : end;
    return true;
}

static bool take_numbers(const char **record, int count, struct fields *fields)
{
    uint64_t numbers[3] = {0};

    for (int i = 0; i < count; i++)
        if (!take_number(record, &numbers[i]))
            return false;
    fields->id = numbers[0];
    fields->number = numbers[1];
    fields->number_next = numbers[2];
    return true;
}

static bool take_kind(const char **record, struct fields *fields)
{
    size_t n = strcspn(*record, " ");

    if (n >= sizeof(fields->kind))
        return false;
    memcpy(fields->kind, *record, n);
    fields->kind[n] = '\0';
    *record += (*record)[n] == ' ' ? n + 1 : n;
    return true;
}

bool ledger_apply(struct ledger *ledger, const char *record)
{
    struct fields fields;

    if (!take_kind(&record, &fields))
        return false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(fields.kind, kinds[i].kind) != 0)
            continue;
        if (!take_numbers(&record, kinds[i].numbers, &fields))
            return false;
        fields.name = record;
        return kinds[i].named == (*record != '\0') && kinds[i].apply(ledger, &fields);
    }
    return false;
}

size_t ledger_load(struct ledger *ledger, int journal_fd)
{
    FILE *journal = fdopen(dup(journal_fd), "r");
    size_t whole_bytes = 0;
    size_t capacity = 0;
    char *line = NULL;
    ssize_t n;

    if (journal == NULL)
        abort();
    rewind(journal);
    while ((n = getline(&line, &capacity, journal)) > 0 && line[n - 1] == '\n') {
        line[n - 1] = '\0';
        if (!ledger_apply(ledger, line)) {
            (void)fprintf(stderr, "powerloss: malformed record: %s\n", line);
            exit(3);
        }
        whole_bytes += (size_t)n;
    }
    free(line);
    (void)fclose(journal);
    return whole_bytes;
}
