/*
 * What a directory tree would still hold after a power cut, worked out from a journal of what was
 * done to it. Three sets of names:
 *
 *   current   what a running program sees
 *   durable   what a power cut leaves
 *   pending   changes of names that are current and not yet durable, oldest first
 *
 * Content follows the length model: of each file a prefix of `durable_bytes` survives. That is
 * exact for files that are only appended to; a write below durable_bytes is put on record.
 *
 * Journal: one record a line, fields separated by one space, the name last. Names are relative to
 * the tree, "." is its root.
 *
 *   file ID INODE IS_DIRECTORY    a file or directory to follow from now on; ids count from 1
 *   name ID NAME                  it appears under a name
 *   gone NAME                     a name disappears (a rename is gone and name in one write)
 *   keep ID SIZE NAME             found already there: name and content are durable
 *   begun                         all that was already there is on record; before this record the
 *                                 process has done nothing to the tree
 *   sync ID SIZE                  content up to SIZE was synced
 *   cut ID SIZE                   truncated
 *   syncdir NAME                  the names in a directory were synced
 *   overwrite ID OFFSET           durable bytes were written again: the model does not hold
 */
#ifndef ROWHOUSE_TESTS_CRASH_LEDGER_H
#define ROWHOUSE_TESTS_CRASH_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger_file {
    uint64_t inode;
    uint64_t durable_bytes;
    bool is_directory;
    bool forgotten; /* nothing can bring it back; its inode may serve another file */
    bool overwritten;
};

/* `id` is what the name leads to, 0 if nothing; `subject` is the file that the change was about. */
struct ledger_name {
    char *name;
    size_t id;
    size_t subject;
};

struct ledger_names {
    struct ledger_name *p;
    size_t n;
    size_t capacity;
};

struct ledger {
    /* Syncing a file makes its name durable too, as journaling file systems have it. Otherwise
     * only syncing the directory does, which is all that POSIX promises. */
    bool file_sync_keeps_name;
    bool begun;
    struct ledger_file *files; /* by id - 1 */
    size_t file_count;
    size_t file_capacity;
    struct ledger_names current;
    struct ledger_names durable;
    struct ledger_names pending;
};

void ledger_init(struct ledger *ledger, bool file_sync_keeps_name);
void ledger_deinit(struct ledger *ledger);
/* One record without its newline. False if it is malformed or names an unknown id. */
bool ledger_apply(struct ledger *ledger, const char *record);
/* All records of an open journal from its start. Returns the bytes of whole records; a torn last
 * line is left out. Exits the program if a record is malformed. */
size_t ledger_load(struct ledger *ledger, int journal_fd);

struct ledger_file *ledger_file(struct ledger *ledger, size_t id);
/* 0 if there is none. */
size_t ledger_find_inode(const struct ledger *ledger, uint64_t inode);
size_t ledger_find_name(const struct ledger_names *names, const char *name);
/* True if the file is under some name of any of the three sets. */
bool ledger_has_name(const struct ledger *ledger, size_t id);

#endif
