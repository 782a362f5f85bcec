"""The clipboard, when the user lets the assistant have it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.reasons import Reason
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Plan, Tool, ToolHint, tool

SHOWN_BYTES = 15 * 1024  # with the sentence about the rest below what a result may hold
LONGEST_WRITTEN = 100_000  # characters; more is no text that somebody reads before saying yes
LONGEST_FORMER = 1_000_000  # characters kept for Undo, in memory alone
FORMER_KEPT = 20
# Nobody can tell what was copied last: a letter, a password, somebody else's data.
LOOKS = frozenset({Flag.SECRET})
SOURCE = "the clipboard"
CLIPBOARD_READ_HINT = ToolHint(r"\b(clipboard|copied|did i copy|zwischenablage|kopiert)\b", only_said=True)
CLIPBOARD_WRITE_HINT = ToolHint(r"\bcopy\b|\bclipboard\b|\bzwischenablage\b|\bkopiere?\b", only_said=True)


@dataclass(frozen=True)
class Clip:
    """What lies on the clipboard.

    `text` is None where there is none to give; `kind` then says in words what there is, "" for nothing.
    `is_secret`: whoever put it there (a password manager) marked it as not to be read; then `text` is None.
    """

    text: str | None = None
    kind: str = ""
    is_secret: bool = False


class Clipboard(Protocol):
    """This computer's clipboard. Methods block and may be called on any thread."""

    def read(self) -> Clip:
        """Raises UserFacing where it cannot be had in time."""
        ...

    def write(self, text: str) -> None:
        """Replace what is there. Raises UserFacing."""
        ...


class ClipboardTools:
    """Any thread. `clipboard` is this computer's; where there is none, there are no such tools."""

    def __init__(self, clipboard: Clipboard) -> None:
        self._clipboard = clipboard
        self._lock = threading.Lock()
        self._former: dict[str, tuple[str, str]] = {}  # call: what was there, and what was written

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(
                self.clipboard_read,
                Effect.READ,
                verb=ToolReason.VERB_CLIPBOARD_READ,
                flags=LOOKS,
                plan=self._plan_read,
                untrusted_result=True,
                hint=CLIPBOARD_READ_HINT,
            ),
            tool(
                self.clipboard_write,
                Effect.UPDATE,
                verb=ToolReason.VERB_CLIPBOARD_WRITE,
                plan=self._plan_write,
                hint=CLIPBOARD_WRITE_HINT,
            ),
        )

    def clipboard_read(self) -> str:
        """Read the text that the user copied to the clipboard."""
        clip = self._clipboard.read()
        if clip.is_secret:
            raise UserFacing(ToolReason.CLIPBOARD_SECRET.of())
        if clip.text is None:
            return f"The clipboard holds {clip.kind}, no text." if clip.kind else "The clipboard is empty."
        return _bounded(clip.text)

    def clipboard_write(self, text: str, call: str) -> str:
        """Copy text to the clipboard.

        text: all of the text
        """
        _check(text)
        # Before it is replaced: afterwards there is nothing left to keep.
        self._keep(call, text)
        self._clipboard.write(text)
        return f"Copied {len(text):,} characters to the clipboard."

    def can_undo(self, call: str) -> bool:
        """Whether the text that the call replaced is still known. It is kept in memory alone."""
        with self._lock:
            return call in self._former

    def undo(self, call: str) -> None:
        """Put back the text from before `call`. Raises UserFacing when something else is there now."""
        with self._lock:
            former = self._former.get(call)
        if former is None:
            raise UserFacing(ToolReason.CLIPBOARD_FORGOTTEN.of())
        before, written = former
        # What the user copied since is theirs: Undo takes back the assistant's text and nothing else.
        if self._clipboard.read().text != written:
            raise UserFacing(ToolReason.CLIPBOARD_TAKEN.of())
        self._clipboard.write(before)
        with self._lock:
            self._former.pop(call, None)

    def _keep(self, call: str, text: str) -> None:
        before = self._clipboard.read()
        if before.text is None or len(before.text) > LONGEST_FORMER:
            return
        with self._lock:
            self._former[call] = (before.text, text)
            # A dictionary keeps the order of its keys, so the first is the oldest.
            while len(self._former) > FORMER_KEPT:
                del self._former[next(iter(self._former))]

    def _plan_read(self) -> Plan:
        says = ToolReason.SHOWS_CLIPBOARD.of()
        return Plan(ToolReason.ASK_CLIPBOARD.of(), says, Effect.READ, LOOKS, source=SOURCE)

    def _plan_write(self, text: str) -> Plan:
        _check(text)
        before = self._clipboard.read()
        says = ToolReason.REPLACES_CLIPBOARD.of(before=_in_words(before), count=len(text))
        return Plan(ToolReason.ASK_COPY.of(), says, Effect.UPDATE, parts=(text,))


def _bounded(text: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= SHOWN_BYTES:
        return text or "The clipboard holds an empty text."
    kept = data[:SHOWN_BYTES].decode("utf-8", "ignore")
    return f"{kept}\n[cut: the clipboard holds {len(text):,} characters, these are the first {len(kept):,}]"


def _check(text: str) -> None:
    if not text:
        raise UserFacing(ToolReason.CLIPBOARD_EMPTY.of())
    if len(text) > LONGEST_WRITTEN:
        raise UserFacing(ToolReason.CLIPBOARD_TOO_LONG.of(length=len(text), limit=LONGEST_WRITTEN))


def _in_words(clip: Clip) -> Reason | str:
    """What is there, without showing it."""
    if clip.text is not None:
        return ToolReason.CHARACTERS_OF_TEXT.of(count=len(clip.text))
    return clip.kind or (ToolReason.SOMETHING_HIDDEN if clip.is_secret else ToolReason.NOTHING).of()
