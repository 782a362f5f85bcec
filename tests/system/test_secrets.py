"""Secrets are kept in the keyring, in a private file where there is none, and never block for ever."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import InitError, KeyringLocked, PasswordDeleteError, PasswordSetError

from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.system.secrets import HUGGING_FACE_TOKEN, SecretPlace, Secrets


class MemoryKeyring(KeyringBackend):
    """A keyring that forgets with the test."""

    priority = 1  # type: ignore[assignment]  # a class property there

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not there")
        del self.kept[service, username]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.under(tmp_path / "profile")


@pytest.fixture
def ring() -> MemoryKeyring:
    return MemoryKeyring()


def test_keyring_keeps_replaces_and_forgets(paths: Paths, ring: MemoryKeyring) -> None:
    """With a keyring the secret lives there and nothing is written to disk."""
    secrets = Secrets(paths, lambda: ring)
    assert secrets.get("token") is None
    assert secrets.set("token", "one") is SecretPlace.KEYRING
    assert secrets.set("token", "two") is SecretPlace.KEYRING
    assert secrets.get("token") == "two"
    secrets.delete("token")
    secrets.delete("token")
    assert secrets.get("token") is None
    assert not paths.secrets.exists()


def test_profiles_do_not_share_secrets(tmp_path: Path, ring: MemoryKeyring) -> None:
    """A demonstration profile cannot read the token of the everyday one."""
    Secrets(Paths.under(tmp_path / "a"), lambda: ring).set("token", "mine")
    assert Secrets(Paths.under(tmp_path / "b"), lambda: ring).get("token") is None


def test_without_a_keyring_a_private_file_is_used_and_said(paths: Paths) -> None:
    """The fallback is readable by its owner only, says so, and leaves no empty file behind."""
    secrets = Secrets(paths, NoKeyring)
    place = secrets.set("token", "geheim")
    secrets.set("other", "x")
    assert place is SecretPlace.FILE
    assert "no keyring" in str(place.reason)
    assert secrets.get("token") == "geheim"
    if sys.platform != "win32":
        assert stat.S_IMODE(paths.secrets.stat().st_mode) == 0o600
    secrets.delete("token")
    assert (secrets.get("token"), secrets.get("other")) == (None, "x")
    secrets.delete("other")
    assert not paths.secrets.exists()


def test_a_keyring_that_came_later_takes_the_secret_over(paths: Paths, ring: MemoryKeyring) -> None:
    """What the file holds is still found, and the next `set` moves it into the keyring."""
    Secrets(paths, NoKeyring).set("token", "old")
    later = Secrets(paths, lambda: ring)
    assert later.get("token") == "old"
    later.set("token", "new")
    assert not paths.secrets.exists()
    assert Secrets(paths, NoKeyring).get("token") is None


@pytest.fixture
def blocked() -> Iterator[threading.Event]:
    release = threading.Event()
    yield release
    release.set()
    for thread in threading.enumerate():
        if thread.name == "keyring call":
            thread.join(60)


def test_a_locked_keyring_ends_in_a_sentence(paths: Paths, blocked: threading.Event) -> None:
    """A keyring whose question nobody answers gives up after the time limit, without touching the file."""

    def wait_for_a_person() -> MemoryKeyring:
        blocked.wait(10)
        return MemoryKeyring()

    with pytest.raises(UserFacing) as caught:
        Secrets(paths, wait_for_a_person, timeout_s=0.05).set("token", "x")
    assert caught.value.code == "keyring-locked"
    assert not paths.secrets.exists()


class LateKeyring(MemoryKeyring):
    """Asks before it answers, and is answered when nobody waits any more."""

    def __init__(self, answered: threading.Event, asks_to_read: bool) -> None:
        super().__init__()
        self._answered, self._asks_to_read = answered, asks_to_read

    def get_password(self, service: str, username: str) -> str | None:
        if self._asks_to_read:
            self._answered.wait(10)
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._answered.wait(10)
        super().set_password(service, username, password)


@pytest.mark.parametrize("before", [None, "old"])
@pytest.mark.parametrize("asks_to_read", [True, False])  # one that is locked; one that is made by the first
def test_a_late_answer_of_the_keyring_changes_nothing(
    paths: Paths, blocked: threading.Event, before: str | None, asks_to_read: bool
) -> None:
    """Who was told that nothing was changed has not kept a secret when the keyring is unlocked afterwards."""
    ring = LateKeyring(blocked, asks_to_read)
    secrets = Secrets(paths, lambda: ring, timeout_s=0.05)
    place = (secrets.service, "token")
    if before is not None:
        ring.kept[place] = before
    with pytest.raises(UserFacing) as caught:
        secrets.set("token", "new")
    assert caught.value.code == "keyring-locked"
    blocked.set()
    for thread in threading.enumerate():
        if thread.name == "keyring call":
            thread.join(60)
    assert ring.kept.get(place) == before


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyringLocked("dismissed"), "keyring-locked"), (PasswordSetError("too long"), "keyring-refused")],
)
def test_a_refusal_is_told_and_the_secret_is_not_written_elsewhere(
    paths: Paths, ring: MemoryKeyring, error: Exception, code: str
) -> None:
    """A keyring that says no is not bypassed by a file."""

    def refuse() -> MemoryKeyring:
        raise error

    with pytest.raises(UserFacing) as caught:
        Secrets(paths, refuse).set("token", "x")
    assert caught.value.code == code
    assert not paths.secrets.exists()


def test_a_keyring_that_nobody_wanted_to_make_is_told_so(paths: Paths) -> None:
    """The library asks for a password for the first secret; whoever dismisses that has no locked keyring."""

    class PromptDismissedException(Exception):
        """Prompt dismissed."""

    def refuse() -> MemoryKeyring:
        try:
            raise PromptDismissedException("Prompt dismissed.")
        except PromptDismissedException as error:
            raise InitError(f"Failed to create the collection: {error}.")  # noqa: B904 - as keyring does

    with pytest.raises(UserFacing) as caught:
        Secrets(paths, refuse).set("token", "x")
    assert caught.value.code == "keyring-not-made"
    assert not paths.secrets.exists()


def test_a_bug_in_the_backend_stays_loud(paths: Paths) -> None:
    """Only what keyring itself raises is translated."""

    def broken() -> MemoryKeyring:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Secrets(paths, broken).get("token")


@pytest.mark.parametrize("content", ["{broken", '["a list"]'])
def test_a_damaged_file_is_told_and_kept(paths: Paths, content: str) -> None:
    """The file is left for the user to look at."""
    paths.secrets.parent.mkdir(parents=True)
    paths.secrets.write_text(content)
    with pytest.raises(UserFacing) as caught:
        Secrets(paths, NoKeyring).get("token")
    assert caught.value.code == "secrets-damaged"
    assert paths.secrets.read_text() == content


def test_importing_the_module_does_not_import_keyring() -> None:
    """Starting the program must not pay for a keyring that most starts never use."""
    code = "import sys, desktop.system.secrets; sys.exit('keyring' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


ROUND_TRIP = """
import sys
from pathlib import Path
from desktop.paths import Paths
from desktop.system.secrets import SecretPlace, Secrets
secrets = Secrets(Paths.under(Path(sys.argv[1])), timeout_s=20)
assert secrets.set("token", "geheim") is SecretPlace.KEYRING
assert Secrets(Paths.under(Path(sys.argv[1]))).get("token") == "geheim"
secrets.delete("token")
assert secrets.get("token") is None
"""


@pytest.mark.desktop
@pytest.mark.skipif(not shutil.which("gnome-keyring-daemon"), reason="gnome-keyring-daemon is not installed")
@pytest.mark.skipif(not shutil.which("dbus-run-session"), reason="dbus-run-session is not installed")
def test_a_real_keyring_keeps_and_forgets(tmp_path: Path) -> None:
    """Against gnome-keyring on a session bus of its own, the secret goes to the keyring and comes back."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    (tmp_path / "round_trip.py").write_text(ROUND_TRIP)
    script = (
        "printf test | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null & "
        "daemon=$!;"
        f'"{sys.executable}" "{tmp_path}/round_trip.py" "{tmp_path}/profile"; status=$?;'
        "kill $daemon; wait $daemon 2>/dev/null; exit $status"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime)}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2]), "XDG_DATA_HOME": str(tmp_path / "share")}
    del environment["PYTHON_KEYRING_BACKEND"]
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", script], env=environment, capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_token_name_is_known_to_removal() -> None:
    """Removing the program must be able to list what it put into the keyring."""
    from desktop.system.secrets import KNOWN_SECRETS

    assert HUGGING_FACE_TOKEN in KNOWN_SECRETS
