/* What is protected and was not there: watched, and renamed away in the moment it appears.

   The watcher has all the user's rights and the command has a hand on the folders; so every step goes from a
   held folder to a name in it, and follows no link. */

#define _GNU_SOURCE

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_GUARDED = 256, MOST_TRIES = 1000 };

typedef struct {
    int root;         /* the writable folder that it lies in */
    const char *rest; /* its path from there */
    const char *whole;
} Guarded;

static Guarded guarded[MOST_GUARDED];
static size_t count;
static int notes = -1;

static void watch(int folder) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    inotify_add_watch(notes, link, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
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

/* 0 when it is there in full, and is left there; 1 when nothing is there, or not any more. */
static int look(const Guarded *one, int takes) {
    char *copy = strdup(one->rest), *left = copy, *name;
    int folder = dup(one->root), missing = 1;
    struct stat found;
    while (copy && folder >= 0 && (name = strsep(&left, "/"))) {
        if (notes >= 0)
            watch(folder);
        if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW))
            break;
        if (!left || !S_ISDIR(found.st_mode)) {
            missing = takes;
            if (takes)
                take_away(folder, name, one->whole);
            break;
        }
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(folder);
        folder = next;
    }
    if (folder >= 0)
        close(folder);
    free(copy);
    return missing;
}

void look_again(void) {
    for (size_t at = 0; at < count; at++)
        look(&guarded[at], 1);
}

void note_missing(const Options *options) {
    for (size_t at = 0; at < options->protected.count && count < MOST_GUARDED; at++) {
        const char *path = options->protected.paths[at];
        for (size_t each = 0; each < options->writable.count; each++) {
            const char *root = options->writable.paths[each];
            if (!is_below(path, root) || !path[strlen(root)])
                continue;
            Guarded one = {open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path + strlen(root) + 1, path};
            if (one.root >= 0 && look(&one, 0))
                guarded[count++] = one;
            break;
        }
    }
}

int begin_watch(void) {
    notes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notes >= 0)
        look_again();
    return notes;
}
