"""What the disk adds to a verdict: files that are there already, links that lead elsewhere, our own folders.

Only ever more severe than before. A path that cannot be looked at adds nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.gate.rules import takes_away
from desktop.gate.shell.places import GATE, HOME
from desktop.gate.shell.ruin import HOOK_FILES, OWN_FILES, extent, reason
from desktop.gate.shell.secret_places import holds_secrets
from desktop.gate.verdict import Effect, Flag, Gate, Verdict, gate_for

MAX_LOOKED_AT = 32  # paths; each costs some 10 µs


@dataclass(frozen=True)
class Surroundings:
    """Where commands run. `own` are the folders of this profile, resolved; `home` stands for `~`."""

    own: tuple[str, ...] = ()
    home: str = ""
    hooks: tuple[str, ...] = ()  # files that hold Steward's entries, or may

    @classmethod
    def of(cls, *own: Path, hooks: Iterable[Path] = ()) -> Surroundings:
        real = os.path.realpath
        return cls(
            tuple(real(each) for each in own), os.path.expanduser("~"), tuple(real(each) for each in hooks)
        )

    def is_own(self, path: str) -> bool:
        return any(path == each or path.startswith(each + os.sep) for each in self.own)

    def ruin_of(self, path: str) -> str:
        """Why `path`, which may hold patterns, is never taken away; "" where nothing speaks against it."""
        reached = extent(path)
        if reached is not None:
            return reason("it", reached)
        if self.is_own(path) or any(takes_away(path, each) for each in self.own):
            return OWN_FILES
        if any(takes_away(path, each) for each in self.hooks):
            return HOOK_FILES
        return ""


@dataclass(frozen=True)
class _Seen:
    """A path of the line and what it comes to."""

    written: str
    real: str
    is_link: bool  # one of its folders, or itself
    is_file: bool
    has_other_names: bool = False


def in_context(
    verdict: Verdict, folder: str | None, around: Surroundings, project: str | None = None
) -> Verdict:
    """The verdict of a command that runs in `folder`, which is absolute, a part of `project`.

    None as the folder: it is not known, and only what is named from the root or from home is looked at.
    """
    verdict = _never(verdict, around)
    if folder is None or not (verdict.touched or verdict.looked_at):
        return verdict
    root = os.path.realpath(folder)
    changed = _changes(verdict, root, around, os.path.realpath(project or folder))
    return _reads(changed, root, around)


def _never(verdict: Verdict, around: Surroundings) -> Verdict:
    """Links followed, and with the folders of this profile: is something removed that never is?"""
    if verdict.never:
        return verdict
    for path in verdict.removed[:MAX_LOOKED_AT]:
        if "\0" in path or not path.startswith(os.sep):
            continue
        whole = around.home + path[len(HOME) :] if path == HOME or path.startswith(f"{HOME}/") else path
        folder, name = os.path.split(whole)
        why = around.ruin_of(os.path.join(os.path.realpath(folder), name))
        if why:
            return denied(verdict, why)
    return verdict


def denied(verdict: Verdict, reason: str) -> Verdict:
    """The verdict of what is never done."""
    return replace(verdict, never=reason, reason=reason, gate=Gate.DENY, tier=3)


def _changes(verdict: Verdict, root: str, around: Surroundings, project: str) -> Verdict:
    for seen in _looked_up(verdict.touched, root, around):
        if around.is_own(seen.real) or (seen.is_link and GATE.search(seen.real)):
            verdict = _with_flag(verdict, Flag.GATE, f"{seen.written} belongs to what guards this computer")
        if seen.is_link and not _is_below(seen.real, project):
            verdict = _with_flag(verdict, Flag.OUTSIDE, f"{seen.written} leads out of the working folder")
        if seen.has_other_names:
            reason = f"{seen.written} has another name elsewhere (a hard link), where it changes too"
            verdict = _with_flag(verdict, Flag.OUTSIDE, reason)
        if seen.is_file and verdict.effect is Effect.CREATE:
            reason = f"{seen.written} is there already and gets new content"
            verdict = replace(verdict, effect=Effect.UPDATE, reason=reason, tier=3)
    return verdict


def _reads(verdict: Verdict, root: str, around: Surroundings) -> Verdict:
    if Flag.SECRET in verdict.flags:
        return verdict
    for seen in _looked_up(verdict.looked_at, root, around):
        if around.is_own(seen.real) or (seen.is_link and holds_secrets(seen.real)):
            return _with_flag(verdict, Flag.SECRET, f"{seen.written} may hold secrets")
    return verdict


def _with_flag(verdict: Verdict, flag: Flag, reason: str) -> Verdict:
    """The reason changes only where the flag is why it asks."""
    flags = verdict.flags | {flag}
    gate = Gate.DENY if verdict.never else gate_for(verdict.effect, flags)
    said = reason if gate is not verdict.gate else verdict.reason
    return replace(verdict, flags=flags, gate=gate, reason=said, tier=3)


def _looked_up(paths: tuple[str, ...], root: str, around: Surroundings) -> Iterator[_Seen]:
    for path in paths[:MAX_LOOKED_AT]:
        if "\0" in path:
            continue
        whole = os.path.normpath(os.path.join(root, _at_home(path, around.home)))
        seen = _look(path, whole)
        if seen is not None:
            yield seen


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _look(written: str, whole: str) -> _Seen | None:
    """None where neither it nor its folder is there."""
    try:
        status = os.lstat(whole)
    except (OSError, ValueError):
        folder = os.path.dirname(whole)
        if not os.path.isdir(folder):
            return None
        real = os.path.join(os.path.realpath(folder), os.path.basename(whole))
        return _Seen(written, real, real != whole, is_file=False)
    real = os.path.realpath(whole)
    is_file = not stat.S_ISDIR(status.st_mode)
    return _Seen(written, real, real != whole, is_file, stat.S_ISREG(status.st_mode) and status.st_nlink > 1)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
