"""Pages that are open while a terminal changes what they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.app import Services, build_core
from desktop.chat.projects import ChatProject
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.memory.item import MemoryStatus, NewItem
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths
from desktop.tools.recurrence import Recurrence, RecurrenceUnit
from desktop.tools.times import local_now
from desktop.ui.widgets.cards import Row
from tests.extensions.world import package
from tests.ui.every_window import House, house

WORDS = "XQZ"


def project(other: Services, _folder: Path) -> None:
    other.chat_projects.save(ChatProject(WORDS))


def permission(other: Services, folder: Path) -> None:
    other.grants.add(GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, WORDS, folder))


def token(other: Services, _folder: Path) -> None:
    other.program_tokens.make(WORDS)


def worker(other: Services, folder: Path) -> None:
    WorkerFile(other.paths).put(Worker(WORDS.casefold(), "nowhere.invalid", (str(folder / WORDS),)))


def schedule(other: Services, _folder: Path) -> None:
    now = local_now()
    other.reminders.add(WORDS, now, Recurrence(RecurrenceUnit.DAY, 9, 0, now.date()), asks=True)


def extension(other: Services, folder: Path) -> None:
    other.extensions.registry.install(package(folder / "xqz", "", more=f'name = "{WORDS}"'))


def memory(other: Services, _folder: Path) -> None:
    other.memory.store.add(NewItem(WORDS, status=MemoryStatus.PINNED))


def shown(made: House, title: str) -> bool:
    page = made.desktop.pages.page
    assert page is not None
    if title == "Memory":
        return bool(page.model.rows)  # type: ignore[attr-defined]
    return any(WORDS in row.words.text() + row.accessibleDescription() for row in page.findChildren(Row))


@pytest.mark.parametrize(
    ("title", "change"),
    [
        ("Projects", project),
        ("Permissions", permission),
        ("Programs", token),
        ("Workers", worker),
        ("Schedules", schedule),
        ("Extensions", extension),
        ("Memory", memory),
    ],
)
def test_what_another_process_writes_is_shown(
    qapp: QApplication,
    qtbot: QtBot,
    paths: Paths,
    tmp_path: Path,
    title: str,
    change: Callable[[Services, Path], None],
) -> None:
    """Without a click, and without leaving the page."""
    with house(paths, qapp, qtbot) as made:
        made.desktop.pages.show_page(title)
        made.settle()
        assert not shown(made, title)
        other = build_core(paths)
        try:
            change(other, tmp_path)
            qtbot.waitUntil(lambda: shown(made, title), timeout=10_000)
        finally:
            other.close()
