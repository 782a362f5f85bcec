"""`steward selftest`: whether this copy of Steward is whole, found out by using its parts.

Everything happens in a profile of its own that is gone afterwards; the user's things are neither read nor
written, and nothing leaves the computer. The installers' tests and people whose bundle misbehaves run it.

Exit codes: 0 everything works, 1 something does not, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from time import perf_counter


class Result(StrEnum):
    WORKS = "works"
    LEFT_OUT = "left out"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    name: str
    result: Result
    says: str
    ms: float


class LeftOut(Exception):
    """This computer or this call lacks what the check needs; the text says what."""


@dataclass(frozen=True)
class Check:
    """A part of the program, and what tries it: returns what it found, raises where it does not work."""

    name: str
    tried: Callable[[], str]


def main(words: list[str]) -> int:
    """Run every check, also after one has failed, and print what each found."""
    parser = argparse.ArgumentParser(
        prog="steward selftest", description="Try every part of this copy of Steward."
    )
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file to load and ask")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print as JSON")
    try:
        asked = parser.parse_args(words)
    except SystemExit as ended:
        return 0 if ended.code in (0, None) else 2
    findings = []
    with tempfile.TemporaryDirectory(prefix="steward-selftest-") as folder:
        _log_to(Path(folder))
        for check in _checks(Path(folder), asked.model):
            findings.append(run(check))
            if not asked.as_json:
                _print(findings[-1])
        _end_log()
    if asked.as_json:
        sys.stdout.write(json.dumps([asdict(one) for one in findings], indent=2) + "\n")
    return 1 if any(one.result is Result.BROKEN for one in findings) else 0


def _log_to(folder: Path) -> None:
    """What the parts say about themselves goes where the rest goes."""
    from desktop.app import start_logging
    from desktop.paths import Paths

    start_logging(Paths.under(folder / "log"), None)


def _end_log() -> None:
    from desktop.app import end_logging

    end_logging()


def run(check: Check) -> Finding:
    """What came of one check. Whatever it raises is a finding: this is the edge of the command."""
    began = perf_counter()
    try:
        result, says = Result.WORKS, check.tried()
    except LeftOut as reason:
        result, says = Result.LEFT_OUT, str(reason)
    except Exception as error:  # a broken copy may fail in any way
        result, says = Result.BROKEN, f"{type(error).__name__}: {error}"
    return Finding(check.name, result, says, round(1000 * (perf_counter() - began), 1))


def _print(finding: Finding) -> None:
    sys.stdout.write(f"{finding.result.value:<9} {finding.name:<18} {finding.says}\n")
    sys.stdout.flush()


def _checks(folder: Path, model: Path | None) -> Iterator[Check]:
    from desktop.cli import selftest_parts as parts

    yield Check("Files", parts.files)
    yield Check("Command", parts.command)
    yield Check("Data", parts.data)
    yield Check("Command lines", parts.command_lines)
    yield Check("Libraries", parts.libraries)
    yield Check("Database", lambda: parts.database(folder))
    yield Check("Child processes", lambda: parts.child_process(folder))
    yield Check("Documents", parts.documents)
    yield Check("llama.cpp", parts.llama)
    yield Check("Model", lambda: parts.model(folder, model))
    yield Check("Hook client", lambda: parts.hook_client(folder))
    yield Check("Keyring", lambda: parts.keyring(folder))
    yield Check("Window", lambda: parts.on_screen("window"))
    yield Check("Tray", lambda: parts.on_screen("tray"))
    yield Check("Portal", lambda: parts.on_screen("portal"))
