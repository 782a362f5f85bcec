"""The life of the tray app: Qt's rooms around the `Services`, put up and taken down in order."""

from __future__ import annotations

import linecache
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import structlog

from desktop.app.services import Services
from desktop.app.windows import DesktopServices, Windows
from desktop.paths import Paths, own_program

if TYPE_CHECKING:
    from qasync import QEventLoop

    from desktop.chat.retention import RetentionOutcome
    from desktop.qt.interrupts import DisplayLoss
    from desktop.server.mcp import Caller
    from desktop.system.crash_reports import CrashReport
    from desktop.system.notifier import Notifier
    from desktop.system.single_instance import LaterStart, SingleInstance
    from desktop.ui.agent_question import AgentQuestions
    from desktop.ui.application import Application
    from desktop.ui.chat.send_question import SendQuestions
    from desktop.ui.desktop import Desktop
    from desktop.ui.pages.settings_file import SettingsWatch
    from desktop.ui.schedules import ScheduleNotices


log = structlog.get_logger(__name__)

TOGGLE = "--toggle-quick-ask"
WARM_MS = 1500  # after the start, which it would otherwise slow down
UPDATES_MS = 10 * 60 * 1000  # whether a day has passed is looked at as often
FIRST_TIDY_MS, TIDY_MS = 60_000, 6 * 3_600_000  # after the start, and from then on


@dataclass(frozen=True)
class Demo:
    """One question through the real window, for a machine without a screen."""

    question: str
    screenshot: str
    timeout_s: float = 300.0


def run_desktop(
    core: Services,
    hidden: bool = False,
    demo: Demo | None = None,
    quick_ask: bool = False,
    chat: int = 0,
    finish_with: Path | None = None,
) -> int:
    """Run the tray app until it is quit, with the conversation `chat` open; returns the exit code. Main
    thread. `finish_with` is the program that installs what is not there yet, behind the first window.
    """

    read_no_sources()  # before the windows, whose modules are most of them
    from desktop.qt.interrupts import DisplayLoss
    from desktop.system.single_instance import SingleInstance

    loss = DisplayLoss()
    application = _make_application(core, loss)
    instance = SingleInstance(core.paths)
    # What a later start wanted is told to the one that runs, which does it instead.
    arguments = [TOGGLE] if quick_ask else ["--hidden"] if hidden else []
    if not instance.start(arguments):
        return 0
    with ExitStack() as ending:
        ending.callback(instance.close)
        # Before anything that can fail: what fails while windows are built is reported, too.
        unexpected_end = _watch_for_crashes(core, ending)
        shared, loop = _build_shared(core, application, ending)
        windows = build_desktop(shared)
        if finish_with is not None:
            from desktop.app.first_start import FirstStart

            first = FirstStart(shared, windows, finish_with)
            if not first.run(loop, application.quit_requested, instance.asked):
                return 0
        desktop = windows.desktop
        _search_by_meaning(shared)
        desktop.tell_unexpected_end(unexpected_end)
        if demo is None:  # nobody sits before a demonstration
            _serve_somebody(shared, desktop)
            _offer_quick_ask(shared, windows, instance, quick_ask)
        else:
            instance.asked.connect(lambda _later: desktop.show())
        _hear_of_ends(shared, desktop, application, loss)
        ending.callback(shared.tray.close)  # last, so that it goes first: quitting shows at once
        if demo is not None:
            shown = desktop.demonstrate(demo.question, demo.screenshot, demo.timeout_s)
            return int(loop.run_until_complete(shown))
        loop.run_until_complete(desktop.live(hidden or quick_ask, chat, finish_with is not None))
        return 0


def _make_application(core: Services, loss: DisplayLoss) -> Application:
    """Qt, in the user's language; what it says is logged, and `loss` hears whether the display is gone."""
    from PySide6.QtCore import qInstallMessageHandler

    from desktop.ui.application import Application
    from desktop.ui.language import speak

    qInstallMessageHandler(
        lambda kind, _context, text: None if loss.hear(text) else log.info("Qt", text=text, kind=kind.name)
    )
    application = Application()
    speak(application, core.settings.current.window.language)
    return application


def _hear_of_ends(
    shared: DesktopServices, desktop: Desktop, application: Application, loss: DisplayLoss
) -> None:
    """A signal, the end of the session and the loss of the display: none comes from within Steward."""
    from desktop.qt.interrupts import Interrupts

    ending = shared.ending
    # Qt's loop does not let Python see a signal; without this Ctrl+C and a logout would do nothing.
    ending.callback(Interrupts(desktop.quit).close)
    application.quit_requested.connect(desktop.quit)
    loss.keep_by(lambda: _end_without_a_display(shared.core, ending, desktop))


