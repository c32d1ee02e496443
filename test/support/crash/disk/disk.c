/*
 * A disk that can be cut off and filled up. Preloaded into a program (LD_PRELOAD), it records each change of the
 * files of one folder and each sync, in the order in which they happened; what a power cut leaves of them is
 * worked out from that record by power-cut.ts. Where a disk is full, files do not grow.
 *
 *   DISK_FOLDER  the folder, by its real path
 *   DISK_RECORD  the file that is appended to; FORMAT: see struct header
 *   DISK_MARK    eight bytes that begin each entry: a killed process may leave half of one
 *   DISK_FULL    the disk is full while this file exists
 *
 * Not recorded, and so not kept through a power cut: what is written through mmap() and stdio.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Each entry: this, the path, and then data or a second path. Paths are absolute. */
struct header {
  char mark[8];
  char what[4];      /* see enum */
  uint32_t path;     /* length of the path */
  uint64_t size;     /* length of what follows it */
  uint64_t position; /* offset of data; new length; thread that syncs */
};

#define CREATE "crea" /* path exists from now on, empty where it did not */
#define FOLDER "fold" /* path is a new folder */
#define LINK "link"   /* second path names the same file */
#define RENAME "rena" /* second path names it instead */
#define REMOVE "remo" /* path is gone */
#define WRITE "writ"
#define LENGTH "leng"
#define BEGIN "begi"  /* a sync begins: what was recorded before is on the disk ... */
#define END "ende"    /* ... when the same thread is here */

#define PATH_SIZE (PATH_MAX + 32)

static const char *folder, *full;
static size_t folder_length;
static char mark[8];
static int record_fd = -1;

/* Whether there is a record to write; opens it at the first call, which is long before a program has threads. */
static int records(void) {
  static int tried;
  if (tried) return record_fd >= 0;
  tried = 1;
  const char *path = getenv("DISK_RECORD"), *given = getenv("DISK_MARK");
  folder = getenv("DISK_FOLDER");
  full = getenv("DISK_FULL");
  if (!path || !given || strlen(given) != sizeof mark || !folder || !full) return 0;
  folder_length = strlen(folder);
  memcpy(mark, given, sizeof mark);
  record_fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  return record_fd >= 0;
}

static int is_inside(const char *path) {
  return strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == 0);
}

/* The path of an open file of the folder; 0 for others, and for those that were removed. */
static int path_of(int fd, char *path) {
  char link[64];
  if (!records()) return 0;
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_SIZE - 1);
  errno = saved;
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path) && !(length > 10 && strcmp(path + length - 10, " (deleted)") == 0);
}

/* The absolute path of a name as system calls take it; 0 outside of the folder. */
static int path_at(int at, const char *name, char *path) {
  int saved = errno;
  long length = 0;
  if (!records()) return 0;
  if (name[0] != '/') {
    char link[64] = "/proc/self/cwd";
    if (at != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_SIZE - 1);
    errno = saved;
    if (length < 0) return 0;
    path[length++] = '/';
  }
  if (length + strlen(name) >= PATH_SIZE) return 0;
  strcpy(path + length, name);
  return is_inside(path);
}

/* One system call, so that entries of several processes do not mix. */
static void note(const char *what, const char *path, uint64_t position, const struct iovec *more, int count) {
  struct iovec parts[1026];
  struct header header = {.path = strlen(path), .position = position};
  int saved = errno;
  memcpy(header.mark, mark, sizeof mark);
  memcpy(header.what, what, sizeof header.what);
  for (int i = 0; i < count; i++) header.size += more[i].iov_len;
  parts[0] = (struct iovec){&header, sizeof header};
  parts[1] = (struct iovec){(void *)path, header.path};
  if (count > 0) memcpy(parts + 2, more, count * sizeof *more);
  syscall(SYS_writev, record_fd, parts, count + 2);
  errno = saved;
}

static void note_paths(const char *what, const char *path, const char *second) {
  struct iovec more = {(void *)second, strlen(second)};
  note(what, path, 0, &more, 1);
}

/* How much of `size` bytes at `position` the disk takes: no more than the file has already, where it is full. */
static size_t room(int fd, const char *path, size_t size, int64_t position) {
  struct stat file;
  int saved = errno;
  int is_full = syscall(SYS_faccessat, AT_FDCWD, full, F_OK) == 0;
  errno = saved;
  if (!is_full || fstat(fd, &file) != 0 || position + (int64_t)size <= file.st_size) return size;
  return position < file.st_size ? file.st_size - position : 0;
}

