"""Questions that a schedule asks: put when they are due, each in a chat of its own, while nobody answers.

The reminders' clock says what is due and says it again until it is answered (`tools/reminders.py`), so that
nothing here has to survive a kill: an answer that was cut off is written anew in the chat that was begun for
it. One question is put at a time, and none while any other turn is running.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from desktop.chat.events import ConversationsChanged, NoticeAdded, TurnEnded, TurnFailed
from desktop.chat.messages import Message, MessageStatus, Role
from desktop.chat.reasons import ChatReason
from desktop.chat.titles import title_of
from desktop.engine.requests import Priority
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.reasons import Reason
from desktop.tools.recurrence import moment_reason
from desktop.tools.reminders import QuestionsDue, Reminder, Reminders
from desktop.tools.times import local_now

if TYPE_CHECKING:
    from desktop.chat.store import ChatStore
    from desktop.chat.turns import Turns

log = structlog.get_logger(__name__)

LATE = timedelta(minutes=2)  # from here on the chat says when it was due
# What ends a turn is heard of; what begins between the look and the question is not, so it looks again.
LOOK_AGAIN_S = 5.0
_NAMED = 48  # characters of the question in the name of its chat


@dataclass(frozen=True)
class ScheduleAsking(Event):
    """A question is being put in this conversation, or its turn has returned."""

    conversation_id: int
    ended: bool = False


@dataclass(frozen=True)
class ScheduleAnswered(Event):
    """The question of a schedule has its answer, or its failure, in the chat of `answer`."""

    question: Reminder
    answer: Message
    is_late: bool = False


@dataclass(frozen=True)
class _Asked:
    conversation_id: int
    answer: Message
    is_late: bool


class ScheduledQuestions:
    """Puts what is due. Its thread lives as long as there is something to put. Any thread may call."""

    def __init__(
        self,
        reminders: Reminders,
        store: ChatStore,
        turns: Callable[[], Turns],
        bus: Bus,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        """`turns` are built with the first question."""
        self._reminders = reminders
        self._store = store
        self._turns = turns
        self._bus = bus
        self._now = now
        self._changed = threading.Condition()
        self._waiting: dict[int, Reminder] = {}  # by their numbers, in the order in which they came due
        self._thread: threading.Thread | None = None
        self._closed = False
        self._unsubscribe = [
            bus.subscribe(kind, lambda _event: self._wake()) for kind in (TurnEnded, TurnFailed)
        ]

    def stop(self) -> None:
        """Put nothing more; an answer that is cut off from now on is asked for again at the next start."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def close(self) -> None:
        """`stop`, and wait for what was put; turns have to be stopped before."""
        self.stop()
        for end in self._unsubscribe:
            end()
        with self._changed:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def take(self, event: QuestionsDue) -> None:
        """Put these, as soon as nobody is answered; those under way are known and not put twice."""
        with self._changed:
            if self._closed:
                return
            self._waiting |= {each.id: each for each in event.questions if each.id not in self._waiting}
            if self._thread is None:
                # No daemon: an answer that is being written is closed before the database is.
                self._thread = threading.Thread(target=self._run, name="scheduled questions")
                self._thread.start()

    # -- its thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        while (question := self._next()) is not None:
            try:
                # Many may wait for long: what was deleted meanwhile is not wanted any more.
                if self._reminders.is_open(question.id):
                    self.put(question)
            except UserFacing as error:  # the disk is full, or the file is held: the clock tells it again
                log.error("scheduled question was not put", cause=error.cause)
            except Exception:
                # A bug in one question must not keep the others from being asked for ever.
                log.exception("scheduled question broke", number=question.id)
                self._give_up(question)
            finally:
                with self._changed:
                    del self._waiting[question.id]

    def _give_up(self, question: Reminder) -> None:
        """Until its next time: whatever broke would break with each look of the clock, with a version of the
        answer, or a chat, for each."""
        try:
            self._reminders.answered(question.id, MessageStatus.FAILED.value)
        except UserFacing as error:
            log.error("scheduled question was not given up", cause=error.cause)

    def _next(self) -> Reminder | None:
        """The next to be put, once nobody is being answered; None ends the thread."""
        with self._changed:
            while not self._closed and self._waiting:
                if not self._turns().is_busy:
                    return next(iter(self._waiting.values()))
                self._changed.wait(LOOK_AGAIN_S)
            self._thread = None
            return None

    def put(self, question: Reminder) -> Message | None:
        """Ask it, and say how that ended; None where the program was ended meanwhile. Blocks."""
        asked = self._asked(question)
        # Cut off by the end of the program: the next start asks again.
        if self._closed and asked.answer.status is not MessageStatus.COMPLETE:
            return None
        self._reminders.answered(question.id, asked.answer.status.value)
        self._bus.publish(ScheduleAnswered(question, asked.answer, asked.is_late))
        return asked.answer

    def _asked(self, question: Reminder) -> _Asked:
        is_late = self._now() - question.due > LATE
        begun = self._begun(question.chat)
        if begun:
            answer = self._answered_before(question.chat)
            if answer is None:
                with self._told(question.chat):
                    answer = self._turns().regenerate(question.chat, is_attended=False)
            return _Asked(question.chat, answer, is_late)
        chat = self._store.create(self._title(question)).id
        self._reminders.begun(question.id, chat)
        notice = self._store.add_notice(chat, self._says(question, is_late))
        self._bus.publish(ConversationsChanged())
        self._bus.publish(NoticeAdded(chat, notice))
        with self._told(chat):
            # Whoever asks something goes first, also in the middle of this answer.
            answer = self._turns().run(chat, question.text, Priority.BACKGROUND, is_attended=False)
        return _Asked(chat, answer, is_late)

    @contextmanager
    def _told(self, chat: int) -> Iterator[None]:
        """A window in which the chat is opened meanwhile lets what is typed there wait."""
        self._bus.publish(ScheduleAsking(chat))
        try:
            yield
        finally:
            self._bus.publish(ScheduleAsking(chat, ended=True))

    def _begun(self, chat: int) -> bool:
        """Whether the question stands in its chat already, which nobody has deleted since."""
        if not chat:
            return False
        try:
            self._store.get(chat)
        except KeyError:
            return False
        return any(each.role is Role.USER for each in self._store.messages(chat))

    def _answered_before(self, chat: int) -> Message | None:
        """The answer that was whole, though nobody could say so any more."""
        latest = self._store.messages(chat)[-1]
        is_whole = latest.role is Role.ASSISTANT and latest.status is MessageStatus.COMPLETE
        return latest if is_whole else None

    def _title(self, question: Reminder) -> str:
        return f"{title_of(question.text, _NAMED)} ({question.due:%Y-%m-%d})"

    def _says(self, question: Reminder, is_late: bool) -> Reason:
        series = {each.reminder.id: each.reminder for each in self._reminders.schedules()}
        repeats = series[question.series].repeats if question.series in series else None
        words = repeats.in_words() if repeats is not None else moment_reason(question.due)
        if is_late:
            return ChatReason.WAS_DUE.of(repeats=words, when=moment_reason(question.due))
        return ChatReason.ASKED_BY_SCHEDULE.of(repeats=words)
