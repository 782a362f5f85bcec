"""Lines that run through the native confining client."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.gate.shell.places import SAMPLES, holds_secrets
from desktop.paths import Paths, resources
from desktop.sandbox import confiner
from desktop.sandbox.confinement_table import hosts, secret_places
from desktop.sandbox.confiner import Confiner, read_only
from tests.sandbox.confined import Box


@pytest.mark.parametrize("place", secret_places())
def test_what_is_hidden_is_secret_by_its_text(place: str) -> None:
    """A command that names it asks, so that the user is not puzzled by a refusal."""
    assert holds_secrets(place) or holds_secrets(f"{place}/x")


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_secret_by_its_place_is_hidden(sample: list[str]) -> None:
    """But what may lie in any project (.env, id_rsa) or outside the home folder."""
    path = "/".join(sample)
    hidden = [place.removeprefix("~/").lower() for place in secret_places()]
    known = any(f"{path}/".startswith(f"{each}/") or f"{each}/".startswith(f"{path}/") for each in hidden)
    assert known or not path.startswith(".") or path.startswith(".env")


def test_hosts_are_names() -> None:
    """Without a scheme, a port or a pattern: they are compared as they stand."""
    assert hosts()
    for name in hosts():
        assert name == name.lower().strip("/:* ")
        assert "." in name


pytestmark = pytest.mark.children


WRITES = {
    "a file in the project": "echo x > new",
    "a file outside": "echo x > ../outside/new",
    "an existing file": "echo x >> ../outside/kept.txt",
    "cut to nothing": ": > ../outside/kept.txt",
    "removed": "rm ../outside/kept.txt",
    "renamed": "mv ../outside/kept.txt ../outside/other",
    "a folder": "mkdir new",
    "a link": "ln -s /etc new",
    "a hard link": "ln ../outside/kept.txt new",
    "permissions": "chmod 777 ../outside/kept.txt",
    "times": "touch ../outside/kept.txt",
}


@pytest.mark.parametrize("name", WRITES)
def test_what_only_reads_writes_nothing(box: Box, name: str) -> None:
    """Each way fails with the system's own words, and nothing has changed."""
    before = box.tree()
    done = box.run(WRITES[name], read_only(box.paths))
    assert done.returncode != 0
    assert b"ermi" in done.stderr  # Permission denied, or Operation not permitted
    assert box.tree() == before


def test_it_reads_and_pipes(box: Box) -> None:
    """With the exit code, both streams, the input and what may be thrown away."""
    line = "cat; cat ../outside/kept.txt | wc -c; echo gone > /dev/null; echo e >&2; exit 7"
    done = box.run(line, read_only(box.paths), stdin=b"in\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"in\n23\n", b"e\n")


def test_its_temporary_folder_takes_files(box: Box) -> None:
    """TMPDIR is one that it may write to, and nobody else may read."""
    done = box.run(
        'echo x > "$TMPDIR/a" && stat -c %a "$TMPDIR" && sort -S 1k "$TMPDIR/a"', read_only(box.paths)
    )
    assert done.stdout == b"700\nx\n"


def test_that_it_ran_is_known(box: Box) -> None:
    """By call, before and after."""
    confiner = Confiner(box.paths)
    assert not confiner.did_run("one")
    box.run("true", read_only(box.paths), call="one")
    assert confiner.did_run("one")
    assert not confiner.did_run("two")
    confiner.forget("one")
    assert not confiner.did_run("one")


def test_secrets_are_not_read(box: Box) -> None:
    """But public keys and the list of known hosts are."""
    ssh = box.home / ".ssh"
    ssh.mkdir()
    for name in ("id_ed25519", "id_ed25519.pub", "known_hosts"):
        (ssh / name).write_text(f"{name}\n")
    done = box.run("cat ~/.ssh/*; ls ~/.ssh | wc -l", read_only(box.paths))
    assert done.stdout == b"id_ed25519.pub\nknown_hosts\n3\n"
    assert b"Permission denied" in done.stderr


def test_the_shell_follows_into_another_folder(box: Box) -> None:
    """As it would have without the client, and with the command's exit code."""
    done = box.run("cd ../outside && false", read_only(box.paths), after='; echo "$? $PWD"')
    assert done.stdout.decode() == f"1 {box.outside}\n"


def test_where_no_folder_is_told_the_shell_stays(box: Box) -> None:
    """Also where the command ends its shell by force."""
    done = box.run("cd ../outside; kill -9 $$", read_only(box.paths), after='; echo "$? $PWD"')
    assert done.stdout.decode() == f"137 {box.project}\n"


def test_without_its_report_nothing_is_started(box: Box) -> None:
    """It fails closed, in one sentence."""
    line = Confiner(box.paths).rewritten("echo ran", read_only(box.paths), "call")
    (box.paths.runtime / "confined" / "reports").rmdir()
    done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (126, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_line_that_is_too_long_is_refused(box: Box) -> None:
    """Before it would fail in the agent's shell."""
    with pytest.raises(UserFacing, match="too long"):
        Confiner(box.paths).rewritten("echo " + "'" * 40_000, read_only(box.paths), "call")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80))
