"""What an answer drew on: files, pages, notes, the clipboard, what went along with the question, memory.

Known from the records of the turn, not from what the model says about itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop.chat.attachments import Attached, AttachmentKind
from desktop.chat.messages import ToolRecord
from desktop.chat.store import Message, Role
from desktop.tools.calls import CallStatus


class SourceKind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    PASSAGE = "passage"  # of a file in the chat's folder
    PAGE = "page"
    SEARCH = "search"
    NOTE = "note"
    CLIPBOARD = "clipboard"
    SCREEN = "screen"
    ATTACHMENT = "attachment"
    MEMORY = "memory"


@dataclass(frozen=True)
class AnswerSource:
    """`where` is how it is found again: a path, an address, the number of an attachment or a memory.

    `message_id` is the message that holds its text: a tool's result, or the question that it went along with.
    """

    kind: SourceKind
    title: str
    where: str = ""
    message_id: int = 0
    memories: int = 0  # of a MEMORY: how many were told, and
    tokens: int = 0  # in how many tokens
    line: int = 0  # of a PASSAGE: where it begins in its file, from 1


# By the name of a tool: what it looks at, and the argument that names it.
_TOOLS = {
    "read_file": (SourceKind.FILE, "path"),
    "ocr_image": (SourceKind.FILE, "path"),
    "list_directory": (SourceKind.FOLDER, "path"),
    "find_files": (SourceKind.FOLDER, "path"),
    "fetch_page": (SourceKind.PAGE, "url"),
    "web_search": (SourceKind.SEARCH, "query"),
    "recall_notes": (SourceKind.NOTE, "query"),
    "clipboard_read": (SourceKind.CLIPBOARD, ""),
    "screenshot_ocr": (SourceKind.SCREEN, ""),
}
_FOUND_IN = re.compile(r"^([^:\n]{1,300}):\d+:", re.MULTILINE)  # a line of what `search_text` gives
FILES_NAMED = 4  # of those in which something was found


def used_by(answer: Message, before: Sequence[Message]) -> tuple[AnswerSource, ...]:
    """The sources of `answer`, each once, in order; `before` are the messages above it, oldest first.

    Only what was really read: a call that was refused or failed has given nothing.
    """
    turn: list[Message] = []
    # Only this turn: what an earlier answer drew on stands under that one.
    for message in reversed(before):
        turn.append(message)
        if message.role is Role.USER:
            break
    found: list[AnswerSource] = []
    for message in reversed(turn):
        found += [_attached(message, each) for each in message.attachments]
        if message.tool is not None and message.tool.ending is CallStatus.DONE:
            found += _called(message, message.tool)
    if answer.memory is not None:
        told = answer.memory
        found.insert(0, AnswerSource(SourceKind.MEMORY, "", "", told.question_id, told.memories, told.tokens))
    once = {(each.kind, each.title, each.where): each for each in found}
    # Nothing was said, so nothing was drawn on.
    return tuple(once.values()) if answer.text else ()


# By the name of a tool of ours: the argument that names the file which is there afterwards.
_LEAVES = {
    "read_file": "path",
    "ocr_image": "path",
    "write_file": "path",
    "append_text": "path",
    "replace_text": "path",
    "make_directory": "path",
    "list_directory": "path",
    "move_file": "destination",
}


def file_of(record: ToolRecord) -> str:
    """The file or folder that a call was about, as its tool was told it; "" where there is none."""
    if record.ending is not CallStatus.DONE or record.name not in _LEAVES:
        return ""
    return str(record.arguments.get(_LEAVES[record.name], ""))


def _attached(message: Message, about: Attached) -> AnswerSource:
    if about.kind is AttachmentKind.FOLDER:
        lines = about.name.rpartition(":")[2].split(",")  # "contract.txt:13, 40", as it was kept
        first = int(lines[0]) if lines[0].isdigit() else 0
        return AnswerSource(SourceKind.PASSAGE, about.name, about.path, message.id, line=first)
    kinds = {AttachmentKind.CLIPBOARD: SourceKind.CLIPBOARD, AttachmentKind.SCREEN: SourceKind.SCREEN}
    return AnswerSource(kinds.get(about.kind, SourceKind.ATTACHMENT), about.name, str(about.id), message.id)


def _called(message: Message, record: ToolRecord) -> list[AnswerSource]:
    if record.name == "search_text":
        files = list(dict.fromkeys(_FOUND_IN.findall(message.text)))[:FILES_NAMED]
        return [AnswerSource(SourceKind.FILE, _short(file), file, message.id) for file in files]
    if record.name not in _TOOLS:
        return []
    kind, argument = _TOOLS[record.name]
    where = str(record.arguments.get(argument, "")) if argument else ""
    return [AnswerSource(kind, _short(where) if kind is SourceKind.FILE else where, where, message.id)]


def _short(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or path
