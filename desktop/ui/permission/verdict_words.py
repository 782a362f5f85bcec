"""Class and flags of a verdict as people read them: an icon, a word, and a sentence for who wants to know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from desktop.ui.language import later, told, tr


@dataclass(frozen=True)
class Mark:
    """What stands on a chip. `colour` is the name of the icon's; the word never takes it."""

    icon: str
    word: str
    sentence: str
    colour: str = "secondary"


_CLASSES = {
    "READ": Mark("eye", later("Reads"), later("READ: nothing stays changed.")),
    "CREATE": Mark(
        "plus", later("Creates"), later("CREATE: makes something new, and leaves what was there.")
    ),
    "UPDATE": Mark("edit", later("Changes"), later("UPDATE: changes something that was there."), "text"),
    "UNKNOWN": Mark(
        "question", later("Unclear"), later("UNKNOWN: what it does cannot be read off the text."), "warning"
    ),
    "DELETE": Mark(
        "trash", later("Deletes"), later("DELETE: removes something, or its content is lost."), "danger"
    ),
}
_FLAGS = {
    "SECRET": Mark(
        "key", later("Touches secrets"), later("SECRET: passwords, keys, tokens or private data."), "danger"
    ),
    "SENDS": Mark("send", later("Sends data"), later("SENDS: data leaves this computer."), "warning"),
    "OUTSIDE": Mark(
        "folder-out", later("Outside the folder"), later("OUTSIDE: reaches beyond the project."), "warning"
    ),
    "PRIVILEGED": Mark(
        "shield", later("As administrator"), later("PRIVILEGED: runs with more rights."), "warning"
    ),
    "GATE": Mark(
        "lock", later("Touches the gate"), later("GATE: what protects this computer from agents."), "danger"
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
    first, *others = (told(mark.word) for mark in marks(classed, flags))
    return ", ".join([first, *(word[:1].lower() + word[1:] for word in others)])


CLASSES = tuple(_CLASSES)
