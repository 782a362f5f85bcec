"""The tools of every agent by name: what passes, what is judged by what it touches, and what is asked."""

from __future__ import annotations

import json

import pytest

from desktop.agents.action import ActionKind, Moment, Patched, first_path, is_patch, patched
from desktop.agents.agent_list import AGENTS, agent_named
from desktop.gate.verdict import Effect
from tests.agents.agent_cases import all_cases
from tests.agents.gatehouse import Gatehouse

ALL = {each.agent: each for each in all_cases()}
ASKED = [(each.agent, tool) for each in ALL.values() for tool in each.asked]
PASSES = [(each.agent, tool) for each in ALL.values() for tool in each.passes]


def hook(agent: str, tool: str) -> bytes:
    return json.dumps(ALL[agent].hook(tool)).encode()


@pytest.mark.parametrize(("agent", "tool"), ASKED)
def test_a_tool_in_no_table_is_asked_about(house: Gatehouse, agent: str, tool: str) -> None:
    """By its name and all its arguments; the session keeps working after the answer."""
    house.answer(hook(agent, tool), agent)
    assert [question.arguments for question in house.questions] == ['{\n  "x": "y"\n}']
    assert house.asked[0].tool == tool


@pytest.mark.parametrize("agent", [each.name for each in AGENTS])
def test_a_tool_that_nobody_knows_is_asked_about(agent: str) -> None:
    """Of whatever vendor: what it does is not known."""
    known = agent_named(agent)
    assert known is not None
    action = known.read(hook(agent, "Zap"))
    assert (action.moment, action.kind) == (Moment.BEFORE, ActionKind.OTHER)


@pytest.mark.parametrize(("agent", "tool"), PASSES)
def test_what_only_steers_the_agent_passes(house: Gatehouse, agent: str, tool: str) -> None:
    """Nothing is asked, and nothing is decided for it either."""
    house.answer(hook(agent, tool), agent)
    assert house.questions == []
    assert house.decided == []


WHOLE = """*** Begin Patch
*** Add File: new.py
+*** not a heading
+x = 1
*** Update File: src/a.py
*** Move to: src/b.py
@@ def f():
-    old
+    new
 *** Delete File: not-a-heading-but-context
*** Delete File: gone.txt
*** End Patch
"""


def test_every_file_of_a_patch_is_found() -> None:
    """Made, changed, moved to, deleted; a line of the content that looks like a heading counts as one."""
    assert patched(WHOLE) == (
        Patched("new.py", Effect.CREATE),
        Patched("src/a.py", Effect.UPDATE),
        Patched("src/b.py", Effect.UPDATE),
        Patched("not-a-heading-but-context", Effect.DELETE),
        Patched("gone.txt", Effect.DELETE),
    )
    assert first_path(WHOLE) == "new.py"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "diff --git a/x b/x",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Rename File: a\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n***Delete File: b\n*** End Patch",
    ],
)
def test_what_is_not_understood_is_unknown(text: str) -> None:
    """No files are named, rather than some of them."""
    assert patched(text) is None
    assert first_path(text) == ""


def test_a_patch_is_known_by_its_first_line() -> None:
    """White space before it does not matter."""
    assert is_patch("\n  *** Begin Patch\n")
    assert not is_patch("x\n*** Begin Patch")
