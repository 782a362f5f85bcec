"""Every window of the program as the composition root makes it, to be walked by tests of all of them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.app import Services, build_core
from desktop.app.windows import DesktopServices, QuickAskHotkey, Windows
from desktop.asking import Question
from desktop.chat.messages import ToolRecord
from desktop.chat.remote_turn import OutgoingText
from desktop.chat.store import AnswerEnding, MessageStatus
from desktop.chat.text_actions import TextAction
from desktop.engine.engine import Engine
from desktop.engine.inference import InferenceBackend
from desktop.engine.remote import RemoteServer
from desktop.gate.reasons import GateReason
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.system.clipboard import QtClipboard
from desktop.system.installation import Installation, InstallationProgress, InstallationStep
from desktop.system.main_thread import MainThread
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui import theme
from desktop.ui.agent_question import AgentQuestion, AgentQuestionDialog
from desktop.ui.chat.selection_bar import ResultWindow
from desktop.ui.chat.send_question import SendDialog
from desktop.ui.chat.virtual_list import SETTLE_MS
from desktop.ui.chat.window import ChatWindow
from desktop.ui.desktop import Desktop
from desktop.ui.models.cards import BetterModelCard
from desktop.ui.pages.settings_file import SettingsWatch
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.theme import Theme
from desktop.ui.tray import Tray
from desktop.ui.widgets.error_card import ErrorCard
from tests.extensions.world import package
from tests.fakes.failures import failure, spoken
from tests.fakes.scripted_model import ScriptedBackend
from tests.ui.permission.conftest import AGENT, DELETE, SHELL, WRITE

# What people and models wrote stands in capitals without vowels: no word of ours, in no language.
SERVER = RemoteServer("7", "https://127.0.0.1:9/v1", "XQZ", tools=True, unencrypted=False, has_key=True)
SHORT_MS = 5  # timers that put something off to the next round of the loop
SETTLED_MS = 120_000  # a model may be among what is waited for, on a computer that does much else
ASKED, ANSWERED, TITLE = "XQZ WRT PLK?", "XQZ BRT. VNM 1 2 3.\n\n```\nXQZ\n```\n", "XQZ PLK"


class CountedBackground(Background):
    """Knows how much of what was asked of the pool has not come back yet."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = 0

    def run(self, fn: Callable[..., Any], *args: Any, **then: Callable[[Any], None] | None) -> None:
        self.under_way += not self._closed
        super().run(fn, *args, **then)

    @Slot(object, object)
    def _hand_over(self, future: Future[Any], callbacks: tuple[Any, Any]) -> None:
        self.under_way -= 1
        super()._hand_over(future, callbacks)


