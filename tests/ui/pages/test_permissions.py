"""The Permissions page: listed, searched, revoked, live; and the switches, the dangerous one confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.gate.grants import Covers, Grant, GrantKind, Grants, GrantScope
from desktop.paths import Paths
from desktop.settings import PermissionSettings
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from desktop.ui.pages.permissions import (
    ChatNames,
    ChatPermissions,
    GrantLine,
    PermissionsPage,
    about,
    history,
)
from desktop.ui.widgets.error_card import ErrorCard
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton

HERE = Path("/home/me/project")

DOCS = Covers("run_command", GrantKind.EXACT, "make docs", HERE)

LIST = Covers("write_file", GrantKind.EXACT, "/home/me/Steward/list.txt", Path("/home/me/Steward"))

Make = Callable[..., PermissionsPage]


@pytest.fixture
def make(world: World) -> Make:
    def made(**more: object) -> PermissionsPage:
        page = PermissionsPage(
            world.grants,
            world.settings,
            world.relay,
            world.background,
            ChatPermissions(lambda chat: f"Chat number {chat}", **more),  # type: ignore[arg-type]
        )
        world.show(page)
        return page

    return made


def rows(page: PermissionsPage) -> list[str]:
    return [row.accessibleName() for row in page.rows.list.rows]


def text_of(page: PermissionsPage, row: int) -> str:
    labels = page.rows.list.rows[row].findChildren(QLabel)
    return " ".join(label.text().replace("\u200b", "") for label in labels)


def button(page: PermissionsPage, name: str) -> QPushButton:
    found = page.findChild(QPushButton, name)
    assert found is not None
    return found


def test_nothing_is_allowed_yet(world: World, make: Make) -> None:
    """Plain words say how something gets here, and nothing offers to revoke."""
    page = make()
    world.until(lambda: "allowed nothing" in page.rows.empty.text())
    assert not page.revoke_all.isVisible()
    assert not page.search.isVisible()
    heading = next(each for each in page.findChildren(QLabel) if each.text() == "What you allowed")
    bottom = heading.mapTo(page, heading.rect().bottomLeft()).y()
    # What is not there leaves no room between the heading and the sentence.
    world.until(lambda: page.rows.empty.mapTo(page, page.rows.empty.rect().topLeft()).y() - bottom < 20)


def test_each_grant_is_listed_with_all_that_is_known(
    world: World, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words of the grant exactly, scope, tool, folder, chat, when, uses and when it ends."""
    now, twenty_days = time.time(), 20 * 24 * 3600
    world.grants = Grants(world.database, now=lambda: now)
    monkeypatch.setattr("desktop.ui.pages.permissions.time", SimpleNamespace(time=lambda: now))
    earlier = Grants(world.database, now=lambda: now - twenty_days)
    earlier.add(GrantScope.ALWAYS, DOCS)
    chat = world.grants.add(GrantScope.CHAT, LIST, "7")
    assert world.grants.use([chat])
    page = make()
    world.until(lambda: len(rows(page)) == 2)
    assert rows(page) == [str(grant.in_words()) for grant in world.grants.listed()]
    first, second = text_of(page, 0), text_of(page, 1)
    for part in (
        "Tool: write_file",
        "Folder: /home/me/Steward",
        "Chat: Chat number 7",
        "used once, last today",
    ):
        assert part in first
    assert "Scope: always in this folder" in second
    assert "not used yet" in second
    ends = time.localtime(now - twenty_days + 90 * 24 * 3600)
    assert f"ends on {ends.tm_mday} {time.strftime('%b %Y', ends)}" in second


def test_the_search_narrows_the_list(world: World, make: Make) -> None:
    """By any word of the grant, its folder or its chat."""
    world.grants.add(GrantScope.ALWAYS, DOCS)
    world.grants.add(GrantScope.CHAT, LIST, "7")
    page = make()
    world.until(lambda: len(rows(page)) == 2)
    for text, count in (("docs", 1), ("NUMBER 7", 1), ("home me", 2), ("nowhere", 0)):
        page.search.setText(text)
        assert len(rows(page)) == count, text
    assert "No permission matches" in page.rows.empty.text()
    assert page.count.text() == "0 of 2 permissions"


