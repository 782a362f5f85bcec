"""An attacker swaps links and folders while reads and writes run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.sandbox.checked_folder import CheckedFolder
from desktop.sandbox.folder import Folder
from desktop.sandbox.held_folder import HeldFolder
from tests.sandbox.conftest import SECRET, House

# Another process, because threads of one interpreter take turns. RENAME_EXCHANGE (2) swaps in one step, so
# that there is no moment in which the name is missing.
ATTACKER = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
os.chdir(sys.argv[1])
print("ready", flush=True)
pairs = [(b"folder", b"folder-link"), (b"real/file.txt", b"file-link"), (b"deep/a", b"deep-link")]
while os.getppid() == int(sys.argv[2]):
    for one, other in pairs:
        libc.renameat2(-100, one, -100, other, 2)
"""


@contextmanager
def attacker(inside: Path) -> Iterator[None]:
    import os

    command = [sys.executable, "-I", "-S", "-c", ATTACKER, str(inside), str(os.getpid())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def _prepare(house: House) -> None:
    for name in ("folder", "real", "deep/a"):
        (house.inside / name).mkdir(parents=True)
        (house.inside / name / "secret.txt").write_bytes(b"inside")
        (house.inside / name / "file.txt").write_bytes(b"inside")
    (house.inside / "folder-link").symlink_to(house.outside)
    (house.inside / "file-link").symlink_to(house.outside / "secret.txt")
    (house.inside / "deep-link").symlink_to(house.outside)


def _uses(folder: Folder) -> tuple[Callable[[], object], ...]:
    def write_then_remove(*parts: str) -> None:
        folder.write(parts, b"x")
        folder.remove(parts)

    return (
        lambda: folder.read(("folder", "secret.txt")),
        lambda: folder.read(("real", "file.txt")),
        lambda: folder.read(("deep", "a", "secret.txt")),
        lambda: [
            entry.name for entry in folder.entries(("folder",)) if entry.facts.size_bytes == len(SECRET)
        ],
        lambda: folder.write(("real", "file.txt"), b"inside"),
        lambda: write_then_remove("folder", "new.txt"),
        lambda: write_then_remove("deep", "a", "new.txt"),
        lambda: folder.make_folder(("folder", "made")),
        lambda: folder.move(("folder", "secret.txt"), folder, ("folder", "moved.txt")),
        lambda: folder.move(("folder", "moved.txt"), folder, ("folder", "secret.txt")),
        lambda: folder.remove(("folder", "made")),
    )


def _run(house: House, tries: int, least: int) -> None:
    """At least so many uses, of which at least `least` go through and as many are refused; fails at the first
    escape. Who is busy with other things than swapping is waited for.

    A folder that is only checked promises this for reading files.
    """
    done = refused = 0
    kind = HeldFolder if house.is_held else CheckedFolder
    with kind(house.inside, sync=lambda _: None) as folder, attacker(house.inside):
        uses = _uses(folder) if house.is_held else _uses(folder)[:3]
        while done + refused < tries or min(done, refused) < least:
            try:
                result = uses[(done + refused) % len(uses)]()
            except UserFacing:
                refused += 1
            else:
                assert result != SECRET
                assert result != ["secret.txt"]
                done += 1


def test_links_swapped_in_between_never_lead_out(house: House) -> None:
    """In a few thousand tries nothing outside is read, written, moved, removed or listed."""
    _prepare(house)
    _run(house, tries=2_000, least=1)
    assert house.untouched()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_links_swapped_in_between_never_lead_out_in_100_000_tries(house: House) -> None:
    """The same at length; both outcomes must be common, or the attacker was asleep."""
    _prepare(house)
    _run(house, tries=100_000, least=5_000)
    assert house.untouched()
