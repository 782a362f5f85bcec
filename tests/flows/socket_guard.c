/* Stands before connect and its kin in a program under test: what is meant for another computer is written to
 * the file STEWARD_SOCKET_GUARD, one address a line, and refused. Loopback and local sockets (session bus, screen)
 * pass. Children inherit it. Built and loaded by socket_guard.py.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int is_away(const struct sockaddr *address, char *name, size_t size)
{
    if (address == NULL)
        return 0;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &four->sin_addr, name, (socklen_t)size);
        return (ntohl(four->sin_addr.s_addr) >> 24) != 127;
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &six->sin6_addr, name, (socklen_t)size);
        if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
            return six->sin6_addr.s6_addr[12] != 127;
        return !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    }
    return 0;
}

static int refuse(const struct sockaddr *address, const char *how)
{
    char name[INET6_ADDRSTRLEN] = "", line[INET6_ADDRSTRLEN + 32];
    const char *path = getenv("STEWARD_SOCKET_GUARD");
    int file, length;
    if (!is_away(address, name, sizeof name))
        return 0;
    length = snprintf(line, sizeof line, "%s %s\n", how, name);
    file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        if (write(file, line, (size_t)length) < 0)
            abort(); /* a guard that cannot tell is none */
        close(file);
    }
    errno = ENETUNREACH;
    return 1;
}

int connect(int socket, const struct sockaddr *address, socklen_t length)
{
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (refuse(address, "connect"))
        return -1;
    if (!real)
        real = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
    return real(socket, address, length);
}

ssize_t sendto(int socket, const void *bytes, size_t count, int flags, const struct sockaddr *address,
               socklen_t length)
{
    static ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
    if (refuse(address, "send"))
        return -1;
    if (!real)
        real = (ssize_t(*)(int, const void *, size_t, int, const struct sockaddr *, socklen_t))dlsym(
            RTLD_NEXT, "sendto");
    return real(socket, bytes, count, flags, address, length);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    if (message && refuse((const struct sockaddr *)message->msg_name, "send"))
        return -1;
    if (!real)
        real = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    return real(socket, message, flags);
}

/* The resolver's own sockets pass by the functions above, inside the C library. */
struct addrinfo;
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    unsigned char bytes[16];
    int is_number = node && (inet_pton(AF_INET, node, bytes) == 1 || inet_pton(AF_INET6, node, bytes) == 1);
    if (node && !is_number && strcmp(node, "localhost") != 0) {
        const char *path = getenv("STEWARD_SOCKET_GUARD");
        int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
        if (file >= 0) {
            dprintf(file, "name %s\n", node);
            close(file);
        }
        return -2; /* EAI_NONAME of glibc */
    }
    if (!real)
        real = (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(
            RTLD_NEXT, "getaddrinfo");
    return real(node, service, hints, found);
}