def test_one_is_revoked_and_can_be_had_back(world: World, make: Make) -> None:
    """Revoke works at once; Undo in the toast restores the same grant. The keyboard stays in the list."""
    world.grants.add(GrantScope.ALWAYS, DOCS)
    world.grants.add(GrantScope.CHAT, LIST, "7")
    page = make()
    world.until(lambda: len(rows(page)) == 2)
    before = world.grants.listed()
    first = button(page, f"revoke_{before[0].id}")
    first.setFocus()
    world.qtbot.keyClick(first, Qt.Key.Key_Space)
    world.until(lambda: len(rows(page)) == 1)
    assert [grant.id for grant in world.grants.listed()] == [before[1].id]
    assert button(page, f"revoke_{before[1].id}").hasFocus()
    world.qtbot.mouseClick(page.toast.button, LEFT)
    world.until(lambda: len(rows(page)) == 2)
    assert world.grants.listed() == before


def test_revoking_all_asks_in_place(world: World, make: Make) -> None:
    """Keeping them is the focused answer and what Esc does; the other ends every one."""
    world.grants.add(GrantScope.ALWAYS, DOCS)
    world.grants.add(GrantScope.CHAT, LIST, "7")
    page = make()
    world.until(page.revoke_all.isVisible)
    world.qtbot.mouseClick(page.revoke_all, LEFT)
    assert page.confirm.no.hasFocus()
    assert "all 2 permissions" in page.confirm.words.text()
    world.qtbot.keyClick(page.confirm.no, Qt.Key.Key_Escape)
    assert page.isVisible()
    assert len(world.grants.listed()) == 2
    world.qtbot.mouseClick(page.revoke_all, LEFT)
    world.qtbot.mouseClick(page.confirm.yes, LEFT)
    world.until(lambda: rows(page) == [])
    assert world.grants.listed() == []


def test_a_grant_made_elsewhere_appears(world: World, make: Make) -> None:
    """When a call ends while the page is open the list is read again."""
    page = make()
    world.until(lambda: bool(page.rows.empty.text()))
    world.grants.add(GrantScope.ALWAYS, DOCS)
    world.bus.publish(ToolEnded(1, CallResult(Call("a", "run_command"), CallStatus.DONE, "done")))
    world.until(lambda: len(rows(page)) == 1)


def test_many_grants_come_in_parts(world: World, make: Make) -> None:
    """A hundred rows at once, the next on demand, and the search looks at all."""
    for number in range(130):
        world.grants.add(GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, f"make {number}", HERE))
    page = make()
    world.until(lambda: len(rows(page)) == 100)
    assert page.rows.more.text() == "Show 30 more of 30"
    page.search.setText("this: make 55,")
    assert rows(page) == ["run_command for exactly this: make 55, always in /home/me/project"]
    page.search.clear()
    world.qtbot.mouseClick(page.rows.more, LEFT)
    assert len(rows(page)) == 130


def test_what_cannot_be_seen_in_a_grant_is_written_out(world: World, make: Make) -> None:
    """A command that would read backwards shows its marks."""
    world.grants.add(GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, "ls \u202egpj.exe", HERE))
    page = make()
    world.until(lambda: len(rows(page)) == 1)
    assert "\u202e" not in text_of(page, 0)
    assert "202e" in text_of(page, 0).lower()


def test_the_switches_are_those_of_the_settings(world: World, make: Make) -> None:
    """Title and help come from the declaration; a click is on disk."""
    page = make()
    assert set(page.switches.rows) == set(PermissionSettings.model_fields)
    box = page.switches.rows["auto_allow_read"].control
    assert box.accessibleName() == PermissionSettings.model_fields["auto_allow_read"].title
    box.click()
    world.until(lambda: not world.settings.current.permissions.auto_allow_read)
    world.settings.change("permissions", "auto_allow_read", True)
    world.until(box.isChecked)


