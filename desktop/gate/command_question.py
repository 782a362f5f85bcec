"""What a question about a command line says, whoever asks: a chat of ours or a coding agent.

The reading of the line and a look at the disk decide it; the words are rules, never a model's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from desktop.asking import AskingReason, CommandView, FileMatch, Risk
from desktop.gate.named_files import files_of
from desktop.gate.verdict import Effect, Flag, Verdict
from desktop.reasons import Reason
from desktop.settings import Snapshots

_TITLES = {
    Effect.READ: AskingReason.ASK_COMMAND,
    Effect.CREATE: AskingReason.ASK_COMMAND_CREATES,
    Effect.UPDATE: AskingReason.ASK_COMMAND_CHANGES,
    Effect.UNKNOWN: AskingReason.ASK_COMMAND_UNKNOWN,
    Effect.DELETE: AskingReason.ASK_COMMAND_DELETES,
}

# Programs that move to the trash of the desktop and do nothing else with their operands.
_TRASHERS = (("trash",), ("trash-put",), ("gio-trash",), ("gio", "trash"))


class CopyOffer(Enum):
    """What becomes of the files that a line changes, before it runs."""

    NONE = "none"  # they cannot be kept, or the user wants no copies
    OFFERED = "offered"  # with the tick of the question, which is set
    KEPT = "kept"  # always, as a setting says


class CopyKeeper(Protocol):
    """Keeps files; `settle` is told when the command has ended."""

    def worth(self, verdict: Verdict, folder: Path) -> bool: ...

    def take(self, verdict: Verdict, folder: Path, call: str) -> tuple[int, ...]: ...

    def settle(self, call: str) -> tuple[int, ...]: ...


def copy_offer(keeper: CopyKeeper | None, wanted: Snapshots, verdict: Verdict, folder: Path) -> CopyOffer:
    """Whether copies are kept, as the setting says and where there is something to keep. Uses the disk."""
    # Looked at last: it costs a walk through what is named.
    if keeper is None or wanted is Snapshots.NEVER or not keeper.worth(verdict, folder):
        return CopyOffer.NONE
    return CopyOffer.KEPT if wanted is Snapshots.ALWAYS else CopyOffer.OFFERED


@dataclass(frozen=True)
class CommandQuestion:
    """The parts of a question that follow from the line itself."""

    title: Reason
    risk: Risk
    files: tuple[FileMatch, ...]
    reversible: bool | None
    to_trash: bool
    view: CommandView


def command_question(
    verdict: Verdict,
    folder: Path,
    shell: str = "bash",
    copies: CopyOffer = CopyOffer.NONE,
    opinion: Reason | None = None,
) -> CommandQuestion:
    """All of it. Looks at the disk; may take half a second. `opinion` is what the model thinks."""
    return CommandQuestion(
        _title(verdict),
        Risk.DELETES if verdict.effect is Effect.DELETE else Risk.RUNS,
        files_of(verdict, folder),
        _reversible(verdict, copies),
        moves_to_trash(verdict),
        CommandView(
            classed=verdict.effect.name,
            flags=tuple(sorted(flag.value for flag in verdict.flags)),
            reason=verdict.reason,
            span=verdict.span,
            shell=shell,
            opinion=opinion,
            can_snapshot=copies is CopyOffer.OFFERED,
        ),
    )


def moves_to_trash(verdict: Verdict) -> bool:
    """Whether all that the line removes goes to the trash, by the names of its programs."""
    # An administrator's trash is not where the user would look.
    if Flag.PRIVILEGED in verdict.flags:
        return False
    removing = [step.words for step in verdict.steps if step.effect is Effect.DELETE]
    return bool(removing) and all(any(words[: len(each)] == each for each in _TRASHERS) for words in removing)


def _title(verdict: Verdict) -> Reason:
    """The graver reason first: a command that reads a secret and sends it somewhere is asked about for the
    secret, and what it adds at the other end is the least of it."""
    if Flag.SECRET in verdict.flags and verdict.effect is not Effect.DELETE:
        return AskingReason.ASK_COMMAND_SECRETS.of()
    if Flag.SENDS in verdict.flags and verdict.effect in (Effect.READ, Effect.CREATE):
        return AskingReason.ASK_COMMAND_SENDS.of()
    return _TITLES[verdict.effect].of()


def _reversible(verdict: Verdict, copies: CopyOffer) -> bool | None:
    """None also where it depends on the choice to keep copies."""
    if copies is CopyOffer.KEPT:
        return True
    return None if verdict.effect is Effect.READ or copies is CopyOffer.OFFERED else False
