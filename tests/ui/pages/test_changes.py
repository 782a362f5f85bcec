"""The Changes page: each change with its way back, and the choices where a file was changed since."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.gate.undo import UndoStatus
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from desktop.ui.pages.changes import ChangesPage
from desktop.ui.undo import CHOICES, UndoController
from desktop.ui.widgets.error_card import ErrorCard
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton
Make = Callable[[], ChangesPage]


@pytest.fixture
def undo_controller(world: World) -> UndoController:
    return UndoController(lambda: world.journal, world.relay, world.background)


@pytest.fixture
def make(world: World, undo_controller: UndoController) -> Make:
    def made() -> ChangesPage:
        page = ChangesPage(world.journal, undo_controller, world.relay, world.background)
        world.show(page)
        return page

    return made


def words(page: ChangesPage) -> list[str]:
    return [row.accessibleName() for row in page.rows.list.rows]


def captions(page: ChangesPage, row: int) -> str:
    return " ".join(label.text() for label in page.rows.list.rows[row].findChildren(QLabel))


def press_undo(world: World, page: ChangesPage, number: int) -> None:
    button = page.findChild(QPushButton, f"undo_{number}")
    assert button is not None
    world.qtbot.mouseClick(button, LEFT)


def test_nothing_has_been_changed(world: World, make: Make) -> None:
    """An empty list says what will stand there."""
    page = make()
    world.until(lambda: "has not changed any file yet" in page.rows.empty.text())
    assert page.rows.empty.isVisible()
    assert not page.free.isVisible()


def test_every_change_has_a_sentence_and_its_undo(world: World, make: Make) -> None:
    """The newest first; Undo puts the bytes back and the row says so, without the button."""
    world.files.write_file("notes.txt", "one", call="a")
    world.files.write_file("notes.txt", "two", call="b")
    world.files.move_file("notes.txt", "old/notes.txt", call="c")
    page = make()
    world.until(lambda: len(page.rows.list.rows) == 4)
    moved = f"Moved notes.txt to {world.workspace.root / 'old/notes.txt'}"
    assert words(page) == [moved, "Created the folder old", "Changed notes.txt", "Created notes.txt"]
    assert "by the assistant" in captions(page, 0)
    assert "move_file" not in captions(page, 0)  # a name of the program's own, which tells nobody anything
    press_undo(world, page, world.journal.entries()[0].id)
    world.until(lambda: "undone" in captions(page, 0))
    assert (world.workspace.root / "notes.txt").read_text() == "two"
    assert page.rows.list.rows[0].findChildren(QPushButton) == []
    assert "back where it was" in page.toast.label.text()


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ("keep", {"notes.txt": "mine"}),
        ("overwrite", {"notes.txt": "one"}),
        ("beside", {"notes.txt": "mine", "notes (before).txt": "one"}),
    ],
)
def test_a_file_changed_since_gives_three_choices(
    world: World, make: Make, choice: str, left: dict[str, str]
) -> None:
    """Nothing happens until one is chosen in the row, and then exactly that."""
    world.files.write_file("notes.txt", "one", call="a")
    world.files.write_file("notes.txt", "two", call="b")
    path = world.workspace.root / "notes.txt"
    path.write_text("mine")
    page = make()
    world.until(lambda: len(page.rows.list.rows) == 2)
    press_undo(world, page, 2)
    world.until(lambda: page.findChild(ErrorCard) is not None)
    card = page.findChild(ErrorCard)
    assert card is not None
    assert path.read_text() == "mine"
    assert [button.text() for button in card.buttons] == [*CHOICES.values(), "Decide later"]
    chosen = next(b for b in card.buttons if b.text() == {c.value: w for c, w in CHOICES.items()}[choice])
    world.qtbot.mouseClick(chosen, LEFT)
    world.until(lambda: any("undone" in captions(page, n) for n in range(len(page.rows.list.rows))))
    found = {path.name: path.read_text() for path in world.workspace.root.iterdir()}
    assert found == left


def test_deciding_later_leaves_everything(world: World, make: Make, undo_controller: UndoController) -> None:
    """The question goes, the change can still be undone."""
    change = world.files.write_file("notes.txt", "one", call="a").changes
    path = world.workspace.root / "notes.txt"
    path.write_text("mine")
    page = make()
    world.until(lambda: len(page.rows.list.rows) == 1)
    press_undo(world, page, 1)
    world.until(lambda: page.findChild(ErrorCard) is not None)
    card = page.findChild(ErrorCard)
    assert card is not None
    world.qtbot.mouseClick(card.buttons[-1], LEFT)
    world.until(lambda: page.findChild(ErrorCard) is None)
    assert path.read_text() == "mine"
    assert undo_controller.state(change).standing is UndoStatus.UNDOABLE


def test_space_is_shown_and_can_be_freed(world: World, make: Make) -> None:
    """The bound stands beside what is used; freeing asks first and ends what needs the bytes."""
    world.files.write_file("notes.txt", "x" * 40_000, call="a")
    world.files.write_file("notes.txt", "two", call="b")
    page = make()
    world.until(lambda: "40 kB of at most 10 MB" in page.space.text())
    world.qtbot.mouseClick(page.free, LEFT)
    assert page.confirm.isVisible()
    world.qtbot.keyClick(page.confirm.no, Qt.Key.Key_Escape)
    assert not page.confirm.isVisible()
    assert world.journal.used_bytes() == 40_000
    world.qtbot.mouseClick(page.free, LEFT)
    world.qtbot.mouseClick(page.confirm.yes, LEFT)
    world.until(lambda: "0 bytes of at most" in page.space.text())
    world.until(lambda: "can no longer be undone" in captions(page, 0))
    assert "can no longer" not in captions(page, 1), "what was made new needs no bytes"


def test_a_change_made_elsewhere_appears(world: World, make: Make) -> None:
    """A call that ends while the page is open adds its row."""
    page = make()
    world.until(page.rows.empty.isVisible)
    done = world.files.write_file("list.txt", "milk", call="a")
    call = Call("a", "write_file", {"path": "list.txt"})
    world.bus.publish(ToolEnded(1, CallResult(call, CallStatus.DONE, done.text, changes=done.changes)))
    world.until(lambda: words(page) == ["Created list.txt"])


def test_many_changes_are_shown_in_parts(world: World, make: Make) -> None:
    """Fifty rows at once; the button shows the next."""
    for number in range(60):
        world.files.write_file("notes.txt", f"{number}", call=f"c{number}")
    page = make()
    world.until(lambda: len(page.rows.list.rows) == 50)
    world.qtbot.mouseClick(page.rows.more, LEFT)
    world.until(lambda: len(page.rows.list.rows) == 60)
    assert not page.rows.more.isVisible()
