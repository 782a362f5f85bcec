/* The supervisor of a project's command: makes its connections for it, as far as they may be made.

   It is a process of its own, outside the confinement and outside the agent's session, and ends with the last
   process of the command. The command's sockets of TCP are made here, tied to the loopback; a connection is
   decided on this process's copy of the address and made on its copy of the socket, so that no other thread
   can change either in between. When the supervisor is gone, those calls fail. */

#define _GNU_SOURCE

#include "confine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 128, MOST_DEPTH = 64, KIND = 0xf, STACK_BYTES = 128 * 1024, MOST_TOLD = 1000 };
static const unsigned short name_services[] = {53, 853, 5353, 5355};

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
    struct sockaddr_storage room;
} Address;

/* A connection that is to be made for the command. */
typedef struct {
    uint64_t id;
    int socket, place; /* place: of a local socket, held; else -1 */
    socklen_t size;
    Address address;
} Wanted;

static int listener = -1, told = -1, told_count;
static struct stat folders[MOST_PATHS];
static size_t folder_count;
static atomic_int under_way;
static int is_cut_off; /* not even from this computer is anything to be had */

/* A name of the command's own making ends no line and begins no field. */
void tell(const char *what, const char *which) {
    char shown[PATH_MAX];
    size_t length = 0;
    for (; which[length] && length < sizeof shown - 1; length++)
        shown[length] = (unsigned char)which[length] < ' ' || which[length] == 127 ? '?' : which[length];
    shown[length] = 0;
    if (told >= 0 && told_count++ < MOST_TOLD)
        dprintf(told, "%s\t%s\n", what, shown);
}

static void answer(uint64_t id, int error) {
    struct seccomp_notif_resp response = {.id = id, .error = -error};
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* fails when the caller is gone, who then needs none */
}

static void make_socket(const struct seccomp_notif *asked) {
    int kind = (int)asked->data.args[1];
    int made = socket((int)asked->data.args[0], kind | SOCK_CLOEXEC, (int)asked->data.args[2]);
    struct seccomp_notif_addfd given = {.id = asked->id, .flags = SECCOMP_ADDFD_FLAG_SEND};
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo")) {
        answer(asked->id, errno);
    } else {
        given.srcfd = (uint32_t)made;
        given.newfd_flags = kind & SOCK_CLOEXEC ? O_CLOEXEC : 0;
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given) < 0)
            answer(asked->id, errno);
    }
    if (made >= 0)
        close(made);
}

static int is_loopback(const Address *address) {
    const unsigned char *bytes = address->six.sin6_addr.s6_addr;
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    uint32_t four = 0;
    if (address->any.sa_family == AF_INET) {
        four = ntohl(address->four.sin_addr.s_addr);
    } else {
        if (IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&address->six.sin6_addr))
            return 1;
        if (memcmp(bytes, mapped, sizeof mapped))
            return 0;
        memcpy(&four, bytes + sizeof mapped, sizeof four);
        four = ntohl(four);
    }
    return four >> 24 == 127 || !four;
}

static void tell_address(const Address *address, unsigned port) {
    char text[INET6_ADDRSTRLEN] = "", whole[INET6_ADDRSTRLEN + 16];
    const void *bytes = address->any.sa_family == AF_INET ? (const void *)&address->four.sin_addr : &address->six.sin6_addr;
    inet_ntop(address->any.sa_family, bytes, text, sizeof text);
    snprintf(whole, sizeof whole, "%s port %u", text, port);
    tell("connection", whole);
}

/* A resolver on the loopback passes on whatever name it is asked for; names are the proxy's to look up. */
static int may_reach(const Wanted *wanted) {
    const Address *address = &wanted->address;
    int is_four = address->any.sa_family == AF_INET;
    if (wanted->size < (is_four ? sizeof address->four : offsetof(struct sockaddr_in6, sin6_scope_id)))
        return EINVAL;
    unsigned port = ntohs(is_four ? address->four.sin_port : address->six.sin6_port);
    int found = !is_cut_off && is_loopback(address);
    for (size_t at = 0; at < sizeof name_services / sizeof *name_services; at++)
        found &= port != name_services[at];
    if (!found)
        tell_address(address, port);
    return found ? 0 : EACCES;
}

