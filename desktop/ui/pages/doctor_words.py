"""How the report of the computer is said: on the page, and as text to be pasted somewhere."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.system.doctor import Check, Verdict

WORDS = {Verdict.WORKS: "works", Verdict.LIMITED: "limited", Verdict.MISSING: "missing"}
ICONS = {Verdict.WORKS: "check", Verdict.LIMITED: "warning", Verdict.MISSING: "failed"}
INKS = {Verdict.WORKS: "success", Verdict.LIMITED: "warning", Verdict.MISSING: "danger"}
SIGNS = {Verdict.WORKS: "✓", Verdict.LIMITED: "!", Verdict.MISSING: "✗"}


def heading(check: Check) -> str:
    """The line of a check: its name and, in a word, how it is."""
    return f"{check.name}: {WORDS[check.verdict]}"


def summary(checks: Sequence[Check]) -> str:
    """How many of each, in a sentence."""
    counts = {verdict: sum(check.verdict is verdict for check in checks) for verdict in Verdict}
    if counts[Verdict.WORKS] == len(checks):
        return f"All {len(checks)} work."
    parts = [f"{counts[Verdict.WORKS]} of {len(checks)} work"]
    parts += [
        f"{counts[each]} {'is' if counts[each] == 1 else 'are'} {WORDS[each]}"
        for each in (Verdict.LIMITED, Verdict.MISSING)
        if counts[each]
    ]
    return ", ".join(parts) + "."


def report(checks: Sequence[Check]) -> str:
    """All lines as plain text, the advice below what it is about."""
    width = max((len(check.name) for check in checks), default=0)
    lines = []
    for check in checks:
        lines.append(f"{SIGNS[check.verdict]} {check.name:{width}}  {check.finding}")
        if check.advice:
            lines.append(f"{'':{width + 4}}{check.advice}")
    return "\n".join(lines) + "\n"
