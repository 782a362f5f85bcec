"""The tray app: Qt's rooms around a `Services`, put up and taken down in order."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from desktop.app.quick_ask import QuickAsking
from desktop.app.services import Services
from desktop.app.tidying import tidy_chats
from desktop.app.windows import Windows

if TYPE_CHECKING:
    from desktop.qt.background import Background
    from desktop.qt.relay import Relay
    from desktop.system.crash_reports import CrashReport
    from desktop.system.single_instance import LaterStart, SingleInstance
    from desktop.ui.application import Application
    from desktop.ui.desktop import Desktop
    from desktop.ui.pages.settings_file import SettingsWatch
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray

log = structlog.get_logger(__name__)

TOGGLE = "--toggle-quick-ask"
UPDATES_MS = 10 * 60 * 1000  # whether a day has passed is looked at as often
WARM_MS = 1500  # after the start, which it would otherwise slow down


@dataclass(frozen=True)
class Demo:
    """One question through the real window, for a machine without a screen."""

    question: str
    screenshot: str
    timeout_s: float = 300.0


def run_desktop(
    core: Services, hidden: bool = False, demo: Demo | None = None, quick_ask: bool = False, chat: int = 0
) -> int:
    """Run the tray app until it is quit, with the conversation `chat` open; returns the exit code. Main
    thread."""
    from PySide6.QtCore import qInstallMessageHandler

    from desktop.system.single_instance import SingleInstance
    from desktop.ui.application import Application
    from desktop.ui.translations import speak

    qInstallMessageHandler(lambda kind, _context, text: log.info("Qt", text=text, kind=kind.name))
    application = Application()
    speak(application, core.settings.current.window.language)
    instance = SingleInstance(core.paths)
    arguments = [TOGGLE] if quick_ask else ["--hidden"] if hidden else []
    if not instance.start(arguments):
        return 0
    with ExitStack() as ending:
        ending.callback(instance.close)
        return _live(core, application, instance, hidden, demo, quick_ask, chat, ending)


def _live(
    core: Services,
    application: Application,
    instance: SingleInstance,
    hidden: bool,
    demo: Demo | None,
    quick_ask: bool,
    chat: int,
    ending: ExitStack,
) -> int:
    """Put the tray up, then the rest; what is started here ends in the opposite order."""
    from desktop.ui.icons import app_icon
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray

    window = core.settings.current.window
    ended_badly = _watch_for_crashes(core, ending)
    theme = Theme(application, window.theme, window.zoom_percent)
    application.setWindowIcon(app_icon())
    tray = Tray()
    import qasync

    from desktop.qt.background import Background
    from desktop.qt.engine_thread import EngineThread
    from desktop.qt.interrupts import Interrupts
    from desktop.qt.relay import Relay

    loop = ending.enter_context(qasync.QEventLoop(application))
    log.info("started", network_log_since=core.network.started.isoformat())  # which begins here
    relay = Relay(core.bus)
    ending.callback(relay.close)
    engine_thread = EngineThread(core.engine)
    engine_thread.start()
    ending.callback(engine_thread.close)
    background = Background()
    ending.callback(background.close)
    ending.callback(core.stop)
    _offer_desktop_tools(core, ending)
    if core.settings.current.memory.meaning:
        background.run(lambda: core.vector_writer)
    watch = _follow_settings(core, theme, tray, relay, background, ending)
    quick = QuickAsking(core, theme, relay, background, ending)
    desktop = Windows(core, theme, relay, background, watch, quick, ending).desktop(tray)
    desktop.tell_unexpected_end(ended_badly)
    _name_chats(core, relay, background)
    if demo is None:  # nobody sits before a demonstration
        _serve_somebody(core, desktop, tray, relay, background, ending)
        _offer_quick_ask(quick, tray, desktop, instance, quick_ask)
    else:
        instance.asked.connect(lambda _later: desktop.show())
    ending.callback(Interrupts(desktop.quit).close)
    application.quit_requested.connect(desktop.quit)
    ending.callback(tray.close)
    if demo is not None:
        shown = desktop.demonstrate(demo.question, demo.screenshot, demo.timeout_s)
        return int(loop.run_until_complete(shown))
    loop.run_until_complete(desktop.live(hidden or quick_ask, chat))
    return 0


def _serve_somebody(
    core: Services,
    desktop: Desktop,
    tray: Tray,
    relay: Relay,
    background: Background,
    ending: ExitStack,
) -> None:
    """What needs a person before the screen: questions, hooks, reminders and notes of what was done."""
    _put_questions(core, desktop, ending)
    _answer_hooks(core, desktop, tray, relay, background, ending)
    _show_projects(core, tray, relay, background)
    _remind(core, desktop, tray, relay, background, ending)
    _tell_of_silence(tray, relay)
    tidy_chats(core, desktop, tray, background, ending)
    ending.callback(core.proposing.close)
    _look_for_updates(core, tray, background, ending)


def _watch_for_crashes(core: Services, ending: ExitStack) -> CrashReport | None:
    """What goes wrong from now on is kept; returns how the last run ended, where that was unexpected."""
    from desktop.system.crash_reports import CrashWatch
    from desktop.system.watchdog import Watchdog

    watch = CrashWatch(core.paths, core.crash_reports)
    found = watch.start()
    ending.callback(watch.stop)
    watchdog = Watchdog(core.crash_reports)
    watchdog.start()
    ending.callback(watchdog.close)
    return found


def _name_chats(core: Services, relay: Relay, background: Background) -> None:
    """After an answer the model may find a name for the chat, when it has nothing else to do."""
    from desktop.chat.events import TurnEnded

    relay.listen(TurnEnded, lambda event: background.run(core.turns.name, event.conversation_id))


def _offer_quick_ask(
    quick: QuickAsking, tray: Tray, desktop: Desktop, instance: SingleInstance, at_once: bool
) -> None:
    """The hotkey, and the command for desktops that bind one."""
    from PySide6.QtCore import QTimer

    from desktop.system.hotkey.grabber import Press
    from desktop.ui.language import told

    quick.made = desktop.attach_quick_ask
    quick.hotkey.problem.connect(lambda title, text: tray.say(told(title), told(text)))

    def on_asked(later: LaterStart) -> None:
        if TOGGLE in later.arguments:
            quick.ask.toggle(Press(later.activation_token))
        elif "--hidden" not in later.arguments:
            desktop.show()

    instance.asked.connect(on_asked)
    quick.follow()
    QTimer.singleShot(0 if at_once else WARM_MS, quick.ask_soon(at_once))


def _put_questions(core: Services, desktop: Desktop, ending: ExitStack) -> None:
    """Tools that ask get the dialog; before the first turn, so that it finds who asks."""
    from desktop.qt.asker import QtAsker
    from desktop.ui.permission.desk import PermissionDesk

    asker = QtAsker()
    ending.callback(asker.close)
    desk = PermissionDesk(asker, desktop.window_of)
    ending.callback(desk.close)
    desktop.attach_desk(desk)
    core.asker, core.cancel_questions = asker, asker.cancel_conversation
    core.withdraw_question = asker.withdraw


def _answer_hooks(
    core: Services, desktop: Desktop, tray: Tray, relay: Relay, background: Background, ending: ExitStack
) -> None:
    """Coding agents are answered as soon as one is installed or launched."""
    from desktop.server.sockets import PortChanged
    from desktop.ui.hook_door import HookDoor
    from desktop.ui.language import told, tr

    def on_port(event: PortChanged) -> None:
        if event.refusal is not None:
            tray.say(tr("Another program has Steward's port"), told(str(event.refusal)))

    folders = (core.paths.config, core.paths.runtime)
    door = HookDoor(folders, core.may_be_called, core.answer_hooks, background)
    door.opened.connect(lambda: desktop.offer_pause(core.handler))
    door.refused.connect(lambda error: tray.say(tr("Coding agents are not protected"), told(str(error))))
    ending.callback(door.deleteLater)
    relay.listen(PortChanged, on_port)
    door.look()


def _show_projects(core: Services, tray: Tray, relay: Relay, background: Background) -> None:
    """Where agents work without asking, for as long as they do."""
    from desktop.ui.project_tray import ProjectTray

    ProjectTray(tray, core.projects, relay, background)


def _remind(
    core: Services, desktop: Desktop, tray: Tray, relay: Relay, background: Background, ending: ExitStack
) -> None:
    """What is due is said natively, and stays in a list until it is done."""
    from desktop.system.notifier import QuietNotifier, notifier
    from desktop.tools.reminders import ReminderClock
    from desktop.ui.reminders import ReminderNotices

    speaker = notifier(tray.say)
    ending.callback(speaker.close)
    quiet = QuietNotifier(speaker, tray.allows)
    notices = ReminderNotices(core.reminders, quiet, relay, background)
    ending.callback(notices.deleteLater)
    notices.opened.connect(lambda: desktop.show_page("Reminders"))
    notices.due_changed.connect(tray.set_due)
    tray.reminders_requested.connect(lambda: desktop.show_page("Reminders"))
    clock = ReminderClock(core.reminders, core.bus)
    ending.callback(clock.close)
    notices.watch(core.paths.reminders_marker, clock.look)
    notices.refresh()
    clock.start()


def _tell_of_silence(tray: Tray, relay: Relay) -> None:
    """That the memory of a group does not answer: once, and again only after it did."""
    from desktop.memory.events import TeamSilent
    from desktop.ui.language import told, tr

    def tell(event: TeamSilent) -> None:
        tray.say(tr("Shared memory does not answer"), told(str(event.error)))

    relay.listen(TeamSilent, tell)


def _look_for_updates(core: Services, tray: Tray, background: Background, ending: ExitStack) -> None:
    """Where the user switched it on, once a day; a newer version is said, and nothing is installed."""
    from PySide6.QtCore import QTimer

    from desktop.system.updates import Release
    from desktop.ui.language import tr

    def tell(release: Release | None) -> None:
        if release is not None:
            title = tr("Steward {version} is there", version=release.version)
            tray.say(title, tr("Get it from {page}", page=release.page))

    timer = QTimer()
    timer.timeout.connect(lambda: background.run(core.updates.look_if_due, done=tell))
    timer.start(UPDATES_MS)
    ending.callback(timer.stop)


def _offer_desktop_tools(core: Services, ending: ExitStack) -> None:
    """What only a program with a window can do."""
    from desktop.system.clipboard import QtClipboard
    from desktop.system.main_thread import MainThread
    from desktop.system.screen import QtScreen
    from desktop.ui.region_picker import RegionPicker

    main_thread = MainThread()
    ending.callback(main_thread.deleteLater)
    screen = QtScreen(main_thread, lambda picture, done: RegionPicker(picture, done).open())
    ending.callback(screen.deleteLater)
    core.clipboard, core.screen = QtClipboard(main_thread), screen


def _follow_settings(
    core: Services, theme: Theme, tray: Tray, relay: Relay, background: Background, ending: ExitStack
) -> SettingsWatch:
    """What is changed anywhere, also in the file by hand, counts at once."""
    from desktop.settings import SettingsChanged
    from desktop.ui.language import told, tr
    from desktop.ui.pages.settings_file import SettingsWatch

    watch = SettingsWatch(core.settings, background)
    ending.callback(watch.close)
    watch.refused.connect(lambda error: tray.say(tr("The settings file has a mistake"), told(str(error))))

    tray.set_notifications(core.settings.current.window.notifications)

    def follow(event: SettingsChanged) -> None:
        wanted = event.settings.window
        if theme.mode is not wanted.theme:
            theme.set_mode(wanted.theme)
        if theme.zoom_percent != wanted.zoom_percent:
            theme.set_zoom(wanted.zoom_percent)
        tray.set_notifications(wanted.notifications)

    relay.listen(SettingsChanged, follow)
    return watch
