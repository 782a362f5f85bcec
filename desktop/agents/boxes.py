"""The boxes of agents' commands: from what the gate decided to the confining client's words."""

from __future__ import annotations

import time
from collections.abc import Callable

from desktop.agents.confined_runs import Box
from desktop.agents.events import Refused
from desktop.gate.policy import Confined
from desktop.paths import Paths
from desktop.sandbox.confine import Confinement, Confiner, in_project, read_only

LOOKED_UP_EVERY_S = 5.0  # which of the hidden folders hold something that may be read


class NativeBoxes:
    """See `confined_runs.Boxes`. Methods may be called on any thread."""

    def __init__(self, confiner: Confiner, paths: Paths, now: Callable[[], float] = time.monotonic) -> None:
        self._confiner = confiner
        self._paths = paths
        self._now = now
        self._reading: dict[bool, tuple[float, Confinement]] = {}

    @property
    def are_offered(self) -> bool:
        return self._confiner.available()

    def line(self, box: Box, command: str, call: str) -> str:
        """See Boxes."""
        confinement = self._confinement(box)
        return self._confiner.rewritten(command, confinement, call, box.session)

    def did_run(self, call: str) -> bool:
        return self._confiner.did_run(call)

    def refusals(self, call: str) -> tuple[Refused, ...]:
        """See Boxes."""
        return tuple(Refused(each.kind, each.what) for each in self._confiner.refusals(call))

    def forget(self, call: str) -> None:
        self._confiner.forget(call)

    def _confinement(self, box: Box) -> Confinement:
        if box.confined is Confined.PROJECT:
            if reason := self._confiner.why_not_project():
                raise OSError(reason)
            return in_project(self._paths, box.project)
        known = self._reading.get(box.uses_network)
        now = self._now()
        if known is None or now - known[0] > LOOKED_UP_EVERY_S:
            known = self._reading[box.uses_network] = (now, read_only(self._paths, box.uses_network))
        return known[1]
