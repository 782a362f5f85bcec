"""Whatever is put around a command, its verdict never becomes milder; every text gets one."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate, Verdict
from desktop.paths import resources
from tests.gate.shell.test_hidden import rows

COMMANDS = (
    "ls -la",
    "cat notes.txt",
    "git status",
    "rm -rf build",
    "touch a",
    "mv a b",
    "sort -o out in",
    "find . -delete",
    "git push --force",
    "sed -i s/a/b/ f",
    "curl -d x=1 https://example.com",
    "python x.py",
    "./run.sh",
    "kill 1",
    "awk '{print > \"o\"}' in",
    "tee out",
    "echo hi",
    "grep -r x .",
    "npm install",
    "docker rm web",
    "cat ~/.ssh/id_rsa",
    "psql -c 'DROP TABLE t'",
    "dd if=a of=b",
    "kubectl get pods",
    "python -c 'print(1)'",
    "unknown-tool --flag",
)
PREFIXES = (
    "true; ",
    "true && ",
    "A=1 ",
    "time ",
    "sudo ",
    "nice ",
    "env ",
    "env A=1 ",
    "nohup ",
    "timeout 5 ",
    "! ",
    "stdbuf -oL ",
    "command ",
    "cd /tmp && ",
    "# note\n",
    "ls | xargs -n1 echo; ",
    "if true; then :; fi; ",
)
SUFFIXES = (
    "",
    "; true",
    " && true",
    " || true",
    " | cat",
    " 2>&1",
    " 2>/dev/null",
    " &",
    "\n",
    " # note",
    " | head -1",
)
AROUND = (
    "{}",
    "({})",
    "{{ {}; }}",
    "if true; then {}; fi",
    "while false; do {}; done",
    "for i in 1; do {}; done",
    "echo $({})",
    'echo "$({})"',
    "cat <({})",
    "case a in a) {};; esac",
    "f() {{ {}; }}; f",
    "! {}",
)
INSIDE = (
    "bash -c {}",
    "sh -lc {}",
    "eval {}",
    "sudo bash -c {}",
    "env -S {}",
    "ssh host {}",
    "docker exec web sh -c {}",
    "xargs -I% sh -c {}",
    "find . -exec sh -c {} \\;",
    "watch {}",
    "trap {} EXIT",
    "flock l -c {}",
)

commands = st.sampled_from(COMMANDS)
quick = settings(max_examples=150, deadline=None)


@cache
def judge() -> Classifier:
    return Classifier(Tables(resources() / "commands"), remember=False)


def verdict(command: str) -> Verdict:
    return judge().classify(command, "bash")


def is_not_milder(after: Verdict, before: Verdict) -> bool:
    """What cannot be read is asked about, which is as good as the worst class."""
    allows_more = after.gate is Gate.ALLOW and before.gate is not Gate.ALLOW
    return (after.effect >= before.effect or after.tier == 1) and not allows_more


@quick
@given(st.lists(st.sampled_from(PREFIXES), max_size=4), commands, st.sampled_from(SUFFIXES))
def test_prefixes_and_suffixes(prefixes: list[str], command: str, suffix: str) -> None:
    """Harmless parts before and after take nothing away."""
    whole = "".join(prefixes) + command + suffix
    assert is_not_milder(verdict(whole), verdict(command)), whole


@quick
@given(st.lists(st.sampled_from(AROUND), min_size=1, max_size=3), commands)
def test_wrapping(forms: list[str], command: str) -> None:
    """Groups, branches, loops, functions and substitutions are looked into."""
    whole = command
    for form in forms:
        whole = form.format(whole)
    assert is_not_milder(verdict(whole), verdict(command)), whole


@quick
@given(st.lists(st.sampled_from(INSIDE), min_size=1, max_size=3), commands)
def test_text_for_another_shell(forms: list[str], command: str) -> None:
    """A command that is handed on as text is judged like one that stands there."""
    whole = command
    for form in forms:
        whole = form.format(shlex.quote(whole))
    assert is_not_milder(verdict(whole), verdict(command)), whole


def requote(word: str, how: list[int]) -> str:
    """The same word in other quotes, letter by letter."""
    styles = (
        lambda c: c if c.isalnum() else f"'{c}'",
        lambda c: f"'{c}'",
        lambda c: f'"{c}"',
        lambda c: f"\\{c}",
        lambda c: f"$'\\x{ord(c):02x}'",
    )
    return "".join(styles[how[i % len(how)]](c) if c != "'" else '"\'"' for i, c in enumerate(word))


@quick
@given(commands, st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_quoting(command: str, how: list[int]) -> None:
    """Quotes, escapes and hexadecimal spell the same words."""
    words = shlex.split(command)
    whole = " ".join(requote(word, how) for word in words)
    plain = " ".join(shlex.quote(word) for word in words)
    assert is_not_milder(verdict(whole), verdict(plain)), whole


@quick
@given(commands, commands, st.sampled_from((" ; ", " && ", " || ", " | ", "\n", " & ", " |& ")))
def test_composing(first: str, second: str, joint: str) -> None:
    """Two commands are at least as severe as each of them."""
    whole = verdict(first + joint + second)
    assert is_not_milder(whole, verdict(first))
    assert is_not_milder(whole, verdict(second))


PIECES = (
    "ls",
    "rm",
    "x",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "|",
    "&",
    ";",
    "\n",
    "<",
    ">",
    "<<E",
    "E",
    "{",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "case",
    "in",
    "esac",
    "do",
    "done",
    "for",
    "while",
    "$",
    "${x",
    "!",
    "*",
    "=",
    "a=",
    "a=(",
    "-c",
    " ",
    "#",
    "é",
    "\t",
    "<(",
    "$'",
    "~",
    "0",
    "2>&1",
    ",",
    "..",
    "eval",
    "bash -c",
)
soup = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(soup | st.text(max_size=60), st.sampled_from(("bash", "powershell", "cmd", None)))
def test_every_text_gets_a_verdict(text: str, shell: str | None) -> None:
    """Nothing that can be typed makes it fail, and what cannot be read is not allowed."""
    found = judge().classify(text, shell)
    assert isinstance(found.effect, Effect)
    assert 0 <= found.span[0] <= found.span[1] <= len(text)
    if found.tier == 1:
        assert found.gate is Gate.ASK


LINES = (*rows("look_alikes.txt"), *rows("hidden_writes.txt"), *rows("proven_lines.txt"))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A line of the tests, cut, pieced and joined with another."""
    text = draw(st.sampled_from(LINES))
    for _ in range(draw(st.integers(1, 4))):
        place, cut = draw(st.integers(0, len(text))), draw(st.integers(0, 5))
        other = draw(st.sampled_from(LINES))
        start = draw(st.integers(0, len(other)))
        piece = draw(st.sampled_from(("", "cd x && ", *PIECES, other[start : start + 40])))
        text = text[:place] + piece + text[place + cut :]
    return text


