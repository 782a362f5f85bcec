"""What "it", "there", "these three" and "undo that" mean: read off the calls and words of a conversation.

Pure functions over the messages that a turn has loaded; nothing is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.messages import Message, Role, ToolRecord
from desktop.chat.tool_choice import files_in
from desktop.tools.calls import CallStatus

_RESULT = re.compile(r"(?:^|=\s*)(?P<value>-?\d[\d.,]*(?:\s*[^\W\d_][\w/²³°]*)?)\s*\.?\s*\Z")
_REMINDER_SET = re.compile(r"Reminder (\d+) is set\b")
_REMINDER_GONE = re.compile(
    r"Cancelled reminder \d+ \([^,]*?(\d{1,2} \w+ \d{4}), (\d\d:\d\d)[^)]*\)+: (?P<text>.+)"
)
_SERIES_GONE = re.compile(r"Cancelled reminder \d+ \((?P<when>.+? at \d\d:\d\d)\): (?P<text>.+)")
_LISTED = re.compile(r"^(?P<name>.+?) \((?P<what>[^()]*)\)$", re.MULTILINE)
_FOUND_IN = re.compile(r"^(?P<name>[^:\n]+):\d+:", re.MULTILINE)
# What is worked out of a file: its name, the figures and their rows, and what they come to.
_ADDED = re.compile(r"(?P<name>[^:\n]+?\.\w+)[^:\n]*: .+ [=≈] \S.*")
UNDO = "undo_change"
# "club.csv (paid = no), 2 of 8 rows:" over the rows.
_ROWS_TOLD = re.compile(
    r"[^\n]+\.\w+(?: \([^\n]*\))?, \d+ \w+ \d+ \w+ ?:|[^\n]+\.\w+(?: \([^\n]*\))?, \d+ \w+ \w+ \d+ ?:"
)
MOST_LISTED = 12  # names of a result that "these" may stand for


@dataclass(frozen=True)
class Past:
    """What the conversation has that a request may mean. `file` and `folder` were the last that were named or
    touched, `files` the last several, `value` the last result of a sum, `text` the latest answer. `undo` are
    the calls that take back what the last turn that changed something did, newest first, `undo_before` those
    of the one before it."""

    file: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()
    value: str = ""
    text: str = ""
    reminder: int = 0
    undo: tuple[ParsedCall, ...] = ()
    undo_of: tuple[str, ...] = ()  # the file that each of `undo` is about
    undo_acts: tuple[ParsedCall, ...] = ()  # what each of `undo` takes back
    undo_before: tuple[ParsedCall, ...] = ()
    acts_before: tuple[ParsedCall, ...] = ()  # what each of `undo_before` takes back
    asked: str = ""  # the sentence before
    calls: tuple[ParsedCall, ...] = ()  # what was done for it, in order
    failed: tuple[ParsedCall, ...] = ()  # what was tried for it, where nothing of that was done
    lately: tuple[ParsedCall, ...] = ()  # what was done last, where for the sentence before nothing was
    tools: frozenset[str] = frozenset()  # that there are

    @property
    def kept_text(self) -> str:
        """What of the latest answer is put into a file: of rows that were told, the rows alone."""
        head, _, rows = self.text.partition("\n\n")
        lines = [each for each in rows.splitlines() if each.strip()]
        is_of_rows = _ROWS_TOLD.fullmatch(head) is not None and lines[:1] and lines[0].startswith("- ")
        return "\n".join(each for each in lines if each.startswith("- ")) if is_of_rows else self.text


def past_of(messages: Sequence[Message], tools: Sequence[str] = ()) -> Past:
    """Of the messages before a question, oldest first; `tools` are the names of those that there are."""
    found = Past(tools=frozenset(tools))
    seen = list(_seen(messages))
    file = next((each.file for each in seen if each.file), "")
    answer = next(
        (m.text.strip() for m in reversed(messages) if m.role is Role.ASSISTANT and m.text.strip()), ""
    )
    turns = list(islice(_undoing(messages), 2))
    undoing = turns[0] if turns else ()
    calls = tuple(_latest_calls(messages))
    value = _RESULT.search(answer) if "\n" not in answer else None
    return Past(
        file=file,
        folder=next((each.folder for each in seen if each.folder), ""),
        files=next((each.files for each in seen if len(each.files) > 1), ()),
        value=value["value"].strip() if value is not None else "",
        text=_quoted_in(answer) or answer,
        reminder=next((each.reminder for each in seen if each.reminder), 0),
        undo=tuple(each.call for each in undoing),
        undo_of=tuple(each.file for each in undoing),
        undo_acts=tuple(each.act for each in undoing),
        undo_before=tuple(each.call for each in turns[1]) if len(turns) > 1 else (),
        acts_before=tuple(each.act for each in turns[1]) if len(turns) > 1 else (),
        asked=next((m.text for m in reversed(messages) if m.role is Role.USER), ""),
        calls=calls,
        failed=() if calls else tuple(_latest_calls(messages, CallStatus.FAILED)),
        lately=() if calls else _done_lately(messages),
        tools=found.tools,
    )


def _quoted_in(answer: str) -> str:
    """The passage of an answer that only quotes one: "put that into my notes" means it, not what is said
    before it."""
    lines = [each for each in answer.splitlines() if each.strip()]
    quoted = [each.removeprefix("> ").rstrip() for each in lines if each.startswith("> ")]
    is_quotation = bool(quoted) and all(each.endswith(":") for each in lines if not each.startswith("> "))
    return "\n".join(quoted) if is_quotation else ""


@dataclass(frozen=True)
class _Seen:
    """What one message names."""

    file: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()
    reminder: int = 0


def _seen(messages: Sequence[Message]) -> Iterator[_Seen]:
    """The newest first."""
    # Several calls of one turn, such as three moves, are "these three" together.
    together: list[str] = []
    for message in reversed(messages):
        if message.tool is not None and message.tool.ending is CallStatus.DONE:
            found = _of_call(message.tool, message.text)
            together += [found.file] if found.file else []
            yield found
        elif (
            message.role is Role.ASSISTANT and not message.model and (added := _ADDED.fullmatch(message.text))
        ):
            yield _Seen(file=added["name"])
        elif message.role is Role.USER:
            named = tuple(files_in(message.text))
            yield _Seen(files=tuple(reversed(together)))
            yield _Seen(file=named[-1] if named else "", files=named)
            together = []


def _of_call(tool: ToolRecord, text: str) -> _Seen:
    given = {key: str(value) for key, value in tool.arguments.items()}
    if tool.name == "make_directory":
        return _Seen(folder=given.get("path", ""))
    if tool.name == "move_file":
        target = given.get("destination", "")
        folder, _, name = target.rpartition("/")
        source = given.get("source", "").rsplit("/", 1)[-1]
        # Into a folder under the same name, or under a new one: the result says the whole place.
        moved = re.search(r" to (.+)\.$", text)
        place = moved[1] if moved is not None else target
        return _Seen(file=place, folder=place.rpartition("/")[0] if name == source or not name else folder)
    if tool.name in ("list_directory", "find_files"):
        folder = given.get("path", ".")
        names = [found["name"] for found in _LISTED.finditer(text) if found["what"] not in ("folder", "link")]
        names = [name for name in names if not name.startswith("Largest file:")][:MOST_LISTED]
        under = "" if folder in (".", "") or tool.name == "find_files" else f"{folder.rstrip('/')}/"
        whole = tuple(f"{under}{name}" for name in names)
        return _Seen(
            file=whole[0] if len(whole) == 1 else "", folder="" if folder == "." else folder, files=whole
        )
    if tool.name == "search_text":
        hit = tuple(dict.fromkeys(found["name"] for found in _FOUND_IN.finditer(text)))[:MOST_LISTED]
        return _Seen(file=hit[0] if len(hit) == 1 else "", files=hit)
    if tool.name == "set_reminder":
        number = _REMINDER_SET.search(text)
        return _Seen(reminder=int(number[1]) if number is not None else 0)
    if tool.name == "delete_file":
        return _Seen()
    return _Seen(file=given.get("path", ""))


def _latest_calls(messages: Sequence[Message], ending: CallStatus = CallStatus.DONE) -> Iterator[ParsedCall]:
    """Those of the last question that have ended so, in their order."""
    last = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].role is Role.USER), 0)
    for message in messages[last:]:
        if message.tool is not None and message.tool.ending is ending:
            yield ParsedCall(message.tool.name, dict(message.tool.arguments))


LATELY = 3  # requests, the last one included, of which "it" and "there" may still speak


def _done_lately(messages: Sequence[Message]) -> tuple[ParsedCall, ...]:
    """What the latest of the last requests did that did anything."""
    asked = [at for at, each in enumerate(messages) if each.role is Role.USER]
    for at, end in zip(reversed(asked[-LATELY:]), [None, *reversed(asked[-LATELY + 1 :])], strict=False):
        calls = tuple(_latest_calls(messages[at:end]))
        if calls:
            return calls
    return ()


@dataclass(frozen=True)
class _Undo:
    """What takes one act back: the call, the file that it is about, and the act."""

    call: ParsedCall
    file: str
    act: ParsedCall


def _undoing(messages: Sequence[Message]) -> Iterator[tuple[_Undo, ...]]:
    """What takes back each turn that changed something and was not taken back yet, the newest first."""
    undone: set[int] = set()
    found: list[_Undo] = []
    for message in reversed(messages):
        if message.role is Role.USER and found:
            yield tuple(found)
            found = []
        tool = message.tool
        if tool is None or tool.ending is not CallStatus.DONE:
            continue
        if tool.name == UNDO:
            undone.add(int(tool.arguments.get("change", 0) or 0))
            continue
        call = _undo_of(tool, message.text)
        if call is not None and not undone & set(tool.changes):
            given = dict(tool.arguments)
            file = str(given.get("path", given.get("source", "")))
            found.append(_Undo(call, file, ParsedCall(tool.name, given)))
    if found:
        yield tuple(found)


def _undo_of(tool: ToolRecord, text: str) -> ParsedCall | None:
    if tool.changes:
        return ParsedCall(UNDO, {"change": tool.changes[-1]})
    if tool.name == "set_reminder" and (number := _REMINDER_SET.search(text)):
        return ParsedCall("cancel_reminder", {"reminder": number[1]})
    if tool.name == "cancel_reminder" and (gone := _REMINDER_GONE.match(text)):
        return ParsedCall("set_reminder", {"text": gone["text"], "when": f"{gone[1]} {gone[2]}"})
    if tool.name == "cancel_reminder" and (gone := _SERIES_GONE.match(text)):
        return ParsedCall("set_reminder", {"text": gone["text"], "when": gone["when"]})
    return None
