"""A workspace with something outside it that must stay out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.sandbox import beneath
from desktop.sandbox.workspace import Workspace

SECRET = b"what must never be read"


@dataclass(frozen=True)
class House:
    """A workspace on disk, and a folder beside it with a secret."""

    workspace: Workspace
    inside: Path
    outside: Path

    def untouched(self) -> bool:
        """Whether the folder outside is as it was made."""
        names = [path.name for path in self.outside.iterdir()]
        return names == ["secret.txt"] and (self.outside / "secret.txt").read_bytes() == SECRET


@pytest.fixture(params=["openat2", "walk"])
def house(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """Once with the kernel's call and once with the walk that other systems use."""
    if request.param == "walk":
        monkeypatch.setattr(beneath, "HAS_OPENAT2", False)
    elif not beneath.HAS_OPENAT2:
        pytest.skip("this kernel has no openat2")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    workspace = Workspace(inside)
    yield House(workspace, inside, outside)
    workspace.close()
