"""The boxes of agents' commands: from what the gate decided to the confining client's words."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from desktop.agents.confined_runs import Box
from desktop.agents.events import Refused
from desktop.gate.policy import Confined
from desktop.network.index_proxy import IndexProxy
from desktop.paths import Paths
from desktop.sandbox.confiner import Confinement, Confiner, in_project, read_only, with_scratch

MOST_CALLS = 1000  # of projects, whose refusals are still to be told
LOOKED_UP_EVERY_S = 5.0  # what of the table is there


class NativeBoxes:
    """See `confined_runs.Boxes`. Methods may be called on any thread."""

    def __init__(
        self,
        confiner: Confiner,
        paths: Paths,
        proxy: Callable[[], IndexProxy],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`proxy` gives the way out to package indexes; it is first asked for by a command of a project."""
        self._confiner = confiner
        self._paths = paths
        self._proxy = proxy
        self._projects: OrderedDict[str, str] = OrderedDict()  # of calls that run in one
        self._now = now
        self._looked_up: OrderedDict[tuple[Path | None, bool], tuple[float, Confinement]] = OrderedDict()

    @property
    def are_offered(self) -> bool:
        return self._confiner.available()

    @property
    def hold_projects(self) -> bool:
        return not self._confiner.why_not_project()

    def line(self, box: Box, command: str, call: str) -> str:
        """See Boxes."""
        confinement = with_scratch(self._confinement(box), box.scratch)
        if box.confined is Confined.PROJECT:
            self._projects[call] = str(box.project)
            while len(self._projects) > MOST_CALLS:
                self._projects.popitem(last=False)
        follows = box.keeps_folder
        return self._confiner.rewritten(command, confinement, call, box.session, follows=follows)

    def did_run(self, call: str) -> bool:
        return self._confiner.did_run(call)

    def refusals(self, call: str) -> tuple[Refused, ...]:
        """See Boxes. A host that the proxy refused is told with the first call that ends after it."""
        project = self._projects.get(call)
        hosts = self._proxy().take_refused(project) if project is not None else ()
        refused = tuple(Refused(each.kind, each.what) for each in self._confiner.refusals(call))
        return refused + tuple(Refused("connection", host) for host in hosts)

    def forget(self, call: str) -> None:
        self._projects.pop(call, None)
        self._confiner.forget(call)

    def _confinement(self, box: Box) -> Confinement:
        key = (box.project if box.confined is Confined.PROJECT else None, box.uses_network)
        known, now = self._looked_up.get(key), self._now()
        if known is None or now - known[0] > LOOKED_UP_EVERY_S:
            known = self._looked_up[key] = (now, self._look_up(box))
            while len(self._looked_up) > MOST_CALLS:
                self._looked_up.popitem(last=False)
        return known[1]

    def _look_up(self, box: Box) -> Confinement:
        if box.confined is not Confined.PROJECT:
            return read_only(self._paths, box.uses_network)
        if reason := self._confiner.why_not_project():
            raise OSError(str(reason))
        return in_project(self._paths, box.project, self._proxy().address(str(box.project)))
