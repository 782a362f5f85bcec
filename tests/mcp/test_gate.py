"""A server's tool through the real executor and the real gate: what passes, asks, lasts and lapses."""

from __future__ import annotations

import pytest

from desktop.asking import ALLOWED_ONCE, Answer, Choice, Scope
from desktop.gate.grants import GrantKind
from desktop.mcp.as_tool import as_tool
from desktop.mcp.servers import Servers
from desktop.settings import GateRule
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.tool import Toolbox
from tests.fakes.asker import FakeAsker
from tests.mcp.conftest import House, hostile, needs_confinement

ALWAYS = Answer(Choice.ALLOW, scope=Scope.ALWAYS)


def run(house: House, servers: Servers, person: FakeAsker, untrusted: tuple[str, ...] = ()) -> CallResult:
    served = servers.served("it", "echo")
    tool = as_tool("echo", served, servers.call, can_keep=lambda: servers.can_keep(served.access))
    executor = Executor(house.core.bus, person, house.core.gatekeeper, house.folder, house.core.audit)
    return executor.run(Call("c", "echo", {"text": "hello"}), Toolbox((tool,)), untrusted, 7)


@needs_confinement
def test_a_server_that_can_only_read_passes_and_taints(house: House) -> None:
    """Without a question, also with texts of others about; what it says is somebody else's text."""
    house.settings = {"it": hostile()}
    servers = house.servers()
    servers.look("it")
    person = FakeAsker(ALLOWED_ONCE)
    ended = run(house, servers, person, untrusted=("a page",))
    assert (ended.ending, ended.text, person.questions) == (CallStatus.DONE, "hello", [])
    assert ended.tainted_by == "the server it"


@needs_confinement
@pytest.mark.parametrize("settings", [{"folders": ["WORK"]}, {"network": True}], ids=["writes", "sends"])
def test_a_yes_lasts_until_texts_of_others_are_about(house: House, settings: dict[str, object]) -> None:
    """It is a grant for this tool as it is; with such texts about it asks again, without that offer."""
    given = {**settings, **({"folders": [str(house.folder)]} if "folders" in settings else {})}
    house.settings = {"it": hostile(**given)}
    servers = house.servers()
    servers.look("it")
    person = FakeAsker(ALWAYS)
    assert run(house, servers, person).ok
    assert {offer.scope for offer in person.questions[0].scopes} == {Scope.SESSION, Scope.ALWAYS}
    (grant,) = house.core.grants.listed()
    assert (grant.covers.kind, grant.covers.tool) == (GrantKind.SERVED, "mcp__it__echo")
    assert run(house, servers, person).ok
    assert len(person.questions) == 1
    assert run(house, servers, person, untrusted=("a page",)).ok
    assert len(person.questions) == 2
    assert person.questions[1].scopes == ()
    # Another right is another tool: what was allowed with less does not hold with more.
    house.settings = {"it": hostile(folders=[str(house.folder)], network=True)}
    run(house, servers, person)
    assert len(person.questions) == 3


def test_a_server_that_nothing_holds_asks_each_time(house: House) -> None:
    """And no yes is offered that would last."""
    house.settings = {"it": hostile(confined=False)}
    servers = house.servers()
    servers.look("it")
    person = FakeAsker(ALWAYS)
    for times in (1, 2):
        assert run(house, servers, person).ok
        assert len(person.questions) == times
        assert person.questions[-1].scopes == ()
    assert house.core.grants.listed() == []


@pytest.mark.parametrize(
    ("effect", "ending", "asked"), [("deny", CallStatus.DENIED, 0), ("ask", CallStatus.DONE, 1)]
)
def test_rules_know_a_tool_as_agents_name_it(
    house: House, effect: str, ending: CallStatus, asked: int
) -> None:
    """`mcp__it__*` holds for the assistant's call too."""
    entry = GateRule.model_validate({"effect": effect, "tool": "mcp__it__*"}).model_dump(mode="json")
    house.core.settings.insert("gate", "rules", 0, {key: value for key, value in entry.items() if value})
    house.settings = {"it": hostile()}
    servers = house.servers()
    servers.look("it")
    person = FakeAsker(ALLOWED_ONCE)
    if servers.access("it").effect:
        pytest.skip("nothing is confined here, so every call is asked about anyway")
    assert run(house, servers, person).ending is ending
    assert len(person.questions) == asked
