/* What is protected and was not there, or is a link: watched, and renamed away in the moment it appears.

   The watcher has all the user's rights and the command has a hand on the folders; so every step goes from a
   held folder to a name in it, and follows no link.

   Several commands may run in one project. What one of them has made stands there for a moment, until its watcher
   comes, and must not be taken for what was there before by one that begins in that moment. So each lays down a list
   of what was missing, in a folder beside that of the reports, and holds a lock on it for as long as it is watched. */

#define _GNU_SOURCE

#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_TRIES = 1000, MOST_LIST_BYTES = 1 << 22 };
#define LISTS "missing" /* the folder of lists: paths, each with a zero behind it */
#define DRAFT ".draft"  /* ends the name of one that is not whole */

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
static char own_list[PATH_MAX]; /* empty: there is none */
static char *others;            /* the lists of commands that run */
static size_t others_size;

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

static void add_list(int file) {
    struct stat found;
    if (fstat(file, &found) || !S_ISREG(found.st_mode) || found.st_size > MOST_LIST_BYTES)
        return;
    char *larger = realloc(others, others_size + (size_t)found.st_size + 1);
    if (!larger)
        refuse("there is no memory", NULL);
    others = larger;
    ssize_t size = read(file, others + others_size, (size_t)found.st_size);
    if (size > 0) {
        others_size += (size_t)size;
        others[others_size++] = 0;
    }
}

/* Names the folder of the lists, and makes it where there is none; empty where it cannot be named. */
static void name_lists(const char *report, char folder[PATH_MAX]) {
    const char *end = strrchr(report, '/');
    if (!end || snprintf(folder, PATH_MAX, "%.*s/../" LISTS, (int)(end - report), report) >= PATH_MAX)
        folder[0] = 0;
    else
        mkdir(folder, 0700); /* there already, or forbidden by an agent's own sandbox */
}

/* Of commands that run; the list of one that was killed is removed. */
static void read_lists(const char *folder) {
    struct dirent *entry;
    DIR *listed = opendir(folder);
    while (listed && (entry = readdir(listed))) {
        size_t size = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || (size > strlen(DRAFT) && !strcmp(entry->d_name + size - strlen(DRAFT), DRAFT)))
            continue;
        int file = openat(dirfd(listed), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            continue; /* it has just ended */
        if (!flock(file, LOCK_EX | LOCK_NB))
            unlinkat(dirfd(listed), entry->d_name, 0);
        else
            add_list(file);
        close(file);
    }
    if (listed)
        closedir(listed);
}

static int was_missing_to_others(const char *whole) {
    for (size_t at = 0; at < others_size; at += strlen(others + at) + 1)
        if (!strcmp(others + at, whole))
            return 1;
    return 0;
}

/* Under its name once it is whole and locked, before anything is started. */
static void lay_list(const char *folder, const char *report) {
    char draft[PATH_MAX];
    const char *name = strrchr(report, '/') + 1;
    if (snprintf(draft, sizeof draft, "%s/%s" DRAFT, folder, name) >= (int)sizeof draft ||
        snprintf(own_list, sizeof own_list, "%s/%s", folder, name) >= (int)sizeof own_list)
        refuse("the name of its report is too long", report);
    /* Held open on purpose: the lock ends with the last process that watches. */
    int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    int failed = file < 0 || flock(file, LOCK_SH | LOCK_NB);
    for (size_t at = 0; at < count && !failed; at++) {
        size_t size = strlen(guarded[at].whole) + 1;
        failed = guarded[at].link.st_size < 0 && write(file, guarded[at].whole, size) != (ssize_t)size;
    }
    if (failed || rename(draft, own_list))
        own_list[0] = 0; /* an agent's own sandbox forbids it, and holds the project as well */
}

void take_list_away(void) {
    if (own_list[0])
        unlink(own_list);
}

static Guarded looked_for(const Options *options, size_t at) {
    Guarded one = {.whole = options->protected.paths[at], .link = {.st_size = -1}};
    one.root = root_of(options, one.whole, &one.rest);
    return one;
}

void note_missing(Options *options) {
    static char lists[PATH_MAX];
    for (size_t at = 0; at < options->protected.count; at++) {
        Guarded one = looked_for(options, at);
        options->standing[at] = one.root < 0 ? ELSEWHERE : standing(one.root, one.rest);
    }
    if (options->report)
        name_lists(options->report, lists);
    if (lists[0])
        read_lists(lists);
    for (size_t at = 0; at < options->protected.count; at++) {
        Guarded one = looked_for(options, at);
        Standing found = options->standing[at];
        /* Looked at again, after the lists: who made it and has ended since has taken it away first. */
        if (found == THERE)
            found = standing(one.root, one.rest);
        if (found != ELSEWHERE && was_missing_to_others(one.whole))
            found = MISSING;
        if (found == LINKED)
            walk(&one, 0);
        if (found == LINKED || found == MISSING)
            guarded[count++] = one;
        options->standing[at] = (unsigned char)found;
    }
    if (lists[0])
        lay_list(lists, options->report);
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
