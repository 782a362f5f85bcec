"""Conversations as they are typed, through the real program without a model: what the host decides alone.

A model that only says words stands where one would be asked, so that nothing is done but what was read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.app import build_core
from desktop.engine.engine import Engine, start_thread
from desktop.paths import Paths
from tests.bench import requests
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.asker import FakeAsker
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.real_model import Talk

TABLES = ("spoken_turns_dev.toml", "spoken_turns_kept.toml")
FOLDER = Path(requests.__file__).parent
TALKS = [
    talk for name in TABLES for talk in tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))["talk"]
]


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    folder = tmp_path_factory.mktemp("spoken")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STEWARD_CHAT__WORKSPACE", str(folder / "Steward"))
        core = build_core(Paths.under(folder / "profile"))
    core.asker = person = FakeAsker()
    backend = ScriptedBackend("Hm.", template=HERMES_TEMPLATE)
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    core.engine.use(installed(folder / "models", chat_template=HERMES_TEMPLATE))
    thread = start_thread(core.engine)
    try:
        yield Talk(core, person)
    finally:
        core.engine.close()
        thread.join()
        core.close()


@pytest.mark.parametrize("case", TALKS, ids=[each["name"] for each in TALKS])
def test_a_conversation_comes_out_as_wanted(talk: Talk, case: dict[str, Any]) -> None:
    """The files, the reminders and the last answer are as they should be; `left` names what is not done
    without a model, of which nothing may be done wrong either."""
    talk.begin(1, {})
    for reminder in talk.core.reminders.open():
        talk.core.reminders.end(reminder.id)
    before = requests.furnish(talk.root)
    steps = [talk.ask(said) for said in case["say"]]
    changed = requests.differences(before, requests.standing(talk.root))
    if "left" in case:
        assert set(changed) <= set(case.get("files", {}))
        return
    missed = requests.missed(case, steps, changed, talk.root)
    assert not missed + requests.other_reminders(case, requests.open_reminders(talk))
