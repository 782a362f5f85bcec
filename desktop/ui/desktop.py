"""The windows and the tray icon together: which one is shown when, from the start to the end.

Windows are made when they are first shown: a start into the tray costs neither their time nor their memory.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import structlog
from PySide6.QtCore import QFileSystemWatcher, QObject, Signal
from PySide6.QtGui import QKeySequence

from desktop.agents.events import PauseChanged
from desktop.chat.attachments import Draft
from desktop.chat.destinations import WordsLeaving
from desktop.chat.events import TurnEnded, TurnFailed, TurnStarted
from desktop.chat.store import Message, MessageStatus
from desktop.engine.engine import Engine
from desktop.engine.events import ModelFailed, ModelLoaded, ModelLoading, ModelUnloaded
from desktop.errors import UserFacing
from desktop.models.library import Library
from desktop.paths import ensure
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsChanged, SettingsFile
from desktop.ui.language import error_parts, tr, words_of
from desktop.ui.tray import Tray, TrayState

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from desktop.asking import Question
    from desktop.errors import UserFacing
    from desktop.system.crash_reports import CrashReport
    from desktop.ui.chat.window import ChatWindow
    from desktop.ui.models.first_run import FirstRun
    from desktop.ui.models.manager import ModelManager
    from desktop.ui.pages.window import PagesWindow
    from desktop.ui.palette import PaletteController
    from desktop.ui.permission.presenter import PermissionPresenter
    from desktop.ui.quick_ask.quick_ask import QuickAsk
    from desktop.ui.undo import UndoController

log = structlog.get_logger(__name__)


class Pausing(Protocol):
    """The gate for coding agents, as far as the tray's menu goes."""

    @property
    def paused_until(self) -> float | None: ...

    def pause(self, seconds: float) -> None: ...

    def resume(self) -> None: ...


class ActiveModel:
    """The model that answers: what the settings name, as far as it is there. Main thread only."""

    def __init__(
        self, engine: Engine, library: Library, settings: SettingsFile, warm_up: Callable[[], None]
    ) -> None:
        """`warm_up` is called once it is loaded while somebody looks, to be ready for the first question."""
        self.warm_up = warm_up
        self._engine = engine
        self._library = library
        self._settings = settings
        self._used = ""  # its id

    @property
    def is_there(self) -> bool:
        """Whether any model can answer."""
        return any(not model.is_missing for model in self._library.installed())

    @property
    def is_known(self) -> bool:
        """Whether any model was ever chosen that is still in the list, its file moved or not."""
        return bool(self._library.installed())

    def load(self) -> None:
        """Begin to, if it is not loaded yet; returns at once."""
        self._engine.preload()

    def follow_settings(self) -> bool:
        """Use the model of the settings or, where that is gone, the first there is, which they then name.
        Where no file is in its place any more, that of the settings all the same: its question is then
        answered by what is missing, and where.

        Returns whether that is another model than before. Raises UserFacing where the settings could not be
        made to name it; it is used all the same.
        """
        active = self._settings.current.model.active
        known = self._library.installed()
        present = [model for model in known if not model.is_missing] or list(known)
        chosen = next((model for model in present if model.id == active), present[0] if present else None)
        if (chosen.id if chosen else "") == self._used:
            return False
        self._used = chosen.id if chosen else ""
        self._engine.use(chosen)
        if chosen is not None and chosen.id != active:
            self._settings.change("model", "active", chosen.id)
        return chosen is not None


@dataclass(frozen=True)
class WindowMakers:
    """Each makes its window, once, when it is first shown. Without `pages` the tray offers none, and without
    `palette` its keys do nothing.
    """

    chat: Callable[[], ChatWindow]
    first_run: Callable[[], FirstRun]
    manager: Callable[[], ModelManager]
    pages: Callable[[], PagesWindow] | None = None
    palette: Callable[[Desktop], PaletteController] | None = None


