"""The clipboard tools: asked for, bounded, never a password, and put back by Undo."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.asking import ALLOWED_ONCE, Risk
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.clipboard import FORMER_KEPT, SHOWN_BYTES, Clip, ClipboardTools
from desktop.tools.executor import LONGEST_RESULT, Executor
from desktop.tools.tool import Toolbox
from tests.fakes.asker import FakeAsker


class FakeClipboard:
    """Holds what a test or a tool puts there."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip

    def read(self) -> Clip:
        return self.clip

    def write(self, text: str) -> None:
        self.clip = Clip(text)


@pytest.mark.parametrize(
    ("clip", "said"),
    [
        (Clip("Grüße"), "Grüße"),
        (Clip(""), "The clipboard holds an empty text."),
        (Clip(), "The clipboard is empty."),
        (Clip(kind="a picture of 3 × 2 pixels"), "The clipboard holds a picture of 3 × 2 pixels, no text."),
    ],
)
def test_what_lies_there_is_said(clip: Clip, said: str) -> None:
    """Text as it is, anything else by its kind."""
    assert ClipboardTools(FakeClipboard(clip)).clipboard_read() == said


def test_a_secret_is_not_read() -> None:
    """What a password manager marked stays where it is."""
    with pytest.raises(UserFacing) as refused:
        ClipboardTools(FakeClipboard(Clip(is_secret=True))).clipboard_read()
    assert refused.value.code == "clipboard-secret"


@pytest.mark.parametrize("letter", ["a", "ä", "€", "𝄞"])
def test_a_long_text_is_cut_and_says_so(letter: str) -> None:
    """Between letters, and short enough that nothing else cuts it again."""
    said = ClipboardTools(FakeClipboard(Clip(letter * 100_000))).clipboard_read()
    text, _, notice = said.rpartition("\n")
    assert set(text) == {letter}
    assert len(text.encode()) <= SHOWN_BYTES
    assert len(said) < LONGEST_RESULT
    assert "100,000 characters" in notice
    assert f"{len(text):,}" in notice


def test_what_was_replaced_comes_back() -> None:
    """Once, and only as long as nothing else was copied."""
    clipboard = FakeClipboard(Clip("mine"))
    tools = ClipboardTools(clipboard)
    assert tools.clipboard_write("new", "1") == "Copied 3 characters to the clipboard."
    assert clipboard.clip == Clip("new")
    assert tools.can_undo("1")
    tools.undo("1")
    assert clipboard.clip == Clip("mine")
    assert not tools.can_undo("1")
    with pytest.raises(UserFacing, match="no longer known"):
        tools.undo("1")


def test_undo_takes_nothing_that_was_copied_since() -> None:
    """The user's own copy is worth more."""
    clipboard = FakeClipboard(Clip("mine"))
    tools = ClipboardTools(clipboard)
    tools.clipboard_write("new", "1")
    clipboard.clip = Clip("later")
    with pytest.raises(UserFacing, match="since"):
        tools.undo("1")
    assert clipboard.clip == Clip("later")


@pytest.mark.parametrize("before", [Clip(is_secret=True), Clip(kind="a picture"), Clip("x" * 1_000_001)])
def test_some_things_are_not_kept(before: Clip) -> None:
    """Secrets never, pictures and what is huge neither."""
    tools = ClipboardTools(FakeClipboard(before))
    tools.clipboard_write("new", "1")
    assert not tools.can_undo("1")


def test_only_the_latest_are_kept() -> None:
    """A long session does not fill the memory."""
    tools = ClipboardTools(FakeClipboard(Clip("mine")))
    for number in range(FORMER_KEPT + 3):
        tools.clipboard_write("new", str(number))
    assert [tools.can_undo(str(number)) for number in range(5)] == [False, False, False, True, True]


@pytest.mark.parametrize(("text", "code"), [("", "clipboard-empty"), ("x" * 100_001, "clipboard-too-long")])
def test_what_cannot_be_written_is_refused(text: str, code: str) -> None:
    """Before anybody is asked; the clipboard stays as it was."""
    clipboard = FakeClipboard(Clip("mine"))
    with pytest.raises(UserFacing) as refused:
        ClipboardTools(clipboard).clipboard_write(text, "1")
    assert refused.value.code == code
    assert clipboard.clip == Clip("mine")


def _run(paths: Paths, asker: FakeAsker, clipboard: FakeClipboard, call: Call) -> CallResult:
    database = Database(paths.database, MIGRATIONS)
    executor = Executor(Bus(), asker, Gatekeeper(Grants(database), PolicySettings), Path("/"))
    ended = executor.run(call, Toolbox(ClipboardTools(clipboard).tools()))
    database.close()
    return ended


def test_reading_asks_and_taints(paths: Paths) -> None:
    """Although it only reads; what comes in may try to speak to the model."""
    asker = FakeAsker(ALLOWED_ONCE)
    ended = _run(paths, asker, FakeClipboard(Clip("hello")), Call("1", "clipboard_read"))
    assert (ended.ending, ended.text, ended.tainted_by) == (CallStatus.DONE, "hello", "the clipboard")
    assert [str(question.title) for question in asker.questions] == ["Read the clipboard?"]


def test_writing_asks_with_the_whole_text(paths: Paths) -> None:
    """And says what it replaces, without showing it; after a no nothing is changed."""
    asker = FakeAsker.denying()
    clipboard = FakeClipboard(Clip("mine"))
    text = "all of it\n" * 500
    ended = _run(paths, asker, clipboard, Call("1", "clipboard_write", {"text": text}))
    assert ended.ending is CallStatus.DENIED
    assert clipboard.clip == Clip("mine")
    (question,) = asker.questions
    assert question.arguments.strip() == text.strip()
    assert question.risk is Risk.CHANGES
    assert "4 characters of text" in str(question.text)
    assert "mine" not in str(question.text)
