"""The composition root: the only room that knows everybody. `core` is without Qt, `desktop` adds it."""

from desktop.app.core import Core
from desktop.app.desktop import Demo, run_desktop
from desktop.app.logs import LogFormat, end_logging, start_logging

__all__ = ["Core", "Demo", "LogFormat", "end_logging", "run_desktop", "start_logging"]