class Desktop(QObject):
    """What the user sees of the running program. Main thread only."""

    def __init__(
        self,
        tray: Tray,
        model: ActiveModel,
        settings: SettingsFile,
        relay: Relay,
        makers: WindowMakers,
        undo_controller: UndoController | None = None,
    ) -> None:
        """Without `undo_controller` the tray does not offer to take anything back."""
        super().__init__()
        self._tray = tray
        self._model = model
        self._settings = settings
        self._relay = relay
        self._makers = makers
        self._undo_controller = undo_controller
        self._undo_from_tray = False
        self._told_about_tray = False
        self._quick: QuickAsk | None = None
        self._quick_marked = False  # an answer came while its window was hidden
        self._presenter: PermissionPresenter | None = None
        self._quit = asyncio.Event()
        self._answering: set[int] = set()
        self._leaving: dict[int, str] = {}  # hosts that words are on their way to, by chat
        self._unexpected_end = ""
        self.can_ask_quickly = False
        self.ask_quickly: Callable[[], None] = lambda: None
        self._quick_ask_keys: Callable[[], str] = str
        self._connect_tray()
        self._listen()
        self._offer()
        self._follow_model()

    # -- the windows --------------------------------------------------------------------------

    @cached_property
    def chat(self) -> ChatWindow:
        window = self._makers.chat()
        window.models_requested.connect(self.show_models)
        window.quit_requested.connect(self.quit)
        window.permissions_requested.connect(lambda: self.show_page("Permissions"))
        window.page_requested.connect(self.show_page)
        window.palette_requested.connect(lambda: self.show_palette(window))
        window.pane.status.network_clicked.connect(lambda: self.show_page("Network"))
        window.pane.status.program_clicked.connect(lambda: self.show_page("Programs"))
        window.pane.status.report_clicked.connect(lambda: self.show_page("Doctor"))
        window.controller.conversation_shown.connect(self._on_conversation_shown)
        window.controller.status.show_report(self._unexpected_end)
        window.close_to_tray.connect(self._on_close_to_tray)
        window.set_tray_available(self._tray.is_available)
        if self._quick is not None:
            for number in self._quick.talk.running:
                window.controller.set_answering(number, True)
        if self._presenter is not None:
            window.pane.waiting.opened.connect(self._presenter.come)
        return window

    @cached_property
    def first_run(self) -> FirstRun:
        window = self._makers.first_run()
        window.start_chatting.connect(self.show_chat)
        window.skipped.connect(self.show_chat)
        window.quit_requested.connect(self.quit)
        window.finished.connect(self._on_first_run_closed)
        return window

    @cached_property
    def manager(self) -> ModelManager:
        window = self._makers.manager()
        window.quit_requested.connect(self.quit)
        return window

    @cached_property
    def pages(self) -> PagesWindow:
        """Only where there is one to be made."""
        assert self._makers.pages is not None
        window = self._makers.pages()
        window.palette_requested.connect(lambda: self.show_palette(window))
        window.quit_requested.connect(self.quit)
        return window

    @cached_property
    def palette(self) -> PaletteController | None:
        """Made when its keys are first pressed."""
        return self._makers.palette(self) if self._makers.palette is not None else None

    # -- quick-ask ----------------------------------------------------------------------------

    def attach_quick_ask(self, ask: QuickAsk) -> None:
        """There is a quick-ask window now."""
        self._quick = ask
        ask.window_requested.connect(self._on_window_requested)
        ask.page_requested.connect(self._on_page_requested)
        ask.models_requested.connect(self.show_models)
        ask.finished_hidden.connect(self._on_quick_finished)
        ask.visible_changed.connect(self._on_quick_shown)
        ask.turn_began.connect(lambda number: self._tell_answering(number, True))
        ask.turn_over.connect(lambda number: self._tell_answering(number, False))

    def shows(self, conversation_id: int) -> QWidget | None:
        """The widget in which somebody sees this conversation now: in the window that has the keyboard."""
        chat, quick = self.__dict__.get("chat"), self._quick
        if chat is not None and chat.isActiveWindow() and chat.controller.current == conversation_id:
            return chat.pane.transcript  # type: ignore[no-any-return]
        if quick is not None and quick.talk.conversation_id == conversation_id:
            return quick.window if quick.window.isActiveWindow() else None
        return None

    def offer_quick_ask(self, ask: Callable[[], None], keys: Callable[[], str]) -> None:
        """Quick-ask can be opened, by `ask`, in the tray and in the palette; `keys` are those of now."""
        self.ask_quickly, self._quick_ask_keys = ask, keys
        self.can_ask_quickly = True
        self._tray.offer_quick_ask()
        self._tray.quick_ask_requested.connect(ask)

    @property
    def quick_ask_keys(self) -> str:
        """What opens Quick-ask from everywhere, in the words of this system; empty for none."""
        return QKeySequence(self._quick_ask_keys()).toString(QKeySequence.SequenceFormat.NativeText)

    @property
    def open_chat(self) -> int:
        """The conversation in the window; 0 for none."""
        return max(0, self.chat.controller.current) if "chat" in self.__dict__ else 0

    @property
    def in_use(self) -> frozenset[int]:
        """Conversations that are open or being answered."""
        opened = {self.chat.controller.current} if "chat" in self.__dict__ else set()
        return frozenset(self._answering | opened)

    def _tell_answering(self, number: int, answering: bool) -> None:
        if "chat" in self.__dict__:
            self.chat.controller.set_answering(number, answering)

    def show_conversation(self, number: int) -> None:
        """Show it in the window; one that is gone leaves what is open."""
        self.show_chat()
        self.chat.open_conversation(number)

    def new_chat_in(self, project_id: int, name: str) -> None:
        """An empty chat of a project, in the window."""
        self.show_chat()
        self.chat.new_chat_in(project_id, name)

    def tell_answering(self, number: int, answering: bool) -> None:
        """A turn that no window has begun is under way, or has returned."""
        self._tell_answering(number, answering)

    def _on_window_requested(self, number: int, draft: Draft) -> None:
        self.show_chat()
        if number:
            self.chat.open_conversation(number)
        else:
            self.chat.new_chat()
        if draft:
            self.chat.pane.composer.put_behind(draft)

    def _on_page_requested(self, page: str) -> None:
        self.show_models() if page == "models" else self.show_page(page.capitalize())

    # -- the last run -------------------------------------------------------------------------

    def tell_unexpected_end(self, report: CrashReport | None) -> None:
        """Say quietly in the chat that the last run ended unexpectedly, with the way to the report."""
        self._unexpected_end = ""
        if report is not None:
            from desktop.ui.pages.doctor import unexpected_end

            self._unexpected_end = unexpected_end(report, time.time())
        if "chat" in self.__dict__:
            self.chat.controller.status.show_report(self._unexpected_end)

    # -- questions ----------------------------------------------------------------------------

    def attach_presenter(self, presenter: PermissionPresenter) -> None:
        """Questions of our chats: their line in the chat, the tray and a notification."""
        self._presenter = presenter
        presenter.entry_changed.connect(self._on_entry_changed)
        presenter.attention_wanted.connect(self._on_attention_wanted)
        presenter.waiting_changed.connect(self._tray.set_waiting)

    def window_of(self, question: Question) -> QWidget | None:
        """The window that a chat's question belongs to."""
        number = question.origin.conversation_id
        if self._quick is not None and number is not None and self._quick.is_showing(number):
            return self._quick.window
        return self.chat_window

    @property
    def chat_window(self) -> QWidget | None:
        """The window of chats, where it was made."""
        window: ChatWindow | None = self.__dict__.get("chat")
        return window

    def _on_entry_changed(self, question: Question | None) -> None:
        if "chat" in self.__dict__:
            self.chat.pane.show_waiting(question)
        self._tray.set_question(words_of(question.title) if question is not None else "")

    def _on_attention_wanted(self, question: Question) -> None:
        self._tray.say(tr("Steward asks"), words_of(question.title), question=True)

    # -- what the user can ask for ------------------------------------------------------------

    async def live(self, hidden: bool, chat: int = 0, after_first_run: bool = False) -> None:
        """Show what a start shows, with the conversation `chat` open, and return when the user quits.
        `after_first_run`: its window was there before the others, and goes on.
        """
        if after_first_run:
            self.first_run.end_waiting()
            # It may have been closed when nobody listened yet to whether there is a tray.
            self._on_tray_availability(self._tray.is_available)
        elif not hidden:
            self.show()
        if chat and "chat" in self.__dict__:
            self.chat.open_conversation(chat)
        await self._quit.wait()
        for window in self._windows():
            window.hide()

    async def demonstrate(self, question: str, screenshot: str, timeout_s: float) -> int:
        """Ask one question through the real window, print the answer, save a picture; the exit code."""
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

        def on_end(event: TurnEnded | TurnFailed) -> None:
            if not answer.done():
                answer.set_result(event.answer)

        self._relay.listen(TurnEnded, on_end)
        self._relay.listen(TurnFailed, on_end)
        self.show_chat()
        self.chat.new_chat(question)
        try:
            message = await asyncio.wait_for(answer, timeout_s)
        except TimeoutError:
            log.error("no answer in time", timeout_s=timeout_s)
            return 1
        await asyncio.sleep(0.3)  # the last repaint
        self.chat.grab().save(screenshot)
        sys.stdout.write(f"{message.text}\n")
        self.chat.hide()
        return 0 if message.status is not MessageStatus.FAILED else 1

    def show(self) -> None:
        """The chat or, while no model was ever there, the first run."""
        if self._model.is_known or "chat" in self.__dict__:
            self.show_chat()
        else:
            self.first_run.show_and_raise()

    def show_chat(self) -> None:
        self.chat.show_and_raise()
        self._on_conversation_shown()
        if self._model.is_there:
            self._model.load()

    def show_models(self) -> None:
        self.manager.show_and_raise()

    def show_page(self, title: str = "") -> None:
        """The window with the pages, at the one with this title; ignored where there is none."""
        if self._makers.pages is not None:
            self.pages.show_page(title)

    def show_setting(self, key: str) -> None:
        """The page with the settings, at the one with this key (`model.threads`)."""
        self.show_page("Settings")
        page = self.pages.page if self._makers.pages is not None else None
        if page is not None:
            page.show_part(key)

    def show_palette(self, window: QWidget) -> None:
        """Over this window, which has the keyboard."""
        if self.palette is not None:
            self.palette.open(window)

    @property
    def page_titles(self) -> tuple[tuple[str, str], ...]:
        """Title and icon of every page that can be shown."""
        return self.pages.titles if self._makers.pages is not None else ()

    def quit(self) -> None:
        """End `live`."""
        if "pages" in self.__dict__:
            self.pages.save_state()
        if "chat" in self.__dict__:
            self.chat.save_state()
        self._quit.set()

    # -- tray ---------------------------------------------------------------------------------

    def _connect_tray(self) -> None:
        tray = self._tray
        tray.open_requested.connect(self.show)
        tray.toggle_requested.connect(self._on_toggle)
        tray.new_chat_requested.connect(self._on_new_chat)
        tray.models_requested.connect(self.show_models)
        tray.stop_requested.connect(self._on_stop)
        tray.quit_requested.connect(self.quit)
        tray.availability_changed.connect(self._on_tray_availability)
        tray.said_to_nobody.connect(self._on_said_to_nobody)
        tray.activity_requested.connect(lambda: self.show_page("Activity"))
        tray.memory_requested.connect(lambda: self.show_page("Memory"))
        tray.permissions_requested.connect(lambda: self.show_page("Permissions"))
        tray.settings_requested.connect(lambda: self.show_page("Settings"))
        tray.question_requested.connect(self.show_question)

    def _offer(self) -> None:
        """Fill the tray's menu with what there is."""
        if self._makers.pages is not None:
            self._tray.offer_pages()
        if self._undo_controller is not None:
            self._connect_undo(self._undo_controller)

    def offer_pause(self, pausing: Pausing) -> None:
        """Coding agents are answered: the tray can pause that. Once."""
        self._tray.pause_requested.connect(pausing.pause)
        self._tray.resume_requested.connect(pausing.resume)
        self._tray.set_pause(pausing.paused_until)
        self._relay.listen(PauseChanged, lambda event: self._tray.set_pause(event.until))

    def _connect_undo(self, undo_controller: UndoController) -> None:
        self._tray.undo_requested.connect(lambda: self._undo_latest(undo_controller))
        self._tray.menu_opened.connect(undo_controller.refresh)
        undo_controller.latest_changed.connect(lambda: self._tray.set_undo(undo_controller.latest_words))
        undo_controller.undone.connect(self._on_undone)
        undo_controller.refused.connect(self._on_undo_refused)

    def _undo_latest(self, undo_controller: UndoController) -> None:
        self._undo_from_tray = True
        undo_controller.undo_latest()

    def _on_undone(self, words: str) -> None:
        """Said where the user is: the pages say it themselves."""
        self._undo_from_tray = False
        if "pages" in self.__dict__ and self.pages.isVisible():
            return
        if self._is_watched():
            self.chat.toast.offer(words)
        else:
            self._tray.say(tr("Undone"), words)

    def _on_undo_refused(self, _error: UserFacing) -> None:
        """A choice is to be made or a reason to be read: where Undo was pressed, for the tray in the list."""
        if self._undo_from_tray:
            self._undo_from_tray = False
            self.show_page("Changes")

    def show_question(self) -> None:
        """The question that waits, brought to the front."""
        if self._presenter is not None:
            self._presenter.come()

    def _on_toggle(self) -> None:
        if "chat" in self.__dict__:
            self.chat.toggle()
        else:
            self.show()

    def _on_new_chat(self) -> None:
        self.show_chat()
        self.chat.new_chat()

    def _on_stop(self) -> None:
        self.chat.controller.stop_all()

    def _on_tray_availability(self, available: bool) -> None:
        if "chat" in self.__dict__:
            self.chat.set_tray_available(available)
        if not available and not any(window.isVisible() for window in self._windows()):
            # Hidden at the start, and there is nothing to click: the program must not be out of reach.
            self.show()

    def _on_first_run_closed(self) -> None:
        """By Esc, or on its later pages: without a tray nothing would be left to click."""
        if not self._tray.is_available and not any(window.isVisible() for window in self._windows()):
            self.show_chat()

    def _on_said_to_nobody(self, words: str) -> None:
        """Without a tray the open window is what there is; its lists have it in any case."""
        if "chat" in self.__dict__ and self.chat.isVisible():
            self.chat.toast.offer(words)

    def tell_refused(self, error: UserFacing) -> None:
        """What failed on the pool and has no place of its own: where the user is."""
        page = self.pages.page if "pages" in self.__dict__ and self.pages.isActiveWindow() else None
        if page is not None:
            page.toast.refuse(error)
        elif self._quick is not None and self._quick.window.isVisible():
            self._quick.window.show_problem(error)
        elif "chat" in self.__dict__ and self.chat.isVisible():
            self.chat.toast.refuse(error)
        else:
            cause, *rest = error_parts(error)
            self._tray.say(cause, " ".join(part for part in rest if part))

    def _on_close_to_tray(self) -> None:
        if self._told_about_tray or self._settings.current.window.told_about_tray:
            return
        self._told_about_tray = True  # in this run at least, whatever becomes of the setting
        self._tray.say(
            tr("Steward keeps running"), tr("Its icon is in the tray; Quit is in the icon's menu.")
        )
        try:
            self._settings.change("window", "told_about_tray", True)
        except UserFacing as error:
            self.tell_refused(error)

    # -- events -------------------------------------------------------------------------------

    def _listen(self) -> None:
        relay = self._relay
        relay.listen(TurnStarted, self._on_turn_started)
        relay.listen(TurnEnded, lambda event: self._on_turn_over(event.conversation_id))
        relay.listen(TurnFailed, self._on_turn_failed)
        relay.listen(WordsLeaving, self._on_leaving)
        relay.listen(ModelLoading, lambda _event: self._tray.set_state(TrayState.BUSY))
        relay.listen(ModelLoaded, lambda _event: self._on_model_loaded())
        relay.listen(ModelUnloaded, lambda _event: self._show_state())
        relay.listen(ModelFailed, lambda _event: self._tray.set_state(TrayState.ERROR))
        relay.listen(SettingsChanged, lambda _event: self._on_settings_changed())
        self._show_guard()

    def _on_settings_changed(self) -> None:
        changed = self._follow_model()
        if changed and self._is_watched():
            self._model.load()
        self._show_guard()

    def _follow_model(self) -> bool:
        try:
            return self._model.follow_settings()
        except UserFacing as error:
            self.tell_refused(error)
            return True

    def _show_guard(self) -> None:
        self._tray.set_unguarded(self._settings.current.permissions.dangerously_skip_permissions)

    def _on_model_loaded(self) -> None:
        self._show_state()
        if self._is_watched():
            self._model.warm_up()

    def _on_turn_started(self, event: TurnStarted) -> None:
        self._answering.add(event.conversation_id)
        self._show_state()

    def _on_turn_over(self, conversation_id: int) -> None:
        self._answering.discard(conversation_id)
        if not self._answering and not self._is_watched():
            self._tray.set_state(TrayState.ATTENTION)
        else:
            self._show_state()

    def _on_quick_finished(self, title: str, text: str) -> None:
        """Its window was hidden: the icon stays marked until the answer is seen, there or in the main one."""
        self._tray.say(title, text)
        self._quick_marked = True
        self._show_state()

    def _on_quick_shown(self, is_shown: bool) -> None:
        """What it was marked for is seen; a mark of something else stays."""
        if is_shown and self._quick_marked:
            self._quick_marked = False
            self._show_state()

    def _on_conversation_shown(self) -> None:
        quick, chat = self._quick, self.chat
        is_there = quick is not None and chat.controller.current == quick.talk.conversation_id
        self._on_quick_shown(is_there and chat.isVisible())

    def _on_leaving(self, event: WordsLeaving) -> None:
        """The sign in the tray, also while no window is shown."""
        if event.ended:
            self._leaving.pop(event.conversation_id, None)
        else:
            self._leaving[event.conversation_id] = event.host
        self._tray.set_leaving(tuple(self._leaving.values()))

    def _on_turn_failed(self, event: TurnFailed) -> None:
        self._on_turn_over(event.conversation_id)
        self._tray.set_state(TrayState.ERROR)

    def _show_state(self) -> None:
        # Quick-ask's own answer is unseen also while the main window is open.
        idle = TrayState.ATTENTION if self._quick_marked else TrayState.IDLE
        self._tray.set_state(TrayState.BUSY if self._answering else idle)

    # -- inside -------------------------------------------------------------------------------

    def _is_watched(self) -> bool:
        if self._quick is not None and self._quick.window.isVisible():
            return True
        return "chat" in self.__dict__ and self.chat.isVisible()

    def _windows(self) -> list[ChatWindow | FirstRun | ModelManager | PagesWindow]:
        names = ("chat", "first_run", "manager", "pages")
        return [self.__dict__[name] for name in names if name in self.__dict__]


class HookServerStarter(QObject):
    """Opens the server once an agent is installed or launched, which other processes do. Main thread only."""

    opened = Signal()
    refused = Signal(object)  # UserFacing: it could not be opened

    def __init__(
        self,
        folders: Iterable[Path],
        is_wanted: Callable[[], bool],
        open_it: Callable[[], object],
        background: Background,
    ) -> None:
        """`folders` hold the files by which other processes tell; `open_it` is called on the pool, once."""
        super().__init__()
        self._is_wanted = is_wanted
        self._open_it = open_it
        self._background = background
        self._is_opened = False
        self._watcher = QFileSystemWatcher([str(ensure(each)) for each in folders], self)
        self._watcher.directoryChanged.connect(lambda _folder: self.look())

    def look(self) -> None:
        """Open the door if somebody may call now and it is not open yet."""
        if not self._is_opened and self._is_wanted():
            self._is_opened = True
            self._background.run(self._open_it, done=lambda _: self.opened.emit(), failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        """Tried again at the next occasion, such as when the agent is installed anew."""
        self._is_opened = False
        if isinstance(error, UserFacing):
            self.refused.emit(error)
        else:
            log.error("the server could not be started", exc_info=error)
