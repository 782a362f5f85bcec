"""Undo as windows and tray use it: on the pool; one place for what is asked and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.agents.events import HookDecided, HookRan
from desktop.errors import UserFacing
from desktop.gate.journal import ChangeKind, Journal, JournalEntry
from desktop.gate.past_changes import PastChange, past_changes
from desktop.gate.undo import (
    ChangedSince,
    OnChange,
    Undone,
    UndoStatus,
    in_words,
    latest,
    standing,
    undo_changes,
)
from desktop.qt.background import Background, only_logged
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolEnded
from desktop.tools.clipboard import ClipboardTools
from desktop.ui.language import error_parts, tr, tr_noop, words_of
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.widgets.error_card import Action as CardAction
from desktop.ui.widgets.error_card import ErrorCard

UNDO_TOOL = "undo_change"  # by which the chat takes something back
CHOICES = {
    OnChange.KEEP: tr_noop("Keep what is there"),
    OnChange.OVERWRITE: tr_noop("Put the old one back anyway"),
    OnChange.BESIDE: tr_noop("Save the old one beside it"),
}
_VERBS = {
    ChangeKind.WRITE: tr_noop("write {name}"),
    ChangeKind.MOVE: tr_noop("move {name}"),
    ChangeKind.DELETE: tr_noop("delete {name}"),
    ChangeKind.FOLDER: tr_noop("create folder {name}"),
}


@dataclass(frozen=True)
class UndoState:
    """How it stands with some changes. `problem` is a refusal, or the question what to do (ChangedSince)."""

    standing: UndoStatus = UndoStatus.NOTHING
    is_busy: bool = False
    problem: UserFacing | None = None

    @property
    def is_offered(self) -> bool:
        return self.standing is UndoStatus.UNDOABLE and not self.is_busy and self.problem is None


class UndoController(QObject):
    """Made once; the chat, the pages and the tray share it. Main thread only."""

    changed = Signal()  # what stands in the journal, or what is asked, is another
    latest_changed = Signal()
    undone = Signal(str)  # what was done, in words
    refused = Signal(object)  # UserFacing; ChangedSince where a choice must be made

    def __init__(
        self,
        journal: Callable[[], Journal],
        relay: Relay,
        background: Background,
        copied: Callable[[], ClipboardTools | None] = lambda: None,
    ) -> None:
        """`journal` is called when something is first asked of it, on the pool or here; `copied` gives who
        knows what was on the clipboard before a call, where there is a clipboard.
        """
        super().__init__()
        self._journal = journal
        self._background = background
        self._copied = copied
        # By the number of an entry or, of what was copied and stands in no journal, by the call.
        self._busy: set[int | str] = set()
        self._problems: dict[int | str, UserFacing] = {}
        self._put_back: set[str] = set()
        self._latest: tuple[JournalEntry, ...] = ()
        relay.listen(ToolEnded, self._on_tool_ended)
        # Agents call some hundred times a minute, and nearly none of it has changed anything.
        relay.listen(HookDecided, self._on_hook, when=lambda event: bool(event.changes))
        relay.listen(HookRan, self._on_hook, when=lambda event: bool(event.changes))

    # -- what is so -------------------------------------------------------------------------------

    def state(self, changes: Sequence[int]) -> UndoState:
        """How it stands with these entries; reads a few rows."""
        if not changes:
            return UndoState()
        problem = next((self._problems[number] for number in changes if number in self._problems), None)
        return UndoState(standing(self._journal(), changes), bool(self._busy & set(changes)), problem)

    def copy_state(self, call_id: str) -> UndoState:
        """How it stands with what the call `call_id` has copied to the clipboard, if it has."""
        copied = self._copied()
        if call_id in self._put_back:
            return UndoState(UndoStatus.UNDONE)
        if copied is None or not copied.can_undo(call_id):
            return UndoState()
        return UndoState(UndoStatus.UNDOABLE, call_id in self._busy, self._problems.get(call_id))

    def look_back(self, changes: Sequence[int], done: Callable[[tuple[PastChange, ...]], None]) -> None:
        """Read on the pool what these entries made of their files; `done` is called here."""
        numbers = tuple(changes)
        self._background.run(lambda: past_changes(self._journal(), numbers), done=done)

    @property
    def latest_words(self) -> str:
        """What the latest change was, "write notes.txt"; empty when there is none to undo."""
        return change_words(self._latest[0]) if self._latest else ""

    def refresh(self) -> None:
        """Look for the latest change, on the pool; `latest_changed` follows."""
        self._background.run(lambda: latest(self._journal()), done=self._on_latest, failed=only_logged)

    # -- doing ------------------------------------------------------------------------------------

    def undo(self, changes: Sequence[int], choices: dict[int, OnChange] | None = None) -> None:
        """Put back what these entries changed; `undone` or `refused` follows, and `changed` in any case."""
        numbers = tuple(changes)
        if self._busy & set(numbers):
            return
        self._forget(numbers)
        self._busy |= set(numbers)
        self.changed.emit()
        self._background.run(
            lambda: undo_changes(self._journal(), numbers, choices),
            done=partial(self._on_undone, numbers),
            failed=partial(self._on_failed, numbers),
        )

    def undo_copy(self, call_id: str) -> None:
        """Put back what was on the clipboard before that call; the same signals follow as for `undo`."""
        copied = self._copied()
        if copied is None or call_id in self._busy:
            return
        self._forget((call_id,))
        self._busy.add(call_id)
        self.changed.emit()
        self._background.run(
            lambda: copied.undo(call_id),
            done=lambda _nothing: self._on_put_back(call_id),
            failed=partial(self._on_failed, (call_id,)),
        )

    def undo_latest(self) -> None:
        """Take the latest change back; nothing happens when there is none."""
        if self._latest:
            self.undo([entry.id for entry in self._latest])

    def dismiss(self, changes: Sequence[int] | Sequence[str]) -> None:
        """The question, or the refusal, has been seen; nothing was chosen."""
        self._forget(changes)
        self.changed.emit()

    # -- inside -----------------------------------------------------------------------------------

    def _forget(self, changes: Sequence[int] | Sequence[str]) -> None:
        for number in changes:
            self._problems.pop(number, None)

    def _on_tool_ended(self, event: ToolEnded) -> None:
        if event.ended.call.name == UNDO_TOOL:
            self.changed.emit()
            self.refresh()
        self._on_acted(event.ended.changes)

    def _on_hook(self, event: HookDecided | HookRan) -> None:
        self._on_acted(event.changes)

    def _on_acted(self, changes: Sequence[int]) -> None:
        if changes:
            self.refresh()

    def _on_latest(self, found: tuple[JournalEntry, ...]) -> None:
        self._latest = found
        self.latest_changed.emit()

    def _on_undone(self, numbers: tuple[int, ...], done: tuple[Undone, ...]) -> None:
        self._busy -= set(numbers)
        self.changed.emit()
        self.undone.emit(words_of(in_words(done)))
        self.refresh()

    def _on_put_back(self, call_id: str) -> None:
        self._busy.discard(call_id)
        self._put_back.add(call_id)
        self.changed.emit()
        self.undone.emit(tr("What was on the clipboard before is there again."))

    def _on_failed(self, numbers: tuple[int, ...] | tuple[str, ...], error: Exception) -> None:
        self._busy -= set(numbers)
        if not isinstance(error, UserFacing):
            self.changed.emit()
            raise error
        self._problems[error.entry.id if isinstance(error, ChangedSince) else numbers[0]] = error
        self.changed.emit()
        self.refused.emit(error)
        self.refresh()


def change_words(entry: JournalEntry) -> str:
    """ "write notes.txt"."""
    return tr(_VERBS[entry.kind], name=entry.path.rsplit("/", 1)[-1])


def problem_card(
    undo_controller: UndoController, changes: Sequence[int] | Sequence[str], problem: UserFacing
) -> ErrorCard:
    """A refusal, or the question with its choices, for the place where Undo was pressed."""

    numbers = [each for each in changes if isinstance(each, int)]

    def chooser(entry_id: int, choice: OnChange) -> Callable[[], None]:
        return lambda: undo_controller.undo(numbers, {entry_id: choice})

    actions: list[CardAction] = []
    if isinstance(problem, ChangedSince):
        actions = [(tr(CHOICES[choice]), chooser(problem.entry.id, choice)) for choice in problem.choices]
    closing = tr("Decide later") if actions else tr("Close")
    card = ErrorCard(
        problem, [*actions, (closing, lambda: undo_controller.dismiss(changes))], write=breakable
    )
    card.setAccessibleName(visible(error_parts(problem)[0]))
    for button in card.buttons:
        button.setProperty("small", True)
    return card
