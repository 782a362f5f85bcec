/* Seccomp: the filters that desktop/sandbox/seccomp.py writes. */

#define _GNU_SOURCE

#include "confine.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tables.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "there are no filters for this processor"
#endif

#define PROGRAM(filter) {sizeof filter / sizeof *filter, (struct sock_filter *)filter}

int filter_calls(const Options *options) {
    struct sock_fprog read = PROGRAM(filter_to_read), open = PROGRAM(filter_to_read_network);
    struct sock_fprog project = PROGRAM(filter_to_project);
    int in_project = options->mode == PROJECT;
    unsigned flags = in_project ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    struct sock_fprog *chosen = in_project ? &project : options->network == NETWORK_OPEN ? &open : &read;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, chosen);
    if (listener < 0)
        refuse("the system took no filter of calls", strerror(errno));
    return in_project ? (int)listener : -1;
}
