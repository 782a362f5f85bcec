"""Reads what strangers wrote, in a process of its own that can end.

HTML, PDF, archives, model files and the exports of other programs are large formats, and their parsers were
not written for files that mean harm: some never finish, some eat all memory. Here such a function runs in a
child that can write nowhere but into its own folder, reaches no network, and has a limit of time, processor
and memory. What comes back is plain JSON; whatever happened in there, the program goes on.

A parsing function lives in a module of ours, takes the path of the file and its options by name, and returns
a JSON value. `raise ParseRefused("encrypted")` in it is how it says why a file cannot be read.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from desktop.sandbox.confinement import Method, available
from desktop.sandbox.parser_child import DIED_OF_MEMORY, RESULT, SOURCE, ParseRefused
from desktop.sandbox.process import Child, ChildEnding, Command, Limits
from desktop.temporary import temporary_folder

__all__ = ["ParseFailed", "ParseFailure", "ParseRefused", "Parser", "ParserLimits"]

log = structlog.get_logger(__name__)

_MAIN = "from desktop.sandbox.parser_child import main; main(sys.argv[2:])"
START = f"import sys; sys.path.append(sys.argv[1]); {_MAIN}"
VERB = "parse"  # of the bundle, which has no bare interpreter
COMPLAINT_CHARACTERS = 500
STARTING_S = 10  # of processor, which starting and importing may take beside the work
# What the kernel ends a child with at its limit of processor time; bubblewrap above it tells it as 128 more.
_PROCESSOR_CODES = (
    frozenset({-signal.SIGXCPU, 128 + signal.SIGXCPU}) if sys.platform != "win32" else frozenset()
)


class ParseFailure(StrEnum):
    """Why nothing was read."""

    REFUSED = "refused"  # the function says why, in `ParseFailed.reason`
    TOO_SLOW = "too slow"
    TOO_LARGE = "too large"  # it needs more memory than it may, or its result is too long
    CANCELLED = "cancelled"
    BROKEN = "broken"  # the parser stumbled over it


class ParseFailed(Exception):
    """`reason` is the word of the function for REFUSED, else ""."""

    def __init__(self, failure: ParseFailure, reason: str = "") -> None:
        super().__init__(reason or failure.value)
        self.failure = failure
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class ParserLimits:
    """What one file may cost. Times and memory are enforced from outside and, on Unix, by the kernel.

    `file_bytes` is of each file that the child writes, what comes back among them. `processor_s` is of
    processor time, 0 as much as `time_s`: where the work is known it is a limit that a loaded computer
    doesn't reach, and that what never ends reaches early. Not on Windows, where `time_s` ends it.
    """

    time_s: float = 15.0
    memory_bytes: int = 1_500_000_000
    result_bytes: int = 64_000_000
    file_bytes: int = Limits.file_bytes
    processor_s: float = 0.0


class Parser:
    """Starts a child for each file: some 50 ms and the imports of the function. Never on the main thread."""

    def __init__(self, confinement: Callable[[], Method]) -> None:
        """`confinement` is how the child is kept from writing elsewhere and from the network."""
        self._confinement = confinement

    @classmethod
    def confined(cls) -> Parser:
        """A parser that is confined as well as this system can."""
        return cls(lambda: available().best)

    def parse(
        self,
        function: str,
        source: bytes | Path,
        options: Mapping[str, Any] | None = None,
        limits: ParserLimits | None = None,
        on_start: Callable[[Child], None] = lambda _child: None,
        writable: Sequence[Path] = (),
    ) -> Any:
        """What `function` ("module:name" of ours) returns for the file. Raises ParseFailed.

        `source` is its content, or where it lies. `on_start` gets the child, so that it can be cancelled.
        `writable` are folders that the child may fill: what lies there afterwards is the child's word.
        """
        limits = limits or ParserLimits()
        with temporary_folder("parser") as folder:
            path = source if isinstance(source, Path) else folder / SOURCE
            # By a file and not by a pipe: parsers jump about in what they read.
            if isinstance(source, bytes):
                path.write_bytes(source)
            task = {"function": function, "options": dict(options or {}), "memory_bytes": limits.memory_bytes}
            task |= {"processor_s": int(limits.processor_s or limits.time_s) + STARTING_S}
            task |= {"source": str(path), "folder": str(folder)}
            words = (*_start(), json.dumps(task))
            # A profile may be reached through a link of the user's; our own folder never is.
            others = (Path(os.path.realpath(each)) for each in writable)
            command = Command(words, folder, method=self._confinement(), writable=(folder, *others))
            # Its memory is the business of the child's own limit, which tells a bomb from a slow file.
            may = Limits(time_s=limits.time_s, output_bytes=10_000, file_bytes=limits.file_bytes)
            child = Child(command, may)
            on_start(child)
            outcome = child.run()
            if outcome.ending is ChildEnding.EXITED and outcome.exit_code == 0:
                return _result(folder / RESULT, limits.result_bytes)
            complaint = outcome.output.text()[-COMPLAINT_CHARACTERS:]
            log.info("a parser gave up", function=function, ending=outcome.ending, complaint=complaint)
            raise ParseFailed(_failure(outcome.ending, outcome.exit_code))


def _start() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable, VERB)
    # Isolated: no variable and no folder of the user's decides what it imports.
    return (sys.executable, "-I", "-c", START, str(Path(__file__).resolve().parents[2]))


def _failure(ending: ChildEnding, code: int | None) -> ParseFailure:
    """A child that the kernel ended otherwise than for its processor time crashed, or has no memory left."""
    if ending is ChildEnding.CANCELLED:
        return ParseFailure.CANCELLED
    if ending in (ChildEnding.TOO_MUCH_MEMORY, ChildEnding.FILE_TOO_LARGE):
        return ParseFailure.TOO_LARGE
    if ending not in (ChildEnding.EXITED, ChildEnding.UNWATCHED) or code in _PROCESSOR_CODES:
        return ParseFailure.TOO_SLOW
    if code == DIED_OF_MEMORY or (code is not None and code < 0):
        return ParseFailure.TOO_LARGE
    return ParseFailure.BROKEN


def _result(file: Path, most_bytes: int) -> Any:
    try:
        # Before it is read: it is written by the child, which may be anybody's by now.
        if file.stat().st_size > most_bytes:
            raise ParseFailed(ParseFailure.TOO_LARGE)
        said = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ParseFailed(ParseFailure.BROKEN) from error
    # Whoever took over the parser wrote this file: nothing in it is believed but its form.
    if not isinstance(said, dict):
        raise ParseFailed(ParseFailure.BROKEN)
    if "refused" in said:
        raise ParseFailed(ParseFailure.REFUSED, str(said["refused"]))
    if "value" not in said:
        raise ParseFailed(ParseFailure.BROKEN)
    return said["value"]
