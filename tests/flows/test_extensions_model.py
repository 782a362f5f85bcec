"""What issue 15 promises of extensions, with a real model in the real window, one flow after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from desktop.chat.events import AnswerGrew
from desktop.chat.store import Message
from desktop.engine.llama import LlamaBackend
from desktop.extensions.chain import About
from desktop.extensions.manifest import Hook
from desktop.extensions.process import can_confine
from desktop.paths import Paths
from tests.extensions.world import package
from tests.flows.real_model import installed_model
from tests.flows.test_extensions import LEFT, Flow
from tests.ui.every_window import house

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.timeout(480),
    pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp"),
]

ANSWERED_MS = 200_000
CRASHED_S = 60.0
QUESTION = "Name two colours of the rainbow. Answer in one short sentence."
# An introduction and a list: the first paragraph is whole while the rest is still being written.
LONG = "Give me three tips for sleeping well: one sentence of introduction, then a numbered list."


class ModelFlow(Flow):
    """Waits as long as a model takes on a busy computer."""

    def until(self, is_so: object) -> None:
        self.qtbot.waitUntil(is_so, timeout=ANSWERED_MS)

    def install(self, name: str) -> None:
        self.press(f"install_{name}")
        self.press(f"accept_{name}")
        self.until(lambda: "Off until you agree" not in self.words(name))

    def files_with(self, words: bytes) -> list[str]:
        """The files of the profile that hold these words, the database and its log included."""
        paths = self.house.core.paths
        files = (each for each in paths.profile.rglob("*") if each.is_file())
        return [str(each) for each in files if words in each.read_bytes()]

    def is_waiting(self, name: str) -> bool:
        return "Off until you agree" in self.words(name)


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


def test_a_changed_request_reaches_the_model_and_is_undone_with_one_click(flow: ModelFlow) -> None:
    """Asked about France the model answers about Italy; in the user's own words it answers about France."""
    code = "def on_input_messages(text, context):\n    return text.replace('France', 'Italy')\n"
    flow.add("elsewhere", code, "on_input_messages")
    question, answer = flow.ask("What is the capital of France? Answer in one short sentence.")
    assert "France" in question.text
    assert "Rome" in answer.text, words_of(answer)
    assert "Changed by elsewhere" in flow.chip().text()
    assert "capital of Italy" in flow.chip().toolTip()
    flow.picture("chat-model-changed")
    flow.qtbot.mouseClick(flow.chip(), LEFT)
    flow.until_answer(lambda each: each.id != answer.id and not flow.chat.controller.is_busy)
    question, answer = flow.messages()
    assert (question.sent, answer.versions) == (question.text, 2)
    assert "Paris" in answer.text, words_of(answer)
    assert "Without elsewhere" in flow.chip().text()
    flow.picture("chat-model-undone")


def test_two_work_in_the_order_of_the_page(flow: ModelFlow) -> None:
    """What the one at the top made is what the other one gets; another order gives another text."""
    for name in ("first", "second"):
        flow.add(name, f"def on_llm_output(text, context):\n    return text + ' {name}'\n", "on_llm_output")
    _, answer = flow.ask(QUESTION)
    assert answer.shown == f"{answer.text} first second"
    flow.press("top_second")
    flow.until(lambda: flow.page().found.list.rows[0] is flow.page().found.list.row("second"))
    flow.picture("page-model-order")
    _, answer = flow.ask(QUESTION)
    assert answer.shown == f"{answer.text} second first"


