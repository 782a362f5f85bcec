"""The three extensions that come with Steward, with a real model in the real window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message
from desktop.engine.llama import LlamaBackend
from desktop.extensions.process import can_confine
from desktop.paths import Paths
from tests.flows.real_model import installed_model
from tests.flows.test_extensions import Flow
from tests.ui.every_window import house

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.timeout(480),
    pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp"),
]

ANSWERED_MS = 200_000


class ModelFlow(Flow):
    """Waits as long as a model takes on a busy computer."""

    def until(self, is_so: object) -> None:
        self.qtbot.waitUntil(is_so, timeout=ANSWERED_MS)

    def install(self, name: str) -> None:
        self.press(f"install_{name}")
        self.press(f"accept_{name}")
        self.until(lambda: "Off until you agree" not in self.words(name))


@pytest.fixture
def flow(paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[ModelFlow]:
    model = installed_model()
    with house(paths, qapp, qtbot, LlamaBackend()) as made:
        made.core.settings.change("model", "threads", 2)
        made.core.settings.change("model", "max_answer_tokens", 120)
        made.core.settings.change("model", "temperature", 0.0)
        made.core.engine.use(model)
        yield ModelFlow(made, tmp_path)


def words_of(message: Message) -> str:
    return f"{message.text!r} shown as {message.shown!r}"


def test_units_tables_and_short_forms(flow: ModelFlow) -> None:
    """What is on the disk is the model's; what is shown has the values, the table, and who changed it."""
    for name in ("units", "table", "expand"):
        flow.install(name)
    flow.picture("page-three")
    _, answer = flow.ask("How many miles is a marathon? Answer in one short sentence with the number.")
    assert "mile" in answer.text
    assert "km)" in answer.shown, words_of(answer)
    assert "km)" not in answer.text
    flow.picture("chat-model-units")
    question, answer = flow.ask(
        ";sum The mill was built in 1780. In 1902 it burnt down. Since 1990 it is a museum of the town."
    )
    assert question.sent.startswith("Summarise the following in three sentences:")
    assert flow.chat.findChildren(QToolButton, "changed_0")
    flow.picture("chat-model-expand")
    _, answer = flow.ask("Show Berlin, Paris and Rome with their countries as a table.")
    flow.picture("chat-model-table")
    assert ("| --- |" in answer.shown) == ("<rows>" in answer.text and "</rows>" in answer.text)
