"""In which order the sidebar shows what there is."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

pytest.importorskip("PySide6", reason="this is drawn by Qt")

from desktop.chat.projects import ChatProject
from desktop.chat.store import Conversation
from desktop.ui.chat.conversation_list import Header, grouped

TODAY = date(2026, 11, 28)


def chat(number: int, project: ChatProject | None = None) -> Conversation:
    moment = datetime(2026, 11, 28, 12, tzinfo=UTC)
    id_, name = (project.id, project.name) if project else (0, "")
    return Conversation(number, f"Chat {number}", False, moment, moment, project_id=id_, project=name)


def test_empty_projects_do_not_hide_the_chats() -> None:
    """A project with chats stands above the days, two hundred without one below them."""
    projects = [ChatProject(f"P{number}", id=number) for number in range(1, 202)]
    rows = grouped([chat(1), chat(2, projects[200])], TODAY, projects)
    titles = [row.title for row in rows if isinstance(row, (Header, Conversation))]
    assert titles[:4] == ["P201", "Chat 2", "Today", "Chat 1"]
    assert titles[4:] == [f"P{number}" for number in range(1, 201)]
    assert all(isinstance(row, Header) and row.takes_chats for row in rows[4:])
