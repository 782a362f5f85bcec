"""Settings on disk."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.settings import (
    HookSettings,
    Settings,
    SettingsChanged,
    SettingsFile,
    Theme,
    Worded,
    display_of,
    refusal,
    variable_of,
)


def _write(paths: Paths, text: str) -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold(paths: Paths, bus: Bus) -> None:
    """A new profile has the declared defaults and no file yet."""
    assert SettingsFile(paths.settings, bus).current == Settings()
    assert not paths.settings.exists()


def test_a_change_is_on_disk_and_announced(paths: Paths, bus: Bus) -> None:
    """Another process that reads the file sees the change; listeners get the new value."""
    heard: list[SettingsChanged] = []
    bus.subscribe(SettingsChanged, heard.append)
    SettingsFile(paths.settings, bus).change("window", "theme", "dark")
    assert SettingsFile(paths.settings, bus).current.window.theme is Theme.DARK
    assert heard[0].settings.window.theme is Theme.DARK


def test_comments_survive_a_change(paths: Paths, bus: Bus) -> None:
    """What a person wrote beside the values is still there after the program changed one."""
    _write(paths, "# mine\n[model]\nthreads = 2  # quiet\n")
    SettingsFile(paths.settings, bus).change("model", "top_k", 10)
    text = paths.settings.read_text()
    assert "# mine" in text
    assert "threads = 2  # quiet" in text
    assert "top_k = 10" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model]\nthreads = 2\nthreds = 3\n", "model.threds (line 3)"),
        ("[model]\ncontext_tokens = 12\n", "model.context_tokens (line 2) must be at least 512"),
        ("[window]\ntheme = 'pink'\n", "window.theme (line 2)"),
        ("[model\n", "line 1"),
        ("colour = 1\n", "colour (line 1)"),
        ("[model]\nthreads = 999\n", "model.threads (line 2) must be at most 256"),
        ("[hooks]\nport = 'x'\n", "hooks.port (line 2) must be a whole number"),
        ("[window]\ntheme = 'pink'\n", "must be one of 'system', 'light' or 'dark'"),
        ("[chat]\ntools = 'maybe'\n", "chat.tools (line 2) must be true or false"),
        ("[hooks]\nfail_closed = 'codex'\n", "must be a list in square brackets"),
        ("[hooks]\nfail_closed = ['a', 3]\n", "hooks.fail_closed (line 2) must be text"),
        ("model = 3\n", "model (line 1) must be a section, as in [model]"),
        ("[chat]\nsteps = 3\n[hooks]\nsteps = 4\n", "hooks.steps (line 4)"),
        ("version = 9\n", "they are of version 9, and this Steward knows 1"),
    ],
)
def test_a_wrong_line_is_named(paths: Paths, bus: Bus, text: str, said: str) -> None:
    """The message names key and line, and the file stays as it was."""
    _write(paths, text)
    with pytest.raises(UserFacing) as refusal:
        SettingsFile(paths.settings, bus)
    assert said in refusal.value.cause
    assert paths.settings.read_text() == text


def test_an_invalid_change_changes_nothing(paths: Paths, bus: Bus) -> None:
    """A value outside its limits is refused before the disk is touched."""
    file = SettingsFile(paths.settings, bus)
    with pytest.raises(UserFacing):
        file.change("model", "threads", -5)
    assert not paths.settings.exists()
    assert file.current == Settings()


def test_the_environment_wins_for_one_run(paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """STEWARD_MODEL__THREADS overrides the file without being written to it."""
    _write(paths, "[model]\nthreads = 2\n")
    monkeypatch.setenv("STEWARD_MODEL__THREADS", "5")
    assert SettingsFile(paths.settings, bus).current.model.threads == 5


def test_a_variable_changes_nothing_beside_it(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of its section is as the file says, and a variable of one setting wins over one of all."""
    _write(paths, "[model]\ntop_k = 7\nthreads = 2\n[hooks]\nenabled = false\n")
    monkeypatch.setenv("STEWARD_MODEL__THREADS", "5")
    monkeypatch.setenv("STEWARD_MODEL", '{"threads": 3, "top_p": 0.5}')
    monkeypatch.setenv("STEWARD_HOOKS__FAIL_CLOSED", '["codex"]')
    monkeypatch.setenv("STEWARD_NO_SECTION__THREADS", "of somebody else")
    current = SettingsFile(paths.settings, bus).current
    assert (current.model.threads, current.model.top_k, current.model.top_p) == (5, 7, 0.5)
    assert (current.hooks.enabled, current.hooks.fail_closed) == (False, ["codex"])


