"""Answers as a screen reader hears them: politely, a sentence at a time, or only that one is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from desktop.chat.events import AnswerGrew, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.store import Message, MessageStatus
from desktop.qt.relay import Relay
from desktop.settings import Announcements
from desktop.ui.language import error_parts, tr

# After a digit a full stop may be that of a list: "1. One".
_SENTENCE = re.compile(r"(.+?(?:(?<!\d)[.!?…:](?=\s)|\n))", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})")
_MARKS = re.compile(r"[*_`#>|]+|^\s*(?:[-+]|\d+\.)\s+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Sentences:
    """Cuts a growing text into sentences as they are read aloud: no marks of Markdown, code only named."""

    def __init__(self) -> None:
        self._rest = ""
        self._in_code = False

    def grow(self, text: str) -> list[str]:
        """The sentences that are complete now."""
        self._rest += text
        # Half a sentence would be read, broken off, and read again when it is longer.
        parts = _SENTENCE.findall(self._rest)
        self._rest = self._rest[sum(map(len, parts)) :]
        return [spoken for part in parts for spoken in self._spoken(part)]

    def end(self) -> list[str]:
        """What is left when no more comes."""
        rest, self._rest = self._rest, ""
        return list(self._spoken(rest))

    def _spoken(self, part: str) -> Iterator[str]:
        for line in part.splitlines():
            # Letter by letter code cannot be followed by ear; that there is some is worth a word.
            if _FENCE.match(line):
                self._in_code = not self._in_code
                if self._in_code:
                    yield tr("Code")
                continue
            words = " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", line)).split())
            if words and not self._in_code:
                yield words


class Announcer(QObject):
    """Follows the answers that somebody can see. Main thread only.

    `where` names the widget that shows a conversation now; None while nobody looks at it:
    then nothing is said.
    """

    def __init__(
        self, relay: Relay, wanted: Callable[[], Announcements], where: Callable[[int], QWidget | None]
    ) -> None:
        super().__init__()
        self._wanted, self._where = wanted, where
        self._growing: dict[int, Sentences] = {}  # by the number of the message
        relay.listen(TurnStarted, lambda event: self._on_started(event.conversation_id))
        relay.listen(AnswerGrew, self._on_grew)
        relay.listen(TurnEnded, lambda event: self._on_ended(event.conversation_id, event.answer))
        relay.listen(TurnFailed, self._on_failed)

    def _on_started(self, conversation_id: int) -> None:
        if self._wanted() is Announcements.FULL:
            self._say(conversation_id, tr("Steward answers"))

    def _on_grew(self, event: AnswerGrew) -> None:
        if self._wanted() is Announcements.FULL and event.text:
            sentences = self._growing.setdefault(event.message_id, Sentences())
            for sentence in sentences.grow(event.text):
                self._say(event.conversation_id, sentence)

    def _on_ended(self, conversation_id: int, answer: Message) -> None:
        sentences = self._growing.pop(answer.id, None)
        for sentence in sentences.end() if sentences is not None else ():
            self._say(conversation_id, sentence)
        if self._wanted() is not Announcements.OFF:
            stopped = answer.status is not MessageStatus.COMPLETE
            self._say(
                conversation_id, tr("The answer was cut off") if stopped else tr("The answer is complete")
            )

    def _on_failed(self, event: TurnFailed) -> None:
        # What came before the failure was said; its rest is no sentence.
        self._growing.pop(event.answer.id, None)
        if self._wanted() is not Announcements.OFF:
            self._say(event.conversation_id, error_parts(event.error)[0])

    def _say(self, conversation_id: int, words: str) -> None:
        # Speaking of a chat that is out of sight would break into what the user reads elsewhere.
        widget = self._where(conversation_id)
        if widget is not None:
            announce(widget, words)


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader say `words` when it has nothing else to say."""
    event = QAccessibleAnnouncementEvent(widget, words)
    # Assertive would cut off what is being read at each sentence.
    event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(event)
