"""What the user said a moment ago, for agents that ask twice about the same call.

Claude Code fires PreToolUse and then, where it would ask by itself, PermissionRequest; Codex the same. The
second is answered like the first. A yes is good for one such second question and nothing else: not for the
same command run again. A no holds for any repetition in that time.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from desktop.agents.action import Action, Choice, Moment
from desktop.agents.case import Outcome, fingerprint
from desktop.agents.events import By

LASTS_S = 10.0
MOST = 500


@dataclass(frozen=True)
class _Past:
    outcome: Outcome
    moment: Moment
    at: float


class Answers:
    """Methods may be called on any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._past: OrderedDict[str, _Past] = OrderedDict()

    def remember(self, action: Action, outcome: Outcome) -> None:
        """The user, or nobody, has answered."""
        with self._lock:
            self._past[fingerprint(action, str(action.folder))] = _Past(outcome, action.moment, self._now())
            if len(self._past) > MOST:
                self._past.popitem(last=False)

    def recall(self, action: Action) -> Outcome | None:
        """What holds for `action` too. Its `by` is USER or NOBODY."""
        key = fingerprint(action, str(action.folder))
        with self._lock:
            past = self._past.get(key)
            if past is None or self._now() - past.at > LASTS_S:
                return None
            if past.outcome.by is By.USER and past.outcome.choice is Choice.DENY:
                return past.outcome
            if past.moment is not Moment.BEFORE or action.moment is not Moment.PERMISSION:
                return None
            del self._past[key]
        return past.outcome
