/*
 *  1. All state is under one lock; whoever holds it has made his change before he records it.
 *  2. A change and its record are two steps, and kill -9 may fall between them. What is missing
 *     from the journal then was not durable either; the next process finds the difference when it
 *     compares the ledger with the tree (reconcile) and records it late.
 *  3. Only one process at a time follows a tree: the journal is locked.
 *  4. The calls made here pass through the shim as everybody's do. A thread that is `inside` is
 *     not followed, so that they do not come back here.
 */
#include "tracker.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "ledger.h"

#define OPEN_DIRECTORIES_MAX 16
#define RECORD_SIZE_BYTES_MAX (3 * PATH_MAX)

static struct {
    pthread_mutex_t lock;
    atomic_bool started;
    char tree[PATH_MAX];
    size_t tree_size;
    char side[PATH_MAX];
    dev_t device;
    int journal_fd;
    struct ledger ledger;
} tracker = {.lock = PTHREAD_MUTEX_INITIALIZER, .journal_fd = -1};

static _Thread_local bool inside; /* holds the lock, or is about to */

static void die(const char *what, const char *name)
{
    (void)fprintf(stderr, "powerloss: %s: %s: %m\n", what, name);
    abort();
}

__attribute__((format(printf, 2, 3))) static void format_path(char *path, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(path, PATH_MAX, format, arguments);
    va_end(arguments);
    if (n < 0 || n >= PATH_MAX)
        die("path too long", format);
}

static void full_path(char *path, const char *name)
{
    format_path(path, "%s/%s", tracker.tree, name);
}

static void side_path(char *path, size_t id)
{
    format_path(path, "%s/%zu", tracker.side, id);
}

static void apply_lines(char *records)
{
    for (char *line = records, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        if (!ledger_apply(&tracker.ledger, line))
            die("malformed record", line);
    }
}

/* Lines that belong together go out in one write, so that kill -9 takes all or none of them. */
__attribute__((format(printf, 1, 2))) static void record(const char *format, ...)
{
    static char records[RECORD_SIZE_BYTES_MAX];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(records, sizeof(records), format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof(records))
        die("record too long", format);
    if (write(tracker.journal_fd, records, (size_t)n) != n)
        die("cannot write", "journal");
    apply_lines(records);
}

/* Declares a file and links it beside the tree; its id. */
static size_t follow(const char *name, const struct stat *info)
{
    size_t id = tracker.ledger.file_count + 1;
    char full[PATH_MAX];
    char side[PATH_MAX];

    if (strchr(name, '\n') != NULL)
        die("newline in a name", name);
    full_path(full, name);
    side_path(side, id);
    (void)unlink(side); /* left by a process that ended before its journal had begun */
    if (S_ISREG(info->st_mode) && link(full, side) != 0)
        die("cannot link", name);
    record("file %zu %llu %d\n", id, (unsigned long long)info->st_ino, S_ISDIR(info->st_mode));
    return id;
}

static bool fresh;

/* Invariant 2. In a fresh journal everything found counts as durable. */
static int reconcile_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    const char *name = path + tracker.tree_size + 1;
    size_t id = ledger_find_inode(&tracker.ledger, info->st_ino);

    (void)type;
    if (where->level == 0 || (!S_ISREG(info->st_mode) && !S_ISDIR(info->st_mode)))
        return 0;
    if (id != 0 && ledger_find_name(&tracker.ledger.current, name) == id)
        return 0;
    if (id == 0)
        id = follow(name, info);
    if (fresh)
        record("keep %zu %llu %s\n", id, (unsigned long long)info->st_size, name);
    else
        record("name %zu %s\n", id, name);
    return 0;
}

static void reconcile_missing(void)
{
    const struct ledger_names *current = &tracker.ledger.current;
    char full[PATH_MAX];

    for (size_t i = current->n; i-- > 0;) {
        full_path(full, current->p[i].name);
        if (access(full, F_OK) != 0)
            record("gone %s\n", current->p[i].name);
    }
}

