"""What an object keeps alive, for tests that say that something is forgotten.

Counting the whole process's objects would also count those of other tests, of which some are never let go.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TypeVar

Held = TypeVar("Held")


def held(root: object, kind: type[Held]) -> list[Held]:
    """Every `kind` that stays in memory as long as `root` does: what it refers to, and so on.

    Modules and classes end the search, and of functions only closures and defaults count: what else is there
    is everybody's.
    """
    found, seen, waiting = list[Held](), {id(root)}, [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, kind):
            found.append(each)
        for referent in _referents(each):
            # What is waiting or found stays alive, so that no id is given a second time.
            if id(referent) not in seen:
                seen.add(id(referent))
                waiting.append(referent)
    return found


def _referents(of: object) -> Iterator[object]:
    if isinstance(of, FunctionType):
        yield from (of.__closure__, of.__defaults__, of.__kwdefaults__)
    elif not isinstance(of, (ModuleType, type, CodeType, BuiltinFunctionType)) and not _is_globals(of):
        yield from gc.get_referents(of)


def _is_globals(each: object) -> bool:
    """Frames, which a traceback holds, refer to the module's names as a plain dictionary."""
    return isinstance(each, dict) and "__builtins__" in each
