"""The words and icons of a permission question that follow from what it says."""

from __future__ import annotations

import math

from desktop.asking import FileMatch, Question, Risk
from desktop.models.words import size_text
from desktop.ui.permission.visible import visible

_ICONS = {
    Risk.READS: "eye",
    Risk.CHANGES: "edit",
    Risk.RUNS: "terminal",
    Risk.SENDS: "send",
    Risk.DELETES: "trash",
}


def risk_icon(question: Question) -> str:
    return _ICONS[question.risk]


def risk_words(question: Question) -> str:
    """The word for what it does, then the plain line."""
    return f"{question.risk.value} · {visible(question.plain_line)}"


def tool_icon(question: Question) -> str:
    """That of the tool, or of what it does."""
    return question.icon or risk_icon(question)


def origin_words(question: Question) -> str:
    """Who asks and where; nothing for the chat that the dialog lies over."""
    origin = question.origin
    if not origin.is_agent:
        return ""
    words = f"Asked by {origin.agent}"
    return visible(f"{words} in {origin.folder}" if origin.folder else words)


def files_words(files: tuple[FileMatch, ...]) -> str:
    """`3 files, 12 kB in all`."""
    sizes = [file.size_bytes for file in files if file.size_bytes is not None]
    count = "1 file" if len(files) == 1 else f"{len(files):,} files"
    return f"{count}, {size_text(sum(sizes))} in all" if sizes else count


def file_lines(files: tuple[FileMatch, ...]) -> list[tuple[str, str]]:
    """Path and size of each, as shown."""
    return [
        (file.path, size_text(file.size_bytes) if file.size_bytes is not None else "folder") for file in files
    ]


def description(question: Question) -> str:
    """What a screen reader says on opening: the plain line, then everything, complete."""
    parts = [
        visible(question.warning),
        risk_words(question),
        f"{visible(question.arguments_name)}: {visible(question.arguments)}",
        f"Change: {visible(question.diff)}" if question.diff else "",
        f"{files_words(question.files)}: {', '.join(visible(file.path) for file in question.files)}"
        if question.files
        else "",
        visible(why_words(question)),
    ]
    return "\n".join(part for part in parts if part)


def why_words(question: Question) -> str:
    """The model's reason, labelled as its own words; not written out yet."""
    if not question.why:
        return ""
    return f"Why, in the words of {question.origin.agent or 'the assistant'}: “{question.why}”"


def time_words(question: Question, left_s: float | None, paused: bool) -> str:
    """How long the question stays, and what happens then."""
    if left_s is None:
        return ""
    seconds = math.ceil(left_s)
    clock = f"{seconds // 60}:{seconds % 60:02d}"
    if paused:
        return f"Waiting for you, {clock} left"
    if question.origin.is_agent:
        return f"Closes in {clock}, nothing is allowed then"
    return f"Denied in {clock}"


def queue_words(waiting: int) -> str:
    """`2 more wait`; nothing for the only one."""
    more = waiting - 1
    return "" if more < 1 else f"{more} more {'waits' if more == 1 else 'wait'}"
