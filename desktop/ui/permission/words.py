"""The words and icons of a permission question that follow from what it says, and those of a verdict's marks.

A mark is an icon, a word, and a sentence for who wants to know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from desktop.asking import AskingReason, FileMatch, Question, Reach, Risk
from desktop.ui.language import plural, size_text, tr, tr_noop, words_of
from desktop.ui.permission.visible import visible


@dataclass(frozen=True)
class Mark:
    """What stands on a chip. `colour` is the name of the icon's; the word never takes it."""

    icon: str
    word: str
    sentence: str
    colour: str = "secondary"


_CLASSES = {
    "READ": Mark("eye", tr_noop("Reads"), tr_noop("READ: leaves nothing changed.")),
    "CREATE": Mark(
        "plus", tr_noop("Creates"), tr_noop("CREATE: adds something new and leaves what was there.")
    ),
    "UPDATE": Mark("edit", tr_noop("Modifies"), tr_noop("UPDATE: changes something that was there."), "text"),
    "UNKNOWN": Mark(
        "question",
        tr_noop("Unclear"),
        tr_noop("UNKNOWN: the text does not show what it does."),
        "warning",
    ),
    "DELETE": Mark(
        "trash", tr_noop("Deletes"), tr_noop("DELETE: removes something, or its content is lost."), "danger"
    ),
}

_FLAGS = {
    "SECRET": Mark(
        "key",
        tr_noop("Touches secrets"),
        tr_noop("SECRET: passwords, keys, tokens or private data."),
        "danger",
    ),
    "SENDS": Mark("send", tr_noop("Sends data"), tr_noop("SENDS: data leaves this computer."), "warning"),
    "OUTSIDE": Mark(
        "folder-out",
        tr_noop("Outside the folder"),
        tr_noop("OUTSIDE: reaches beyond the project."),
        "warning",
    ),
    "PRIVILEGED": Mark(
        "shield", tr_noop("As administrator"), tr_noop("PRIVILEGED: runs with more rights."), "warning"
    ),
    "GATE": Mark(
        "lock",
        tr_noop("Touches the gate"),
        tr_noop("GATE: what protects this computer from agents."),
        "danger",
    ),
}


def class_mark(classed: str) -> Mark:
    """That of a class by its name; one that is not known is shown as it is, and as unclear."""
    return _CLASSES.get(classed) or Mark("question", classed or tr("Unclear"), classed, "warning")


def flag_mark(flag: str) -> Mark:
    """That of a flag by its name."""
    return _FLAGS.get(flag) or Mark("warning", flag, flag, "warning")


def marks(classed: str, flags: Iterable[str]) -> tuple[Mark, ...]:
    """First the class, then the flags in the order of the table."""
    order = list(_FLAGS)
    known = sorted(flags, key=lambda flag: order.index(flag) if flag in order else len(order))
    return (class_mark(classed), *map(flag_mark, known))


def marks_words(classed: str, flags: Iterable[str]) -> str:
    """`Deletes, outside the folder`."""
    first, *others = (tr(mark.word) for mark in marks(classed, flags))
    return ", ".join([first, *(word[:1].lower() + word[1:] for word in others)])


CLASSES = tuple(_CLASSES)


LONGEST_DECIDING = 160  # characters in sight; a screen reader gets all of them

A_LONG_COMMAND = 400

ONLY_WITH_A_COPY = tr_noop("Can be undone only if a copy is kept.")
# Beside the offer of project mode, in which everything can be undone, it must be clear which yes is meant.
NOT_IF_ALLOWED_ONCE = tr_noop("Allowed once, it cannot be undone.")


_ICONS = {
    Risk.READS: "eye",
    Risk.CHANGES: "edit",
    Risk.RUNS: "terminal",
    Risk.SENDS: "send",
    Risk.DELETES: "trash",
}


