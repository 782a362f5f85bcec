"""Quick-ask on a virtual desktop: real key presses through the X server, a window manager, another window."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="Quick-ask is a window")

from desktop.settings import WindowSettings
from desktop.ui.quick_ask.quick_ask import SETTLED_S
from tests.flows.desktop_session import (
    ROOT,
    DesktopSession,
    desktop_session,
    missing_programs,
    typed_elsewhere,
    wait_for,
)
from tests.flows.other_window import TITLE as TERMINAL
from tests.flows.profile import answers
from tests.flows.running_quick_ask import HOTKEY, Keyboard, Program, program

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(120)]

WINDOW = "^Quick-ask$"


@pytest.fixture(scope="module")
def screen() -> Iterator[DesktopSession]:
    missing = missing_programs()
    if missing:
        pytest.skip(f"a virtual desktop needs {', '.join(missing)}")
    with desktop_session(tray=False) as made:
        yield made


@pytest.fixture
def typed(screen: DesktopSession) -> Iterator[list[str]]:
    """Another program's window, with the focus; what is typed there."""
    with typed_elsewhere(screen) as typed:
        yield typed


@pytest.fixture
def quick(screen: DesktopSession, typed: list[str], tmp_path: Path) -> Iterator[Program]:
    with program(screen, tmp_path / "profile") as running:
        yield running


@pytest.fixture
def keyboard(screen: DesktopSession) -> Iterator[Keyboard]:
    made = Keyboard(screen.environment["DISPLAY"])
    yield made
    made.close()


def active(screen: DesktopSession) -> str:
    return screen.run("xdotool", "getactivewindow", "getwindowname")


def draft(quick: Program) -> str:
    seen = quick.count("draft")
    quick.tell("text")
    return str(quick.next("draft", seen)["draft"])


def wait_until_focused(screen: DesktopSession, name: str) -> None:
    wait_for(lambda: active(screen) == name, f"the focus in {name}", 10)


def test_typed_at_once_and_back(
    screen: DesktopSession, quick: Program, keyboard: Keyboard, typed: list[str], artefacts: Path
) -> None:
    """What is typed right after the key is in the field; Esc keeps it and gives the focus back."""
    keyboard.press(*HOTKEY)
    quick.next("ready", 0)
    screen.type("12 * 8.5")
    wait_for(lambda: draft(quick) == "12 * 8.5", "the text in the field")
    screen.screenshot(artefacts / "quick-ask" / "1-rule.png")
    screen.key("Escape")
    quick.next("hidden", 0)
    wait_until_focused(screen, TERMINAL)
    screen.type("ls")
    wait_for(lambda: typed and typed[-1] == "ls", "what is typed in the other window")
    keyboard.press(*HOTKEY)
    quick.next("ready", 1)
    assert draft(quick) == "12 * 8.5"


