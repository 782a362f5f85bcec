/* The hook client of desktop/agents/client.py as a program of its own: the same words, the same answers.

     steward-hook AGENT ADDRESS TOKEN TIMEOUT_S [--fail-closed]

   ADDRESS is a port of 127.0.0.1 or the path of a Unix socket, TOKEN the agent's token or @FILE that holds it.
   The hook on stdin is posted to the daemon, and its answer printed. When anything goes wrong nothing is printed
   and the exit code is 0, so that the agent asks by itself; with --fail-closed it is 2, with the reason. */

#ifdef __APPLE__
#define _DARWIN_C_SOURCE /* addresses of the loopback are not POSIX's */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>

#ifdef _WIN32
#include <winsock2.h>
#include <windows.h>
#include <io.h>
typedef SOCKET Line;
typedef int Address_length;
#define NO_LINE INVALID_SOCKET
#define read _read
#define write _write
#define open _open
#define close _close
#define OPEN_FLAGS (O_RDONLY | O_BINARY)
#define strncasecmp _strnicmp
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
typedef int Line;
typedef socklen_t Address_length;
#define NO_LINE (-1)
#define OPEN_FLAGS O_RDONLY
#endif

enum {
    LIMIT_BYTES = 1000000, /* of a hook and of an answer, as the daemon has it */
    HEAD_BYTES = 16384,
    TOKEN_BYTES = 1024,
    PART_BYTES = 65536
};

typedef struct {
    char *bytes;
    size_t size;
} Text;

static int fail_closed;

/* No answer that could be passed on: the agent's own prompt, or with --fail-closed a refusal. */
static void fail(const char *reason) {
    if (fail_closed)
        fprintf(stderr, "Steward did not answer: %s\n", reason);
    exit(fail_closed ? 2 : 0);
}

static double now_s(void) {
#ifdef _WIN32
    return (double)GetTickCount64() / 1000;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
#endif
}

static int left_ms(double deadline) {
    double rest = (deadline - now_s()) * 1000;
    if (rest <= 0)
        fail("no answer in time");
    return rest > 2e9 ? 2000000000 : (int)rest + 1;
}

static char *room(size_t size) {
    char *made = malloc(size);
    if (!made)
        fail("no memory");
    return made;
}

