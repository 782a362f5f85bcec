"""The extensions that come with Steward, and the skeleton: their recorded calls come out as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.extensions.authoring import run_recorded, shipped, write_skeleton
from desktop.extensions.manifest import read_manifest


@pytest.mark.parametrize("name", ["expand", "table", "units"])
def test_its_recorded_calls_come_out(name: str) -> None:
    """In the real confined process."""
    tried = list(run_recorded(shipped()[name]))
    assert len(tried) >= 3
    assert [each for each in tried if not each.passed] == []


def test_these_are_shipped_and_none_asks_for_the_network() -> None:
    """Units, text expansion and a table from a tag."""
    found = {name: read_manifest(folder) for name, folder in shipped().items()}
    assert sorted(found) == ["expand", "table", "units"]
    assert all(each.id == name and not each.permissions.hosts for name, each in found.items())


def test_the_skeleton_works_and_a_wrong_expectation_is_told(tmp_path: Path) -> None:
    """Its recorded calls pass; one that is changed fails with what came instead."""
    folder = tmp_path / "my-first"
    write_skeleton(folder)
    assert read_manifest(folder).id == "my-first"
    said: list[str] = []
    assert all(each.passed for each in run_recorded(folder, said.append))
    assert said == ["call 1", "call 2"]
    calls = folder / "calls.toml"
    calls.write_text(calls.read_text(encoding="utf-8").replace('gives = "Hello. ~"', 'gives = "Hello."'))
    first, second = run_recorded(folder)
    assert (first.passed, first.got) == (False, "Hello. ~")
    assert second.passed


def test_a_folder_that_is_there_is_not_written_to(tmp_path: Path) -> None:
    """The skeleton never replaces anything, and its name has to be one for an id."""
    with pytest.raises(UserFacing) as refused:
        write_skeleton(tmp_path)
    assert refused.value.code == "extension-folder"
    with pytest.raises(UserFacing):
        write_skeleton(tmp_path / "9 lives")
