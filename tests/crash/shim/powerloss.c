/*
 * Preloaded into a server (LD_PRELOAD) to learn what a power cut would take from it. Every call
 * here does what it always does; those that concern the tree named by ROWHOUSE_SHIM_DIR are also
 * put on record (tracker.h). After kill -9, powerloss-discard takes away what was never synced.
 *
 *  1. A call is made with the tracker's lock held if it changes names, so that the journal has the
 *     order in which things happened.
 *  2. Of a file that is synced, no more is durable than it held before the call: others may write
 *     while it runs. The lock is not held meanwhile.
 *  3. sync_file_range, msync, sync and syncfs make nothing durable here, nor do O_SYNC and O_DSYNC:
 *     who relies on them loses data in the test.
 *
 * The 64-bit names are the same functions on 64-bit machines.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracker.h"

/* The C library's own function behind one of ours. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))
#define ALIAS(name) __attribute__((alias(name)))

static bool makes_files(int flags)
{
    return (flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_TMPFILE) != O_TMPFILE;
}

/* A file was opened at a place under the lock: it is new, or it may have been emptied. */
static void record_opened(const struct place *place, int fd, bool empties)
{
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    if (!tracker_knows(place))
        tracker_created(place, &info);
    else if (empties)
        tracker_cut_place(place, 0);
}

static int open_followed(int directory_fd, const char *path, int flags, mode_t mode)
{
    struct place place;
    int fd;

    if (!makes_files(flags) || !tracker_enter(directory_fd, path, &place))
        return REAL(openat)(directory_fd, path, flags, mode);
    fd = REAL(openat)(directory_fd, path, flags, mode);
    record_opened(&place, fd, (flags & O_TRUNC) != 0);
    tracker_leave();
    return fd;
}

