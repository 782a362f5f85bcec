"""Going back on what was said: other versions of questions and answers, and deleting, with a way back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.chat.store import ChatStore, Deleted, Role
from desktop.chat.turn import Turns
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui.chat.transcript import Transcript
from desktop.ui.language import plural, told_error, tr
from desktop.ui.toast import Toast

Begin = Callable[..., bool]


class Revising(QObject):
    """Passes the wishes of the messages on to `Turns`. Main thread only."""

    def __init__(
        self,
        store: ChatStore,
        turns: Turns,
        background: Background,
        transcript: Transcript,
        toast: Toast,
        current: Callable[[], int],
        begin: Begin,
    ) -> None:
        """`current`: the open conversation; `begin(turn, *arguments, broke=...)` starts an
        answer in it, and says whether that was possible."""
        super().__init__()
        self._store = store
        self._turns = turns
        self._background = background
        self._toast = toast
        self._current = current
        self._begin = begin
        self._transcript = transcript
        maker = transcript.maker
        maker.edited.connect(self._on_edited)
        maker.version_wanted.connect(self._on_version_wanted)
        maker.delete_wanted.connect(self._on_delete_wanted)

    def _on_edited(self, message_id: int, text: str) -> None:
        def again() -> None:
            self._transcript.edit_question(message_id, text)  # what was written is not lost

        if not self._begin(self._turns.edit, message_id, text, broke=again):
            again()

    def _on_version_wanted(self, message_id: int, step: int) -> None:
        conversation_id = self._current()

        def show() -> None:
            head = self._store.head(message_id)
            versions = self._store.versions(head)
            number = versions.index(head) + step
            if 0 <= number < len(versions):
                self._turns.open_branch(conversation_id, versions[number])

        self._background.run(show, failed=self._on_refused)

    def _on_delete_wanted(self, message_id: int) -> None:
        conversation_id = self._current()
        self._background.run(
            self._turns.delete,
            conversation_id,
            message_id,
            done=lambda deleted: self._on_deleted(conversation_id, deleted),
            failed=self._on_refused,
        )

    def _on_deleted(self, conversation_id: int, deleted: Deleted) -> None:
        def undo() -> None:
            message_id = deleted.message.id
            self._background.run(self._turns.restore, conversation_id, message_id, failed=self._on_refused)

        self._toast.offer(deleted_words(deleted), tr("Undo"), undo)

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        self._toast.offer(str(told_error(error)))


def deleted_words(deleted: Deleted) -> str:
    """What went: "Deleted your message and the 3 messages that followed"."""
    if deleted.message.role is Role.USER:
        if not deleted.after:
            return tr("Deleted your message")
        return plural(
            "Deleted your message and the message that followed",
            "Deleted your message and the {count} messages that followed",
            deleted.after,
        )
    if not deleted.after:
        return tr("Deleted the answer")
    return plural(
        "Deleted the answer and the message that followed",
        "Deleted the answer and the {count} messages that followed",
        deleted.after,
    )
