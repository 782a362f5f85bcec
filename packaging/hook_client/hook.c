/* The hook client of desktop/agents/client.py as a program of its own: the same words, the same answers.

     steward-hook AGENT ADDRESS TOKEN TIMEOUT_S [--guards] [--fail-closed]

   ADDRESS is the path of a Unix socket, a port of 127.0.0.1, or both as PATH:PORT, of which the first that takes
   the call is used. TOKEN is the agent's token, or @FILE whose first line it is. The hook on stdin goes to the
   daemon and its answer is printed; both sides prove that they know the token, as desktop/agents/proof.py says.
   Without an answer nothing is printed and the exit code is 0, so that the agent asks by itself; with --fail-closed
   it is 2, with the reason; with --guards the further lines of FILE say when the agent would not ask. */

#ifdef __APPLE__
#define _DARWIN_C_SOURCE /* addresses of the loopback are not POSIX's */
#endif
#ifdef __linux__
#define _GNU_SOURCE /* struct ucred */
#endif
#ifdef _WIN32
#define _CRT_RAND_S
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

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
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
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
    LINE_BYTES = 256,      /* of a line of the daemon's */
    TOKEN_BYTES = 16384,   /* of its file, with the lines behind it */
    PART_BYTES = 65536,
    NONCE_DIGITS = 32,
    PROOF_DIGITS = 64,
    KEY_BYTES = 32
};

typedef struct {
    char *bytes;
    size_t size;
} Text;

/* What is known when something goes wrong. */
static int fail_closed, guards, met; /* met: the daemon was there and knew the token, or said that it does not */
static Text hook, rules;
static const char *else_reason;      /* the way to the socket failed, and the port is tried */

static int write_out(int handle, const char *bytes, size_t size);
static Text instead(void);

/* No answer that could be passed on: the agent's own prompt, or a refusal where it would not ask. */
static void fail(const char *reason) {
    Text told = {NULL, 0};
    int refuses = fail_closed;
    if (!refuses && guards) {
        told = instead();
        refuses = !told.bytes;
    }
    if (refuses) {
        fprintf(stderr, "Steward did not answer, and nothing was run: %s\n", reason);
        exit(2);
    }
    exit(told.size && write_out(1, told.bytes, told.size) ? 2 : 0);
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

/* To its end, so that the writer is never cut off; of more than `most` bytes only enough to tell. */
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
    if (text.size > most && too_much)
        fail(too_much);
    return text;
}

static int write_out(int handle, const char *bytes, size_t size) {
    while (size) {
        int put = (int)write(handle, bytes, size > PART_BYTES ? PART_BYTES : (unsigned)size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return 1;
        bytes += put;
        size -= (size_t)put;
    }
    return 0;
}

/* -- SHA-256 (FIPS 180-4) and HMAC (RFC 2104) ------------------------------------------------------------------ */

typedef struct {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
} Hash;

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int by) {
    return word >> by | word << (32 - by);
}

static void digest_block(Hash *hash, const unsigned char *block) {
    uint32_t words[64], part[8], first, second;
    int at;
    for (at = 0; at < 16; at++)
        words[at] = (uint32_t)block[4 * at] << 24 | (uint32_t)block[4 * at + 1] << 16
            | (uint32_t)block[4 * at + 2] << 8 | block[4 * at + 3];
    for (; at < 64; at++) {
        uint32_t early = words[at - 15], late = words[at - 2];
        words[at] = words[at - 16] + (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + words[at - 7]
            + (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    }
    memcpy(part, hash->state, sizeof part);
    for (at = 0; at < 64; at++) {
        first = part[7] + (turned(part[4], 6) ^ turned(part[4], 11) ^ turned(part[4], 25))
            + ((part[4] & part[5]) ^ (~part[4] & part[6])) + ROUND[at] + words[at];
        second = (turned(part[0], 2) ^ turned(part[0], 13) ^ turned(part[0], 22))
            + ((part[0] & part[1]) ^ (part[0] & part[2]) ^ (part[1] & part[2]));
        memmove(part + 1, part, 7 * sizeof *part);
        part[4] += first;
        part[0] = first + second;
    }
    for (at = 0; at < 8; at++)
        hash->state[at] += part[at];
}

static void hash_begin(Hash *hash) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, first, sizeof first);
    hash->size = 0;
}

