"""The first run: nothing leaves before Download, the model arrives whole, errors leave a way on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.errors import UserFacing
from desktop.models.progress import DownloadPhase
from desktop.system.hotkey.global_hotkey import GlobalHotkey
from desktop.system.reasons import SystemReason
from desktop.ui.models.first_run import FirstRun
from desktop.ui.models.first_steps import FolderChoice, SetupPage
from desktop.ui.models.words import choice_facts
from desktop.ui.quick_ask.hotkey import HotkeyTrial
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.focus_ring import FocusRing
from tests.ui.models.conftest import World, tiny_gguf
from tests.ui.quick_ask.hotkeys import FakeGrabber

Show = Callable[[QWidget], None]


@pytest.fixture
def window(world: World, shown: Show) -> FirstRun:
    window = world.first_run()
    shown(window)
    return window


def press(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose(window: FirstRun, entry_id: str) -> None:
    """Among all, where it is none of the good ones."""
    if entry_id not in [card.choice.entry.id for card in window.choose_page.list.cards]:
        window.choose_page.all_button.click()
    next(card for card in window.choose_page.list.cards if card.choice.entry.id == entry_id).click()


def error_in(window: FirstRun) -> ErrorCard | None:
    return next((card for card in window.findChildren(ErrorCard) if card.isVisible()), None)


def texts(window: QWidget) -> str:
    labels = [label for label in window.findChildren(QLabel) if label.isVisible()]
    return "\n".join(label.text().replace("\u200b", "") for label in labels)


def test_nothing_leaves_before_download_is_pressed(
    window: FirstRun, world: World, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening, choosing and closing make no connection; only Download does."""
    opened: list[tuple[object, ...]] = []
    monkeypatch.setattr("socket.socket.connect", lambda _self, *address: opened.append(address))
    for card in window.choose_page.list.cards:
        card.click()
    window.close()
    window.show_and_raise()
    qtbot.wait(50)  # time for a connection that must not come
    assert opened == []
    assert world.network.log == ()
    assert world.server.requests == []
    monkeypatch.undo()
    choose(window, "model-1")
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: bool(world.server.requests))


def test_the_best_tried_model_is_chosen_already(window: FirstRun) -> None:
    """The recommended card is first, chosen and focused, and says what it is."""
    first, *others = window.choose_page.list.cards
    assert first.choice.entry.id == "model-2"
    assert first.choice.recommended
    assert first.isChecked()
    assert first.hasFocus()
    assert not any(card.isChecked() for card in others)
    words = texts(first)
    for part in (
        "Good tried model",
        "Suits this computer best",
        "Tried by this project",
        "401 kB download",
        "Apache-2.0",
        "has 16 GB",
    ):
        assert part in words


def test_a_download_that_was_broken_off_is_chosen_again(world: World, shown: Show) -> None:
    """Whoever starts again after a crash goes on with it, and sees how much of it is there."""
    entry = world.catalogue.entries[0]
    window = world.first_run()
    shown(window)
    begun = [replace(each, arrived_bytes=1024 * (each.entry is entry)) for each in world.setup.choices(4096)]
    window.choose_page.show_choices(tuple(begun))
    chosen = window.choose_page.list.current
    assert chosen is not None
    assert chosen.entry.id == entry.id
    assert "1.0 kB of 4.7 kB are here already" in choice_facts(chosen)


def test_untried_models_and_special_licences_say_so(window: FirstRun, qtbot: QtBot) -> None:
    """An untried card carries the badge and its licence's condition, also for a screen reader."""
    window.choose_page.all_button.click()
    card = next(card for card in window.choose_page.list.cards if card.choice.entry.id == "model-3")
    qtbot.waitUntil(card.isVisible)
    assert "Not tried by this project" in texts(card)
    assert "Companies need their own agreement" in texts(card)
    interface = QAccessible.queryAccessibleInterface(card)
    assert interface.role() == QAccessible.Role.RadioButton
    assert "Not tried by this project" in interface.text(QAccessible.Text.Name)
    assert "Companies need" in interface.text(QAccessible.Text.Description)


