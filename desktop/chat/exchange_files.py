"""Writing files of conversations: JSON, which comes back with `chat_imports`, and Markdown to read."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

from desktop.chat.exchange_form import ChatsForm, ConversationForm, MessageForm, open_branch
from desktop.chat.records import Role
from desktop.errors import UserFacing
from desktop.paths import write_atomically

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
