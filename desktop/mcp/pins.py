"""What a server said of its tools when its user agreed to them, and what it says of them now.

A server may describe a harmless tool until it is allowed, and another one afterwards. So name, description
and schema of each tool are hashed and kept. A tool that says something else, or is new, is held back until
the user has looked at the difference; grants for it end at once.

Kept in one small JSON file of the profile. Thread-safe, and other processes may write too: `steward mcp tools
--agree` while the tray app runs.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import structlog
from filelock import FileLock

from desktop.errors import UserFacing
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import one_line, plain_text
from desktop.paths import PRIVATE_FILE, ensure, write_atomically
from desktop.state_file import put_aside, read_object

log = structlog.get_logger(__name__)

DESCRIPTION_WORDS = 15
NAME_CHARACTERS = 64
DESCRIPTION_CHARACTERS = 4000
SCHEMA_BYTES = 64_000
MOST_PARAMETERS = 40
LOCK_TIMEOUT_S = 10.0
WHAT = "What servers said of their tools"


class PinState(Enum):
    """How what a server says now compares with what was agreed to."""

    SAME = "same"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True)
class ToolPin:
    """One tool as its server describes it. `digest` is over name, description and schema as they were
    sent."""

    name: str
    description: str
    schema: Mapping[str, Any]
    digest: str

    @property
    def summary(self) -> str:
        """The first sentence of the description, at most 15 words."""
        return short(self.description) or self.name.replace("_", " ").replace("-", " ")

    def lines(self) -> list[str]:
        """For a comparison by people."""
        schema = json.dumps(self.schema, ensure_ascii=False, indent=1, sort_keys=True)
        return [*self.description.splitlines(), *plain_text(schema, SCHEMA_BYTES).splitlines()]


@dataclass(frozen=True)
class PinnedTool:
    """A tool of a server with what was agreed to. `now` None: the server does not have it any more."""

    agreed: ToolPin | None
    now: ToolPin | None
    used_at: float = 0.0  # seconds since 1970; 0: never

    @property
    def name(self) -> str:
        known = self.now or self.agreed
        assert known is not None
        return known.name

    @property
    def state(self) -> PinState:
        if self.now is None:
            return PinState.GONE
        if self.agreed is None:
            return PinState.NEW
        return PinState.SAME if self.agreed.digest == self.now.digest else PinState.CHANGED

    def difference(self) -> str:
        """What is another now, as lines that begin with - or +."""
        before = self.agreed.lines() if self.agreed is not None else []
        after = self.now.lines() if self.now is not None else []
        lines = difflib.unified_diff(before, after, lineterm="", n=1)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


@dataclass
class _Record:
    """What is kept of one server."""

    agreed: dict[str, ToolPin] = field(default_factory=dict)
    now: dict[str, ToolPin] = field(default_factory=dict)
    used_at: dict[str, float] = field(default_factory=dict)


class Pins:
    """Of all servers of a profile."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _Record] | None = None
        self._stamp: tuple[int, ...] | None = None  # of the file as it was read or written last
        self._is_behind = False  # what is on disk is older than what is known

    def tools(self, server: str) -> tuple[PinnedTool, ...]:
        """In the order in which the server lists them, those that it no longer has at the end."""
        with self._lock:
            record = self._all().get(server, _Record())
            names = dict.fromkeys((*record.now, *record.agreed))
            return tuple(
                PinnedTool(record.agreed.get(name), record.now.get(name), record.used_at.get(name, 0.0))
                for name in names
            )

    def is_known(self, server: str) -> bool:
        """Whether this server was ever asked for its tools."""
        with self._lock:
            return server in self._all()

    def see(self, server: str, found: Iterable[ToolPin]) -> tuple[PinnedTool, ...]:
        """What a server says now; returns what is another than was agreed to. What it says the first time is
        agreed to: its user has just added it and looks at the list."""
        listed = {each.name: each for each in found}
        with self._lock:
            record = self._all().get(server)
            if record is None or record.now != listed:
                with self._alone():
                    record = self._all().setdefault(server, _Record(agreed=dict(listed)))
                    record.now = listed
                    self._save()
            shown = [PinnedTool(record.agreed.get(name), each) for name, each in listed.items()]
        return held(shown)

    def agree(self, server: str) -> None:
        """The user has looked at what the server says now, and takes it. Raises UserFacing where that cannot
        be kept: at the next start nobody would know of it."""
        with self._lock, self._alone():
            # What this process has shown: another may have seen something newer, which nobody has agreed to.
            shown = (self._kept or {}).get(server)
            record = self._all().setdefault(server, _Record())
            before, record.agreed = record.agreed, dict((shown or record).now)
            if not self._save():
                record.agreed = before
                raise UserFacing(McpReason.AGREEMENT_NOT_KEPT.of(name=server))

    def used(self, server: str, tool: str) -> None:
        """It was called just now. On disk with the next `keep`: a call must not wait for the disk."""
        with self._lock:
            record = self._all().get(server)
            if record is not None:
                record.used_at[tool] = self._clock()
                self._is_behind = True

    def keep(self) -> None:
        """Write down when tools were used, where that is not yet on disk."""
        with self._lock:
            if self._is_behind:
                with self._alone():
                    self._all()
                    self._save()

    def forget(self, server: str) -> None:
        """The server was taken away."""
        with self._lock, self._alone():
            if self._all().pop(server, None) is not None:
                self._save()

    # -- on disk ------------------------------------------------------------------------------

    def _all(self) -> dict[str, _Record]:
        stamp = _stamp(self._path)
        if self._kept is None or (stamp is not None and stamp != self._stamp):
            known = self._kept or {}
            found = _read(self._path)
            for name, record in known.items() if found else ():
                if name in found:  # when a tool was used is on disk only now and then
                    found[name].used_at = {**found[name].used_at, **record.used_at}
            # A file that somebody damaged meanwhile makes nothing unknown that is known.
            self._kept, self._stamp = found or known, _stamp(self._path)
        return self._kept

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process writes meanwhile; where the disk gives no lock, none is waited for."""
        lock = FileLock(f"{self._path}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_FILE)
        with suppress(OSError):
            ensure(self._path.parent)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _save(self) -> bool:
        """Whether it is on disk now."""
        self._is_behind = False
        content = json.dumps({name: _as_json(each) for name, each in self._all().items()}, ensure_ascii=False)
        try:
            write_atomically(self._path, content.encode("utf-8", "replace"))
        except OSError as error:
            # Without the file the next start compares with nothing, and asks the server and its user again.
            log.warning("what servers said of their tools could not be kept", reason=str(error))
            return False
        self._stamp = _stamp(self._path)
        return True


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino)


def pin(tool: Mapping[str, Any]) -> ToolPin | None:
    """A tool as a server lists it; None where it can't be used: no plain name, or a schema beyond all
    measure."""
    name = tool.get("name")
    schema = tool.get("inputSchema")
    # A name is shown in questions and becomes part of rules: it has to be one plain word.
    if not isinstance(name, str) or not name or one_line(name, NAME_CHARACTERS + 1) != name:
        return None
    if len(name) > NAME_CHARACTERS or not isinstance(schema, dict):
        return None
    properties = schema.get("properties") or {}
    written = json.dumps(schema, sort_keys=True, ensure_ascii=True)
    if not isinstance(properties, dict) or len(properties) > MOST_PARAMETERS or len(written) > SCHEMA_BYTES:
        return None
    # As it was sent and not as it is shown: two texts that look alike are not the same.
    sent = json.dumps([name, tool.get("description"), schema], sort_keys=True, ensure_ascii=True)
    described = plain_text(tool.get("description"), DESCRIPTION_CHARACTERS)
    return ToolPin(name, described, schema, hashlib.sha256(sent.encode()).hexdigest())


def short(description: str) -> str:
    """The first sentence of a description, at most 15 words, on one line."""
    line = one_line(description, DESCRIPTION_CHARACTERS)
    end = _end_of_sentence(line)
    words = line[:end].split()
    cut = " ".join(words[:DESCRIPTION_WORDS])
    return cut if len(words) <= DESCRIPTION_WORDS else cut.rstrip(",;:") + " …"


def _end_of_sentence(line: str) -> int:
    places = (line.find(mark) for mark in (". ", "! ", "? ", ": "))
    return min((place + 1 for place in places if place >= 0), default=len(line))


def _as_json(record: _Record) -> dict[str, Any]:
    return {
        "agreed": [asdict(each) for each in record.agreed.values()],
        "now": [asdict(each) for each in record.now.values()],
        "used_at": record.used_at,
    }


def _read(path: Path) -> dict[str, _Record]:
    try:
        return {name: _record(row) for name, row in read_object(path, WHAT).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        put_aside(path, WHAT, f"an entry is of another kind ({error})")
        return {}


def _record(row: Mapping[str, Any]) -> _Record:
    agreed = {each["name"]: ToolPin(**each) for each in row["agreed"]}
    now = {each["name"]: ToolPin(**each) for each in row["now"]}
    return _Record(agreed, now, {str(name): float(at) for name, at in row["used_at"].items()})


def held(tools: Iterable[PinnedTool]) -> tuple[PinnedTool, ...]:
    """Those that wait until somebody has looked at them."""
    return tuple(each for each in tools if each.state in (PinState.CHANGED, PinState.NEW))
