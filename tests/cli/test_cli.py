"""The verbs, their exit codes, and what they print where."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.main import get_command

from desktop import __version__
from desktop.app.single_question import Allow, AllowAsker
from desktop.asking import CommandView, NetworkUse, Question, Risk
from desktop.cli import _clicked, app
from desktop.models.catalogue import load_catalogue
from tests.cli.conftest import ROOT, Steward
from tests.fakes.failures import spoken


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nonsense"], 2, "No such command"),
        (["--log-format", "xml", "doctor"], 2, "console or json"),
        (["ask", "hello"], 4, "No model is installed"),
        (["chat"], 4, "models get --recommended"),
        (["ask", "--model", "nothing", "hi"], 4, "no model called nothing"),
        (["models", "get"], 1, "--recommended"),
        (["models", "remove", "nothing"], 4, "nothing"),
        (["models", "verify", "nothing"], 4, "nothing"),
        (["models", "import", "/does/not/exist.gguf"], 1, "/does/not/exist.gguf"),
        (["ask", "--prompt-file", "/does/not/exist"], 1, "/does/not/exist"),
        (["memory", "add", "caf\udce9"], 1, "caf\\udce9 is not text in UTF-8"),
        (["addons", "add", "x" * 3000], 1, "so long a name"),
        (["undo", "99999999999999999999"], 1, "99999999999999999999 is too large"),
        (["mcp", "import", "/dev/zero"], 1, "it is no file"),
        (["mcp", "call", "server", "tool", "[" * 100_000], 1, "recursion"),
        (["mcp", "log", "a" * 5000], 1, "aaa…."),
        (["mcp", "log", "\x1b[31m"], 1, r"\x1b[31m"),
        (["memory", "forget", "²"], 1, "Nothing"),
        (["memory", "forget", "9" * 5000], 1, "Nothing"),
        (["projects", "add", "Boat", "--folder", "x" * 3000], 1, "xxx… is not an existing folder"),
        (["schedules", "add", "0001-01-01", "what is new"], 1, "too far away"),
        (["ask", "--prompt-file", "/dev/zero"], 1, "File too large"),
        (["memory", "export", "/dev/null"], 1, "it is no file"),
    ],
)
def test_a_failure_is_a_sentence_and_a_code(
    steward: Steward, arguments: list[str], code: int, said: str
) -> None:
    """Nothing on stdout, words on stderr without a traceback, and the documented exit code."""
    done = steward(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_only_what_starts_the_app_answers_in_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb in a script says on stderr why it failed: a box would wait for somebody to close it."""
    monkeypatch.setenv("DISPLAY", ":1")
    assert not sys.stderr.isatty()
    verbs = get_command(app).commands  # type: ignore[attr-defined] # a group
    boxes = [verb for verb in verbs if _clicked(["--profile", "p", verb])]
    assert sorted(boxes) == ["run", "toggle-quick-ask"]
    assert _clicked([])