static void hash_add(Hash *hash, const void *from, size_t size) {
    const unsigned char *bytes = from;
    while (size) {
        size_t filled = (size_t)(hash->size % 64), part = 64 - filled < size ? 64 - filled : size;
        memcpy(hash->block + filled, bytes, part);
        hash->size += part;
        bytes += part;
        size -= part;
        if (filled + part == 64)
            digest_block(hash, hash->block);
    }
}

static void hash_end(Hash *hash, unsigned char *digest) {
    uint64_t bits = hash->size * 8;
    unsigned char length[8];
    int at;
    hash_add(hash, "\x80", 1);
    while (hash->size % 64 != 56)
        hash_add(hash, "", 1);
    for (at = 0; at < 8; at++)
        length[at] = (unsigned char)(bits >> (56 - 8 * at));
    hash_add(hash, length, sizeof length);
    for (at = 0; at < KEY_BYTES; at++)
        digest[at] = (unsigned char)(hash->state[at / 4] >> (24 - at % 4 * 8));
}

static void pad_key(Hash *hash, const unsigned char *key, int pad) {
    unsigned char block[64];
    int at;
    for (at = 0; at < 64; at++)
        block[at] = (unsigned char)((at < KEY_BYTES ? key[at] : 0) ^ pad);
    hash_begin(hash);
    hash_add(hash, block, sizeof block);
}

static void in_digits(const unsigned char *bytes, size_t size, char *digits) {
    size_t at;
    for (at = 0; at < 2 * size; at++)
        digits[at] = "0123456789abcdef"[at % 2 ? bytes[at / 2] & 15 : bytes[at / 2] >> 4];
    digits[at] = 0;
}

/* -- words and files ------------------------------------------------------------------------------------------- */

/* The token; the lines behind it in its file go to `rules`. */
static Text token_of(const char *word) {
    Text token = {(char *)word, strlen(word)};
    if (word[0] != '@')
        return token;
    int handle = open(word + 1, OPEN_FLAGS);
    if (handle < 0)
        fail("the token cannot be read");
    Text file = read_all(handle, TOKEN_BYTES, "the file of the token is too long");
    close(handle);
    file.bytes[file.size] = 0;
    token.bytes = file.bytes;
    token.size = strcspn(file.bytes, "\n");
    if (token.size < file.size) {
        rules.bytes = file.bytes + token.size; /* each line has a line end before it */
        rules.size = file.size - token.size;
    }
    while (token.size && strchr(" \t\r", token.bytes[token.size - 1]))
        token.size--;
    if (!token.size)
        fail("there is no token");
    return token;
}