def test_never_asking_is_confirmed_first(world: World, make: Make) -> None:
    """The click alone changes nothing; only the red answer does, and switching off needs no question."""
    page = make()
    box = page.switches.rows["dangerously_skip_permissions"].control
    confirm = page.switches.confirm
    box.click()
    assert not box.isChecked()
    assert confirm.isVisible()
    world.qtbot.mouseClick(confirm.no, LEFT)
    assert not world.settings.current.permissions.dangerously_skip_permissions
    box.click()
    world.qtbot.mouseClick(confirm.yes, LEFT)
    world.until(box.isChecked)
    assert world.settings.current.permissions.dangerously_skip_permissions
    box.click()
    world.until(lambda: not world.settings.current.permissions.dangerously_skip_permissions)


def test_a_setting_of_the_environment_is_told(
    world: World, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A click that cannot count now says why, and the box shows what is true."""
    monkeypatch.setenv("STEWARD_PERMISSIONS__AUTO_ALLOW_READ", "true")
    page = make()
    box = page.switches.rows["auto_allow_read"].control
    box.click()
    world.until(lambda: page.findChild(ErrorCard) is not None)
    card = page.findChild(ErrorCard)
    assert card is not None
    assert "STEWARD_PERMISSIONS__AUTO_ALLOW_READ" in card.error.cause
    assert box.isChecked()


def test_open_folders_are_listed_and_closed(world: World, make: Make, tmp_path: Path) -> None:
    """A folder that was opened to the assistant can be closed again; without any, no heading."""
    granted = tmp_path / "Downloads"
    granted.mkdir()
    page = make(
        folders=lambda: world.workspace.folders[1:],
        close_folder=world.workspace.revoke,
        open_folder=world.workspace.grant,
    )
    assert not page.folders_heading.isVisible()
    world.workspace.grant(granted)
    page.shown()
    assert page.folders_heading.isVisible()
    world.qtbot.mouseClick(button(page, "close_folder"), LEFT)
    world.until(lambda: not page.folders_heading.isVisible())
    assert world.workspace.folders == (world.workspace.root,)
    page.toast.button.click()
    world.until(page.folders_heading.isVisible)
    assert world.workspace.folders == (world.workspace.root, granted)


NOW = datetime(2026, 3, 4, 12).timestamp()

COVERS = Covers("Bash of claude-code", GrantKind.PROGRAM, "go test", Path("/home/me/project"))


@pytest.mark.parametrize("scope", GrantScope)
def test_every_scope_has_words(scope: GrantScope) -> None:
    """No grant is listed without how long it holds."""
    assert "Scope: " in about(GrantLine(Grant(1, scope, COVERS, "", NOW, NOW, 0)))


def test_a_grant_for_a_time_says_when_it_ends() -> None:
    """Used or not, it ends on its day; others end after 90 days without use."""
    week = Grant(1, GrantScope.WEEK, COVERS, "", NOW, NOW, 3, until=datetime(2026, 3, 11, 12).timestamp())
    assert history(week, NOW).endswith("ends on 11 Mar 2026")
    assert history(Grant(1, GrantScope.ALWAYS, COVERS, "", NOW, NOW, 3), NOW).endswith("unless it is used")


@pytest.fixture
def store(paths: Paths) -> Iterator[ChatStore]:
    database = Database(paths.database, MIGRATIONS)
    yield ChatStore(database)
    database.close()


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        ("1", "Holiday plans"),
        ("99", "a chat that was deleted"),
        ("claude-code/1a2b", "Claude Code, session 1a2b"),
        ("somebody/1a2b", "somebody, session 1a2b"),
        ("something else", "something else"),
    ],
)
def test_a_chat_has_a_name(store: ChatStore, chat: str, words: str) -> None:
    """Our chats by their title, agents by theirs with the session, what is unknown as it stands."""
    store.create("Holiday plans")
    assert ChatNames(store)(chat) == words
