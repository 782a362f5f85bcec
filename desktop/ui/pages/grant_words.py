"""What a grant is, in the lines of the Permissions page and of `steward grants`."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.gate.grants import UNUSED_S, Grant, Scope
from desktop.ui.language import later, plural, tr
from desktop.ui.pages.times import day_words, moment_words

_SCOPES = {
    Scope.ONCE: later("once"),
    Scope.CHAT: later("one chat or session"),
    Scope.WEEK: later("7 days in this folder"),
    Scope.ALWAYS: later("always in this folder"),
}


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
        tr("Scope: {scope}", scope=tr(_SCOPES[grant.scope])),
        tr("Tool: {tool}", tool=grant.covers.tool),
        tr("Folder: {folder}", folder=grant.covers.folder),
        line.chat and tr("Chat: {chat}", chat=line.chat),
    ]
    return " · ".join(part for part in parts if part)


def history(grant: Grant, now: float) -> str:
    """When it was granted, how often it was used, and when it ends."""
    if grant.uses:
        times = plural("once", "{count} times", grant.uses)
        used = tr("used {times}, last {moment}", times=times, moment=moment_words(grant.used_at, now))
    else:
        used = tr("not used yet")
    if grant.until is not None:
        ends = day_words(grant.until)
        return tr(
            "Granted {moment} · {used} · ends on {ends}",
            moment=moment_words(grant.granted_at, now),
            used=used,
            ends=ends,
        )
    lapses = day_words(grant.used_at + UNUSED_S)
    return tr(
        "Granted {moment} · {used} · ends on {lapses} unless it is used",
        moment=moment_words(grant.granted_at, now),
        used=used,
        lapses=lapses,
    )
