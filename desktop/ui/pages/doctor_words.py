"""How the report of the computer is said: on the page, and as text to be pasted somewhere."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.system.doctor import Check, Verdict
from desktop.ui.language import later, plural, told, tr

WORDS = {
    Verdict.WORKS: later("works"),
    Verdict.LIMITED: later("limited"),
    Verdict.MISSING: later("missing"),
}
ICONS = {Verdict.WORKS: "check", Verdict.LIMITED: "warning", Verdict.MISSING: "failed"}
INKS = {Verdict.WORKS: "success", Verdict.LIMITED: "warning", Verdict.MISSING: "danger"}
SIGNS = {Verdict.WORKS: "✓", Verdict.LIMITED: "!", Verdict.MISSING: "✗"}


def heading(check: Check) -> str:
    """The line of a check: its name and, in a word, how it is."""
    return f"{told(check.name)}: {tr(WORDS[check.verdict])}"


def summary(checks: Sequence[Check]) -> str:
    """How many of each, in a sentence."""
    counts = {verdict: sum(check.verdict is verdict for check in checks) for verdict in Verdict}
    if counts[Verdict.WORKS] == len(checks):
        return tr("All {count} work.", count=len(checks))
    parts = [tr("{count} of {all} work", count=counts[Verdict.WORKS], all=len(checks))]
    limited, missing = counts[Verdict.LIMITED], counts[Verdict.MISSING]
    parts += [plural("{count} is limited", "{count} are limited", limited)] if limited else []
    parts += [plural("{count} is missing", "{count} are missing", missing)] if missing else []
    return ", ".join(parts) + "."


def report(checks: Sequence[Check]) -> str:
    """All lines as plain text, the advice below what it is about."""
    width = max((len(told(check.name)) for check in checks), default=0)
    lines = []
    for check in checks:
        lines.append(f"{SIGNS[check.verdict]} {told(check.name):{width}}  {told(check.finding)}")
        if check.advice:
            lines.append(f"{'':{width + 4}}{told(check.advice)}")
    return "\n".join(lines) + "\n"