def test_a_crash_in_the_middle_of_an_answer_leaves_it_as_it_is_without(flow: ModelFlow) -> None:
    """It dies while the model still writes; what is kept and shown is byte for byte what the model wrote."""
    code = "import os\n\ndef on_plain_text(text, context):\n    os._exit(1)\n"
    flow.add("crashing", code, "on_plain_text")
    chain = flow.house.core.extensions
    pieces: list[str] = []
    written_after: list[str] = []

    def hold_until_crashed(event: AnswerGrew) -> None:
        # On the turn's own thread: what follows the first paragraph is written only once the process has died
        # of that. Left to themselves the two run a race, which the model wins on a busy computer.
        until = time.monotonic() + CRASHED_S
        while "\n\n" in "".join(pieces) and time.monotonic() < until:
            if chain.figures("crashing").failures:
                written_after.append(event.text)
                break
            time.sleep(0.01)
        pieces.append(event.text)

    flow.house.core.bus.subscribe(AnswerGrew, hold_until_crashed)
    # Not compared with a second answer: two have differed in their last words, though nothing is drawn at
    # random; why was not found out. tests/extensions/test_hostile.py compares, with a scripted model.
    _, answer = flow.ask(LONG)
    assert len(written_after) > 1, "it did not fail while the answer was written"
    assert answer.text == answer.shown == "".join(pieces)
    assert not flow.chat.findChildren(QToolButton, "changed_0")
    flow.page().shown()
    flow.until(lambda: "ended in the middle of a call" in flow.words("crashing"))
    flow.picture("page-model-crashed")


def test_an_update_and_a_touched_file_are_off_until_they_are_agreed_to(flow: ModelFlow) -> None:
    """A newer version tells what it may do more; a file that somebody else wrote to waits in the same way."""
    code = "def on_llm_output(text, context):\n    return text + ' one'\n"
    flow.add("updated", code, "on_llm_output")
    newer = package(
        flow.folder / "newer" / "updated",
        code.replace("one", "two"),
        ("on_llm_output",),
        version="2.0",
        permissions='hosts = ["api.example.org"]',
    )
    flow.page().install(newer)
    flow.until(lambda: "New: May send what it has read to api.example.org" in flow.words("updated"))
    assert "Reads answers" not in flow.words("updated")
    flow.picture("page-model-update")
    _, answer = flow.ask(QUESTION)
    assert answer.shown == answer.text
    flow.press("accept_updated")
    flow.until(lambda: not flow.is_waiting("updated"))
    _, answer = flow.ask(QUESTION)
    assert answer.shown == f"{answer.text} two"
    # Behind our back: no install, only other bytes under the same name.
    place = flow.house.core.paths.extensions / "updated" / "extension.py"
    place.write_text(code.replace("one", "three"), encoding="utf-8")
    _, answer = flow.ask(QUESTION)
    assert answer.shown == answer.text
    flow.page().shown()
    flow.until(lambda: flow.is_waiting("updated"))
    assert "It may do nothing that it could not do before." in flow.words("updated")
    flow.press("accept_updated")
    flow.until(lambda: not flow.is_waiting("updated"))
    _, answer = flow.ask(QUESTION)
    assert answer.shown == f"{answer.text} three"


def test_a_removed_one_leaves_nothing(flow: ModelFlow) -> None:
    """Neither files nor state nor log nor what it made of chats: not a byte of the profile names it."""
    code = (
        "def on_llm_output(text, context):\n"
        "    context.state.put('xylophone-key', text)\n"
        "    print('xylophone was here')\n"
        "    return text + ' xylophone'\n"
    )
    flow.add("xylophone", code, "on_llm_output")
    _, answer = flow.ask(QUESTION)
    assert answer.shown == f"{answer.text} xylophone"
    chain = flow.house.core.extensions
    assert chain.store.kept("xylophone").entries == 1
    assert [each.text for each in chain.store.log("xylophone")] == ["xylophone was here"]
    flow.press("remove_xylophone")
    flow.press("extension_confirm_yes")
    flow.until_answer(lambda each: each.changed is None)
    assert flow.messages()[1].shown == answer.text
    assert not flow.chat.findChildren(QToolButton, "changed_0")
    flow.picture("chat-model-removed")
    flow.until(lambda: flow.page().found.list.row("xylophone") is None)
    _, answer = flow.ask(QUESTION)
    assert answer.shown == answer.text
    assert chain.run(Hook.OUTPUT, "text", About()).by == ()
    assert flow.files_with(b"xylophone") == []
