"""What an agent's own tools do to files, to the web and through MCP, as a verdict like that on a command.

Looks at the disk only to see whether a file is there and where links lead; opens nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from desktop.agents.action import Action, ActionKind, patched
from desktop.gate.commands import denied
from desktop.gate.projects import rules_programs
from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import GATE, holds_all, holds_secrets, is_disk, past_processes
from desktop.gate.shell.words import ANY_MARK, expand_braces
from desktop.gate.verdict import Effect, Flag, Verdict, gate_for
from desktop.network.addresses import shown_host
from desktop.reasons import Reason

MOST_CHOSEN = 200  # files and patterns of one call
TIER = 3  # the place decides, no command line is read
_EFFECTS = {
    ActionKind.READ: Effect.READ,
    ActionKind.WRITE: Effect.CREATE,
    ActionKind.EDIT: Effect.UPDATE,
    ActionKind.DELETE: Effect.DELETE,
}
_VERBS = {
    Effect.READ: GateReason.READS_A_FILE,
    Effect.CREATE: GateReason.MAKES_A_NEW_FILE,
    Effect.UPDATE: GateReason.CHANGES_A_FILE,
    Effect.DELETE: GateReason.DELETES_A_FILE,
}


@dataclass(frozen=True)
class FilePlace:
    """One file: where it really is, and what would happen to it."""

    path: Path  # absolute; links followed
    effect: Effect
    flags: frozenset[Flag]

    @property
    def rules_programs(self) -> bool:
        """Whether others run or obey by themselves what stands there."""
        return rules_programs(str(self.path))


def places(action: Action, own: Iterable[Path], hooks: Collection[Path] = ()) -> tuple[FilePlace, ...] | None:
    """The files of an action; None where they cannot be read off.

    `own` are folders of Steward, `hooks` the settings in which agents keep its entries, all resolved.
    """
    if action.kind not in _EFFECTS:
        return ()
    if action.diff:
        # Half understood is not understood: a file that is missed would be changed unasked.
        files = patched(action.diff)
        if files is None:
            return None
        return tuple(_place(action, each.path, each.effect, own, hooks) for each in files)
    if not action.path or "\0" in action.path:
        return None
    effect = _EFFECTS[action.kind]
    first = _place(action, action.path, effect, own, hooks)
    # What is chosen below a folder by a tool that shows it: `.env` out of a project.
    chosen = () if action.only_names else _chosen(action)
    if chosen is None:
        return None
    return (first, *(_place(action, each, effect, own, hooks) for each in chosen))


def verdict_on(action: Action, found: tuple[FilePlace, ...] | None) -> Verdict:
    """The verdict on anything that is not a command. Pure."""
    started = time.perf_counter()
    if action.kind is ActionKind.FETCH:
        return _verdict(
            Effect.READ,
            frozenset({Flag.SENDS}),
            GateReason.SENDS_A_REQUEST_TO.of(text=target(action)),
            started,
        )
    if not found:
        reason = GateReason.TOOL_NOT_KNOWN.of(name=action.tool or GateReason.IT.of())
        return _verdict(Effect.UNKNOWN, frozenset(), reason, started)
    # One verdict for all files of a patch: the agent applies it whole or not at all.
    worst = max(found, key=lambda place: (place.effect, len(place.flags)))
    flags = frozenset(flag for place in found for flag in place.flags)
    touched = tuple(str(place.path) for place in found if place.effect is not Effect.READ)
    verdict = _verdict(worst.effect, flags, _reason(worst, flags, found), started, touched)
    disk = next((path for path in touched if is_disk(path)), "")
    if disk:
        return denied(verdict, GateReason.OVERWRITES_WHAT_IS_ON.of(name=GateReason.IT.of(), text=disk))
    return replace(verdict, removed=tuple(str(each.path) for each in found if each.effect is Effect.DELETE))


def target(action: Action) -> str:
    """The computer that a request goes to, or "the web" for a search."""
    try:
        return shown_host(urlsplit(action.url).hostname or "the web")
    except ValueError:
        return "the web"


def _place(
    action: Action, text: str, effect: Effect, own: Iterable[Path], hooks: Collection[Path]
) -> FilePlace:
    folder = _resolved(action.folder)
    # The links of a process lead elsewhere in Steward's own; those of another one it follows itself.
    written_to = past_processes(os.path.expanduser(text), str(folder))
    written = folder / (os.path.expanduser(text) if ANY_MARK.search(written_to) else written_to)
    path = _resolved(written)
    # Agents write new files and old ones with the same tool.
    if effect is Effect.CREATE and os.path.exists(path):  # False also where it cannot be looked at
        effect = Effect.UPDATE
    flags = _flags(written, path, effect, folder, own)
    # A search that begins at a home folder goes through the secrets in it.
    if effect is Effect.READ and not action.only_names and _is_above_secrets(path):
        flags |= {Flag.SECRET}
    if path in hooks and effect is not Effect.READ:
        flags |= {Flag.GATE}
    return FilePlace(path, effect, flags)


def _chosen(action: Action) -> list[str] | None:
    """The files or patterns that a call names beside its folder; None where they are too many to be read."""
    found: list[str] = []
    for text in action.also:
        # What is left out is not read.
        wanted = [each.strip() for each in text.split(",") if each.strip()[:1] != "!"]
        spelled = expand_braces(text) if "{" in text else wanted
        if spelled is None or len(found) + len(spelled) > MOST_CHOSEN or "\0" in text:
            return None
        found += [os.path.join(action.path, os.path.expanduser(each)) for each in spelled if each[:1] != "!"]
    return found


def _is_above_secrets(path: Path) -> bool:
    return path == _resolved(Path.home()) or holds_all(str(path))


def _flags(written: Path, path: Path, effect: Effect, folder: Path, own: Iterable[Path]) -> frozenset[Flag]:
    """By the name as written and by the place it leads to: a link hides neither."""
    names = (str(written), str(path))
    flags = set()
    is_own = any(path.is_relative_to(each) for each in own)
    if any(holds_secrets(name) for name in names) or (is_own and effect is Effect.READ):
        flags.add(Flag.SECRET)
    if effect is not Effect.READ and (is_own or any(GATE.search(name) for name in names)):
        flags.add(Flag.GATE)
    is_below = folder != Path("/") and path.is_relative_to(folder)  # the root: the agent named no folder
    # What is written through a second name changes a file elsewhere, too.
    if not is_below or (effect is Effect.UPDATE and _has_other_names(path)):
        flags.add(Flag.OUTSIDE)
    return frozenset(flags)


def _has_other_names(path: Path) -> bool:
    """A hard link: what is written here changes elsewhere too."""
    try:
        return os.path.isfile(path) and path.stat().st_nlink > 1
    except OSError:  # not there, or not to be looked at
        return False


def _resolved(path: Path) -> Path:
    """A loop of links resolves to nothing; the name as it stands is then outside, or not there."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path