static void open_journal(void)
{
    char path[PATH_MAX];

    format_path(path, "%s/journal", tracker.side);
    if (mkdir(tracker.side, 0700) != 0 && errno != EEXIST)
        die("cannot make", tracker.side);
    tracker.journal_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (tracker.journal_fd < 0)
        die("cannot open", path);
    if (flock(tracker.journal_fd, LOCK_EX | LOCK_NB) != 0)
        die("another process follows this tree", path);
}

static void load_journal(void)
{
    size_t whole_bytes;

    ledger_init(&tracker.ledger, true); /* which only the program that discards must choose */
    whole_bytes = ledger_load(&tracker.ledger, tracker.journal_fd);
    fresh = !tracker.ledger.begun;
    if (fresh) {
        ledger_deinit(&tracker.ledger);
        ledger_init(&tracker.ledger, true);
        whole_bytes = 0;
    }
    if (ftruncate(tracker.journal_fd, (off_t)whole_bytes) != 0)
        die("cannot truncate", "journal");
    if (nftw(tracker.tree, reconcile_entry, OPEN_DIRECTORIES_MAX, FTW_PHYS) != 0)
        die("cannot walk", tracker.tree);
    reconcile_missing();
    if (fresh)
        record("begun\n");
}

/* False while no tree is named or it does not exist yet. Under the lock. */
static bool start(void)
{
    const char *wanted = getenv("ROWHOUSE_SHIM_DIR");
    struct stat info;

    if (atomic_load(&tracker.started))
        return true;
    if (wanted == NULL || realpath(wanted, tracker.tree) == NULL || stat(tracker.tree, &info) != 0)
        return false;
    tracker.tree_size = strlen(tracker.tree);
    tracker.device = info.st_dev;
    format_path(tracker.side, "%s.powerloss", tracker.tree);
    open_journal();
    load_journal();
    atomic_store(&tracker.started, true);
    return true;
}

static void lock(void)
{
    inside = true;
    if (pthread_mutex_lock(&tracker.lock) != 0)
        abort();
}

static void unlock(void)
{
    if (pthread_mutex_unlock(&tracker.lock) != 0)
        abort();
    inside = false;
}

void tracker_leave(void)
{
    int saved = errno;

    unlock();
    errno = saved;
}

/* The directory that a relative path starts from. */
static bool base_of(int directory_fd, char *ret_base)
{
    char link_path[64];
    ssize_t n;

    if (directory_fd == AT_FDCWD)
        return getcwd(ret_base, PATH_MAX) != NULL;
    (void)snprintf(link_path, sizeof(link_path), "/proc/self/fd/%d", directory_fd);
    n = readlink(link_path, ret_base, PATH_MAX - 1);
    if (n < 0)
        return false;
    ret_base[n] = '\0';
    return true;
}

/* The path with its directory made canonical; its last part may not exist. */
static bool resolve(int directory_fd, const char *path, char *ret_path)
{
    char joined[2 * PATH_MAX + 2];
    char base[PATH_MAX] = "";
    char directory[PATH_MAX];
    char *last;
    int n;

    if (path[0] != '/' && !base_of(directory_fd, base))
        return false;
    n = snprintf(joined, sizeof(joined), "%s/%s", base, path);
    if (n < 0 || (size_t)n >= sizeof(joined))
        return false;
    while (n > 1 && joined[n - 1] == '/')
        joined[--n] = '\0';
    last = strrchr(joined, '/');
    *last = '\0';
    if (realpath(last == joined ? "/" : joined, directory) == NULL)
        return false;
    n = snprintf(ret_path, PATH_MAX, "%s/%s", directory, last + 1);
    return n > 0 && n < PATH_MAX;
}

static bool is_below_tree(const char *path)
{
    return strncmp(path, tracker.tree, tracker.tree_size) == 0 && path[tracker.tree_size] == '/';
}

