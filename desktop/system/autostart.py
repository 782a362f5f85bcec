"""Whether Steward starts with the computer: an entry of this user's session, made and removed here alone.

One protocol, one implementation for each kind of system. Off unless somebody switches it on.
"""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from xml.parsers.expat import ExpatError

from desktop.errors import UserFacing
from desktop.paths import Paths, own_program, write_atomically
from desktop.system.reasons import SystemReason

NAME = "Steward"
ENTRY = "steward.desktop"
LABEL = "app.steward.desktop"
RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED_KEY = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"


class Autostart(Protocol):
    """Blocks for a file or the registry: called on the pool."""

    def is_on(self) -> bool:
        """Whether the session starts Steward, as the session itself would decide."""

    def switch(self, on: bool) -> None:
        """Make or remove the entry. Raises UserFacing."""

    def place(self) -> str:
        """Where the entry is, for people who look after their computer."""


def autostart(paths: Paths, set_up_by: Path | None = None) -> Autostart:
    """The one of this system, starting the program as it runs now, with its profile.

    `set_up_by`: what sets the program up and then starts it (the checkout's dev.py), while it is not whole.
    """
    command = command_of(paths, set_up_by)
    if sys.platform == "win32":
        return RunKey(command, WindowsRegistry())
    if sys.platform == "darwin":
        return LaunchAgent(command, Path.home() / "Library" / "LaunchAgents")
    return DesktopEntry(command, config_home(os.environ) / "autostart")


def command_of(paths: Paths, set_up_by: Path | None = None) -> tuple[str, ...]:
    """How this program is started hidden, from a bundle, an install or a checkout."""
    program = own_program()
    if set_up_by is not None:
        # Quit half way, the environment may lack what the next start imports; this one sets up the rest.
        # By the system's Python: the environment's own would be replaced under itself.
        program = (getattr(sys, "_base_executable", sys.executable), str(set_up_by), "run")
    # Else the session would start the usual profile in the place of this one.
    profile = () if paths == Paths.default() else ("--profile", str(paths.config.parent))
    return (*program, *profile, "run", "--hidden")


def config_home(environment: Mapping[str, str]) -> Path:
    """The folder that the XDG base directory specification names."""
    # The specification has a path that is not absolute ignored.
    named = environment.get("XDG_CONFIG_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".config"


class DesktopEntry:
    """Linux: `autostart/steward.desktop` (freedesktop.org, Desktop Application Autostart Specification)."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = tuple(command)
        self._file = folder / ENTRY

    def is_on(self) -> bool:
        """Settings of desktops switch an entry off by a line in it instead of removing it."""
        try:
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return False  # the session cannot read it either
        said = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
        return said.get("Hidden") != "true" and said.get("X-GNOME-Autostart-enabled") != "false"

    def switch(self, on: bool) -> None:
        try:
            if on:
                write_atomically(self._file, self._text().encode())
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise _refused(on, self.place(), error) from error

    def place(self) -> str:
        return str(self._file)

    def _text(self) -> str:
        command = " ".join(_quoted(word) for word in self._command)
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            f"Name={NAME}",
            "Comment=A private assistant in the system tray",
            f"Exec={command}",
            "Terminal=false",
            "StartupNotify=false",
            "X-GNOME-Autostart-enabled=true",
        ]
        return "\n".join(lines) + "\n"


class Registry(Protocol):
    """The values of keys below HKEY_CURRENT_USER."""

    def get(self, key: str, name: str) -> str | bytes | None:
        """The value; None where there is no such key or value."""

    def set(self, key: str, name: str, value: str) -> None:
        """Make or replace a text."""

    def delete(self, key: str, name: str) -> None:
        """Delete the value; nothing happens where it is absent."""


class RunKey:
    """Windows: a value of the Run key, which Task Manager lists and can switch off."""

    def __init__(self, command: Sequence[str], registry: Registry) -> None:
        self._command = tuple(command)
        self._registry = registry

    def is_on(self) -> bool:
        """Task Manager keeps its own switch: an odd first byte says off."""
        approved = self._registry.get(APPROVED_KEY, NAME)
        switched_off = isinstance(approved, bytes) and bool(approved) and approved[0] % 2 == 1
        return self._registry.get(RUN_KEY, NAME) is not None and not switched_off

    def switch(self, on: bool) -> None:
        try:
            # Task Manager's "off" would win over a new entry of ours.
            self._registry.delete(APPROVED_KEY, NAME)
            if on:
                self._registry.set(RUN_KEY, NAME, subprocess.list2cmdline(self._command))
            else:
                self._registry.delete(RUN_KEY, NAME)
        except OSError as error:
            raise _refused(on, self.place(), error) from error

    def place(self) -> str:
        return rf"HKEY_CURRENT_USER\{RUN_KEY}, {NAME}"


class LaunchAgent:
    """macOS: a property list in the user's LaunchAgents, read at the next login."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = tuple(command)
        self._file = folder / f"{LABEL}.plist"

    def is_on(self) -> bool:
        try:
            found = plistlib.loads(self._file.read_bytes())
        except (OSError, plistlib.InvalidFileException, ExpatError, ValueError):
            return False  # the system does not start what it cannot read
        return isinstance(found, dict) and bool(found.get("RunAtLoad")) and not found.get("Disabled")

    def switch(self, on: bool) -> None:
        content = {
            "Label": LABEL,
            "ProgramArguments": list(self._command),
            "RunAtLoad": True,
            # Without it launchd limits processor and disk, as for background jobs (launchd.plist(5)).
            "ProcessType": "Interactive",
        }
        try:
            if on:
                write_atomically(self._file, plistlib.dumps(content))
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise _refused(on, self.place(), error) from error

    def place(self) -> str:
        return str(self._file)


class WindowsRegistry:
    """The real one. Imports winreg, which is there on Windows only."""

    def get(self, key: str, name: str) -> str | bytes | None:
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:  # type: ignore[attr-defined]
                value, _kind = winreg.QueryValueEx(opened, name)  # type: ignore[attr-defined]
        except FileNotFoundError:
            return None
        return value if isinstance(value, str | bytes) else str(value)

    def set(self, key: str, name: str, value: str) -> None:
        import winreg

        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as opened:  # type: ignore[attr-defined]
            winreg.SetValueEx(opened, name, 0, winreg.REG_SZ, value)  # type: ignore[attr-defined]

    def delete(self, key: str, name: str) -> None:
        import winreg

        try:
            access = winreg.KEY_SET_VALUE  # type: ignore[attr-defined]
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, 0, access) as opened:  # type: ignore[attr-defined]
                winreg.DeleteValue(opened, name)  # type: ignore[attr-defined]
        except FileNotFoundError:
            return


def _quoted(word: str) -> str:
    """A word of an Exec line: quoted, then escaped as a text of the file (Desktop Entry Specification)."""
    for sign in ("\\", '"', "`", "$"):
        word = word.replace(sign, "\\" + sign)
    return '"' + word.replace("%", "%%").replace("\\", "\\\\") + '"'


def _refused(on: bool, place: str, error: OSError) -> UserFacing:
    code = SystemReason.AUTOSTART_FAILED if on else SystemReason.ENTRY_NOT_REMOVED
    return UserFacing(code.of(error=str(error), place=place))
