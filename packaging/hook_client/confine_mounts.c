/* A project's own view of the disk: everything read-only, but for what is named; what must not be read is empty.

   Landlock forbids writing outside the project as well. Mounts do what it cannot: they hold for permissions,
   owners, times and attributes, and they take back a part of what lies in a writable folder. */

#define _GNU_SOURCE

#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's own header of these does not go together with the kernel's. */
int mount(const char *source, const char *target, const char *kind, unsigned long flags, const void *data);
enum { MOUNT_NO_SUID = 2, MOUNT_NO_DEVICES = 4, MOUNT_RECURSIVE = 16384, MOUNT_PRIVATE = 1 << 18 };

#define MEMORY "/dev/shm"
enum { MOST_ENTRIES = 4096 }; /* of a shared folder; each is a mount */

typedef struct {
    const char *path;
    int tree;
} Copy;

static void must(long result, const char *what, const char *which) {
    if (result < 0) {
        int reason = errno;
        dprintf(2, "steward-confine: %s: %s\n", which, strerror(reason));
        refuse(what, which);
    }
}

static void write_file(const char *path, const char *text) {
    int handle = open(path, O_WRONLY | O_CLOEXEC);
    must(handle < 0 ? -1 : write(handle, text, strlen(text)), "a namespace of its own cannot be set up", path);
    close(handle);
}

/* This user under the same number, and nobody else. */
static void enter_namespaces(void) {
    char line[64];
    unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC))
        refuse("this system lets programs have no namespaces of their own", strerror(errno));
    write_file("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", user, user);
    write_file("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", group, group);
    write_file("/proc/self/gid_map", line);
}

/* The network of datagrams: this one alone, without a way out. */
static void raise_loopback(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    must(handle < 0 ? -1 : ioctl(handle, SIOCSIFFLAGS, &request), "its network cannot be set up", "lo");
    close(handle);
}

static int copied(const char *path) {
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    must(tree, "a folder cannot be mounted", path);
    return tree;
}

/* Of a name that others may give to something else meanwhile; it has to be `known`, unless that is -1. */
static int copied_there(const char *path, int known) {
    struct stat one, other;
    unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH;
    int place = held(path), tree = -1;
    must(place, "a folder cannot be mounted", path);
    if (known >= 0 && (fstat(known, &one) || fstat(place, &other) || one.st_dev != other.st_dev || one.st_ino != other.st_ino))
        refuse("another folder has taken the place of one", path);
    tree = (int)syscall(SYS_open_tree, place, "", flags);
    must(tree, "a folder cannot be mounted", path);
    close(place);
    return tree;
}

/* Never through a link: what was to be covered would be bare. */
static void lay(int tree, const char *path) {
    int place = held(path);
    unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    must(place < 0 ? -1 : syscall(SYS_move_mount, tree, "", place, "", flags), "a folder cannot be mounted", path);
    close(place);
    close(tree);
}

static void make_read_only(int tree, const char *path) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    unsigned flags = AT_RECURSIVE | (tree == AT_FDCWD ? 0 : AT_EMPTY_PATH);
    const char *name = tree == AT_FDCWD ? path : "";
    must(syscall(SYS_mount_setattr, tree, name, flags, &attributes, sizeof attributes), "a folder cannot be made read-only", path);
}

/* Memory of its own where programs share some, and in a layer below it what stands in for secrets. */
static void lay_memory(void) {
    must(mount("steward", MEMORY, "tmpfs", MOUNT_NO_SUID | MOUNT_NO_DEVICES, "mode=0700"), "memory cannot be mounted", MEMORY);
    int file = open(MEMORY "/file", O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0400);
    must(file < 0 || mkdir(MEMORY "/folder", 0500) ? -1 : 0, "memory cannot be used", MEMORY);
    close(file);
}

static void empty(const char *path) {
    struct stat found;
    if (stat(path, &found))
        return; /* Landlock grants nothing there, should it come to be */
    int tree = copied(S_ISDIR(found.st_mode) ? MEMORY "/folder" : MEMORY "/file");
    make_read_only(tree, path);
    lay(tree, path);
}

static int is_own(const Options *options, const char *path) {
    int found = 0;
    for (size_t at = 0; at < options->own.count; at++)
        found |= !strcmp(path, options->own.paths[at]);
    return found;
}

