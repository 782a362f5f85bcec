"""`steward extensions` through the real command line, in a profile of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.app import build_core
from desktop.cli import main
from desktop.extensions.chain import About
from desktop.extensions.manifest import Hook
from desktop.extensions.process import can_confine
from desktop.paths import Paths
from tests.cli.conftest import Steward
from tests.extensions.world import package

pytestmark = pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp")


class Line:
    """Types lines; `said` is what stdout had since the last one."""

    def __init__(self, profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.profile, self._capsys = profile, capsys
        self.complaint = ""

    def __call__(self, *words: str, code: int = 0) -> str:
        assert main(["--profile", str(self.profile), "extensions", *words]) == code
        said = self._capsys.readouterr()
        self.complaint = said.err
        return said.out


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(tmp_path / "profile", capsys)


def test_from_a_skeleton_to_a_removed_extension(line: Line, tmp_path: Path) -> None:
    """Every verb, once, in the order in which an author meets them."""
    folder = tmp_path / "my-first"
    assert "extension.toml" in line("new", str(folder))
    assert line("test", str(folder)).count("✓") == 2
    told = line("install", str(folder), "--yes")
    assert "Reads answers" in told
    assert "It cannot open your files" in told
    assert "my-first is on." in told
    line("install", "units", "--yes")
    assert line("order", "units", "my-first") == "units → my-first\n"
    assert line("on", "my-first", "--set", "sign=*") == "my-first is on.\n"
    assert line("off", "my-first") == "my-first is off.\n"
    known = json.loads(line("list", "--json"))
    assert [(each["id"], each["status"]) for each in known["installed"]] == [
        ("units", "on"),
        ("my-first", "off"),
    ]
    assert known["installed"][1]["settings"] == {"sign": "*"}
    assert known["shipped"] == ["expand", "table"]
    assert json.loads(line("log", "my-first", "--json")) == []
    assert line("remove", "my-first", "--yes") == "my-first was removed.\n"
    assert "my-first" not in line("list")


def test_an_update_tells_what_is_new_before_it_is_on_again(line: Line, tmp_path: Path) -> None:
    """`on` asks for a yes; without one it stays off."""
    code = "def on_plain_text(text, context):\n    return text\n"
    line("install", str(package(tmp_path / "demo", code)), "--yes")
    newer = package(tmp_path / "newer" / "demo", code, version="2.0", permissions='hosts = ["a.example.org"]')
    told = line("install", str(newer), "--yes")
    assert "+ May send what it has read to a.example.org" in told
    assert "+ Reads answers" not in told


LOUD = "def on_llm_output(text, context):\n    return text + ' (loud)'\n"
POLITE = "def on_input_messages(text, context):\n    return text + ' Please.'\n"
HUNG = "import time\n\ndef on_llm_output(text, context):\n    time.sleep(600)\n"


def installed(steward: Steward, folder: Path, code: str, hook: str) -> None:
    done = steward("extensions", "install", str(package(folder, code, (hook,))), "--yes")
    assert done.returncode == 0, done.stderr


@pytest.mark.model
def test_the_terminal_tells_what_was_changed(steward: Steward, with_model: Path, tmp_path: Path) -> None:
    """Beside the answer, on stderr: what comes out of a pipe are the model's own words."""
    installed(steward, tmp_path / "polite", POLITE, "on_input_messages")
    installed(steward, tmp_path / "loud", LOUD, "on_llm_output")
    done = steward("ask", "Who wrote this song?")
    assert "Changed by polite; the model was told: Who wrote this song? Please.\n" in done.stderr
    told = done.stderr.partition("Changed by loud:\n")[2]
    assert "(loud)" in told
    assert done.stdout.strip()
    assert "(loud)" not in done.stdout
    answer = json.loads(steward("ask", "--json", "Who wrote this song?").stdout)
    assert answer["extensions"]["question"] == {"by": ["polite"], "text": "Who wrote this song? Please."}
    assert answer["extensions"]["answer"] == {"by": ["loud"], "text": f"{answer['answer']} (loud)"}
    talked = steward("chat", stdin="Who wrote this song?\nquit\n")
    assert "Changed by polite; the model was told" in talked.stderr
    assert "Changed by loud:" in talked.stderr
    assert "(loud)" not in talked.stdout


