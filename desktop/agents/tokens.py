"""Who may speak to the daemon.

An agent has one long-lived token in a file of its own; a launched run has one that ends with it. The
general token is that of one run of the daemon and lies, with its address, in the runtime folder. Kept here is
the SHA-256 of each, which is the key of the handshake: who reads it can speak as the agent. So it is as
secret as the token itself, and lies beside it with the same rights.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from filelock import FileLock

from desktop.agents.reasons import AgentReason
from desktop.errors import UserFacing
from desktop.paths import PRIVATE_FILE, Paths, ensure, write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

TOKEN_BYTES = 32
LOCK_TIMEOUT_S = 10.0
_DIGITS = re.compile(r"[0-9a-f]{64}")
_SPACE = " "  # between agent and session of a launched run; agents' names have none


@dataclass(frozen=True)
class Api:
    """Where the running daemon answers, and the token that speaks for this user.

    `url` is empty while another program has the port, `socket` where there is no socket file.
    """

    url: str
    token: str
    pid: int
    socket: str = ""

    @property
    def address(self) -> str:
        """The address in the form that the hook client takes."""
        port = self.url.rpartition(":")[2]
        return ":".join(each for each in (self.socket, port) if each)


@dataclass(frozen=True)
class Key:
    """What a line is proven with. `agent` is whose it is; None: the general one, of this user."""

    agent: str | None
    digits: str


class Tokens:
    """The tokens of one profile. All methods may be called on any thread; other processes may write too.

    What makes or ends a token raises UserFacing (`tokens-unwritten`) where the disk refuses it.
    """

    def __init__(self, paths: Paths) -> None:
        self._installed = TokenHashes(paths.config / "agent_tokens.json")
        self._launched = TokenHashes(paths.runtime / "launch_tokens.json")
        self._api = paths.runtime / "api.json"
        self._general = secrets.token_urlsafe(TOKEN_BYTES)
        self._general_key = Key(None, key_digits(self._general))
        self._named: tuple[Mapping[str, str], Mapping[str, str], dict[str, Key]] = ({}, {}, {})

    def make(self, agent: str) -> str:
        """A new token for the agent's hook entry; the old one ends. Kept nowhere but where it is put."""
        with _written():
            return self._installed.make(agent)

    def lend(self, agent: str, session: str) -> str:
        """A token for one launched run; the installed one goes on."""
        with _written():
            return self._launched.make(f"{agent}{_SPACE}{session}")

    def end(self, session: str) -> None:
        """The launched run is over."""
        with _written():
            self._launched.drop(lambda name: name.partition(_SPACE)[2] == session)

    def forget(self, agent: str) -> None:
        """The agent's token ends; those of launched runs go on."""
        with _written():
            self._installed.drop(lambda name: name == agent)

    def agent_of(self, token: str) -> str | None:
        """Whose token this is. Compared in constant time; what another process made counts at once."""
        digest = key_digits(token)
        found = None
        for name, known in (*self._installed.all().items(), *self._launched.all().items()):
            # No early end: how long it takes tells nothing about which token was near.
            if hmac.compare_digest(known, digest):
                found = name.partition(_SPACE)[0]
        return found

    def key(self, name: str) -> Key | None:
        """The key of this name (`key_name`); None where its token has ended."""
        installed, launched = self._installed.all(), self._launched.all()
        # Both are the same objects until a file has changed, so that a hook costs no hashing.
        if self._named[0] is not installed or self._named[1] is not launched or not self._named[2]:
            keys = [
                Key(who.partition(_SPACE)[0], digits)
                for who, digits in (*installed.items(), *launched.items())
            ]
            named = {key_name(each.digits): each for each in (*keys, self._general_key)}
            self._named = (installed, launched, named)
        return self._named[2].get(name)

    def agents(self) -> tuple[str, ...]:
        """The agents that have a token, in order of name."""
        return tuple(sorted(self._installed.all()))

    @property
    def any_expected(self) -> bool:
        """Whether somebody may call: an agent is installed, or a launched run is under way."""
        return bool(self._installed.all() or self._launched.all())

    def general(self) -> str:
        """The token of this run."""
        return self._general

    def publish(self, url: str, socket: str = "") -> None:
        """Say in the runtime folder where this run answers. Raises OSError."""
        facts = {"url": url, "token": self._general, "pid": os.getpid(), "socket": socket}
        write_atomically(self._api, json.dumps(facts).encode())

    def withdraw(self) -> None:
        """This run answers no more; what another run has published stays."""
        current = self.published()
        if current is not None and hmac.compare_digest(current.token, self._general):
            self._api.unlink(missing_ok=True)

    def published(self) -> Api | None:
        """Where a daemon of this profile last said that it answers; it may have died since."""
        facts = _read(self._api)
        url, token, pid = facts.get("url"), facts.get("token"), facts.get("pid")
        socket = facts.get("socket", "")
        if all(isinstance(each, str) for each in (url, token, socket)) and isinstance(pid, int):
            return Api(str(url), str(token), pid, str(socket))
        return None


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as error:  # full, read-only, somebody else's, or another process holds the file
        why = error.strerror or str(error)
        raise UserFacing(AgentReason.TOKENS_UNWRITTEN.of(error=why)) from error


