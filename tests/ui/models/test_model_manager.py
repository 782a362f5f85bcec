"""The manager shows what is true, deletes only what was agreed to, and fetches only what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QProgressBar, QWidget
from pytestqt.qtbot import QtBot

from desktop.engine.events import EngineState, EngineStatus, ModelLoaded
from desktop.models.library import InstalledModel
from desktop.models.sources import HttpsSource, RemoteFile
from desktop.ui.models.installed_list import InstalledRow, Percents
from desktop.ui.models.manager import FoundCard, ModelManager
from desktop.ui.widgets.error_card import ErrorCard
from tests.fakes.failures import failure
from tests.ui.models.conftest import World

Show = Callable[[QWidget], None]


@pytest.fixture
def downloaded(world: World) -> InstalledModel:
    """A model that Steward has fetched; its file is ours."""
    entry = world.catalogue.entries[0]
    path = world.paths.models / entry.file_name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(world.server.files[f"/{entry.file_name}"])
    return world.library.add_downloaded(entry.id, entry.name, path, entry.sha256)


@pytest.fixture
def own(world: World) -> InstalledModel:
    """A model that the user had; its file stays theirs."""
    return world.library.import_file(world.own_file())


@pytest.fixture
def window(world: World, shown: Show, downloaded: InstalledModel, own: InstalledModel) -> ModelManager:
    window = world.manager()
    shown(window)
    return window


def press(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def row(window: ModelManager, model: InstalledModel) -> InstalledRow:
    return window.installed.rows[model.id]


def texts(widget: QWidget) -> str:
    labels = [label for label in widget.findChildren(QLabel) if label.isVisible()]
    return "\n".join(label.text().replace("\u200b", "") for label in labels)


def test_rows_say_what_a_model_is(
    window: ModelManager, downloaded: InstalledModel, own: InstalledModel
) -> None:
    """Size, quantization, context; and for the user's own file where it lies."""
    assert "Small tried model" in texts(row(window, downloaded))
    assert "F32 · 8,192 tokens of context" in texts(row(window, downloaded))
    assert "used where it is" not in texts(row(window, downloaded))
    assert "used where it is" in texts(row(window, own))
    assert str(own.path) in texts(row(window, own))


def test_use_makes_active_and_says_so(
    window: ModelManager, world: World, qtbot: QtBot, downloaded: InstalledModel, own: InstalledModel
) -> None:
    """The setting is written, the mark moves, and everyone is told."""
    press(qtbot, row(window, downloaded).use_button)
    with qtbot.waitSignal(window.active_changed) as heard:
        press(qtbot, row(window, own).use_button)
    assert heard.args == [own.id]
    assert world.settings.current.model.active == own.id
    assert "Active" in texts(row(window, own))
    assert not row(window, own).use_button.isVisible()
    assert "Active" not in texts(row(window, downloaded))


def test_the_loaded_model_is_marked_when_the_engine_says_so(
    window: ModelManager, world: World, qtbot: QtBot, own: InstalledModel
) -> None:
    """In memory, and on which device, as soon as ModelLoaded arrives."""
    press(qtbot, row(window, own).use_button)
    world.status = EngineStatus(EngineState.READY, own.id, own.name, "cuda")
    world.bus.publish(ModelLoaded(world.status))
    qtbot.waitUntil(lambda: "Active, in memory (CUDA)" in texts(row(window, own)))


def test_delete_asks_names_the_size_and_removes_our_file(
    window: ModelManager, world: World, qtbot: QtBot, downloaded: InstalledModel
) -> None:
    """The question has Keep focused; only the second click deletes, and frees the active setting."""
    press(qtbot, row(window, downloaded).use_button)
    card_row = row(window, downloaded)
    press(qtbot, card_row.delete_button)
    card = window.findChild(QWidget, "delete_card")
    assert card is not None
    qtbot.waitUntil(lambda: "frees 4.7 kB of disk space" in texts(card))
    assert downloaded.path.exists()
    assert window.focusWidget().objectName() == "keep_button"
    with qtbot.waitSignal(window.active_changed) as heard:
        press(qtbot, card.findChild(QWidget, "agree_delete_button"))
    qtbot.waitUntil(lambda: downloaded.id not in window.installed.rows)
    assert heard.args == [""]
    assert world.settings.current.model.active == ""
    assert not downloaded.path.exists()


def test_removing_an_own_file_leaves_it_where_it_is(
    window: ModelManager, qtbot: QtBot, own: InstalledModel
) -> None:
    """The card says so beforehand, and so it is."""
    press(qtbot, row(window, own).delete_button)
    card = window.findChild(QWidget, "delete_card")
    assert card is not None
    qtbot.waitUntil(lambda: "stays where it is" in texts(card))
    press(qtbot, card.findChild(QWidget, "agree_delete_button"))
    qtbot.waitUntil(lambda: own.id not in window.installed.rows)
    assert own.path.exists()


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_a_stray_key_on_the_question_deletes_nothing(
    window: ModelManager, qtbot: QtBot, downloaded: InstalledModel, key: Qt.Key
) -> None:
    """Esc, Enter and Space all keep the model and the window."""
    press(qtbot, row(window, downloaded).delete_button)
    qtbot.keyClick(window.focusWidget(), key)
    assert downloaded.path.exists()
    assert window.isVisible()
    assert window.focusWidget() is row(window, downloaded).delete_button


