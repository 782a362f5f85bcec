"""`steward purge` and `steward addons`, on folders of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from keyring.backends.fail import Keyring as NoKeyring

from desktop.agents.install import Installer
from desktop.agents.mcp_settings import McpInstaller
from desktop.app import Services, build_core
from desktop.cli import main
from desktop.cli import maintenance as verb
from desktop.cli.agents import installer_of, mcp_installer_of
from desktop.cli.terminal import Declined
from desktop.engine.addons import this_system
from desktop.engine.ggml_backends import has_driver
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.reasons import size_text
from desktop.system.autostart import autostart
from desktop.system.reasons import SystemReason
from desktop.system.recognizer import PACKAGES
from desktop.system.removal import Removal, RemovalChoice
from desktop.system.secrets import HUGGING_FACE_TOKEN, Secrets
from tests.cli.conftest import Steward
from tests.engine.test_addons import manifest, pack
from tests.models.tiny_gguf import TinyGguf

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at the places of Linux")


MINE = '{\n  "model": "opus" // mine\n}\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Claude Code in it, and a session's folders."""
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude/settings.json").write_text(MINE)
    (folder / "run").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def core(home: Path) -> Services:
    """A profile in the usual folders that was used in every way that leaves something."""
    made = build_core(Paths.default())
    used(made, home)
    made.close()
    return build_core(Paths.default())


def used(core: Services, home: Path) -> None:
    core.settings.change("chat", "workspace", "")
    core.store.create()
    core.secrets.set(HUGGING_FACE_TOKEN, "hf_secret")
    installer_of(core).install("claude-code")
    autostart(core.paths).switch(True)
    (home / "mine.gguf").write_bytes(TinyGguf().content)
    core.library.import_file(home / "mine.gguf")
    core.paths.models.mkdir(exist_ok=True)
    (core.paths.models / "ours.gguf").write_bytes(TinyGguf().content)
    core.library.add_downloaded("ours", "Ours", core.paths.models / "ours.gguf", None)
    for folder in (core.paths.prefixes, core.paths.logs, core.paths.downloads):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "some.bin").write_bytes(b"x" * 1000)
    assert core.workspace.root == home / "Steward"
    (home / "Steward/letter.txt").write_text("mine")


