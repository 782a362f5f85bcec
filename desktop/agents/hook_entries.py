"""A hook entry of ours: which client it starts, with which words, and how it is known again.

Pure, but for finding the client. Each agent makes its entries from a `HookTarget` (`Agent.settings_place`);
what their programs made of them is in docs/agents.md.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agents import client
from desktop.agents.reasons import AgentReason
from desktop.errors import UserFacing
from desktop.paths import native_programs, own_appimage, write_atomically

HOLDS_S = 600  # the longest that the agents' own documents and types name
TELLS_S = 30  # where nothing is held: what ran, and where a session begins and ends
SPARE_S = 2  # the client gives up before the agent ends it

# Where in the settings, by names from the root, and what goes to the end of the list there.
Entry = tuple[tuple[str, ...], Mapping[str, Any]]


@dataclass(frozen=True)
class Client:
    """The words that start it, absolute."""

    words: tuple[str, ...]
    windows: bool = False


@dataclass(frozen=True)
class HookTarget:
    """How the hooks of one agent reach the daemon. `closed`: refuse where nobody answers, in any mode."""

    agent: str
    address: str  # what the client is given: the path of the Unix socket, the port, or both
    token_file: Path
    client: Client
    closed: bool = False

    def words(self, holds_s: int = HOLDS_S, guards: bool = True) -> tuple[str, ...]:
        """The client's words. `guards`: a tool waits for this answer."""
        flags = ("--guards",) if guards else ()
        flags = (*flags, "--fail-closed") if guards and self.closed else flags
        waits = str(holds_s - SPARE_S)
        return (*self.client.words, self.agent, self.address, f"@{self.token_file}", waits, *flags)

    def line(self, holds_s: int = HOLDS_S, shell: str = "", guards: bool = True) -> str:
        """The same as one line, quoted for the shell that the agent starts it with."""
        return quoted([*self.words(holds_s, guards)], self.client.windows, shell)


def quoted(words: list[str], windows: bool, shell: str = "") -> str:
    """For sh; on Windows for cmd and Git's bash, whose common ground is forward slashes, or PowerShell."""
    if not windows:
        return shlex.join(words)
    if shell == "powershell":
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    # Git's bash would take a backslash for an escape.
    return subprocess.list2cmdline([word.replace("\\", "/") for word in words])


def grouped(root: str, events: Mapping[str, Mapping[str, Any]], matcher: str = "") -> tuple[Entry, ...]:
    """Entries in the form that most vendors share: for each event a group with one handler in it."""
    group = {"matcher": matcher} if matcher else {}
    return tuple(((root, event), {**group, "hooks": [handler]}) for event, handler in events.items())


def ours(agent: str) -> Callable[[Any], bool]:
    """Whether a value is a handler of ours for this agent, also from another folder or an older version."""
    # By its look, not by where it lies: Steward may have been moved, and its own old entries must still go.
    url = re.compile(rf"http://(127\.0\.0\.1|localhost|\[::1\]):\d+/hooks/{re.escape(agent)}")
    line = re.compile(rf"(agents[/\\]client\.py|steward-hook(\.exe)?)[\"']* +[\"']*{re.escape(agent)}[\"']* ")

    def is_ours(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if url.fullmatch(str(value.get("url", ""))):
            return True
        return any(line.search(str(value.get(name, ""))) for name in ("command", "bash", "powershell"))

    return is_ours


def hook_client(folder: Path) -> Client:
    """A program that is there also while Steward is not: an AppImage puts its own into `folder`.

    Raises UserFacing in a bundle that lacks its client, and where a copy cannot be written.
    """
    windows = sys.platform == "win32"
    native = native_programs() / ("steward-hook.exe" if windows else "steward-hook")
    # Quicker to start than an interpreter, and it is started before every tool.
    if native.is_file():
        lasting = native if own_appimage() is None else _kept(native, folder / native.name)
        return Client((str(lasting),), windows)
    if getattr(sys, "frozen", False):
        raise UserFacing(AgentReason.NO_HOOK_CLIENT.of(file=native))
    return Client((sys.executable, "-I", "-S", str(Path(client.__file__).resolve())), windows)


def _kept(native: Path, copy: Path) -> Path:
    """`copy`, the same as `native`; replaced whole, because an agent may be starting it just now."""
    content = native.read_bytes()
    try:
        if not copy.is_file() or copy.read_bytes() != content:
            write_atomically(copy, content)
        copy.chmod(0o700)
    except OSError as error:
        raise UserFacing(
            AgentReason.HOOK_CLIENT_NOT_COPIED.of(folder=copy.parent, error=str(error))
        ) from error
    return copy