def test_verify_finds_a_good_file_good(
    window: ModelManager, qtbot: QtBot, downloaded: InstalledModel
) -> None:
    """The row says so and stays usable."""
    press(qtbot, row(window, downloaded).verify_button)
    qtbot.waitUntil(lambda: "Every byte is as it should be" in texts(row(window, downloaded)))
    assert row(window, downloaded).verify_button.isEnabled()


def test_verify_finds_a_changed_byte(window: ModelManager, qtbot: QtBot, downloaded: InstalledModel) -> None:
    """A flipped byte is told in place, with a way to remove the model."""
    content = bytearray(downloaded.path.read_bytes())
    content[-1] ^= 1
    downloaded.path.write_bytes(content)
    press(qtbot, row(window, downloaded).verify_button)
    qtbot.waitUntil(lambda: bool(row(window, downloaded).findChildren(ErrorCard)))
    card = row(window, downloaded).findChildren(ErrorCard)[0]
    assert card.error.code == "wrong-hash"
    press(qtbot, card.buttons[0])
    qtbot.waitUntil(lambda: window.findChild(QWidget, "delete_card") is not None)


def test_a_missing_file_cannot_be_used(window: ModelManager, qtbot: QtBot, own: InstalledModel) -> None:
    """A file that the user moved away is said to be missing."""
    own.path.rename(own.path.with_suffix(".moved"))
    window.show_and_raise()
    assert "The file no longer exists" in texts(row(window, own))
    assert not row(window, own).use_button.isEnabled()


def test_percents_are_told_once_each() -> None:
    """A file of many blocks makes at most 101 signals."""
    told: list[int] = []
    percents = Percents(told.append)
    for block in range(1, 5001):
        percents(block, 5000)
    assert told == list(range(101))


def test_an_own_file_is_added_and_becomes_active_when_none_is(
    window: ModelManager, world: World, qtbot: QtBot
) -> None:
    """Import lists the file by reference and makes the first one active."""
    path = world.own_file("second.gguf", "Second model")
    press(qtbot, window.import_button)
    dialog = window._import.dialog
    assert dialog is not None
    with qtbot.waitSignal(window.active_changed) as heard:
        dialog.fileSelected.emit(str(path))
        dialog.reject()
    assert heard.args is not None
    assert world.library.get(heard.args[0]).path == path  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: "its file stays where it is" in texts(window))


def test_a_file_that_is_no_model_is_refused_in_place(
    window: ModelManager, world: World, qtbot: QtBot, tmp_path: Path
) -> None:
    """The reason is shown, and closing it leaves the window as it was."""
    path = tmp_path / "photo.gguf"
    path.write_bytes(b"\x89PNG" + bytes(100))
    window._import.add(path)
    qtbot.waitUntil(lambda: bool(window.findChildren(ErrorCard)))
    card = window.findChildren(ErrorCard)[0]
    assert card.error.code == "model-file-refused"
    press(qtbot, card.buttons[1])
    assert not card.isVisible()


def test_the_catalogue_offers_what_is_missing_and_fetches_on_enter(
    window: ModelManager, world: World, qtbot: QtBot
) -> None:
    """Nothing is preselected; Enter on a card downloads it, and it then stands in the list above."""
    assert [card.choice.entry.id for card in window.choices.cards] == ["model-2", "model-3", "model-4"]
    assert not window.download_button.isVisible()
    card = window.choices.cards[1]
    card.click()
    card.setFocus()
    assert "Download Untried model" in window.download_button.text()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert window.findChild(QProgressBar, "download_bar") is not None
    qtbot.waitUntil(lambda: "model-3" in window.installed.rows, timeout=10000)
    qtbot.waitUntil(lambda: not window.findChildren(QWidget, "download_panel"))
    assert world.server.requests == ["/model-3.gguf"]


def test_the_first_model_that_arrives_becomes_active(world: World, shown: Show, qtbot: QtBot) -> None:
    """Whoever skipped the first run need not know that a model has to be chosen."""
    window = world.manager()
    shown(window)
    window.choices.cards[0].click()
    with qtbot.waitSignal(window.active_changed, timeout=10000) as heard:
        press(qtbot, window.download_button)
    assert heard.args == ["model-1"]


def test_a_choice_that_cannot_be_saved_is_told(
    window: ModelManager, world: World, qtbot: QtBot, own: InstalledModel
) -> None:
    """A settings file that somebody has broken is not overwritten, and the mark does not move."""
    world.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    world.paths.settings.write_text("[model]\nthreads = 'many'\n")
    press(qtbot, row(window, own).use_button)
    qtbot.waitUntil(lambda: bool(window.findChildren(ErrorCard)))
    assert window.findChildren(ErrorCard)[0].error.code == "settings-invalid"
    assert "Active" not in texts(row(window, own))


