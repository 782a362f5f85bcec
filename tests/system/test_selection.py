"""Selected text by copying it: the clipboard comes back whole, and some programs are left alone.

The contracts of Windows and macOS, against recorded calls; neither was tried on a real system.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.system.selection import (
    CF_UNICODETEXT,
    COMMAND_FLAG,
    EXCLUDED,
    KEYEVENTF_KEYUP,
    PATIENCE_MS,
    PLAIN_TEXT,
    VK_ANSI_C,
    VK_C,
    VK_CONTROL,
    CopiedSelection,
    CopyingSystem,
    MacCopying,
    RealPasteboard,
    WindowsCopying,
)


class Clockwork:
    """Does later what a timer would do, at once when `run` is called; counts the time that passed."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, Callable[[], None]]] = []
        self.passed_ms = 0

    def later(self, milliseconds: int, do: Callable[[], None]) -> None:
        self.waiting.append((milliseconds, do))

    def run(self) -> None:
        while self.waiting:
            milliseconds, do = self.waiting.pop(0)
            self.passed_ms += milliseconds
            do()


@dataclass
class WindowsRecorded:
    """A Windows clipboard; `selected` is what its program copies on Ctrl+C, some looks later."""

    held: dict[int, bytes]
    selected: str = ""
    delay: int = 2
    calls: list[Any] = field(default_factory=list)
    number: int = 100
    _due: int = -1

    def sequence(self) -> int:
        if self._due == 0:
            self.held = {CF_UNICODETEXT: self.selected.encode("utf-16-le") + b"\0\0"}
            self.number += 3
        self._due -= 1
        return self.number

    def formats(self) -> list[int]:
        return list(self.held)

    def read(self, number: int) -> bytes | None:
        self.calls.append(("read", number))
        return self.held.get(number)

    def write(self, formats: dict[int, bytes]) -> None:
        self.calls.append(("write", formats))
        self.held = formats
        self.number += 1

    def key(self, code: int, flags: int) -> None:
        self.calls.append(("key", code, flags))
        if (code, flags) == (VK_CONTROL, KEYEVENTF_KEYUP) and self.selected:
            self._due = self.delay

    def foreground_process(self) -> int:
        return -1  # nobody's


@dataclass
class MacRecorded:
    held: list[dict[str, bytes]]
    selected: str = ""
    trusted: bool = True
    front: str = "TextEdit"
    calls: list[Any] = field(default_factory=list)
    number: int = 7

    def count(self) -> int:
        return self.number

    def items(self) -> list[list[str]]:
        return [list(item) for item in self.held]

    def read(self, number: int, kind: str) -> bytes | None:
        return self.held[number].get(kind)

    def write(self, items: list[dict[str, bytes]]) -> None:
        self.calls.append(("write", items))
        self.held = items
        self.number += 1

    def key(self, code: int, down: bool, flags: int) -> None:
        self.calls.append(("key", code, down, flags))
        if not down and self.selected:
            self.held = [{PLAIN_TEXT: self.selected.encode()}]
            self.number += 1

    def is_trusted(self) -> bool:
        return self.trusted

    def front_program(self) -> str:
        return self.front


def take(system: CopyingSystem) -> tuple[list[str], list[str], Clockwork]:
    """Texts, codes of refusals, and the time it took."""
    clock, texts, refused = Clockwork(), list[str](), list[UserFacing]()
    CopiedSelection(system, clock.later).take(texts.append, refused.append)
    clock.run()
    return texts, [error.code for error in refused], clock


BEFORE = {CF_UNICODETEXT: "old\0".encode("utf-16-le"), 8: b"a drawing", 49_161: b"<b>old</b>"}


def test_windows_copies_and_puts_every_format_back() -> None:
    """Ctrl+C goes down and up in order; the clipboard is what it was, drawings of handles apart."""
    board = WindowsRecorded({**BEFORE, 2: b"a handle"}, selected="The selected words")
    texts, refused, _ = take(WindowsCopying(board))
    assert (texts, refused) == (["The selected words"], [])
    assert [call[1:] for call in board.calls if call[0] == "key"] == [
        *((VK_CONTROL, 0), (VK_C, 0), (VK_C, KEYEVENTF_KEYUP), (VK_CONTROL, KEYEVENTF_KEYUP)),
    ]
    assert board.held == BEFORE
    assert ("read", 2) not in board.calls


