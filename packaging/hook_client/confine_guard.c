/* What is protected and was not there, or is a link: watched, and renamed away in the moment it appears.

   The watcher has all the user's rights and the command has a hand on the folders; so every step goes from a
   held folder to a name in it, and follows no link. */

#define _GNU_SOURCE

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_TRIES = 1000 };

typedef struct {
    int root;         /* the writable folder that it lies in */
    const char *rest; /* its path from there */
    const char *whole;
    struct stat link; /* the link that stood on its way, and may stay; else of a size of -1 */
} Guarded;

static Guarded guarded[MOST_PATHS];
static size_t count;
static int roots[MOST_PATHS]; /* of writable folders with something guarded; else 0 */
static int notes = -1;

static int watch(int folder) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    return inotify_add_watch(notes, link, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

/* A link cannot be changed; another one under its name was made later. */
static int is_link_from_before(const Guarded *one, const struct stat *found) {
    const struct stat *link = &one->link;
    return link->st_size >= 0 && found->st_ino == link->st_ino && found->st_dev == link->st_dev &&
           found->st_ctim.tv_sec == link->st_ctim.tv_sec && found->st_ctim.tv_nsec == link->st_ctim.tv_nsec;
}

static void take_away(int folder, const char *name, const char *whole) {
    char other[512];
    for (int number = 1; number <= MOST_TRIES; number++) {
        struct stat found;
        snprintf(other, sizeof other, "%.200s.refused-by-steward-%d", name, number);
        if (!fstatat(folder, other, &found, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!renameat(folder, name, folder, other))
            tell("taken away", whole);
        return;
    }
}

/* From the held folder to its name, step by step; `takes` away what was not there, else notes a link. */
static void walk(Guarded *one, int takes) {
    char *copy = strdup(one->rest), *left = copy, *name;
    int folder = one->root;
    struct stat found;
    while (copy && (name = strsep(&left, "/")) && !fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW)) {
        if (!takes && S_ISLNK(found.st_mode))
            one->link = found;
        if (!left || !S_ISDIR(found.st_mode)) {
            if (takes && !is_link_from_before(one, &found))
                take_away(folder, name, one->whole);
            break;
        }
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder != one->root)
            close(folder);
        if ((folder = next) < 0)
            break;
        if (takes)
            watch(folder);
    }
    if (folder >= 0 && folder != one->root)
        close(folder);
    free(copy);
}

void look_again(void) {
    for (size_t at = 0; at < count; at++)
        walk(&guarded[at], 1);
}

static Standing standing(int root, const char *rest) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    int found = (int)syscall(SYS_openat2, root, rest, &how, sizeof how);
    if (found < 0)
        return errno == ENOENT ? MISSING : errno == ELOOP ? LINKED : THERE;
    close(found);
    return THERE;
}

/* The writable folder that it lies in, held; -1 where there is none. */
static int root_of(const Options *options, const char *path, const char **rest) {
    for (size_t each = 0; each < options->writable.count; each++) {
        const char *root = options->writable.paths[each];
        if (!is_below(path, root) || !path[strlen(root)])
            continue;
        *rest = path + strlen(root) + 1;
        if (!roots[each])
            roots[each] = openat(options->folders[each], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (roots[each] < 0)
            refuse("a folder in which something is protected cannot be watched", root);
        return roots[each];
    }
    return -1;
}

void note_missing(Options *options) {
    for (size_t at = 0; at < options->protected.count; at++) {
        Guarded one = {.whole = options->protected.paths[at], .link = {.st_size = -1}};
        one.root = root_of(options, one.whole, &one.rest);
        Standing found = one.root < 0 ? ELSEWHERE : standing(one.root, one.rest);
        if (found == LINKED)
            walk(&one, 0);
        if (found == LINKED || found == MISSING)
            guarded[count++] = one;
        options->standing[at] = found;
    }
}

int begin_watch(void) {
    notes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notes < 0)
        return notes;
    for (size_t at = 0; at < MOST_PATHS; at++)
        if (roots[at] > 0 && watch(roots[at]) < 0)
            return -1;
    look_again();
    return notes;
}