static int is_in_folders(int folder) {
    int found = 0, here = dup(folder);
    struct stat before = {0}, now;
    for (int depth = 0; here >= 0 && depth < MOST_DEPTH && !found && !fstat(here, &now); depth++) {
        for (size_t at = 0; at < folder_count; at++)
            found |= folders[at].st_dev == now.st_dev && folders[at].st_ino == now.st_ino;
        if (depth && before.st_dev == now.st_dev && before.st_ino == now.st_ino)
            break;
        before = now;
        int above = openat(here, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(here);
        here = above;
    }
    if (here >= 0)
        close(here);
    return found;
}

/* A socket that stands in a writable folder, and no link to one elsewhere. */
static int find_local(Wanted *wanted, pid_t thread) {
    char path[sizeof wanted->address.local.sun_path + 1] = "", base[64];
    size_t start = offsetof(struct sockaddr_un, sun_path);
    struct stat found;
    if (wanted->size <= start || !wanted->address.local.sun_path[0])
        return EACCES; /* no path: an abstract name */
    memcpy(path, wanted->address.local.sun_path, wanted->size - start);
    snprintf(base, sizeof base, "/proc/%d/%s", (int)thread, path[0] == '/' ? "root" : "cwd");
    char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *above = "";
    if (slash) {
        *slash = 0;
        above = path + strspn(path, "/");
    }
    int top = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int folder = top < 0 ? -1 : openat(top, *above ? above : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = folder < 0 ? errno : is_in_folders(folder) ? 0 : EACCES;
    if (!error && (wanted->place = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)) < 0)
        error = errno;
    if (!error && (fstat(wanted->place, &found) || !S_ISSOCK(found.st_mode)))
        error = EACCES;
    if (top >= 0)
        close(top);
    if (folder >= 0)
        close(folder);
    if (error == EACCES)
        tell("connection", wanted->address.local.sun_path);
    if (!error) {
        memset(&wanted->address, 0, sizeof wanted->address);
        wanted->address.local.sun_family = AF_UNIX;
        int length = snprintf(wanted->address.local.sun_path, sizeof wanted->address.local.sun_path, "/proc/self/fd/%d", wanted->place);
        wanted->size = (socklen_t)(start + (size_t)length + 1);
    }
    return error;
}

static int decide(Wanted *wanted, pid_t thread) {
    int domain = 0, kind = 0;
    socklen_t size = sizeof domain, other = sizeof kind;
    if (getsockopt(wanted->socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) ||
        getsockopt(wanted->socket, SOL_SOCKET, SO_TYPE, &kind, &other))
        return errno;
    if (domain == AF_NETLINK || wanted->address.any.sa_family == AF_UNSPEC)
        return 0;
    if (wanted->address.any.sa_family != domain)
        return EAFNOSUPPORT;
    if (domain == AF_UNIX)
        return find_local(wanted, thread);
    if (domain != AF_INET && domain != AF_INET6)
        return EACCES;
    return kind == SOCK_STREAM ? may_reach(wanted) : 0; /* datagrams have a network of their own */
}

static void *make_connection(void *given) {
    Wanted *wanted = given;
    int error = connect(wanted->socket, &wanted->address.any, wanted->size) ? errno : 0;
    close(wanted->socket);
    if (wanted->place >= 0)
        close(wanted->place);
    answer(wanted->id, error);
    free(wanted);
    under_way--;
    return NULL;
}

/* One that waits gets a thread, so that it holds up no other. */
static void begin_connection(Wanted *wanted) {
    pthread_attr_t attributes;
    pthread_t thread;
    int waits = !(fcntl(wanted->socket, F_GETFL) & O_NONBLOCK);
    under_way++;
    if (!waits || under_way > MOST_AT_ONCE || pthread_attr_init(&attributes)) {
        if (waits)
            fcntl(wanted->socket, F_SETFL, O_NONBLOCK);
        make_connection(wanted);
        return;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, make_connection, wanted)) {
        uint64_t id = wanted->id;
        close(wanted->socket);
        free(wanted);
        under_way--;
        answer(id, EAGAIN);
    }
    pthread_attr_destroy(&attributes);
}

/* The process of a thread: only processes can be held. */
static pid_t process_of(pid_t thread) {
    char path[64], text[1024], *line;
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = handle < 0 ? -1 : read(handle, text, sizeof text - 1);
    if (handle >= 0)
        close(handle);
    if (size <= 0)
        return -1;
    text[size] = 0;
    line = strstr(text, "\nTgid:");
    return line ? (pid_t)atoi(line + 6) : -1;
}

static int socket_of(const struct seccomp_notif *asked) {
    pid_t process = process_of((pid_t)asked->pid);
    int held = process < 0 ? -1 : (int)syscall(SYS_pidfd_open, process, 0);
    int copy = held < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, held, (int)asked->data.args[0], 0);
    int error = errno;
    if (held >= 0)
        close(held);
    errno = error;
    return copy;
}

static void connect_for(const struct seccomp_notif *asked) {
    Wanted *wanted = calloc(1, sizeof *wanted);
    uint64_t id = asked->id;
    if (!wanted) {
        answer(id, ENOMEM);
        return;
    }
    wanted->id = id;
    wanted->place = wanted->socket = -1;
    wanted->size = (socklen_t)asked->data.args[2];
    int error = wanted->size < sizeof(sa_family_t) || wanted->size > sizeof wanted->address ? EINVAL : 0;
    struct iovec here = {&wanted->address, wanted->size}, there = {(void *)(uintptr_t)asked->data.args[1], wanted->size};
    if (!error && process_vm_readv((pid_t)asked->pid, &here, 1, &there, 1, 0) != (ssize_t)wanted->size)
        error = EFAULT;
    if (!error && (wanted->socket = socket_of(asked)) < 0)
        error = errno;
    if (!error && ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id))
        error = EACCES; /* the caller ended, and its number may be another's by now */
    if (!error)
        error = decide(wanted, (pid_t)asked->pid);
    if (!error) {
        begin_connection(wanted);
        return;
    }
    if (wanted->socket >= 0)
        close(wanted->socket);
    if (wanted->place >= 0)
        close(wanted->place);
    free(wanted);
    answer(id, error);
}