@settings(max_examples=400, deadline=None)
@given(mutated(), st.sampled_from(("bash", None)))
def test_every_mutation_of_a_line_gets_a_verdict(text: str, shell: str | None) -> None:
    """No error hides in the readers of inline code, tables and handlers."""
    assert isinstance(judge().classify(text, shell, "/home/u/app").effect, Effect)


@pytest.mark.parametrize(
    "command", ["python3 -c \"'a'.replace('a', '')\"", "cat ''", "node -e 'require(``)'"]
)
def test_an_empty_path_behind_cd(command: str) -> None:
    """A file without a name is nowhere, also where the line has gone into a folder."""
    assert isinstance(verdict(f"cd sub && {command}").effect, Effect)


# Harmless lines with `rm x` in them as data; a random change may set it free.
SEEDS = rows("bash_seeds.txt")
STUBS = "rm() { echo RAN >&9; }; cat() { :; }; ls() { :; }; x() { :; }; command_not_found_handle() { :; }; "


@st.composite
def changed(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 2))
        text = text[:place] + draw(st.sampled_from(("", *PIECES))) + text[place + cut :]
    return text


@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="bash itself is the judge here")
@settings(max_examples=250, deadline=None)
@given(changed())
def test_what_bash_runs_is_seen(text: str) -> None:
    """bash runs the allowed ones, with stubs for programs: neither does `rm` run nor does a file appear."""
    if verdict(text).gate is not Gate.ALLOW:
        return
    with tempfile.TemporaryDirectory() as folder:
        assert not ran_or_wrote(text, Path(folder)), text


def ran_or_wrote(text: str, folder: Path) -> bool:
    """Run a line where no program exists; tell whether `rm` was called or a file was made."""
    told, telling = os.pipe()
    command = ["bash", "-c", f'exec 9>&{telling}; {STUBS} eval "$1"', "bash", text]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {"PATH": "/nonexistent"}
    bash = shutil.which("bash") or "bash"
    with open(told, "rb") as reader:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [bash, *command[1:]], cwd=folder, env=environment, pass_fds=(telling,), timeout=2, **quiet
            )
        os.close(telling)
        return bool(reader.read(1)) or any(folder.iterdir())
