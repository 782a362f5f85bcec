"""Looking into the profile of a running program from outside, without touching it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from desktop.chat import messages as chat_messages
from desktop.paths import Paths


def installed(profile: Path) -> list[str]:
    """Ids of the installed models."""
    listing = Paths.under(profile).models / "models.json"
    if not listing.exists():
        return []
    return [row["id"] for row in json.loads(listing.read_text(encoding="utf-8"))["models"]]


def messages(profile: Path) -> list[tuple[str, str, str]]:
    """Role, status and text of every message, oldest first; a streaming one as far as it is."""
    path = Paths.under(profile).database
    if not path.exists():
        return []
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
    try:
        rows = connection.execute(
            "SELECT role, status, CASE status WHEN 'streaming' THEN coalesce((SELECT group_concat(text, '')"
            " FROM (SELECT text FROM parts WHERE message_id = messages.id ORDER BY number)), '')"
            " ELSE text END FROM messages ORDER BY id"
        ).fetchall()
    except sqlite3.OperationalError:
        return []  # the tables are not made yet
    finally:
        connection.close()
    return [tuple(row) for row in rows]


def answers(profile: Path, status: str) -> list[str]:
    """Texts of the answers with that status."""
    return [text for role, found, text in messages(profile) if role == "assistant" and found == status]


def drafts(profile: Path) -> list[str]:
    """What is typed and not sent, as it is on disk."""
    connection = sqlite3.connect(f"file:{Paths.under(profile).database}?mode=ro", uri=True, timeout=5)
    try:
        return [row[0] for row in connection.execute("SELECT text FROM drafts ORDER BY conversation_id")]
    finally:
        connection.close()


def settings_text(profile: Path) -> str:
    """The settings file as it is, or nothing."""
    path = Paths.under(profile).settings
    return path.read_text(encoding="utf-8") if path.exists() else ""


def branch(profile: Path) -> list[str]:
    """The texts of the open branch of the only conversation, in the order in which they are read."""
    path = Paths.under(profile).database
    if not path.exists():
        return []
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
    connection.row_factory = sqlite3.Row
    try:
        return [message.text for message in chat_messages.branch(connection, 1, None, None, 0)]
    except sqlite3.OperationalError:
        return []  # the tables are not made yet
    finally:
        connection.close()
