"""What a screen reader is told of an answer: nothing, that it is there, or all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.events import AnswerGrew, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.store import ChatStore, Message, MessageStatus
from desktop.events import Bus
from desktop.qt.relay import Relay
from desktop.settings import Announcements
from desktop.ui import announcer as module
from desktop.ui.announcer import Announcer, Sentences
from tests.fakes.failures import failure
from tests.ui.chat.conftest import store

__all__ = ["store"]


@dataclass
class Reader:
    """Stands where a screen reader listens; `seen` is the conversation that is looked at."""

    bus: Bus
    answer: Message
    seen: int
    wanted: Announcements = Announcements.FULL
    said: list[str] = field(default_factory=list)

    def start(self) -> None:
        self._publish(TurnStarted(self.answer.conversation_id, None, self.answer))

    def grow(self, text: str) -> None:
        self._publish(AnswerGrew(self.answer.conversation_id, self.answer.id, text, "", 0, 0))

    def end(self, status: MessageStatus = MessageStatus.COMPLETE) -> None:
        self._publish(TurnEnded(self.answer.conversation_id, replace(self.answer, status=status)))

    def fail(self, cause: str) -> None:
        error = failure(cause, "", "")
        self._publish(TurnFailed(self.answer.conversation_id, self.answer, error))

    def _publish(self, event: TurnStarted | AnswerGrew | TurnEnded | TurnFailed) -> None:
        self.bus.publish(event)
        QCoreApplication.processEvents()


@pytest.fixture
def reader(qtbot: QtBot, bus: Bus, store: ChatStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    chat = store.create()
    _, answer = store.open_turn(chat.id, "?")
    made = Reader(bus, answer, chat.id)
    widget = QWidget()
    qtbot.addWidget(widget)
    monkeypatch.setattr(module, "announce", lambda _widget, words: made.said.append(words))
    relay = Relay(bus)
    follower = Announcer(relay, lambda: made.wanted, lambda number: widget if number == made.seen else None)
    yield made
    relay.close()
    follower.deleteLater()


def test_full_reads_sentence_by_sentence(reader: Reader) -> None:
    """A sentence is said when it is whole, not in the pieces in which it came."""
    reader.start()
    reader.grow("The moon pulls at")
    assert reader.said == ["Steward answers"]
    reader.grow(" the water. The sun does")
    assert reader.said[1:] == ["The moon pulls at the water."]
    reader.grow(" too.")
    reader.end()
    assert reader.said[2:] == ["The sun does too.", "The answer is complete"]


def test_brief_says_only_that_it_is_there(reader: Reader) -> None:
    """Not a word of the answer itself."""
    reader.wanted = Announcements.BRIEF
    reader.start()
    reader.grow("The moon pulls at the water. ")
    reader.end()
    assert reader.said == ["The answer is complete"]


def test_off_says_nothing(reader: Reader) -> None:
    """Also when the answer fails."""
    reader.wanted = Announcements.OFF
    reader.start()
    reader.grow("The moon pulls at the water. ")
    reader.fail("No model has been chosen.")
    assert reader.said == []


def test_what_nobody_looks_at_is_not_said(reader: Reader) -> None:
    """An answer in another chat must not talk into what is being read."""
    reader.seen += 1
    reader.grow("The moon pulls at the water. ")
    reader.end()
    assert reader.said == []


def test_a_failure_says_its_cause(reader: Reader) -> None:
    """The card has the rest."""
    reader.wanted = Announcements.BRIEF
    reader.fail("No model has been chosen.")
    assert reader.said == ["No model has been chosen."]


def test_a_cut_answer_says_so(reader: Reader) -> None:
    """It is not taken for a whole one."""
    reader.wanted = Announcements.BRIEF
    reader.end(MessageStatus.STOPPED)
    assert reader.said == ["The answer was cut off"]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("# Tides\nThe **moon** pulls.\n", ["Tides", "The moon pulls."]),
        ("Run this:\n```sh\nrm -rf x\n```\nDone.\n", ["Run this:", "Code", "Done."]),
        ("- one\n- two\n1. three\n", ["one", "two", "three"]),
        ("See [the page](https://example.org/a_b). \n", ["See the page."]),
        ("Pi is 3.14 today. \n", ["Pi is 3.14 today."]),
    ],
)
def test_marks_are_not_read_aloud(text: str, spoken: list[str]) -> None:
    """Words remain, and of code that it is code."""
    sentences = Sentences()
    assert [*sentences.grow(text), *sentences.end()] == spoken


@given(st.text(alphabet="ab. \n!?", max_size=60), st.integers(0, 60))
def test_no_word_is_lost_however_the_text_is_cut(text: str, place: int) -> None:
    """The words said are the words written, in whichever pieces they came."""
    sentences = Sentences()
    said = [*sentences.grow(text[:place]), *sentences.grow(text[place:]), *sentences.end()]
    assert "".join(said).split() == "".join(text.split()).split() or "".join(
        "".join(said).split()
    ) == "".join(text.split())