static int is_number(const char *word) {
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* -- without an answer ----------------------------------------------------------------------------------------- */

/* What a line of the rules says, up to its end; NULL where there is no such line. */
static const char *rule(const char *name, size_t *size) {
    size_t length = strlen(name);
    const char *line = rules.bytes;
    while (line && (line = strchr(line, '\n'))) {
        line++;
        if (strncmp(line, name, length) || line[length] != ' ')
            continue;
        line += length + 1;
        *size = strcspn(line, "\r\n");
        return line;
    }
    *size = 0;
    return NULL;
}

static int says(const char *name, const char *word, const char *otherwise) {
    size_t size;
    const char *said = rule(name, &size);
    if (!said)
        said = otherwise, size = strlen(otherwise);
    return size == strlen(word) && !strncmp(said, word, size);
}

/* Whether `word` is one of those of a rule. */
static int lists(const char *name, const char *word, size_t size) {
    size_t left;
    const char *said = rule(name, &left);
    while (said && left) {
        size_t length = 0;
        while (length < left && said[length] != ' ')
            length++;
        if (length == size && !strncmp(said, word, size))
            return 1;
        said += length < left ? length + 1 : length;
        left -= length < left ? length + 1 : length;
    }
    return 0;
}

static const char *past_blanks(const char *at, const char *end) {
    while (at < end && strchr(" \t\r\n", *at) && *at)
        at++;
    return at;
}

/* The next text in the hook under `name`, which stands in quotes; NULL behind the last. What is no text is empty. */
static const char *next_value(const char **from, const char *name, size_t *size) {
    const char *at = *from, *end = hook.bytes + hook.size;
    size_t length = strlen(name);
    for (; at && at + length <= end; at++) {
        if (*at != '"' || strncmp(at, name, length))
            continue;
        const char *value = past_blanks(at + length, end);
        if (value >= end || *value != ':')
            continue;
        value = past_blanks(value + 1, end);
        *from = value;
        *size = 0;
        if (value >= end || *value != '"')
            return value;
        for (value++; value + *size < end && value[*size] != '"';)
            (*size)++;
        return value;
    }
    return NULL;
}

/* Whether one of the hook's modes is `word` (or, without it, in the rule `name`). */
static int has_mode(const char *name, const char *word) {
    const char *from = hook.bytes, *value;
    size_t size;
    while ((value = next_value(&from, "\"permission_mode\"", &size)))
        if (lists(name, value, size) || (size && size == strlen(word) && !strncmp(value, word, size)))
            return 1;
    return 0;
}

/* Whether all tools that the hook names, at whatever depth, only read. */
static int only_reads(void) {
    const char *names[2] = {"\"tool_name\"", "\"toolName\""}, *value;
    size_t size;
    int at, found = 0;
    for (at = 0; at < 2; at++) {
        const char *from = hook.bytes;
        for (; (value = next_value(&from, names[at], &size)); found = 1)
            if (!lists("reads", value, size))
                return 0;
    }
    return found;
}

/* The text that makes this agent ask, empty for silence; without bytes it is to be refused. */
static Text instead(void) {
    Text refused = {NULL, 0}, silence = {"", 0}, asks = {NULL, 0};
    asks.bytes = (char *)rule("ask", &asks.size);
    if (has_mode("refuse-in", "bypassPermissions"))
        return refused;
    if (!met && only_reads())
        return silence;
    const char *name = met ? "lost" : "else", *otherwise = met ? "refuse" : "silence";
    if (says(name, "ask", otherwise))
        return asks;
    if (!says(name, "silence", otherwise))
        return refused;
    return has_mode("ask-in", "") ? asks : silence;
}

/* -- the line -------------------------------------------------------------------------------------------------- */

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

static int way_failed(Line line, const char *reason) {
    if (line != NO_LINE)
#ifdef _WIN32
        closesocket(line);
#else
        close(line);
#endif
    else_reason = reason;
    return 0;
}

/* Whether a line could be had; why not is in `else_reason`. */
static int connected(Line *line, int family, struct sockaddr *address, size_t size, double deadline) {
    int error = 0;
    Address_length length = sizeof error;
    *line = socket(family, SOCK_STREAM, 0);
#ifdef _WIN32
    unsigned long yes = 1;
    if (*line == NO_LINE || ioctlsocket(*line, FIONBIO, &yes))
#else
    if (*line == NO_LINE || fcntl(*line, F_SETFL, O_NONBLOCK))
#endif
        return way_failed(*line, "no connection can be made");
    if (!connect(*line, address, (Address_length)size))
        return 1;
    if (!would_block())
        return way_failed(*line, "it is not running");
    wait_for(*line, 1, deadline);
    if (getsockopt(*line, SOL_SOCKET, SO_ERROR, (char *)&error, &length) || error)
        return way_failed(*line, "it is not running");
    return 1;
}

static int to_port(Line *line, const char *port, double deadline) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((unsigned short)atoi(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connected(line, AF_INET, (struct sockaddr *)&address, sizeof address, deadline);
}

#ifndef _WIN32
/* The system says whose program listens at the file; another user's is never spoken to. */
static int is_own_peer(Line line) {
#ifdef __linux__
    struct ucred peer;
    Address_length length = sizeof peer;
    return !getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
#else
    uid_t user;
    gid_t group;
    return !getpeereid(line, &user, &group) && user == geteuid();
#endif
}
#endif

static int to_socket(Line *line, const char *path, size_t size, double deadline) {
#ifdef _WIN32
    (void)path, (void)size, (void)deadline;
    return way_failed(*line = NO_LINE, "this program knows no Unix sockets");
#else
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (size >= sizeof address.sun_path)
        return way_failed(*line = NO_LINE, "the path of the socket is too long");
    memcpy(address.sun_path, path, size);
    if (!connected(line, AF_UNIX, (struct sockaddr *)&address, sizeof address, deadline))
        return 0;
    return is_own_peer(*line) || way_failed(*line, "another user's program listens in its place");
#endif
}

/* To the first of the addresses where somebody takes the call. */
static Line line_to(const char *address, double deadline) {
    Line line;
    const char *colon = strrchr(address, ':');
    int both = colon && is_number(colon + 1);
    if (both && to_socket(&line, address, (size_t)(colon - address), deadline))
        return line;
    if (both ? to_port(&line, colon + 1, deadline)
             : is_number(address) ? to_port(&line, address, deadline)
                                  : to_socket(&line, address, strlen(address), deadline))
        return line;
    fail(else_reason);
    return NO_LINE;
}

static void send_all(Line line, const char *bytes, size_t size, double deadline) {
    while (size) {
        wait_for(line, 1, deadline);
        int put = (int)send(line, bytes, size > PART_BYTES ? PART_BYTES : (int)size, 0);
        if (put < 0 && would_block())
            continue;
        if (put <= 0)
            fail("the line was lost");
        bytes += put;
        size -= (size_t)put;
    }
}

/* One line to whoever is at its other end. */
typedef struct {
    Line line;
    double deadline;
    unsigned char key[KEY_BYTES];
    char nonces[2 * NONCE_DIGITS + 3]; /* with a blank between, a line end and a zero */
    Text got;
} Talk;

static void more(Talk *talk) {
    for (;;) {
        wait_for(talk->line, 0, talk->deadline);
        int got = (int)recv(talk->line, talk->got.bytes + talk->got.size, PART_BYTES, 0);
        if (got < 0 && would_block())
            continue;
        if (got <= 0)
            fail("the answer was cut off");
        talk->got.size += (size_t)got;
        return;
    }
}

/* The length of the first line, which then ends with a zero. */
static size_t read_line(Talk *talk) {
    for (;;) {
        char *end = talk->got.size ? memchr(talk->got.bytes, '\n', talk->got.size) : NULL;
        if (end) {
            *end = 0;
            return (size_t)(end - talk->got.bytes);
        }
        if (talk->got.size > LINE_BYTES)
            fail("another program answers in its place");
        more(talk);
    }
}

static void drop(Talk *talk, size_t size) {
    talk->got.size -= size;
    memmove(talk->got.bytes, talk->got.bytes + size, talk->got.size);
}

/* The proof over what was said in `head` and `body`, in digits. */
static void proof(Talk *talk, const char *label, Text head, Text body, char *digits) {
    unsigned char digest[KEY_BYTES];
    Hash hash;
    pad_key(&hash, talk->key, 0x36);
    hash_add(&hash, label, strlen(label));
    hash_add(&hash, "\n", 1);
    hash_add(&hash, talk->nonces, strlen(talk->nonces));
    hash_add(&hash, head.bytes, head.size);
    hash_add(&hash, body.bytes, body.size);
    hash_end(&hash, digest);
    pad_key(&hash, talk->key, 0x5c);
    hash_add(&hash, digest, sizeof digest);
    hash_end(&hash, digest);
    in_digits(digest, sizeof digest, digits);
}

static void random_bytes(unsigned char *bytes, size_t size) {
#ifdef _WIN32
    size_t at;
    for (at = 0; at < size; at++) {
        unsigned value;
        if (rand_s(&value))
            fail("there are no random numbers");
        bytes[at] = (unsigned char)value;
    }
#else
    int handle = open("/dev/urandom", OPEN_FLAGS);
    if (handle < 0 || read(handle, bytes, size) != (int)size)
        fail("there are no random numbers");
    close(handle);
#endif
}

/* Only who knows the token gets to see the hook. */
static void meet(Talk *talk, Text token) {
    unsigned char digest[KEY_BYTES], nonce[NONCE_DIGITS / 2];
    char name[2 * KEY_BYTES + 1], expected[PROOF_DIGITS + 1], greeting[LINE_BYTES];
    Text none = {"", 0};
    Hash hash;
    hash_begin(&hash);
    hash_add(&hash, token.bytes, token.size);
    hash_end(&hash, talk->key);
    hash_begin(&hash);
    hash_add(&hash, "steward key\n", 12);
    hash_add(&hash, talk->key, KEY_BYTES);
    hash_end(&hash, digest);
    in_digits(digest, sizeof digest, name);
    random_bytes(nonce, sizeof nonce);
    in_digits(nonce, sizeof nonce, talk->nonces);
    int length = snprintf(greeting, sizeof greeting, "STEWARD/1 %.16s %s\n", name, talk->nonces);
    send_all(talk->line, greeting, (size_t)length, talk->deadline);
    size_t size = read_line(talk);
    if (!strcmp(talk->got.bytes, "unknown")) {
        met = 1;
        fail("it does not know this token; install the agent's hooks again");
    }
    if (size != NONCE_DIGITS + 1 + PROOF_DIGITS || talk->got.bytes[NONCE_DIGITS] != ' ')
        fail("another program answers in its place");
    talk->nonces[NONCE_DIGITS] = ' ';
    memcpy(talk->nonces + NONCE_DIGITS + 1, talk->got.bytes, NONCE_DIGITS);
    strcpy(talk->nonces + 2 * NONCE_DIGITS + 1, "\n");
    proof(talk, "server", none, none, expected);
    if (strcmp(talk->got.bytes + NONCE_DIGITS + 1, expected))
        fail("another program answers in its place");
    met = 1;
    drop(talk, size + 1);
}

static void send_hook(Talk *talk, const char *agent) {
    size_t room_for = strlen(agent) + 128;
    char *head = room(room_for), digits[PROOF_DIGITS + 1];
    Text what = {head, (size_t)snprintf(head, room_for, "hooks/%s\n", agent)};
    proof(talk, "request", what, hook, digits);
    int size = snprintf(head, room_for, "hooks/%s %lu %s\n", agent, (unsigned long)hook.size, digits);
    send_all(talk->line, head, (size_t)size, talk->deadline);
    send_all(talk->line, hook.bytes, hook.size, talk->deadline);
}

static long number(const char *digits, long most) {
    size_t size = strlen(digits);
    if (!size || size > 9 || strspn(digits, "0123456789") < size || atol(digits) > most)
        fail("the answer cannot be read");
    return atol(digits);
}

/* The next word of a line into `word`, which has room for 16; where it ends, or NULL where there is none such. */
static const char *next_word(const char *from, char *word) {
    size_t size = strcspn(from, " ");
    if (!size || size > 15 || from[size] != ' ')
        return NULL;
    memcpy(word, from, size);
    word[size] = 0;
    return from + size + 1;
}

/* Read until the answer is whole and proven, then print it. */
static int pass_on(Talk *talk) {
    char head[LINE_BYTES + 1], expected[PROOF_DIGITS + 1], code[16], error_size[16], output_size[16];
    size_t size = read_line(talk);
    const char *given = size > LINE_BYTES ? NULL : next_word(talk->got.bytes, code);
    given = given ? next_word(given, error_size) : NULL;
    given = given ? next_word(given, output_size) : NULL;
    if (!given)
        fail("the answer cannot be read");
    size_t said = (size_t)(given - 1 - talk->got.bytes);
    char digits[LINE_BYTES + 1];
    strcpy(digits, given);
    memcpy(head, talk->got.bytes, said);
    head[said] = '\n';
    drop(talk, size + 1);
    size_t errors = (size_t)number(error_size, LIMIT_BYTES), outputs = (size_t)number(output_size, LIMIT_BYTES);
    while (talk->got.size < errors + outputs)
        more(talk);
    if (talk->got.size > errors + outputs)
        fail("the answer is longer than it says");
    Text first = {head, said + 1};
    proof(talk, "answer", first, talk->got, expected);
    if (strcmp(digits, expected))
        fail("the answer is not its own");
    if (!strcmp(code, "-")) {
        talk->got.bytes[errors] = 0;
        fail(talk->got.bytes);
    }
    int ends = (int)number(code, 255);
    if (write_out(1, talk->got.bytes + errors, outputs)
        || write_out(2, talk->got.bytes, errors) || (errors && write_out(2, "\n", 1)))
        exit(fail_closed || guards ? 2 : ends);
    return ends;
}

static int run(const char *agent, const char *address, const char *token_word, const char *time) {
    Talk talk;
    char *end;
    memset(&talk, 0, sizeof talk);
    double timeout_s = strtod(time, &end);
    hook = read_all(0, LIMIT_BYTES, NULL);
    Text token = token_of(token_word);
    if (end == time || *end || !(timeout_s > 0))
        fail("the time-out is no number");
    if (hook.size > LIMIT_BYTES) {
        hook.size = LIMIT_BYTES;
        met = 1;
        fail("the hook is too large");
    }
    talk.deadline = now_s() + timeout_s;
    talk.got.bytes = room(2 * LIMIT_BYTES + LINE_BYTES + 2 * PART_BYTES);
    talk.line = line_to(address, talk.deadline);
    meet(&talk, token);
    send_hook(&talk, agent);
    return pass_on(&talk);
}

int main(int count, char **words) {
    char *kept[4] = {0};
    int at, found = 0;
    for (at = 1; at < count; at++)
        if (!strcmp(words[at], "--fail-closed"))
            fail_closed = 1;
        else if (!strcmp(words[at], "--guards"))
            guards = 1;
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