def test_with_lock_keys(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """NumLock and CapsLock make no difference."""
    for shown, lock in enumerate(("Num_Lock", "Caps_Lock")):
        screen.run("xdotool", "key", lock)
        try:
            keyboard.press(*HOTKEY)
            quick.next("ready", shown)
        finally:
            screen.run("xdotool", "key", lock)
        screen.key("Escape")
        quick.next("hidden", shown)


def test_second_press_toggles(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """It hides, and the other window has the focus again."""
    keyboard.press(*HOTKEY)
    quick.next("ready", 0)
    time.sleep(0.1)  # no hand is faster; a press at the moment of the release is a held key
    keyboard.press(*HOTKEY)
    quick.next("hidden", 0)
    wait_until_focused(screen, TERMINAL)


def test_fifty_fast_presses_leave_one_window(
    screen: DesktopSession, quick: Program, keyboard: Keyboard
) -> None:
    """However many came through, there is at most one window, and the next press does what it should."""
    for _ in range(50):
        keyboard.press(*HOTKEY, hold_s=0.003)
        time.sleep(0.005)  # a release and a press at the same moment are a held key
    wait_for(lambda: quick.count("pressed") == 50, "all presses")
    quick.settle()  # the last press is heard of before its window is
    assert len(screen.windows(WINDOW)) <= 1
    if screen.windows(WINDOW):
        wait_until_focused(screen, "Quick-ask")
        screen.key("Escape")
        wait_for(lambda: not screen.windows(WINDOW), "the window hidden")
    wait_until_focused(screen, TERMINAL)
    seen = quick.count("ready")
    keyboard.press(*HOTKEY)
    quick.next("ready", seen)


def test_a_held_key_is_one_press(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """The window does not flicker while a finger rests on the key."""
    keyboard.press(*HOTKEY, hold_s=1.5)
    quick.next("ready", 0)
    assert quick.count("pressed") == 1
    assert quick.count("hidden") == 0


def test_a_click_elsewhere_hides_it(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """And leaves the focus where the click was."""
    keyboard.press(*HOTKEY)
    ready = quick.next("ready", 0)
    wait_for(lambda: time.perf_counter() > ready["at_s"] + SETTLED_S, "the time of flickering panels over")
    screen.run("xdotool", "mousemove", "--window", screen.windows(TERMINAL)[0], "30", "150", "click", "1")
    quick.next("hidden", 0)
    assert active(screen) == TERMINAL


def test_in_the_upper_part_of_the_screen(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """680 wide in the middle, a fifth from the top."""
    keyboard.press(*HOTKEY)
    quick.next("ready", 0)
    window = screen.wait_for_window("^Quick-ask$")

    def place() -> tuple[int, int, int]:
        told = _shape(screen, window)
        return int(told["X"]), int(told["Y"]), int(told["WIDTH"])

    # The window manager may move it, and give it its size, a moment after it was painted.
    wait_for(lambda: place()[::2] == ((1280 - 680) // 2, 680), "the window in the middle")
    assert 120 <= place()[1] <= 200


def test_over_a_full_screen_window(
    screen: DesktopSession, quick: Program, keyboard: Keyboard, typed: list[str], artefacts: Path
) -> None:
    """It is above that window, and Esc gives the focus back to it as it was."""
    terminal = screen.windows(TERMINAL)[0]
    screen.key("F11")
    wait_for(lambda: _shape(screen, terminal)["WIDTH"] == "1280", "the whole screen")
    screen.run("xdotool", "mousemove", "640", "229")  # where it will be
    below = _under_the_mouse(screen)
    keyboard.press(*HOTKEY)
    quick.next("ready", 0)
    wait_for(lambda: _under_the_mouse(screen) != below, "Quick-ask above it", 10)
    screen.screenshot(artefacts / "quick-ask" / "2-over-full-screen.png")
    screen.type("2 * 21")
    wait_for(lambda: draft(quick) == "2 * 21", "the text in the field")
    screen.key("Escape")
    quick.next("hidden", 0)
    wait_until_focused(screen, TERMINAL)
    assert _shape(screen, terminal)["WIDTH"] == "1280"
    screen.type("ls")
    wait_for(lambda: typed and typed[-1] == "ls", "what is typed in the other window")


def _under_the_mouse(screen: DesktopSession) -> str:
    """The frame that the window manager has put around the window there."""
    return screen.run("xdotool", "getmouselocation", "--shell").split("WINDOW=")[1]


def _shape(screen: DesktopSession, window: str) -> dict[str, str]:
    lines = screen.run("xdotool", "getwindowgeometry", "--shell", window).splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_keys_in_use_are_said_with_the_next_step(
    screen: DesktopSession, quick: Program, tmp_path: Path
) -> None:
    """A second program that wants the same keys is told so once and runs on; other keys work at once."""
    with program(screen, tmp_path / "second") as second:
        problem = second.next("problem", 0)
        assert problem["problem"] == "Ctrl+Shift+Space is in use by another program."
        assert problem["step"]
        second.tell("settings Ctrl+Shift+Y")
        wait_for(lambda: any(fact.get("works") for fact in second.facts), "other keys", 10)
        assert second.count("problem") == 1


def test_another_keyboard_layout(screen: DesktopSession, quick: Program, keyboard: Keyboard) -> None:
    """The keys are taken again where the new layout has them."""
    quick.tell("settings Ctrl+Shift+Y")
    wait_for(lambda: quick.count("works") == 2, "other keys", 10)
    screen.run("setxkbmap", "de")
    try:
        wait_for(lambda: quick.count("works") >= 3, "the layout noticed", 10)
        screen.run("xdotool", "key", "ctrl+shift+y")
        quick.next("ready", 0)
    finally:
        screen.run("setxkbmap", "us")


def test_without_a_model(
    screen: DesktopSession, quick: Program, keyboard: Keyboard, artefacts: Path, tmp_path: Path
) -> None:
    """The field works, rules answer, and a question says what is missing in the window itself."""
    keyboard.press(*HOTKEY)
    quick.next("ready", 0)
    screen.type("Hello")
    screen.key("Return")
    wait_for(lambda: draft(quick) == "", "the question sent")
    wait_for(lambda: answers(tmp_path / "profile", "failed") == [""], "the failed answer")
    screen.screenshot(artefacts / "quick-ask" / "2-no-model.png")
    screen.key("ctrl+Return")
    assert quick.next("window", 0)["window"] > 0
    wait_for(lambda: not screen.windows(WINDOW), "the window gone")


PICTURE = """
import sys
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel()
label.setPixmap(QPixmap(sys.argv[1]))
label.setGeometry(20, 560, 640, 160)
label.setWindowTitle("Invoice")
label.show()
app.exec()
"""


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="reading pictures needs Tesseract")
def test_text_from_a_part_of_the_screen(
    screen: DesktopSession, quick: Program, keyboard: Keyboard, artefacts: Path
) -> None:
    """A frame is dragged around an invoice; the window comes back, and its words go along."""
    invoice = ROOT / "tests" / "tools" / "pictures" / "invoice.png"
    viewer = subprocess.Popen([sys.executable, "-c", PICTURE, str(invoice)], env=screen.environment)
    try:
        screen.wait_for_window("^Invoice$")
        keyboard.press(*HOTKEY)
        x, y, _width, _height = quick.next("ready", 0)["ready"]
        screen.run("xdotool", "mousemove", str(x + 60), str(y + 78), "click", "1")
        quick.next("hidden", 0)
        wait_for(lambda: active(screen) not in ("Invoice", TERMINAL, "Quick-ask"), "the picker", 20)
        screen.screenshot(artefacts / "quick-ask" / "3-marking.png")
        screen.run("xdotool", "mousemove", "20", "540", "mousedown", "1")
        screen.run("xdotool", "mousemove", "300", "650", "mousemove", "670", "730", "mouseup", "1")
        quick.next("ready", 1)
        wait_for(lambda: "4711" in draft(quick), "the words of the invoice")
        screen.screenshot(artefacts / "quick-ask" / "4-read.png")
    finally:
        viewer.terminate()
        viewer.wait(10)


# -- what is selected in another program --------------------------------------------------------------


def click(screen: DesktopSession, quick: Program, name: str) -> None:
    """The widget of Quick-ask that is called so, once it is there."""

    def middle() -> list[int]:
        seen = quick.count("where")
        quick.tell(f"where {name}")
        return list(quick.next("where", seen)["where"])

    x, y = wait_for(middle, name)
    screen.run("xdotool", "mousemove", str(x), str(y), "click", "1")


def test_selected_text_of_another_program_is_rewritten_and_taken_back(
    screen: DesktopSession, typed: list[str], keyboard: Keyboard, tmp_path: Path, artefacts: Path
) -> None:
    """Selected there, rewritten here with the difference, and put in its place by the user's own paste."""
    screen.type("teh boat is hear")
    wait_for(lambda: typed and typed[-1] == "teh boat is hear", "what is typed in the other window")
    there = ("--window", screen.windows(TERMINAL)[0], "120", "100")
    thrice = ("click", "--repeat", "3", "--delay", "60", "1")
    screen.run("xdotool", "mousemove", *there, *thrice)
    with program(screen, tmp_path / "profile", WindowSettings().hotkey, "The boat is here") as quick:
        keyboard.press(*HOTKEY)
        quick.next("ready", 0)
        click(screen, quick, "quick_ask_rewrite")
        wait_for(lambda: quick_shows(quick, "text_result_text"), "the result")
        screen.screenshot(artefacts / "quick-ask" / "selected-text.png")
        assert typed[-1] == "teh boat is hear", "nothing is changed by itself"
        click(screen, quick, "text_result_take")
        wait_until_focused(screen, TERMINAL)
        screen.key("ctrl+v")
        wait_for(lambda: typed[-1] == "The boat is here", "the pasted text")


def quick_shows(quick: Program, name: str) -> bool:
    seen = quick.count("where")
    quick.tell(f"where {name}")
    return bool(quick.next("where", seen)["where"])
