/* A command that cannot do what it was not judged to do: it gives up rights, then becomes the command.

     steward-confine --read-only|--project [OPTIONS] -- PROGRAM [ARGUMENTS]

     --report FILE     made before anything is given up, so that it can be known that this ran
     --folder          the report stays open as descriptor 250, for the shell to write its last folder to
     --temp DIR        TMPDIR of the command, made where it is missing
     --network KIND    none; or open for what only reads, loopback in a project
     --writable DIR    may be written to; what only reads writes nowhere else
     --hide PATH       may not be read
     --show PATH       may be read all the same
     --share DIR       in this folder new entries may be made; what stands there already may not be changed
     --own PATH        but for this entry of it, without links in its name
     --protect PATH    may not be written to, though it lies below a folder that may
     --set NAME=VALUE  a variable of the command
     --options FILE    more options, each word ended by a zero byte

   The process stays the same, and with it its terminal, signals, exit code, input and place in its group. What
   cannot be enforced is not started: exit code 126 and one sentence. */

#define _GNU_SOURCE

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER_DESCRIPTOR = 250, CAP_DAC_READ_SEARCH_BIT = 2 };

_Noreturn void refuse(const char *what, const char *which) {
    dprintf(2, "steward-confine: nothing was started, because %s%s%s.\n", what, which ? ": " : "", which ? which : "");
    _exit(REFUSED);
}

/* Nothing that the agent has open besides the three streams comes along. */
static void close_the_rest(void) {
    if (syscall(SYS_close_range, 3, ~0U, 0))
        refuse("open files cannot be closed", strerror(errno));
}

/* An agent's own sandbox is around us and forbids it: what it holds back need not be written down. */
static int is_held_already(void) {
    return errno == EROFS || errno == EACCES || errno == EPERM;
}

/* Without a report Steward takes the command for one that was not confined, and asks from then on. */
static int reported(const char *path) {
    int handle = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (handle < 0 && is_held_already())
        handle = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (handle < 0)
        refuse("its report cannot be written", strerror(errno));
    return handle;
}

static void keep_for_folder(int report) {
    if (dup2(report, FOLDER_DESCRIPTOR) < 0)
        refuse("its report cannot be kept open", strerror(errno));
}

/* A folder of our own, that nobody else can have put there. */
static void make_temporary(Options *options) {
    const char *path = options->temporary;
    if (mkdir(path, 0700) && errno != EEXIST) {
        if (is_held_already())
            return;
        refuse("its temporary folder cannot be made", strerror(errno));
    }
    struct stat found;
    if (lstat(path, &found) || S_ISLNK(found.st_mode))
        refuse("its temporary folder is a link", path);
    add_writable(options, resolved(path));
    if (fstat(options->folders[options->writable.count - 1], &found) || !S_ISDIR(found.st_mode) ||
        found.st_uid != geteuid() || (found.st_mode & 022))
        refuse("its temporary folder is not this user's own", path);
    if (setenv("TMPDIR", path, 1))
        refuse("there is no memory", NULL);
}

static void set_variables(const Paths *variables) {
    for (size_t at = 0; at < variables->count; at++)
        if (putenv((char *)variables->paths[at]))
            refuse("there is no memory", NULL);
}

/* An administrator's account that only reads keeps the right to read everything. */
static void drop_capabilities(Mode mode) {
    for (int each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; each++)
        if (each != CAP_DAC_READ_SEARCH_BIT || mode == PROJECT)
            prctl(PR_CAPBSET_DROP, each, 0, 0, 0); /* refused where there are none to be dropped */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static void become(char **command) {
    execvp(command[0], command);
    int found = errno != ENOENT;
    dprintf(2, "steward-confine: %s: %s\n", command[0], strerror(errno));
    _exit(found ? REFUSED : NOT_FOUND);
}

static void confine(Options *options) {
    struct rlimit no_core = {0, 0};
    Supervisor supervisor = {-1, -1};
    int view = -1;
    if (options->mode == PROJECT) {
        note_missing(options);
        supervisor = start_supervisor(options);
        view = make_view(options);
    } else if (setrlimit(RLIMIT_CORE, &no_core)) {
        refuse("rights cannot be given up", strerror(errno));
    }
    if (options->mode == PROJECT || geteuid() == 0)
        drop_capabilities(options->mode);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        refuse("rights cannot be given up", strerror(errno));
    give_up_rights(options);
    int number = filter_calls(options);
    if (number >= 0)
        hand_over(supervisor, number, view);
}

int main(int count, char **words) {
    static Options options;
    close_the_rest();
    read_options(&options, count, words);
    int report = options.report ? reported(options.report) : -1;
    if (options.keeps_folder)
        keep_for_folder(report);
    if (options.temporary)
        make_temporary(&options);
    set_variables(&options.variables);
    confine(&options);
    become(options.command);
}
