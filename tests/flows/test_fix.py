"""A check that is named in the chat: the card with its tries, Stop, Apply and Undo, in the real window."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.asking import NetworkUse
from desktop.chat.store import Role
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from desktop.ui.chat.check_card import CheckPanel
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.chat.window import ChatWindow
from tests.builder.conftest import BAD, FAULTY, GOOD, RUNNER, TEST
from tests.fakes.asker import FakeAsker
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.ui.every_window import House, house

pytestmark = [pytest.mark.desktop, pytest.mark.children, pytest.mark.timeout(240)]

LEFT = Qt.MouseButton.LeftButton
WAIT_MS = 100_000  # a busy computer takes its time; waited for is always a state
CHECK = "python3 -S test_text.py"
FENCE = "\n```\n"


class Flow:
    """What a person does in the chat."""

    def __init__(self, house: House, person: FakeAsker) -> None:
        self.house, self.person = house, person
        self.qtbot = house.qtbot
        self.chat: ChatWindow = house.desktop.chat
        self.chat.resize(900, 860)
        self.chat.show()
        self.root = house.core.workspace.root
        self.lay_out({"text.py": FAULTY, "test_text.py": TEST + RUNNER})

    def lay_out(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            (self.root / name).write_text(content, encoding="utf-8")

    def ask(self, text: str) -> None:
        self.chat.new_chat(text)

    def ended(self) -> CheckPanel:
        """The card's panel, once the call is over and what came of it is shown."""
        self.until(lambda: self.panel() is not None and not self.panel().now.text())
        self.until(lambda: not self.chat.controller.is_busy)
        self.house.settle()
        panel = self.panel()
        assert panel is not None
        return panel

    def card(self) -> ToolCard | None:
        return next(iter(self.chat.findChildren(ToolCard)), None)

    def panel(self) -> CheckPanel | None:
        card = self.card()
        return card.panel if card is not None else None

    def until(self, is_so: object) -> None:
        self.qtbot.waitUntil(is_so, timeout=WAIT_MS)

    def picture(self, name: str, is_over: bool = True) -> None:
        """Kept where somebody asks for pictures. To settle is to wait for the call under way as well."""
        folder = os.environ.get("STEWARD_FIX_PICTURES")
        if folder:
            if is_over:
                self.house.settle()
            self.chat.grab().save(f"{folder}/{name}.png")

    @property
    def answer(self) -> str:
        """The latest."""
        messages = self.house.core.store.messages(self.chat.controller.current)
        return next(each.text for each in reversed(messages) if each.role is Role.ASSISTANT)

    @property
    def content(self) -> str:
        return (self.root / "text.py").read_text(encoding="utf-8")


def answering(*answers: str) -> ScriptedBackend:
    """Each function as the model ends it: by the fence. Whatever else the model is asked is no function."""
    left = [f"{each}{FENCE}" for each in answers]

    def answer(prompt: str) -> str:
        if "Write the whole function" not in prompt:
            return "Hello."
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedBackend(answer)


@pytest.fixture
def made(
    request: pytest.FixtureRequest, paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> Iterator[Flow]:
    answers: Sequence[str] = request.param
    why = Confiner(paths).why_not_project()
    if why is not None:
        pytest.skip(f"checks cannot be confined here: {why}")
    with house(paths, qapp, qtbot, answering(*answers)) as built:
        person = FakeAsker()
        built.core.asker = person
        built.core.engine.use(installed(tmp_path, "tiny"))
        yield Flow(built, person)


@pytest.mark.parametrize("made", [[BAD, GOOD]], indirect=True)
def test_solved_applied_and_undone(made: Flow) -> None:
    """Asked once, told "up to six times"; the file changes with Apply, and is back with Undo."""
    made.ask(f"make `{CHECK}` pass")
    panel = made.ended()
    assert len(made.person.questions) == 1
    question = made.person.questions[0]
    assert "up to six times" in str(question.text)
    assert question.arguments == CHECK
    assert question.network is NetworkUse.CANNOT
    assert made.answer == "With this change the check passes in the copy: slug in text.py, at try 2."
    assert "1. Corrected: the check fails" in panel.tries.text()
    assert "2. Tried again: the check passes" in panel.tries.text()
    assert made.content == FAULTY
    made.picture("solved")
    assert not panel.apply_button.isHidden()
    made.qtbot.mouseClick(panel.apply_button, LEFT)
    made.until(lambda: made.content != FAULTY)
    card = made.card()
    assert card is not None
    made.until(lambda: not card.undo_button.isHidden())
    assert panel.apply_button.isHidden()
    made.picture("applied")
    made.qtbot.mouseClick(card.undo_button, LEFT)
    made.until(lambda: not card.undone.isHidden())
    assert made.content == FAULTY


@pytest.mark.parametrize(
    "made", [[BAD, "    return text.slug\n", "    raise ValueError(text)\n"]], indirect=True
)
def test_escalated(made: Flow) -> None:
    """After three tries a person is told where to look; nothing is offered that is no better."""
    made.ask(f"Sorge dafür, dass `{CHECK}` besteht.")
    panel = made.ended()
    assert "3. Rewritten: the check fails" in panel.tries.text()
    assert panel.apply_button.isHidden()
    assert made.content == FAULTY
    # In the language of the request.
    assert made.answer.startswith("3-mal versucht"), made.answer
    assert "slug" in made.answer
    made.picture("escalated")


@pytest.mark.parametrize("made", [[GOOD]], indirect=True)
def test_stopped(made: Flow) -> None:
    """Stop ends the check that is running; nothing is changed, and the card says so."""
    made.lay_out({"test_text.py": "import time\n\ntime.sleep(50)\n"})
    made.ask(f"make `{CHECK}` pass")
    made.until(lambda: made.panel() is not None and "check" in made.panel().now.text())
    made.picture("running", is_over=False)
    made.chat.controller.stop()
    made.until(lambda: not made.chat.controller.is_busy)
    made.house.settle()
    assert made.content == FAULTY
    assert made.answer == "Stopped. Nothing was changed.", made.answer
    made.picture("stopped")


@pytest.mark.slow
@pytest.mark.parametrize("made", [[GOOD]], indirect=True)
def test_flaky(made: Flow) -> None:
    """A check that comes out differently on the same files is said to, and no model is asked."""
    made.lay_out(
        {
            "test_text.py": "import os, pathlib, sys\n"
            "seen = pathlib.Path(os.environ['TMPDIR'], 'seen')\n"
            "sys.exit(not seen.exists() and (seen.touch() or 1))\n"
        }
    )
    made.ask(f"make `{CHECK}` pass in text.py")
    panel = made.ended()
    assert "differently" in made.answer
    assert not panel.tries.text()
    assert made.content == FAULTY
    made.picture("flaky")


@pytest.mark.slow
@pytest.mark.parametrize("made", [['    return "-".join(text.lower().split())\n']], indirect=True)
def test_a_function_from_examples(made: Flow) -> None:
    """The examples become the check, which is shown whole before it is agreed to."""
    made.lay_out({"names.py": '"""Names."""\n'})
    made.ask(
        "write `dashed(text)` in names.py so that these examples hold:\n"
        'dashed("A B") == "a-b"\ndashed("") == ""\ndashed("One") == "one"'
    )
    panel = made.ended()
    assert 'dashed("A B")' in made.person.questions[0].arguments
    assert "dashed" in panel.change.toPlainText()
    made.qtbot.mouseClick(panel.apply_button, LEFT)
    names = made.root / "names.py"
    made.until(lambda: "def dashed" in names.read_text())
    assert names.read_text().startswith('"""Names."""\n')
    made.picture("examples")
