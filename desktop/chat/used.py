"""What an answer drew on: files, pages, notes, the clipboard, what went along with the question, memory.

Known from the records of the turn, not from what the model says about itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop.chat.attachments import Attached, Kind
from desktop.chat.store import Message, Role
from desktop.chat.tool_record import ToolRecord
from desktop.tools.calls import Ending


class UsedKind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    PAGE = "page"
    SEARCH = "search"
    NOTE = "note"
    CLIPBOARD = "clipboard"
    SCREEN = "screen"
    ATTACHMENT = "attachment"
    MEMORY = "memory"


@dataclass(frozen=True)
class UsedSource:
    """`where` is how it is found again: a path, an address, the number of an attachment or a memory.

    `message_id` is the message that holds its text: a tool's result, or the question that it went along with.
    """

    kind: UsedKind
    title: str
    where: str = ""
    message_id: int = 0
    memories: int = 0  # of a MEMORY: how many were told, and
    tokens: int = 0  # in how many tokens


# By the name of a tool: what it looks at, and the argument that names it.
_TOOLS = {
    "read_file": (UsedKind.FILE, "path"),
    "ocr_image": (UsedKind.FILE, "path"),
    "list_directory": (UsedKind.FOLDER, "path"),
    "find_files": (UsedKind.FOLDER, "path"),
    "fetch_page": (UsedKind.PAGE, "url"),
    "web_search": (UsedKind.SEARCH, "query"),
    "recall_notes": (UsedKind.NOTE, "query"),
    "clipboard_read": (UsedKind.CLIPBOARD, ""),
    "screenshot_ocr": (UsedKind.SCREEN, ""),
}
_FOUND_IN = re.compile(r"^([^:\n]{1,300}):\d+:", re.MULTILINE)  # a line of what `search_text` gives
FILES_NAMED = 4  # of those in which something was found


def used_by(answer: Message, before: Sequence[Message]) -> tuple[UsedSource, ...]:
    """The sources of `answer`, each once, in order; `before` are the messages above it, oldest first.

    Only what was really read: a call that was refused or failed has given nothing.
    """
    turn: list[Message] = []
    for message in reversed(before):
        turn.append(message)
        if message.role is Role.USER:
            break
    found: list[UsedSource] = []
    for message in reversed(turn):
        found += [_attached(message, each) for each in message.attachments]
        if message.tool is not None and message.tool.ending is Ending.DONE:
            found += _called(message, message.tool)
    if answer.memory is not None:
        told = answer.memory
        found.insert(0, UsedSource(UsedKind.MEMORY, "", "", told.question_id, told.memories, told.tokens))
    once = {(each.kind, each.title, each.where): each for each in found}
    return tuple(once.values()) if answer.text else ()


def _attached(message: Message, about: Attached) -> UsedSource:
    kinds = {Kind.CLIPBOARD: UsedKind.CLIPBOARD, Kind.SCREEN: UsedKind.SCREEN}
    return UsedSource(kinds.get(about.kind, UsedKind.ATTACHMENT), about.name, str(about.id), message.id)


def _called(message: Message, record: ToolRecord) -> list[UsedSource]:
    if record.name == "search_text":
        files = list(dict.fromkeys(_FOUND_IN.findall(message.text)))[:FILES_NAMED]
        return [UsedSource(UsedKind.FILE, _short(file), file, message.id) for file in files]
    if record.name not in _TOOLS:
        return []
    kind, argument = _TOOLS[record.name]
    where = str(record.arguments.get(argument, "")) if argument else ""
    return [UsedSource(kind, _short(where) if kind is UsedKind.FILE else where, where, message.id)]


def _short(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or path