def _build_shared(
    core: Services, application: Application, ending: ExitStack
) -> tuple[DesktopServices, QEventLoop]:
    """The tray, then what all windows work with; what is started here ends in the opposite order."""
    from desktop.ui.icons import app_icon
    from desktop.ui.theme import Theme
    from desktop.ui.tray import Tray

    window = core.settings.current.window
    # Before the tray: its icon takes the palette's colours.
    Theme(application, window.theme, window.zoom_percent)
    application.setWindowIcon(app_icon())
    tray = Tray()
    # Only now: the icon is there before the slower imports.
    import qasync

    from desktop.qt.background import Background, EngineThread
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
    # Before the pool and the engine's thread are waited for: nobody will read the answers under way.
    ending.callback(core.stop)
    return DesktopServices(core, relay, background, tray, ending), loop


def build_desktop(shared: DesktopServices) -> Windows:
    """The windows, not made yet, and what belongs to them whether or not somebody sits before them."""
    _offer_desktop_tools(shared)
    windows = Windows(shared, _follow_settings(shared))
    _name_chats(shared)
    return windows


def _search_by_meaning(shared: DesktopServices) -> None:
    """Off, as it is for most, it costs neither a thread nor its model."""
    from desktop.engine.events import ModelLoaded
    from desktop.qt.background import only_logged

    core = shared.core
    if core.settings.current.memory.meaning:
        shared.background.run(lambda: core.vector_writer, failed=only_logged)

    def read() -> None:
        """Have the model that answers read what memories are about, so not before it is there."""
        core.subject_writer.wake()
        core.subjects.read_ahead()

    shared.relay.listen(ModelLoaded, lambda _event: shared.background.run(read, failed=only_logged))


def _serve_somebody(shared: DesktopServices, desktop: Desktop) -> None:
    """What needs a person before the screen: questions, hooks, reminders and notes of what was done."""
    from desktop.qt.background import only_logged

    _put_questions(shared, desktop)
    _ask_before_sending(shared, desktop)
    _hear_agents(shared)
    _answer_hooks(shared, desktop)
    shared.background.run(shared.core.question_socket.open, failed=only_logged)
    _show_projects(shared)
    _remind(shared, desktop)
    _tell_of_silence(shared)
    _tidy_chats(shared, desktop)
    shared.ending.callback(shared.core.proposing.close)
    _look_for_updates(shared)


def _end_without_a_display(core: Services, ending: ExitStack, desktop: Desktop) -> None:
    """As after Quit, but from within Qt's loop, which therefore refuses to be closed."""
    desktop.quit()  # what was typed and where the windows stood
    try:
        ending.close()
    finally:
        core.close()


def _watch_for_crashes(core: Services, ending: ExitStack) -> CrashReport | None:
    """What goes wrong from now on is kept; returns how the last run ended, where that was unexpected."""
    from desktop.system.crash_reports import CrashWatch
    from desktop.system.watchdog import Watchdog

    watch = CrashWatch(core.paths, core.crash_reports)
    found = watch.start()
    ending.callback(watch.stop)
    # It writes what the threads were doing, which is gone once the user has ended a program that hangs.
    watchdog = Watchdog(core.crash_reports)
    watchdog.start()
    ending.callback(watchdog.close)
    return found


def _name_chats(shared: DesktopServices) -> None:
    """After an answer the model may find a name for the chat, when it has nothing else to do."""
    from desktop.chat.events import TurnEnded
    from desktop.qt.background import only_logged

    core, background = shared.core, shared.background

    def name(event: TurnEnded) -> None:
        background.run(core.turns.name, event.conversation_id, failed=only_logged)

    shared.relay.listen(TurnEnded, name)


def _offer_quick_ask(
    shared: DesktopServices, windows: Windows, instance: SingleInstance, at_once: bool
) -> None:
    """The hotkey, and the command for desktops that bind one."""
    from PySide6.QtCore import QTimer

    from desktop.system.hotkey.grabber import HotkeyPress
    from desktop.ui.language import words_of
    from desktop.ui.quick_ask.hotkey import step_words

    quick, desktop = windows.quick, windows.desktop
    quick.hotkey.problem.connect(lambda state: shared.tray.say(words_of(state.words), step_words(state)))

    def on_asked(later: LaterStart) -> None:
        if TOGGLE in later.arguments:
            quick.ask.toggle(HotkeyPress(later.activation_token))
        # An autostart that comes second must not open a window in front of the user.
        elif "--hidden" not in later.arguments:
            desktop.show()

    instance.asked.connect(on_asked)
    quick.follow()
    # Made ready beside the first seconds of work, so that the first press finds the window there.
    QTimer.singleShot(0 if at_once else WARM_MS, quick.ask_soon(at_once))


