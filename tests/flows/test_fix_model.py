"""The card of a check with a real model, in the real window: one solved, one that can't be, one stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.engine.llama import LlamaBackend
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from tests.builder.conftest import FAULTY, RUNNER
from tests.fakes.asker import FakeAsker
from tests.flows import test_fix
from tests.flows.real_model import installed_model
from tests.flows.test_fix import CHECK, LEFT
from tests.ui.every_window import house

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.model,
    pytest.mark.children,
    pytest.mark.slow,
    pytest.mark.timeout(900),
]

# No function can give both.
IMPOSSIBLE = """from text import slug


def test_one():
    assert slug("Hello World") == "hello-world"


def test_other():
    assert slug("Hello World") == "hello_world"
"""


class ModelFlow(test_fix.Flow):
    """Waits as long as three answers of a model take on a busy computer."""

    def until(self, is_so: object) -> None:
        self.qtbot.waitUntil(is_so, timeout=800_000)


@pytest.fixture
def made(paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[ModelFlow]:
    model = installed_model()
    why = Confiner(paths).why_not_project()
    if why is not None:
        pytest.skip(f"checks cannot be confined here: {why}")
    with house(paths, qapp, qtbot, LlamaBackend()) as built:
        built.core.settings.change("model", "threads", 2)
        person = FakeAsker()
        built.core.asker = person
        built.core.engine.use(model)
        yield ModelFlow(built, person)


def test_solved_and_applied(made: ModelFlow) -> None:
    """The file has a function that passes its tests once Apply is pressed, and the old one after Undo."""
    made.ask(f"make `{CHECK}` pass")
    panel = made.ended()
    made.picture("model-solved")
    assert "the check passes" in panel.tries.text(), panel.tries.text()
    assert made.content == FAULTY
    made.qtbot.mouseClick(panel.apply_button, LEFT)
    made.until(lambda: made.content != FAULTY)
    card = made.card()
    assert card is not None
    made.until(lambda: not card.undo_button.isHidden())
    made.picture("model-applied")
    made.qtbot.mouseClick(card.undo_button, LEFT)
    made.until(lambda: made.content == FAULTY)


def test_what_cannot_pass_is_given_to_a_person(made: ModelFlow) -> None:
    """At most three tries, then where to look; nothing is offered that solves nothing, nothing is changed."""
    made.lay_out({"test_text.py": IMPOSSIBLE + RUNNER})
    made.ask(f"make `{CHECK}` pass")
    panel = made.ended()
    made.picture("model-escalated")
    assert "the check passes" not in panel.tries.text()
    assert "slug" in made.answer
    assert made.content == FAULTY


def test_stopped_while_the_model_writes(made: ModelFlow) -> None:
    """Stop ends the model's answer at once, and the file is as it was."""
    made.ask(f"make `{CHECK}` pass")
    made.until(lambda: made.panel() is not None and "writes slug" in made.panel().now.text())  # type: ignore[union-attr]
    made.chat.controller.stop()
    made.until(lambda: not made.chat.controller.is_busy)
    made.house.settle()
    made.picture("model-stopped")
    # What became of a call that was given up goes into the log when its thread ends.
    made.until(lambda: not any(each.name.startswith("tool ") for each in threading.enumerate()))
    assert made.content == FAULTY
