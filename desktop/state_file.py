"""Small files that a room keeps for itself: one JSON object each, read so that damage never ends anything.

A file can be damaged by a power cut, a full disk or another program. It is then put aside under another name,
one sentence says so in the log and in `steward doctor`, and the program goes on as if it had not been there.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from desktop.paths import is_other, read_own

ASIDE = ".damaged"

Record = TypeVar("Record")

_LARGEST = 2**63  # what SQLite, and most of what numbers are handed to, still takes
_HALF = re.compile("[\0\ud800-\udfff]")


def read_object(path: Path, what: str) -> dict[str, Any]:
    """The object in `path`; empty where there is none. Whatever else stands there is put aside.

    `what` names the contents at the beginning of a sentence: "The speed of the models".
    """
    try:
        content = json.loads(read_own(path))
    except FileNotFoundError:
        return {}
    except OSError as error:
        if is_other(error):
            put_aside(path, what, "it is no file of ours")
            return {}
        # Not to be read now, but perhaps whole.
        _warn("a file cannot be read", path=str(path), reason=str(error))
        return {}
    except (ValueError, RecursionError) as error:
        put_aside(path, what, _in_words(error))
        return {}
    if not isinstance(content, dict):
        put_aside(path, what, "it holds something else")
        return {}
    return content


def record(kind: type[Record], row: object) -> Record:
    """`row` as a dataclass of plain values.

    Raises ValueError where a value is of another kind than its field, or one that nothing can be done with:
    half a character, a zero byte, a number without end.
    """
    if not isinstance(row, dict):
        raise ValueError("it is no object")
    values = dict(row)
    for name, wanted in get_type_hints(kind).items():
        if name in row and not fits(row[name], wanted):
            raise ValueError(f"{name} is of another kind")
        if name in row and get_origin(wanted) is tuple:
            values[name] = tuple(row[name])
    try:
        return kind(**values)
    except TypeError as error:  # a field that is missing, or one that there is not
        raise ValueError(str(error)) from error


def fits(value: object, wanted: Any) -> bool:
    """Whether a value of JSON is one of a field with this annotation, and of a size that can be used."""
    inside = get_args(wanted)
    if wanted is Any:
        return True
    if isinstance(wanted, type) and not inside:
        return _fits_plainly(value, wanted)
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and all(fits(each, inside[0]) for each in value)
    if isinstance(get_origin(wanted), type) and issubclass(get_origin(wanted), Mapping):
        parts = value.items() if isinstance(value, dict) else [(None, None)]
        return all(fits(name, inside[0]) and fits(part, inside[1]) for name, part in parts)
    return any(fits(value, each) for each in inside)  # one of several


def _fits_plainly(value: object, wanted: type) -> bool:
    if isinstance(value, str):
        return wanted is str and _HALF.search(value) is None
    # True is an int in Python, and a whole number is written without a point.
    if isinstance(value, bool):
        return wanted is bool
    if wanted is float:
        return isinstance(value, int | float) and abs(value) < _LARGEST and math.isfinite(value)
    return isinstance(value, wanted) and not (isinstance(value, int) and abs(value) >= _LARGEST)


def put_aside(path: Path, what: str, reason: str) -> Path | None:
    """Keep a damaged file under another name, in place of an older one; where it is now."""
    aside = path.with_name(f"{path.name}{ASIDE}")
    _warn(f"{what} can't be read and begins anew; the damaged file is kept", file=str(aside), reason=reason)
    try:
        os.replace(path, aside)
    except OSError as error:  # gone meanwhile, or the disk refuses: then it is written over later
        _warn("a damaged file is not put aside", path=str(path), reason=str(error))
        return None
    return aside


def kept_aside(*folders: Path) -> Iterator[Path]:
    """The damaged files in these folders."""
    for folder in folders:
        yield from sorted(folder.glob(f"*{ASIDE}"))


def _in_words(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else f"it is no JSON ({error})"


def _warn(event: str, **values: str) -> None:
    # Loaded with the first damage: programs that start for every command of an agent read such files, too.
    import structlog

    structlog.get_logger(__name__).warning(event, **values)
