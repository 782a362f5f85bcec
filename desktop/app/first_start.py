"""The first start of a checkout: the window is open, and the rest of Steward is installed behind it.

Only what the first window needs is imported until then; the tray can open it and quit, and nothing else.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.network import NetworkReason, RequestRecord
from desktop.system.installation import Installation, Ran, awaited_packages

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance
    from qasync import QEventLoop

    from desktop.app.windows import DesktopServices, Windows


class FirstStart:
    """Until everything is there. Main thread only."""

    def __init__(self, shared: DesktopServices, windows: Windows, program: Path) -> None:
        """`program` sets up the rest (the checkout's dev.py)."""
        self._windows = windows
        self._program = program
        self._tray = shared.tray
        self._ended = asyncio.Event()
        self._quit = False
        self.installation = Installation(program)
        shared.ending.callback(self.installation.close)

    def run(self, loop: QEventLoop, quit_requested: SignalInstance, asked: SignalInstance) -> bool:
        """`live`, which the end of the session and Ctrl+C end, and a later start brings to the front."""
        from PySide6.QtCore import QObject

        from desktop.qt.interrupts import Interrupts

        interrupts = Interrupts(self.quit)
        ends = quit_requested.connect(self.quit)
        shows = asked.connect(lambda _later: self.show())
        try:
            return bool(loop.run_until_complete(self.live()))
        finally:
            interrupts.close()
            QObject.disconnect(ends)
            QObject.disconnect(shows)

    async def live(self) -> bool:
        """Show the window; returns whether everything is there, or the user has quit before."""
        core = self._windows.core
        self.installation.done.connect(self._ended.set)
        self.installation.ended.connect(self._note_traffic)
        opened = (self._tray.open_requested, self._tray.toggle_requested)
        with awaited_packages():
            window = self._windows.first_run_window
            window.follow(self.installation)
            # What is chosen now has to be true after a kill, too.
            window.offer_setup(lambda: self._windows.first_setup(self._program))
            if any(not model.is_missing for model in core.library.installed()):
                window.wait_for_chat()
            for signal in opened:
                signal.connect(self.show)
            self._tray.quit_requested.connect(self.quit)
            self._tray.availability_changed.connect(self._stay_reachable)
            self._tray.offer_only_opening(True)
            self.installation.start()
            self.show()
            await self._ended.wait()
        for signal in opened:
            signal.disconnect(self.show)
        self._tray.quit_requested.disconnect(self.quit)
        self._tray.availability_changed.disconnect(self._stay_reachable)
        if self._quit:
            window.hide()
            return False
        self._tray.offer_only_opening(False)
        return True

    def _note_traffic(self, ran: Ran) -> None:
        """What another program of ours fetched stands on the Network page like everything else."""
        why = NetworkReason.FOR_SET_UP.of()
        outcome = f"exit {ran.exit_code}"
        record = RequestRecord(ran.begun_at, "PIP", "", "", outcome, ran.seconds, why, ran.received_bytes)
        self._windows.core.network.note_sent(record)

    def _stay_reachable(self, has_tray: bool) -> None:
        """A closed window without a tray could be opened by nothing."""
        if not has_tray and not self._windows.first_run_window.isVisible():
            self.show()

    def show(self) -> None:
        """The window, in front."""
        self._windows.first_run_window.show_and_raise()

    def quit(self) -> None:
        """End `live`; the next start goes on with the set-up."""
        self._quit = True
        self._ended.set()