def _put_questions(shared: DesktopServices, desktop: Desktop) -> None:
    """Tools that ask get the dialog; before the first turn, so that it finds who asks."""
    from desktop.qt.asker import QtAsker
    from desktop.ui.permission.presenter import PermissionPresenter

    core, asker = shared.core, QtAsker()
    shared.ending.callback(asker.close)
    presenter = PermissionPresenter(asker, desktop.window_of)
    shared.ending.callback(presenter.close)
    desktop.attach_presenter(presenter)
    core.asker, core.cancel_questions = asker, asker.cancel_conversation
    core.withdraw_question = asker.withdraw


def _ask_before_sending(shared: DesktopServices, desktop: Desktop) -> None:
    """What would leave for a model server is shown; nothing of it is made before the first such chat."""
    from desktop.system.main_thread import MainThread

    core = shared.core
    main_thread = MainThread()
    shared.ending.callback(main_thread.deleteLater)
    made: list[SendQuestions] = []

    def questions() -> SendQuestions:
        from desktop.ui.chat.send_question import SendQuestions

        if not made:
            made.append(SendQuestions(lambda: desktop.chat_window, core.turns.is_wanted))
            shared.ending.callback(made[0].close)
        return made[0]

    core.ask_to_send = lambda leaving: main_thread.call(questions).ask(leaving)


def _answer_hooks(shared: DesktopServices, desktop: Desktop) -> None:
    """Coding agents are answered as soon as one is installed or launched."""
    from desktop.server.sockets import PortChanged
    from desktop.settings import SettingsChanged
    from desktop.ui.desktop import HookServerStarter
    from desktop.ui.language import error_words, tr

    def on_port(event: PortChanged) -> None:
        if event.refusal is not None:
            shared.tray.say(tr("Another program uses Steward's port"), error_words(event.refusal))

    core = shared.core
    # An agent is installed by another process; these are the folders in which it leaves its token.
    folders = (core.paths.config, core.paths.runtime)
    starter = HookServerStarter(folders, core.may_be_called, core.answer_hooks, shared.background)
    starter.opened.connect(lambda: desktop.offer_pause(core.handler))
    starter.refused.connect(
        lambda error: shared.tray.say(tr("Coding agents are not protected"), error_words(error))
    )
    shared.ending.callback(starter.deleteLater)
    shared.relay.listen(PortChanged, on_port)
    shared.relay.listen(SettingsChanged, lambda _event: starter.look())  # programs may be let in now
    starter.look()


def _hear_agents(shared: DesktopServices) -> None:
    """What agents ask and say by MCP; nothing of it is made before the first question."""
    from desktop.agents.agent_list import agent_named
    from desktop.agents.events import AgentSaid
    from desktop.reasons import Reason
    from desktop.system.main_thread import MainThread
    from desktop.ui.language import tr, words_of

    core, tray = shared.core, shared.tray
    main_thread = MainThread()
    shared.ending.callback(main_thread.deleteLater)
    made: list[AgentQuestions] = []

    def desk() -> AgentQuestions:
        from desktop.ui.agent_question import AgentQuestions

        if not made:
            made.append(AgentQuestions())
            shared.ending.callback(made[0].close)
        return made[0]

    def ask(caller: Caller, question: str, options: tuple[str, ...]) -> str | None:
        return main_thread.call(desk).ask(caller, question, options)

    def tell(event: AgentSaid) -> None:
        known = agent_named(event.agent)
        name = known.title if known is not None else tr("A program")
        said = words_of(event.text) if isinstance(event.text, Reason) else event.text
        tray.say(tr("{agent} says", agent=name), said)

    core.ask_for_agent = ask
    shared.relay.listen(AgentSaid, tell)


def _show_projects(shared: DesktopServices) -> None:
    """Where agents work without asking, for as long as they do."""
    from desktop.ui.tray import ProjectTray

    ProjectTray(shared.tray, shared.core.projects, shared.relay, shared.background)