_RISKS = {
    Risk.READS: tr_noop("Reads"),
    Risk.CHANGES: tr_noop("Modifies"),
    Risk.RUNS: tr_noop("Runs"),
    Risk.SENDS: tr_noop("Sends"),
    Risk.DELETES: tr_noop("Deletes"),
}


def risk_icon(question: Question) -> str:
    return _ICONS[question.risk]


def risk_words(question: Question) -> str:
    """The word for what it does, then the plain line. A command line's word is that of its class."""
    word = tr(_RISKS[question.risk])
    if question.command is not None:
        word = marks_words(question.command.classed, question.command.flags)
    plain = visible(plain_words(question))
    # "Sends · Sends a request to …" says it twice.
    return plain if plain.startswith(f"{word} ") else f"{word} · {plain}"


def plain_words(question: Question) -> str:
    """The plain line; a command's reason stands above it and is not said twice."""
    command = question.command
    if command is None:
        return _plain(question)
    if command.reason and question.text.code is AskingReason.RUNS_IN_BECAUSE:
        question = replace(question, text=AskingReason.RUNS_IN.of(folder=question.text.value("folder")))
    if command.can_snapshot and not question.reversible:
        return _plain(replace(question, reversible=None), tr(ONLY_WITH_A_COPY))
    if question.reversible is False and any(offer.reach is Reach.PROJECT for offer in question.scopes):
        return _plain(replace(question, reversible=None), tr(NOT_IF_ALLOWED_ONCE))
    return _plain(question)


def arguments_words(question: Question) -> str:
    """The caption of the box; of a long command line how long it is."""
    lines = question.arguments.count("\n") + 1
    length = len(question.arguments)
    if names_its_file(question):
        size = question.files[0].size_bytes
        told = tr("folder") if size is None else size_text(size)
        return f"{visible(words_of(question.arguments_name))} · {told}"
    if question.command is None or (lines < 3 and length < A_LONG_COMMAND):
        return visible(words_of(question.arguments_name))
    return tr(
        "{arguments_name} · {lines}{length:,} characters",
        arguments_name=visible(words_of(question.arguments_name)),
        lines=lines_words(lines),
        length=length,
    )


def names_its_file(question: Question) -> bool:
    """Whether what is asked about is one file, and its path all that was given."""
    shown = [_from_folder(file.path, question.origin.folder) for file in question.files]
    return question.arguments in (*shown, *(file.path for file in question.files)) and len(shown) == 1


def lines_words(lines: int) -> str:
    return tr("{lines:,} lines, ", lines=lines) if lines > 1 else ""


def reason_words(question: Question) -> str:
    """Why the gate asks: its reason, which begins with the name of a program as often as not."""
    reason = question.command.reason if question.command is not None else None
    return tr("Asked because {reason}.", reason=words_of(reason).removesuffix(".")) if reason else ""


def deciding(question: Question) -> str:
    """The stretch of the command line that decided; nothing where that is the whole line, or none of it."""
    if question.command is None:
        return ""
    start, end = question.command.span
    part = question.arguments[start:end].strip()
    return "" if part == question.arguments.strip() else part


def deciding_words(question: Question) -> str:
    """`Decided by: rm -rf build`, shortened in the middle; it is underlined in the box in full."""
    part = deciding(question)
    if len(part) > LONGEST_DECIDING:
        half = LONGEST_DECIDING // 2
        part = f"{part[:half]} … {part[-half:]}"
    return tr("Decided by: {part}", part=part) if part else ""


def opinion_words(question: Question) -> str:
    """What the model thinks, said to be no more than that."""
    opinion = question.command.opinion if question.command is not None else None
    if opinion is None:
        return ""
    return tr("What the model thinks, and it may be wrong: {opinion}", opinion=words_of(opinion))


def tool_icon(question: Question) -> str:
    """That of the tool, or of what it does."""
    return question.icon or risk_icon(question)


