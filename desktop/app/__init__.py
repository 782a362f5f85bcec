"""The composition root: the only room that knows everybody. `services` is without Qt, `desktop` adds it."""

from desktop.app.core import build_core
from desktop.app.desktop import Demo, run_desktop
from desktop.app.logs import LogFormat, end_logging, start_logging
from desktop.app.services import Services

__all__ = [
    "Demo",
    "LogFormat",
    "Services",
    "build_core",
    "end_logging",
    "run_desktop",
    "start_logging",
]
