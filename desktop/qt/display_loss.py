"""The end of the display: its server has crashed, or the session was torn down around the program.

Qt tells of it in one warning and then ends the process where it stands, with threads at work. That takes what
they had not written yet, and Python, torn down under them, may crash on top. So what has to be kept is kept
when the warning comes, and the process ends here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)

# What Qt's plugins for X11 and Wayland write before they end the process.
WARNINGS = ("The X11 connection broke", "The Wayland connection")
STATUS = 1  # that of Qt
KEPT_WITHIN_S = 10.0  # of a program whose windows are gone nobody expects more


class DisplayLoss:
    """Hears Qt's messages. Main thread."""

    def __init__(self, end: Callable[[int], None] = os._exit) -> None:
        """`end` ends the process at once with a status."""
        self._end = end
        self._keep: Callable[[], object] = lambda: None
        self._is_ending = False

    def keep_by(self, keep: Callable[[], object]) -> None:
        """What is called before the end, with no window to be seen any more."""
        self._keep = keep

    def hear(self, text: str) -> bool:
        """Whether the message told of the end of the display; the process has ended then."""
        if not text.startswith(WARNINGS):
            return False
        if self._is_ending:  # the windows that are closed meanwhile find no display either
            return True
        self._is_ending = True
        log.error("the display is gone: Steward ends, what was typed and answered is kept", text=text)
        late = threading.Timer(KEPT_WITHIN_S, self._end, (STATUS,))
        late.daemon = True
        late.start()
        try:
            self._keep()
        except Exception as error:
            # All of it is taken down under a running loop: one part that refuses must not keep the process.
            log.info("a part did not end in order", reason=str(error))
        finally:
            late.cancel()
            self._end(STATUS)
        return True
