"""`steward rules`: the rules that hold for every agent, and which of them decides a line."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import UserFacing
from desktop.gate.rules import NEVER, rule_of, rules_of
from desktop.settings import GateRule, SettingsFile

if TYPE_CHECKING:
    from desktop.app import Services

EXIT_CODES = {"allow": 0, "ask": 3, "deny": 4}


@dataclass(frozen=True)
class Tried:
    """A line to try, and where it would run."""

    line: str
    agent: str = "steward"
    folder: Path | None = None
    shell: str | None = None


def show(settings: SettingsFile, as_json: bool) -> None:
    """The rules of the user with their numbers, then what is never done."""
    found = settings.current.gate.rules
    if as_json:
        _print([{"number": number, **_record(rule)} for number, rule in enumerate(found, 1)])
        return
    if not found:
        sys.stdout.write("You have made no rules.\n")
    for number, rule in enumerate(found, 1):
        reason = f"  ({rule.reason})" if rule.reason else ""
        sys.stdout.write(f"{number:4} {rule.effect.value:6} {rule_of(rule).in_words()}{reason}\n")
    sys.stdout.write("\nNever done, for every agent, in every mode, also while the gate is paused:\n")
    for each in NEVER:
        sys.stdout.write(f"     {each.words}\n")


def add(settings: SettingsFile, rule: GateRule, as_json: bool) -> None:
    """Add one; where among the others it stands makes no difference."""
    place = len(settings.current.gate.rules)
    settings.insert("gate", "rules", place, _record(rule))
    _say(place + 1, rule, "Added", as_json)


def remove(settings: SettingsFile, number: int, as_json: bool) -> None:
    """Remove the rule with this number. Raises UserFacing where there is none."""
    found = settings.current.gate.rules
    if not 1 <= number <= len(found):
        raise UserFacing(
            f"There is no rule number {number}.",
            "Nothing was changed.",
            "`steward rules list` shows those that there are.",
            code="rule-unknown",
        )
    settings.remove("gate", "rules", number - 1)
    _say(number, found[number - 1], "Removed", as_json)


def test(core: Services, tried: Tried, as_json: bool) -> int:
    """Say what happens to a line and which rule decides. Runs nothing, asks no model, counts no use."""
    from desktop.gate.gatekeeper import try_line

    trial = try_line(core.commands, core.gatekeeper, tried.line, tried.agent, tried.folder, tried.shell)
    rule = trial.decision.rule
    rules = rules_of(core.settings.current.gate)
    number = rules.index(rule) + 1 if rule in rules else None
    decision, verdict = trial.decision, trial.verdict
    if as_json:
        _print(
            {
                "gate": decision.gate.value,
                "ground": decision.ground.value,
                "reason": decision.reason,
                "rule": number,
                "class": verdict.effect.name,
                "flags": sorted(flag.value for flag in verdict.flags),
                "commands": list(verdict.commands),
            }
        )
        return EXIT_CODES[decision.gate.value]
    flags = "".join(f" {flag}" for flag in sorted(flag.value for flag in verdict.flags))
    by = f"rule {number}, {rule.in_words()}" if number and rule else decision.ground.value
    lines = [f"{decision.gate.value}: {decision.reason}", f"  decided by: {by}"]
    lines.append(f"  read as: {verdict.effect.name}{flags}: {verdict.reason}")
    lines += [f"  runs: {text}" for text in verdict.commands]
    sys.stdout.write("\n".join(lines) + "\n")
    return EXIT_CODES[decision.gate.value]


def _record(rule: GateRule) -> dict[str, str]:
    return {name: str(value) for name, value in rule.model_dump(mode="json").items() if value}


def _say(number: int, rule: GateRule, done: str, as_json: bool) -> None:
    if as_json:
        _print({done.lower(): number, **_record(rule)})
        return
    sys.stdout.write(f"{done}: {number} {rule.effect.value} {rule_of(rule).in_words()}\n")


def _print(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
