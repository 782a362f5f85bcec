"""The profile that lets the confining client make namespaces, and what is told where it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.paths import Paths, resources
from desktop.sandbox import apparmor
from desktop.sandbox import confine as module
from desktop.sandbox.confine import Confiner


def test_the_packages_profile_grants_namespaces_to_the_installed_client_alone() -> None:
    """One program by its whole path, and one rule."""
    text = (resources() / "apparmor/steward-confine").read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert lines == [
        "abi <abi/4.0>,",
        "include <tunables/global>",
        "profile steward-confine /usr/lib/steward/_internal/resources/hook_client/steward-confine "
        "flags=(unconfined) {",
        "userns,",
        "include if exists <local/steward-confine>",
        "}",
    ]


@pytest.mark.parametrize(
    ("client", "written"),
    [
        ("/home/ada/steward/build/hook_client/steward-confine",) * 2,
        ("/home/a b/{x}*/c", r"/home/a b/\{x\}\*/c"),
        ('/home/"q"/c', r"/home/\"q\"/c"),
    ],
)
def test_a_copy_elsewhere_gets_a_profile_of_its_own(client: str, written: str) -> None:
    """Its path is a name and no pattern, and the package's profile stays beside it."""
    text = apparmor.profile(Path(client))
    assert f'profile steward-confine-own "{written}" flags=(unconfined) {{\n  userns,\n' in text
    assert "local/steward-confine-own>" in text
    assert "/usr/lib/steward" not in text


@pytest.mark.parametrize(("content", "restricts"), [("1\n", True), ("0\n", False), (None, False)])
def test_whether_the_system_has_the_rule_is_read_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, restricts: bool
) -> None:
    """Other systems lack the switch."""
    monkeypatch.setattr(apparmor, "SWITCH", tmp_path / "switch")
    if content is not None:
        (tmp_path / "switch").write_text(content)
    assert apparmor.restricts_namespaces() is restricts


@pytest.mark.parametrize("restricts", [True, False])
def test_what_keeps_a_project_from_being_confined_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restricts: bool
) -> None:
    """A command where AppArmor is the reason, else the client's own sentence."""
    client = tmp_path / "steward-confine"
    client.write_text("#!/bin/sh\necho 'nothing was started' >&2\nexit 126\n")
    client.chmod(0o755)
    (tmp_path / "switch").write_text("1" if restricts else "0")
    monkeypatch.setattr(apparmor, "SWITCH", tmp_path / "switch")
    monkeypatch.setattr(module, "native_programs", lambda: tmp_path)
    monkeypatch.setattr(module, "why_not", lambda: "")
    reason = Confiner(Paths.under(tmp_path / "profile")).why_not_project()
    told = "steward confine --apparmor-profile | sudo tee /etc/apparmor.d/steward-confine-own"
    assert (told in reason) is restricts
    assert ("nothing was started" in reason) is not restricts


def test_an_installed_client_is_not_given_a_second_profile() -> None:
    """Its own came with the package."""
    words = apparmor.way_out(Path("/usr/lib/steward/_internal/resources/hook_client/steward-confine"))
    assert "sudo" not in words


def test_the_rule_of_the_kernel_is_not_asked_where_projects_can_be_confined(
    confining: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An administrator's processes, and those with a profile, are free of it."""
    confiner = Confiner(Paths.under(tmp_path))
    if reason := confiner.why_not_project():
        pytest.skip(reason)
    (tmp_path / "switch").write_text("1")
    monkeypatch.setattr(apparmor, "SWITCH", tmp_path / "switch")
    assert Confiner(Paths.under(tmp_path)).why_not_project() == ""
