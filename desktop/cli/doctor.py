"""`steward doctor`: the report, readable or as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from desktop.app import Services
from desktop.system.doctor import Check, Doctor, Verdict
from desktop.system.secrets import Secrets

KEYRING_TIMEOUT_S = 3.0  # a locked one waits for its password, a report does not

_MARKS = {Verdict.WORKS: "✓", Verdict.LIMITED: "!", Verdict.MISSING: "✗"}


def show(core: Services, as_json: bool) -> int:
    """Print every check. The exit code is 0: a report is not a failure."""
    secrets = Secrets(core.paths, timeout_s=KEYRING_TIMEOUT_S)
    ignoring = core.ignoring_agents()
    checks = Doctor(core.paths, core.settings.current, core.library, secrets, ignoring).examine()
    if as_json:
        sys.stdout.write(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(_lines(check) for check in checks))
    return 0


def _lines(check: Check) -> str:
    advice = f"{'':17}{check.advice}\n" if check.advice else ""
    return f"{_MARKS[check.verdict]} {check.name:14} {check.finding}\n{advice}"