def test_a_folder_s_file_of_variables_sets_nothing(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Steward may be started in a folder that somebody else has filled."""
    (tmp_path / ".env").write_text("STEWARD_MODEL__THREADS=5\n")
    monkeypatch.chdir(tmp_path)
    assert SettingsFile(paths.settings, bus).current == Settings()


def test_a_file_broken_meanwhile_is_named_and_kept(paths: Paths, bus: Bus) -> None:
    """A change made in the program does not overwrite what a person is editing wrongly."""
    file = SettingsFile(paths.settings, bus)
    _write(paths, "[model\n")
    with pytest.raises(UserFacing):
        file.change("model", "top_k", 10)
    assert paths.settings.read_text() == "[model\n"


def test_a_file_that_is_no_text_is_named(paths: Paths, bus: Bus) -> None:
    """Bytes that no text has are a refusal in words, not a bug."""
    paths.config.mkdir(parents=True)
    paths.settings.write_bytes(b"[model]\nthreads = 2 # gr\xfcn")
    with pytest.raises(UserFacing, match="UTF-8"):
        SettingsFile(paths.settings, bus)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        (
            "STEWARD_MODEL__THREADS",
            "many",
            "STEWARD_MODEL__THREADS cannot be used: it must be a whole number",
        ),
        (
            "STEWARD_HOOKS__FAIL_CLOSED",
            "codex",
            "STEWARD_HOOKS__FAIL_CLOSED cannot be used: what it sets has to be written as JSON",
        ),
        ("STEWARD_MODEL", "{", "STEWARD_MODEL cannot be used: what it sets has to be written as JSON"),
        ("STEWARD_MODEL", "5", "STEWARD_MODEL cannot be used: it must be a section, as in [model]"),
        ("steward_chat__stepps", "5", "steward_chat__stepps cannot be used: it"),
    ],
)
def test_a_wrong_variable_is_blamed_and_not_the_file(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """Who set a variable wrongly is not sent to a file that is in order."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(UserFacing) as refused:
        SettingsFile(paths.settings, bus)
    assert said in refused.value.cause


def test_a_reset_gives_the_default_and_keeps_what_was_written_beside_it(paths: Paths, bus: Bus) -> None:
    """The key goes, comments and neighbours stay, also the comment on its own line."""
    _write(paths, "# mine\n[model]\nthreads = 2  # quiet\ntop_k = 9\n\n[chat]\nsteps = 3\n")
    heard: list[SettingsChanged] = []
    bus.subscribe(SettingsChanged, heard.append)
    file = SettingsFile(paths.settings, bus)
    assert file.reset("model", "threads").model.threads == 0
    assert heard[-1].settings is file.current
    assert paths.settings.read_text() == "# mine\n[model]\n# quiet\ntop_k = 9\n\n[chat]\nsteps = 3\n"
    file.reset("model", "top_k")
    assert file.current.model == Settings().model
    assert "# quiet\n" in paths.settings.read_text()


@pytest.mark.parametrize(
    "text", ["", "[chat]\nsteps = 3\n", "model = {threads = 2, top_k = 9}\n", "model.threads = 2\n"]
)
def test_a_reset_knows_every_way_of_writing_toml(paths: Paths, bus: Bus, text: str) -> None:
    """Dotted keys, inline tables, or nothing to reset."""
    _write(paths, text)
    file = SettingsFile(paths.settings, bus)
    file.reset("model", "threads")
    assert file.current.model.threads == 0
    assert SettingsFile(paths.settings, bus).current == file.current


def test_a_change_keeps_the_comment_on_its_line(paths: Paths, bus: Bus) -> None:
    """What stands behind the old value stands behind the new one."""
    _write(paths, "[model]\nthreads = 2  # quiet\n")
    SettingsFile(paths.settings, bus).change("model", "threads", 3)
    assert paths.settings.read_text() == "[model]\nthreads = 3  # quiet\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "[chat]\nsteps = 3\n\n[model]\nthreads = 2 # quiet\n",
        "model = {threads = 2, top_k = 9}\n[chat]\nsteps = 3\n",
        "model.threads = 2\nchat.steps = 3\n",
        "['model']\n'threads' = 2\n",
        "[model]\r\nthreads = 2  # quiet\r\n\r\n[chat]\r\nsteps = 3\r\n",
        "\ufeff[model]\nthreads = 2\n",
        "[model]\nthreads = 2",
    ],
)
def test_a_change_knows_every_way_of_writing_toml(paths: Paths, bus: Bus, text: str) -> None:
    """Whatever somebody wrote: the one value is another, all others and all comments are as they were."""
    paths.config.mkdir(parents=True)
    paths.settings.write_bytes(text.encode())
    file = SettingsFile(paths.settings, bus)
    before = file.current
    file.change("model", "threads", 7)
    file.change("hooks", "port", 4000)
    again = SettingsFile(paths.settings, bus).current
    assert again == file.current
    assert (again.model.threads, again.hooks.port) == (7, 4000)
    assert again.chat == before.chat
    assert again.model.top_k == before.model.top_k
    written = paths.settings.read_bytes().decode()
    assert written.count("#") == text.count("#")
    assert ("\r\n" in written) is ("\r\n" in text)
    file.reset("model", "threads")
    assert SettingsFile(paths.settings, bus).current.model.threads == 0