def _reason(worst: FilePlace, flags: frozenset[Flag], found: Sequence[FilePlace]) -> Reason:
    if Flag.GATE in flags:
        # The gravest reason alone; the flags of the verdict still name all.
        return GateReason.HOLDS_THE_GATES_SETTINGS.of(name=worst.path.name)
    ruling = next((each for each in found if each.effect is not Effect.READ and each.rules_programs), None)
    if ruling is not None:
        return GateReason.RULES_WHAT_OTHERS_RUN.of(name=ruling.path.name)
    if Flag.SECRET in flags:
        return GateReason.MAY_HOLD_SECRETS.of(name=worst.path.name)
    does = _VERBS[worst.effect].of()
    if Flag.OUTSIDE in flags:
        does = GateReason.OUTSIDE_THE_FOLDER.of(what=does)
    if len(found) > 1 and worst.effect is not Effect.READ:
        return GateReason.PATCH.of(files=len(found), what=does)
    return does


def _verdict(
    effect: Effect, flags: frozenset[Flag], reason: Reason, started: float, touched: tuple[str, ...] = ()
) -> Verdict:
    return Verdict(
        effect=effect,
        flags=flags,
        gate=gate_for(effect, flags),
        reason=reason,
        span=(0, 0),
        tier=TIER,
        ms=(time.perf_counter() - started) * 1000,
        is_static=True,
        touched=touched,
    )
