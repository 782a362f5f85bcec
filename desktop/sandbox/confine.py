"""A shell line rewritten so that it runs confined: through the native client, which gives up rights first.

    confiner = Confiner(paths)
    line = confiner.rewritten("git log | head", read_only(paths), call="toolu_01")
    ...                      # the agent runs the line
    confiner.did_run("toolu_01")

The client needs no daemon: it enforces by itself what stands in its words, or starts nothing and ends with
`REFUSED`. That it ran is known by the file that it makes before it gives anything up.
"""

from __future__ import annotations

import functools
import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, native_programs, own_appimage, write_atomically
from desktop.sandbox import apparmor, landlock, seccomp
from desktop.sandbox.refusals import NOTHING_TOUCHED
from desktop.sandbox.rights import (
    SCRATCH,
    Confinement,
    Mode,
    NetworkAccess,
    in_project,
    read_only,
    with_scratch,
)

__all__ = [
    "Confinement",
    "Confiner",
    "Mode",
    "NetworkAccess",
    "Refusal",
    "in_project",
    "read_only",
    "why_not",
    "with_scratch",
]

NAME = "steward-confine"
SHELL = "/bin/bash"
REFUSED = 126  # exit code of a client that could not enforce what it was told
LONGEST_BYTES = 120_000  # Linux takes 128 KiB in one word
KEPT_S = 24 * 3600.0  # reports and temporary folders of commands that only read
TIDY_EVERY_S = 3600.0
TRIAL_TIMEOUT_S = 10.0
FOLDER_DESCRIPTOR = 250  # where the client leaves its report open, for the shell's last folder
# A word of a line that can change the shell's folder; one too many costs a trap, nothing more.
CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|popd)\b")


@dataclass(frozen=True)
class Refusal:
    """What the supervisor of a project's command did not let happen; `kind`: "connection" or "taken away"."""

    kind: str
    what: str


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
    """Rewrites lines, and knows which of them ran. Thread-safe: what it keeps are files."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._reports = paths.runtime / "confined" / "reports"
        self._options = paths.runtime / "confined" / "options"
        self._scratches = paths.cache / "confined" / "scratch"
        self._tidied = 0.0
        self._no_project: str | None = None

    def why_not(self) -> str:
        """As `why_not`; looked at anew each time, for some microseconds."""
        return why_not()

    def available(self) -> bool:
        return not self.why_not()

    def why_not_project(self) -> str:
        """What keeps commands from being confined to a project; found out once, by confining `true`."""
        if self._no_project is None:
            self._no_project = self.why_not() or self._tried()
        return self._no_project

    @property
    def client(self) -> Path:
        """The program that confines. An AppImage's own folder is gone when it ends; a copy of it stays."""
        native = native_programs() / NAME
        if own_appimage() is None:
            return native
        copy = self._paths.hook_client / NAME
        if not copy.is_file() or copy.read_bytes() != native.read_bytes():
            write_atomically(copy, native.read_bytes())
            copy.chmod(0o700)
        return copy

    def rewritten(
        self,
        command: str,
        confinement: Confinement,
        call: str,
        session: str = "",
        shell: str = SHELL,
        follows: bool = True,
    ) -> str:
        """A line for the agent's shell that runs `command` in a confined bash, or a `shell` like it.

        Its exit code is the command's. Where the command changes the folder, the agent's shell `follows`.
        Raises UserFacing for a line that would be too long, and OSError where no report can be made.
        """
        self._tidy()
        report = self._report(call)
        for file in (report, _refusals_of(report)):
            file.unlink(missing_ok=True)
        words = self._words(confinement, report, confinement.temporary or self._scratch(session))
        if not follows or CHANGES_FOLDER.search(command) is None:
            return _short_enough(shlex.join([*words, "--", shell, "-c", command]))
        told = f"trap 'printf %s \"$PWD\" >&{FOLDER_DESCRIPTOR}' EXIT; {command}"
        line = shlex.join([*words, "--folder", "--", shell, "-c", told])
        place = shlex.quote(str(report))
        follow = f'[ -s {place} ] && cd -- "$(cat {place})"'
        return _short_enough(f'{line}; _steward=$?; {follow}; (exit "$_steward")')

    def words(self, confinement: Confinement, command: tuple[str, ...]) -> tuple[str, ...]:
        """To start `command` confined without a shell, and without a report."""
        return (*self._words(confinement, None, confinement.temporary or self._scratch("")), "--", *command)

    def did_run(self, call: str) -> bool:
        """Whether the line of this call was started, in its confined form."""
        return self._report(call).exists()

    def refusals(self, call: str) -> tuple[Refusal, ...]:
        """What its supervisor refused so far, in order; of a command that only reads there is none."""
        place = _refusals_of(self._report(call))
        if not place.is_file():
            return ()
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
        return tuple(Refusal(*line.split("\t", 1)) for line in lines if "\t" in line)

    def forget(self, call: str) -> None:
        """The call is settled; its report is no longer needed."""
        report = self._report(call)
        for file in (report, _refusals_of(report)):
            file.unlink(missing_ok=True)

    def _words(self, confinement: Confinement, report: Path | None, temporary: Path) -> list[str]:
        ensure(temporary.parent)
        words = [str(self.client), f"--{confinement.mode}", "--network", confinement.network.value]
        words += ["--temp", str(temporary)]
        name, options = _options(confinement)
        if options:
            words += ["--options", str(self._kept_options(name, options))]
        return [*words, "--report", str(report)] if report is not None else words

    def _tried(self) -> str:
        trial = Confinement(Mode.PROJECT, NetworkAccess.LOOPBACK)
        words = self.words(trial, ("true",))
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, cwd="/", timeout=TRIAL_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"Commands cannot be confined to a project here: {error}."
        if not done.returncode:
            return ""
        if apparmor.restricts_namespaces():
            way_out = apparmor.way_out(self.client)
            return f"Ubuntu's AppArmor keeps commands from being confined to a project. {way_out}"
        return f"Commands cannot be confined to a project here: {done.stderr.strip()}"

    def _report(self, call: str) -> Path:
        return ensure(self._reports) / _digest(call)

    def _scratch(self, session: str) -> Path:
        """Made by the client; for all commands of a session that only read."""
        return self._scratches / _digest(session)

    def _kept_options(self, name: str, content: bytes) -> Path:
        """A file with what is too long for a line."""
        place = self._options / name
        if not place.is_file():
            write_atomically(place, content)
        return place

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


@functools.lru_cache(maxsize=16)
def _options(confinement: Confinement) -> tuple[str, bytes]:
    """The name and the content of the file of options; the same content has the same name."""
    content = "".join(f"{word}\0" for word in _option_words(confinement)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(content).hexdigest()[:32], content


def _option_words(confinement: Confinement) -> Iterator[str]:
    named = {
        "--writable": confinement.writable,
        "--hide": confinement.hidden,
        "--show": confinement.readable,
        "--protect": confinement.protected,
        "--share": (SCRATCH,) if confinement.scratch else (),
        "--own": confinement.scratch,
        "--set": confinement.variables,
    }
    for name, values in named.items():
        for value in values:
            yield from (name, str(value))


def _refusals_of(report: Path) -> Path:
    return report.with_name(f"{report.name}.refused")


def _short_enough(line: str) -> str:
    if len(line.encode("utf-8", "surrogatepass")) > LONGEST_BYTES or "\0" in line:
        raise UserFacing(
            "This command is too long to be run confined.",
            NOTHING_TOUCHED,
            "Put it into a file, or split it.",
            code="confine-too-long",
        )
    return line


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