bool tracker_enter(int directory_fd, const char *path, struct place *ret_place)
{
    char resolved[PATH_MAX];
    int saved = errno;

    if (inside || getenv("ROWHOUSE_SHIM_DIR") == NULL)
        return false;
    lock();
    if (resolve(directory_fd, path, resolved) && start() && is_below_tree(resolved)) {
        format_path(ret_place->name, "%s", resolved + tracker.tree_size + 1);
        return true;
    }
    unlock();
    errno = saved;
    return false;
}

bool tracker_enter_directory(int fd, struct place *ret_place)
{
    char path[PATH_MAX];

    if (inside || !atomic_load(&tracker.started) || !base_of(fd, path))
        return false;
    if (strcmp(path, tracker.tree) != 0 && !is_below_tree(path))
        return false;
    lock();
    format_path(ret_place->name, "%s",
                strcmp(path, tracker.tree) == 0 ? "." : path + tracker.tree_size + 1);
    return true;
}

bool tracker_enter_file(const struct stat *info, size_t *ret_id)
{
    if (inside || !atomic_load(&tracker.started) || info->st_dev != tracker.device)
        return false;
    lock();
    *ret_id = ledger_find_inode(&tracker.ledger, info->st_ino);
    if (*ret_id != 0)
        return true;
    unlock();
    return false;
}

bool tracker_knows(const struct place *place)
{
    return ledger_find_name(&tracker.ledger.current, place->name) != 0;
}

void tracker_created(const struct place *place, const struct stat *info)
{
    size_t id = follow(place->name, info);

    record("name %zu %s\n", id, place->name);
}

void tracker_linked(const struct place *from, const struct place *to)
{
    size_t id = ledger_find_name(&tracker.ledger.current, from->name);

    if (id == 0)
        die("link of an unknown file", from->name);
    record("name %zu %s\n", id, to->name);
}

void tracker_gone(const struct place *place)
{
    record("gone %s\n", place->name);
}

void tracker_renamed(const struct place *from, const struct place *to)
{
    size_t id = ledger_find_name(&tracker.ledger.current, from->name);

    if (id == 0 || ledger_file(&tracker.ledger, id)->is_directory)
        die("rename of a directory or an unknown file is not modelled", from->name);
    record("gone %s\nname %zu %s\n", from->name, id, to->name);
}

void tracker_cut(size_t id, uint64_t size_bytes)
{
    if (size_bytes < ledger_file(&tracker.ledger, id)->durable_bytes)
        record("cut %zu %llu\n", id, (unsigned long long)size_bytes);
}

void tracker_cut_place(const struct place *place, uint64_t size_bytes)
{
    size_t id = ledger_find_name(&tracker.ledger.current, place->name);

    if (id != 0)
        tracker_cut(id, size_bytes);
}

void tracker_synced(size_t id, uint64_t size_bytes)
{
    record("sync %zu %llu\n", id, (unsigned long long)size_bytes);
}

/* Files that this puts beyond return give up their links, and with them their space. */
void tracker_synced_directory(const struct place *place)
{
    size_t count = tracker.ledger.file_count;
    bool *known = calloc(count + 1, sizeof(*known));
    char side[PATH_MAX];

    if (known == NULL)
        abort();
    for (size_t id = 1; id <= count; id++)
        known[id] = !ledger_file(&tracker.ledger, id)->forgotten;
    record("syncdir %s\n", place->name);
    for (size_t id = 1; id <= count; id++) {
        const struct ledger_file *file = ledger_file(&tracker.ledger, id);

        if (!known[id] || !file->forgotten || file->is_directory)
            continue;
        side_path(side, id);
        if (unlink(side) != 0)
            die("cannot unlink", side);
    }
    free(known);
}

void tracker_writes_at(size_t id, uint64_t offset)
{
    const struct ledger_file *file = ledger_file(&tracker.ledger, id);

    if (offset >= file->durable_bytes || file->overwritten)
        return;
    record("overwrite %zu %llu\n", id, (unsigned long long)offset);
    (void)fprintf(stderr, "powerloss: durable bytes of file %zu are written again at %llu\n", id,
                  (unsigned long long)offset);
}