def test_download_to_ready_with_the_keyboard_alone(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """All models, arrow down, Enter, wait, Enter: the model is installed, active, and the chat may begin."""
    list_ = window.choose_page.list
    window.choose_page.all_button.setFocus()
    qtbot.keyClick(window.choose_page.all_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: list_.cards[0].isVisible() and list_.cards[0].hasFocus())
    assert window.choose_page.all_button.text() == "Fewer models"
    qtbot.keyClick(list_.cards[0], Qt.Key.Key_Down)
    assert list_.cards[1].isChecked()
    chosen = list_.cards[1].choice.entry.id
    with qtbot.waitSignal(window.model_ready, timeout=10000) as ready:
        qtbot.keyClick(list_.cards[1], Qt.Key.Key_Return)
    assert ready.args == [chosen]
    assert world.settings.current.model.active == chosen
    model = world.library.get(chosen)
    assert model is not None
    assert model.path.read_bytes() == world.server.files[f"/{chosen}.gguf"]
    assert window.ready_page.isVisible()
    assert window.ready_page.start_button.hasFocus()
    assert "every byte was checked" in texts(window.ready_page)
    with qtbot.waitSignal(window.start_chatting):
        qtbot.keyClick(window.ready_page.start_button, Qt.Key.Key_Return)
    assert not window.isVisible()


def test_a_choice_that_cannot_be_saved_still_leads_on(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """With a settings file that somebody has broken the model is ready all the same, and told why."""
    world.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    world.paths.settings.write_text("[model]\nthreads = 'many'\n")
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        press(qtbot, window.choose_page.download_button)
    card = error_in(window) or window.ready_page.findChild(ErrorCard)
    assert card is not None
    assert card.error.code == "settings-invalid"


def test_enter_on_another_button_does_not_download(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """The default button yields to the one that has the focus."""
    window.choose_page.skip_button.setFocus()
    with qtbot.waitSignal(window.skipped):
        qtbot.keyClick(window.choose_page.skip_button, Qt.Key.Key_Return)
    assert world.downloads.all == ()
    assert world.server.requests == []


def test_escape_closes_and_says_skipped_once(window: FirstRun, qtbot: QtBot) -> None:
    """Leaving without a model is one signal."""
    heard: list[bool] = []
    window.skipped.connect(partial(heard.append, True))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
    assert heard == [True]


def test_pause_keeps_and_resume_goes_on(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """Pausing shows what is kept; resuming asks for the rest only, and the focus stays on the button."""
    world.server.hold_after_bytes = 100_000
    press(qtbot, window.choose_page.download_button)
    download = world.downloads.all[0]
    panel = window._panel
    assert panel is not None
    file = world.catalogue.entries[1].file
    qtbot.waitUntil(lambda: world.downloader.arrived_bytes(file) >= 100_000)
    panel.pause_button.setFocus()
    qtbot.keyClick(panel.pause_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: download.phase is DownloadPhase.PAUSED)
    assert "Paused. What has arrived is kept." in texts(panel)
    assert "100 kB of 401 kB" in texts(panel)
    assert panel.resume_button.isVisible()
    assert not panel.pause_button.isVisible()
    assert panel.resume_button.hasFocus()
    world.server.hold_after_bytes = None
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        qtbot.keyClick(panel.resume_button, Qt.Key.Key_Space)
    assert world.server.ranges == ["", "bytes=100000-"]


def test_cancel_returns_to_the_choice(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """After Cancel nothing is installed and the list is there again."""
    world.server.hold_after_bytes = 1000
    press(qtbot, window.choose_page.download_button)
    panel = window._panel
    assert panel is not None
    qtbot.waitUntil(lambda: world.downloads.all[0].phase is DownloadPhase.DOWNLOADING)
    press(qtbot, panel.cancel_button)
    qtbot.waitUntil(window.choose_page.isVisible)
    assert world.downloads.all == ()
    assert world.library.installed() == ()


def test_closing_does_not_end_the_download(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """It goes on behind a closed window, is shown again on reopening, and ends in model_ready."""
    world.server.hold_after_bytes = 1000
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: world.downloads.all[0].phase is DownloadPhase.DOWNLOADING)
    assert "the download goes on" in texts(window)
    window.close()
    window.show_and_raise()
    assert window.progress_page.isVisible()
    window.close()
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        world.server.go_on.set()
    assert not window.isVisible()


def test_a_download_started_elsewhere_is_shown(world: World, shown: Show, qtbot: QtBot) -> None:
    """Reopening the first run finds the download that another window has started."""
    world.server.hold_after_bytes = 1000
    world.downloads.start_entry(world.catalogue.entries[1])
    window = world.first_run()
    shown(window)
    assert window.progress_page.isVisible()
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        world.server.go_on.set()


def test_a_wrong_byte_is_told_quarantined_and_can_be_tried_again(
    window: FirstRun, world: World, qtbot: QtBot
) -> None:
    """The file is put aside, the card says where, and Try again fetches it anew."""
    choose(window, "model-4")
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: error_in(window) is not None, timeout=10000)
    card = error_in(window)
    assert card is not None
    assert card.error.code == "wrong-hash"
    assert (world.paths.quarantine / "model-4.gguf").exists()
    assert "the download goes on" not in texts(window)
    assert card.buttons[0].hasFocus()
    world.server.files["/model-4.gguf"] = tiny_gguf("Damaged model", 8192)
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        press(qtbot, card.buttons[0])


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, "not-found"), (410, "not-found"), (400, "request-refused")],
)
def test_a_refusal_leaves_a_way_to_another_model(
    window: FirstRun, world: World, qtbot: QtBot, status: int, code: str
) -> None:
    """Each refusal is a card in place with a way back to the list; no window opens over ours."""
    world.server.status["/model-2.gguf"] = status
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: error_in(window) is not None, timeout=10000)
    card = error_in(window)
    assert card is not None
    assert card.error.code == code
    assert QApplication.activeModalWidget() is None
    press(qtbot, card.buttons[1])
    assert window.choose_page.isVisible()
    assert world.downloads.all == ()