def origin_words(question: Question) -> str:
    """Who asks and where; nothing for the chat that the dialog lies over."""
    origin = question.origin
    if not origin.is_agent:
        return ""
    words = tr("Asked by {agent}", agent=origin.agent)
    return visible(tr("{words} in {folder}", words=words, folder=origin.folder) if origin.folder else words)


def files_words(files: tuple[FileMatch, ...]) -> str:
    """`3 files, 12 kB in all`, `2 files and 1 folder, 3 kB in all`."""
    sizes = [file.size_bytes for file in files if file.size_bytes is not None]
    folders = len(files) - len(sizes)
    counts = (
        plural("{count} file", "{count:,} files", len(sizes)) if sizes else "",
        plural("{count} folder", "{count:,} folders", folders) if folders else "",
    )
    words = tr(" and ").join(count for count in counts if count)
    return tr("{words}, {size} in all", words=words, size=size_text(sum(sizes))) if sizes else words


def file_lines(files: tuple[FileMatch, ...], folder: str = "") -> list[tuple[str, str]]:
    """Path and size of each, as shown: from `folder` on what lies in it, else from the root."""
    return [(_from_folder(file.path, folder), _size_words(file)) for file in files]


def _size_words(file: FileMatch) -> str:
    if file.size_bytes is None:
        return tr("folder")
    return size_text(file.size_bytes).replace(" ", "\N{NO-BREAK SPACE}")


def _plain(question: Question, undoing: str = "") -> str:
    """Sentence by sentence; `undoing` is said behind the first, in place of the question's own."""
    first, *others = map(words_of, question.plain_sentences)
    return " ".join(part for part in (first, undoing, *others) if part)


def _from_folder(path: str, folder: str) -> str:
    """Cut only at the folder itself; a path with dots in it may lead out and stays whole."""
    inside = path.removeprefix(f"{folder.rstrip('/')}/") if folder else path
    return path if ".." in inside.split("/") or not inside else inside


def description(question: Question) -> str:
    """What a screen reader says on opening: the plain line, then everything, complete."""
    parts = [
        visible(words_of(question.warning)) if question.warning else "",
        risk_words(question),
        f"{visible(words_of(question.arguments_name))}: {visible(question.arguments)}",
        tr("Decided by: {deciding}", deciding=visible(deciding(question))) if deciding(question) else "",
        visible(reason_words(question)),
        visible(opinion_words(question)),
        tr("Change: {diff}", diff=visible(question.diff)) if question.diff else "",
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
    return tr(
        "Why, in the words of {agent}: “{why}”",
        agent=question.origin.agent or tr("the assistant"),
        why=question.why,
    )


def time_words(question: Question, left_s: float | None, paused: bool) -> str:
    """How long the question stays, and what happens then."""
    if left_s is None:
        return ""
    clock = clock_words(left_s)
    if paused:
        return tr("Waiting for you, {clock} left", clock=clock)
    if question.origin.is_agent:
        return tr("Closes in {clock}; nothing is allowed then", clock=clock)
    return tr("Denied in {clock}", clock=clock)


def clock_words(left_s: float) -> str:
    """`4:33`."""
    seconds = math.ceil(left_s)
    return f"{seconds // 60}:{seconds % 60:02d}"


def instead_words(question: Question) -> str:
    """The label of a no that says more: an agent is told why, our assistant what to do."""
    return tr("Deny and &say why…") if question.origin.is_agent else tr("Deny and &say what to do instead…")


def instead_hint(question: Question) -> str:
    return tr("Why not, or what to do instead") if question.origin.is_agent else tr("What to do instead")


def queue_words(waiting: int, others: Sequence[str] = ()) -> str:
    """`2 more wait: Codex, Cursor`; nothing for the only one. `others` are the agents behind it."""
    more = waiting - 1
    if more < 1:
        return ""
    names = ", ".join(dict.fromkeys(visible(name) for name in others if name))
    words = plural("{count} more is waiting", "{count} more are waiting", more)
    return f"{words}: {names}" if names else words
