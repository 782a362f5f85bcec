"""How long texts are read: data may be long, code may not, and the work stays linear."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator

import pytest

import desktop.gate
from desktop.gate.shell.classifier import Classifier, shells_of
from desktop.gate.shell.parser import code_of_bash
from desktop.gate.verdict import Effect, Gate

PROSE = 'It\'s a line of text with `ticks`, $(dollars), "quotes" and more; rm -rf / is only told about.\n'


def test_a_long_document_that_is_written_is_a_creation(classifier: Classifier) -> None:
    """What a here-document writes is data, and the path is told so that a copy can be kept."""
    verdict = classifier.classify(f"cat > docs/plan.md <<'EOF'\n{PROSE * 900}EOF\n", "bash")
    assert (verdict.effect, verdict.touched) == (Effect.CREATE, ("docs/plan.md",))


@pytest.mark.parametrize(
    "command",
    [
        f"cat >> notes.md <<'END OF TEXT'\n{PROSE * 50}END OF TEXT",
        f"mkdir -p a && cat > a/b.py <<\\EOF && ls a\n{PROSE * 50}EOF\n",
        f"git commit -m \"$(cat <<'EOF'\n{PROSE * 50}EOF\n)\"",
        "git commit -m '" + "A long text, (with) brackets; and so on. | & " * 100 + "'",
        'gh issue create --title x --body "' + "A long text, (with) brackets; and so on. | & " * 100 + '"',
        "cat > a <<EOF\n" + "a long text with one $variable\n" * 150 + "EOF\n",
        f"tee a b <<'EOF' >/dev/null\n{PROSE * 50}EOF\n",
        "# " + "a long comment " * 300 + "\ntouch a",
    ],
)
def test_long_data_is_read_like_short_data(classifier: Classifier, command: str) -> None:
    """Bodies, strings and comments do not count as code."""
    assert classifier.classify(command, "bash").effect in (Effect.CREATE, Effect.UPDATE)


@pytest.mark.parametrize(
    "command",
    [
        f"cat > a <<'EOF'\n{PROSE * 50}EOF\nrm -r b",
        f"cat <<'EOF'\n{PROSE * 50}EOF\n; rm -r b",
        f"cat <<EOF\n{'text ' * 900}$(rm -r b)\nEOF\n",
        f"cat <<A <<B\n{'text ' * 900}\nA\n$(rm -r b)\nB\n",
        f"echo '{'text ' * 900}' \"$(rm -r b)\"",
        f'echo "{"text " * 900}`rm -r b`"',
        f"bash <<'EOF'\n{'# a comment' * 300}\nrm -r b\nEOF\n",
        f"# {'text ' * 900}\nrm -r b",
        f"cat <<'EOF' {'text ' * 30}\n{PROSE * 50}EOF \nEOF\nrm -r b\n",
    ],
)
def test_code_beside_long_data_is_found(classifier: Classifier, command: str) -> None:
    """Length hides nothing."""
    assert classifier.classify(command, "bash").effect in (Effect.DELETE, Effect.UNKNOWN)


@pytest.mark.parametrize(
    "command",
    [
        "ls; " * 600,
        "ls\n" * 900,
        'echo "$(ls)" ' * 300,
        f"cat <<EOF\n{'$(ls) ' * 500}\nEOF\n",
        "a" * 100_001,
        "<<A\n" * 9000,
    ],
)
def test_much_code_is_asked_about_unread(classifier: Classifier, command: str) -> None:
    """More than 2,000 characters of code, or 100,000 of any kind, are too many."""
    verdict = classifier.classify(command, "bash")
    assert (verdict.gate, verdict.effect) == (Gate.ASK, Effect.UNKNOWN)


def test_what_is_kept_of_a_text() -> None:
    """Data goes, what may run stays."""
    assert "rm" not in code_of_bash("cat <<'E'\nrm x\nE\necho 'rm' # rm", 2000)
    assert code_of_bash('echo "a $(rm x) b"', 2000).count("rm x") == 1
    assert "rm x" in code_of_bash("cat <<E\n$(rm x)\nE\n", 2000)


@pytest.mark.parametrize(
    "command", ["git commit -m 'x\n\nCo-Authored-By: A <a@example.com>'", "cat <<E\nSigned-Off-By\nE"]
)
def test_a_trailer_is_no_cmdlet(command: str) -> None:
    """Such a commit was taken for PowerShell, whose grammar could not read it."""
    assert shells_of(command) == ["bash"]


@pytest.mark.parametrize(
    "command", ["Remove-Item x", "ls\n  Get-Item x", "$x = 1", "$env:A", "[IO.File]::Delete('x')"]
)
def test_cmdlets_are_seen(command: str) -> None:
    """Where no shell is named, PowerShell must find the line harmless too."""
    assert shells_of(command) == ["bash", "powershell"]


def patterns() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Every compiled pattern at the top of a module of the gate, in the way in which it is used."""
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(desktop.gate.__path__, "desktop.gate.")
    ]
    source = "\n".join(inspect.getsource(module) for module in modules)
    searching = set(re.findall(r"\b(\w+)\.(?:search|sub|split|find\w+)\b", source))
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield f"{module.__name__}.{name}", value.search if name in searching else value.fullmatch


PATTERNS = dict(patterns())
# Runs of what patterns repeat: each is tried alone, and in front of what no pattern ends with.
RUNS = [
    *[
        "a",
        "A",
        "1",
        " ",
        "\n",
        "\t",
        ".",
        "-",
        "/",
        "=",
        "'",
        '"',
        "(",
        "$",
        "\\",
        "a ",
        "a.",
        "a-",
        "./",
        "../",
        "a=",
        "-a",
    ],
    *[
        "$a",
        "/*",
        "--",
        "(a",
        "a,",
        "A-",
        "%a",
        "''",
        '""',
        "\\a",
        "a\n",
        "=a ",
        "-key.",
        "$a$",
        " /a",
        "a:",
        "@",
        "Aa-",
        "{a",
        "[a",
    ],
]


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_the_square_of_the_length(name: str) -> None:
    """Four times the text costs about four times the steps, of a pattern that costs anything to speak of."""
    finds = PATTERNS[name]
    for run in RUNS:
        short, long = ((run * size)[:size] + "\0" for size in (3_000, 12_000))
        # What other programs do to a time is no matter of the pattern: one good look of three is enough.
        looks = ((_spent_s(finds, short), _spent_s(finds, long)) for _ in range(3))
        assert any(_is_linear(*look) for look in looks), run


def _is_linear(short_s: float, long_s: float) -> bool:
    return long_s < 0.02 or long_s < 9 * short_s


def _spent_s(finds: Callable[[str], object], text: str) -> float:
    started_s = time.thread_time()
    finds(text)
    return time.thread_time() - started_s