def test_macos_copies_and_puts_every_type_of_every_item_back() -> None:
    """Command+C as two events; all items come back in order, each with its types and their bytes."""
    before = [
        {"public.utf8-plain-text": b"old", "public.rtf": b"{\\rtf1 old}", "public.png": b"\x89PNG"},
        {"public.file-url": b"file:///Users/a/one.txt"},
        {"public.file-url": b"file:///Users/a/two.txt", "public.utf8-plain-text": b"two.txt"},
    ]
    board = MacRecorded([dict(item) for item in before], selected="Ausgewählt")
    texts, refused, _ = take(MacCopying(board))
    assert (texts, refused) == (["Ausgewählt"], [])
    assert board.calls[:2] == [
        ("key", VK_ANSI_C, True, COMMAND_FLAG),
        ("key", VK_ANSI_C, False, COMMAND_FLAG),
    ]
    assert board.held == before


def test_where_nothing_is_selected_nothing_is_touched() -> None:
    """After 400 ms it is given up; the clipboard was not written to."""
    board = WindowsRecorded(dict(BEFORE))
    texts, _, clock = take(WindowsCopying(board))
    assert texts == [""]
    assert not [call for call in board.calls if call[0] == "write"]
    assert clock.passed_ms <= PATIENCE_MS + 150


def test_an_empty_clipboard_is_empty_again() -> None:
    """What was copied does not stay behind."""
    board = MacRecorded([], selected="secret plan")
    assert take(MacCopying(board))[0] == ["secret plan"]
    assert board.held == []


class SentMessages(RealPasteboard):
    """The real calls without the system: every message is noted, objects are numbers."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, str]] = []

    def _class(self, name: bytes) -> Any:
        return name.decode()

    def _string(self, text: str) -> ctypes.c_void_p:
        return ctypes.c_void_p(1)

    def _send(self, target: Any, message: bytes, result: Any, *arguments: Any) -> Any:
        self.sent.append((target, message.decode()))
        return 1000 + len(self.sent) if result is ctypes.c_void_p else 0


def test_macos_is_given_all_items_in_one_message() -> None:
    """Each item is made, filled and handed over before the pasteboard is written, once."""
    board = SentMessages()
    board.write([{"public.rtf": b"{}", "public.png": b"\x89PNG"}, {"public.file-url": b"file:///a"}])
    names = [message for _, message in board.sent]
    item = ["new", *(["dataWithBytes:length:", "setData:forType:"])]
    assert names == [
        *("generalPasteboard", "clearContents", "array"),
        *(*item, *item[1:], "addObject:", "release"),
        *(*item, "addObject:", "release", "writeObjects:"),
    ]
    filled = [target for target, message in board.sent if message == "setData:forType:"]
    assert filled[0] == filled[1] != filled[2]


@pytest.mark.parametrize("program", ["Terminal", "KeePassXC", "Finder", "Numbers", "TeamViewer", "iTerm2"])
def test_some_programs_are_left_alone(program: str) -> None:
    """No key is sent where it would interrupt a command, or copy a password."""
    assert program.casefold() in EXCLUDED
    board = MacRecorded([], selected="x", front=program)
    texts, refused, _ = take(MacCopying(board))
    assert (texts, refused) == ([], ["selection-excluded"])
    assert board.calls == []


def test_without_the_users_leave_no_key_is_sent() -> None:
    """macOS asks for it in its settings; the words say where."""
    board = MacRecorded([], selected="x", trusted=False)
    assert take(MacCopying(board))[1] == ["selection-not-allowed"]
    assert board.calls == []


def test_a_second_click_meanwhile_copies_once() -> None:
    """The keys would meet their own answer."""
    board, clock, texts = MacRecorded([], selected="once"), Clockwork(), list[str]()
    selection = CopiedSelection(MacCopying(board), clock.later)
    for _ in range(3):
        selection.take(texts.append, lambda _error: None)
    clock.run()
    assert texts == ["once"]
