"""The hook client: what a coding agent starts before each tool call, by its path.

    python -I -S client.py AGENT ADDRESS TOKEN TIMEOUT_S [--guards] [--fail-closed]

ADDRESS is the path of a Unix socket, a port of 127.0.0.1, or both as PATH:PORT, of which the first that
takes the call is used; no variable for a proxy is looked at. TOKEN is the agent's token, or @FILE whose first
line it is. The hook's JSON on stdin goes to the daemon, and its answer is printed.

Both sides prove that they know the token, which itself is never sent; `desktop/agents/tokens.py` has the
form. What another program answers in the daemon's place is no answer, and neither are a time-out and a lost
line.
Without an answer nothing is printed and the exit code is 0, so that the agent asks by itself; with
--fail-closed it is 2, with the reason. With --guards the further lines of FILE say when the agent would not
ask, as `Agent.token_file_text` writes them; a session in bypassPermissions is always refused then.

Spawned at every call: it imports what the interpreter already holds, `_socket` and SHA-256, and looks at raw
bytes.
"""

import sys
from _socket import AF_INET, SOCK_STREAM, socket
from time import monotonic

try:
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore] # by version of Python
except ImportError:  # before Python 3.12
    from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore] # as above

if sys.platform == "win32":
    from nt import O_BINARY, O_RDONLY, _exit, close, open, read, urandom, write  # noqa: A004 - the system's own
else:
    from posix import O_RDONLY, _exit, close, open, read, urandom, write  # noqa: A004 - the system's own

    O_BINARY = 0

LIMIT_BYTES = 1_000_000  # of a hook and of an answer, as the daemon has it
LINE_BYTES = 256  # of a line of the daemon's
NONCE_BYTES = 16
FLAGS = ("--guards", "--fail-closed")
BYPASS = b"bypassPermissions"
UNKNOWN_TOKEN = "it does not know this token; install the agent's hooks again"  # noqa: S105 - a sentence
STRANGER = "another program answers in its place"
OTHER_USER = "another user's program listens in its place"


class Failed(Exception):
    """No answer that could be passed on; the reason for people."""


class Absent(Failed):
    """Nobody takes the call."""


class Unanswered(Failed):
    """The daemon was there and knew the token, and then no answer came."""


def main(words: list[str], hook: bytes | None = None) -> int:
    """Send the hook (stdin unless given), print the answer and return its exit code. Raises nothing."""
    closed, guards = "--fail-closed" in words, "--guards" in words
    rules: list[bytes] = []
    try:
        agent, address, token, timeout_s = [word for word in words if word not in FLAGS]
        hook = read_all(0) if hook is None else hook
        secret, *rules = lines_of(token)
        code, out, err = ask(agent, address, secret, float(timeout_s), hook)
    except Exception as error:  # the outermost edge: a bug, too, must not let anything run unasked
        lost = isinstance(error, Unanswered)
        what = b"refuse" if closed else unanswered(rules, hook or b"", lost) if guards else b"silence"
        code, out, err = instead(what, str(error))
    try:
        write_all(1, out)
        write_all(2, err + b"\n" if err else b"")
    except OSError:
        code = 2 if closed or guards else code  # nobody reads it
    return code


