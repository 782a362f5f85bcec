"""What a model can do with tools is tried once and kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.chat.formats.calls import PATTERNS
from desktop.chat.tool_mode import TRIALS, Capabilities, ToolMode
from desktop.engine.engine import Engine, start_thread
from desktop.errors import Cancelled
from desktop.events import Bus
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.settings import Settings
from desktop.tools.tool import Parameter, ParameterType, Tool, Toolbox
from tests.fakes.scripted_model import ScriptedBackend, installed

WORDS = {tool: word for word, (tool, _) in PATTERNS.items()}


def _tool(name: str, argument: str) -> Tool:
    parameters = (Parameter(argument, ParameterType.STRING),) if argument else ()
    return Tool(name, "Does it.", parameters, lambda **_: "", Effect.READ)


TOOLBOX = Toolbox([_tool(name, argument) for name, argument in PATTERNS.values()])


def by_patterns(prompt: str) -> str:
    """Writes the right pattern where it was taught to, and words otherwise."""
    if "[READ: path]" in prompt:
        for request, tool, word in TRIALS:
            if tool and prompt.rstrip().endswith("assistant") and f"user\n{request}" in prompt:
                return f"[{WORDS[tool]}: {word}]" if word else f"[{WORDS[tool]}]"
    return "Words."


class Laboratory:
    def __init__(self, paths: Paths, folder: Path, backend: ScriptedBackend) -> None:
        self.path = paths.cache / "capabilities.json"
        settings = Settings()
        self.backend = backend
        self.engine = Engine(paths, Bus(), lambda: settings.model, backend)
        self.model = installed(folder / "models")
        self.engine.use(self.model)
        self.thread = start_thread(self.engine)

    def capabilities(self) -> Capabilities:
        return Capabilities(self.path, TOOLBOX)


@pytest.fixture
def laboratory(paths: Paths, tmp_path: Path) -> Iterator[Callable[[ScriptedBackend], Laboratory]]:
    made: list[Laboratory] = []

    def make(backend: ScriptedBackend) -> Laboratory:
        made.append(Laboratory(paths, tmp_path, backend))
        return made[-1]

    yield make
    for each in made:
        each.engine.close()
        each.thread.join()


def test_a_model_that_can_only_talk_is_left_to_talk(laboratory: Callable[..., Laboratory]) -> None:
    """Both ways are tried; neither is managed."""
    here = laboratory(ScriptedBackend("Words."))
    found = here.capabilities().find_out(here.engine, here.model)
    assert found is not None
    assert found.way is ToolMode.WORDS
    assert [(trial.way, trial.calls, trial.restraint) for trial in found.trials] == [
        (ToolMode.COMPACT, 0.0, 1.0),
        (ToolMode.PATTERNS, 0.0, 1.0),
    ]


def test_a_model_that_manages_patterns_acts_by_them(laboratory: Callable[..., Laboratory]) -> None:
    """The right pattern for each request that needs one, words for the others."""
    here = laboratory(ScriptedBackend(by_patterns))
    found = here.capabilities().find_out(here.engine, here.model)
    assert found is not None
    assert (found.way, found.trials[-1].calls, found.trials[-1].restraint) == (ToolMode.PATTERNS, 1.0, 1.0)


def test_a_model_that_calls_for_everything_is_left_to_talk(laboratory: Callable[..., Laboratory]) -> None:
    """Right calls do not make up for calls at "Hello"."""
    here = laboratory(ScriptedBackend("[TIME]"))
    found = here.capabilities().find_out(here.engine, here.model)
    assert found is not None
    assert found.way is ToolMode.WORDS
    assert found.trials[-1].restraint == 0.0


def test_a_program_that_ends_meanwhile_has_found_nothing_out(laboratory: Callable[..., Laboratory]) -> None:
    """An answer that was cancelled says nothing about the model: it is tried again at the next start."""
    here = laboratory(ScriptedBackend(by_patterns))
    here.engine.close()
    with pytest.raises(Cancelled):
        here.capabilities().find_out(here.engine, here.model)
    assert here.capabilities().known(here.model) is None


def test_what_was_found_is_kept_for_the_file(laboratory: Callable[..., Laboratory]) -> None:
    """After a restart nothing is tried again; another file is another model."""
    here = laboratory(ScriptedBackend(by_patterns))
    assert here.capabilities().known(here.model) is None
    here.capabilities().find_out(here.engine, here.model)
    prompts = len(here.backend.prompts)
    again = here.capabilities()
    assert again.known(here.model) is ToolMode.PATTERNS
    assert again.find_out(here.engine, here.model) is None
    assert len(here.backend.prompts) == prompts


@pytest.mark.parametrize("damage", ["", "no JSON", "[]", '{"a": 1}', '{"a": {"way": "dance"}}'])
def test_a_damaged_record_is_found_out_anew(laboratory: Callable[..., Laboratory], damage: str) -> None:
    """It counts as not known, whatever stands in it."""
    here = laboratory(ScriptedBackend("Words."))
    here.path.parent.mkdir(parents=True, exist_ok=True)
    here.path.write_text(damage)
    assert here.capabilities().known(here.model) is None


def test_another_revision_of_the_test_counts_for_nothing(laboratory: Callable[..., Laboratory]) -> None:
    """What an older test has found is tried again."""
    here = laboratory(ScriptedBackend("Words."))
    here.capabilities().find_out(here.engine, here.model)
    kept = json.loads(here.path.read_text())
    next(iter(kept.values()))["revision"] = 0
    here.path.write_text(json.dumps(kept))
    assert here.capabilities().known(here.model) is None