def test_any_text_arrives_as_it_is(box: Box, text: str) -> None:
    """Whatever stands in a command, bash inside gets the same words."""
    for begin in ("", "cd . ; "):
        line = Confiner(box.paths).rewritten(
            begin + "true\n" + text, read_only(box.paths), "call", shell="/bin/echo"
        )
        done = subprocess.run(["/bin/bash", "-c", line], capture_output=True, check=False, cwd=Path("/"))
        assert done.stdout.decode().endswith(f"{begin}true\n{text}\n")


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
    text = confiner.apparmor_profile(Path(client))
    assert f'profile steward-confine-own "{written}" flags=(unconfined) {{\n  userns,\n' in text
    assert "local/steward-confine-own>" in text
    assert "/usr/lib/steward" not in text


@pytest.mark.parametrize(("content", "restricts"), [("1\n", True), ("0\n", False), (None, False)])
def test_whether_the_system_has_the_rule_is_read_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, restricts: bool
) -> None:
    """Other systems lack the switch."""
    monkeypatch.setattr(confiner, "APPARMOR_SWITCH", tmp_path / "switch")
    if content is not None:
        (tmp_path / "switch").write_text(content)
    assert confiner.apparmor_restricts_namespaces() is restricts


@pytest.mark.parametrize("restricts", [True, False])
def test_what_keeps_a_project_from_being_confined_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restricts: bool
) -> None:
    """A command where AppArmor is the reason, else the client's own sentence."""
    client = tmp_path / "steward-confine"
    client.write_text("#!/bin/sh\necho 'nothing was started.' >&2\nexit 126\n")
    client.chmod(0o755)
    (tmp_path / "switch").write_text("1" if restricts else "0")
    monkeypatch.setattr(confiner, "APPARMOR_SWITCH", tmp_path / "switch")
    monkeypatch.setattr(confiner, "native_programs", lambda: tmp_path)
    monkeypatch.setattr(confiner, "why_not", lambda: None)
    reason = str(Confiner(Paths.under(tmp_path / "profile")).why_not_project())
    told = "steward confine --apparmor-profile | sudo tee /etc/apparmor.d/steward-confine-own"
    assert (told in reason) is restricts
    assert ("nothing was started" in reason) is not restricts
    assert ".." not in reason


def test_an_installed_client_is_not_given_a_second_profile() -> None:
    """Its own came with the package."""
    client = Path("/usr/lib/steward/_internal/resources/hook_client/steward-confine")
    assert "sudo" not in str(confiner.apparmor_way_out(client))


def test_the_rule_of_the_kernel_is_not_asked_where_projects_can_be_confined(
    confining: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An administrator's processes, and those with a profile, are free of it."""
    if reason := Confiner(Paths.under(tmp_path)).why_not_project():
        pytest.skip(str(reason))
    (tmp_path / "switch").write_text("1")
    monkeypatch.setattr(confiner, "APPARMOR_SWITCH", tmp_path / "switch")
    assert Confiner(Paths.under(tmp_path)).why_not_project() is None
