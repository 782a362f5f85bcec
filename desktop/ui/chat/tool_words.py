"""The words of a tool card: how a call stands, what was called on what, and why it was allowed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Message, MessageStatus
from desktop.gate.reasons import GateReason
from desktop.reasons import ReasonCode
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.permission.visible import visible

OBJECT_SHOWN = 48  # characters of what a call is about, in the line
REASON_SHOWN = 400  # characters of a failure, below the line


@dataclass(frozen=True)
class CallState:
    """An icon, the colour that goes with it, and a word: never colour alone."""

    icon: str
    ink: str
    word: str


_ENDED = {
    CallStatus.DONE: CallState("check", "success", ""),
    CallStatus.DENIED: CallState("denied", "warning", tr_noop("not allowed")),
    CallStatus.FAILED: CallState("failed", "danger", tr_noop("failed")),
    CallStatus.TIMED_OUT: CallState("failed", "danger", tr_noop("no answer in time")),
    CallStatus.STILL_RUNNING: CallState(
        "running", "warning", tr_noop("out of time, still finishing one step")
    ),
    CallStatus.STOPPED: CallState("stop", "secondary", tr_noop("stopped")),
    CallStatus.UNKNOWN_TOOL: CallState("failed", "danger", tr_noop("no such tool")),
    CallStatus.WRONG_ARGUMENTS: CallState("failed", "danger", tr_noop("wrong arguments")),
}

# It ended, and what it ran says that it failed: a check, a command, a server's tool.
UNSUCCESSFUL = CallState("failed", "warning", tr_noop("ended without success"))
ASKING = CallState("question", "warning", tr_noop("asking you"))
RUNNING = CallState("running", "secondary", tr_noop("running"))
INTERRUPTED = CallState("failed", "danger", tr_noop("interrupted when Steward ended"))
EXPLAINED = (
    CallStatus.FAILED,
    CallStatus.TIMED_OUT,
    CallStatus.STILL_RUNNING,
    CallStatus.UNKNOWN_TOOL,
    CallStatus.WRONG_ARGUMENTS,
)


def state_of(message: Message) -> CallState:
    """How a call stands now."""
    record = message.tool
    if record is None:
        return RUNNING
    if record.ending is CallStatus.DONE and not record.has_succeeded:
        return UNSUCCESSFUL
    if record.ending is not None:
        return _ENDED[record.ending]
    if record.asking:
        return ASKING
    # No end and nobody who works on it: Steward itself ended in between.
    return RUNNING if message.status is MessageStatus.STREAMING else INTERRUPTED


def line_of(message: Message) -> str:
    """ "Read notes.txt · allowed because it only reads · 0.1 s"."""
    record = message.tool
    if record is None:
        return tr("Tool")
    took_any = record.ending not in (None, CallStatus.DENIED) and round(record.seconds, 1) > 0
    seconds = tr("{seconds:.1f} s", seconds=record.seconds) if took_any else ""
    return " · ".join(part for part in (called(record), _how(message, record), seconds) if part)


def called(record: ToolRecord) -> str:
    """What was called and on what, "Read notes.txt"."""
    if record.title is not None:
        return visible(words_of(record.title))
    what = _object_of(record)
    # In all states the same verb, so that the line does not change while it is read.
    # Without a number, or with 0, the tool takes back what was done last.
    if record.verb is ToolReason.VERB_UNDO_CHANGE and what in ("", "0"):
        return words_of(ToolReason.VERB_UNDO_LAST.of())
    if record.verb is not None:
        return words_of(record.verb.of(what=what)).strip()
    # Tools of extensions, of servers and of later versions are told by their name.
    name = visible(record.name.replace("_", " ")).capitalize()
    return f"{name} {what}".strip()


def why(record: ToolRecord) -> str:
    """The decision as the end of a sentence, "allowed because it only reads"; empty where none was made."""
    reason = record.why
    if reason is None:
        return ""
    said = words_of(reason)
    if record.ending is CallStatus.DENIED:
        if reason.code in _SAID_NO:
            said = tr(_SAID_NO[reason.code], **dict(reason.values))
        return tr("not allowed: {reason}", reason=said)
    if reason.code == GateReason.ALLOWED_BY_THE_USER:
        return tr("you allowed it")
    if reason.code == GateReason.ALLOWED_BEFORE:
        return said
    return tr("allowed because {reason}", reason=said)


_SAID_NO: dict[ReasonCode, str] = {
    GateReason.USER_SAID_NO: tr_noop("you said no"),
    GateReason.USER_ASKS_INSTEAD: tr_noop('you said no, and asked instead: "{text}"'),
}


def reason_of(message: Message) -> str:
    """What a failed call says for itself: how to get a missing program, what was wrong. Empty for others."""
    record = message.tool
    if record is None or record.ending not in EXPLAINED:
        return ""
    whole = words_of(record.failure) if record.failure is not None else message.text
    text = whole if len(whole) <= REASON_SHOWN else whole[:REASON_SHOWN] + "…"
    return visible_lines(text.strip())


def arguments_of(record: ToolRecord) -> str:
    """One a line, with their names; only its text of one that has a single text."""
    values = {name: _text_of(value) for name, value in record.arguments.items()}
    if len(values) == 1:
        return next(iter(values.values()))
    return "\n".join(f"{name}: {value}" for name, value in values.items())


def origin_of(record: ToolRecord) -> str:
    """The tool by its name, and the decision."""
    parts = [tr("Tool: {name}", name=record.name), record.decision and tr("Why: {why}", why=why(record))]
    return visible(" · ".join(part for part in parts if part))


def visible_lines(text: str) -> str:
    """The text with invisible characters, and those that reorder, written out."""
    return "\n".join(visible(line) for line in text.expandtabs(4).split("\n"))


def _how(message: Message, record: ToolRecord) -> str:
    state = state_of(message)
    if record.ending in (CallStatus.DONE, CallStatus.DENIED):
        # The whole of it stands in the details.
        decided = visible(why(record).partition(": ")[0] if _is_long(record) else why(record))
        said = tr(state.word) if state is UNSUCCESSFUL or not decided else ""
        return " · ".join(part for part in (decided, said) if part)
    return tr(state.word)


def _is_long(record: ToolRecord) -> bool:
    """A grant quotes what it covers, which the line says already."""
    return record.why is not None and record.why.code == GateReason.ALLOWED_BEFORE


def _object_of(record: ToolRecord) -> str:
    first = next((_text_of(value) for value in record.arguments.values()), "")
    line = visible(first.splitlines()[0]) if first.strip() else ""
    return line if len(line) <= OBJECT_SHOWN else line[: OBJECT_SHOWN - 1] + "…"


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
