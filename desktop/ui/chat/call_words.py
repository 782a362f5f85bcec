"""A call in words: what it did to what, why it was allowed or not, how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass

from desktop.chat.store import Message, MessageStatus
from desktop.chat.tool_record import ToolRecord
from desktop.sandbox.refusals import visible
from desktop.tools.calls import Ending
from desktop.ui.language import later, told, tr

OBJECT_SHOWN = 48  # characters of what a call is about, in the line
REASON_SHOWN = 400  # characters of a failure, below the line

# In all states the same word, so that the line does not change while it is read.
_VERBS = {
    "read_file": later("Read {what}"),
    "write_file": later("Write {what}"),
    "list_directory": later("List {what}"),
    "find_files": later("Find files {what}"),
    "search_text": later("Search for {what}"),
    "make_directory": later("Make folder {what}"),
    "move_file": later("Move {what}"),
    "delete_file": later("Delete {what}"),
    "run_command": later("Run {what}"),
    "save_note": later("Save a note: {what}"),
    "recall_notes": later("Look in the notes {what}"),
    "current_time": later("Look at the clock {what}"),
    "calculator": later("Calculate {what}"),
    "system_info": later("Look at this computer {what}"),
    "set_reminder": later("Set a reminder: {what}"),
    "list_reminders": later("List the reminders {what}"),
    "cancel_reminder": later("Cancel the reminder {what}"),
    "clipboard_read": later("Read the clipboard {what}"),
    "clipboard_write": later("Copy to the clipboard {what}"),
    "web_search": later("Search the web for {what}"),
    "fetch_page": later("Fetch {what}"),
    "screenshot": later("Take a picture of the screen {what}"),
    "screenshot_region": later("Take a picture of a part of the screen {what}"),
    "ocr_image": later("Read the text in {what}"),
    "screenshot_ocr": later("Read the text on the screen {what}"),
}


@dataclass(frozen=True)
class CallState:
    """An icon, the colour that goes with it, and a word: never colour alone."""

    icon: str
    ink: str
    word: str


_ENDED = {
    Ending.DONE: CallState("check", "success", ""),
    Ending.DENIED: CallState("denied", "warning", later("not allowed")),
    Ending.FAILED: CallState("failed", "danger", later("failed")),
    Ending.TIMED_OUT: CallState("failed", "danger", later("no answer in time")),
    Ending.STILL_RUNNING: CallState("running", "warning", later("out of time, still finishing one step")),
    Ending.STOPPED: CallState("stop", "secondary", later("stopped")),
    Ending.UNKNOWN_TOOL: CallState("failed", "danger", later("no such tool")),
    Ending.WRONG_ARGUMENTS: CallState("failed", "danger", later("wrong arguments")),
}
ASKING = CallState("question", "warning", later("asking you"))
RUNNING = CallState("running", "secondary", later("running"))
INTERRUPTED = CallState("failed", "danger", later("interrupted when Steward ended"))
EXPLAINED = (
    Ending.FAILED,
    Ending.TIMED_OUT,
    Ending.STILL_RUNNING,
    Ending.UNKNOWN_TOOL,
    Ending.WRONG_ARGUMENTS,
)


def state_of(message: Message) -> CallState:
    """How a call stands now."""
    record = message.tool
    if record is None:
        return RUNNING
    if record.ending is not None:
        return _ENDED[record.ending]
    if record.asking:
        return ASKING
    return RUNNING if message.status is MessageStatus.STREAMING else INTERRUPTED


def line_of(message: Message) -> str:
    """ "Read notes.txt · allowed because it only reads · 0.1 s"."""
    record = message.tool
    if record is None:
        return tr("Tool")
    seconds = tr("{seconds:.1f} s", seconds=record.seconds) if record.ending is not None else ""
    return " · ".join(part for part in (called(record), _how(message, record), seconds) if part)


def called(record: ToolRecord) -> str:
    """What was called and on what, "Read notes.txt"."""
    what = _object_of(record)
    if record.name in _VERBS:
        return tr(_VERBS[record.name], what=what).strip()
    name = visible(record.name.replace("_", " ")).capitalize()
    return f"{name} {what}".strip()


def why(record: ToolRecord) -> str:
    """The decision as the end of a sentence, "allowed because it only reads"; empty where none was made."""
    decision = record.decision
    if not decision:
        return ""
    if record.ending is Ending.DENIED:
        reason = decision.replace("the user said no", "you said no").replace("asks instead", "asked instead")
        return tr("not allowed: {reason}", reason=told(reason))
    if decision == "allowed by the user":
        return tr("you allowed it")
    return (
        decision
        if decision.startswith("allowed before")
        else tr("allowed because {reason}", reason=told(decision))
    )


def reason_of(message: Message) -> str:
    """What a failed call says for itself: how to get a missing program, what was wrong. Empty for others."""
    record = message.tool
    if record is None or record.ending not in EXPLAINED:
        return ""
    text = message.text if len(message.text) <= REASON_SHOWN else message.text[:REASON_SHOWN] + "…"
    return visible_lines(text.strip())


def details_of(message: Message) -> str:
    """Everything: tool, arguments, decision, result."""
    record = message.tool
    if record is None:
        return message.text
    arguments = [f"{name}: {_text_of(value)}" for name, value in record.arguments.items()]
    head = "\n".join([tr("Tool: {name}", name=record.name), *arguments])
    parts = [head, record.decision and tr("Why: {why}", why=why(record)), message.text]
    return visible_lines("\n\n".join(part for part in parts if part))


def visible_lines(text: str) -> str:
    """As it is, but with invisible characters and those that reorder written out."""
    return "\n".join(visible(line) for line in text.expandtabs(4).split("\n"))


def _how(message: Message, record: ToolRecord) -> str:
    state = state_of(message)
    if record.ending in (Ending.DONE, Ending.DENIED):
        decided = why(record).partition(": ")[0] if _is_long(record) else why(record)
        return visible(decided) or tr(state.word)
    return tr(state.word)


def _is_long(record: ToolRecord) -> bool:
    """A grant quotes what it covers, which the line says already."""
    return record.decision.startswith("allowed before")


def _object_of(record: ToolRecord) -> str:
    first = next((_text_of(value) for value in record.arguments.values()), "")
    line = visible(first.splitlines()[0]) if first.strip() else ""
    return line if len(line) <= OBJECT_SHOWN else line[: OBJECT_SHOWN - 1] + "…"


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