/* Writes at a position, or where the file is (-1), and records what was written. */
static ssize_t put(int fd, const struct iovec *parts, int count, int64_t position) {
  char path[PATH_SIZE];
  struct iovec kept[1024];
  size_t size = 0;
  int here = position < 0;
  if (!path_of(fd, path) || count > 1024)
    return here ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, position, 0);
  for (int i = 0; i < count; i++) size += parts[i].iov_len;
  if (here) {
    int appends = syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND;
    position = syscall(SYS_lseek, fd, 0, appends ? SEEK_END : SEEK_CUR);
  }
  size_t allowed = room(fd, path, size, position);
  if (size > 0 && allowed == 0) {
    errno = ENOSPC;
    return -1;
  }
  int used = 0;
  for (size_t left = allowed; used < count && (left > 0 || used == 0); used++) {
    kept[used] = parts[used];
    if (kept[used].iov_len > left) kept[used].iov_len = left;
    left -= kept[used].iov_len;
  }
  ssize_t written =
      here ? syscall(SYS_writev, fd, kept, used) : syscall(SYS_pwritev, fd, kept, used, position, 0);
  /* A regular file takes all, or the disk under this one is full: then what was not recorded is lost. */
  if (written >= 0 && (size_t)written == allowed) note(WRITE, path, position, kept, used);
  return written;
}

ssize_t write(int fd, const void *data, size_t size) {
  struct iovec part = {(void *)data, size};
  return put(fd, &part, 1, -1);
}
ssize_t writev(int fd, const struct iovec *parts, int count) { return put(fd, parts, count, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t position) {
  struct iovec part = {(void *)data, size};
  return put(fd, &part, 1, position);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t position) { return pwrite(fd, data, size, position); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t position) { return put(fd, parts, count, position); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t position) { return put(fd, parts, count, position); }

int ftruncate(int fd, off_t length) {
  char path[PATH_SIZE];
  int result = syscall(SYS_ftruncate, fd, length);
  if (result == 0 && path_of(fd, path)) note(LENGTH, path, length, NULL, 0);
  return result;
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }
int truncate(const char *name, off_t length) {
  char path[PATH_SIZE];
  int result = syscall(SYS_truncate, name, length);
  if (result == 0 && path_at(AT_FDCWD, name, path)) note(LENGTH, path, length, NULL, 0);
  return result;
}
int truncate64(const char *name, off64_t length) { return truncate(name, length); }

static int sync_by(long call, int fd) {
  char path[PATH_SIZE];
  int known = path_of(fd, path);
  long thread = syscall(SYS_gettid);
  if (known) note(BEGIN, path, thread, NULL, 0);
  int result = syscall(call, fd);
  if (known && result == 0) note(END, path, thread, NULL, 0);
  return result;
}
int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

static int open_at(int at, const char *name, int flags, int mode) {
  char path[PATH_SIZE];
  int fd = syscall(SYS_openat, at, name, flags, mode);
  if (fd < 0 || !(flags & (O_CREAT | O_TRUNC)) || !path_of(fd, path)) return fd;
  if (flags & O_CREAT) note(CREATE, path, 0, NULL, 0);
  if (flags & O_TRUNC) note(LENGTH, path, 0, NULL, 0);
  return fd;
}
#define MODE(flags) \
  va_list list; \
  va_start(list, flags); \
  int mode = (flags) & O_CREAT ? va_arg(list, int) : 0; \
  va_end(list);
int open(const char *name, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, name, flags, mode); }
int openat(int at, const char *name, int flags, ...) { MODE(flags) return open_at(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE(flags) return open_at(at, name, flags, mode); }

int mkdir(const char *name, mode_t mode) {
  char path[PATH_SIZE];
  int result = syscall(SYS_mkdirat, AT_FDCWD, name, mode);
  if (result == 0 && path_at(AT_FDCWD, name, path)) note(FOLDER, path, 0, NULL, 0);
  return result;
}
int rename(const char *name, const char *other) {
  char path[PATH_SIZE], second[PATH_SIZE];
  int result = syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, other, 0);
  if (result == 0 && path_at(AT_FDCWD, name, path) && path_at(AT_FDCWD, other, second))
    note_paths(RENAME, path, second);
  return result;
}
int link(const char *name, const char *other) {
  char path[PATH_SIZE], second[PATH_SIZE];
  int result = syscall(SYS_linkat, AT_FDCWD, name, AT_FDCWD, other, 0);
  if (result == 0 && path_at(AT_FDCWD, name, path) && path_at(AT_FDCWD, other, second))
    note_paths(LINK, path, second);
  return result;
}
int unlinkat(int at, const char *name, int flags) {
  char path[PATH_SIZE];
  int inside = path_at(at, name, path);
  int result = syscall(SYS_unlinkat, at, name, flags);
  if (result == 0 && inside) note(REMOVE, path, 0, NULL, 0);
  return result;
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