def test_opening_asks_the_network_nothing(window: ModelManager, world: World) -> None:
    """Showing the manager makes no request."""
    assert world.network.log == ()
    assert world.server.requests == []


# -- a repository of the user's choice ----------------------------------------------------------


@pytest.fixture
def remote(world: World, monkeypatch: pytest.MonkeyPatch) -> RemoteFile:
    """What the hub would say about a repository; patched, because only the hub itself leaves the machine."""
    entry = world.catalogue.entries[1]
    found = RemoteFile(
        id="owner-model",
        name="Somebody's model",
        file_name="somebody.gguf",
        size_bytes=entry.size_bytes,
        sha256=None,
        sources=(HttpsSource(f"{world.server.address}/{entry.file_name}"),),
        repository="owner/model",
        revision="0" * 40,
    )
    monkeypatch.setattr(world.setup, "resolve_repository", lambda _repository: found)
    return found


def find(window: ModelManager, qtbot: QtBot, repository: str = "owner/model") -> None:
    field = window.findChild(QLineEdit, "repository_field")
    assert field is not None
    qtbot.keyClicks(field, repository)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_repository_without_a_hash_is_asked_about_first(
    window: ModelManager, world: World, qtbot: QtBot, remote: RemoteFile
) -> None:
    """The card says that nothing can be proved, Cancel is focused, and only its button downloads."""
    find(window, qtbot)
    qtbot.waitUntil(lambda: bool(window.findChildren(FoundCard)))
    card = window.findChildren(FoundCard)[0]
    assert "publishes no checksum" in texts(card)
    assert card.cancel_button.hasFocus()
    assert world.server.requests == []
    press(qtbot, card.download_button)
    qtbot.waitUntil(lambda: remote.id in window.installed.rows, timeout=10000)


def test_a_repository_with_a_hash_says_less(
    window: ModelManager, qtbot: QtBot, remote: RemoteFile, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    """A published checksum is told apart from none."""
    hashed = replace(remote, sha256="0" * 64)
    monkeypatch.setattr(world.setup, "resolve_repository", lambda _repository: hashed)
    find(window, qtbot)
    qtbot.waitUntil(lambda: bool(window.findChildren(FoundCard)))
    assert "publishes a checksum" in texts(window.findChildren(FoundCard)[0])


def test_a_repository_that_wants_a_licence_asks_for_a_token(
    window: ModelManager, world: World, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, remote: RemoteFile
) -> None:
    """The token is kept, and the same id is looked up again."""

    def resolve(_repository: str) -> RemoteFile:
        if not world.tokens:
            raise failure("The licence must be accepted.", "", "", code="licence-not-accepted")
        return remote

    monkeypatch.setattr(world.setup, "resolve_repository", resolve)
    find(window, qtbot)
    qtbot.waitUntil(lambda: window.findChild(QLineEdit, "token_field") is not None)
    field = window.findChild(QLineEdit, "token_field")
    qtbot.keyClicks(field, "hf_x")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(window.findChildren(FoundCard)))
    assert world.tokens == ["hf_x"]


def test_a_token_for_a_repository_is_not_typed_twice(
    window: ModelManager, world: World, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, remote: RemoteFile
) -> None:
    """The keyring was not unlocked; trying again keeps the same token."""

    def resolve(_repository: str) -> RemoteFile:
        if not world.tokens:
            raise failure("The licence must be accepted.", "", "", code="licence-not-accepted")
        return remote

    refused: list[str] = []

    def keep(token: str) -> None:
        if not refused:
            refused.append(token)
            raise failure("The keyring stayed locked.", "", "")
        world.tokens.append(token)

    monkeypatch.setattr(world.setup, "resolve_repository", resolve)
    monkeypatch.setattr(world.downloads, "_save_token", keep)
    find(window, qtbot)
    qtbot.waitUntil(lambda: window.findChild(QLineEdit, "token_field") is not None)
    field = window.findChild(QLineEdit, "token_field")
    qtbot.keyClicks(field, "hf_x")
    qtbot.keyClick(field, Qt.Key.Key_Return)

    def told() -> list[ErrorCard]:
        return [each for each in window.repository.findChildren(ErrorCard) if "locked" in texts(each)]

    qtbot.waitUntil(lambda: bool(told()))
    assert refused == ["hf_x"]
    qtbot.mouseClick(told()[0].buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.findChildren(FoundCard)))
    assert world.tokens == ["hf_x"]


@pytest.mark.parametrize("text", ["", "name", "/", "owner/", "  "])
def test_what_is_no_repository_id_cannot_be_looked_up(window: ModelManager, qtbot: QtBot, text: str) -> None:
    """Find waits for owner and name."""
    find(window, qtbot, text)
    assert not window.repository.find_button.isEnabled()


def test_escape_closes_the_window(window: ModelManager, qtbot: QtBot) -> None:
    """As the Close button does."""
    qtbot.keyClick(window.import_button, Qt.Key.Key_Escape)
    assert not window.isVisible()
