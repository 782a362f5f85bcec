"""All that is remembered as Markdown, for people to read and keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from desktop.memory.hindsight.fixes import Fix, said
from desktop.memory.item import Item, Kind, Layer, Source, Status
from desktop.memory.layers import EVERYWHERE
from desktop.memory.store import MemoryStore

PAGE = 500

_TITLES = {Kind.NOTE: "Notes", Kind.DIGEST: "What tools did", Kind.EPISODE: "Conversations"}
_FROM = {Source.TOOL: "from a tool", Source.WEB: "from a page", Source.MODEL: "by the assistant"}


def markdown(store: MemoryStore, fixes: Iterable[Fix] = (), episodes: bool = True) -> Iterator[str]:
    """Line by line, so that much of it needs no memory; each line ends with a newline."""
    yield "# What Steward remembers\n"
    for kind in (Kind.NOTE, Kind.DIGEST, *((Kind.EPISODE,) if episodes else ())):
        yield from _section(kind, _all(store, kind))
    lines = [
        f"- `{said(fix.before)}` → `{said(fix.after)}` ({fix.in_words()}): {fix.message}\n" for fix in fixes
    ]
    if lines:
        yield "\n## What worked after a failure\n\n"
        yield from lines


def _section(kind: Kind, items: Iterable[Item]) -> Iterator[str]:
    place: tuple[Layer, str] | None = None
    titled = False
    for item in items:
        if not titled:
            yield f"\n## {_TITLES[kind]}\n"
            titled = True
        if (item.layer, item.scope) != place:
            place = (item.layer, item.scope)
            yield f"\n### {item.layer.value.capitalize()}{f': {item.scope}' if item.scope else ''}\n\n"
        yield f"- {_line(item)}\n"


def _line(item: Item) -> str:
    """The day, who said it, the text on one line or indented, and what else there is to say."""
    who = f" {item.speaker}:" if item.speaker else ""
    text = item.text.replace("\n", "\n  ")
    more = [_FROM.get(item.source, ""), item.origin, "pinned" if item.status is Status.PINNED else ""]
    if item.superseded_by is not None:
        more.append("replaced since")
    if item.status is Status.SUGGESTED:
        more.append("a suggestion")
    said_too = ", ".join(each for each in more if each)
    return f"{item.date}{who} {text}{f' ({said_too})' if said_too else ''}"


def _all(store: MemoryStore, kind: Kind) -> Iterator[Item]:
    """Every item of a kind, by pages, the newest first."""
    before: int | None = None
    while page := store.latest(EVERYWHERE, (kind,), limit=PAGE, before_id=before):
        yield from page
        before = page[-1].id
