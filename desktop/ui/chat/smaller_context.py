"""A way out where the memory is too small for the model's context: a smaller one, by one click."""

from __future__ import annotations

from collections.abc import Callable

from desktop.engine.engine import Engine
from desktop.qt.background import Background
from desktop.settings import SettingsFile
from desktop.ui.error_card import Action
from desktop.ui.language import tr

MEMORY_ERRORS = frozenset({"context-too-large", "model-too-large"})


class SmallerContext:
    """Changes the setting of the context's size. Main thread only."""

    def __init__(self, engine: Engine, settings_file: SettingsFile, background: Background) -> None:
        self._engine = engine
        self._file = settings_file
        self._background = background

    def actions(self, again: Callable[[], None]) -> tuple[Action, ...]:
        """A button "Use 4,096 tokens" that does so, for every chat, and asks `again`; none where no smaller
        context would help."""
        tokens = self._engine.smaller_context()
        if not tokens:
            return ()

        def use() -> None:
            self._background.run(
                self._file.change, "model", "context_tokens", tokens, done=lambda _changed: again()
            )

        return ((tr("Use {tokens:,} tokens", tokens=tokens), use),)
