"""A workspace with something outside it that must stay out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.sandbox import beneath
from desktop.sandbox import workspace as module
from desktop.sandbox.checked_folder import CheckedFolder
from desktop.sandbox.workspace import Workspace

SECRET = b"what must never be read"


@dataclass(frozen=True)
class House:
    """A workspace on disk, and a folder beside it with a secret."""

    workspace: Workspace
    inside: Path
    outside: Path
    is_held: bool  # by a descriptor

    def untouched(self) -> bool:
        """Whether the folder outside is as it was made."""
        names = [path.name for path in self.outside.iterdir()]
        return names == ["secret.txt"] and (self.outside / "secret.txt").read_bytes() == SECRET


@pytest.fixture(params=["openat2", "walk", "checked"])
def house(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """With the kernel's call, with the walk that other systems use, and with what Windows gets."""
    if request.param == "checked":
        monkeypatch.setattr(module, "hold", CheckedFolder)
    elif request.param == "walk":
        monkeypatch.setattr(beneath, "HAS_OPENAT2", False)
    elif not beneath.HAS_OPENAT2:
        pytest.skip("this kernel has no openat2")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    workspace = Workspace(inside)
    yield House(workspace, inside, outside, request.param != "checked")
    workspace.close()