static mode_t take_mode(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = take_mode(flags, arguments);
    va_end(arguments);
    return open_followed(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) ALIAS("open");

int openat(int directory_fd, const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = take_mode(flags, arguments);
    va_end(arguments);
    return open_followed(directory_fd, path, flags, mode);
}
int openat64(int directory_fd, const char *path, int flags, ...) ALIAS("openat");

int creat(const char *path, mode_t mode)
{
    return open_followed(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *path, mode_t mode) ALIAS("creat");

FILE *fopen(const char *path, const char *mode)
{
    struct place place;
    FILE *file;

    if (mode[0] == 'r' || !tracker_enter(AT_FDCWD, path, &place))
        return REAL(fopen)(path, mode);
    file = REAL(fopen)(path, mode);
    if (file != NULL)
        record_opened(&place, fileno(file), mode[0] == 'w');
    tracker_leave();
    return file;
}
FILE *fopen64(const char *path, const char *mode) ALIAS("fopen");

static void check_write_at(int fd, off_t offset)
{
    int saved = errno;
    struct stat info;
    size_t id;

    if (offset >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        tracker_enter_file(&info, &id)) {
        tracker_writes_at(id, (uint64_t)offset);
        tracker_leave();
    }
    errno = saved;
}

/* Where the next write goes: an appending one to the end, which is never a fault. */
static void check_write(int fd)
{
    int saved = errno;
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && (flags & O_APPEND) == 0)
        check_write_at(fd, lseek(fd, 0, SEEK_CUR));
    errno = saved;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    check_write(fd);
    return REAL(write)(fd, bytes, n);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    check_write(fd);
    return REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    check_write_at(fd, offset);
    return REAL(pwrite)(fd, bytes, n, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t offset) ALIAS("pwrite");

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    check_write_at(fd, offset);
    return REAL(pwritev)(fd, parts, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) ALIAS("pwritev");

/* Only a hole or a shift touches bytes that are there. */
int fallocate(int fd, int mode, off_t offset, off_t size_bytes)
{
    if ((mode & ~FALLOC_FL_KEEP_SIZE) != 0)
        check_write_at(fd, offset);
    return REAL(fallocate)(fd, mode, offset, size_bytes);
}
int fallocate64(int fd, int mode, off_t offset, off_t size_bytes) ALIAS("fallocate");

int ftruncate(int fd, off_t size_bytes)
{
    struct stat info;
    size_t id;
    int result;

    if (fstat(fd, &info) != 0 || !tracker_enter_file(&info, &id))
        return REAL(ftruncate)(fd, size_bytes);
    result = REAL(ftruncate)(fd, size_bytes);
    if (result == 0)
        tracker_cut(id, (uint64_t)size_bytes);
    tracker_leave();
    return result;
}
int ftruncate64(int fd, off_t size_bytes) ALIAS("ftruncate");

int truncate(const char *path, off_t size_bytes)
{
    struct place place;
    int result;

    if (!tracker_enter(AT_FDCWD, path, &place))
        return REAL(truncate)(path, size_bytes);
    result = REAL(truncate)(path, size_bytes);
    if (result == 0)
        tracker_cut_place(&place, (uint64_t)size_bytes);
    tracker_leave();
    return result;
}
int truncate64(const char *path, off_t size_bytes) ALIAS("truncate");

static int sync_directory(int fd, int (*sync)(int fd))
{
    struct place place;
    int result;

    if (!tracker_enter_directory(fd, &place))
        return sync(fd);
    result = sync(fd);
    if (result == 0)
        tracker_synced_directory(&place);
    tracker_leave();
    return result;
}

/* Invariant 2. */
static int sync_file(int fd, const struct stat *before, int (*sync)(int fd))
{
    int result = sync(fd);
    size_t id;

    if (result == 0 && tracker_enter_file(before, &id)) {
        tracker_synced(id, (uint64_t)before->st_size);
        tracker_leave();
    }
    return result;
}

static int sync_followed(int fd, int (*sync)(int fd))
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return sync(fd);
    if (S_ISDIR(info.st_mode))
        return sync_directory(fd, sync);
    return S_ISREG(info.st_mode) ? sync_file(fd, &info, sync) : sync(fd);
}

int fsync(int fd)
{
    return sync_followed(fd, REAL(fsync));
}

int fdatasync(int fd)
{
    return sync_followed(fd, REAL(fdatasync));
}

int unlinkat(int directory_fd, const char *path, int flags)
{
    struct place place;
    int result;

    if (!tracker_enter(directory_fd, path, &place))
        return REAL(unlinkat)(directory_fd, path, flags);
    result = REAL(unlinkat)(directory_fd, path, flags);
    if (result == 0 && tracker_knows(&place))
        tracker_gone(&place);
    tracker_leave();
    return result;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char *path)
{
    int result = unlinkat(AT_FDCWD, path, 0);

    return result != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int mkdirat(int directory_fd, const char *path, mode_t mode)
{
    struct place place;
    struct stat info;
    int result;

    if (!tracker_enter(directory_fd, path, &place))
        return REAL(mkdirat)(directory_fd, path, mode);
    result = REAL(mkdirat)(directory_fd, path, mode);
    if (result == 0 && fstatat(directory_fd, path, &info, AT_SYMLINK_NOFOLLOW) == 0)
        tracker_created(&place, &info);
    tracker_leave();
    return result;
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

/* A file that leaves the tree is gone; one that comes in is new. */
static void record_renamed(int to_fd, const char *to_path, const struct place *from,
                           const struct place *to)
{
    struct stat info;

    if (from != NULL && to != NULL)
        tracker_renamed(from, to);
    else if (from != NULL)
        tracker_gone(from);
    else if (fstatat(to_fd, to_path, &info, AT_SYMLINK_NOFOLLOW) == 0)
        tracker_created(to, &info);
}

/* The second place is asked for after the first lock is given back: a lock is not taken twice. */
static int rename_followed(int from_fd, const char *from_path, int to_fd, const char *to_path,
                           unsigned flags)
{
    struct place places[2];
    bool in_tree[2];
    int result;

    in_tree[0] = tracker_enter(from_fd, from_path, &places[0]);
    if (in_tree[0])
        tracker_leave();
    in_tree[1] = tracker_enter(to_fd, to_path, &places[1]);
    if (!in_tree[1] && (!in_tree[0] || !tracker_enter(from_fd, from_path, &places[0])))
        return REAL(renameat2)(from_fd, from_path, to_fd, to_path, flags);
    result = REAL(renameat2)(from_fd, from_path, to_fd, to_path, flags);
    if (result == 0)
        record_renamed(to_fd, to_path, in_tree[0] ? &places[0] : NULL,
                       in_tree[1] ? &places[1] : NULL);
    tracker_leave();
    return result;
}

int renameat2(int from_fd, const char *from_path, int to_fd, const char *to_path, unsigned flags)
{
    return rename_followed(from_fd, from_path, to_fd, to_path, flags);
}

int renameat(int from_fd, const char *from_path, int to_fd, const char *to_path)
{
    return rename_followed(from_fd, from_path, to_fd, to_path, 0);
}

int rename(const char *from_path, const char *to_path)
{
    return rename_followed(AT_FDCWD, from_path, AT_FDCWD, to_path, 0);
}

/* A link to a file inside the tree; from outside it comes in as a new file. */
int linkat(int from_fd, const char *from_path, int to_fd, const char *to_path, int flags)
{
    struct place from;
    struct place to;
    struct stat info;
    bool from_tree = tracker_enter(from_fd, from_path, &from);
    int result;

    if (from_tree)
        tracker_leave();
    if (!tracker_enter(to_fd, to_path, &to))
        return REAL(linkat)(from_fd, from_path, to_fd, to_path, flags);
    result = REAL(linkat)(from_fd, from_path, to_fd, to_path, flags);
    if (result == 0 && from_tree)
        tracker_linked(&from, &to);
    else if (result == 0 && fstatat(to_fd, to_path, &info, AT_SYMLINK_NOFOLLOW) == 0)
        tracker_created(&to, &info);
    tracker_leave();
    return result;
}

int link(const char *from_path, const char *to_path)
{
    return linkat(AT_FDCWD, from_path, AT_FDCWD, to_path, 0);
}
