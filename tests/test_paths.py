"""Where things are kept."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from desktop.paths import (
    Paths,
    ensure,
    own_appimage,
    own_program,
    own_words,
    read_regular,
    resources,
    write_atomically,
)


def test_a_profile_keeps_everything_in_one_folder(tmp_path: Path) -> None:
    """Every folder and file of `--profile DIR` lies inside DIR."""
    paths = Paths.under(tmp_path / "p")
    names = [field.name for field in fields(Paths)]
    names += [name for name in dir(Paths) if isinstance(getattr(Paths, name), property)]
    assert len(names) > 10
    for name in names:
        assert getattr(paths, name).is_relative_to(tmp_path / "p"), name


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has sessions without a runtime folder")
def test_without_a_login_session_the_runtime_folder_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put into a shared temporary folder, and nothing is warned about."""
    for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert Paths.default().runtime.is_relative_to(Path.home())


def test_new_folders_are_the_users_alone(tmp_path: Path) -> None:
    """What Steward makes, other users of the computer cannot enter."""
    folder = ensure(tmp_path / "new" / "deep")
    assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    """Of the size that was expected, also by a link; whatever else stands there is an error and no wait."""
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(path)
    assert read_regular(path, 5) == read_regular(tmp_path / "link", 5) == b"12345"
    (tmp_path / "device").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name, most_bytes in {"f": 4, "device": 9, "pipe": 9, "": 9, "nothing": 9}.items():
        with pytest.raises(OSError, match=r"Errno"):
            read_regular(tmp_path / name, most_bytes)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """A process killed while it writes leaves the old content, and the next write works."""
    path = tmp_path / "f"
    write_atomically(path, b"old")
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "import desktop.paths as p\n"
        "p.os.replace = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"p.write_atomically(Path({str(path)!r}), b'new')\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[1])
    assert killed.returncode == -9
    assert path.read_bytes() == b"old"
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_resources_are_found() -> None:
    """Prompts, icons, styles and the catalogue come with the program."""
    for name in ("prompts/system.txt", "catalogue.toml", "icons/app.svg", "styles"):
        assert (resources() / name).exists(), name


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if this were the program of a bundle in a folder of its own."""
    program = tmp_path / "USB stick" / "steward"
    program.parent.mkdir()
    program.write_bytes(b"")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.delenv("APPIMAGE", raising=False)
    monkeypatch.delenv("APPDIR", raising=False)
    return program.parent


def test_a_marked_bundle_keeps_everything_beside_itself(frozen: Path) -> None:
    """On whatever computer the stick is; nothing goes to the folders of the user."""
    (frozen / "portable").touch()
    assert Paths.default() == Paths.under(frozen / "profile")


def test_a_bundle_without_the_marker_uses_the_folders_of_the_system(frozen: Path) -> None:
    assert Paths.default().profile is None


def test_an_appimage_looks_beside_its_file(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program lies in a folder that exists only while it runs."""
    mounted(monkeypatch, frozen / "Steward.AppImage")
    (frozen / "portable").touch()
    assert Paths.default() == Paths.under(frozen / "profile")


def mounted(monkeypatch: pytest.MonkeyPatch, appimage: Path) -> None:
    """As an AppImage's runtime starts the program."""
    monkeypatch.setattr(sys, "executable", "/tmp/.mount_steward/usr/lib/steward/steward")
    monkeypatch.setenv("APPIMAGE", str(appimage))
    monkeypatch.setenv("APPDIR", "/tmp/.mount_steward")


def test_an_appimage_is_started_again_by_its_file(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its file at any later time; while it runs, by the program inside."""
    mounted(monkeypatch, frozen / "Steward.AppImage")
    assert own_program() == (str(frozen / "Steward.AppImage"),)
    assert own_words() == (sys.executable,)


def test_the_appimage_of_another_program_is_not_ours(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor's terminal hands its own variables to all that is started in it."""
    monkeypatch.setenv("APPIMAGE", "/home/ada/Editor.AppImage")
    monkeypatch.setenv("APPDIR", "/tmp/.mount_editor")
    assert own_appimage() is None
    assert own_program() == (str(frozen / "steward"),)
    assert Paths.default().profile is None


def test_a_checkout_starts_itself_with_its_interpreter() -> None:
    """Without the folder it is started in on the module path."""
    assert own_program() == own_words() == (sys.executable, "-P", "-m", "desktop")


def test_a_checkout_is_never_portable(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its interpreter may lie anywhere."""
    (frozen / "portable").touch()
    monkeypatch.setattr(sys, "frozen", False)
    assert Paths.default().profile is None
