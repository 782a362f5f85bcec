"""Reading files of conversations: Steward's own JSON, and the JSON that ChatGPT exports.

The file comes from elsewhere, so a child of `desktop.sandbox.parser` reads it. One conversation that cannot
be read costs the others nothing: it is named with its reason, and the rest comes in.

ChatGPT's `conversations.json` is a list of conversations, each with a `mapping` of nodes (`message`,
`parent`, `children`) and the `current_node`; from it come the words of the user and of the assistant with all
their versions. Calls of tools, pictures and hidden messages are left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from desktop.chat.export_import import FORMAT, VERSION, ChatsForm, ConversationForm, MessageForm
from desktop.chat.messages import Role, ToolRecord
from desktop.chat.reasons import ChatReason
from desktop.errors import UserFacing
from desktop.paths import open_regular
from desktop.reasons import Reason
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits
from desktop.sandbox.parser_child import ParseRefused

LARGEST_BYTES = 1024**3
READER = "desktop.chat.chat_imports:read_file"
LIMITS = ParserLimits(time_s=300.0, memory_bytes=12_000_000_000, result_bytes=4 * LARGEST_BYTES)
NAMED_CHARACTERS = 60
# A JSON text, so far as is needed to find where its lists and objects end.
_PIECES = re.compile(r'"(?:[^"\\]+|\\.)*+"|[\[\]{}]', re.DOTALL)
_LATEST_S = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
_WRONG = (ValidationError, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class ReadChats:
    """What a file holds; `refused` names each conversation that cannot be read, and why, in a sentence."""

    chats: ChatsForm
    refused: tuple[str, ...] = ()


def read_chats(file: Path, parser: Parser) -> ReadChats:
    """A file of `export_import.write_json`, or ChatGPT's. Blocks. Raises UserFacing.

    Where some of it can be read, that is returned; only a file of which nothing can be read is refused.
    """
    try:
        # Refused before a process is started for it.
        if file.stat().st_size > LARGEST_BYTES:
            raise _unknown(file, ChatReason.OVER_ONE_GB.of())
        with open_regular(file):
            pass  # the child could only say that it failed, and would wait at a pipe
        said = parser.parse(READER, file.resolve(), limits=LIMITS)
    except OSError as error:
        raise _unreadable(file, error) from error
    except ParseFailed as failed:
        raise _refused(file, failed) from failed
    refused = tuple(said["refused"])
    # Nothing came in: then it is an error and no partial success.
    if refused and not said["chats"]["conversations"]:
        raise _unknown(file, refused[0])
    return ReadChats(ChatsForm.model_validate(said["chats"]), refused)


def _refused(file: Path, failed: ParseFailed) -> UserFacing:
    if failed.reason == "newer":
        return UserFacing(ChatReason.IMPORT_NEWER.of())
    reasons = {
        ParseFailure.TOO_SLOW: ChatReason.TOO_SLOW.of(minutes=round(LIMITS.time_s / 60)),
        ParseFailure.TOO_LARGE: ChatReason.TOO_MUCH_MEMORY.of(),
        ParseFailure.BROKEN: ChatReason.BROKEN_FILE.of(),
    }
    return _unknown(file, failed.reason or reasons.get(failed.failure, ChatReason.READING_STOPPED.of()))


# -- in the child ---------------------------------------------------------------------------------


def read_file(source: Path) -> dict[str, Any]:
    """`chats` as a ChatsForm in JSON, and `refused`. Raises Refused with "newer" or a reason in words."""
    entries = _Entries.of(source.read_text(encoding="utf-8-sig", errors="replace"))
    taken, refused = [], []
    for number, entry in enumerate(entries.found, 1):
        try:
            taken.append(entries.read(entry).model_dump(mode="json"))
        # One bad conversation costs the others nothing.
        except _WRONG as error:
            refused.append(f"{_named(number, entry)} {_reason(error)}")
    return {"chats": {"program": entries.program, "conversations": taken}, "refused": refused}


@dataclass(frozen=True)
class _Entries:
    """The conversations of a file as they stand there; a text stands for one that is no JSON."""

    program: str
    found: list[Any]
    read: Callable[[Any], ConversationForm]

    @classmethod
    def of(cls, text: str) -> _Entries:
        """Raises Refused."""
        facts = _json(text)
        if isinstance(facts, list):
            return cls("ChatGPT", facts, _of_chatgpt)
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise ParseRefused("it is neither an export of Steward nor ChatGPT's conversations.json")
        version = facts.get("version", 0)
        # True is an int in Python, and 1.0 equals 1; a version is neither.
        if type(version) is not int:
            raise ParseRefused("its version is no number")
        if version > VERSION:
            raise ParseRefused("newer")
        found = facts.get("conversations", [])
        if not isinstance(found, list):
            raise ParseRefused("it has no list of conversations")
        return cls(str(facts.get("program", "")), found, _of_steward)


def _json(text: str) -> Any:
    """Where the whole is no JSON, or nested too deeply, its conversations one by one."""
    # The whole first: it is faster, and right for nearly every file.
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        head, bracket, _ = text.partition("[")
        if bracket and not head.strip():
            return [_or_text(piece) for piece in _items(text, 0)]
        if not re.search(rf'"format"\s*:\s*"{FORMAT}"', head) or not head.rstrip().endswith(":"):
            raise ParseRefused("it is no JSON") from None
        found = [_or_text(piece) for piece in _items(text, len(head))]
        version = re.search(r'"version"\s*:\s*(\d{1,9})', head)
        return {"format": FORMAT, "version": int(version[1]) if version else 0, "conversations": found}


def _loads(text: str) -> Any:
    """NaN and the infinities, which are no JSON but are written, become null."""
    return json.loads(text, parse_constant=lambda _name: None)


def _or_text(piece: str) -> Any:
    try:
        return _loads(piece)
    except (ValueError, RecursionError):
        return piece


def _items(text: str, start: int) -> Iterator[str]:
    """The objects in the list that begins at `start`; one that does not end goes to the end of the text."""
    depth, begun = 0, -1
    for found in _PIECES.finditer(text, start):
        mark = found[0]
        if mark in "[{":
            depth += 1
            if depth == 2 and mark == "{":
                begun = found.start()
        elif mark in "]}":
            depth -= 1
            if depth == 1 and begun >= 0:
                yield text[begun : found.end()]
                begun = -1
            if depth == 0:
                return
    if begun >= 0:
        yield text[begun:]


def _named(number: int, entry: Any) -> str:
    title = entry.get("title") if isinstance(entry, dict) else None
    if not isinstance(title, str) or not title.strip():
        return f"Conversation {number}"
    return f"Conversation {number}, “{_whole(title).strip()[:NAMED_CHARACTERS]}”,"


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"is not as it should be: {where}: {first['msg'].lower()}"
    if isinstance(error, KeyError):
        return f"lacks its “{error.args[0]}”"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return f"is not as it should be: {error}"


def _whole(text: str) -> str:
    """Half of a character beyond the basic plane cannot be stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _cleaned(value: Any) -> Any:
    """`value` with all texts storable. Raises RecursionError."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, dict):
        return {_whole(str(name)): _cleaned(each) for name, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list) else value


def _object(entry: Any) -> dict[str, Any]:
    if isinstance(entry, str):
        raise ValueError("it is no JSON, or nested too deeply")
    if not isinstance(entry, dict):
        raise TypeError("it is no object")
    return entry


def _of_steward(entry: Any) -> ConversationForm:
    read = ConversationForm.model_validate(_cleaned(_object(entry)))
    for message in read.messages:
        if message.role is Role.TOOL:
            ToolRecord.read(json.dumps({"ending": "", **(message.tool or {}), "changes": []}))
    return read


# -- ChatGPT --------------------------------------------------------------------------------------


def _of_chatgpt(entry: Any) -> ConversationForm:
    facts = _cleaned(_object(entry))
    nodes: dict[str, Any] = facts["mapping"]
    if not isinstance(nodes, dict) or not all(isinstance(node, dict) for node in nodes.values()):
        raise TypeError("its “mapping” is no object of nodes")
    began = _moment(facts.get("create_time"), 0.0)
    numbers: dict[str, int] = {}  # of the nodes that are taken
    nearest: dict[str, int | None] = {}  # of each node, itself or the one above it that is taken
    messages: list[MessageForm] = []
    for name in _from_the_roots(nodes):
        parent = nearest.get(nodes[name].get("parent") or "")
        text, role = _words(nodes[name].get("message"))
        if text and role is not None:
            numbers[name] = len(numbers) + 1
            messages.append(_message(numbers[name], parent, role, text, nodes[name]["message"], began))
        nearest[name] = numbers.get(name, parent)
    return ConversationForm(
        title=str(facts.get("title") or "ChatGPT"),
        created_at=began,
        updated_at=_moment(facts.get("update_time"), began.timestamp()),
        open=nearest.get(facts.get("current_node") or ""),
        messages=tuple(messages),
    )


def _from_the_roots(nodes: Mapping[str, Any]) -> Iterator[str]:
    """Every node after its parent, and siblings in their order.

    A file may name a node as its own ancestor: a circle begins with the node of it that stands first.
    """
    below = {name: dict.fromkeys(node.get("children") or ()) for name, node in nodes.items()}
    roots = []
    for name, node in nodes.items():
        parent = node.get("parent")
        # One that its parent does not know of is its child all the same.
        if parent in nodes:
            below[parent].setdefault(name)
        else:
            roots.append(name)
    waiting = [*reversed(list(nodes)), *reversed(roots)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in nodes:
            continue
        seen.add(name)
        yield name
        waiting += reversed(below[name])


def _message(
    number: int, parent: int | None, role: Role, text: str, facts: Mapping[str, Any], began: datetime
) -> MessageForm:
    model = (facts.get("metadata") or {}).get("model_slug") or ""
    return MessageForm(
        id=number,
        parent=parent,
        role=role,
        text=text,
        created_at=_moment(facts.get("create_time"), began.timestamp()),
        model=str(model) if role is Role.ASSISTANT else "",
    )


def _words(message: Mapping[str, Any] | None) -> tuple[str, Role | None]:
    """What a person would have read of a node; nothing for what was hidden or no words."""
    if not message or (message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
        return "", None
    role = {"user": Role.USER, "assistant": Role.ASSISTANT}.get(
        str((message.get("author") or {}).get("role"))
    )
    content = message.get("content") or {}
    if content.get("content_type") not in ("text", "multimodal_text"):
        return "", None
    parts = content.get("parts")
    parts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    return "\n\n".join(part for part in parts if part.strip()), role


def _moment(seconds: Any, otherwise: float) -> datetime:
    """What is no moment of a calendar is not known."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or not 0 <= seconds < _LATEST_S:
        seconds = otherwise
    return datetime.fromtimestamp(float(seconds), UTC)


# -- refusals -------------------------------------------------------------------------------------


def _unreadable(file: Path, error: OSError) -> UserFacing:
    return UserFacing(ChatReason.IMPORT_UNREADABLE.of(file=file, error=error.strerror or str(error)))


def _unknown(file: Path, reason: Reason | str) -> UserFacing:
    return UserFacing(ChatReason.IMPORT_UNKNOWN.of(name=file.name, reason=reason))
