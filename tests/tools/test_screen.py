"""Looking at the screen: what is kept, what is asked, what is told."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.errors import Cancelled
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.undo import undo
from desktop.gate.verdict import Effect, Flag
from desktop.paths import Paths
from desktop.sandbox.confinement import available
from desktop.sandbox.workspace import Workspace
from desktop.tools.ocr import Ocr
from desktop.tools.screen import Picture, Pictures, ScreenTools
from desktop.tools.tool import Running

INVOICE = Path(__file__).parent / "pictures" / "invoice.png"
needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")


class ShownScreen:
    """A screen that shows the invoice; the user marks all of it, or nothing."""

    def __init__(self) -> None:
        self.marks = True

    def grab(self) -> Picture:
        return Picture(INVOICE.read_bytes(), 640, 160)

    def choose(self, timeout_s: float) -> Picture | None:
        return self.grab() if self.marks else None


@pytest.fixture
def screen() -> ShownScreen:
    return ShownScreen()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "workspace").mkdir()
    workspace = Workspace(tmp_path / "workspace")
    yield workspace
    workspace.close()


@pytest.fixture
def journal(paths: Paths) -> Iterator[Journal]:
    database = Database(paths.database, MIGRATIONS)
    yield Journal(database, paths.journal)
    database.close()


@pytest.fixture
def ocr() -> Ocr:
    return Ocr(lambda: available().best)


@pytest.fixture
def tools(screen: ShownScreen, ocr: Ocr, workspace: Workspace, journal: Journal) -> ScreenTools:
    return ScreenTools(screen, ocr, workspace, journal, lambda: datetime(2026, 11, 20, 9, 5, 7))


def test_pictures_are_kept_and_can_be_taken_back(
    tools: ScreenTools, workspace: Workspace, journal: Journal
) -> None:
    """Each picture gets a name of its own in the workspace; undo removes it again."""
    first, second = tools.screenshot("a"), tools.screenshot("b")
    folder = workspace.root / "Screenshots"
    names = ["2026-11-20 09.05.07 (2).png", "2026-11-20 09.05.07.png"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert first.text == "Saved Screenshots/2026-11-20 09.05.07.png (640 × 160 pixels, 4.3 kB)."
    assert (folder / names[1]).read_bytes() == INVOICE.read_bytes()
    for change in reversed((*first.changes, *second.changes)):
        undo(journal, change)
    assert not folder.exists()


def test_thinking_better_of_it(tools: ScreenTools, screen: ShownScreen, workspace: Workspace) -> None:
    """When the user marks nothing, nothing is kept."""
    screen.marks = False
    with pytest.raises(Cancelled):
        tools.screenshot_region("a")
    assert list(workspace.root.iterdir()) == []


@needs_tesseract
def test_text_on_the_screen(tools: ScreenTools, workspace: Workspace) -> None:
    """The text is told, the picture is not kept."""
    assert "Invoice 4711" in tools.screenshot_ocr(Running("a"))
    assert list(workspace.root.iterdir()) == []


@needs_tesseract
def test_text_in_a_file(ocr: Ocr, workspace: Workspace) -> None:
    """A picture of the workspace is read."""
    (workspace.root / "bill.png").write_bytes(INVOICE.read_bytes())
    assert "12.50" in Pictures(ocr, workspace).ocr_image("bill.png", Running("a"))


def test_every_look_is_asked(tools: ScreenTools) -> None:
    """The screen may show anything, so each tool says that it looks beyond the workspace."""
    for each in tools.tools():
        assert each.plan is not None
        plan = each.plan()
        assert Flag.OUTSIDE in plan.flags
        assert plan.effect is (Effect.READ if each.name == "screenshot_ocr" else Effect.CREATE)
        assert str(plan.title).endswith("?")


def test_what_is_read_off_the_screen_is_not_trusted(
    tools: ScreenTools, ocr: Ocr, workspace: Workspace
) -> None:
    """Text from the screen and from pictures may try to speak to the model."""
    readers = [each for each in tools.tools() if each.name == "screenshot_ocr"]
    assert all(each.untrusted_result for each in [*readers, Pictures(ocr, workspace).tool()])
