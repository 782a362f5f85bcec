#!/usr/bin/env python3
"""Steward from a fresh computer with one command, and what its developers do every day.

  python3 dev.py run [ARGUMENTS]       set up what is missing, then start `steward ARGUMENTS`
  python3 dev.py test [--quick|--full] [-- PYTEST ARGUMENTS]   --full: with a bundle and the acceptance checks
  python3 dev.py check                 format, lint, types, import contracts, links, lock files, translations
  python3 dev.py bench NAME [ARGUMENTS]   one of those that `dev.py bench` names; JSON on stdout
  python3 dev.py lock [--upgrade]      write the lock files anew from pyproject.toml
  python3 dev.py translate             collect the words of the windows into resources/translations
  python3 dev.py learn [--apart N]     learn the classes of messages from their examples, or judge N parts
  python3 dev.py package cpu|cuda|vulkan|metal [--llama WHEEL]   the bundle and the .deb, in dist/
  python3 dev.py package cuda|vulkan --addon   what lets an installed Steward compute on a card, alone
  python3 dev.py finish                what the window of a first start runs: the rest, told in JSON

Exit codes: 0 done, 1 something failed, 2 wrong usage, 3 something has to be installed by hand first (the
command is printed). `run`, `test` and `bench` otherwise pass on the exit code of what they started.
Needs Python 3.11 or newer and nothing else. All set-up output goes to stderr; a first start on
a computer with a display shows its end in Steward's own window.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap.computer import VIRTUAL_SCREEN, has_display, need_from_system
from bootstrap.environment import (
    DEV,
    OLDEST_PYTHON,
    RUN,
    make_venv,
    set_up,
)
from bootstrap.first_window import finish, first_set, opens_first
from bootstrap.llama import BUILD_LOCK, LLAMA_LOCK
from bootstrap.locks import locked, without
from bootstrap.package.build import PACKAGE_LOCK, package
from bootstrap.prebuilt import NPM_LOCK
from bootstrap.programs import ROOT, Stop, call, hand_over, pip, say, step
from bootstrap.testing import ARTEFACTS, test
from bootstrap.words import file_of, update

BENCHES = (
    "engine",
    "lookup",
    "extensions",
    "offload",
    "api",
    "mcp",
    "ui",
    "start",
    "first_start",
    "builds",
    "download",
    "gate",
    "project_copies",
    "judge",
    "hook",
    "client",
    "confine",
    "calls",
    "turns",
    "answers",
    "fix",
    "requests",
    "messages",
    "quick_ask",
    "memory",
    "search",
    "bundle",
    "day",
    "dictation",
)
VALUE_OPTIONS = ("--profile", "--log-format")  # options of `steward` itself that take a value


@dataclass(frozen=True)
class Request:
    """What the user wants from `steward`."""

    options: tuple[str, ...]  # those before the verb
    verb: str  # "run" when none is given
    rest: tuple[str, ...]

    @classmethod
    def read(cls, words: Sequence[str]) -> Request:
        place = 0
        while place < len(words) and words[place].startswith("-"):
            place += 2 if words[place] in VALUE_OPTIONS else 1
        verb = words[place] if place < len(words) else "run"
        return cls(tuple(words[:place]), verb, tuple(words[place + 1 :]))

    @property
    def only_tells(self) -> bool:
        return not {"--version", "--help", "-h"}.isdisjoint((*self.options, *self.rest))

    @property
    def opens_window(self) -> bool:
        return self.verb == "run" and not self.only_tells

    @property
    def is_watched(self) -> bool:
        """Whether somebody who sits before the screen waits for the window."""
        return self.opens_window and "--hidden" not in (*self.options, *self.rest) and has_display()

    @property
    def needs_model_first(self) -> bool:
        """The window downloads a model by itself, and what `--model` names is for `steward` to find."""
        named = any(word == "--model" or word.startswith("--model=") for word in self.rest)
        return self.verb in {"ask", "chat"} and not self.only_tells and not named


def run(words: Sequence[str]) -> int:
    request = Request.read(words)
    if request.is_watched and opens_first(RUN):
        window: list[str | Path] = [first_set(RUN), "-P", "-m", "desktop", *request.options, "run"]
        # Another dev.py may have finished everything while this one waited for it.
        rest = ["--finish-with", str(ROOT / "dev.py")] if opens_first(RUN) else []
        return hand_over([*window, *rest, *request.rest])
    steward: list[str | Path] = [set_up(RUN), "-P", "-m", "desktop"]
    if request.opens_window and not has_display():
        return run_without_display(steward, request)
    if request.needs_model_first:
        fetch_model([*steward, *request.options])
    return hand_over([*steward, *words])


def run_without_display(steward: list[str | Path], request: Request) -> int:
    command = [*steward, *request.options]
    if sys.stdin.isatty() and sys.stdout.isatty():
        say("This computer has no display, so Steward chats here in the terminal.")
        fetch_model(command)
        return hand_over([*command, "chat"])
    say("There is no display and no terminal: Steward answers one question in a window on a virtual screen.")
    need_from_system("screen")
    fetch_model(command)
    return show_one_answer(command)


def show_one_answer(command: list[str | Path]) -> int:
    """The answer on stdout, the picture of the window named on stderr."""
    question = os.environ.get("STEWARD_DEMO_QUESTION") or "What can you do for me?"
    ARTEFACTS.mkdir(exist_ok=True)
    picture = ARTEFACTS / "steward-window.png"
    picture.unlink(missing_ok=True)
    code = call([*VIRTUAL_SCREEN, *command, "demo", "--question", question, "--screenshot", picture])
    if picture.exists():
        say(f"A picture of the window: {picture}")
    return code


def fetch_model(command: list[str | Path]) -> None:
    """Download the recommended model if none is installed; stdout stays free for what comes after."""
    code = call([*command, "models", "get", "--recommended", "--if-none"], stdout=sys.stderr)
    if code:
        raise Stop("No model could be installed, so nothing was started. The reason is above.", code)


def finish_behind_window(words: Sequence[str]) -> int:
    if words:
        raise Stop("finish takes no arguments.", 2)
    return finish(RUN, sys.stdout)


CHECKS = {
    "format": ["-m", "ruff", "format", "--check", "."],
    "lint": ["-m", "ruff", "check", "."],
    "types": ["-m", "mypy"],
    "types of scripts": ["-m", "mypy", "dev.py", "bootstrap", "tests/check_links.py", "tests/check_tree.py"],
    "import contracts": [
        "-c",
        "from importlinter.cli import lint_imports_command as lint; lint()",
        "--no-logo",
    ],
    "links in documents": ["tests/check_links.py"],
    "lock files and tree": ["tests/check_tree.py"],
    "words and translations": ["-m", "tests.check_words"],
}


def check(words: Sequence[str]) -> int:
    """Run every check, also after one has failed, and say at the end which did."""
    if words:
        raise Stop("check takes no arguments.", 2)
    python = set_up(DEV)
    os.chdir(ROOT)
    failed = []
    for name, arguments in CHECKS.items():
        say(f"── {name}")
        if call([python, *arguments]):
            failed.append(name)
    say(f"\n{len(CHECKS) - len(failed)} of {len(CHECKS)} checks passed.")
    if failed:
        say(f"Failed: {', '.join(failed)}.")
    return 1 if failed else 0


def bench(words: Sequence[str]) -> int:
    if not words or words[0] not in BENCHES:
        raise Stop(f"bench needs one of these names: {', '.join(BENCHES)}", 2)
    command: list[str | Path] = [set_up(DEV), "-m", f"tests.bench.{words[0]}", *words[1:]]
    if not has_display():
        need_from_system("screen")
        command = [*VIRTUAL_SCREEN, *command]
    os.chdir(ROOT)
    return hand_over(command)


def lock(words: Sequence[str]) -> int:
    """Write the lock files; versions that still fit are kept, unless --upgrade is given."""
    if list(words) not in ([], ["--upgrade"]):
        raise Stop("lock takes only --upgrade.", 2)
    make_venv(DEV)
    step("Installing uv, which resolves for all systems at once", pip(DEV.python, "install", "uv>=0.5"))
    project = ROOT / "pyproject.toml"
    apart = ["--no-emit-package", "llama-cpp-python"]  # compiled here: its lock has only the source package
    resolve(project, DEV.lock, ["--group", "dev", *apart, *words])
    resolve(project, RUN.lock, ["--constraint", DEV.lock, *apart, *words])
    resolve(project, LLAMA_LOCK, ["--no-deps", "--no-binary", "llama-cpp-python", *words])
    for apart_lock in (PACKAGE_LOCK, NPM_LOCK, BUILD_LOCK):
        resolve(apart_lock.with_suffix(".in"), apart_lock, words)
    everything = LLAMA_LOCK.read_text(encoding="utf-8")
    others = frozenset(locked(everything)) - {"llama-cpp-python"}
    LLAMA_LOCK.write_text(without(everything, others), encoding="utf-8")
    return 0


def resolve(source: Path, target: Path, options: Sequence[str | Path]) -> None:
    command: list[str | Path] = [
        DEV.python,
        "-m",
        "uv",
        "pip",
        "compile",
        source,
        "-o",
        target,
        "--universal",
    ]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-header", *options]
    step(f"Resolving {target.name}", command)
    say(f"  {len(locked(target.read_text(encoding='utf-8')))} packages")


def translate(words: Sequence[str]) -> int:
    """Bring the files of Qt Linguist up to date with the source; what is translated stays."""
    if words:
        raise Stop("translate takes no arguments.", 2)
    count, missing = update(ROOT)
    for text in missing:
        say(f"  to be translated: {text!r}")
    say(f"{count} texts, {len(missing)} of them to be translated in {file_of(ROOT, 'de').relative_to(ROOT)}.")
    return 0


def learn(words: Sequence[str]) -> int:
    """Write what the examples of messages teach, or say how it does on parts that were left out."""
    python = set_up(DEV)
    os.chdir(ROOT)
    return hand_over([python, "-m", "tests.bench.learn_messages", *words])


VERBS = {
    "run": run,
    "test": test,
    "check": check,
    "bench": bench,
    "lock": lock,
    "translate": translate,
    "learn": learn,
    "package": package,
    "finish": finish_behind_window,
}


def main(words: Sequence[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(__doc__)
        return 0 if words else 2
    if words[0] not in VERBS:
        raise Stop(f"dev.py has no verb {words[0]!r}. It knows {', '.join(VERBS)}; --help tells more.", 2)
    return VERBS[words[0]](words[1:])


if __name__ == "__main__":
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(f"Steward needs Python 3.11 or newer; this is {platform.python_version()}.")
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        say(f"\n{stop}")
        sys.exit(stop.code)
    except KeyboardInterrupt:
        say("\nInterrupted. The next start goes on from here.")
        sys.exit(130)