@pytest.mark.model
def test_the_terminal_does_not_wait_for_one_that_hangs(
    steward: Steward, with_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends, with the answer and without a word of the extension."""
    monkeypatch.setenv("STEWARD_CHAT__EXTENSION_TIMEOUT_S", "1")
    installed(steward, tmp_path / "hung", HUNG, "on_llm_output")
    done = steward("ask", "--json", "Who wrote this song?")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["answer"]
    assert answer["extensions"] == {"question": None, "answer": None}


def test_what_fails_is_a_sentence_and_an_exit_code(line: Line, tmp_path: Path) -> None:
    """A recorded call that comes out otherwise, a name that nobody has, a package that is none."""
    folder = tmp_path / "wrong"
    line("new", str(folder))
    calls = folder / "calls.toml"
    calls.write_text(calls.read_text("utf-8").replace('"Hello. ~"', '"Hello!"'), encoding="utf-8")
    assert "expected 'Hello!'" in line("test", str(folder), code=1)
    line("remove", "nobody", "--yes", code=1)
    assert "No extension called nobody is installed." in line.complaint
    line("install", str(tmp_path / "missing.zip"), "--yes", code=1)
    assert "neither a folder nor a readable zip file" in line.complaint
    line("on", "nobody", code=1)


COUNTS = """
def on_llm_output(text, context):
    seen = context.state.get("seen", 0) + 1
    context.state.put("seen", seen)
    return f"{text} {seen}{context.settings['sign']}"
"""


def shown_by(profile: Path) -> str:
    """What the extensions of a profile make of an answer."""
    core = build_core(Paths.under(profile))
    try:
        return core.extensions.run(Hook.OUTPUT, "Said.", About()).text
    finally:
        core.close()


def test_a_backup_has_extensions_with_what_they_keep_and_purge_takes_all(line: Line, tmp_path: Path) -> None:
    """Restored on another computer it is on, agreed to, set as before, and counts on; purged it is gone."""
    more = '[[settings]]\nname = "sign"\ndefault = "~"\n'
    line("install", str(package(tmp_path / "counts", COUNTS, ("on_llm_output",), more=more)), "--yes")
    line("on", "counts", "--set", "sign=*")
    profile, other, kept = line.profile, tmp_path / "other", str(tmp_path / "kept.zip")
    assert [shown_by(profile) for _ in range(2)] == ["Said. 1*", "Said. 2*"]
    assert main(["--profile", str(profile), "backup", kept]) == 0
    assert main(["--profile", str(other), "restore", kept, "--yes"]) == 0
    assert shown_by(other) == "Said. 3*"
    assert main(["--profile", str(other), "purge", "--yes"]) == 0
    left = [each for each in other.rglob("*") if each.is_file()]
    assert [each for each in left if "counts" in str(each) or b"counts" in each.read_bytes()] == []


@pytest.mark.parametrize("name", ["Bad!name", "a" * 33, "-begins", "a--b", "ümlaut", ".."])
def test_a_name_that_no_extension_can_have_makes_no_folder(line: Line, tmp_path: Path, name: str) -> None:
    """It is told before anything is written."""
    line("new", str(tmp_path / "made" / name), code=1)
    assert not (tmp_path / "made" / name).is_dir() or name == ".."
    assert not (tmp_path / "made").exists()


def test_a_setting_without_a_value_is_bad_usage(line: Line, tmp_path: Path) -> None:
    """`--set sign` would set it to nothing."""
    line("new", str(tmp_path / "my-first"))
    line("install", str(tmp_path / "my-first"), "--yes")
    line("on", "my-first", "--set", "sign", code=2)
    assert "has no =" in line.complaint


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("install", "units"), "It is installed and stays off."),
        (("remove", "expand"), "Nothing was removed."),
    ],
)
def test_where_nobody_can_be_asked_nothing_is_agreed_to(
    line: Line, words: tuple[str, ...], sentence: str
) -> None:
    """In a pipe or a script a sentence says what to add; a yes was never given."""
    line("install", "expand", "--yes")
    line(*words, code=1)
    assert sentence in line.complaint
    assert "--yes" in line.complaint
    statuses = {each["id"]: each["status"] for each in json.loads(line("list", "--json"))["installed"]}
    assert statuses["expand"] == "on"
    assert statuses.get("units") in (None, "waits")