/* What others have in a shared folder: read-only; their sockets and pipes lead nowhere. */
static void hold_entry(const char *path, unsigned char kind) {
    if (kind == DT_LNK)
        return; /* cannot be mounted over; what it leads to is held where it lies */
    if (kind == DT_SOCK || kind == DT_FIFO) {
        empty(path);
        return;
    }
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW);
    if (tree < 0 && errno == ENOENT)
        return; /* gone meanwhile */
    must(tree, "a folder cannot be mounted", path);
    make_read_only(tree, path);
    lay(tree, path);
}

static void hold_what_stands(const Options *options, const char *folder) {
    char path[PATH_MAX];
    size_t count = 0;
    struct dirent *entry;
    DIR *listed = opendir(folder);
    must(listed ? 0 : -1, "a shared folder cannot be listed", folder);
    while ((entry = readdir(listed))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        int size = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (size < 0 || (size_t)size >= sizeof path || entry->d_type == DT_UNKNOWN || count++ == MOST_ENTRIES)
            refuse("there is too much in a shared folder", folder);
        if (!is_own(options, path))
            hold_entry(path, entry->d_type);
    }
    closedir(listed);
}

/* A mount cannot be renamed or removed; so no folder on the way to what is protected can be put aside. */
static void hold_folders(const char *root, const char *path, Paths *held) {
    char *copy = strdup(path);
    if (!copy)
        refuse("there is no memory", NULL);
    for (char *cut = copy + strlen(root) + 1; (cut = strchr(cut, '/')); *cut++ = '/') {
        int known = 0;
        *cut = 0;
        for (size_t at = 0; at < held->count; at++)
            known |= !strcmp(held->paths[at], copy);
        if (known || held->count == MOST_PATHS)
            continue;
        if (!(held->paths[held->count++] = strdup(copy)))
            refuse("there is no memory", NULL);
        lay(copied_there(copy, -1), copy);
    }
    free(copy);
}

static void protect(const Options *options) {
    Paths *held = calloc(1, sizeof *held), *there = calloc(1, sizeof *there);
    if (!held || !there)
        refuse("there is no memory", NULL);
    for (size_t at = 0; at < options->protected.count; at++) {
        Standing found = options->standing[at];
        const char *path = options->protected.paths[at], *root = NULL;
        if (found != THERE)
            path = found == MISSING ? NULL : realpath(path, NULL);
        if (!path)
            continue; /* the supervisor takes away what appears there */
        for (size_t each = 0; each < options->writable.count; each++)
            if (is_below(path, options->writable.paths[each]))
                root = options->writable.paths[each];
        if (!root)
            continue;
        hold_folders(root, path, held);
        there->paths[there->count++] = path;
    }
    for (size_t at = 0; at < there->count; at++) {
        int tree = copied_there(there->paths[at], -1);
        make_read_only(tree, there->paths[at]);
        lay(tree, there->paths[at]);
    }
    free(held);
    free(there);
}

int make_view(const Options *options) {
    char folder[PATH_MAX];
    Copy *copies = calloc(MOST_PATHS, sizeof *copies), *shared = calloc(MOST_PATHS, sizeof *shared);
    if (!copies || !shared)
        refuse("there is no memory", NULL);
    if (!getcwd(folder, sizeof folder) || folder[0] != '/')
        refuse("the current folder cannot be named", strerror(errno));
    enter_namespaces();
    raise_loopback();
    must(mount(NULL, "/", NULL, MOUNT_RECURSIVE | MOUNT_PRIVATE, NULL), "mounts cannot be made private", "/");
    for (size_t at = 0; at < options->writable.count; at++)
        copies[at] = (Copy){options->writable.paths[at], copied_there(options->writable.paths[at], options->folders[at])};
    for (size_t at = 0; at < options->shared.count; at++)
        shared[at] = (Copy){options->shared.paths[at], copied(options->shared.paths[at])};
    lay_memory();
    make_read_only(AT_FDCWD, "/");
    for (size_t at = 0; at < options->shared.count; at++) {
        lay(shared[at].tree, shared[at].path);
        hold_what_stands(options, shared[at].path);
    }
    for (size_t at = 0; at < options->writable.count; at++)
        lay(copies[at].tree, copies[at].path);
    for (size_t at = 0; at < options->hidden.count; at++)
        empty(options->hidden.paths[at]);
    must(mount("steward", MEMORY, "tmpfs", MOUNT_NO_SUID | MOUNT_NO_DEVICES, "mode=1777"), "memory cannot be mounted", MEMORY);
    free(copies);
    free(shared);
    protect(options);
    must(chdir(folder), "the current folder cannot be entered", folder);
    int view = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    must(view, "its mounts cannot be held", "/proc/self/ns/mnt");
    return view;
}
