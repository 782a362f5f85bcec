"""What the Memory page calls things: layers, sources, moments, reasons."""

from __future__ import annotations

from pathlib import PurePath

from desktop.memory.item import Item, Kind, Layer, Source, Status
from desktop.ui.language import plural, tr
from desktop.ui.pages.times import day_words

# Icon and word: neither stands without the other.
_ICONS = {Source.USER: "person", Source.TOOL: "terminal", Source.WEB: "globe", Source.MODEL: "model"}
SEPARATOR = " · "


def source_icon(source: Source) -> str:
    return _ICONS[source]


def source_words(item: Item) -> str:
    """Who said it: "You", "The assistant", "A tool: run_command", "A page: example.org"."""
    words = {
        Source.USER: tr("You"),
        Source.TOOL: tr("A tool"),
        Source.WEB: tr("A page"),
        Source.MODEL: tr("The assistant"),
    }[item.source]
    named = item.origin if item.source in (Source.TOOL, Source.WEB) else ""
    return f"{words}: {named}" if named else words


def layer_words(layer: Layer, scope: str = "") -> str:
    """Where it counts: "Everywhere", "Project shop", "One conversation"."""
    if layer is Layer.PROJECT:
        return tr("Project {name}", name=PurePath(scope).name or scope)
    return {
        Layer.AGENT: tr("The assistant itself"),
        Layer.USER: tr("Everywhere"),
        Layer.SESSION: tr("One conversation"),
        Layer.TEAM: tr("Team"),
        Layer.ORGANISATION: tr("Organisation"),
        Layer.COMPANY: tr("Company"),
    }[layer]


def caption(item: Item, why: str = "", score: float | None = None) -> str:
    """The small line below a memory: source, day, layer and, after a search, why it was found."""
    parts = [source_words(item), day_words(item.at), layer_words(item.layer, item.scope)]
    if item.status is Status.PINNED:
        parts.append(tr("pinned"))
    if item.superseded_by is not None:
        parts.append(tr("replaced since"))
    if why:
        parts.append(why)
    if score is not None:
        parts.append(tr("score {score}", score=f"{score:.3f}"))
    return SEPARATOR.join(parts)


def facts(item: Item) -> tuple[tuple[str, str], ...]:
    """All there is to say about one memory, as name and value."""
    kinds = {
        Kind.NOTE: tr("Note"),
        Kind.EPISODE: tr("Turn of a conversation"),
        Kind.DIGEST: tr("What tools did"),
    }
    used = plural("once", "{count} times", item.used) if item.used else tr("never yet")
    found = [
        (tr("Kind"), kinds[item.kind]),
        (tr("From"), source_words(item)),
        (tr("Day"), item.date),
        (tr("Counts"), _whole_layer(item)),
        (tr("Used in answers"), used),
    ]
    if item.speaker:
        found.insert(2, (tr("Speaker"), item.speaker))
    return tuple(found)


def quote(item: Item) -> str:
    """The words of the user's that a suggestion rests on; "" for what is no suggestion."""
    return item.origin if item.status is Status.SUGGESTED else ""


def count_words(count: int) -> str:
    return plural("{count} memory", "{count} memories", count)


def _whole_layer(item: Item) -> str:
    """With the whole folder, which the row has no room for."""
    words = layer_words(item.layer, item.scope)
    return f"{words} ({item.scope})" if item.layer is Layer.PROJECT else words