def files_of(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


def installers(core: Services) -> tuple[Installer, McpInstaller]:
    return installer_of(core), mcp_installer_of(core)


def purge(core: Services, *, models: bool = False, keep_data: bool = False, dry_run: bool = False) -> int:
    return verb.purge(core, dry_run=dry_run, yes=True, models=models, keep_data=keep_data)


def test_with_models_nothing_but_the_users_own_files_is_left(home: Path, core: Services) -> None:
    """No login item, hook, secret or folder of ours; the agent's settings are byte for byte as before."""
    assert purge(core, models=True) == 0
    assert files_of(home) == {".claude/settings.json", "mine.gguf", "Steward/letter.txt"}
    assert (home / ".claude/settings.json").read_text() == MINE
    assert not list(home.rglob("steward*"))


def test_models_stay_unless_they_are_asked_for(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stays is listed with its size, and a Steward installed again knows the models."""
    size = (core.paths.models / "ours.gguf").stat().st_size
    assert purge(core) == 0
    told = capsys.readouterr().out
    assert f"{core.paths.models / 'ours.gguf'} ({size_text(size)})" in told
    assert f"{home / 'Steward'} (4 bytes)" in told
    assert not core.paths.database.exists()
    assert not core.paths.settings.exists()
    assert {model.id for model in build_core(Paths.default()).library.installed()} == {"ours", "mine"}


def test_a_list_of_nothing_but_the_users_own_files_goes_with_the_settings(home: Path, core: Services) -> None:
    """There is nothing of ours to ask about, and nobody who would need the list."""
    core.library.remove("ours")
    (core.paths.downloads / "some.bin").unlink()
    assert purge(core) == 0
    assert files_of(home) == {".claude/settings.json", "mine.gguf", "Steward/letter.txt"}
    assert not list(home.rglob("steward*"))


def test_data_can_be_kept_while_all_else_goes(home: Path, core: Services) -> None:
    """For an uninstaller whose user wants to come back: no hook and no login item calls what is gone."""
    assert purge(core, models=True, keep_data=True) == 0
    again = build_core(Paths.default())
    assert core.paths.database.exists()
    assert core.paths.settings.exists()
    assert [model.id for model in again.library.installed()] == ["mine"]
    assert (home / ".claude/settings.json").read_text() == MINE
    assert not autostart(core.paths).is_on()
    assert not core.paths.cache.exists()


def test_addons_and_the_hook_client_go_with_the_program(home: Path, core: Services) -> None:
    """They are part of it, also where data is kept."""
    core.paths.hook_client.mkdir()
    (core.paths.hook_client / "steward-hook").write_bytes(b"\x7fELF")
    (core.paths.data / "addons" / "cuda").mkdir(parents=True)
    (core.paths.data / "addons" / "cuda" / "libggml-cuda.so").write_bytes(b"x" * 1000)
    assert purge(core, keep_data=True) == 0
    assert not (core.paths.data / "addons").exists()
    assert not core.paths.hook_client.exists()
    assert core.paths.database.exists()


def test_a_dry_run_removes_nothing(home: Path, core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """It names folders, hooks, secrets and the login item."""
    before = files_of(home)
    assert purge(core, dry_run=True) == 0
    assert files_of(home) == before
    told = capsys.readouterr().out
    for part in ("claude-code", HUGGING_FACE_TOKEN, "autostart", str(core.paths.database), "Would stay"):
        assert part in told


def test_a_running_steward_is_not_cut_off(core: Services) -> None:
    """The instance lock is held by the app and by `steward serve`."""
    with FileLock(core.paths.instance_lock), pytest.raises(UserFacing) as refused:
        purge(core)
    assert refused.value.code == "running"
    assert core.paths.database.exists()


def test_nobody_to_ask_removes_nothing(core: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --yes a script gets a refusal."""
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(UserFacing) as refused:
            verb.purge(core, dry_run=False, yes=False, models=False, keep_data=False)
    assert refused.value.code == "usage"
    assert core.paths.database.exists()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Type lines at a real terminal."""
    ours, theirs = os.openpty()
    with os.fdopen(ours, "w") as typed, os.fdopen(theirs) as read:
        monkeypatch.setattr(sys, "stdin", read)

        def type_lines(lines: str) -> None:
            typed.write(lines)
            typed.flush()

        yield type_lines


def asked(core: Services) -> int:
    return verb.purge(core, dry_run=False, yes=False, models=False, keep_data=False)


def test_data_and_models_are_asked_about_with_their_sizes(
    core: Services, terminal: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Enter means keep, for each of the two."""
    terminal("\n\ny\n")
    assert asked(core) == 0
    questions = capsys.readouterr().err
    assert "conversations, notes and settings (" in questions
    assert "downloaded models (" in questions
    assert core.paths.database.exists()
    assert (core.paths.models / "ours.gguf").exists()
    assert not autostart(core.paths).is_on()


def test_a_no_at_the_end_removes_nothing(home: Path, core: Services, terminal: Callable[[str], None]) -> None:
    before = files_of(home)
    terminal("y\ny\nn\n")
    with pytest.raises(Declined):
        asked(core)
    assert files_of(home) == before


def test_a_no_is_not_called_an_interruption(
    home: Path, terminal: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asked for it hears that nothing was done."""
    terminal("n\n")
    assert main(["agents", "install", "claude-code"]) == 1
    said = capsys.readouterr().err
    assert said.endswith("Change it? [y/N] Nothing was changed.\n")
    assert (home / ".claude/settings.json").read_text() == MINE


def test_what_refuses_is_told_and_does_not_keep_the_rest(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent's settings that cannot be changed any more: the folders still go, the exit code is 1."""
    place = home / ".claude/settings.json"
    found = Removal(core.paths, core.library, installers(core), autostart(core.paths), core.secrets).found()
    place.write_text("{ broken")
    removal = Removal(core.paths, core.library, installers(core), autostart(core.paths), core.secrets)
    outcome = removal.remove(found, RemovalChoice(data=True, models=True))
    assert [line.partition(":")[0] for line in outcome.failed] == ["hooks of claude-code"]
    assert not core.paths.database.exists()


class LockedSecrets(Secrets):
    """Of a keyring whose question nobody answers; `opens` once it was asked that often."""

    def __init__(self, paths: Paths, opens: int = 1000) -> None:
        super().__init__(paths, NoKeyring)
        self.asked, self._opens = 0, opens

    def _ask_keyring(self, call: Any, patience: Any = None) -> Any:
        self.asked += 1
        if self.asked <= self._opens:
            raise UserFacing(SystemReason.KEYRING_LOCKED.of())
        return super()._ask_keyring(call, patience)


def test_a_locked_keyring_does_not_keep_the_rest(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked once before and once after, said, and the names are told by which its secrets are found."""
    core.secrets = secrets = LockedSecrets(core.paths)
    assert purge(core, models=True) == 1
    assert secrets.asked == 2
    assert files_of(home) == {".claude/settings.json", "mine.gguf", "Steward/letter.txt"}
    said = capsys.readouterr()
    assert "Secrets in the keyring: not known. The keyring of this computer stayed locked." in said.out
    assert f"{secrets.service} (huggingface-token, " in said.err


def test_a_keyring_that_was_unlocked_meanwhile(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the list and the answer there is time to type its password."""
    core.secrets = LockedSecrets(core.paths, opens=1)
    assert purge(core, models=True) == 0
    assert capsys.readouterr().err == ""


def test_a_linked_models_folder_is_unlinked_not_emptied(home: Path, core: Services) -> None:
    """Somebody keeps models on another disk: what the link leads to is theirs."""
    elsewhere = home / "disk"
    core.paths.downloads.rename(elsewhere)
    core.paths.downloads.symlink_to(elsewhere)
    assert purge(core, models=True) == 0
    assert (elsewhere / "some.bin").exists()
    assert not core.paths.data.exists()


def test_a_folder_that_is_no_profile_is_refused(steward: Steward, tmp_path: Path) -> None:
    """Its folders called data or logs may be anybody's."""
    theirs = tmp_path / "profile/data/thesis.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    done = steward("purge", "--yes", "--models")
    assert done.returncode == 1
    assert "holds no settings" in done.stderr
    assert theirs.exists()


def test_a_named_profile_goes_whole(steward: Steward, tmp_path: Path) -> None:
    """The command itself, in a process of its own, with its own log in the folder that goes."""
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("chat", "tools", True)
    core.store.create()
    core.close()
    done = steward("purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "profile").exists()


def test_a_named_profile_leaves_the_login_item_of_another(core: Services, tmp_path: Path) -> None:
    """There is one entry for the session, and it starts the usual profile here."""
    other = build_core(Paths.under(tmp_path / "other"))
    other.settings.change("chat", "tools", True)
    assert purge(other) == 0
    assert autostart(core.paths).is_on()


STAND_IN = Path(__file__).parents[1] / "engine" / "stand_in_back_end.c"


@pytest.fixture
def addon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An add-on with a back end that finds no card, and a data folder of its own for this user."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    library = tmp_path / "libggml-cuda.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, STAND_IN], check=True)
    files = {library.name: library.read_bytes()}
    return pack(tmp_path / "steward-cuda-addon.tar.xz", manifest(files), files)


def test_an_addon_is_added_listed_told_and_removed(steward: Steward, addon: Path, tmp_path: Path) -> None:
    """It belongs to the program: the profile of the command does not matter, and nothing of it is left."""
    assert steward("addons", "list").stdout == "No add-on is installed.\n"
    added = steward("addons", "add", str(addon))
    assert added.returncode == 0
    assert "cuda 0.1.0" in added.stdout
    assert "Restart Steward" in added.stdout
    assert (tmp_path / "data" / "steward" / "addons" / "cuda" / "libggml-cuda.so").is_file()
    (listed,) = json.loads(steward("addons", "list", "--json").stdout)
    assert (listed["name"], listed["misfit"]) == ("cuda", "")
    doctor = {check["name"]: check["finding"] for check in json.loads(steward("doctor", "--json").stdout)}
    assert "cuda" in doctor["Add-ons"]
    if not has_driver("cuda"):
        assert "the processor, because there is no NVIDIA driver" in doctor["Graphics"]
    assert steward("addons", "remove", "cuda").returncode == 0
    assert not (tmp_path / "data" / "steward" / "addons").exists()


def test_what_is_no_addon_is_refused(steward: Steward, addon: Path, tmp_path: Path) -> None:
    """Cause, what was not lost and what to do; a missing file is wrong usage."""
    (tmp_path / "other.tar.xz").write_bytes(b"something else")
    refused = steward("addons", "add", str(tmp_path / "other.tar.xz"))
    assert refused.returncode == 1
    assert "Nothing was changed." in refused.stderr
    assert steward("addons", "add", str(tmp_path / "nowhere")).returncode == 2
    assert steward("addons", "remove", "cuda").returncode == 1


@pytest.mark.model
def test_without_a_driver_the_processor_answers_and_the_reason_is_told(
    steward: Steward, addon: Path, with_model: Path
) -> None:
    """The answer comes, with device and reason."""
    if has_driver("cuda"):
        pytest.skip("this computer has NVIDIA's driver")
    assert steward("addons", "add", str(addon)).returncode == 0
    told = json.loads(steward("ask", "--json", "--no-memory", "Say hello.").stdout)
    assert told["answer"]
    assert told["metrics"]["device"] == "cpu"
    assert told["notice"] == "CUDA is installed, but there is no NVIDIA driver, so the processor is used."


def test_a_recogniser_from_another_file_is_refused_in_a_sentence(steward: Steward, tmp_path: Path) -> None:
    """`addons add` tells a wheel that it does not know, and a name that is no file, from what it can add."""
    if this_system() not in PACKAGES:
        pytest.skip("no recogniser was tried on this system")
    wheel = tmp_path / "moonshine.whl"
    wheel.write_bytes(b"no wheel")
    refused = steward("addons", "add", str(wheel))
    assert refused.returncode == 1
    assert "steward addons add dictation" in refused.stderr
    assert steward("addons", "add", "dictating").returncode == 2
