"""`steward schedules`: what it leaves behind where it could not do what it was told."""

from __future__ import annotations

import json

from tests.cli.conftest import Steward


def test_without_a_model_nothing_waits_for_an_answer(steward: Steward) -> None:
    """The question was not put, and the list says so."""
    steward("schedules", "add", "every day at 8", "What is in my notes?")
    done = steward("schedules", "run", "1")
    assert (done.returncode, done.stdout) == (4, "")
    assert "No model is installed" in done.stderr
    (schedule,) = json.loads(steward("schedules", "list", "--json").stdout)
    assert schedule["last"] is None
