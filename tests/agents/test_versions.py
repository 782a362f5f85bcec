"""The version of an agent, told by where its program lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.agents.versions import LOOKED_UP_EVERY_S, Versions, version_at


def program(folder: Path, place: str) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    return path


def package(folder: Path, place: str, version: object) -> None:
    (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / place / "package.json").write_text(json.dumps({"name": "x", "version": version}))


@pytest.mark.parametrize(
    "place",
    [
        "lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
        "lib/node_modules/@google/gemini-cli/bundle/gemini.js",
        "lib/node_modules/opencode-ai/bin/opencode",
    ],
)
def test_a_package_of_the_registry_tells_its_version(tmp_path: Path, place: str) -> None:
    """By the package.json above the program, through the link on PATH."""
    real = program(tmp_path, place)
    package(tmp_path, place.rpartition("/")[0].rpartition("/")[0], "2.1.197")
    package(tmp_path, "lib", "9.9.9")  # whose it is not
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(real)
    assert version_at(link) == "2.1.197"


@pytest.mark.parametrize(
    ("place", "version"),
    [
        ("share/claude/versions/2.1.197", "2.1.197"),
        ("Cellar/codex/0.169.0/bin/codex", "0.169.0"),
        ("opt/agent-1.2.3-beta.1/bin/agent", ""),
        ("opt/1.2.3-beta.1/bin/agent", "1.2.3-beta.1"),
        ("usr/bin/agent", ""),
    ],
)
def test_other_installers_name_a_folder_after_it(tmp_path: Path, place: str, version: str) -> None:
    """Or nothing does, and then it is not known."""
    assert version_at(program(tmp_path, place)) == version


@pytest.mark.parametrize("version", [3, None, "latest", "1.2"])
def test_a_package_without_a_version_tells_none(tmp_path: Path, version: object) -> None:
    """What is no version is not taken for one."""
    real = program(tmp_path, "node_modules/x/bin/x")
    package(tmp_path, "node_modules/x", version)
    assert version_at(real) == ""


def test_a_program_that_is_not_there_has_no_version(tmp_path: Path) -> None:
    """A link that leads nowhere, a loop, and no program at all."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert version_at(tmp_path / "missing") == ""
    assert version_at(loop) == ""
    assert Versions(lambda _agent: None).of("claude-code") == ""
    assert Versions(lambda _agent: str(loop)).of("claude-code") == ""


def test_an_update_is_seen_after_some_seconds(tmp_path: Path) -> None:
    """While Steward runs; in between no hook looks at the disk."""
    real = program(tmp_path, "node_modules/x/bin/x")
    package(tmp_path, "node_modules/x", "1.0.0")
    times = iter([0.0, LOOKED_UP_EVERY_S, LOOKED_UP_EVERY_S + 1])
    versions = Versions(lambda _agent: str(real), lambda: next(times))
    assert versions.of("x") == "1.0.0"
    package(tmp_path, "node_modules/x", "1.0.1")
    assert versions.of("x") == "1.0.0"
    assert versions.of("x") == "1.0.1"
