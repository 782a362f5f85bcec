"""Builtins of the shell: options and variables that run code ask, the usual ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate

HERE = Path(__file__).parent
FOLDER = "/home/u/app"

ASKED = (
    "mapfile -C 'rm x #' -c 1 a < f",
    "readarray -C 'rm x #' a < f",
    "compgen -C 'rm x' y",
    "compgen -W '$(rm x)'",
    "compgen -F f y",
    "complete -C 'rm x' ls",
    "hash -p /bin/rm ls; ls x",
    "enable -n echo",
    "enable -f ./x.so y",
    "bind -x '\"a\": rm x'",
    "jobs -x rm x",
    "set -k",
    "set -o history -H",
    "shopt -s extdebug",
    "bash -n +n",
    "bash +n f",
    "bash --rcfile f -i -c :",
    "bash --init-file f",
    "bash -o history f",
    "echo rm x | bash -s",
    "set",
    "set | head",
    "declare -p",
    "export -p",
    "export $(cat f)",
    'f() { export "$1"; }; f PATH=.; ls',
)
ALLOWED = (
    "set -euo pipefail; ls",
    "set -x; set +x",
    "set -- a b",
    "shopt -s nullglob globstar; ls",
    "read -r line < f",
    "read -rp 'name: ' x",
    "mapfile -t lines < f",
    "compgen -A function",
    "compgen -c",
    "hash -r",
    "type -a ls",
    "unset x",
    "wait -n",
    "jobs -l",
    "bash -n script.sh",
    "bash -euo pipefail -c 'ls'",
    "bash -lc 'ls'",
    "bash --norc -c ls",
    "bash --version",
)
VARIABLES = (
    "GIT_TRACE=$PWD/f git status",
    "GIT_TRACE2_EVENT=/tmp/f git status",
    "GIT_ALLOW_PROTOCOL=ext git ls-remote o",
    "GIT_EXTERNAL_DIFF=rm git diff",
    "HOME=. git log",
    "LESS=-of less a",
    "GOFLAGS=-toolexec=./x go vet",
    "BASHOPTS=extdebug ls",
    "PYTHONINSPECT=1 python3 -c 1",
    "export NODE_OPTIONS=--require=./x.js; node -p 1",
    "npm_config_script_shell=./x npm ls",
    "PS4='$(rm x)'; set -x; :",
    "PS1='$(rm x)' bash -i -c :",
    "SHELL=./x watch ls",
    "DOTNET_STARTUP_HOOKS=x.dll dotnet --info",
    "for LD_PRELOAD in ./x.so; do ls; done",
    "read PATH <<< .; ls",
)
PLAIN_VARIABLES = (
    "GIT_PAGER=cat git log",
    "GIT_TRACE=1 git status",
    "GIT_TERMINAL_PROMPT=0 git status",
    "PYTHONUNBUFFERED=1 python3 -c 'print(1)'",
    "NODE_ENV=test node -p 1",
    "CI=1 NO_COLOR=1 ls",
    "LESS=-R git log",
    "LC_ALL=C sort f",
    "X=1; echo $X",
)


@pytest.mark.parametrize("command", ASKED + VARIABLES)
def test_what_runs_code_is_asked_about(classifier: Classifier, command: str) -> None:
    """An option, a variable or a name that is not known to be harmless."""
    assert classifier.classify(command, "bash").gate is Gate.ASK


@pytest.mark.parametrize("command", ALLOWED + PLAIN_VARIABLES)
def test_the_usual_ones_are_reads(classifier: Classifier, command: str) -> None:
    """Options and variables that are written every day."""
    verdict = classifier.classify(command, "bash")
    assert verdict.gate is Gate.ALLOW, verdict.reason


@pytest.mark.parametrize(
    ("command", "gate"),
    [
        ("git log --help", Gate.ALLOW),
        ("uv run --help", Gate.ALLOW),
        ("frobnicate --version", Gate.ALLOW),
        ("rm --help", Gate.ALLOW),
        ("sudo rm --help", Gate.ALLOW),
        ("npx eslint --version", Gate.ALLOW),
        ("uv run x.py --help", Gate.ASK),
        ("uv run rm --help", Gate.ASK),
        ("go run x.go --help", Gate.ASK),
        ("npx frobnicate --version", Gate.ASK),
        ("pnpm dlx frobnicate --help", Gate.ASK),
        ("deno run x.ts --help", Gate.ASK),
        ("docker exec web frobnicate --help", Gate.ASK),
        ("mise exec -- frobnicate --help", Gate.ASK),
        ("npm run build --help", Gate.ASK),
        ("cargo frobnicate --help", Gate.ASK),
        ("java -jar x.jar --version", Gate.ASK),
        ("tsx x.ts --help", Gate.ASK),
        ("just build --help", Gate.ASK),
        ("bash x.sh --version", Gate.ASK),
        ("./x --help", Gate.ASK),
    ],
)
def test_help_counts_for_a_program_itself(classifier: Classifier, command: str, gate: Gate) -> None:
    """Behind a runner it is an option of what is run."""
    assert classifier.classify(command, "bash").gate is gate


def rows(name: str) -> list[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


def test_a_value_is_judged_however_it_is_given(classifier: Classifier) -> None:
    """By `${x:=…}`, `printf -vx`, `getopts`, `=~`, `eval`, or put together."""
    table = rows("given_values.txt")
    assert len(table) >= 38
    assert [row for row in table if classifier.classify(row, "bash", FOLDER).gate is Gate.ALLOW] == []


def test_values_that_nothing_obeys_pass(classifier: Classifier) -> None:
    """And folders that are put in front of the others."""
    table = rows("given_values_twins.txt")
    assert len(table) >= 19
    assert [row for row in table if classifier.classify(row, "bash", FOLDER).gate is not Gate.ALLOW] == []
