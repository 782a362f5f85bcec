"""The patch form of apply_patch: which files it makes, changes, moves and deletes.

    *** Begin Patch
    *** Add File: PATH            *** Update File: PATH        *** Delete File: PATH
    +lines                        *** Move to: PATH
                                  @@ and lines that begin with " ", "+" or "-"
    *** End Patch

A line of such a heading that is not understood makes the whole patch unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.gate.verdict import Effect

BEGIN = "*** Begin Patch"
_HEADS = {
    "*** Add File: ": Effect.CREATE,
    "*** Update File: ": Effect.UPDATE,
    "*** Move to: ": Effect.UPDATE,
    "*** Delete File: ": Effect.DELETE,
}
_PLAIN = (BEGIN, "*** End Patch", "*** End of File")


@dataclass(frozen=True)
class Patched:
    """One file that a patch touches; `path` as written."""

    path: str
    effect: Effect


def is_patch(text: str) -> bool:
    return text.lstrip().startswith(BEGIN)


def patched(text: str) -> tuple[Patched, ...] | None:
    """The files of a patch, in its order; None when it is not understood, or touches nothing."""
    if not is_patch(text):
        return None
    found: list[Patched] = []
    for line in text.splitlines():
        bare = line.strip()
        if not bare.startswith("***"):
            continue
        head = next((head for head in _HEADS if bare.startswith(head)), None)
        if head is not None:
            found.append(Patched(bare[len(head) :].strip(), _HEADS[head]))
        elif bare not in _PLAIN:
            return None
    return tuple(found) or None


def first_path(text: str) -> str:
    """The first file of a patch; "" where it is not understood."""
    files = patched(text)
    return files[0].path if files else ""