def _remind(shared: DesktopServices, desktop: Desktop) -> None:
    """What is due is said natively, and stays in a list until it is done."""
    from desktop.system.notifier import BusNotifier, QuietNotifier, notifier
    from desktop.tools.reminders import ReminderClock
    from desktop.ui.reminder_notices import ReminderNotices

    core, tray = shared.core, shared.tray
    speaker = notifier(tray.say)
    shared.ending.callback(speaker.close)
    if isinstance(speaker, BusNotifier):
        tray.speak_through(speaker.say)
    # What the settings silence in the tray is not shown by the system's notifications either.
    quiet = QuietNotifier(speaker, tray.allows)
    notices = ReminderNotices(core.reminders, quiet, shared.relay, shared.background)
    shared.ending.callback(notices.deleteLater)
    notices.opened.connect(lambda: desktop.show_page("Reminders"))
    notices.due_changed.connect(tray.set_due)
    tray.reminders_requested.connect(lambda: desktop.show_page("Reminders"))
    clock = ReminderClock(core.reminders, core.bus)
    shared.ending.callback(clock.close)
    # Another process may set a reminder for the same profile; it touches this file, and the clock looks anew.
    notices.watch(core.paths.reminders_marker, clock.look)
    notices.refresh()
    _ask_by_schedule(shared, desktop, quiet)
    clock.start()


def _ask_by_schedule(shared: DesktopServices, desktop: Desktop, notifier: Notifier) -> None:
    """What is due is put as a question; nothing of it is made before the first one."""
    from desktop.tools.reminders import QuestionsDue

    core, relay = shared.core, shared.relay
    made: list[ScheduleNotices] = []

    def tell(_event: QuestionsDue) -> None:
        from desktop.chat.schedules import ScheduleAsking
        from desktop.ui.schedules import ScheduleNotices

        if not made:
            made.append(ScheduleNotices(notifier, relay))
            made[0].opened.connect(desktop.show_conversation)
            shared.ending.callback(made[0].deleteLater)
            relay.listen(
                ScheduleAsking, lambda event: desktop.tell_answering(event.conversation_id, not event.ended)
            )

    # First the window, which hears of it on its own thread; what follows is told in the same order.
    relay.listen(QuestionsDue, tell)

    def take(event: QuestionsDue) -> None:
        core.scheduled.take(event)

    shared.ending.callback(core.bus.subscribe(QuestionsDue, take))


def _tell_of_silence(shared: DesktopServices) -> None:
    """That the memory of a group does not answer: once, and again only after it did."""
    from desktop.memory.events import TeamSilent
    from desktop.ui.language import error_words, tr

    def tell(event: TeamSilent) -> None:
        shared.tray.say(tr("Shared memory does not answer"), error_words(event.error))

    shared.relay.listen(TeamSilent, tell)


def _look_for_updates(shared: DesktopServices) -> None:
    """Where the user switched it on, once a day; a newer version is said, and nothing is installed."""
    from PySide6.QtCore import QTimer

    from desktop.qt.background import only_logged
    from desktop.system.updates import Release
    from desktop.ui.language import tr

    def look() -> None:
        shared.background.run(shared.core.updates.look_if_due, done=tell, failed=only_logged)

    def tell(release: Release | None) -> None:
        if release is not None:
            title = tr("Steward {version} is available", version=release.version)
            shared.tray.say(title, tr("Get it from {page}", page=release.page))

    timer = QTimer()
    timer.timeout.connect(look)
    # A timer of a day would begin anew with each start and never run out on a laptop.
    timer.start(UPDATES_MS)
    shared.ending.callback(timer.stop)


def _offer_desktop_tools(shared: DesktopServices) -> None:
    """What only a program with a window can do."""
    from desktop.system.clipboard import QtClipboard
    from desktop.system.main_thread import MainThread
    from desktop.system.screen import QtScreen
    from desktop.ui.region_picker import RegionPicker

    main_thread = MainThread()
    shared.ending.callback(main_thread.deleteLater)
    screen = QtScreen(main_thread, lambda picture, done: RegionPicker(picture, done).open())
    shared.ending.callback(screen.deleteLater)
    shared.core.clipboard, shared.core.screen = QtClipboard(main_thread), screen


