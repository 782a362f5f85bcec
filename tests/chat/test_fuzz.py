"""Whatever a model writes: nothing malformed is run, and no call is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.chat.streaming import CallSplitter
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.tools.calls import Call, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.tool import Toolbox, tool
from tests.fakes.asker import FakeAsker

Ran = list[tuple[str, dict[str, Any]]]


class Bench:
    """An executor whose tools write down how they were run."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.ran: Ran = []
        executor = Executor(Bus(), FakeAsker(), Gatekeeper(Grants(database), PolicySettings), folder)
        self.executor = executor
        self.toolbox = Toolbox(
            [tool(self.look, Effect.READ), tool(self.count, Effect.READ), tool(self.clock, Effect.READ)]
        )

    def look(self, path: str, offset: int = 0) -> str:
        """Look at a file."""
        self.ran.append(("look", {"path": path, "offset": offset}))
        return "seen"

    def count(self, number: float, loud: bool = False) -> str:
        """Count to a number."""
        self.ran.append(("count", {"number": number, "loud": loud}))
        return "counted"

    def clock(self) -> str:
        """Tell the time."""
        self.ran.append(("clock", {}))
        return "late"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    paths = Paths.under(tmp_path_factory.mktemp("profile"))
    database = Database(paths.database, MIGRATIONS)
    yield Bench(database, paths.workspace)
    database.close()


_VALUES = st.sampled_from(
    ['"a.txt"', '"5"', "5", "1e400", "null", "true", '"yes"', "{}", '["a"]', '"', "{", '"\\u0000"', "5.5"]
)
_KEYS = st.sampled_from(["path", "offset", "number", "loud", "file", "pth", "x", ""])
_ARGUMENTS = st.lists(st.tuples(_KEYS, _VALUES), max_size=3).map(
    lambda pairs: "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
)
_NAMES = st.sampled_from(["look", "count", "clock", "Look", "lok", "rm", "look ", ""])
_FORMS = st.sampled_from(
    [
        '<tool_call>\n{{"name": "{0}", "arguments": {1}}}\n</tool_call>',
        '<tool_call>\n{{"name": "{0}", "arguments": {1}',
        '```json\n{{"name": "{0}", "arguments": {1}}}\n```',
        '{{"name": "{0}", "parameters": {1}}}',
        '{{{{"name": "{0}", "arguments": {1}}}}}',
        '[{{"name": "{0}", "arguments": {1}}}]',
        "<function={0}>{1}</function>",
        '{0}(path="a.txt")',
        "[{0}(number=5)]",
        "call:{0}{{path:<escape>a<escape>}}",
    ]
)
_CALLS = st.builds(lambda form, name, arguments: form.format(name, arguments), _FORMS, _NAMES, _ARGUMENTS)
_TEXTS = st.sampled_from(["Sure.\n", "\n", " ", "Done.", "```\n", "</tool_call>", "}", "Here: "])
_OUTPUTS = st.lists(st.one_of(_CALLS, _TEXTS, _CALLS.map(lambda call: call[: len(call) // 2])), max_size=4)


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=_OUTPUTS, size=st.integers(1, 40))
def test_nothing_malformed_is_run_and_no_call_is_shown(bench: Bench, pieces: list[str], size: int) -> None:
    """What ran had the arguments that its schema wants; what was shown names no tool with its arguments."""
    text = "".join(pieces)
    bench.ran.clear()
    splitter = CallSplitter(bench.toolbox.names)
    shown = "".join(splitter.feed(text[at : at + size]) for at in range(0, len(text), size))
    shown += splitter.finish()
    for number, found in enumerate(splitter.calls):
        ended = bench.executor.run(Call(str(number), found.name, found.arguments), bench.toolbox)
        assert (ended.ending is CallStatus.DONE) == (len(bench.ran) == 1)
        for name, arguments in bench.ran:
            assert _fits(name, arguments)
        bench.ran.clear()
    shown = shown.split("```")[0]  # what stands in a fence with other text is code that is shown
    assert not re.search(r'"name":\s*"(?:look|count|clock)",\s*"(?:arguments|parameters)":', shown)


def _fits(name: str, arguments: dict[str, Any]) -> bool:
    if name == "look":
        return isinstance(arguments["path"], str) and type(arguments["offset"]) is int
    if name == "count":
        return isinstance(arguments["number"], int | float) and isinstance(arguments["loud"], bool)
    return True