/* To its end, so that the writer is never cut off; more than `most` bytes is a failure. */
static Text read_all(int handle, size_t most, const char *too_much) {
    Text text = {room(most + PART_BYTES), 0};
    for (;;) {
        size_t at = text.size > most ? most : text.size;
        int got = (int)read(handle, text.bytes + at, PART_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail("it cannot be read");
        if (got == 0)
            break;
        text.size = at + (size_t)got;
    }
    if (text.size > most)
        fail(too_much);
    return text;
}

static void write_all(int handle, const char *bytes, size_t size) {
    while (size) {
        int put = (int)write(handle, bytes, size > PART_BYTES ? PART_BYTES : (unsigned)size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            fail("nobody reads the answer");
        bytes += put;
        size -= (size_t)put;
    }
}

static Text token_of(const char *word) {
    Text token = {(char *)word, strlen(word)};
    if (word[0] != '@')
        return token;
    int handle = open(word + 1, OPEN_FLAGS);
    if (handle < 0)
        fail("the token cannot be read");
    token = read_all(handle, TOKEN_BYTES, "the token is too long");
    close(handle);
    while (token.size && strchr(" \t\r\n", token.bytes[token.size - 1]))
        token.size--;
    return token;
}

static int is_number(const char *word) {
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* Wait until the line can be read (or written); never longer than the deadline. */
static void wait_for(Line line, int writing, double deadline) {
    int ready;
#ifdef _WIN32
    int rest = left_ms(deadline);
    fd_set wanted, failed;
    struct timeval time = {rest / 1000, rest % 1000 * 1000};
    FD_ZERO(&wanted);
    FD_SET(line, &wanted);
    failed = wanted;
    ready = select(0, writing ? NULL : &wanted, writing ? &wanted : NULL, &failed, &time);
#else
    struct pollfd wanted = {line, writing ? POLLOUT : POLLIN, 0};
    do
        ready = poll(&wanted, 1, left_ms(deadline));
    while (ready < 0 && errno == EINTR);
#endif
    if (ready <= 0)
        fail("no answer in time");
}

static int would_block(void) {
#ifdef _WIN32
    return WSAGetLastError() == WSAEWOULDBLOCK;
#else
    return errno == EAGAIN || errno == EINPROGRESS || errno == EINTR;
#endif
}

static Line connected(int family, struct sockaddr *address, size_t size, double deadline) {
    Line line = socket(family, SOCK_STREAM, 0);
    int error = 0;
    Address_length length = sizeof error;
#ifdef _WIN32
    unsigned long yes = 1;
    if (line == NO_LINE || ioctlsocket(line, FIONBIO, &yes))
#else
    if (line == NO_LINE || fcntl(line, F_SETFL, O_NONBLOCK))
#endif
        fail("no connection can be made");
    if (!connect(line, address, (Address_length)size))
        return line;
    if (!would_block())
        fail("the connection was refused");
    wait_for(line, 1, deadline);
    if (getsockopt(line, SOL_SOCKET, SO_ERROR, (char *)&error, &length) || error)
        fail("the connection was refused");
    return line;
}

static Line to_port(const char *port, double deadline) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)atoi(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connected(AF_INET, (struct sockaddr *)&address, sizeof address, deadline);
}

static Line to_socket(const char *path, double deadline) {
#ifdef _WIN32
    (void)path, (void)deadline;
    fail("this program knows no Unix sockets");
    return NO_LINE;
#else
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path)
        fail("the path of the socket is too long");
    strcpy(address.sun_path, path);
    return connected(AF_UNIX, (struct sockaddr *)&address, sizeof address, deadline);
#endif
}

static void send_all(Line line, const char *bytes, size_t size, double deadline) {
    while (size) {
        wait_for(line, 1, deadline);
        int put = (int)send(line, bytes, size > PART_BYTES ? PART_BYTES : (int)size, 0);
        if (put < 0 && would_block())
            continue;
        if (put <= 0)
            fail("the connection was cut");
        bytes += put;
        size -= (size_t)put;
    }
}

/* Read on; the bytes stay ended by a zero. */
static void more(Text *answer, Line line, double deadline) {
    for (;;) {
        wait_for(line, 0, deadline);
        int got = (int)recv(line, answer->bytes + answer->size, PART_BYTES, 0);
        if (got < 0 && would_block())
            continue;
        if (got <= 0)
            fail("the answer was cut off");
        answer->size += (size_t)got;
        answer->bytes[answer->size] = 0;
        return;
    }
}

/* The value of a header in `head`, which ends with a zero, or NULL; its length in `size`. */
static const char *field(const char *head, const char *name, size_t *size) {
    size_t length = strlen(name);
    const char *line = head;
    while ((line = strstr(line, "\r\n"))) {
        line += 2;
        if (strncasecmp(line, name, length) || line[length] != ':')
            continue;
        line += length + 1;
        line += strspn(line, " \t");
        *size = strcspn(line, "\r");
        return line;
    }
    *size = 0;
    return NULL;
}

static long number(const char *head, const char *name, const char *absent, long most) {
    size_t size;
    const char *value = field(head, name, &size);
    if (!value)
        value = absent, size = strlen(absent);
    while (size && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    if (!size || size > 9 || strspn(value, "0123456789") < size || atol(value) > most)
        fail("the answer is not HTTP");
    return atol(value);
}

static int nibble(char digit) {
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) % 16 : -1;
}

/* Undo percent-encoding, with a line end behind; what is none stays: a broken reason must not undo a refusal. */
static Text unquoted(const char *from, size_t size) {
    Text text = {room(size + 1), 0};
    size_t at;
    for (at = 0; at < size; at++) {
        char byte = from[at];
        if (byte == '%' && size - at > 2 && nibble(from[at + 1]) >= 0 && nibble(from[at + 2]) >= 0) {
            byte = (char)(nibble(from[at + 1]) * 16 + nibble(from[at + 2]));
            at += 2;
        }
        text.bytes[text.size++] = byte;
    }
    if (text.size)
        text.bytes[text.size++] = '\n';
    return text;
}

/* Whether the status line in `head` is of HTTP/1 and has this code. */
static int has_status(const char *head, const char *code) {
    const char *found = strchr(head, ' ');
    if (strncmp(head, "HTTP/1.", 7) || !found || found > head + strcspn(head, "\r"))
        fail("the answer is not HTTP");
    return !strncmp(found + 1, code, 3) && strchr(" \r", found[4]);
}

/* Read until the answer is whole, then print it; a daemon that keeps the line open is not waited for. */
static int pass_on(Line line, double deadline) {
    Text answer = {room(LIMIT_BYTES + HEAD_BYTES + 2 * PART_BYTES), 0};
    char *end;
    answer.bytes[0] = 0;
    while (!(end = strstr(answer.bytes, "\r\n\r\n"))) {
        if (answer.size > HEAD_BYTES)
            fail("the answer is not HTTP");
        more(&answer, line, deadline);
    }
    *end = 0;
    int is_empty = has_status(answer.bytes, "204");
    if (!is_empty && !has_status(answer.bytes, "200"))
        fail("the answer is a refusal");
    size_t head = (size_t)(end + 4 - answer.bytes), length;
    size_t size = (size_t)number(answer.bytes, "Content-Length", is_empty ? "0" : "", LIMIT_BYTES);
    int code = (int)number(answer.bytes, "X-Steward-Exit", "0", 255);
    const char *said = field(answer.bytes, "X-Steward-Stderr", &length);
    Text error = unquoted(said, length);
    while (answer.size < head + size)
        more(&answer, line, deadline);
    if (answer.size > head + size)
        fail("the answer is longer than it says");
    write_all(1, answer.bytes + head, size);
    write_all(2, error.bytes, error.size);
    return code;
}

static int run(const char *agent, const char *address, const char *token_word, const char *time) {
    char *end;
    double timeout_s = strtod(time, &end);
    if (end == time || *end || !(timeout_s > 0))
        fail("the time-out is no number");
    Text hook = read_all(0, LIMIT_BYTES, "the hook is too large");
    Text token = token_of(token_word);
    double deadline = now_s() + timeout_s;
    size_t size = strlen(agent) + token.size + 512;
    char *head = room(size);
    int length = snprintf(head, size,
        "POST /hooks/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: %lu\r\nAuthorization: Bearer %.*s\r\n\r\n",
        agent, (unsigned long)hook.size, (int)token.size, token.bytes);
    Line line = is_number(address) ? to_port(address, deadline) : to_socket(address, deadline);
    send_all(line, head, (size_t)length, deadline);
    send_all(line, hook.bytes, hook.size, deadline);
    return pass_on(line, deadline);
}

int main(int count, char **words) {
    char *kept[4] = {0};
    int at, found = 0;
    for (at = 1; at < count; at++)
        if (!strcmp(words[at], "--fail-closed"))
            fail_closed = 1;
        else if (found++ < 4)
            kept[found - 1] = words[at];
#ifdef _WIN32
    WSADATA data;
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    if (WSAStartup(MAKEWORD(2, 2), &data))
        fail("this computer has no network");
#else
    signal(SIGPIPE, SIG_IGN);
#endif
    if (found != 4)
        fail("it takes an agent, an address, a token and a time-out");
    return run(kept[0], kept[1], kept[2], kept[3]);
}
