"""What a window with conversations works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from desktop.chat.store import ChatStore
from desktop.chat.turns import Turns
from desktop.engine.engine import Engine
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.ui.undo import UndoController


@dataclass(frozen=True)
class ChatServices:
    """Where conversations are kept, who answers in them, and how windows hear of it. Any window may have it.

    `relay` tells on the main thread what happened; `background` does what must not hold that thread up;
    `today` is the day where the user is.
    """

    store: ChatStore
    turns: Turns
    engine: Engine
    settings: SettingsFile
    relay: Relay
    background: Background
    today: Callable[[], date] = date.today


@dataclass(frozen=True)
class ToolFiles:
    """The files that tools name: `locate` says where one is that was named in a conversation (0: in none),
    `undo_controller` takes back what was done.

    Without `undo_controller` nothing is taken back in this window.
    """

    undo_controller: UndoController | None = None
    locate: Callable[[str, int], Path] = lambda where, _conversation: Path(where)
