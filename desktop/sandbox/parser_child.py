"""What runs in the child of `desktop.sandbox.parser`: one file in, JSON out.

Limits itself before it imports the parsing function, for systems without a supervisor that could. Imports
nothing else of Steward.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

SOURCE, RESULT = "source", "result.json"
DIED_OF_MEMORY = 71
BROKEN = 70
RECURSION = 3_000  # parsers of nested formats need some; the C stack ends at about three times as much


class ParseRefused(Exception):
    """A parsing function cannot read the file, and this word says why."""


def main(words: list[str]) -> int:
    """`words` is the task as JSON. Never returns normally: parsers leave threads and handlers behind."""
    task = json.loads(words[0])
    _limit(int(task["memory_bytes"]), int(task["processor_s"]))
    logging.disable(logging.CRITICAL)  # parsers speak of every small fault of a file
    sys.setrecursionlimit(RECURSION)
    sys.stderr.flush()
    os._exit(_run(task))


def _run(task: dict[str, Any]) -> int:
    try:
        module, _, name = str(task["function"]).partition(":")
        function = getattr(importlib.import_module(module), name)
        said = {"value": function(Path(task["source"]), **task["options"])}
    except ParseRefused as refusal:
        said = {"refused": str(refusal)}
    except MemoryError:
        return DIED_OF_MEMORY
    except Exception as error:  # the edge of this process: whatever a parser stumbles over
        os.write(2, f"{type(error).__name__}: {error}"[:2_000].encode("utf-8", "replace"))
        return BROKEN
    text = json.dumps(said, ensure_ascii=True)
    (Path(task["folder"]) / RESULT).write_text(text, encoding="ascii")
    return 0


def _limit(memory_bytes: int, processor_s: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit and the job object are all there is
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    # The first ends it with a signal of its own, which tells it from a crash; the second whatever it does.
    resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
