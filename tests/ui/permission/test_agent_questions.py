"""From a hook's bytes through the real handler and the real dialog back to the agent's form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.agents.events import DecidedBy
from desktop.agents.hook_request import PendingHook
from desktop.gate.journal import Journal, JournalLimits
from desktop.gate.snapshots import Snapshots
from desktop.gate.undo import undo
from desktop.paths import Paths
from desktop.qt.asker import QtAsker
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.permission.presenter import PermissionPresenter
from desktop.ui.theme import Theme
from tests.agents.gatehouse import Gatehouse

ARTEFACTS = Path(__file__).resolve().parents[3] / "test-artefacts" / "permission"


def words(dialog: PermissionDialog, name: str) -> str:
    found = dialog.findChild(QLabel, name)
    assert found is not None
    return found.text().replace("\u200b", "")


@dataclass
class Post:
    """A gatehouse whose questions are asked in a real window."""

    house: Gatehouse
    asker: QtAsker
    presenter: PermissionPresenter
    pool: ThreadPoolExecutor
    qtbot: QtBot

    def hook(self, command: str, **more: Any) -> Future[dict[str, Any]]:
        held = self.house.handler.quick("claude-code", self.house.bash(command, **more))
        assert isinstance(held, PendingHook)
        return self.pool.submit(lambda: dict(json.loads(self.house.handler.hold(held).body)))

    def dialog(self) -> PermissionDialog:
        self.qtbot.waitUntil(lambda: self.presenter.dialog is not None)
        assert self.presenter.dialog is not None
        self.presenter.dialog.activateWindow()
        dialog = self.presenter.dialog
        self.qtbot.waitUntil(lambda: dialog.input_guard.armed)
        return dialog

    def answer(self, asked: Future[dict[str, Any]]) -> dict[str, Any]:
        self.qtbot.waitUntil(asked.done)
        return dict(asked.result()["hookSpecificOutput"])


@pytest.fixture
def post(theme: Theme, qtbot: QtBot, paths: Paths, tmp_path: Path) -> Iterator[Post]:
    house = Gatehouse(paths, tmp_path)
    asker = QtAsker(tick_ms=20)
    house.asker = asker
    presenter = PermissionPresenter(asker, lambda _question: None, arm_ms=50)
    pool = ThreadPoolExecutor(4)
    yield Post(house, asker, presenter, pool, qtbot)
    asker.close()
    presenter.close()
    pool.shutdown(wait=True)
    house.close()
    for made in (presenter, asker):
        made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_allow_goes_back_to_the_agent(post: Post) -> None:
    """What deletes is shown with the part that decided, and a click on Allow is Claude Code's allow."""
    (post.house.project / "a.pyc").write_bytes(b"12345")
    asked = post.hook("git status && rm *.pyc")
    dialog = post.dialog()
    assert dialog.body.arguments.toPlainText() == "git status && rm *.pyc"
    assert [waiting.text for waiting in post.house.handler.waiting] == ["git status && rm *.pyc"]
    cursor = dialog.body.arguments.document().find("rm")
    assert cursor.charFormat().fontUnderline()
    assert dialog.body.files is not None
    assert "5 bytes" in dialog.body.files.toPlainText() or "5 B" in dialog.body.files.toPlainText()
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    dialog.grab().save(str(ARTEFACTS / "agent-real.png"))
    post.qtbot.mouseClick(dialog.footer.allow, Qt.MouseButton.LeftButton)
    answer = post.answer(asked)
    assert answer["hookEventName"] == "PreToolUse"
    assert answer["permissionDecision"] == "allow"
    assert post.house.decided[-1].by is DecidedBy.USER
    assert post.house.handler.waiting == ()


def test_a_copy_that_was_kept_can_be_undone(post: Post) -> None:
    """The box is ticked from the start, the agent deletes, and Undo brings the file back."""
    house = post.house
    kept = house.project / "notes.txt"
    kept.write_text("mine", encoding="utf-8")
    journal = Journal(house.database, house.paths.journal, JournalLimits(10_000_000, 5_000_000))
    house.make(snapshots=Snapshots(journal))
    asked = post.hook("rm notes.txt")
    dialog = post.dialog()
    assert "Can be undone only if a copy is kept." in words(dialog, "permission_risk")
    post.qtbot.mouseClick(dialog.footer.allow, Qt.MouseButton.LeftButton)
    assert post.answer(asked)["permissionDecision"] == "allow"
    kept.unlink()
    assert house.decided[-1].changes
    undo(journal, house.decided[-1].changes[0])
    assert kept.read_text(encoding="utf-8") == "mine"


def test_deny_with_words_goes_back_to_the_agent(post: Post) -> None:
    """The agent reads why."""
    asked = post.hook("rm -rf build")
    dialog = post.dialog()
    dialog.footer.instead.click()
    post.qtbot.keyClicks(dialog.footer.field, "keep it")
    post.qtbot.keyClick(dialog.footer.field, Qt.Key.Key_Return)
    answer = post.answer(asked)
    assert answer["permissionDecision"] == "deny"
    assert "keep it" in answer["permissionDecisionReason"]


def test_a_yes_for_the_session_is_not_asked_again(post: Post) -> None:
    """The menu's words are those of the grant, and the same command then passes."""
    asked = post.hook("mkdir -p src/new")
    dialog = post.dialog()
    entries = {action.objectName(): action for action in dialog.footer.menu.actions()}
    assert "exactly this command" in entries["permission_scope_session"].text()
    entries["permission_scope_session"].trigger()
    assert post.answer(asked)["permissionDecision"] == "allow"
    again = post.house.handler.quick("claude-code", post.house.bash("mkdir -p src/new"))
    assert not isinstance(again, PendingHook)


def test_several_agents_wait_in_one_line(post: Post) -> None:
    """The dialog counts them and names who waits; all can be denied at once."""
    asked = [post.hook(f"rm -rf build/{number}") for number in range(3)]
    dialog = post.dialog()
    post.qtbot.waitUntil(lambda: dialog.footer.deny_all.text() == "Deny all (3)")
    assert "2 more are waiting: Claude Code" in words(dialog, "permission_time")
    post.qtbot.mouseClick(dialog.footer.deny_all, Qt.MouseButton.LeftButton)
    assert {post.answer(each)["permissionDecision"] for each in asked} == {"deny"}


def test_a_reason_is_said_once(post: Post) -> None:
    """Why it is asked, and not again in the plain line."""
    asked = post.hook("rm -rf build")
    dialog = post.dialog()
    shown = [label.text().replace("\u200b", "") for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert sum("removes something" in line for line in shown) == 1
    post.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert post.answer(asked)["permissionDecision"] == "deny"