def _follow_settings(shared: DesktopServices) -> SettingsWatch:
    """What is changed anywhere, also in the file by hand, counts at once."""
    from desktop.settings import SettingsChanged
    from desktop.ui import theme
    from desktop.ui.language import error_words, tr
    from desktop.ui.pages.settings_file import SettingsWatch

    core, tray = shared.core, shared.tray
    watch = SettingsWatch(core.settings, shared.background)
    shared.ending.callback(watch.close)
    watch.refused.connect(lambda error: tray.say(tr("The settings file has a mistake"), error_words(error)))

    tray.set_notifications(core.settings.current.window.notifications)
    tray.set_look(core.settings.current.window.tray_icon)

    def follow(event: SettingsChanged) -> None:
        now, wanted = theme.current(), event.settings.window
        if now.mode is not wanted.theme:
            now.set_mode(wanted.theme)
        if now.zoom_percent != wanted.zoom_percent:
            now.set_zoom(wanted.zoom_percent)
        tray.set_notifications(wanted.notifications)
        tray.set_look(wanted.tray_icon)

    shared.relay.listen(SettingsChanged, follow)
    return watch


def _tidy_chats(shared: DesktopServices, desktop: Desktop) -> None:
    """Look a minute after the start and every six hours; what is open or answered stays. Main thread."""
    from PySide6.QtCore import QTimer

    from desktop.chat.retention import DeletedTextPurge, Retention

    core = shared.core
    purge = DeletedTextPurge(core.database, lambda: core.engine.is_busy)
    retention = Retention(
        core.database,
        core.store,
        lambda: core.settings.current.chat.keep_days,
        lambda: core.settings.current.chat.told_about_keeping,
        lambda text: core.settings.change("chat", "told_about_keeping", text),
    )

    def apply(in_use: frozenset[int]) -> RetentionOutcome:
        outcome = retention.apply(in_use)
        purge.delete_hidden()
        core.remembering.forget_gone()  # what was said in a chat that is gone is remembered no more
        return outcome

    def applied(outcome: RetentionOutcome) -> None:
        merging.start(0)
        _tell_of_old_chats(shared, outcome)

    def look() -> None:
        timer.start(TIDY_MS)
        shared.background.run(apply, desktop.in_use, done=applied)

    def merge() -> None:
        shared.background.run(purge.advance, done=merged)

    def merged(again_s: float | None) -> None:
        if again_s is not None:
            merging.start(round(again_s * 1000))

    timer, merging = QTimer(singleShot=True), QTimer(singleShot=True)
    timer.timeout.connect(look)
    merging.timeout.connect(merge)
    timer.start(FIRST_TIDY_MS)
    shared.ending.callback(merging.stop)
    shared.ending.callback(timer.stop)


def _tell_of_old_chats(shared: DesktopServices, outcome: RetentionOutcome) -> None:
    from desktop.chat.events import ConversationsChanged
    from desktop.ui.language import plural, tr

    core = shared.core
    days = core.settings.current.chat.keep_days
    if outcome.deleted:
        core.bus.publish(ConversationsChanged())
    if outcome.due:
        words = plural(
            "{count} chat has not been used for {days} days and will be deleted tomorrow. Pin what "
            "should stay.",
            "{count} chats have not been used for {days} days and will be deleted tomorrow. Pin what "
            "should stay.",
            outcome.due,
            days=days,
        )
        shared.tray.say(tr("Old chats"), words)


def start_again(paths: Paths, chat: int = 0) -> None:
    """Start the tray app of this profile as a process of its own, which lives on when this one ends, with the
    conversation `chat` open.
    """
    profile = ["--profile", str(paths.profile)] if paths.profile else []
    opened = ["run", "--chat", str(chat)] if chat else []
    # A session of its own: the end of this process, or of its terminal, does not reach it.
    subprocess.Popen([*own_program(), *profile, *opened], start_new_session=True, close_fds=True)


# -- PySide at every import --------------------------------------------------------------------

# What PySide does at every import, and how it is kept from doing it.
#
# PySide can switch its own names module by module (`from __feature__ import snake_case`). To know which
# modules that may concern, it reads the source of each module that is imported after it and looks for its
# name in there; `linecache` keeps what was read. Nobody here uses the switch. It cost 12 MB for as long
# as the program runs, and the time to read four hundred files at every start.

FEATURES = "shibokensupport.feature"


def read_no_sources() -> bool:
    """Answer PySide's question without a look at the source. To be called before most imports, on the main
    thread; False where this version of PySide asks in another way, and all goes on as PySide means it to.
    """
    import PySide6.QtCore  # noqa: F401 - brings the module that asks

    features = sys.modules.get(FEATURES)
    if features is None or not hasattr(features, "_mod_uses_pyside"):
        return False
    # Every module is one that may use PySide, with no feature switched on: what it is without the switch.
    vars(features)["_mod_uses_pyside"] = _may_use_pyside
    linecache.clearcache()  # what was read until here, `enum` among it
    return True


def _may_use_pyside(_module: ModuleType) -> bool:
    return True
