"""Writing and reading files of conversations: JSON, Markdown, and the JSON that ChatGPT exports.

ChatGPT's `conversations.json` is a list of conversations, each with a `mapping` of nodes (`message`,
`parent`, `children`) and the `current_node`; from it come the words of the user and of the assistant with all
their versions. Calls of tools, pictures and hidden messages are left out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from desktop.chat.exchange_form import (
    FORMAT,
    VERSION,
    ChatsForm,
    ConversationForm,
    MessageForm,
    open_branch,
)
from desktop.chat.records import Role
from desktop.errors import UserFacing
from desktop.paths import write_atomically

LARGEST_BYTES = 1024**3
_SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Steward", Role.TOOL: "Tool", Role.NOTICE: "Note"}


def write_json(chats: ChatsForm, target: Path) -> None:
    """Replace `target` whole or not at all. Raises UserFacing."""
    text = json.dumps(chats.model_dump(mode="json"), ensure_ascii=False, indent=1)
    _write(target, text + "\n")


def write_markdown(chats: ChatsForm, target: Path) -> tuple[Path, ...]:
    """One conversation into the file `target`, several into the folder `target`. Raises UserFacing."""
    if len(chats.conversations) == 1 and target.suffix.lower() in (".md", ".markdown"):
        _write(target, markdown(chats.conversations[0]))
        return (target,)
    written: list[Path] = []
    for conversation in chats.conversations:
        path = _free(target, file_name(conversation), written)
        _write(path, markdown(conversation))
        written.append(path)
    return tuple(written)


def read_chats(file: Path) -> ChatsForm:
    """A file of `write_json`, or ChatGPT's. Raises UserFacing."""
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise _unknown(file, "it is larger than 1 GB")
        facts = json.loads(file.read_bytes())
    except OSError as error:
        raise _unreadable(file, error) from error
    except ValueError as error:
        raise _unknown(file, "it is no JSON") from error
    try:
        if isinstance(facts, list):
            return _from_chatgpt(facts)
        if isinstance(facts, dict) and facts.get("format") == FORMAT:
            return _own(facts)
    except (ValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unknown(file, "something in it is not as it should be") from error
    raise _unknown(file, "it is neither an export of Steward nor ChatGPT's conversations.json")


def _own(facts: dict[str, Any]) -> ChatsForm:
    if int(facts.get("version", 0)) > VERSION:
        raise UserFacing(
            "This file was written by a newer Steward.",
            "Nothing was changed.",
            "Install the newer version here, then import.",
            code="chats-newer",
        )
    return ChatsForm.model_validate(facts)


# -- Markdown -------------------------------------------------------------------------------------


def markdown(conversation: ConversationForm) -> str:
    """The open branch as it reads, and after it what other versions there are."""
    branch = open_branch(conversation)
    others = [message for message in conversation.messages if message not in branch]
    spoken = [m for m in others if m.role is not Role.NOTICE]
    began = f"{conversation.created_at:%Y-%m-%d %H:%M} UTC"
    parts = [f"# {conversation.title}", f"_Begun {began}, exported from Steward._"]
    parts += [_told(message) for message in branch]
    if spoken:
        parts += ["---", "# Other versions", *(_told(message) for message in spoken)]
    return "\n\n".join(parts) + "\n"


def _told(message: MessageForm) -> str:
    who = _SPEAKERS[message.role]
    if message.role is Role.ASSISTANT and message.model:
        who += f" ({message.model})"
    if message.role is Role.TOOL and message.tool:
        who += f" ({message.tool.get('name', '')})"
    lines = [f"## {who} · {message.created_at:%Y-%m-%d %H:%M} UTC"]
    lines += [f"_Attached: {each.name}_" for each in message.attachments]
    text = message.text.strip()
    lines.append(_fenced(text) if message.role is Role.TOOL and text else text)
    return "\n\n".join(line for line in lines if line)


def _fenced(text: str) -> str:
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    return f"{'`' * (longest + 1)}\n{text}\n{'`' * (longest + 1)}"


def file_name(conversation: ConversationForm) -> str:
    """The day and the title, in characters that every system takes."""
    title = unicodedata.normalize("NFC", conversation.title)
    title = re.sub(r"[^\w\- ]+", " ", title)
    title = " ".join(title.split())[:60].strip() or "chat"
    return f"{conversation.created_at:%Y-%m-%d} {title}"


def _free(folder: Path, name: str, taken: list[Path]) -> Path:
    path, number = folder / f"{name}.md", 1
    while path in taken:
        number += 1
        path = folder / f"{name} {number}.md"
    return path


# -- ChatGPT --------------------------------------------------------------------------------------


def _from_chatgpt(facts: list[Any]) -> ChatsForm:
    if not all(isinstance(each, dict) and isinstance(each.get("mapping"), dict) for each in facts):
        raise ValueError("no mapping")
    return ChatsForm(program="ChatGPT", conversations=tuple(_conversation(each) for each in facts))


def _conversation(facts: Mapping[str, Any]) -> ConversationForm:
    nodes: dict[str, Any] = facts["mapping"]
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
        title=facts.get("title") or "ChatGPT",
        created_at=began,
        updated_at=_moment(facts.get("update_time"), began.timestamp()),
        open=nearest.get(facts.get("current_node") or ""),
        messages=tuple(messages),
    )


def _from_the_roots(nodes: Mapping[str, Any]) -> Iterator[str]:
    """Every node after its parent, and siblings in their order; a circle is not followed."""
    waiting = [name for name, node in reversed(list(nodes.items())) if node.get("parent") not in nodes]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in nodes:
            continue
        seen.add(name)
        yield name
        waiting += reversed(nodes[name].get("children") or [])


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
    parts = [part for part in content.get("parts") or [] if isinstance(part, str)]
    return "\n\n".join(part for part in parts if part.strip()), role


def _moment(seconds: float | None, otherwise: float) -> datetime:
    return datetime.fromtimestamp(float(seconds if seconds is not None else otherwise), UTC)


# -- files ----------------------------------------------------------------------------------------


def _write(target: Path, text: str) -> None:
    try:
        write_atomically(target, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UserFacing(
            f"{target} could not be written ({error.strerror or error}).",
            "The conversations are unchanged.",
            "Choose a folder that can be written to and has enough room.",
            code="export-refused",
        ) from error


def _unreadable(file: Path, error: OSError) -> UserFacing:
    return UserFacing(
        f"{file} cannot be read ({error.strerror or error}).",
        "Nothing was changed.",
        "Check the name of the file and that you may read it.",
        code="chats-unreadable",
    )


def _unknown(file: Path, reason: str) -> UserFacing:
    return UserFacing(
        f"{file.name} cannot be imported: {reason}.",
        "Nothing was changed.",
        "Choose a file that Steward has exported as JSON, or conversations.json from ChatGPT's export.",
        code="chats-unknown",
    )
