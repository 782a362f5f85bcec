"""Small files that a room keeps for itself: one JSON object each, read so that damage never ends anything.

A file can be damaged by a power cut, a full disk or another program. It is then put aside under another name,
one sentence says so in the log and in `steward doctor`, and the program goes on as if it had not been there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from desktop.paths import is_other, read_own

ASIDE = ".damaged"


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
