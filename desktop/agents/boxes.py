"""The boxes of agents' commands: from what the gate decided to the confining client's words."""

from __future__ import annotations

from desktop.agents.confined_runs import Box
from desktop.gate.policy import Confined
from desktop.paths import Paths
from desktop.sandbox.confine import Confinement, Confiner, read_only


class NativeBoxes:
    """See `confined_runs.Boxes`. Methods may be called on any thread."""

    def __init__(self, confiner: Confiner, paths: Paths) -> None:
        self._confiner = confiner
        self._paths = paths

    @property
    def are_offered(self) -> bool:
        return self._confiner.available()

    def line(self, box: Box, command: str, call: str) -> str:
        """See Boxes."""
        confinement = self._confinement(box)
        return self._confiner.rewritten(command, confinement, call, box.session)

    def did_run(self, call: str) -> bool:
        return self._confiner.did_run(call)

    def forget(self, call: str) -> None:
        self._confiner.forget(call)

    def _confinement(self, box: Box) -> Confinement:
        if box.confined is Confined.PROJECT:
            raise OSError("a command cannot be held to a project here")
        return read_only(self._paths, box.uses_network)
