"""A shell line rewritten so that it runs confined: through the native client, which gives up rights first.

    confiner = Confiner(paths)
    line = confiner.rewritten("git log | head", read_only(paths), call="toolu_01")
    ...                      # the agent runs the line
    confiner.did_run("toolu_01")

The client needs no daemon: it enforces by itself what stands in its words, or starts nothing and ends with
`REFUSED`. That it ran is known by the file that it makes before it gives anything up.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shlex
import shutil
import sys
import time
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, native_programs, own_appimage, resources, write_atomically
from desktop.sandbox import landlock, seccomp
from desktop.sandbox.refusals import NOTHING_TOUCHED

NAME = "steward-confine"
SHELL = "/bin/bash"
REFUSED = 126  # exit code of a client that could not enforce what it was told
LONGEST_BYTES = 120_000  # Linux takes 128 KiB in one word
KEPT_S = 24 * 3600.0  # reports and temporary folders of commands that only read
TIDY_EVERY_S = 3600.0
FOLDER_DESCRIPTOR = 250  # where the client leaves its report open, for the shell's last folder
# A word of a line that can change the shell's folder; one too many costs a trap, nothing more.
CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|popd)\b")


class NetworkAccess(StrEnum):
    NONE = "none"
    LOOPBACK = "loopback"  # this computer, and of it a proxy of Steward's
    OPEN = "open"


@dataclass(frozen=True)
class Confinement:
    """What a command may still do. Paths are absolute."""

    writable: tuple[Path, ...] = ()
    network: NetworkAccess = NetworkAccess.NONE
    hidden: tuple[Path, ...] = ()  # may not be read
    readable: tuple[Path, ...] = ()  # may be read, though they lie in what is hidden
    protected: tuple[Path, ...] = ()  # may not be written to, though they lie in what is writable
    proxy_port: int = 0


def read_only(paths: Paths, uses_network: bool = False) -> Confinement:
    """Writes nothing, and has no network unless it is known to use one."""
    hidden, readable = _secrets()
    network = NetworkAccess.OPEN if uses_network else NetworkAccess.NONE
    return Confinement((), network, (*hidden, *_own(paths)), readable)


def why_not() -> str:
    """What keeps commands from being confined on this computer, as one sentence; empty where nothing does."""
    if not sys.platform.startswith("linux"):
        return "Commands can be confined on Linux only."
    if landlock.abi() < landlock.OLDEST_ABI or not seccomp.is_available():
        return f"This system lacks Landlock (version {landlock.OLDEST_ABI} or newer) or seccomp."
    if not (native_programs() / NAME).is_file():
        return "The confining client is not there: it is compiled by dev.py where there is a C compiler."
    return ""


class Confiner:
    """Rewrites lines, and knows which of them ran. Thread-safe: it keeps nothing but files."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._reports = paths.runtime / "confined" / "reports"
        self._scratches = paths.cache / "confined" / "scratch"
        self._tidied = 0.0

    def why_not(self) -> str:
        """As `why_not`; looked at anew each time, for some microseconds."""
        return why_not()

    def available(self) -> bool:
        return not self.why_not()

    def rewritten(
        self, command: str, confinement: Confinement, call: str, session: str = "", shell: str = SHELL
    ) -> str:
        """A line for the agent's shell that runs `command` in a confined bash, or a `shell` like it.

        Its exit code is the command's. Where the command changes the folder, the agent's shell follows.
        Raises UserFacing for a line that would be too long, and OSError where no report can be made.
        """
        self._tidy()
        report = self._report(call)
        report.unlink(missing_ok=True)
        words = [str(self._client()), "--read-only", "--network", confinement.network.value]
        words += ["--report", str(report), "--temp", str(self._scratch(session))]
        words += ["--options", str(self._options(confinement))]
        if CHANGES_FOLDER.search(command) is None:
            return _short_enough(shlex.join([*words, "--", shell, "-c", command]))
        told = f"trap 'printf %s \"$PWD\" >&{FOLDER_DESCRIPTOR}' EXIT; {command}"
        line = shlex.join([*words, "--folder", "--", shell, "-c", told])
        place = shlex.quote(str(report))
        follow = f'[ -s {place} ] && cd -- "$(cat {place})"'
        return _short_enough(f'{line}; _steward=$?; {follow}; (exit "$_steward")')

    def did_run(self, call: str) -> bool:
        """Whether the line of this call was started, in its confined form."""
        return self._report(call).exists()

    def forget(self, call: str) -> None:
        """The call is settled; its report is no longer needed."""
        self._report(call).unlink(missing_ok=True)

    def _report(self, call: str) -> Path:
        return ensure(self._reports) / _digest(call)

    def _scratch(self, session: str) -> Path:
        """Made by the client; for all commands of a session that only read."""
        return ensure(self._scratches) / _digest(session)

    def _options(self, confinement: Confinement) -> Path:
        """A file with what is too long for a line; the same content has the same name."""
        words: list[str] = []
        for name, paths in (("--hide", confinement.hidden), ("--show", confinement.readable)):
            words += [word for path in paths for word in (name, str(path))]
        content = "".join(f"{word}\0" for word in words).encode("utf-8", "surrogateescape")
        place = self._paths.runtime / "confined" / "options" / hashlib.sha256(content).hexdigest()[:32]
        if not place.is_file():
            write_atomically(place, content)
        return place

    def _client(self) -> Path:
        """An AppImage's own folder is gone when it ends; a copy of the client stays."""
        native = native_programs() / NAME
        if own_appimage() is None:
            return native
        copy = self._paths.hook_client / NAME
        if not copy.is_file() or copy.read_bytes() != native.read_bytes():
            write_atomically(copy, native.read_bytes())
            copy.chmod(0o700)
        return copy

    def _tidy(self) -> None:
        """Remove what commands have left behind a day ago."""
        now = time.time()
        if now - self._tidied < TIDY_EVERY_S:
            return
        self._tidied = now
        for folder in (self._reports, self._scratches):
            for path in folder.iterdir() if folder.is_dir() else ():
                if now - path.lstat().st_mtime > KEPT_S:
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _short_enough(line: str) -> str:
    if len(line.encode("utf-8", "surrogatepass")) > LONGEST_BYTES or "\0" in line:
        raise UserFacing(
            "This command is too long to be run confined.",
            NOTHING_TOUCHED,
            "Put it into a file, or split it.",
            code="confine-too-long",
        )
    return line


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((resources() / "confinement.toml").read_text(encoding="utf-8"))


def _secrets() -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What is hidden, and what may be read of it all the same."""
    secrets = _table()["secrets"]
    found = [each for pattern in secrets["readable"] for each in glob.glob(os.path.expanduser(pattern))]
    return tuple(Path(os.path.expanduser(path)) for path in secrets["hidden"]), tuple(map(Path, found))


def _own(paths: Paths) -> tuple[Path, ...]:
    """Steward's own folders: its token for the agent, its database, its socket."""
    return (paths.data, paths.config, paths.runtime)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
