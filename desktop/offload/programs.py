"""The table of programs whose builds and tests a worker may run: resources/offload.toml, and the user's own.

Pure but for reading the two files. Any thread; nothing here is imported before somebody has a worker.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from desktop.offload.reasons import OffloadReason
from desktop.paths import read_own, resources

ALL = "all"
BARE = "''"  # how the table writes a command without subcommand


class CommandKind(StrEnum):
    """A build may be run again without anybody noticing; of a test nobody knows what it did."""

    BUILD = "build"
    TEST = "test"


@dataclass(frozen=True)
class Program:
    """One row of the table; its keys are explained there. `ignored` is ("all",) or names of folders."""

    name: str
    build: frozenset[str]
    test: frozenset[str]
    operands_are_verbs: bool = False
    first: str = ""  # the word that the command has to begin with
    valued: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    identity: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    fetch: str = ""
    locks: tuple[str, ...] = ()
    has_network: bool = False
    settings: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()

    def kind(self, verb: str) -> CommandKind | None:
        """What `verb` ("" for the bare command) does; None where the table does not say."""
        word = verb or BARE
        if _meets(word, self.test):
            return CommandKind.TEST
        return CommandKind.BUILD if _meets(word, self.build) else None


@dataclass(frozen=True)
class Programs:
    """The whole table. `heavy` folders are never sent unasked; `shared` lie alike on both computers."""

    by_name: Mapping[str, Program]
    variables: tuple[str, ...]
    heavy: frozenset[str]
    shared: tuple[str, ...]

    @property
    def identities(self) -> tuple[str, ...]:
        """All that a worker can be asked about its toolchains, each once."""
        return tuple(dict.fromkeys(each for one in self.by_name.values() for each in one.identity))


def read_programs(own: Path | None = None) -> Programs:
    """The table with the user's `own` file over it. Raises UserFacing for a file that can't be used."""
    table = tomllib.loads((resources() / "offload.toml").read_text(encoding="utf-8"))
    rows: dict[str, Any] = dict(table["programs"])
    if own is not None and own.is_file():
        try:
            rows |= tomllib.loads(read_own(own).decode("utf-8")).get("programs", {})
            return _programs(rows, table["common"])
        # A key of another kind shows itself only where it is used; the sentence names the file.
        except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
            raise UserFacing(OffloadReason.TABLE_UNREADABLE.of(file=own, why=str(error))) from error
    return _programs(rows, table["common"])


def _programs(rows: Mapping[str, Any], common: Mapping[str, str]) -> Programs:
    return Programs(
        {name: _program(name, row, rows) for name, row in rows.items()},
        tuple(common["variables"].split()),
        frozenset(common["heavy"].split()),
        tuple(common["shared"].split()),
    )


def _program(name: str, row: Mapping[str, Any], rows: Mapping[str, Any]) -> Program:
    whole = {**rows[row["same"]], **row} if "same" in row else row
    ignored = whole.get("ignored", [])
    return Program(
        name,
        frozenset(str(whole.get("build", "")).split()),
        frozenset(str(whole.get("test", "")).split()),
        whole.get("targets") == "operands",
        str(whole.get("first", "")),
        frozenset(str(whole.get("valued", "")).split()),
        frozenset(str(whole.get("refuses", "")).split()),
        tuple(map(str, whole.get("identity", []))),
        (ALL,) if ignored == ALL else tuple(map(str, ignored)),
        tuple(map(str, whole.get("stays", []))),
        tuple(map(str, whole.get("caches", []))),
        str(whole.get("fetch", "")),
        tuple(map(str, whole.get("locks", []))),
        bool(whole.get("network", False)),
        tuple(map(str, whole.get("settings", []))),
        tuple(str(whole.get("variables", "")).split()),
    )


def _meets(word: str, patterns: frozenset[str]) -> bool:
    if word in patterns:
        return True
    # A lone star stands for any operand, but not for the bare command, which has its own sign.
    return word != BARE and any("*" in each and fnmatchcase(word, each) for each in patterns)
