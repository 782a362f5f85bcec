"""The icon in the system tray: four states, a menu with everything, and no assumption that there is a tray.

Desktops start their panels late, so the tray is looked for during the first half minute and the icon is made
only when there is one: an icon made earlier never reaches a tray that comes later. The menu also says what
coding agents are at work in a project, and keeps the last notices.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from desktop import __version__
from desktop.qt.background import Background, only_logged
from desktop.qt.relay import Relay
from desktop.settings import Notifications, TrayIcon
from desktop.ui import theme
from desktop.ui.icons import icon, two_tone
from desktop.ui.language import left_words, plural, tr, tr_noop
from desktop.ui.permission.visible import visible, written_out
from desktop.ui.theme import DARK, LIGHT
from desktop.ui.widgets.menu import TrayMenu, close_up

if TYPE_CHECKING:
    from desktop.gate.projects import Project, Projects

LOOK_EVERY_MS = 1000
LOOK_TIMES = 30

PAUSES = (
    (tr_noop("For 10 minutes"), 600.0),
    (tr_noop("For 1 hour"), 3600.0),
    (tr_noop("For 4 hours"), 14400.0),
)

TITLE_CHARS = 48  # characters of a title or a file's name in the menu

# Title, text, what a click does, and what to do where nobody shows it.
Speaker = Callable[[str, str, Callable[[], None], Callable[[], None]], None]

UNGUARDED = tr_noop("It does not ask before it changes something.")


class TrayState(Enum):
    """Picture and words; never the colour alone."""

    IDLE = ("tray-idle", tr_noop("Steward"))
    BUSY = ("tray-busy", tr_noop("Steward: working"))
    ATTENTION = ("tray-attention", tr_noop("Steward: an answer is ready"))
    ERROR = ("tray-error", tr_noop("Steward: something went wrong"))

    @property
    def icon_name(self) -> str:
        return self.value[0]

    @property
    def words(self) -> str:
        return self.value[1]


class Tray(QObject):
    """Made on the main thread after the application. `availability_changed` comes at most twice:

    True when the icon is there, False when none could be had within half a minute.
    """

    open_requested = Signal()
    toggle_requested = Signal()
    new_chat_requested = Signal()
    quick_ask_requested = Signal()
    settings_requested = Signal()
    models_requested = Signal()
    activity_requested = Signal()
    memory_requested = Signal()
    permissions_requested = Signal()
    question_requested = Signal()
    reminders_requested = Signal()
    undo_requested = Signal()
    pause_requested = Signal(float)  # seconds
    resume_requested = Signal()
    project_end_requested = Signal(int)  # the project's number
    menu_opened = Signal()
    stop_requested = Signal()
    quit_requested = Signal()
    availability_changed = Signal(bool)
    said_to_nobody = Signal(str)  # a notification, on a desktop that has no tray

    def __init__(self, look_every_ms: int = LOOK_EVERY_MS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = TrayState.IDLE
        self._icon: QSystemTrayIcon | None = None
        self._looked = 0
        self._given_up = False
        self._unguarded = False
        self._paused_until = ""
        self._due_count = 0
        self._waiting = 0
        self._project_names: list[str] = []
        self._question_title = ""
        self._leaving_to = ""
        self._notifications = Notifications.ALL
        self._speak: Speaker | None = None
        self._unsaid: deque[tuple[str, str]] = deque(maxlen=NOTICES_KEPT)  # until it is known who shows them
        self._tone = TrayIcon.AUTOMATIC
        self.menu = self._make_menu()
        self._timer = QTimer(self)
        # The desktop's panel may start after we do; nothing tells when it is there.
        self._timer.setInterval(look_every_ms)
        self._timer.timeout.connect(self._look)
        # The panel's colour goes with the system's scheme, whose change the theme tells.
        theme.current().changed.connect(self._show_state)
        self._look()

    @property
    def is_available(self) -> bool:
        """Whether hiding a window is safe: there is an icon, or one may still come."""
        return not self._given_up

    def set_state(self, state: TrayState) -> None:
        """Show another state; Stop is offered only while something is under way."""
        self._state = state
        self._stop.setEnabled(state is TrayState.BUSY)
        self._show_state()

    def set_unguarded(self, unguarded: bool) -> None:
        """Say in the tooltip that nothing is asked."""
        self._unguarded = unguarded
        self._show_state()

    def set_question(self, title: str) -> None:
        """The question of a chat that waits for the user to come; empty when none does."""
        self._question_title = title
        self._show_questions()

    def set_leaving(self, hosts: Sequence[str]) -> None:
        """Where words of chats are going at this moment."""
        self._leaving_to = ", ".join(map(visible, dict.fromkeys(hosts)))
        self._leaving.setText(tr("Your words go to {hosts}", hosts=_entry(self._leaving_to)))
        self._leaving.setVisible(bool(hosts))
        self._show_state()

    def set_waiting(self, count: int) -> None:
        """How many questions wait for an answer, those of agents too."""
        self._waiting = count
        self._show_questions()
        self._show_state()

    def _show_questions(self) -> None:
        title, count = self._question_title, self._waiting
        words = tr("Answer: {title}", title=_entry(title)) if title else tr("No question is waiting")
        if count > 1 or (count and not title):
            words = plural("{count} question is waiting", "{count} questions are waiting", count)
        self._question.setText(words)
        self._question.setVisible(bool(title or count))

    def set_due(self, count: int) -> None:
        """How many reminders are due and not done."""
        self._due_count = count
        self._due.setText(plural("{count} reminder is due", "{count} reminders are due", count))
        self._due.setVisible(count > 0)
        self._show_state()

    def set_undo(self, words: str) -> None:
        """The latest change, "write notes.txt"; empty when there is none to undo."""
        self._undo.setText(tr("Undo: {words}", words=_entry(words)) if words else tr("Undo last change"))
        self._undo.setEnabled(bool(words))

    def offer_only_opening(self, only: bool) -> None:
        """Whether the first window is all that there is: then nothing is offered that leads to another."""
        for action in (self._new_chat, self._models, self._stop, self._undo):
            action.setVisible(not only)

    def offer_pages(self) -> None:
        """There is a window for activity, memory, permissions and settings."""
        self._settings.setVisible(True)
        self._activity.setVisible(True)
        self._memory.setVisible(True)
        self._permissions.setVisible(True)

    def offer_quick_ask(self) -> None:
        """There is a window for a quick question."""
        self._quick_ask.setVisible(True)

    def set_pause(self, until: float | None) -> None:
        """Offer to pause the gate for coding agents or, while it is paused, to go on. Seconds since 1970."""
        self._pause.menuAction().setVisible(until is None)
        self._resume.setVisible(until is not None)
        self._paused_until = time.strftime("%H:%M", time.localtime(until)) if until is not None else ""
        self._resume.setText(tr("Resume the gate (paused until {time})", time=self._paused_until))
        self._show_state()

    def set_projects(self, projects: Sequence[tuple[int, str, str]]) -> None:
        """Where project mode is on: number, name of the folder, time left; each can be ended."""
        self._projects.clear()
        for number, name, left in projects:
            words = tr("End in {name} ({left})", name=_entry(name), left=left)
            action = self._projects.addAction(words)
            action.setObjectName(f"tray_end_project_{number}")
            action.triggered.connect(lambda _checked=False, n=number: self.project_end_requested.emit(n))
        self._projects.menuAction().setVisible(bool(projects))
        self._project_names = [name for _, name, _ in projects]
        self._show_state()

    def set_look(self, look: TrayIcon) -> None:
        """Light, dark, or as the system's own colours suggest."""
        self._tone = look
        self._show_state()

    def set_notifications(self, wanted: Notifications) -> None:
        """Which of them the desktop is to show; all are kept in the menu."""
        self._notifications = wanted

    def allows(self, question: bool = False) -> bool:
        """Whether one may be shown now."""
        if self._notifications is Notifications.QUESTIONS:
            return question
        return self._notifications is Notifications.ALL

    def say(self, title: str, text: str, question: bool = False) -> None:
        """A notification; desktops may swallow it, so it stays in the menu, too; nothing depends on it."""
        self._recent.add(title, text)
        if not self.allows(question):
            return
        # Texts of models and agents: a desktop draws what it is given.
        words = written_out(title), written_out(text)
        opened = self.question_requested if question else self.open_requested
        if self._speak is not None:
            self._speak(*words, opened.emit, lambda: self.show_message(*words))
        else:
            self.show_message(*words)

    def speak_through(self, speak: Speaker) -> None:
        """Have notifications shown by `speak`, and by the icon where that finds nobody who shows them."""
        self._speak = speak

    def show_message(self, title: str, text: str) -> None:
        """Show a message by the icon, as soon as there is one."""
        self._unsaid.append((title, text))
        self._say_all()

    def _say_all(self) -> None:
        """By the icon or, where none can be had, by whoever listens; not before one of both is certain."""
        while self._unsaid and (self._icon is not None or self._given_up):
            title, text = self._unsaid.popleft()
            if self._icon is not None:
                self._icon.showMessage(title, text, self._picture(), 8000)
            else:
                joint = " " if title.endswith((".", "!", "?", "…")) else ": "
                self.said_to_nobody.emit(f"{title}{joint}{text}" if text else title)

    def close(self) -> None:
        """Take the icon away."""
        self._timer.stop()
        if self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None

    # -- looking for a tray -------------------------------------------------------------------

    @Slot()
    def _look(self) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._timer.stop()
            self._make_icon()
            return
        self._looked += 1
        if self._looked == 1:
            self._timer.start()
        # Half a minute is longer than any panel took; from then on windows must not hide.
        elif self._looked > LOOK_TIMES:
            self._timer.stop()
            self._given_up = True
            self.availability_changed.emit(False)
            self._say_all()

    def _make_icon(self) -> None:
        self._icon = QSystemTrayIcon(self._picture(), self)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._on_activated)
        self._show_state()
        self._icon.show()
        self.availability_changed.emit(True)
        self._say_all()

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if sys.platform == "darwin":
            return  # the click opens the menu there, and Qt reports it as well
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self.toggle_requested.emit()
        elif reason in (
            QSystemTrayIcon.ActivationReason.DoubleClick,
            QSystemTrayIcon.ActivationReason.MiddleClick,
        ):
            self.open_requested.emit()

    # -- what it shows ------------------------------------------------------------------------

    def _make_menu(self) -> QMenu:
        menu = TrayMenu()
        menu.setObjectName("tray_menu")
        first = self._add(menu, "open", tr("Open Steward"), self.open_requested)
        # Not every desktop shows by itself which entry is the default.
        bold = first.font()
        bold.setBold(True)
        first.setFont(bold)
        menu.setDefaultAction(first)
        self._new_chat = self._add(menu, "new_chat", tr("New chat"), self.new_chat_requested)
        self._quick_ask = self._add(menu, "quick_ask", tr("Quick-ask"), self.quick_ask_requested)
        self._settings = self._add(menu, "settings", tr("Settings…"), self.settings_requested)
        for hidden in (self._quick_ask, self._settings):
            hidden.setVisible(False)  # until somebody says that they are there
        menu.addSeparator()
        self._stop = self._add(menu, "stop", tr("Stop the answer"), self.stop_requested)
        self._stop.setEnabled(False)
        self._leaving = self._add(menu, "leaving", tr("Nothing leaves"), self.open_requested)
        self._leaving.setVisible(False)
        self._question = self._add(menu, "question", tr("No question is waiting"), self.question_requested)
        self._question.setVisible(False)
        self._due = self._add(menu, "due", tr("No reminder is due"), self.reminders_requested)
        self._due.setVisible(False)
        self._recent = RecentNotices(menu, self.open_requested.emit)
        menu.addSeparator()
        self._undo = self._add(menu, "undo", tr("Undo last change"), self.undo_requested)
        self._undo.setEnabled(False)
        menu.addSeparator()
        self._add_pages(menu)
        self._models = self._add(menu, "models", tr("Models…"), self.models_requested)
        about = menu.addAction(tr("Version {version}", version=__version__))
        about.setObjectName("tray_version")
        # It says something and does nothing.
        about.setEnabled(False)
        menu.addSeparator()
        self._add(menu, "quit", tr("Quit"), self.quit_requested)
        menu.aboutToShow.connect(self.menu_opened)
        menu.aboutToShow.connect(lambda: close_up(menu))
        return menu

    def _add_pages(self, menu: QMenu) -> None:
        """Hidden until somebody says that they are there."""
        self._activity = self._add(menu, "activity", tr("Activity…"), self.activity_requested)
        self._memory = self._add(menu, "memory", tr("Memory…"), self.memory_requested)
        self._permissions = self._add(menu, "permissions", tr("Permissions…"), self.permissions_requested)
        self._pause = menu.addMenu(tr("Pause the gate"))
        self._pause.setObjectName("tray_pause")
        for words, seconds in PAUSES:
            action = self._pause.addAction(tr(words))
            action.setObjectName(f"tray_pause_{seconds:.0f}")
            action.triggered.connect(lambda _checked=False, s=seconds: self.pause_requested.emit(s))
        self._resume = self._add(menu, "resume", tr("Resume the gate"), self.resume_requested)
        self._projects = menu.addMenu(tr("Project mode"))
        self._projects.setObjectName("tray_projects")
        pages = (self._activity, self._memory, self._permissions)
        for hidden in (*pages, self._pause.menuAction(), self._resume, self._projects.menuAction()):
            hidden.setVisible(False)

    def _add(self, menu: QMenu, name: str, words: str, signal: SignalInstance) -> QAction:
        action = menu.addAction(words)
        action.setObjectName(f"tray_{name}")
        action.triggered.connect(lambda _checked=False: signal.emit())
        return action

    @property
    def marked(self) -> TrayState:
        """What the picture shows: somebody who waits for an answer comes before what goes on by itself."""
        is_asked = self._waiting > 0 and self._state is not TrayState.ERROR
        return TrayState.ATTENTION if is_asked else self._state

    def _picture(self) -> QIcon:
        """In two tones: no system tells how dark its panel is, and one of them stands out on any.

        macOS tints a template by itself, which has no outline.
        """
        if sys.platform == "darwin":
            picture = icon(self.marked.icon_name, LIGHT.text)
            picture.setIsMask(True)
            return picture
        is_light = self._tone is TrayIcon.LIGHT
        if self._tone is TrayIcon.AUTOMATIC:
            is_light = theme.current().system_is_dark
        ink, outline = (DARK.text, LIGHT.text) if is_light else (LIGHT.text, DARK.text)
        return two_tone(self.marked.icon_name, ink, outline)

    @Slot()
    def _show_state(self) -> None:
        if self._icon is not None:
            self._icon.setIcon(self._picture())
            self._icon.setToolTip(self.tooltip)

    @property
    def tooltip(self) -> str:
        """What the icon says when the pointer rests on it."""
        due = plural("{count} reminder is due.", "{count} reminders are due.", self._due_count)
        said = (
            tr("Your words go to {hosts}.", hosts=self._leaving_to) if self._leaving_to else "",
            tr(UNGUARDED) if self._unguarded else "",
            tr("The gate is paused until {time}.", time=self._paused_until) if self._paused_until else "",
            f"{plural('{count} question is waiting', '{count} questions are waiting', self._waiting)}."
            if self._waiting
            else "",
            tr("Project mode is on in {names}.", names=", ".join(self._project_names))
            if self._project_names
            else "",
            due if self._due_count else "",
        )
        more = " ".join(each for each in said if each)
        state = tr(self._state.words)
        return f"{state}. {more}" if more else state