def ask(agent: str, address: str, token: bytes, timeout_s: float, hook: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, output and error output of the daemon's answer. Raises Failed, OSError and ValueError."""
    if len(hook) > LIMIT_BYTES:
        # The stricter of the two errors: else a call could be made too large to be asked about.
        raise Unanswered("the hook is too large")
    return exchange(address, token, f"hooks/{agent}", hook, monotonic() + timeout_s)


def exchange(address: str, token: bytes, what: str, body: bytes, deadline: float) -> tuple[int, bytes, bytes]:
    """One request with its answer, proven both ways. Raises Failed, OSError and ValueError."""
    line = connected(address, deadline)
    try:
        return Talk(line, sha256(token).digest(), deadline).answer(what, body)
    finally:
        line.close()


class Talk:
    """One line to whoever is at its other end."""

    def __init__(self, line: socket, key: bytes, deadline: float) -> None:
        self._line, self._key, self._deadline = line, key, deadline
        self._got = b""
        self._nonces = b""

    def answer(self, what: str, body: bytes) -> tuple[int, bytes, bytes]:
        self._meet()
        proof = self._mac(b"request", what.encode() + b"\n" + body)
        try:
            self._line.sendall(f"{what} {len(body)} ".encode() + proof + b"\n" + body)
            return self._heard()
        except (OSError, ValueError, Failed) as error:
            raise Unanswered(str(error) or "the line was lost") from None

    def _meet(self) -> None:
        """Only who knows the token gets to see the request."""
        mine = urandom(NONCE_BYTES).hex().encode()
        name = sha256(b"steward key\n" + self._key).hexdigest()[:16].encode()
        self._line.sendall(b"STEWARD/1 " + name + b" " + mine + b"\n")
        greeting = self._read_line()
        # It is Steward that says so, and it looks at nothing: stricter than if nobody were there.
        if greeting == b"unknown":
            raise Unanswered(UNKNOWN_TOKEN)
        theirs, _, proof = greeting.partition(b" ")
        self._nonces = mine + b" " + theirs + b"\n"
        # Compared plainly: each line has nonces of its own, so what the time gives away helps with no other.
        if len(theirs) != 2 * NONCE_BYTES or proof != self._mac(b"server", b""):
            raise Failed(STRANGER)

    def _heard(self) -> tuple[int, bytes, bytes]:
        head, _, proof = self._read_line().rpartition(b" ")
        code, *sizes = head.split(b" ")
        err_size, out_size = [number(size, LIMIT_BYTES) for size in sizes]
        while len(self._got) < err_size + out_size:
            self._more()
        if len(self._got) > err_size + out_size:
            raise Failed("the answer is longer than it says")
        if proof != self._mac(b"answer", head + b"\n" + self._got):
            raise Failed("the answer is not its own")
        err, out = self._got[:err_size], self._got[err_size:]
        if code == b"-":
            raise Failed(err.decode("utf-8", "replace"))
        return number(code, 255), out, err

    def _mac(self, label: bytes, content: bytes) -> bytes:
        """HMAC-SHA-256 by hand: the module for it costs more than the hook."""
        inner = sha256(padded(self._key, 0x36) + label + b"\n" + self._nonces + content).digest()
        digits: str = sha256(padded(self._key, 0x5C) + inner).hexdigest()
        return digits.encode()

    def _read_line(self) -> bytes:
        while b"\n" not in self._got:
            if len(self._got) > LINE_BYTES:
                raise Failed(STRANGER)
            self._more()
        line, _, self._got = self._got.partition(b"\n")
        return line

    def _more(self) -> None:
        # Anew for each part: who sends a byte now and then must not hold the agent beyond its deadline.
        self._line.settimeout(left(self._deadline))
        part = self._line.recv(65_536)
        if not part:
            raise Failed("the answer was cut off")
        self._got += part


def padded(key: bytes, pad: int) -> bytes:
    return bytes(byte ^ pad for byte in key.ljust(64, b"\0"))


# -- where it is ------------------------------------------------------------------------------


def connected(address: str, deadline: float) -> socket:
    """To the first of the addresses where somebody takes the call. Raises OSError and Failed."""
    path, colon, port = address.rpartition(":")
    ways = [path, port] if colon and is_port(port) else [address]
    for way in ways[:-1]:
        try:
            return connected_to(way, deadline)
        except (OSError, Failed):
            continue  # the last of them tells why not
    return connected_to(ways[-1], deadline)


def is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < 65_536


def connected_to(address: str, deadline: float) -> socket:
    by_port = is_port(address)
    to: tuple[str, int] | str = ("127.0.0.1", int(address)) if by_port else address
    line = socket(AF_INET if by_port else unix_family(), SOCK_STREAM)
    try:
        line.settimeout(left(deadline))
        try:
            line.connect(to)
        except (FileNotFoundError, ConnectionRefusedError):
            raise Absent("it is not running") from None
        if not by_port:
            check_peer(line)
    except BaseException:
        line.close()
        raise
    return line


def unix_family() -> int:
    if sys.platform == "win32":
        raise Failed("this Python knows no Unix sockets")
    from _socket import AF_UNIX

    return AF_UNIX


def check_peer(line: socket) -> None:
    """The system says whose program listens at the file; another user's is never spoken to."""
    if sys.platform == "win32":
        return
    from posix import geteuid

    if sys.platform == "linux":
        from _socket import SO_PEERCRED, SOL_SOCKET

        facts = line.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)  # pid, uid, gid
    else:
        facts = line.getsockopt(0, 1, 76)  # LOCAL_PEERCRED: version, uid, groups; <sys/un.h>
    if int.from_bytes(facts[4:8], sys.byteorder) != geteuid():
        raise Failed(OTHER_USER)


