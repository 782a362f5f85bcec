"""A workspace with something outside it that must stay out of reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bootstrap.native import build_native
from desktop.paths import Paths
from desktop.sandbox import confiner, held_folder
from desktop.sandbox import workspace as module
from desktop.sandbox.workspace import CheckedFolder, Workspace
from tests.sandbox.confined import Box

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
        monkeypatch.setattr(held_folder, "HAS_OPENAT2", False)
    elif not held_folder.HAS_OPENAT2:
        pytest.skip("this kernel has no openat2")
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    workspace = Workspace(inside)
    yield House(workspace, inside, outside, request.param != "checked")
    workspace.close()


@pytest.fixture(scope="session")
def confining() -> None:
    """The native client is compiled and this system has what it needs."""
    build_native()
    if reason := confiner.why_not():
        pytest.skip(str(reason))


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confining: None) -> Box:
    """A home of its own, with something outside the project that must stay as it is."""
    made = Box(tmp_path / "home", Paths.under(tmp_path / "profile"))
    monkeypatch.setenv("HOME", str(made.home))
    made.project.mkdir(parents=True)
    made.outside.mkdir()
    (made.outside / "kept.txt").write_bytes(SECRET)
    return made
