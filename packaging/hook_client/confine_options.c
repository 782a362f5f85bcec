/* The words of the command line, read strictly: what is not known is not started. */

#define _GNU_SOURCE

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_OPTIONS_BYTES = 1 << 20 };

int is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    if (length == 1)
        return 1;
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

/* With links followed as far as it is there; what is not there yet keeps its name below what is. */
const char *resolved(const char *path) {
    char *whole = realpath(path, NULL);
    if (whole)
        return whole;
    char *copy = strdup(path);
    char *cut = copy ? strrchr(copy, '/') : NULL;
    if (!cut || cut == copy)
        return path;
    *cut = 0;
    const char *parent = resolved(copy);
    size_t size = strlen(parent) + strlen(cut + 1) + 2;
    char *made = malloc(size);
    if (!made)
        refuse("there is no memory", NULL);
    snprintf(made, size, "%s/%s", parent[1] ? parent : "", cut + 1);
    return made;
}

int held(const char *path) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static void add(Paths *paths, const char *path) {
    if (path[0] != '/')
        refuse("a path is not absolute", path);
    if (paths->count == MOST_PATHS)
        refuse("there are too many paths", NULL);
    paths->paths[paths->count++] = path;
}

/* Whoever named it had followed all links. One that is there now was put there since, by another command that
   may write in a folder above it; from here on what was found is used, whatever its name comes to mean. */
void add_writable(Options *options, const char *path) {
    int folder = held(path);
    if (folder < 0 && errno != ENOENT)
        refuse(errno == ELOOP ? "there is a link in the name of a folder" : strerror(errno), path);
    add(&options->writable, path);
    options->folders[options->writable.count - 1] = folder;
}

static void set_once(const char **place, const char *value, const char *name) {
    if (*place)
        refuse("an option stands there twice", name);
    if (value[0] != '/')
        refuse("a path is not absolute", value);
    *place = value;
}

static void set_mode(Options *options, Mode mode) {
    if (options->mode != NO_MODE)
        refuse("there is more than one mode", NULL);
    options->mode = mode;
}

static void set_network(Options *options, const char *value) {
    if (!strcmp(value, "none"))
        options->network = NETWORK_NONE;
    else if (!strcmp(value, "loopback"))
        options->network = NETWORK_LOOPBACK;
    else if (!strcmp(value, "open"))
        options->network = NETWORK_OPEN;
    else
        refuse("the network is none, loopback or open", value);
}

static void set_variable(Options *options, const char *value) {
    if (!strchr(value, '=') || value[0] == '=')
        refuse("a variable is NAME=VALUE", value);
    if (options->variables.count == MOST_PATHS)
        refuse("there are too many variables", NULL);
    options->variables.paths[options->variables.count++] = value;
}

static int set_switch(Options *options, const char *name) {
    if (!strcmp(name, "--read-only"))
        set_mode(options, READ_ONLY);
    else if (!strcmp(name, "--project"))
        set_mode(options, PROJECT);
    else if (!strcmp(name, "--folder"))
        options->keeps_folder = 1;
    else
        return 0;
    return 1;
}

static void set_value(Options *options, const char *name, const char *value) {
    if (!strcmp(name, "--network"))
        set_network(options, value);
    else if (!strcmp(name, "--report"))
        set_once(&options->report, value, name);
    else if (!strcmp(name, "--temp"))
        set_once(&options->temporary, value, name);
    else if (!strcmp(name, "--writable"))
        add_writable(options, value);
    else if (!strcmp(name, "--hide"))
        add(&options->hidden, value);
    else if (!strcmp(name, "--show"))
        add(&options->readable, value);
    else if (!strcmp(name, "--protect"))
        add(&options->protected, value);
    else if (!strcmp(name, "--share"))
        add(&options->shared, value);
    else if (!strcmp(name, "--own"))
        add(&options->own, value);
    else if (!strcmp(name, "--set"))
        set_variable(options, value);
    else
        refuse("there is no such option", name);
}

/* Further options, each word ended by a zero byte; the file itself names no other. */
static void read_file(Options *options, const char *path) {
    char *text = malloc(MOST_OPTIONS_BYTES);
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = 0, size = 0;
    if (!text || handle < 0)
        refuse("its options cannot be read", path);
    while ((got = read(handle, text + size, (size_t)(MOST_OPTIONS_BYTES - size))) > 0)
        size += got;
    close(handle);
    if (got < 0 || size == 0 || size == MOST_OPTIONS_BYTES || text[size - 1])
        refuse("its options are not whole", path);
    for (char *word = text; word < text + size; word += strlen(word) + 1) {
        if (set_switch(options, word))
            continue;
        char *value = word + strlen(word) + 1;
        if (value >= text + size)
            refuse("an option lacks its value", word);
        set_value(options, word, value);
        word = value;
    }
}

void read_options(Options *options, int count, char **words) {
    int at = 1, has_file = 0;
    for (; at < count && strcmp(words[at], "--"); at++) {
        if (set_switch(options, words[at]))
            continue;
        if (at + 1 == count)
            refuse("an option lacks its value", words[at]);
        if (strcmp(words[at], "--options"))
            set_value(options, words[at], words[at + 1]);
        else if (has_file++)
            refuse("an option stands there twice", words[at]);
        else
            read_file(options, words[at + 1]);
        at++;
    }
    if (options->mode == NO_MODE)
        refuse("it takes --read-only or --project", NULL);
    if (at + 1 >= count)
        refuse("it takes -- and a command", NULL);
    if (options->mode == PROJECT && options->network == NETWORK_OPEN)
        refuse("a project's network is none or loopback", NULL);
    if (options->mode == READ_ONLY && options->network == NETWORK_LOOPBACK)
        refuse("the network of what only reads is none or open", NULL);
    if (options->mode == READ_ONLY && (options->protected.count || options->shared.count))
        refuse("what only reads shares and protects nothing", NULL);
    if (options->keeps_folder && !options->report)
        refuse("--folder takes --report", NULL);
    options->command = words + at + 1;
    for (at = 0; at < (int)options->shared.count; at++)
        options->shared.paths[at] = resolved(options->shared.paths[at]);
}
