"""Boxes without a kernel's help: the line really runs, and reports by making a file as the client does."""

from __future__ import annotations

import shlex
from pathlib import Path

from desktop.agents.confined_runs import Box
from desktop.agents.events import ConfinementRefused


class FakeBoxes:
    """`boxes` are those that were asked for; with `offered` False there are none, with `fails` they raise.

    With `hold_projects` False they are boxes to read in alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(exist_ok=True)
        self.offered = True
        self.hold_projects = True
        self.fails: Exception | None = None
        self.refused: tuple[ConfinementRefused, ...] = ()
        self.boxes: list[Box] = []

    @property
    def are_offered(self) -> bool:
        return self.offered

    def line(self, box: Box, command: str, call: str) -> str:
        if self.fails is not None:
            raise self.fails
        self.boxes.append(box)
        return shlex.join(["/bin/bash", "-c", f'touch {self.folder}/{call}; exec /bin/bash -c "$0"', command])

    def did_run(self, call: str) -> bool:
        return (self.folder / call).exists()

    def refusals(self, call: str) -> tuple[ConfinementRefused, ...]:
        return self.refused if call else ()

    def forget(self, call: str) -> None:
        (self.folder / call).unlink(missing_ok=True)
