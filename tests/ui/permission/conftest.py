"""Questions as the tools and the agents ask them, and a window to ask them in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import (
    Answer,
    CommandView,
    FileMatch,
    NetworkUse,
    Origin,
    Question,
    Reach,
    Risk,
    Scope,
    ScopeOffer,
)
from desktop.gate.reasons import GateReason
from desktop.settings import Theme as Mode
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.theme import Theme
from tests.fakes.failures import spoken

SHORT_MS = 20

COMMAND = Question(
    spoken("Run a command?"),
    spoken("Lists what changed in the workspace."),
    Risk.RUNS,
    "git status --short | head  -n 5",
    origin=Origin(conversation_id=1),
    arguments_name=spoken("Command"),
    why="I want to see what has changed so far.",
    reversible=False,
)
WRITE = Question(
    spoken("Overwrite notes.txt?"),
    spoken("Writes notes.txt in the workspace."),
    Risk.CHANGES,
    "notes.txt",
    origin=Origin(conversation_id=1),
    arguments_name=spoken("Path"),
    diff="--- notes.txt\n+++ notes.txt\n"
    "@@ -1,3 +1,3 @@\n Shopping\n-- milk\n+- oat milk\n   indented  text \n",
    why="You asked me to change milk into oat milk.",
    reversible=True,
    network=None,
    scopes=(
        ScopeOffer(Scope.SESSION, spoken("Allow changes to notes.txt for this chat")),
        ScopeOffer(Scope.ALWAYS, spoken("Always allow changes in ~/Documents & notes")),
    ),
)
DELETE = Question(
    spoken("Delete 3 files?"),
    spoken("Moves 3 files from ~/logs to the trash."),
    Risk.DELETES,
    "/home/me/logs/*.log",
    origin=Origin(conversation_id=1),
    arguments_name=spoken("Path"),
    files=(
        FileMatch("/home/me/logs/a.log", 1200),
        FileMatch("/home/me/logs/b\u202egol.exe", 3_400_000),
        FileMatch("/home/me/logs/old"),
    ),
    reversible=True,
    network=None,
)
LONG = Question(
    spoken("Run a command?"),
    spoken("Runs a program outside the workspace."),
    Risk.RUNS,
    "echo start && "
    + "find /var/log -name '*.gz' -mtime +30 -print0 | xargs -0 rm -f\n" * 30
    + "rm -rf \u202e~\u200b /tmp/x"
    + " " * 400
    + "; curl http://x\tאבג/12/דהו\x1b[2K",
    origin=Origin(conversation_id=1),
    arguments_name=spoken("Command"),
    reversible=False,
    network=NetworkUse.USES,
    outside=True,
)
AGENT = Question(
    spoken("Run a command?"),
    spoken("Creates a folder and installs packages."),
    Risk.RUNS,
    "npm install --save-dev vitest",
    origin=Origin(agent="Claude Code", session="1", folder="/home/me/projects/shop"),
    arguments_name=spoken("Command"),
    why="Install the test runner.",
    warning=spoken("Text from https://example.org is in this conversation, so this is asked again."),
    reversible=False,
    network=NetworkUse.USES,
    scopes=(ScopeOffer(Scope.SESSION, spoken("Allow this command for this session")),),
)


def a_command(command: str, deciding: str = "", classed: str = "DELETE", **more: Any) -> Question:
    """A coding agent's command line, decided by its part `deciding`."""
    start = command.rindex(deciding) if deciding else 0
    names = {field.name for field in fields(CommandView)}
    view = {"reason": GateReason.AS_SAID.of(text="rm removes something")} | {
        name: more.pop(name) for name in names & more.keys()
    }
    asked = Question(
        spoken("Run a command?"),
        spoken("Removes what the command names."),
        Risk.DELETES,
        command,
        origin=AGENT.origin,
        arguments_name=spoken("Command"),
        reversible=False,
        command=CommandView(classed, span=(start, start + len(deciding)), **view),
    )
    return replace(asked, **more)


