/*
 * The journal of one directory tree, kept beside the tree by the process that works on it:
 *
 *   TREE.powerloss/journal    see ledger.h
 *   TREE.powerloss/ID         a hard link to each file followed, so that no unlink or rename can
 *                             put it out of reach before it is durable
 *
 * What is written there survives kill -9, as the page cache does.
 */
#ifndef ROWHOUSE_TESTS_CRASH_TRACKER_H
#define ROWHOUSE_TESTS_CRASH_TRACKER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* A name in the tree, relative to it. */
struct place {
    char name[PATH_MAX];
};

/*
 * True if the path lies in the tree of ROWHOUSE_SHIM_DIR: then the tracker's lock is held until
 * tracker_leave, which keeps errno. The first such call loads or begins the journal.
 */
bool tracker_enter(int directory_fd, const char *path, struct place *ret_place);
/* The same for an open directory, where "." is the tree itself. */
bool tracker_enter_directory(int fd, struct place *ret_place);
/* The same for an open file that is followed already. */
bool tracker_enter_file(const struct stat *info, size_t *ret_id);
void tracker_leave(void);

/* The rest is called between enter and leave. */
bool tracker_knows(const struct place *place);
void tracker_created(const struct place *place, const struct stat *info);
void tracker_linked(const struct place *from, const struct place *to);
void tracker_gone(const struct place *place);
void tracker_renamed(const struct place *from, const struct place *to);
void tracker_cut_place(const struct place *place, uint64_t size_bytes);
void tracker_cut(size_t id, uint64_t size_bytes);
void tracker_synced(size_t id, uint64_t size_bytes);
void tracker_synced_directory(const struct place *place);
/* A write at `offset`: puts it on record if it touches durable bytes. */
void tracker_writes_at(size_t id, uint64_t offset);

#endif