def test_a_verb_loads_no_other_verb() -> None:
    """Neither do the app, which is started without one, and a word that is no verb."""
    script = (
        "import sys\n"
        "from desktop.cli import VERBS, main\n"
        "def loaded():\n"
        "    return sorted({module for place in VERBS.values()\n"
        "                   if f'desktop.cli.{(module := place.split(chr(46))[0])}' in sys.modules})\n"
        "print(main(['--nothing']), main(['modles']), loaded(), main(['models', '--help']), loaded())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("Usage: steward models")
    assert done.stdout.splitlines()[-1] == "2 2 [] 0 ['models']"
    assert "Did you mean 'models'?" in done.stderr


def test_version_imports_nothing_heavy() -> None:
    """`steward --version` answers from the package alone."""
    script = (
        "import sys; sys.argv = ['steward', '--version']\n"
        "from desktop.__main__ import main; main()\n"
        "heavy = {'typer', 'pydantic', 'structlog', 'PySide6', 'llama_cpp', 'numpy', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"steward {__version__}\n[]\n"


@pytest.mark.parametrize("verb", [["models", "list"], ["doctor"]])
def test_listing_verbs_import_neither_qt_nor_llama_nor_an_agent_nor_an_http_client(
    verb: list[str], tmp_path: Path
) -> None:
    """What a verb does not need is not imported."""
    script = (
        "import sys\n"
        "from desktop.__main__ import main\n"
        f"sys.argv = ['steward', '--profile', {str(tmp_path)!r}, *{verb!r}]\n"
        "main()\n"
        "heavy = {'PySide6', 'llama_cpp', 'httpx', 'rich', 'pygments', 'desktop.agents.agent'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_models_list_says_size_speed_and_use_of_each(steward: Steward) -> None:
    """Two whole lines for each model: size and words a second, reckoned where they are not known, whether it
    fits, and what it is good at."""
    offered = steward("models", "list").stdout.split("steward models get NAME`:\n")[1].splitlines()
    facts, uses = offered[::2], offered[1::2]
    assert len(facts) == len(uses) == len(load_catalogue().entries)
    for line, use in zip(facts, uses, strict=True):
        assert re.search(r"^  \S+ +(?:≈ )?[\d.]+ [MG]B +≈ [\d.]+ words/s +\S.*; \S.*\w$", line), line
        assert re.search(r"^ {23}\S", use), use


def test_models_list_json_names_what_can_be_had(steward: Steward) -> None:
    """Scripts get ids, sizes and exactly one recommendation."""
    listing = json.loads(steward("models", "list", "--json").stdout)
    assert listing["installed"] == []
    available = {model["id"]: model for model in listing["available"]}
    assert available["qwen2.5-coder-1.5b"]["size_bytes"] == 1_117_320_768
    assert [m["id"] for m in available.values() if m["recommended"]] != []


def test_doctor_says_what_is_missing_and_what_to_do(steward: Steward) -> None:
    """A profile without a model gets a report with advice, as text and as JSON."""
    checks = {check["name"]: check for check in json.loads(steward("doctor", "--json").stdout)}
    assert checks["Models"]["verdict"] == "missing"
    assert "models get" in checks["Models"]["advice"]
    text = steward("doctor").stdout
    assert all(name in text for name in checks)


def test_an_import_is_by_reference_and_survives_removal(steward: Steward, tmp_path: Path) -> None:
    """A file that is no model is refused, named and left alone."""
    file = tmp_path / "notes.gguf"
    file.write_bytes(b"just some notes")
    done = steward("models", "import", str(file))
    assert done.returncode == 1
    assert "notes.gguf" in done.stderr
    assert file.read_bytes() == b"just some notes"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes and circles among its files")
@pytest.mark.parametrize("kind", ["pipe", "circle", "folder"])
def test_what_is_no_file_is_no_model(steward: Steward, tmp_path: Path, kind: str) -> None:
    """It is told at once: nobody writes to that pipe, and the links end nowhere."""
    odd = tmp_path / "odd.gguf"
    {"pipe": os.mkfifo, "circle": lambda path: path.symlink_to(path), "folder": Path.mkdir}[kind](odd)
    done = steward("models", "import", str(odd))
    assert done.returncode == 1
    assert "odd.gguf cannot be used as a model" in done.stderr
    assert "time or memory" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
def test_nothing_that_others_wrote_acts_on_the_terminal(steward: Steward, tmp_path: Path) -> None:
    """A name with a sequence of the terminal is spelled out there; a pipe gets it as it is."""
    import pty

    name = "\x1b[8mBoat"
    piped = steward("projects", "add", name)
    assert piped.returncode == 0
    assert name in piped.stdout
    reader, terminal = pty.openpty()
    words = [sys.executable, "-m", "desktop", "--profile", str(tmp_path / "profile"), "projects", "list"]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=terminal) as listing:
        os.close(terminal)
        with os.fdopen(reader, "rb", buffering=0) as seen:
            shown = seen.read(10_000)
    assert listing.returncode == 0
    assert b"\\x1b[8mBoat" in shown
    assert b"\x1b" not in shown


@pytest.mark.model
def test_ask_prints_the_answer_alone(steward: Steward, with_model: Path) -> None:
    """The answer of the real model is on stdout; a question from a pipe and a word on the line are joined."""
    done = steward("ask", "Answer briefly:", stdin="What colour is the sky?")
    assert done.returncode == 0
    assert done.stdout.strip()
    assert "tok/s" not in done.stdout


@pytest.mark.model
def test_ask_json_has_answer_model_and_figures(steward: Steward, with_model: Path) -> None:
    """Scripts get the whole answer with its metrics."""
    answer = json.loads(steward("ask", "--json", "--model", str(with_model), "Say hello.").stdout)
    assert answer["answer"].strip()
    assert answer["finish"] in ("stop", "length")
    assert answer["metrics"]["answer_tokens"] > 0
    assert answer["metrics"]["prompt_tokens"] > 20
    assert isinstance(answer["calls"], list)


@pytest.mark.model
def test_ask_uses_what_is_remembered_unless_told_not_to(steward: Steward, with_model: Path) -> None:
    """The JSON says which memories were told, and in how many tokens; the question itself is not kept."""
    steward("memory", "add", "my dentist is Dr. Okafor")
    question = ("ask", "--json", "--model", str(with_model), "Who is my dentist?")
    told = json.loads(steward(*question).stdout)["memory"]
    assert "Dr. Okafor" in told["text"]
    assert (len(told["ids"]), told["tokens"] > 0) == (1, True)
    assert json.loads(steward(*question, "--no-memory").stdout)["memory"]["ids"] == []
    assert json.loads(steward("memory", "stats", "--json").stdout)["episodes"] == 0


@pytest.mark.model
def test_the_system_prompt_is_within_200_tokens(
    steward: Steward, with_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instructions and the template around them leave the context to the conversation."""
    monkeypatch.setenv("STEWARD_CHAT__TOOLS", "false")
    answer = json.loads(steward("ask", "--json", "Hi").stdout)
    assert answer["metrics"]["prompt_tokens"] <= 200  # with the question and the template around them


@pytest.mark.parametrize(
    ("allow", "risk", "outside", "allowed"),
    [
        ("none", Risk.READS, True, False),
        ("none", Risk.CHANGES, False, False),
        ("read", Risk.READS, True, True),
        ("read", Risk.CHANGES, False, False),
        ("workspace", Risk.CHANGES, False, True),
        ("workspace", Risk.DELETES, False, True),
        ("workspace", Risk.CHANGES, True, False),
        ("workspace", Risk.RUNS, False, False),
        ("workspace", Risk.SENDS, False, False),
    ],
)
def test_allow_says_what_happens_without_a_person(
    allow: str, risk: Risk, outside: bool, allowed: bool
) -> None:
    """Nothing that changes by default; commands and sending never."""
    question = Question(spoken("Do it?"), spoken("Does it."), risk, "a.txt", outside=outside, network=None)
    assert AllowAsker(Allow(allow)).ask(question).allowed is allowed
    may = replace(question, risk=Risk.READS, network=NetworkUse.MAY)
    assert not AllowAsker(Allow(allow)).ask(may).allowed
    # Whatever a command is read as, it may do more.
    command = replace(question, command=CommandView(risk.name), network=NetworkUse.MAY)
    assert not AllowAsker(Allow(allow)).ask(command).allowed