def test_what_was_changed_by_hand_is_read_again(paths: Paths, bus: Bus) -> None:
    """`reload` takes the new values and announces them; an unchanged file is no news."""
    file = SettingsFile(paths.settings, bus)
    heard: list[SettingsChanged] = []
    bus.subscribe(SettingsChanged, heard.append)
    _write(paths, "[model]\nthreads = 2\n")
    assert file.reload().model.threads == 2
    assert [event.settings.model.threads for event in heard] == [2]
    _write(paths, "# a comment\n[model]\nthreads = 2\n")
    file.reload()
    assert len(heard) == 1


def test_a_file_broken_by_hand_leaves_the_old_values(paths: Paths, bus: Bus) -> None:
    """`reload` names the line; what was set before still counts, and nobody is told otherwise."""
    _write(paths, "[model]\nthreads = 2\n")
    file = SettingsFile(paths.settings, bus)
    heard: list[SettingsChanged] = []
    bus.subscribe(SettingsChanged, heard.append)
    _write(paths, "[model]\nthreads = 999\n")
    with pytest.raises(UserFacing) as refused:
        file.reload()
    assert "model.threads (line 2)" in refused.value.cause
    assert file.current.model.threads == 2
    assert heard == []


def test_the_file_to_edit_is_made_once(paths: Paths, bus: Bus) -> None:
    """Opening the file finds one; what is there is not touched."""
    file = SettingsFile(paths.settings, bus)
    file.create()
    assert paths.settings.read_text().startswith("#")
    _write(paths, "[model]\nthreads = 2\n")
    file.create()
    assert paths.settings.read_text() == "[model]\nthreads = 2\n"


def test_a_folder_that_cannot_be_written_changes_nothing(paths: Paths, bus: Bus) -> None:
    """What could not be saved does not count in the running program either."""
    file = SettingsFile(paths.settings, bus)
    paths.config.parent.mkdir(parents=True)
    paths.config.write_text("a file where the folder should be")
    with pytest.raises(UserFacing) as refused:
        file.change("model", "threads", 3)
    assert refused.value.code == "settings-not-saved"
    assert file.current.model.threads == 0


_CHANGER = """
import sys
from pathlib import Path
from desktop.events import Bus
from desktop.settings import SettingsFile
path, section, name, first = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
file = SettingsFile(path, Bus())
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
for value in range(first, first + 40):
    file.change(section, name, value)
"""


@pytest.mark.children
def test_two_processes_lose_nothing_of_each_other(paths: Paths, bus: Bus) -> None:
    """Each changes its own setting forty times; both end with the last value."""
    wanted = (("model", "top_k", "1"), ("chat", "tool_timeout_s", "101"))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _CHANGER, str(paths.settings), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in wanted
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.communicate("go\n", timeout=60)
        assert process.returncode == 0
    current = SettingsFile(paths.settings, bus).current
    assert (current.model.top_k, current.chat.tool_timeout_s) == (40, 140)


def _rename_threads(document: tomlkit.TOMLDocument) -> None:
    table = document.get("model", {})
    if "cores" in table:
        table["threads"] = table.pop("cores")


def test_an_older_file_is_migrated(paths: Paths, bus: Bus) -> None:
    """Old names count at once; the file is rewritten, with its version, at the next change."""
    _write(paths, "# mine\n[model]\ncores = 3\n")
    file = SettingsFile(paths.settings, bus, migrations=(_rename_threads,))
    assert file.current.model.threads == 3
    assert paths.settings.read_text() == "# mine\n[model]\ncores = 3\n"
    file.change("model", "top_k", 9)
    written = tomllib.loads(paths.settings.read_text())
    assert written == {"version": 2, "model": {"threads": 3, "top_k": 9}}
    assert "# mine" in paths.settings.read_text()
    assert SettingsFile(paths.settings, bus, migrations=(_rename_threads,)).current == file.current


