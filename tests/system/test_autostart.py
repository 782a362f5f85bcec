"""Starting with the computer: each system's entry, tried as its session reads it."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from configparser import RawConfigParser
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.system.autostart import (
    APPROVED_KEY,
    NAME,
    RUN_KEY,
    Autostart,
    DesktopEntry,
    LaunchAgent,
    RunKey,
    autostart,
    command_of,
    config_home,
)

COMMAND = ("/opt/my apps/stew$ard", "--profile", 'a "b" \\ `c` 100%', "run", "--hidden")


class RecordedRegistry:
    """What the real one keeps, as Windows was seen to keep it."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], str | bytes] = {}

    def get(self, key: str, name: str) -> str | bytes | None:
        return self.values.get((key, name))

    def set(self, key: str, name: str, value: str) -> None:
        self.values[key, name] = value

    def delete(self, key: str, name: str) -> None:
        self.values.pop((key, name), None)


def _entry(folder: Path) -> Autostart:
    return DesktopEntry(COMMAND, folder)


def _agent(folder: Path) -> Autostart:
    return LaunchAgent(COMMAND, folder)


def _key(_folder: Path) -> Autostart:
    return RunKey(COMMAND, RecordedRegistry())


@pytest.mark.parametrize("make", [_entry, _agent, _key])
def test_every_system_keeps_the_same_promise(make: Callable[[Path], Autostart], tmp_path: Path) -> None:
    """Off at first, on and off as often as wanted, twice is as good as once; the place is named."""
    kept = make(tmp_path / "deep" / "folder")
    assert not kept.is_on()
    for on in (False, True, True, False, False, True):
        kept.switch(on)
        assert kept.is_on() is on
    assert kept.place()


def _exec_words(line: str) -> list[str]:
    """As the Desktop Entry Specification reads a quoted Exec line: text escapes, quotes, field codes."""
    text = line.replace("\\\\", "\\")
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in quoted]


@pytest.mark.skipif(not shutil.which("gio"), reason="gio launches entries as a session does")
def test_a_session_starts_exactly_the_command(tmp_path: Path) -> None:
    """GLib, which GNOME's session uses, hands every word over as it was."""
    seen = tmp_path / "seen.json"
    program = tmp_path / "a program.py"
    program.write_text(
        "import json, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(json.dumps(sys.argv[2:]))"
    )
    kept = DesktopEntry((sys.executable, str(program), str(seen), *COMMAND), tmp_path / "autostart")
    kept.switch(True)
    subprocess.run(["gio", "launch", kept.place()], check=True, timeout=30, capture_output=True)
    deadline = time.monotonic() + 20
    while not (seen.exists() and seen.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert json.loads(seen.read_text()) == list(COMMAND)


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="the validator of freedesktop.org")
def test_the_entry_is_valid(tmp_path: Path) -> None:
    """The validator has no complaint."""
    kept = DesktopEntry(("/usr/bin/env", "a b"), tmp_path)
    kept.switch(True)
    said = subprocess.run(["desktop-file-validate", kept.place()], capture_output=True, text=True, timeout=30)
    assert said.stdout + said.stderr == ""
    assert said.returncode == 0


def test_the_entry_of_linux_is_one_that_a_session_reads(tmp_path: Path) -> None:
    """Every word of the command comes out as it went in, and the entry is an application's."""
    kept = DesktopEntry(COMMAND, tmp_path)
    kept.switch(True)
    parser = RawConfigParser()
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read(kept.place())
    entry = dict(parser["Desktop Entry"])
    assert _exec_words(entry["Exec"]) == list(COMMAND)
    assert (entry["Type"], entry["Name"], entry["Terminal"]) == ("Application", "Steward", "false")
    assert Path(kept.place()).name == "steward.desktop"


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_switched_off_is_off(tmp_path: Path, line: str) -> None:
    """The settings of a desktop write a line and keep the file."""
    kept = DesktopEntry(COMMAND, tmp_path)
    kept.switch(True)
    place = Path(kept.place())
    key = line.partition("=")[0]
    lines = [each for each in place.read_text().splitlines() if not each.startswith(key)]
    place.write_text("\n".join([*lines, line]) + "\n")
    assert not kept.is_on()
    kept.switch(True)
    assert kept.is_on()


