"""What a grant is, in the lines of the Permissions page and of `steward grants`."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.gate.grants import UNUSED_S, Grant, Scope
from desktop.ui.pages.times import day_words, moment_words

_SCOPES = {Scope.ONCE: "once", Scope.CHAT: "one chat or session", Scope.ALWAYS: "always in this folder"}


@dataclass(frozen=True)
class GrantLine:
    """A grant and the name of the chat, or of the agent's session, that it is for."""

    grant: Grant
    chat: str = ""

    def contains(self, text: str) -> bool:
        """Whether a search for `text` finds it: every word, anywhere."""
        folder = str(self.grant.covers.folder)
        heap = f"{self.grant.in_words()} {folder} {self.chat}".casefold()
        return all(word in heap for word in text.casefold().split())


def about(line: GrantLine) -> str:
    """Scope, tool, folder, chat."""
    grant = line.grant
    parts = [
        f"Scope: {_SCOPES[grant.scope]}",
        f"Tool: {grant.covers.tool}",
        f"Folder: {grant.covers.folder}",
        line.chat and f"Chat: {line.chat}",
    ]
    return " · ".join(part for part in parts if part)


def history(grant: Grant, now: float) -> str:
    """When it was granted, how often it was used, and when it ends."""
    if grant.uses:
        times = "once" if grant.uses == 1 else f"{grant.uses} times"
        used = f"used {times}, last {moment_words(grant.used_at, now)}"
    else:
        used = "not used yet"
    lapses = day_words(grant.used_at + UNUSED_S)
    return f"Granted {moment_words(grant.granted_at, now)} · {used} · ends on {lapses} unless it is used"
