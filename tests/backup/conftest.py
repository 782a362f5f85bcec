"""A profile with something of everything, on real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.backup.manifest import ReadableVersions
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore, Role
from desktop.database import Database, known_schema
from desktop.paths import Paths, ensure

KNOWN = ReadableVersions("1.0", known_schema(MIGRATIONS))


def fill(paths: Paths, words: str) -> None:
    """Conversations, settings, kept bytes, a model, and what no backup may hold."""
    say(paths, words)
    ensure(paths.config)
    paths.settings.write_text(
        f'[chat]\nsystem_prompt = "{words}"\n\n[network]\nproxy = "http://ada:hunter2@proxy:3128"\n', "utf-8"
    )
    paths.window.write_text("{}", "utf-8")
    (paths.data / "audit-head.json").write_text('{"number": 1}', "utf-8")
    ensure(paths.journal)
    (paths.journal / ("a" * 64)).write_bytes(b"before " + words.encode())
    skill = ensure(paths.skills / "our minutes")
    (skill / "SKILL.md").write_text(
        f"---\nname: minutes\ndescription: How we write.\n---\n{words}\n", "utf-8"
    )
    (ensure(skill / "scripts") / "zähle.py").write_text(words, "utf-8")
    ensure(paths.models)
    (paths.models / "tiny.gguf").write_bytes(b"GGUF" + words.encode() * 1000)
    (paths.models / "models.json").write_text("[]", "utf-8")
    paths.secrets.write_text('{"token": "hf_very_secret"}', "utf-8")
    (paths.config / "agent_tokens.json").write_text('{"claude": "token-hash"}', "utf-8")


def say(paths: Paths, words: str) -> None:
    database = Database(paths.database, MIGRATIONS)
    store = ChatStore(database)
    store.add(store.create(words).id, Role.USER, words)
    database.close()


def said(paths: Paths) -> list[str]:
    """What the conversations of a profile are called."""
    database = Database(paths.database, MIGRATIONS)
    try:
        return [conversation.title for conversation in ChatStore(database).conversations()]
    finally:
        database.close()


@pytest.fixture
def old(tmp_path: Path) -> Paths:
    """The profile that a backup is made of."""
    paths = Paths.under(tmp_path / "old")
    fill(paths, "old words")
    return paths


@pytest.fixture
def new(tmp_path: Path) -> Paths:
    """The profile that it is restored in, which has something of its own."""
    paths = Paths.under(tmp_path / "new")
    fill(paths, "new words")
    return paths
