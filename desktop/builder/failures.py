"""What a failed check said: how many tests passed, the first failure, and the places that it names.

Read from the words of common test programs and compilers; what is not understood is left out, never
guessed. Pure functions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LONGEST_FAILURE = 1_200  # characters: all that a small model is told of it
_ENDINGS = r"py|jsx?|mjs|cjs|tsx?|mts|go|rs|c|h"
_PLACE = re.compile(
    rf"""
    (?<![\w./\\@+-])  # begun anywhere in a word, a long one would be read once for each of its letters
    (?P<path> (?:[A-Za-z]:)? [\w./\\@+-]{{1,400}} \. (?:{_ENDINGS}) )
    (?: " , \s line \s (?P<quoted>\d+) | : (?P<colon>\d+) | \( (?P<round>\d+) , )
    """,
    re.VERBOSE,
)
_COUNTS = (  # passed, failed
    (re.compile(r"(?m)^test result: \w+\. (\d+) passed; (\d+) failed"), "both"),  # cargo, several times
    (re.compile(r"\b(\d+) (?:passed|passing)\b"), "passed"),  # pytest, jest, vitest, mocha
    (re.compile(r"\b(\d+) (?:failed|failing|errors?)\b(?! generated)"), "failed"),
    (re.compile(r"(?m)^(?:#|ℹ) pass (\d+)"), "passed"),  # node --test
    (re.compile(r"(?m)^(?:#|ℹ) fail (\d+)"), "failed"),
    (re.compile(r"(?m)^\s*--- PASS: "), "each passed"),  # go test -v
    (re.compile(r"(?m)^\s*--- FAIL: "), "each failed"),
)
_SAYS_ALL = re.compile(r"(?m)^(?:PASS|ok[ \t]+\S.*)$")
_UNITTEST = re.compile(r"(?m)^Ran (\d+) tests? in ")
_UNITTEST_BAD = re.compile(r"(?m)^FAILED \((.*)\)$")
_PYTEST_BLOCK = re.compile(r"(?m)^_{3,} (?P<name>.*?) _{3,}$")
_PYTEST_END = re.compile(r"(?m)^(?:_{3,} .* _{3,}|={3,} .* ={3,})$")
_UNITTEST_BLOCK = re.compile(r"(?ms)^={20,}\n(?P<block>(?:FAIL|ERROR): .*?)(?=^={20,}$|^-{20,}\nRan )")
_BEGINS = re.compile(
    r"(?im)^.*(?:\berror\b|\bpanic(?:ked)?\b|assert|--- FAIL|not ok|✖|✗|\bfail(?:ed|ure)?\b|expected"
    r"|exception|segmentation|Timeout \().*$"
)
_DIFFERS = (
    re.compile(r"0x[0-9a-f]+"),
    re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds)\b"),
    re.compile(r"/[^\s:'\"]*/"),
    re.compile(r"(?<=:)\d+\b|(?<=line )\d+"),
)


@dataclass(frozen=True)
class FailurePlace:
    """A line of a file that the output names; `file` is relative to the project, with slashes."""

    file: str
    line: int


@dataclass(frozen=True)
class Counts:
    """How many tests passed and failed; None where the output does not say."""

    passed: int | None = None
    failed: int | None = None


def counts(output: str) -> Counts:
    """How many tests passed and failed."""
    ran = _UNITTEST.search(output)
    if ran is not None:
        bad = _UNITTEST_BAD.search(output)
        numbers = re.findall(r"(?:failures|errors)=(\d+)", bad[1]) if bad else []
        failed = sum(map(int, numbers))
        return Counts(int(ran[1]) - failed, failed)
    found: dict[str, int] = {}
    for pattern, what in _COUNTS:
        for match in pattern.finditer(_summary(output) if what in ("passed", "failed") else output):
            _count(found, what, match)
        # Its last line is that of the examples in comments, of which a project seldom has any.
        if what == "both" and found:
            break
    if not found:
        return Counts()
    return Counts(found.get("passed", 0), found.get("failed", 0))


def is_complete(output: str, least: int) -> bool:
    """Whether at least so many tests were run. Go's program names tests only where one fails; that it came
    to its end it says all the same, which a program that was ended in the middle does not.
    """
    found = counts(output)
    if found.passed is None:
        return not least or _SAYS_ALL.search(output) is not None
    return found.passed + (found.failed or 0) >= least


def _count(found: dict[str, int], what: str, match: re.Match[str]) -> None:
    if what == "both":
        found["passed"] = found.get("passed", 0) + int(match[1])
        found["failed"] = found.get("failed", 0) + int(match[2])
    elif what.startswith("each"):
        name = what.removeprefix("each ")
        found[name] = found.get(name, 0) + 1
    elif match.groups():
        found[what] = int(match[1])  # of several lines the last one counts


def _summary(output: str) -> str:
    """The last lines: a test may print "3 passed" itself, before the program that runs it does."""
    lines = output.rstrip().splitlines()[-12:]
    # pytest's own last line says all of it; a line of a test above must not add to that.
    whole = [each for each in lines if re.search(r"\b\d+ (?:passed|failed|errors?)\b.* in [\d.:]+", each)]
    return whole[-1] if whole else "\n".join(lines)


def first_failure(output: str) -> str:
    """The first thing that went wrong, in the check's own words; at most `LONGEST_FAILURE` characters."""
    return _shortened(_first_block(output).strip("\n"))


def _first_block(output: str) -> str:
    # One failure and not all: a small model that is told of three mends none.
    block = _PYTEST_BLOCK.search(output)
    if block is not None:
        end = _PYTEST_END.search(output, block.end())
        return output[block.start() : end.start() if end else len(output)]
    unittest = _UNITTEST_BLOCK.search(output)
    if unittest is not None:
        return unittest["block"]
    begins = _BEGINS.search(output)
    return output[begins.start() :] if begins else output


def _shortened(text: str) -> str:
    """What was expected and what came stands at the end, where it began at the beginning."""
    if len(text) <= LONGEST_FAILURE:
        return text
    head, tail = LONGEST_FAILURE // 3, LONGEST_FAILURE * 2 // 3 - 5
    return f"{text[:head]}\n...\n{text[-tail:]}"


def places(output: str, folder: Path) -> tuple[FailurePlace, ...]:
    """The lines of files in `folder` that the first failure names, in its order; then those of the rest."""
    found = [*_places(_first_block(output), folder), *_places(output, folder)]
    return tuple(dict.fromkeys(found))


def _places(text: str, folder: Path) -> list[FailurePlace]:
    found = []
    for match in _PLACE.finditer(text):
        path = Path(match["path"].replace("\\", "/"))
        line = match["quoted"] or match["colon"] or match["round"]
        inside = _inside(path, folder)
        if inside:
            found.append(FailurePlace(inside, int(line)))
    return found


def _inside(path: Path, folder: Path) -> str:
    """Relative to the folder; "" for what is no file in it."""
    # A traceback also names the library, and a test's words may name anything.
    whole = path if path.is_absolute() else folder / path
    if not whole.is_relative_to(folder) or ".." in whole.parts or not whole.is_file():
        return ""
    return whole.relative_to(folder).as_posix()


def essence(failure: str) -> str:
    """A failure without what differs from run to run: two with the same essence are the same."""
    for pattern in _DIFFERS:
        failure = pattern.sub("", failure)
    return " ".join(failure.split())