class TokenHashes:
    """A file of name to SHA-256, read again when another process has written it. Any thread."""

    def __init__(self, path: Path, what: str = "The tokens of the agents") -> None:
        """`what` names the contents at the beginning of a sentence."""
        self._path = path
        self._name = os.fspath(path)  # made to text once: it is looked at for each hook
        self._what = what
        self._mutex = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._known: Mapping[str, str] = {}

    def all(self) -> Mapping[str, str]:
        """Name to SHA-256 in hexadecimal."""
        stamp = self._now()
        with self._mutex:
            if stamp != self._stamp:
                self._stamp, self._known = stamp, _strings(_read(self._path, self._what))
            return self._known

    def make(self, name: str) -> str:
        """A new token for `name`, whose old one ends. Raises OSError."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._change(lambda known: {**known, name: key_digits(token)})
        return token

    def drop(self, gone: Callable[[str], bool]) -> None:
        """End the tokens of all names that `gone` says. Raises OSError."""
        if any(gone(name) for name in self.all()):
            self._change(lambda known: {name: value for name, value in known.items() if not gone(name)})

    def _change(self, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        ensure(self._path.parent)
        # `steward agents install` and a running Steward may write at the same moment.
        with FileLock(f"{self._path}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_FILE):
            known = change(_strings(_read(self._path, self._what)))
            write_atomically(self._path, json.dumps(known, indent=1, sort_keys=True).encode())

    def _now(self) -> tuple[int, ...] | None:
        try:
            facts = os.stat(self._name)
        except OSError:  # none, or a name that leads nowhere
            return None
        # The inode as well: a file that is replaced within the clock's grain has another one.
        return (facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _strings(facts: Mapping[str, Any]) -> dict[str, str]:
    # What is no hash was not written by us; one bad entry must not take the tokens of the others along.
    return {
        name: value for name, value in facts.items() if isinstance(value, str) and _DIGITS.fullmatch(value)
    }


def _read(path: Path, what: str = "The address of the server") -> Mapping[str, Any]:
    """The object in the file; empty where there is none, and where others could have written it."""
    try:
        if not _is_ours(path.stat()):
            log.warning("others may write this file; it is not believed", path=str(path))
            return {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        log.warning("a file of tokens cannot be read", path=str(path), error=str(error))
        return {}
    return read_object(path, what)


def _is_ours(facts: os.stat_result) -> bool:
    """On Windows the profile's folder keeps others out; modes say nothing there."""
    if os.name == "nt":
        return True
    # Who may write there could put a token of his own in.
    return facts.st_uid == os.geteuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


# The same stands in `client.py` and in the client in C, which share no code with this program.
GREETING = b"STEWARD/1 "
UNKNOWN = b"unknown\n"
REFUSED = "-"
NONCE_BYTES = 16
NAME_DIGITS = 16
LINE_BYTES = 256  # the longest line of either side
_GREETED = re.compile(rb"STEWARD/1 ([0-9a-f]{16}) ([0-9a-f]{32})")
_ASKED = re.compile(rb"([a-z][a-z0-9/-]{0,63}) ([0-9]{1,9}) ([0-9a-f]{64})")


def key_digits(token: str) -> str:
    """The key of a token in hexadecimal, which is also what the server keeps of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def key_name(digits: str) -> str:
    """What names a key on the wire; it does not give the key away."""
    return hashlib.sha256(b"steward key\n" + bytes.fromhex(digits)).hexdigest()[:NAME_DIGITS]


@dataclass(frozen=True)
class ClientHello:
    """What a client says first."""

    key_name: str
    nonce: bytes


@dataclass(frozen=True)
class RequestHead:
    """The head of a request. `size` of its body in bytes."""

    what: str
    size: int
    proof: bytes


def greeted(line: bytes) -> ClientHello | None:
    """What a client said first; None for anything else. `line` without its end."""
    found = _GREETED.fullmatch(line)
    return ClientHello(found[1].decode(), found[2]) if found else None


def asked(line: bytes) -> RequestHead | None:
    """The head of a request; None for anything else. `line` without its end."""
    found = _ASKED.fullmatch(line)
    return RequestHead(found[1].decode(), int(found[2]), found[3]) if found else None


class ServerHandshake:
    """The server's side of one line."""

    def __init__(self, digits: str, nonce: bytes) -> None:
        """`nonce` is the client's."""
        self._key = bytes.fromhex(digits)
        self._nonce = secrets.token_hex(NONCE_BYTES).encode()
        self._nonces = nonce + b" " + self._nonce + b"\n"

    def greeting(self) -> bytes:
        """The line that answers the client's first."""
        return self._nonce + b" " + self._proof(b"server", b"") + b"\n"

    def is_true(self, head: RequestHead, body: bytes) -> bool:
        """Whether the request comes from who knows the token, for this line, as it was sent."""
        return hmac.compare_digest(self._proof(b"request", head.what.encode() + b"\n" + body), head.proof)

    def answer(self, code: str, error: bytes, output: bytes) -> bytes:
        """The whole answer. `code` is an exit code, or `REFUSED`."""
        head = f"{code} {len(error)} {len(output)}".encode()
        content = error + output
        return head + b" " + self._proof(b"answer", head + b"\n" + content) + b"\n" + content

    def _proof(self, label: bytes, content: bytes) -> bytes:
        message = b"".join((label, b"\n", self._nonces, content))
        return hmac.digest(self._key, message, "sha256").hex().encode()
