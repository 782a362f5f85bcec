"""The programs that may ask the model: a token each, by name, and what each has asked for.

Their tokens are of a kind of their own. None of them answers a hook's question of who is there, and no token
of an agent is looked up here, so neither can do what the other may.
"""

from __future__ import annotations

import hmac
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from desktop.agents.tokens import TokenHashes, key_digits
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.paths import Paths, write_atomically
from desktop.server.reasons import ServerReason
from desktop.state_file import fits, read_object

log = structlog.get_logger(__name__)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
WRITTEN_EVERY_S = 5.0  # a program that asks for vectors may come a hundred times a second


@dataclass(frozen=True)
class ProgramAnswering(Event):
    """A program's request is being answered; "" when none is."""

    name: str


@dataclass(frozen=True)
class ProgramUsed(Event):
    """A program's request was answered, or refused after its token was accepted."""

    name: str


@dataclass(frozen=True)
class ProgramUse:
    """What one program has asked for so far. `last_used` is a time in ISO form, or ""; `refused_for` the code
    of the error that its latest request was refused with, "" where that was answered."""

    requests: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    last_used: str = ""
    refused_for: str = ""


class ProgramTokens:
    """Tokens by name; only their hashes are kept. Any thread, and other processes may write too."""

    def __init__(self, paths: Paths) -> None:
        self._hashes = TokenHashes(paths.program_tokens, "The tokens of programs")

    def make(self, name: str) -> str:
        """A new token; an old one of the same name ends. Shown once and kept nowhere.

        Raises UserFacing (`program-name`, `program-unwritten`).
        """
        if not _NAME.fullmatch(name):
            raise UserFacing(ServerReason.PROGRAM_NAME.of(name=name[:40]))
        try:
            return self._hashes.make(name)
        except OSError as error:
            raise _unwritten(error) from error

    def revoke(self, name: str) -> bool:
        """End the token; False where there is none of this name. Raises UserFacing."""
        if name not in self._hashes.all():
            return False
        try:
            self._hashes.drop(lambda each: each == name)
        except OSError as error:
            raise _unwritten(error) from error
        return True

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._hashes.all()))

    def name_of(self, token: str) -> str | None:
        """Whose token this is; None for any other. Compared in constant time."""
        digest = key_digits(token)
        found = None
        for name, known in self._hashes.all().items():
            # No early end: how long it takes tells nothing about which token was near.
            if hmac.compare_digest(known, digest):
                found = name
        return found


def _later(after_s: float, act: Callable[[], None]) -> Callable[[], object]:
    timer = threading.Timer(after_s, act)
    timer.daemon = True  # the end of the program writes by itself
    timer.start()
    return timer.cancel


class ProgramLog:
    """Who asked how much, counted in memory and kept in a small file. Any thread."""

    def __init__(
        self,
        paths: Paths,
        bus: Bus,
        clock: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], Callable[[], object]] = _later,
    ) -> None:
        """`later` has something done after so many seconds, on any thread, and returns what calls it off."""
        self._path = paths.program_use
        self._bus = bus
        self._clock = clock
        self._later = later
        self._call_off: Callable[[], object] | None = None  # while a write is to come
        self._lock = threading.Lock()
        self._uses: dict[str, ProgramUse] | None = None
        self._written_s = -WRITTEN_EVERY_S
        self._is_dirty = False

    def uses(self) -> dict[str, ProgramUse]:
        """What each program has used, by its name."""
        with self._lock:
            return dict(self._all())

    def answered(self, name: str, prompt_tokens: int, answer_tokens: int) -> None:
        """One request was answered with so many tokens."""

        def count(use: ProgramUse) -> ProgramUse:
            return replace(
                use,
                requests=use.requests + 1,
                prompt_tokens=use.prompt_tokens + prompt_tokens,
                answer_tokens=use.answer_tokens + answer_tokens,
                refused_for="",
            )

        self._note(name, count)

    def refused(self, name: str, code: str = "") -> None:
        """A request with a good token was not answered; `code` says why, which some programs do not show."""
        self._note(name, lambda use: replace(use, refused=use.refused + 1, refused_for=code))

    def close(self) -> None:
        """Write what is not yet on disk."""
        with self._lock:
            if self._call_off is not None:
                self._call_off()
            if self._is_dirty:
                self._write()

    def _note(self, name: str, change: Callable[[ProgramUse], ProgramUse]) -> None:
        with self._lock:
            uses = self._all()
            now = datetime.now(UTC).isoformat(timespec="seconds")
            uses[name] = replace(change(uses.get(name, ProgramUse())), last_used=now)
            self._is_dirty = True
            left_s = self._written_s + WRITTEN_EVERY_S - self._clock()
            if left_s <= 0:
                self._write()
            elif self._call_off is None:
                # Else the last of many would be missing in `steward api status` until somebody asks again.
                self._call_off = self._later(left_s, self._write_what_waits)
        self._bus.publish(ProgramUsed(name))

    def _all(self) -> dict[str, ProgramUse]:
        if self._uses is None:
            rows = read_object(self._path, "What programs have asked").items()
            self._uses = {name: _use(row) for name, row in rows if isinstance(row, dict)}
        return self._uses

    def _write_what_waits(self) -> None:
        with self._lock:
            self._call_off = None
            if self._is_dirty:
                self._write()

    def _write(self) -> None:
        self._written_s = self._clock()
        content = json.dumps({name: asdict(use) for name, use in self._all().items()}, indent=1)
        try:
            write_atomically(self._path, content.encode())
        except OSError as error:  # counts are no reason to refuse an answer; the next one tries again
            log.warning("what programs have asked could not be kept", reason=str(error))
            return
        self._is_dirty = False


def _use(row: dict[str, Any]) -> ProgramUse:
    """What the file says, as far as it is of the right kind."""
    # A file of a later version may hold more, and one that somebody edited anything.
    kinds = {each.name: type(each.default) for each in fields(ProgramUse)}
    kept: dict[str, Any] = {key: row[key] for key, kind in kinds.items() if fits(row.get(key), kind)}
    return ProgramUse(**kept)


def _unwritten(error: OSError) -> UserFacing:
    return UserFacing(ServerReason.PROGRAM_UNWRITTEN.of(error=error.strerror or str(error)))
