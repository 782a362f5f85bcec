/* Landlock: the process gives up writing, but to named folders, and reading what is hidden.

   Landlock only grants, and what it grants to a folder holds for all below it. What is hidden is therefore
   left out: its neighbours are granted one by one, on every level from the root down to it. */

#define _GNU_SOURCE

#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tables.h"

typedef struct {
    uint64_t files, network, scope;
} Ruleset;

typedef struct {
    uint64_t rights;
    int32_t place;
} __attribute__((packed)) Beneath;

enum { PATH_BENEATH = 1, ABI_QUESTION = 1, MOST_DEPTH = 64 };
static const uint64_t of_files = RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_CONTROL;
static const char *const sinks[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"};

static int ruleset;
static uint64_t handled;

static void add_rule(int place, uint64_t rights, const char *path) {
    Beneath rule = {rights & handled, place};
    if (rule.rights && syscall(CALL_ADD_RULE, ruleset, PATH_BENEATH, &rule, 0))
        refuse("Landlock took no rule for a path", path);
}

/* What is not there needs no rule; what cannot be looked at grants nothing. */
static void grant_place(int place, uint64_t rights, const char *path) {
    struct stat found;
    if (place >= 0 && !fstat(place, &found) && !S_ISLNK(found.st_mode))
        add_rule(place, rights & (S_ISDIR(found.st_mode) ? ~0ULL : of_files), path);
}

static void grant(const char *path, uint64_t rights) {
    int place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    grant_place(place, rights, path);
    if (place >= 0)
        close(place);
}

/* What is hidden below one folder, each by its path from there. */
typedef struct {
    const char *rests[MOST_PATHS];
    size_t count;
} Below;

typedef enum { SHOWN, ABOVE_HIDDEN, HIDDEN } Showing;

/* Of an entry of a folder; `deeper` is what is hidden below that entry. */
static Showing showing(const Below *hidden, const char *name, Below *deeper) {
    size_t length = strlen(name);
    deeper->count = 0;
    for (size_t at = 0; at < hidden->count; at++) {
        const char *rest = hidden->rests[at];
        if (*rest != *name || strncmp(rest, name, length))
            continue;
        const char *more = rest + length + strspn(rest + length, "/");
        if (!*more)
            return HIDDEN;
        if (rest[length] == '/')
            deeper->rests[deeper->count++] = more;
    }
    return deeper->count ? ABOVE_HIDDEN : SHOWN;
}

/* `place` is a held folder above something hidden; takes it over. */
static void grant_neighbours(const Below *hidden, int place, int depth) {
    Below deeper;
    struct dirent *entry;
    DIR *listed = depth == MOST_DEPTH ? NULL : fdopendir(place);
    if (!listed) {
        close(place);
        return;
    }
    while ((entry = readdir(listed))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || entry->d_type == DT_LNK)
            continue;
        Showing found = showing(hidden, entry->d_name, &deeper);
        if (found == HIDDEN)
            continue;
        int flags = found == SHOWN ? O_PATH : O_RDONLY | O_DIRECTORY;
        int one = openat(dirfd(listed), entry->d_name, flags | O_NOFOLLOW | O_CLOEXEC);
        if (one < 0)
            continue;
        if (found == ABOVE_HIDDEN) {
            grant_neighbours(&deeper, one, depth + 1);
            continue;
        }
        add_rule(one, RIGHT_READ_FILE, entry->d_name);
        close(one);
    }
    closedir(listed);
}

static void grant_around(const Paths *hidden) {
    Below all = {.count = hidden->count};
    for (size_t at = 0; at < hidden->count; at++)
        if (!*(all.rests[at] = hidden->paths[at] + strspn(hidden->paths[at], "/")))
            return; /* all is hidden */
    grant_neighbours(&all, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
}

void give_up_rights(const Options *options) {
    long abi = syscall(CALL_CREATE_RULESET, NULL, 0, ABI_QUESTION);
    if (abi < (long)LANDLOCK_OLDEST_ABI)
        refuse("this system has no Landlock, or one that is too old", NULL);
    handled = RIGHTS_TO_WRITE | (abi >= 5 ? RIGHT_DEVICE_CONTROL : 0);
    if (options->hidden.count)
        handled |= RIGHT_READ_FILE;
    int is_closed = options->mode == READ_ONLY && options->network == NETWORK_NONE;
    Ruleset rules = {handled, abi >= 4 && is_closed ? NET_TCP : 0, abi >= 6 ? SCOPE_OUTSIDE : 0};
    size_t size = abi < 4 ? 8 : abi < 6 ? 16 : 24;
    ruleset = (int)syscall(CALL_CREATE_RULESET, &rules, size, 0);
    if (ruleset < 0)
        refuse("Landlock refused its rules", strerror(errno));
    if (options->hidden.count)
        grant_around(&options->hidden);
    for (size_t at = 0; at < options->readable.count; at++)
        grant(resolved(options->readable.paths[at]), RIGHT_READ_FILE);
    for (size_t at = 0; at < sizeof sinks / sizeof *sinks; at++)
        grant(sinks[at], RIGHT_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_CONTROL);
    for (size_t at = 0; at < options->writable.count; at++)
        grant_place(options->folders[at], RIGHTS_TO_WRITE | RIGHT_READ_FILE, options->writable.paths[at]);
    for (size_t at = 0; at < options->shared.count; at++)
        grant(options->shared.paths[at], RIGHTS_TO_WRITE | RIGHT_READ_FILE); /* mounts hold what stands there */
    for (size_t at = 0; options->mode == PROJECT && at < options->hidden.count; at++)
        grant(options->hidden.paths[at], RIGHT_READ_FILE); /* what stands there now is empty */
    if (options->mode == PROJECT)
        grant("/dev/shm", RIGHTS_TO_WRITE | RIGHT_READ_FILE); /* its own memory */
    if (syscall(CALL_RESTRICT_SELF, ruleset, 0))
        refuse("Landlock could not be applied", strerror(errno));
    close(ruleset);
}