@pytest.mark.parametrize(
    ("variable", "value", "found"),
    [
        ("STEWARD_MODEL__THREADS", "5", "STEWARD_MODEL__THREADS"),
        ("steward_model__threads", "5", "steward_model__threads"),
        ("STEWARD_MODEL", '{"threads": 5}', "STEWARD_MODEL"),
        ("STEWARD_MODEL", '{"top_k": 5}', None),
        ("STEWARD_MODEL__TOP_K", "5", None),
    ],
)
def test_the_variable_that_sets_something_is_known(
    paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, found: str | None
) -> None:
    """Whoever shows a setting can say what overrides it, and does so only where it does."""
    monkeypatch.setenv(variable, value)
    assert (SettingsFile(paths.settings, bus).current.model.threads == 5) is (found is not None)
    assert variable_of("model", "threads") == found


@pytest.mark.parametrize(
    ("section", "name", "value", "said"),
    [
        ("model", "threads", 2, ""),
        ("model", "threads", 257, "This must be at most 256."),
        ("model", "top_p", 0.0, "This must be more than 0."),
        ("window", "zoom_percent", 79, "This must be at least 80."),
    ],
)
def test_a_single_value_is_judged(section: str, name: str, value: object, said: str) -> None:
    """The dialog hears the reason before anything is written."""
    assert str(refusal(section, name, value) or "") == said


@given(threads=st.integers(-10, 300), steps=st.integers(-3, 30))
def test_what_is_not_refused_can_be_had(threads: int, steps: int) -> None:
    """The judgement over one value and the reading of the file never differ."""
    assert (refusal("model", "threads", threads) is None) is (0 <= threads <= 256)
    assert (refusal("chat", "steps", steps) is None) is (1 <= steps <= 20)


def test_every_choice_has_words() -> None:
    """People choose between words, files hold the values."""
    for section, field in Settings.model_fields.items():
        for name in () if section == "version" else type(field.default).model_fields:
            value = getattr(field.default, name)
            if isinstance(value, Worded):
                assert all(member.words and member.words != member.value for member in type(value)), name
    assert display_of(HookSettings, "port").next_start


def test_a_list_of_tables_is_changed_in_place(tmp_path: Path, bus: Bus) -> None:
    """Rules that stand there keep their comments, in whichever form of TOML they are written."""
    written = {
        "": "",
        '# mine\n[[gate.rules]]\neffect = "deny" # why\nprogram = "a"\n': "# why",
        '[gate]\nrules = [{effect = "deny", program = "a"}] # mine\n': "# mine",
    }
    for number, (before, kept) in enumerate(written.items()):
        path = tmp_path / f"{number}.toml"
        path.write_text(before)
        settings = SettingsFile(path, bus)
        had = len(settings.current.gate.rules)
        settings.insert("gate", "rules", had, {"effect": "ask", "path": "/x"})
        assert [rule.path for rule in settings.current.gate.rules] == [*[""] * had, "/x"]
        assert kept in path.read_text()
        assert SettingsFile(path, bus).current == settings.current
        settings.replace("gate", "rules", had, {"effect": "deny", "path": "/y"})
        assert [rule.path for rule in settings.current.gate.rules] == [*[""] * had, "/y"]
        settings.remove("gate", "rules", had)
        assert len(settings.current.gate.rules) == had
        assert kept in path.read_text()


def test_a_rule_whose_change_cannot_be_written_stays(
    tmp_path: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stands between the old one and the new one, where a full disk could leave neither."""
    path = tmp_path / "settings.toml"
    path.write_text('[[gate.rules]]\neffect = "deny"\nprogram = "a"\n')
    settings = SettingsFile(path, bus)
    writes = []
    monkeypatch.setattr(os, "replace", lambda *names: writes.append(names) or _full())
    with pytest.raises((OSError, UserFacing)):
        settings.replace("gate", "rules", 0, {"effect": "ask", "program": "b"})
    assert len(writes) == 1
    assert 'program = "a"' in path.read_text()


def _full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "text",
    ['effect = "deny"', 'effect = "no"\nprogram = "x"', 'effect = "allow"\nagent = "x"', 'program = "x"'],
)
def test_a_rule_that_says_nothing_is_refused_with_its_place(tmp_path: Path, bus: Bus, text: str) -> None:
    """One that would hold for everything would be a mistake nobody sees."""
    path = tmp_path / "settings.toml"
    path.write_text(f"[[gate.rules]]\n{text}\n")
    with pytest.raises(UserFacing, match=r"gate\.rules"):
        SettingsFile(path, bus)