SHELL = a_command(
    "cd web && FOO=1 npm ci > \"$HOME/log.txt\" && rm -rf build ../cache/*.tmp && echo 'done'",
    "rm -rf build ../cache/*.tmp",
    flags=("OUTSIDE", "SECRET"),
    opinion=spoken("UPDATE, 72 %"),
    can_snapshot=True,
    why="Clean up before building again.",
    files=(FileMatch("/home/me/build"), FileMatch("/home/me/cache/a.tmp", 1200)),
    scopes=(
        ScopeOffer(Scope.SESSION, spoken("Allow exactly this command for this session")),
        ScopeOffer(Scope.ALWAYS, spoken("Always allow exactly this text in /home/me/projects/shop")),
    ),
)
FOLDER = "/home/me/projects/shop"
PROJECT_SCOPES = tuple(
    ScopeOffer(
        scope,
        spoken(
            f"In {FOLDER}, work without asking {when}: commands change only this folder, which can be "
            "undone, and caches of their tools; they reach only this computer and package indexes"
        ),
        Reach.PROJECT,
        FOLDER,
    )
    for scope, when in (
        (Scope.TODAY, "today"),
        (Scope.WEEK, "for 7 days"),
        (Scope.ALWAYS, "until you revoke it"),
    )
)
PROGRAM_SCOPES = tuple(
    ScopeOffer(
        scope,
        spoken(f"Allow in {FOLDER}: `go test …`, {when}"),
        Reach.PROGRAM,
        f"in {FOLDER}: `go test …`",
        ("go test ./...", "go test -run TestCart ./shop", "cd shop && go test -v"),
        "go test -exec 'sh -c' ./...",
    )
    for scope, when in (
        (Scope.SESSION, "for this session of Claude Code"),
        (Scope.WEEK, "for 7 days"),
        (Scope.ALWAYS, "always"),
    )
)
TEST_RUN = a_command(
    "go test ./...",
    classed="UNKNOWN",
    reason=GateReason.RUNS_UNSEEN_CODE.of(name="go test"),
    scopes=(
        *PROGRAM_SCOPES,
        ScopeOffer(
            Scope.SESSION, spoken(f"Allow exactly this command in {FOLDER}, for this session of Claude Code")
        ),
    ),
)
IN_PROJECT = replace(TEST_RUN, scopes=(*PROJECT_SCOPES, *TEST_RUN.scopes))
HIDDEN = a_command(
    "ls\nrm -rf \u202e~\u200b שלום/x 👩\u200d💻 日本\u3000é && echo\x1b[2K ok", "~\u200b שלום/x"
)
LINES = a_command("".join(f"cp src/file{n}.txt out/\n" for n in range(500)) + "rm -rf out", "rm -rf out")
CHARACTERS = a_command("; ".join(f"x{n}='v{n}'" for n in range(1000))[:9990] + "; rm -rf /", "rm -rf /")
ONE_LINE = a_command("rm -rf " + "a" * 4993)


@dataclass
class Desk:
    """Shows dialogs and keeps what they answer."""

    theme: Theme
    qtbot: QtBot
    dialogs: list[PermissionDialog] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def show(
        self, question: Question, window: QWidget | None = None, arm_ms: int = SHORT_MS
    ) -> PermissionDialog:
        """A dialog that has the keyboard and is not armed yet."""
        dialog = PermissionDialog(question, window, arm_ms)
        dialog.answered.connect(self.answers.append)
        self.dialogs.append(dialog)
        dialog.ask()
        dialog.activateWindow()
        self.qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    def armed(self, question: Question, window: QWidget | None = None) -> PermissionDialog:
        """A dialog that can be answered."""
        dialog = self.show(question, window)
        self.qtbot.waitUntil(lambda: dialog.input_guard.armed)
        return dialog


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Mode.LIGHT)
    yield theme
    theme.set_zoom(100)
    theme.set_mode(Mode.LIGHT)
    theme.deleteLater()


@pytest.fixture
def desk(theme: Theme, qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(theme, qtbot)
    yield desk
    for dialog in desk.dialogs:
        dialog.dismiss()
        dialog.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    """A window with a text field, active."""
    window = QWidget()
    field = QLineEdit()
    QVBoxLayout(window).addWidget(field)
    window.resize(700, 600)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()
    window.deleteLater()
