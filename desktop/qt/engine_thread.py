"""The engine's owner thread inside the app."""

from __future__ import annotations

from PySide6.QtCore import QObject, QThread

from desktop.engine.engine import Engine


class EngineThread(QThread):
    """Runs the engine's loop; nothing else happens on this thread."""

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self.setObjectName("engine")

    def run(self) -> None:
        """The body of the thread: returns when the engine is closed."""
        self._engine.run()

    def close(self) -> None:
        """End the loop and wait for it. Called on the main thread."""
        self._engine.close()
        self.wait()
