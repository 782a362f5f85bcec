"""Programs that a project's own files name, for tools whose readings start them.

`terraform plan` changes nothing by itself. But a data source called `external` is a program that runs as soon
as the plan is made, and Terragrunt runs what `run_cmd` and its hooks say. Only the files tell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from desktop.gate.embedded_repositories import places
from desktop.gate.shell.reading import FAR
from desktop.gate.shell.simple_command import program_name
from desktop.gate.verdict import Step
from desktop.paths import is_other, open_regular

PLANS = frozenset({"terraform", "tofu", "terragrunt"})
# Of Terraform these compute data sources; Terragrunt computes its files whatever it does.
COMPUTE = frozenset({"plan", "refresh", "apply", "destroy", "import", "test", "console", "run-all", "run"})
FILES = (".tf", ".tf.json", ".tofu", ".tofu.json", ".hcl")
STARTS = re.compile(
    rb"""(?x)\b(?:data|ephemeral)\s{1,20}"(?:external|shell|script|exec|command)[\w-]{0,40}"
    | "(?:external|shell_script)"\s{0,20}: | \brun_cmd\s{0,20}\( | \b(?:before|after|error)_hook\b"""
)
# Modules of the project beside the folder.
SOURCE = re.compile(rb'\bsource"?\s{0,20}[=:]\s{0,20}"(\.{1,2}/[^"]{1,400})"')
MOST_FILES = 2000
MOST_BYTES = 8_000_000


def names_programs(step: Step, steps: Sequence[Step], folder: str, home: str) -> str:
    """The file that names a program which `step` starts; "" without one. The line is run in `folder`."""
    if not step.words or step.base == FAR:
        return ""
    name, words = program_name(step.words[0]), step.words[1:]
    if name not in PLANS or not (name == "terragrunt" or not COMPUTE.isdisjoint(words)):
        return ""
    moves = [
        word.partition("=")[2] for word in words if word.startswith(("-chdir=", "--chdir=", "--working-dir="))
    ]
    for place in places(step, steps, folder, home):
        found = _found_below(os.path.normpath(os.path.join(place, *moves)))
        if found:
            return found
    return ""


def _found_below(folder: str) -> str:
    """The first file below `folder`, or below a module that it names, that starts a program."""
    waiting, seen, left = [folder], set[str](), MOST_BYTES
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        for file in _files(place):
            content = _content(file)
            # More than can be looked at may hold anything, and so may a pipe, once somebody writes to it.
            if content is None:
                return file
            left -= len(content)
            if left < 0 or len(seen) > MOST_FILES or STARTS.search(content):
                return file
            sources = (found[1].decode("utf-8", "replace") for found in SOURCE.finditer(content))
            waiting += [os.path.normpath(os.path.join(os.path.dirname(file), each)) for each in sources]
    return ""


def _files(folder: str) -> Iterator[str]:
    count = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > MOST_FILES * 10:
                return
            if name.endswith(FILES):
                yield os.path.join(place, name)


def _content(file: str) -> bytes | None:
    """As much as is looked at; None for what is there and no file."""
    try:
        with open_regular(Path(file)) as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        return None if is_other(error) else b""
    except ValueError:
        return b""