@dataclass
class House:
    """The program without its loop. Main thread only."""

    core: Services
    theme: Theme
    desktop: Desktop
    quick: QuickAskHotkey
    tray: Tray
    qtbot: QtBot
    background: CountedBackground

    def windows(self) -> Iterator[tuple[str, QWidget]]:
        """Each window in each of its faces, shown, one after another."""
        yield from self._chats()
        yield from self._pages()
        yield from self._models()
        yield from self._questions()
        yield from self._small_ones()

    def _shown(self, name: str, widget: QWidget) -> tuple[str, QWidget]:
        widget.show()
        self.settle()
        return name, widget

    def settle(self) -> None:
        """Let the pool answer, and layouts settle that its answers changed."""
        for _ in range(3):
            self.qtbot.waitUntil(lambda: not self.background.under_way, timeout=SETTLED_MS)
            self.qtbot.wait(SHORT_MS)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def _chats(self) -> Iterator[tuple[str, QWidget]]:
        chat = self.desktop.chat
        chat.resize(1080, 760)
        yield self._shown("chat, empty", chat)
        chat.open_conversation(a_conversation(self.core))
        area = chat.pane.transcript
        self.qtbot.waitUntil(lambda: len(area.live_views) > 2 and not area._fill_timer.isActive())
        self.qtbot.wait(2 * SETTLE_MS)
        yield self._shown("chat, with answers", chat)
        self.core.settings.put("engines", "servers", SERVER.name, {"url": SERVER.url, "model": SERVER.model})
        chat.destination.choose(SERVER.name)
        yield self._shown("chat, answered elsewhere", chat)
        chat.destination.choose("")
        chat.pane.folder.show_progress(f"{TITLE} · 12", 3, 12)
        chat.pane.arrange()
        yield self._shown("chat, looking into a folder", chat)
        chat.pane.folder.show_words("")
        self.settle()
        yield from self._selected(chat)
        chat.hide()

    def _selected(self, chat: ChatWindow) -> Iterator[tuple[str, QWidget]]:
        """What came of a selection. The bar itself goes when the keyboard does, and has tests of its own."""
        box = chat.pane.composer.text
        result = ResultWindow(TextAction.REWRITE, ASKED, QTextCursor(box.document()), box, chat.pane)
        result.open_beside()
        result.show_result(TITLE)
        yield self._shown("what came of a selection", result)
        result.close()
        result.deleteLater()

    def _pages(self) -> Iterator[tuple[str, QWidget]]:
        pages = self.desktop.pages
        pages.resize(1000, 760)
        for entry in pages._entries:
            pages.show_page(entry.title)
            yield self._shown(f"page {entry.title}", pages)
        yield self._extension_settings()
        pages.hide()

    def _extension_settings(self) -> tuple[str, QWidget]:
        """The form of an extension that is installed, one setting of each kind."""
        values = (("brt", '"XQZ"'), ("plk", "7"), ("wrt", "true"))
        more = "".join(
            f'[[settings]]\nname = "{name}"\ndefault = {value}\ndescription = "XQZ VNM."\n'
            for name, value in values
        )
        registry = self.core.extensions.registry
        folder = self.core.paths.data / "packages" / "xqz"
        registry.accept(registry.install(package(folder, "", more=f'name = "XQZ"\n{more}')).id, on=False)
        pages = self.desktop.pages
        pages.show_page("Extensions")
        self.qtbot.waitUntil(lambda: pages.findChild(QPushButton, "settings_xqz") is not None)
        pages.findChild(QPushButton, "settings_xqz").click()
        return self._shown("page Extensions, settings of one", pages)

    def _models(self) -> Iterator[tuple[str, QWidget]]:
        for name, window in (("first run", self.desktop.first_run), ("models", self.desktop.manager)):
            yield self._shown(name, window)
            window.hide()
        yield from self._first_start()
        choice = self.core.setup.choices(4096)[0]
        offer = BetterModelCard(choice, lambda _choice: None, lambda _model_id: None)
        # By itself it would get two thirds of the screen at most, which is no size that it ever has.
        width = theme.px(560)
        offer.resize(width, offer.heightForWidth(width))
        yield self._shown("offer of a better model", offer)
        offer.hide()
        offer.deleteLater()

    def _first_start(self) -> Iterator[tuple[str, QWidget]]:
        """The first window while Steward itself is still being installed, and where that stands still."""
        window, installation = self.desktop.first_run, Installation(Path("dev.py"))
        window.follow(installation)
        installation.progress = InstallationProgress(
            InstallationStep.UNPACKING, share=0.4, seconds_left=12, count_done=8, count_total=47
        )
        installation.changed.emit()
        yield self._shown("first run, Steward on its way", window)
        window.wait_for_chat()
        yield self._shown("first run, waiting for the chat", window)
        installation.error = failure("XQZ WRT.", "XQZ PLK.", "XQZ VNM.")
        installation.changed.emit()
        yield self._shown("first run, the set-up stands still", window)
        window._on_back_from_waiting()
        installation.done.emit()
        window.hide()

    def _questions(self) -> Iterator[tuple[str, QWidget]]:
        for name, question in (
            ("overwrite", WRITE),
            ("delete", DELETE),
            ("agent", AGENT),
            ("command", SHELL),
        ):
            dialog = PermissionDialog(nobodys_words(question), arm_ms=1)
            yield self._shown(f"question, {name}", dialog)
            dialog.dismiss()
            dialog.deleteLater()

        sending = SendDialog(
            OutgoingText(1, 1, SERVER, 3, ("XQZ.TXT",), True, True, "/XQZ", "XQZ WRT?"), arm_ms=1
        )
        yield self._shown("question before sending", sending)
        sending.hide()
        sending.deleteLater()
        asked = AgentQuestionDialog(AgentQuestion("codex", "XQZ WRT?", ("XQZ", "WRT")), arm_ms=1)
        yield self._shown("question of an agent", asked)
        asked.hide()
        asked.deleteLater()

    def _small_ones(self) -> Iterator[tuple[str, QWidget]]:
        self.quick.ask.show()
        yield self._shown("quick-ask", self.quick.ask.window)
        self.quick.ask.hide(give_back=False)
        yield self._shown("tray menu", self.tray.menu)
        self.tray.menu.hide()
        error = failure("XQZ WRT.", "XQZ PLK.", "XQZ VNM.")
        card = ErrorCard(error, [("XQZ", lambda: None)])
        yield self._shown("error card", card)
        card.deleteLater()


