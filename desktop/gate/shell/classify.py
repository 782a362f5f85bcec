"""`steward classify`: what a command line would do, and why. Imports nothing heavy."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop.gate.reasons import GateReason
from desktop.gate.shell.classifier import SHELLS, Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate, Verdict
from desktop.paths import resources

EXIT_FAILED = 1


def parser() -> argparse.ArgumentParser:
    described = argparse.ArgumentParser(
        prog="steward classify",
        description="Say what a shell command would do, in one of five classes. Runs nothing.",
    )
    described.add_argument("command", nargs="?", help="the command line, as one argument")
    described.add_argument(
        "--batch", metavar="FILE.jsonl", help='lines {"command", "cwd", "shell"}; - is stdin'
    )
    described.add_argument("--json", action="store_true", help="one JSON object a command")
    described.add_argument("--shell", choices=SHELLS, help="default: what the syntax looks like")
    described.add_argument("--cwd", metavar="DIR", help="the folder in which it would run")
    described.add_argument("--no-model", action="store_true", help="leave the model's opinion out")
    return described


def main(words: Sequence[str]) -> int:
    """Exit codes: 0 told, 1 the file could not be read, 2 wrong usage."""
    described = parser()
    wanted = described.parse_args(words)
    if (wanted.command is None) == (wanted.batch is None):
        described.error("give one command, or --batch with a file")
    classifier = Classifier(Tables(resources() / "commands"))
    if wanted.batch is not None:
        try:
            return batch(classifier, wanted)
        except BrokenPipeError:  # whoever read our lines has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
    verdict = judged(classifier, wanted.command, wanted.shell, wanted.cwd)
    if wanted.json:
        print_json({"command": wanted.command, **verdict.as_dict()})
    else:
        sys.stdout.write(explained(wanted.command, verdict))
    return 0


def judged(classifier: Classifier, command: str, shell: str | None, folder: str | None) -> Verdict:
    """A verdict also where the classifier has a bug: it is loud, and the command is not allowed."""
    try:
        return classifier.classify(command, shell, folder)
    except Exception:
        import traceback  # for a bug alone

        traceback.print_exc()
        reason = GateReason.CLASSIFIER_FAILED.of()
        return Verdict(Effect.UNKNOWN, frozenset(), Gate.ASK, reason, (0, len(command)), 1, 0.0)


def batch(classifier: Classifier, wanted: argparse.Namespace) -> int:
    try:
        text = sys.stdin.read() if wanted.batch == "-" else Path(wanted.batch).read_text(encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"{wanted.batch} cannot be read: {error.strerror}. Nothing was classified.\n")
        return EXIT_FAILED
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            command = row["command"]
        except (ValueError, KeyError, TypeError):
            sys.stderr.write(f'{wanted.batch}:{number}: not an object with "command".\n')
            return EXIT_FAILED
        shell, folder = row.get("shell") or wanted.shell, row.get("cwd") or wanted.cwd
        verdict = judged(classifier, str(command), shell, folder)
        if wanted.json:
            print_json({"command": command, **verdict.as_dict()})
        else:
            sys.stdout.write(f"{verdict.gate.value:5} {verdict.effect.name:7} {command}\n")
    return 0


def print_json(row: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


def explained(command: str, verdict: Verdict) -> str:
    """For a person: the class, why, and which part decided."""
    flags = "".join(f" {flag.value}" for flag in sorted(verdict.flags, key=lambda flag: flag.value))
    part = command[slice(*verdict.span)]
    lines = [f"{verdict.effect.name}{flags}: {verdict.gate.value}", f"  {verdict.reason}"]
    if part and part != command:
        lines.append(f"  because of: {part}")
    lines.append(f"  tier {verdict.tier}, {verdict.ms:.2f} ms")
    return "\n".join(lines) + "\n"