def left(deadline: float) -> float:
    rest = deadline - monotonic()
    if rest <= 0:
        raise Failed("no answer in time")
    return rest


# -- without an answer ------------------------------------------------------------------------


def unanswered(rules: list[bytes], hook: bytes, lost: bool) -> bytes:
    """What is done instead: silence, refuse, or the text that makes this agent ask."""
    said = {name: rest for name, _, rest in (rule.partition(b" ") for rule in rules)}
    modes = values(hook, b"permission_mode")
    if any(mode in (BYPASS, *said.get(b"refuse-in", b"").split()) for mode in modes):
        return b"refuse"
    what = said.get(b"lost", b"refuse") if lost else said.get(b"else", b"silence")
    tools = values(hook, b"tool_name") + values(hook, b"toolName")
    if not lost and tools and all(tool in said.get(b"reads", b"").split() for tool in tools):
        what = b"silence"
    elif what == b"silence" and any(mode in said.get(b"ask-in", b"").split() for mode in modes):
        what = b"ask"
    if what == b"ask":
        return said.get(b"ask", b"refuse")
    return what if what == b"silence" else b"refuse"


def values(hook: bytes, name: bytes) -> list[bytes]:
    """The texts under this name, at whatever depth: what stands deeper can only make it stricter."""
    found = []
    for part in hook.split(b'"' + name + b'"')[1:]:
        colon, value = part.lstrip()[:1], part.lstrip()[1:].lstrip()
        if colon == b":":
            found.append(value[1:].partition(b'"')[0] if value[:1] == b'"' else b"")
    return found


def instead(what: bytes, reason: str) -> tuple[int, bytes, bytes]:
    if what == b"silence":
        return 0, b"", b""
    if what == b"refuse":
        # Claude Code and the agents that took over its form read 2 as a refusal, and what is on stderr as
        # why.
        return 2, b"", f"Steward did not answer, and nothing was run: {reason}".encode()
    return 0, what, b""


# -- files and numbers ------------------------------------------------------------------------


def number(digits: bytes, most: int) -> int:
    if not digits.isdigit() or len(digits) > 9 or int(digits) > most:
        raise Failed("the answer cannot be read")
    return int(digits)


def lines_of(word: str) -> list[bytes]:
    """The token, and the lines behind it in its file."""
    if not word.startswith("@"):
        return [word.encode()]
    handle = open(word[1:], O_RDONLY | O_BINARY)
    try:
        lines = read_all(handle).splitlines()
    finally:
        close(handle)
    if not lines or not lines[0].strip():
        raise Failed("there is no token")
    return [line.strip() for line in lines]


def read_all(handle: int) -> bytes:
    """Read the input to its end; of what is too long only enough to tell that it is."""
    parts: list[bytes] = []
    size = 0
    while part := read(handle, 1_048_576):
        size += len(part)
        if size <= 2 * LIMIT_BYTES:
            parts.append(part)
    return b"".join(parts)


def write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[write(handle, content) :]


if __name__ == "__main__":
    _exit(main(sys.argv[1:]))
