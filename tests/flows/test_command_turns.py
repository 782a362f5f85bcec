"""A follow-up that no table reads, through a whole turn: commands, the gate, the files, and what is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.asking import DENIED
from desktop.chat.messages import Message, Role
from desktop.engine.engine import Engine, start_thread
from desktop.paths import Paths
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.asker import FakeAsker
from tests.fakes.scripted_model import ScriptedBackend, installed

TEAM = "Jonas\nKarim\nLisa\n"
COMMANDS = {
    "Karim ist verletzt, dafür spielt Nele": 'remove "Karim" from team.txt\nadd "Nele" to team.txt',
    "weg mit allem": "delete nothing.txt",
}


def written(prompt: str) -> str:
    """Commands where they are asked for; else an answer in words."""
    _, found, asked = prompt.rpartition("Request: ")
    return next((said for words, said in COMMANDS.items() if found and asked.startswith(words)), "answer")


class Talk:
    """One chat over a workspace with a file."""

    def __init__(self, core: Services, person: FakeAsker) -> None:
        self.core, self.person = core, person
        self.file = core.workspace.root / "team.txt"
        self.file.write_text(TEAM, encoding="utf-8")
        self.conversation_id = core.store.create().id

    def ask(self, text: str) -> Message:
        return self.core.turns.run(self.conversation_id, text)

    def called(self) -> list[str]:
        shown = self.core.store.messages(self.conversation_id, limit=None)
        return [each.tool.name for each in shown if each.role is Role.TOOL and each.tool is not None]


@pytest.fixture
def backend() -> ScriptedBackend:
    return ScriptedBackend("Hm.", template=HERMES_TEMPLATE, commands=written)


@pytest.fixture
def talk(paths: Paths, tmp_path: Path, backend: ScriptedBackend) -> Iterator[Talk]:
    core = build_core(paths)
    person = FakeAsker()
    core.asker = person
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    core.engine.use(installed(tmp_path, chat_template=HERMES_TEMPLATE))
    thread = start_thread(core.engine)
    try:
        yield Talk(core, person)
    finally:
        core.engine.close()
        thread.join()
        core.close()


def test_what_changed_in_life_changes_the_list(talk: Talk) -> None:
    """Both parts are done through the gate and told from their results."""
    talk.ask("zeig mir team.txt")
    answer = talk.ask("Karim ist verletzt, dafür spielt Nele")
    assert talk.file.read_text(encoding="utf-8") == "Jonas\nLisa\nNele\n"
    assert talk.called() == ["read_file", "replace_text", "append_text"]
    assert len(talk.person.questions) == 2
    assert "Karim" in answer.text
    assert "Nele" in answer.text


def test_a_no_changes_nothing_and_is_told(talk: Talk) -> None:
    """The second part is not begun behind a refusal."""
    talk.ask("zeig mir team.txt")
    talk.person.answer = DENIED
    answer = talk.ask("Karim ist verletzt, dafür spielt Nele")
    assert talk.file.read_text(encoding="utf-8") == TEAM
    assert "Hm." not in answer.text


def test_a_command_for_what_is_not_there_does_nothing(talk: Talk) -> None:
    """The request is decided as before, and nothing is claimed."""
    talk.ask("zeig mir team.txt")
    talk.ask("weg mit allem")
    assert talk.file.read_text(encoding="utf-8") == TEAM
    assert talk.called() == ["read_file"]


def test_the_beginning_is_read_ahead_of_what_goes_on(talk: Talk, backend: ScriptedBackend) -> None:
    """Only once the model is there: nothing is loaded for what nobody waits for."""
    talk.ask("zeig mir team.txt")
    assert not backend.loads
    talk.ask("weg mit allem")
    assert not [each for each in backend.read_ahead if "Request: " in each]
    talk.ask("zeig mir team.txt")
    while not any("You turn the last request" in each for each in backend.read_ahead):
        time.sleep(0.01)