static int is_together(pid_t one, pid_t other) {
    char path[64];
    struct stat first, second;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)one);
    if (stat(path, &first))
        return 0;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)other);
    return !stat(path, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* How much of the computer a process gets: one of the command's, which have a view of the disk in common. */
static void share(const struct seccomp_notif *asked) {
    int has_kind = asked->data.nr == SYS_setpriority || asked->data.nr == SYS_ioprio_set;
    struct seccomp_notif_resp response = {.id = asked->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    uint64_t id = asked->id;
    if (!is_together((pid_t)asked->pid, (pid_t)asked->data.args[has_kind]) || ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id))
        answer(asked->id, EPERM);
    else /* which process stands in a register, where no other thread can change it */
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void serve_call(const struct seccomp_notif *asked) {
    if (asked->data.nr == SYS_socket)
        make_socket(asked);
    else if (asked->data.nr == SYS_connect)
        connect_for(asked);
    else
        share(asked);
}

static void serve(int notes) {
    struct pollfd waited[2] = {{listener, POLLIN, 0}, {notes, POLLIN, 0}};
    char events[4096];
    for (;;) {
        if (poll(waited, 2, -1) < 0 && errno != EINTR)
            return;
        if (waited[1].revents) {
            while (read(notes, events, sizeof events) > 0)
                continue;
            look_again();
        }
        if (waited[0].revents & POLLIN) {
            struct seccomp_notif asked = {0};
            if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
                continue; /* the caller ended meanwhile */
            serve_call(&asked);
        } else if (waited[0].revents) {
            return; /* no process of the command is left */
        }
    }
}

/* The listener, and the mounts: those are taken down by whoever holds them last, and nobody waits for this one. */
typedef union {
    struct cmsghdr head;
    char room[CMSG_SPACE(2 * sizeof(int))];
} Handles;

static int received(int line) {
    int handles[2];
    char byte;
    Handles given = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &given, .msg_controllen = sizeof given};
    if (recvmsg(line, &message, MSG_CMSG_CLOEXEC) != 1 || given.head.cmsg_len != CMSG_LEN(sizeof handles))
        return -1;
    memcpy(handles, CMSG_DATA(&given.head), sizeof handles);
    return handles[0];
}

static _Noreturn void supervise(const Options *options, int line, int notes) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int each = 0; each < 3; each++)
        dup2(nothing, each);
    signal(SIGPIPE, SIG_IGN);
    for (char **word = options->command; *word; word++) /* or pkill -f would take this for the command */
        memset(*word, 0, strlen(*word));
    prctl(PR_SET_NAME, "steward-network", 0, 0, 0);
    listener = received(line);
    if (listener >= 0) { /* else nothing was started */
        close(line);
        serve(notes);
        look_again();
    }
    take_list_away();
    _exit(0);
}

Supervisor start_supervisor(const Options *options) {
    int line[2];
    char place[PATH_MAX];
    is_cut_off = options->network == NETWORK_NONE;
    for (; folder_count < options->writable.count; folder_count++)
        if (fstat(options->folders[folder_count], &folders[folder_count]))
            refuse("a writable folder is not there", options->writable.paths[folder_count]);
    if (options->report && snprintf(place, sizeof place, "%s.refused", options->report) < (int)sizeof place)
        told = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
    int notes = begin_watch();
    if (notes < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
        refuse("its supervisor cannot be started", strerror(errno));
    pid_t between = fork();
    if (between < 0)
        refuse("no process can be started", strerror(errno));
    if (!between) { /* twice, so that the command finds no child that it did not start */
        setsid();
        if (fork())
            _exit(0);
        close(line[0]);
        supervise(options, line[1], notes);
    }
    close(line[1]);
    return (Supervisor){line[0], between};
}

/* What is sent waits there for a supervisor that comes later, and is gone with one that does not come: the
   command's connections wait as well, or fail. So the command waits for nobody. */
void hand_over(Supervisor supervisor, int number, int view) {
    int handles[2] = {number, view}, status;
    Handles given = {.head = {.cmsg_len = CMSG_LEN(sizeof handles), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&given.head), handles, sizeof handles);
    struct iovec data = {"", 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &given, .msg_controllen = sizeof given};
    waitpid(supervisor.between, &status, 0); /* has ended long ago */
    if (sendmsg(supervisor.line, &message, MSG_NOSIGNAL) != 1)
        refuse("its supervisor did not start", strerror(errno));
    close(supervisor.line);
    close(number);
    close(view);
}