def _entry(words: str) -> str:
    """A text of others as a menu's entry: short, and its & is no mnemonic."""
    short = words if len(words) <= TITLE_CHARS else f"{words[: TITLE_CHARS - 1]}…"
    return visible(short).replace("&", "&&")


class ProjectTray(QObject):
    """Keeps the tray's entries up to date: when told, and whenever the menu opens. Main thread only."""

    def __init__(
        self,
        tray: Tray,
        projects: Projects,
        relay: Relay,
        background: Background,
        now: Callable[[], float] = time.time,
    ) -> None:
        # Here: the icon is there before this, and need not wait for the rooms of the gate.
        from desktop.gate.projects import ProjectModeChanged

        super().__init__(tray)
        self._tray = tray
        self._projects = projects
        self._background = background
        self._now = now
        relay.listen(ProjectModeChanged, lambda _event: self.refresh())
        tray.menu_opened.connect(self.refresh)
        tray.project_end_requested.connect(lambda number: background.run(projects.end, number))
        self.refresh()

    def refresh(self) -> None:
        """Read on the pool what is on."""
        self._background.run(self._projects.listed, done=self._show, failed=only_logged)

    def _show(self, found: Sequence[Project]) -> None:
        # Minutes go by while the menu is closed, so it is read again each time it opens.
        now = self._now()
        shown = [(each.id, visible(each.folder.name), left_words(each.until, now)) for each in found]
        self._tray.set_projects(shown)


NOTICES_KEPT = 10
NOTICE_CHARS = 60  # characters of a line


class RecentNotices:
    """A submenu, hidden while there is nothing. Main thread only."""

    def __init__(self, menu: QMenu, opened: Callable[[], None]) -> None:
        """`opened` is called when one is chosen."""
        self._opened = opened
        self._kept: deque[str] = deque(maxlen=NOTICES_KEPT)
        self._menu = menu.addMenu(tr("Recent notifications"))
        self._menu.setObjectName("tray_recent")
        self._menu.menuAction().setObjectName("tray_recent")
        self._menu.menuAction().setVisible(False)

    def add(self, title: str, text: str) -> None:
        """One more; the oldest goes."""
        # Texts of models and agents: what cannot be seen is written out, and a line stays one line.
        words = " ".join(visible(f"{title}: {text}" if text else title).split())
        cut = words if len(words) <= NOTICE_CHARS else f"{words[: TITLE_CHARS - 1]}…"
        self._kept.appendleft(f"{time.strftime('%H:%M')}  {cut}")
        self._menu.clear()
        for line in self._kept:
            self._menu.addAction(line.replace("&", "&&")).triggered.connect(self._opened)
        self._menu.menuAction().setVisible(True)