def nobodys_words(question: Question) -> Question:
    """The same question about something that has no words."""
    view = question.command
    if view is not None:
        view = replace(view, reason=GateReason.AS_SAID.of(text="XQZ"), span=(0, 3), opinion=spoken("XQZ"))
    origin = replace(question.origin, folder="/XQZ" if question.origin.folder else "")
    diff = "--- XQZ\n+++ XQZ\n@@ -1 +1 @@\n-WRT\n+PLK\n" if question.diff else ""
    files = tuple(replace(file, path=f"/XQZ/{number}") for number, file in enumerate(question.files))
    return replace(
        question, arguments="XQZ WRT", why="XQZ", command=view, origin=origin, diff=diff, files=files
    )


def a_conversation(core: Services) -> int:
    """One with an answer, a call of a tool, a failed answer and a cut one; returns its number."""
    made = core.store.create()
    core.store.rename(made.id, TITLE)
    record = ToolRecord(
        "1", "read_file", {"path": "XQZ.TXT"}, CallStatus.DONE, "", 0.2, verb=ToolReason.VERB_READ_FILE
    )
    for status in (MessageStatus.COMPLETE, MessageStatus.FAILED, MessageStatus.STOPPED):
        _, answer = core.store.open_turn(made.id, ASKED)
        core.store.grow(answer.id, ANSWERED, "XQZ WRT")
        core.store.close_answer(answer.id, AnswerEnding(status, "XQZ 1B", None, 212, 11.3, 18.8))
        call = core.store.add_call(made.id, record)
        core.store.close_call(call.id, record, "XQZ")
    return made.id


@contextmanager
def house(
    paths: Paths, qapp: QApplication, qtbot: QtBot, backend: InferenceBackend | None = None
) -> Iterator[House]:
    """The real core with a scripted model, and all that the composition root puts around it."""
    core = build_core(paths)
    core.settings.change("chat", "workspace", str(paths.data / "workspace"))
    engine = Engine(paths, core.bus, lambda: core.settings.current.model, backend or ScriptedBackend())
    core.engine = engine
    owner = threading.Thread(target=engine.run, name="engine", daemon=True)
    owner.start()
    theme, relay, background = Theme(qapp, Mode.LIGHT), Relay(core.bus), CountedBackground()
    main_thread = MainThread()
    core.clipboard = QtClipboard(main_thread)
    with ExitStack() as ending:
        watch = SettingsWatch(core.settings, background)
        tray = Tray(look_every_ms=60_000)
        shared = DesktopServices(core, relay, background, tray, ending)
        windows = Windows(shared, watch)
        desktop = windows.desktop
        yield House(core, theme, desktop, windows.quick, tray, qtbot, background)
        _take_down(core, desktop, (watch.close, relay.close, background.close, tray.close))
    main_thread.deleteLater()
    owner.join()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    theme.deleteLater()
    gc.collect()


def _take_down(core: Services, desktop: Desktop, ends: tuple[Callable[[], None], ...]) -> None:
    core.stop()
    for end in ends:
        end()
    core.close()
    QCoreApplication.processEvents()
    for name in ("chat", "pages", "first_run", "manager"):
        window = desktop.__dict__.get(name)
        if window is not None:
            window.hide()
            window.deleteLater()
    desktop.deleteLater()