def test_no_network_says_so(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """Offline mode is a sentence with Try again, not a hang."""
    world.settings.change("network", "offline", True)
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: error_in(window) is not None, timeout=10000)
    card = error_in(window)
    assert card is not None
    assert card.error.code == "offline"
    world.settings.change("network", "offline", False)
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        press(qtbot, card.buttons[0])


def test_a_licence_asks_for_a_token_and_keeps_it(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """401 and 403 show a field; what is typed is kept once and the download is tried again."""
    world.server.status["/model-2.gguf"] = 403
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: window.findChild(QLineEdit, "token_field") is not None, timeout=10000)
    field = window.findChild(QLineEdit, "token_field")
    save = window.findChild(QPushButton, "save_token_button")
    assert isinstance(field, QLineEdit)
    assert isinstance(save, QPushButton)
    assert field.echoMode() == QLineEdit.EchoMode.Password
    assert not save.isEnabled()
    world.server.status.clear()
    qtbot.keyClicks(field, " hf_secret ")
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert world.tokens == ["hf_secret"]


def test_a_token_that_a_locked_keyring_refused_is_not_typed_twice(
    window: FirstRun, world: World, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its card says what to do; trying again keeps the token that was typed and goes on."""

    def refuse(_token: str) -> None:
        raise UserFacing(SystemReason.KEYRING_LOCKED.of())

    keep = world.downloads._save_token
    monkeypatch.setattr(world.downloads, "_save_token", refuse)
    world.server.status["/model-2.gguf"] = 403
    press(qtbot, window.choose_page.download_button)
    qtbot.waitUntil(lambda: window.findChild(QLineEdit, "token_field") is not None, timeout=10000)
    field = window.findChild(QLineEdit, "token_field")
    assert isinstance(field, QLineEdit)
    world.server.status.clear()
    qtbot.keyClicks(field, "hf_secret")
    qtbot.keyClick(field, Qt.Key.Key_Return)

    def told() -> list[ErrorCard]:
        return [card for card in window.findChildren(ErrorCard) if "keyring" in texts(card)]

    qtbot.waitUntil(lambda: bool(told()), timeout=10000)
    card = told()[0]
    monkeypatch.setattr(world.downloads, "_save_token", keep)
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        press(qtbot, card.buttons[0])
    assert world.tokens == ["hf_secret"]


def test_an_own_file_is_used_where_it_lies(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """The dialog is not modal to the program, copies nothing, and leads to Ready."""
    path = world.own_file()
    press(qtbot, window.choose_page.own_file_button)
    dialog = window._import.dialog
    assert dialog is not None
    with qtbot.waitSignal(window.model_ready, timeout=10000):
        dialog.fileSelected.emit(str(path))
        dialog.reject()
    model = world.library.installed()[0]
    assert model.path == path
    assert not list(world.paths.models.glob("*.gguf"))
    assert "Nothing was copied" in texts(window.ready_page)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04" + bytes(100), "ZIP archive"),
        (tiny_gguf("x", 4096)[:-2000], "incomplete"),
        (b"", "empty"),
    ],
)
def test_a_dropped_file_that_is_no_model_is_refused(
    window: FirstRun, world: World, qtbot: QtBot, tmp_path: Path, content: bytes, words: str
) -> None:
    """Truncated and foreign files are refused with the reason, in place, and stay where they are."""
    path = tmp_path / "odd.gguf"
    path.write_bytes(content)
    drop(window, path)
    qtbot.waitUntil(lambda: error_in(window) is not None)
    card = error_in(window)
    assert card is not None
    assert words in str(card.error)
    assert path.read_bytes() == content
    assert world.library.installed() == ()


def drop(window: QWidget, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left, plain = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(10, 10), copy, data, left, plain)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(10, 10), copy, data, left, plain))


def test_a_broken_line_mends_itself_and_says_so(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """The panel shows that it waits and tries again; the rest is fetched, never the whole anew."""
    seen: list[str] = []
    world.server.break_after_bytes = 150_000
    press(qtbot, window.choose_page.download_button)
    panel = window._panel
    assert panel is not None
    panel.download.changed.connect(lambda: seen.append(texts(panel)))
    with qtbot.waitSignal(window.model_ready, timeout=15000):
        qtbot.waitUntil(lambda: any("Trying again in" in text for text in seen), timeout=10000)
    assert len(world.server.ranges) == 2
    assert world.server.ranges[1].startswith("bytes=")
    assert int(world.server.ranges[1].removeprefix("bytes=").rstrip("-")) > 0


def a_model(folder: Path) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(tiny_gguf("Tiny"))
    return path


class FakeAutostart:
    """An entry in memory."""

    def __init__(self) -> None:
        self.on = False

    def is_on(self) -> bool:
        return self.on

    def switch(self, on: bool) -> None:
        self.on = on

    def place(self) -> str:
        return "memory"


class Steps:
    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.autostart, self.kept = FakeAutostart(), list[str]()
        self.hotkey = GlobalHotkey(FakeGrabber(), "steward toggle-quick-ask")
        self.hotkey.use("Ctrl+Shift+Space")

    def make(self) -> SetupPage:
        world = self.world
        self.folders = FolderChoice(
            world.settings,
            world.background,
            "~/Steward",
            choose=lambda page: page.open_folder(str(self.folder)),
        )
        trial = HotkeyTrial(self.hotkey, self.kept.append)
        self.page = SetupPage(
            trial, self.autostart, world.settings, world.background, self.folders, has_tray=True
        )
        return self.page


@pytest.fixture
def steps(world: World, tmp_path: Path) -> Iterator[Steps]:
    steps = Steps(world, tmp_path)
    yield steps
    steps.hotkey.close()


@pytest.fixture
def ready(world: World, shown: Show, steps: Steps, tmp_path: Path, qtbot: QtBot) -> FirstRun:
    """A window whose model has just arrived."""
    window = world.first_run()
    window.offer_setup(steps.make)
    shown(window)
    window._import.add(a_model(tmp_path))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.ready_page)
    return window


def test_one_page_after_the_model_ends_in_the_chat(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """Next, Start chatting; nothing was switched on, no folder opened, and it is not asked again."""
    assert ready.ready_page.start_button.text() == "Next"
    ready.ready_page.start_button.click()
    assert ready.pages.currentWidget() is steps.page
    assert not steps.page.start_box.isChecked()
    with qtbot.waitSignal(ready.start_chatting, timeout=2000):
        steps.page.next_button.click()
    assert not ready.isVisible()
    settings = steps.world.settings
    qtbot.waitUntil(lambda: settings.current.window.set_up and settings.current.window.asked_about_autostart)
    assert not steps.autostart.on
    assert settings.current.chat.folders == []


def test_back_leads_back_from_every_page(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """From keys and folder to the model that is ready, from there to the models, with what was typed kept."""
    ready.ready_page.start_button.click()
    steps.page.back_button.click()
    assert ready.pages.currentWidget() is ready.ready_page
    assert ready.ready_page.start_button.hasFocus()
    ready.ready_page.start_button.click()
    assert ready.pages.currentWidget() is steps.page
    steps.page.back_button.click()
    ready.ready_page.back_button.click()
    assert ready.pages.currentWidget() is ready.choose_page
    qtbot.waitUntil(lambda: ready.choose_page.list.isAncestorOf(ready.focusWidget()))


def test_back_from_a_download_lets_it_go_on(window: FirstRun, world: World, qtbot: QtBot) -> None:
    """The models are shown; the one that arrives leads to the next page all the same."""
    choose(window, "model-1")
    press(qtbot, window.choose_page.download_button)
    press(qtbot, window.progress_page.back_button)
    assert window.pages.currentWidget() is window.choose_page
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.ready_page, timeout=10000)


def test_the_welcome_says_what_tray_quick_ask_and_gate_are(window: FirstRun) -> None:
    """In one sentence and one picture, above the models."""
    words = texts(window.choose_page)
    for part in ("waits in the tray", "Quick-ask", "Gate", "Asks before something changes"):
        assert part in words


def test_whoever_comes_back_is_not_asked_about_the_start_again(ready: FirstRun, steps: Steps) -> None:
    """The box is there the first time, and gone once the page was passed."""
    ready.ready_page.start_button.click()
    assert steps.page.isAncestorOf(steps.page.start_box)
    steps.world.settings.change("window", "asked_about_autostart", True)
    again = steps.make()
    assert not again.isAncestorOf(again.start_box)
    assert again.findChild(QLabel, "first_autostart_help") is None


def test_a_screen_reader_is_told_what_the_buttons_say(ready: FirstRun, steps: Steps) -> None:
    """Also where the label is another than at first."""
    ready.ready_page.start_button.click()
    for button in (ready.ready_page.start_button, steps.page.next_button, steps.page.back_button):
        assert button.accessibleName() == button.text()


def test_what_is_chosen_is_done_at_once(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """The session's entry, and the folder in the settings."""
    ready.ready_page.start_button.click()
    steps.page.start_box.click()
    qtbot.waitUntil(lambda: steps.autostart.on)
    steps.folders.open_button.click()
    settings = steps.world.settings
    qtbot.waitUntil(lambda: settings.current.chat.folders == [str(steps.folder)])
    qtbot.waitUntil(lambda: "Open to read" in steps.folders.chosen.text())
    steps.page.next_button.click()
    qtbot.waitUntil(lambda: settings.current.window.set_up)


def test_what_was_chosen_is_shown_when_the_page_comes_again(
    ready: FirstRun, steps: Steps, qtbot: QtBot
) -> None:
    """As after a program that ended on it: neither the start nor the folder is told as if it were not so."""
    ready.ready_page.start_button.click()
    steps.page.start_box.click()
    steps.folders.open_button.click()
    qtbot.waitUntil(lambda: steps.autostart.on and bool(steps.world.settings.current.chat.folders))
    again = steps.make()
    qtbot.addWidget(again)
    qtbot.waitUntil(again.start_box.isChecked)
    assert str(steps.folder) in again.folder.chosen.text()


def test_a_page_without_anything_for_the_keyboard_has_no_ring(
    world: World, shown: Show, qtbot: QtBot
) -> None:
    """Qt gives such a page the keyboard; a ring around the whole of it would say nothing."""
    window = world.first_run()
    shown(window)
    ring = window.findChild(FocusRing)
    assert ring is not None
    qtbot.waitUntil(ring.isVisible)
    window.wait_for_chat()
    qtbot.waitUntil(lambda: not ring.isVisible())
    assert ring.target is None


def test_the_hotkey_is_tried_without_opening_anything(ready: FirstRun, steps: Steps, qtbot: QtBot) -> None:
    """A press is for this page while it listens."""
    from desktop.system.hotkey.grabber import HotkeyPress

    ready.ready_page.start_button.click()
    trial = steps.page.trial
    trial.test.click()
    assert trial.is_trying
    steps.hotkey.pressed.emit(HotkeyPress())
    assert "It works" in trial.tried.text()
    assert not trial.is_trying
    steps.page.next_button.click()
    qtbot.waitUntil(lambda: steps.world.settings.current.window.set_up)


def test_once_is_enough(world: World, shown: Show, steps: Steps, tmp_path: Path, qtbot: QtBot) -> None:
    """A later model leads to the chat at once."""
    world.settings.change("window", "set_up", True)
    window = world.first_run()
    window.offer_setup(steps.make)
    shown(window)
    window._import.add(a_model(tmp_path))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.ready_page)
    assert window.ready_page.start_button.text() == "Start chatting"
    with qtbot.waitSignal(window.start_chatting, timeout=2000):
        window.ready_page.start_button.click()
