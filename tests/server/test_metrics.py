"""Figures in the text form of Prometheus, read back by a reader of that form."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.agents.action import HookChoice
from desktop.agents.events import DecidedBy, HookDecided
from desktop.app import build_core
from desktop.events import Bus
from desktop.paths import Paths
from desktop.server.metrics import Histogram, Metrics, labels, sample
from desktop.server.server import FACTS
from tests.server.conftest import Running

SAMPLE = re.compile(r"^([a-z_]+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\["\\n])*)"(?:,|$)')


def parsed(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Name and labels to value. Fails on any line that is not of the form."""
    found = {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if re.fullmatch(r"# (HELP [a-z_]+ \S.*|TYPE [a-z_]+ (counter|gauge|histogram))", line):
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        pairs = tuple(LABEL.findall(match[2] or ""))
        assert ",".join(f'{key}="{word}"' for key, word in pairs) == (match[2] or ""), line
        assert (match[1], pairs) not in found, "each sample once"
        found[match[1], pairs] = float(match[3])
    return found


def decided(classed: str, tier: int, by: DecidedBy, choice: HookChoice) -> HookDecided:
    return HookDecided(
        1, 0.0, "small", "s", "/", "Bash", "x", classed, (), None, (0, 0), tier, choice, by, 1.0
    )


def test_verdicts_hooks_judge_and_memory_are_told(running: Running, client: httpx.Client, bus: Bus) -> None:
    """Everything that the gate counts, by class and tier, in a form that a reader takes."""
    bus.publish(decided("READ", 2, DecidedBy.READING, HookChoice.ALLOW))
    bus.publish(decided("READ", 2, DecidedBy.READING, HookChoice.ALLOW))
    bus.publish(decided("DELETE", 3, DecidedBy.USER, HookChoice.DENY))
    client.post("/api/classify", json={"command": "ls"}, headers=running.general)
    client.post("/hooks/small", json={"command": "ls"}, headers=running.bearer)
    answer = client.get("/metrics", headers=running.general)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = parsed(answer.text)

    def value(name: str, **of: object) -> float:
        return found[name, labels(**of)]

    assert value("steward_verdicts_total", source="hook", **{"class": "READ"}, tier=2) == 2
    assert value("steward_verdicts_total", source="hook", **{"class": "DELETE"}, tier=3) == 1
    assert value("steward_verdicts_total", source="api", **{"class": "READ"}, tier=2) == 1
    assert value("steward_hooks_total", agent="small", choice="deny", by="user") == 1
    assert value("steward_judge_asked_total") == 3
    assert value("steward_judge_answered_total") == 1
    assert value("steward_judge_timed_out_total") == 2
    assert value("steward_model_loaded") == 0
    assert value("steward_held_calls") == 0
    assert value("steward_request_seconds_count", route="/hooks/{agent}") == 1
    assert value("steward_request_seconds_bucket", route="/hooks/{agent}", le="+Inf") == 1
    assert value("steward_requests_total", route="/api/classify", status=200) == 1
    assert 10e6 < value("process_resident_memory_bytes") < 10e9


def test_unknown_addresses_do_not_grow_the_figures(running: Running, client: httpx.Client) -> None:
    """Whoever asks for a thousand addresses makes one line of it."""
    for number in range(20):
        client.get(f"/made/up/{number}")
        client.post(f"/hooks/nobody-{number}")
    found = parsed(client.get("/metrics", headers=running.general).text)
    assert found["steward_requests_total", labels(route="none", status=404)] == 20
    assert found["steward_requests_total", labels(route="/hooks/{agent}", status=404)] == 20


@pytest.mark.parametrize("whose", ["agent", "none"])
def test_figures_are_for_the_user(running: Running, client: httpx.Client, whose: str) -> None:
    """Without the general token there are none."""
    answer = client.get(
        "/metrics", headers={"Authorization": f"Bearer {running.agent_token}"} if whose == "agent" else {}
    )
    assert answer.status_code == (403 if whose == "agent" else 401)


@given(st.lists(st.floats(min_value=0, max_value=100)))
def test_a_histogram_counts_everything_once(seconds: list[float]) -> None:
    """Buckets are cumulative and hold what is at most their bound."""
    bounds = (0.1, 1.0, 10.0)
    histogram = Histogram(bounds)
    for each in seconds:
        histogram.observe(each)
    found = parsed("\n".join(histogram.samples("x", ())) + "\n")
    for bound in bounds:
        assert found["x_bucket", (("le", str(bound)),)] == sum(each <= bound for each in seconds)
    assert found["x_bucket", (("le", "+Inf"),)] == found["x_count", ()] == len(seconds)
    assert found["x_sum", ()] == pytest.approx(sum(seconds), rel=1e-6, abs=1e-6)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.just("\n"), max_size=20))
def test_words_in_labels_are_escaped(word: str) -> None:
    """Quotes, backslashes and line ends in a name cannot forge a line."""
    [(_, pairs)] = parsed(sample("x", labels(agent=word), 1) + "\n")
    written = pairs[0][1]
    read_back = re.sub(r'\\(["\\n])', lambda found: {"n": "\n"}.get(found[1], found[1]), written)
    assert read_back == word


def test_figures_of_two_servers_are_apart() -> None:
    """What one has counted does not show in the other."""
    one, other = Metrics(), Metrics()
    one.verdict("api", "READ", 2, 0.001)
    assert "READ" in one.text()
    assert "READ" not in other.text()


def test_every_figure_of_memory_has_a_name_in_the_metrics(tmp_path: Path) -> None:
    """Assembly, capture, hindsight, budget use and overflow: what memory counts is what is told."""
    core = build_core(Paths.under(tmp_path))
    try:
        facts = {**core.memory.figures(), **core.figures()}
        known = {key for key, _, _ in FACTS.values()}
        assert set(core.memory.figures()) == {key for key in known if key.startswith("memory_")}
        assert set(facts) == known
    finally:
        core.close()
