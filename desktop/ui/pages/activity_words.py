"""What the Activity page says about a verdict. No Qt: the export and a screen reader need the same words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from desktop.agents.action import Choice
from desktop.agents.adapters import adapter
from desktop.agents.events import By, HookAsked, HookDecided, Ran
from desktop.ui.language import date_words, later, number_words, told, tr
from desktop.ui.permission.verdict_words import class_mark, marks_words
from desktop.ui.permission.visible import visible

_SHELLS = ("bash", "shell", "terminal", "command", "exec")  # in the names of agents' tools
Row = HookAsked | HookDecided
SEPARATOR = " · "
LONGEST_SHOWN = 300  # characters of a command in a cell
LONGEST_TOOLTIP = 1500


@dataclass(frozen=True)
class Said:
    """An answer as it is shown: `colour` is that of the icon alone."""

    icon: str
    words: str
    colour: str


ANSWERS = {
    Choice.ALLOW: Said("check", later("Allowed"), "success"),
    Choice.DENY: Said("close", later("Denied"), "danger"),
    Choice.ASK: Said("question", later("Left to agent"), "warning"),
    Choice.NO_OPINION: Said("pause", later("No opinion"), "secondary"),
}
WAITING = Said("shield", later("Waits for you"), "warning")
BY = {
    By.READING: later("only reads"),
    By.GRANT: later("permission"),
    By.RULE: later("a rule"),
    By.SETTING: later("a setting"),
    By.JUDGE: later("the model"),
    By.USER: later("you"),
    By.NOBODY: later("no answer"),
    By.PAUSE: later("paused"),
    By.ERROR: later("an error"),
}
TIERS = {
    0: later("remembered, or too long to be read"),
    1: later("the syntax"),
    2: later("the programs that it runs"),
    3: later("the folder, permissions and rules"),
    4: later("the model's opinion"),
}


def agent_title(name: str) -> str:
    """`Claude Code` for `claude-code`; one that is not known by its own name."""
    known = adapter(name)
    return known.title if known is not None else visible(name)


def shell_of(tool: str) -> str:
    """Which language the text of a tool's call is in; "" where it is no command line."""
    name = tool.lower()
    if "powershell" in name:
        return "powershell"
    return "bash" if any(word in name for word in _SHELLS) else ""


def said(row: Row) -> Said:
    """How it was answered, or that it waits."""
    return ANSWERS[row.choice] if isinstance(row, HookDecided) else WAITING


def by_words(row: Row) -> str:
    """Who answered; nothing while nobody has."""
    return tr(BY[row.by]) if isinstance(row, HookDecided) else ""


def answer_words(row: Row) -> str:
    """`Allowed · you`, `Allowed · ran read only`."""
    return SEPARATOR.join(part for part in (tr(said(row).words), ran_words(row) or by_words(row)) if part)


RAN = {
    ("read only", Ran.CONFINED): later("ran read only"),
    ("read only", Ran.UNTOLD): later("to run read only"),
    ("read only", Ran.UNCONFINED): later("did not report that it ran read only"),
    ("project", Ran.CONFINED): later("ran inside the project"),
    ("project", Ran.UNTOLD): later("to run inside the project"),
    ("project", Ran.UNCONFINED): later("did not report that it ran inside the project"),
}
REFUSED = {
    "connection": later("a connection to {what}"),
    "taken away": later("{what}, put back"),
}


def ran_words(row: Row) -> str:
    """How a command ran that was held to something; "" for every other."""
    if not isinstance(row, HookDecided) or row.choice is not Choice.ALLOW:
        return ""
    words = RAN.get((row.confined, row.ran))
    return tr(words) if words else ""


def refused_words(row: Row) -> str:
    """What a confined command was kept from."""
    if not isinstance(row, HookDecided):
        return ""
    parts = ((REFUSED.get(each.kind), visible(each.what)) for each in row.refused)
    return "; ".join(tr(words, what=what) if words else what for words, what in parts)


def class_words(row: Row) -> str:
    """`Deletes, outside the folder`; nothing while it waits."""
    return marks_words(row.classed, row.flags) if isinstance(row, HookDecided) else ""


def class_word(row: Row) -> str:
    return told(class_mark(row.classed).word) if isinstance(row, HookDecided) else ""


def clock_words(at: float) -> str:
    """`09:30:05`, local time."""
    return f"{datetime.fromtimestamp(at):%H:%M:%S}"


def moment_words(at: float) -> str:
    """`20 Nov 2026, 09:30:05`."""
    moment = datetime.fromtimestamp(at)
    return f"{date_words(moment)}, {moment:%H:%M:%S}"


def took_words(row: Row) -> str:
    """`0.4 ms`, `120 ms`, `3.2 s`, `4 min`: from the arrival of the hook to its answer."""
    if not isinstance(row, HookDecided):
        return ""
    ms = row.ms
    for limit, divisor, digits, unit in ((10, 1, 1, "ms"), (1000, 1, 0, "ms"), (60_000, 1000, 1, "s")):
        if round(ms / divisor, digits) * divisor < limit:
            return f"{number_words(ms / divisor, digits)} {unit}"
    return tr("{ms:.0f} min", ms=ms / 60_000)


def short_text(text: str) -> str:
    """In one line, everything unseen written out, and the middle of a long one left out."""
    if len(text) > LONGEST_SHOWN:
        half = LONGEST_SHOWN // 2
        text = f"{text[:half]} … {text[-half:]}"
    return visible(text).replace("\n", " ")


def tooltip_text(text: str) -> str:
    """Complete unless it is very long; the details show all of it in any case."""
    if len(text) <= LONGEST_TOOLTIP:
        return visible(text)
    return tr(
        "{text} … ({count:,} characters, complete in the details)",
        text=visible(text[:LONGEST_TOOLTIP]),
        count=len(text),
    )


def row_words(row: Row) -> str:
    """One line for the clipboard, what cannot be seen written out, values apart by tabs."""
    return "\t".join(
        (
            moment_words(row.at),
            agent_title(row.agent),
            visible(row.text).replace("\n", " "),
            class_words(row),
            answer_words(row),
            took_words(row),
        )
    )


def searched(row: Row) -> str:
    """What the search looks through, in lower case."""
    parts = [row.text, row.folder, row.tool, row.session, agent_title(row.agent), answer_words(row)]
    if isinstance(row, HookDecided):
        parts += [row.classed, *row.flags, row.reason, class_words(row), ran_words(row), refused_words(row)]
    return "\n".join(parts).casefold()
