"""Pictures of a real (virtual) screen, and through a portal that speaks the real interface."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="the screen is Qt's")
from PySide6.QtGui import QImage

from desktop.errors import UserFacing
from desktop.system.screen import grabbed
from tests.flows.desktop_session import ROOT, DesktopSession, desktop_session, missing_programs, stop

INVOICE = ROOT / "tests" / "tools" / "pictures" / "invoice.png"


@pytest.fixture(scope="module")
def session() -> Iterator[DesktopSession]:
    missing = missing_programs()
    if missing:
        pytest.skip(f"a virtual desktop needs {', '.join(missing)}")
    with desktop_session() as session:
        yield session


def look(session: DesktopSession, way: str, file: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.system.grab_screen", way, str(file)],
        cwd=ROOT,
        env=session.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.desktop
@pytest.mark.parametrize(("way", "size"), [("grab", (1280, 800)), ("choose", (640, 400))])
def test_what_is_on_the_screen(
    session: DesktopSession, tmp_path: Path, way: str, size: tuple[int, int]
) -> None:
    """A tool's thread gets the whole screen, or the part that was marked, as it is shown."""
    assert look(session, way, tmp_path / "a.png") == f"{size[0]} {size[1]}"
    picture = QImage(str(tmp_path / "a.png"))
    assert (picture.width(), picture.height()) == size


@pytest.fixture
def portal(session: DesktopSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """A portal that answers with the invoice, or with no."""
    picture = tmp_path / "portal" / "invoice.png"
    picture.parent.mkdir()
    picture.write_bytes(INVOICE.read_bytes())
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.portal", str(picture), str(request.param)],
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield
    stop(process)


@pytest.mark.desktop
@pytest.mark.parametrize("portal", [0], indirect=True)
@pytest.mark.parametrize("way", ["portal", "portal-choose"])
@pytest.mark.usefixtures("portal")
def test_through_the_portal(session: DesktopSession, tmp_path: Path, way: str) -> None:
    """Under Wayland the desktop takes the picture; the file that it leaves is removed."""
    assert look(session, way, tmp_path / "a.png") == "640 160"
    assert not (tmp_path / "portal" / "shot.png").exists()


@pytest.mark.desktop
@pytest.mark.parametrize("portal", [1], indirect=True)
@pytest.mark.usefixtures("portal")
def test_the_portal_says_no(session: DesktopSession, tmp_path: Path) -> None:
    """The user's no in the desktop's own question is a sentence, not a crash."""
    assert look(session, "portal", tmp_path / "a.png") == "screen"


@pytest.mark.desktop
def test_no_portal_at_all(session: DesktopSession, tmp_path: Path) -> None:
    """A desktop without a portal is said."""
    assert look(session, "portal", tmp_path / "a.png") == "screen"


def test_a_system_that_shows_nothing(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no picture the message says what to do instead."""
    from PySide6.QtGui import QGuiApplication

    monkeypatch.setattr(QGuiApplication, "screens", list)
    with pytest.raises(UserFacing, match="take the picture yourself"):
        grabbed()
