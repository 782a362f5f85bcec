"""What tests say of time: nothing by a clock that another program moves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import processor_time as module
from tests.processor_time import processor_time

TESTS = Path(__file__).resolve().parent
CLOCK = re.compile(r"\btime\.(?:perf_counter|process_time|thread_time)\(\)")  # monotonic waits for a deadline
RATIOS = {"gate/shell/test_parser.py"}  # compares two times of its own with each other


@pytest.mark.parametrize(("slowness", "at_rest_s"), [(0.5, 6.0), (1.0, 6.0), (3.0, 2.0)])
def test_a_slow_computer_does_not_stretch_it(
    slowness: float, at_rest_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six seconds on one three times as slow are two at rest, and a quicker one makes no bound narrower."""
    monkeypatch.setattr(module, "_work_s", lambda: slowness * module.AT_REST_S)
    ticks = iter((1.0, 7.0))
    with processor_time(lambda: next(ticks)) as spent:
        pass
    assert spent.at_rest_s == pytest.approx(at_rest_s)


def test_no_test_is_held_against_a_clock_alone() -> None:
    """Outside of benchmarks a time is compared with what the computer does at that moment."""
    found = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in sorted(TESTS.rglob("test_*.py"))
        if path.relative_to(TESTS).parts[0] != "bench" and path.relative_to(TESTS).as_posix() not in RATIOS
        if CLOCK.search(text := path.read_text(encoding="utf-8"))  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assert) and CLOCK.search(ast.unparse(node.test))
    ]
    assert found == []
