"""What would happen to a line, and which reason decides: for the page of rules and `steward rules test`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop.gate.commands import Commands
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.policy import Decision
from desktop.gate.verdict import Verdict


@dataclass(frozen=True)
class Trial:
    """The reading of a line and the decision on it."""

    verdict: Verdict
    decision: Decision


def try_line(
    commands: Commands,
    gatekeeper: Gatekeeper,
    line: str,
    agent: str = "steward",
    folder: Path | None = None,
    shell: str | None = None,
) -> Trial:
    """Decide on `line` as if `agent` wanted to run it in `folder`. Runs nothing, counts no use of a grant."""
    where = folder or Path.home()
    verdict = commands.verdict(line, shell, str(where))
    request = commands.request(verdict, line, where, tool=f"Bash of {agent}")
    return Trial(verdict, gatekeeper.foresee(request))
