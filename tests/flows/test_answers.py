"""What people asked in plain words and lost files by, typed into the real window; the files are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, Role
from desktop.engine.llama import LlamaBackend
from desktop.paths import Paths
from tests.bench.requests import differences, furnish, standing
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.real_model import Person, installed_model
from tests.ui.every_window import House, house

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(480)]

WAIT_MS, MODEL_MS = 30_000, 200_000
SUMMARY = "A rental contract of Jo Weber: 850 EUR a month, three months' notice."


class Window:
    """The chat's window over a workspace whose files are known. Every question is allowed once."""

    def __init__(self, made: House, wait_ms: int) -> None:
        self.made, self.wait_ms = made, wait_ms
        self.person = Person()
        made.core.asker = self.person  # before the window makes what asks
        self.chat = made.desktop.chat
        self.chat.resize(1000, 720)
        self.chat.show()
        self.root = made.core.workspace.root
        self.before = furnish(self.root)

    def say(self, *sentences: str) -> str:
        """In one new chat; the last answer."""
        for number, sentence in enumerate(sentences):
            if number:
                self.chat.pane.composer.text.setPlainText(sentence)
                self.chat.pane.composer.send_button.click()
            else:
                self.chat.new_chat(sentence)
            wanted = number + 1
            self.made.qtbot.waitUntil(lambda: self._is_answered(wanted), timeout=self.wait_ms)  # noqa: B023 - waited for here
        return next(each.text for each in reversed(self._shown()) if each.role is Role.ASSISTANT)

    def changed(self) -> dict[str, str]:
        return differences(self.before, standing(self.root))

    def _is_answered(self, wanted: int) -> bool:
        asked = [each for each in self._shown() if each.role is Role.USER]
        return len(asked) == wanted and not self.chat.controller.is_busy

    def _shown(self) -> list[Message]:
        return list(self.chat.pane.transcript.messages)


@pytest.fixture
def window(paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Window]:
    with house(paths, qapp, qtbot, ScriptedBackend(SUMMARY)) as made:
        made.core.engine.use(installed(tmp_path, "tiny"))
        yield Window(made, WAIT_MS)


# What was typed, and what must stand in the files afterwards: "" is gone.
CASES: list[tuple[tuple[str, ...], dict[str, str]]] = [
    (
        ("Create a spreadsheet with my expenses from budget.csv sorted by amount",),
        {"budget-sorted.csv": "item,amount\nphone,20\ngym,30\nbooks,45\ntrain,95\nfood,310\nrent,850\n"},
    ),
    (("fass contract.pdf zusammen und speichere es in kurz.txt",), {"kurz.txt": SUMMARY}),
    (
        ("What's in todo.txt?", "add 'buy stamps' to it"),
        {"todo.txt": "call the plumber\nreturn the library books\nbuy stamps\n"},
    ),
    (("add 'buy stamps' to todo.txt", "oops, undo that"), {}),
    (("read shopping.txt", "add syrup to the list"), {"shopping.txt": "bread\nmilk\neggs\nsyrup\n"}),
    (("convert 3.5 miles to km and write it into run.txt",), {"run.txt": "5.6327 km\n"}),
    (("did you delete report.txt?",), {}),
    (("¿Qué hay en la carpeta documentos?",), {}),
    (("do I have any photos in my workspace?",), {}),
]


@pytest.mark.parametrize(("sentences", "files"), CASES, ids=lambda each: str(each)[:40])
def test_the_files_are_what_was_asked_for(
    window: Window, sentences: tuple[str, ...], files: dict[str, str]
) -> None:
    """Nothing else changed; a source is never written."""
    said = window.say(*sentences)
    changed = window.changed()
    assert {name: text.rstrip("\n") for name, text in changed.items()} == {
        name: text.rstrip("\n") for name, text in files.items()
    }, said


def test_a_folder_is_made_and_the_file_is_in_it(window: Window) -> None:
    """Moved whole, not written anew with seventeen bytes of its name."""
    said = window.say("make a folder called invoices and put invoice-march.pdf in it")
    assert set(window.changed()) == {"invoice-march.pdf", "invoices/invoice-march.pdf"}
    moved = (window.root / "invoices" / "invoice-march.pdf").read_bytes()
    assert moved == window.before["invoice-march.pdf"]
    assert "Made the folder invoices." in said
    assert "Moved invoice-march.pdf" in said


@pytest.mark.slow
@pytest.mark.model
def test_a_real_model_summarises_into_the_named_file(paths: Paths, qapp: QApplication, qtbot: QtBot) -> None:
    """The text is the model's; where it is read from and written to are the request's."""
    model = installed_model()
    with house(paths, qapp, qtbot, LlamaBackend()) as made:
        made.core.engine.use(model)
        used = Window(made, MODEL_MS)
        used.say("fass contract.pdf zusammen und speichere es in kurz.txt")
        changed = used.changed()
        assert set(changed) == {"kurz.txt"}
        assert "850" in changed["kurz.txt"] or "Weber" in changed["kurz.txt"]