def test_the_agent_of_macos_starts_the_command(tmp_path: Path) -> None:
    """The property list has what launchd asks for."""
    kept = LaunchAgent(COMMAND, tmp_path)
    kept.switch(True)
    found = plistlib.loads(Path(kept.place()).read_bytes())
    assert found["ProgramArguments"] == list(COMMAND)
    assert found["RunAtLoad"] is True
    assert Path(kept.place()).stem == found["Label"]


@pytest.mark.parametrize("content", [b"", b"not a list", b"<plist"])
def test_an_unreadable_agent_is_off(tmp_path: Path, content: bytes) -> None:
    """The system would not start it either."""
    kept = LaunchAgent(COMMAND, tmp_path)
    Path(kept.place()).write_bytes(content)
    assert not kept.is_on()


def test_the_value_of_windows_is_one_command_line() -> None:
    """Quoted as Windows reads it, below the key that Task Manager lists."""
    registry = RecordedRegistry()
    RunKey(COMMAND, registry).switch(True)
    assert registry.values == {(RUN_KEY, NAME): subprocess.list2cmdline(COMMAND)}
    RunKey(COMMAND, registry).switch(False)
    assert registry.values == {}


@pytest.mark.parametrize(("first", "on"), [(2, True), (3, False), (6, True), (7, False)])
def test_what_task_manager_switched_off_is_off(first: int, on: bool) -> None:
    """Its own value beside the Run key decides; switching on here takes it away."""
    registry = RecordedRegistry()
    kept = RunKey(COMMAND, registry)
    kept.switch(True)
    registry.values[APPROVED_KEY, NAME] = bytes([first]) + bytes(11)
    assert kept.is_on() is on
    kept.switch(True)
    assert kept.is_on()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """The reason, and where to look."""
    (tmp_path / "autostart").write_text("a file where the folder should be")
    kept = DesktopEntry(COMMAND, tmp_path / "autostart")
    with pytest.raises(UserFacing) as refused:
        kept.switch(True)
    assert refused.value.code == "autostart-failed"
    assert kept.place() in refused.value.action


def test_the_command_starts_this_program_with_its_profile(paths: Paths) -> None:
    """The real command line works: the program that it names answers."""
    command = command_of(paths)
    assert command[-2:] == ("run", "--hidden")
    assert command[command.index("--profile") + 1] == str(paths.config.parent)
    assert "--profile" not in command_of(Paths.default())
    answered = subprocess.run(
        [*command[: command.index("--profile")], "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
    )
    assert answered.stdout.startswith("steward ")


def test_the_folder_is_the_one_of_the_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_CONFIG_HOME counts where it is an absolute path."""
    assert config_home({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path
    assert config_home({"XDG_CONFIG_HOME": "relative"}) == Path.home() / ".config"
    assert config_home({}) == Path.home() / ".config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert autostart(Paths.default()).place() == os.path.join(tmp_path, "autostart", "steward.desktop")


def test_an_appimage_is_started_by_its_file(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program inside lies in a folder that exists only while it runs."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/tmp/.mount_steward/usr/lib/steward/steward")
    monkeypatch.setenv("APPIMAGE", "/home/ada/Steward.AppImage")
    monkeypatch.setenv("APPDIR", "/tmp/.mount_steward")
    assert command_of(paths)[0] == "/home/ada/Steward.AppImage"
    monkeypatch.setenv("APPDIR", "/tmp/.mount_editor")  # of the program in whose terminal it was started
    assert command_of(paths)[0] == sys.executable


def test_what_is_not_whole_yet_is_started_by_what_sets_it_up(paths: Paths) -> None:
    """By a Python that the set-up does not change, hidden, with the profile."""
    words = command_of(paths, Path("/src/steward/dev.py"))
    assert Path(words[0]).resolve() == Path(sys.executable).resolve()
    assert not Path(words[0]).is_relative_to(sys.prefix)
    profile = str(paths.config.parent)
    assert words[1:] == ("/src/steward/dev.py", "run", "--profile", profile, "run", "--hidden")
