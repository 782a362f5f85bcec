/* What the parts of the confining client share. */

#ifndef STEWARD_CONFINE_H
#define STEWARD_CONFINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { REFUSED = 126, NOT_FOUND = 127, MOST_PATHS = 1024 };

typedef struct {
    const char *paths[MOST_PATHS];
    size_t count;
} Paths;

typedef enum { NO_MODE, READ_ONLY, PROJECT } Mode;
typedef enum { ELSEWHERE, MISSING, LINKED, THERE } Standing; /* of what is protected; not in what is writable */
typedef enum { NETWORK_NONE, NETWORK_LOOPBACK, NETWORK_OPEN } Network;

/* What was asked for; `temporary` and `report` may be NULL. */
typedef struct {
    Mode mode;
    Network network;
    int keeps_folder;
    const char *report;
    const char *temporary;
    Paths writable, hidden, readable, protected;
    int folders[MOST_PATHS]; /* those of `writable`, held open: their names may come to mean something else */
    Paths shared, own; /* folders that others write to as well, and what of their content is the command's */
    unsigned char standing[MOST_PATHS]; /* of `protected`, how each stood at the start */
    Paths variables;
    char **command;
} Options;

/* One sentence on stderr and the end: nothing was started. */
_Noreturn void refuse(const char *what, const char *which);

/* confine_options.c: the words of the command line. */
void read_options(Options *options, int count, char **words);

/* With links followed as far as it is there; what is not there yet keeps its name below what is. */
const char *resolved(const char *path);
/* A descriptor of what stands at a name in which nothing is a link; else -1 with errno. */
int held(const char *path);
void add_writable(Options *options, const char *path);
int is_below(const char *path, const char *folder);

/* confine_mounts.c: namespaces in which only what is named can be written to. Returns a hold on the mounts. */
int make_view(const Options *options);

/* confine_guard.c: what is protected and was not there; watched and taken away by the supervisor. */
void note_missing(Options *options);
int begin_watch(void);
void look_again(void);
void take_list_away(void); /* at the end of the watch */

/* confine_network.c: the supervisor. `line` takes its listener to it, `between` is to be waited for. */
typedef struct {
    int line;
    pid_t between;
} Supervisor;
Supervisor start_supervisor(const Options *options);
void hand_over(Supervisor supervisor, int number, int view);
void tell(const char *what, const char *which); /* a line for Steward, of what was refused */

/* confine_rights.c: Landlock. Returns its version. */
void give_up_rights(const Options *options);

/* confine_filter.c: seccomp; for a project the descriptor on which its calls are asked about, else -1. */
int filter_calls(const Options *options);

#endif
