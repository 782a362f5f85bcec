"""How far a set-up is and why it failed, in lines of JSON for the window that shows it.

    {"step": "packages", "bytes": 31000000, "of_bytes": 58000000, "share": 0.4, "left_s": 11.2}
    {"step": "unpacking", "count": 12, "of": 47, "share": 0.7, "left_s": 4.0}
    {"failed": "offline", "detail": "…", "log": "/…/installing-packages.log"}
    {"done": true}

`left_s` and `share` (of everything, 0 to 1) are absent until something was measured in this very run. The
words for people are the window's (desktop/system/installation.py).
"""

from __future__ import annotations

import errno
import json
import re
import shutil
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from bootstrap.llama import COMPILING
from bootstrap.plan import Plan
from bootstrap.programs import Stop, cache_folder, last_line

UNPACKING = "Unpacking packages"  # what pip does after it has fetched all of them, as a step of its own
STEPS = (  # by the beginnings of titles, the first that fits
    ("Installing llama.cpp", "engine-installing"),
    ("Installing system packages", "system"),
    ("Reading the list of system packages", "system"),
    ("Installing", "packages"),
    (COMPILING, "compiling"),
    ("Fetching", "engine"),
    ("Trying", "trying"),
)
# In the order in which they are looked for: a full disk breaks a line off, too.
CAUSES = (
    (
        "disk-full",
        re.compile(r"no space left on device|errno 28\b|ENOSPC|not enough space on the disk", re.I),
    ),
    ("wrong-hash", re.compile(r"do not match the hashes", re.I)),
    (
        "offline",
        re.compile(
            r"name resolution|getaddrinfo|failed to establish a new connection|"
            r"connection (?:broken|aborted|reset|refused)|network is unreachable|timed out|incompleteread|"
            r"incomplete-download|proxyerror|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|"
            r"could not find a version",
            re.I,
        ),
    ),
)
UNPACKING_BEGINS = re.compile(r"^Installing collected packages: (.*)", re.MULTILINE)
LONGEST_DETAIL = 160  # characters
LEAST_MEASURED_S, LEAST_SHARE = 1.0, 0.05  # what is less says nothing about a rate


class Telling:
    """Follows a plan on the thread that works it off; a window that is gone raises BrokenPipeError."""

    def __init__(
        self,
        out: TextIO,
        plan: Plan,
        expected_bytes: int,
        packages: Path,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`expected_bytes`: what the packages have together. `packages`: the folder that they go into."""
        self._out, self._plan, self._clock = out, plan, clock
        self._expected_bytes = expected_bytes
        self._packages = packages
        self._installed = _installed(packages)
        self._begun = clock()
        self._step_begun, self._title = self._begun, ""
        self._share = 0.0
        self.arriving = arriving()

    def look(self, title: str, log: Path) -> None:
        """See `Listener`."""
        if title != self._title:
            self._title, self._step_begun = title, self._clock()
        step = next((word for start, word in STEPS if title.startswith(start)), "packages")
        news: dict[str, object] = {"step": step}
        share = self._look_at_packages(log, news) if step == "packages" else last_line(log)[1]
        self._say_time(news, share)
        tell(self._out, news)

    def _look_at_packages(self, log: Path, news: dict[str, object]) -> float:
        unpacking = UNPACKING_BEGINS.search(log.read_text(encoding="utf-8", errors="replace"))
        if unpacking is None:
            size = folder_bytes(self.arriving)
            news |= {"bytes": size, "of_bytes": max(size, self._expected_bytes)}
            return min(size / self._expected_bytes, 0.95)  # how many bytes there are is known about
        if self._plan.running != UNPACKING:
            self._plan.end()
            self._plan.begin(UNPACKING)
            self._step_begun = self._clock()
        wanted = len(unpacking[1].split(","))
        # Also over what a killed set-up has left there, hence not by their number.
        count = min(len(_installed(self._packages) - self._installed), wanted)
        news |= {"step": "unpacking", "count": count, "of": wanted}
        return count / wanted

    def _say_time(self, news: dict[str, object], share: float | None) -> None:
        """Only what was measured here: a step that has ended, or a part of the running one."""
        now = self._clock()
        is_enough = share is not None and share >= LEAST_SHARE and now - self._step_begun >= LEAST_MEASURED_S
        known = share if is_enough else None
        if not self._plan.is_measured and known is None:
            return
        left_s = self._plan.left_s(known)
        spent = now - self._begun
        # A bar that goes back is taken for a fault, so it waits where the estimate grows.
        self._share = max(self._share, spent / max(spent + left_s, 0.001))
        news |= {"left_s": round(left_s, 1), "share": round(self._share, 3)}


def _installed(folder: Path) -> set[tuple[str, int]]:
    """Every package in it, with the moment at which it was."""
    return {(path.name, path.stat().st_mtime_ns) for path in folder.glob("*.dist-info")}


def tell(out: TextIO, news: dict[str, object]) -> None:
    """One line, at once."""
    out.write(json.dumps(news) + "\n")
    out.flush()


def arriving() -> Path:
    """An empty folder for what programs fetch; what a killed set-up left in its own is deleted."""
    base = cache_folder()
    base.mkdir(parents=True, exist_ok=True)
    for left_over in base.glob("arriving-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    return Path(tempfile.mkdtemp(dir=base, prefix="arriving-"))


def folder_bytes(folder: Path) -> int:
    """Of all wheels below it, also of those that are on their way."""
    total = 0
    for path in folder.rglob("*.whl"):
        try:
            total += path.stat().st_size
        except OSError:  # unpacked and gone between the two
            continue
    return total


def failure(error: Stop | OSError) -> dict[str, object]:
    """What the window makes a sentence of."""
    words = str(error)
    if isinstance(error, OSError):
        return {"failed": "disk-full" if error.errno == errno.ENOSPC else "other", "detail": words, "log": ""}
    if error.code == 3:
        command = next((line.strip() for line in words.splitlines() if line.startswith("  ")), words)
        return {"failed": "by-hand", "detail": command, "log": ""}
    named = re.search(r"All of it: (.+)", words)
    log = Path(named[1]) if named else None
    # The end of a log alone may be a list of hashes that would have been right.
    whole = log.read_text(encoding="utf-8", errors="replace") if log is not None and log.is_file() else words
    kind = next((name for name, pattern in CAUSES if pattern.search(whole)), "other")
    return {"failed": kind, "detail": _last_said(whole), "log": str(log or "")}


def _last_said(log: str) -> str:
    """The error that a program named as such, else its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(?:npm )?error\b", line, re.IGNORECASE)]
    return textwrap.shorten((errors or lines or [""])[-1], LONGEST_DETAIL, placeholder=" …")
