"""The hook client: what a coding agent starts before each tool call, by its path.

    python -I -S client.py AGENT ADDRESS TOKEN TIMEOUT_S [--fail-closed]

ADDRESS is a port of 127.0.0.1 or the path of a Unix socket, TOKEN the agent's token or @FILE that holds it.
The hook's JSON on stdin is posted to the daemon, and its answer printed. When anything goes wrong nothing is
printed and the exit code is 0, so that the agent asks by itself; with --fail-closed it is 2, with the reason.

Spawned at every call: it imports what the interpreter already holds and `_socket`, and looks at raw bytes.
"""

import sys
from _socket import AF_INET, SOCK_STREAM, socket
from time import monotonic

if sys.platform == "win32":
    from nt import O_BINARY, O_RDONLY, _exit, close, open, read, write  # noqa: A004 - the system's own
else:
    from posix import O_RDONLY, _exit, close, open, read, write  # noqa: A004 - the system's own

    O_BINARY = 0

LIMIT_BYTES = 1_000_000  # of a hook and of an answer, as the daemon has it
HEAD_BYTES = 16_384


class Failed(Exception):
    """No answer that could be passed on; the reason for people."""


def main(words: list[str], hook: bytes | None = None) -> int:
    """Post the hook (stdin unless given), print the answer and return its exit code. Raises nothing."""
    closed = "--fail-closed" in words
    try:
        agent, address, token, timeout_s = [word for word in words if word != "--fail-closed"]
        code, out, err = ask(agent, address, token, float(timeout_s), read_all(0) if hook is None else hook)
    except Exception as error:  # the outermost edge: a bug, too, must leave the asking to the agent
        code, out, err = (2, b"", f"Steward did not answer: {error}".encode()) if closed else (0, b"", b"")
    try:
        write_all(1, out)
        write_all(2, err + b"\n" if err else b"")
    except OSError:
        code = 2 if closed else code  # nobody reads it
    return code


def ask(agent: str, address: str, token: str, timeout_s: float, hook: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, output and error output of the daemon's answer. Raises Failed, OSError and ValueError."""
    if len(hook) > LIMIT_BYTES:
        raise Failed("the hook is too large")
    secret = file_text(token[1:]) if token.startswith("@") else token.encode()
    head = (
        f"POST /hooks/{agent} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(hook)}\r\nAuthorization: Bearer "
    )
    return exchange(address, head.encode() + secret + b"\r\n\r\n" + hook, monotonic() + timeout_s)


def exchange(address: str, request: bytes, deadline: float) -> tuple[int, bytes, bytes]:
    line = connected(address, deadline)
    try:
        line.sendall(request)
        return answer_of(line, deadline)
    finally:
        line.close()


def answer_of(line: socket, deadline: float) -> tuple[int, bytes, bytes]:
    """Read until the answer is whole; a daemon that keeps the line open is not waited for."""
    got = bytearray()
    while (end := got.find(b"\r\n\r\n", 0, HEAD_BYTES)) < 0:
        if len(got) > HEAD_BYTES:
            raise Failed("the answer is not HTTP")
        got += more(line, deadline)
    size, code, error = head_of(bytes(got[:end]))
    while len(got) < end + 4 + size:
        got += more(line, deadline)
    if len(got) > end + 4 + size:
        raise Failed("the answer is longer than it says")
    return code, bytes(got[end + 4 :]), error


def more(line: socket, deadline: float) -> bytes:
    line.settimeout(left(deadline))
    part = line.recv(65_536)
    if not part:
        raise Failed("the answer was cut off")
    return part


def connected(address: str, deadline: float) -> socket:
    to: tuple[str, int] | str = ("127.0.0.1", int(address)) if address.isdigit() else address
    line = socket(AF_INET if address.isdigit() else unix_family(), SOCK_STREAM)
    try:
        line.settimeout(left(deadline))
        line.connect(to)
    except BaseException:
        line.close()
        raise
    return line


def unix_family() -> int:
    if sys.platform == "win32":
        raise Failed("this Python knows no Unix sockets")
    from _socket import AF_UNIX

    return AF_UNIX


def left(deadline: float) -> float:
    rest = deadline - monotonic()
    if rest <= 0:
        raise Failed("no answer in time")
    return rest


def head_of(head: bytes) -> tuple[int, int, bytes]:
    """Size of the body, exit code and error output."""
    status, *lines = head.split(b"\r\n")
    kind = status.split(b" ")[1:2]
    if not status.startswith(b"HTTP/1."):
        raise Failed("the answer is not HTTP")
    if kind not in ([b"200"], [b"204"]):
        raise Failed("the answer is a refusal")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    size = number(fields.get(b"content-length", b"0" if kind == [b"204"] else b""), LIMIT_BYTES)
    code = number(fields.get(b"x-steward-exit", b"0"), 255)
    return size, code, unquoted(fields.get(b"x-steward-stderr", b""))


def number(digits: bytes, most: int) -> int:
    if not digits.isdigit() or len(digits) > 9 or int(digits) > most:
        raise Failed("the answer is not HTTP")
    return int(digits)


def unquoted(text: bytes) -> bytes:
    """Undo percent-encoding; what is none stays, because a broken reason must not undo a refusal."""
    first, *rest = text.split(b"%")
    return first + b"".join(
        bytes((int(part[:2], 16),)) + part[2:] if is_hex(part[:2]) else b"%" + part for part in rest
    )


def is_hex(pair: bytes) -> bool:
    return len(pair) == 2 and not pair.strip(b"0123456789abcdefABCDEF")


def file_text(path: str) -> bytes:
    handle = open(path, O_RDONLY | O_BINARY)
    try:
        return read_all(handle).strip()
    finally:
        close(handle)


def read_all(handle: int) -> bytes:
    """To its end; of what is too much only enough to tell."""
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
