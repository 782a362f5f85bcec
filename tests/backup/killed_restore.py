"""A restore that ends itself at one of its steps. It is forked, by `tests.plug.fork_server`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop.backup import restore
from desktop.paths import Paths
from tests.backup.conftest import KNOWN


def main(backup: str, profile: str, steps: str) -> None:
    """kill -9 right before the step of this number, where there are so many; else to the end."""
    left = int(steps)

    def counting(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return function(*arguments, **more)

        return counted

    os.replace = counting(os.replace)
    os.fsync = counting(os.fsync)
    Path.unlink = counting(Path.unlink)  # type: ignore[method-assign]
    paths = Paths.under(Path(profile))
    restore.prepare(Path(backup), paths, KNOWN)
    restore.finish(paths)
