from __future__ import annotations

import gc
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QProgressBar,
    QScrollBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.icons import folder, pixmap, svg
from desktop.ui.theme import (
    DARK,
    LIGHT,
    SMALL_PX,
    Theme,
    Tokens,
    colour,
    contrast,
    current,
    icon,
    px,
    space,
    tokens,
    tokens_of,
)
from desktop.ui.widgets.labels import Label
from tests.ui.chat.conftest import theme as theme_fixture

theme = theme_fixture
ROOT = Path(__file__).resolve().parents[2]

TEXT_ON = [
    ("text", "background"),
    ("text", "surface_1"),
    ("text", "surface_2"),
    ("on_selection", "selection"),
    ("secondary", "selection"),  # the second line of a selected search result
    ("link", "background"),
    ("secondary", "background"),
    ("secondary", "surface_1"),
    ("secondary", "surface_2"),
    ("accent", "background"),
    ("on_accent", "accent"),
    ("danger", "background"),
    ("danger", "surface_1"),
    ("warning", "warning_surface"),
    ("warning", "background"),
    ("success", "background"),
    ("code_keyword", "surface_1"),
    ("code_string", "surface_1"),
    ("code_number", "surface_1"),
    ("code_name", "surface_1"),
    ("background", "text"),  # the toast
    ("danger", "surface_2"),
    ("success", "surface_1"),
    ("link", "surface_1"),
    ("link", "surface_2"),
    ("text", "warning_surface"),
]


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON)
def test_text_can_be_read(tokens: Tokens, ink: str, ground: str) -> None:
    """Every colour of text reaches 4.5 : 1 on every surface it is used on."""
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["control_border", "accent", "focus"])
@pytest.mark.parametrize("ground", ["background", "surface_1"])
def test_borders_can_be_seen(tokens: Tokens, ink: str, ground: str) -> None:
    """Borders of controls and the focus ring reach 3 : 1 on what they stand on."""
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 3


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#171717", "#ffffff", 17.9)],
)
def test_contrast(first: str, second: str, ratio: float) -> None:
    """The ratio of WCAG, known values of it."""
    assert contrast(first, second) == pytest.approx(ratio, abs=0.05)


def test_buttons_have_the_size_of_letters_that_was_chosen(
    theme: Theme, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the system's theme names a font of its own for them, which Qt takes with a style sheet."""
    sheet = qapp.setStyleSheet

    def with_gtk(text: str) -> None:
        sheet(text)
        QApplication.setFont(QFont("Sans", 10), "QPushButton")

    monkeypatch.setattr(qapp, "setStyleSheet", with_gtk)
    theme.set_zoom(200)
    assert QApplication.font("QPushButton").pixelSize() == 30


def test_mode_changes_at_once(theme: Theme, qapp: QApplication) -> None:
    """Choosing dark gives the application a dark palette and tells everyone."""
    told: list[bool] = []
    theme.changed.connect(lambda: told.append(theme.is_dark))
    theme.set_mode(Mode.DARK)
    assert told == [True]
    assert qapp.palette().window().color().name() == DARK.background
    theme.set_mode(Mode.LIGHT)
    assert qapp.palette().window().color().name() == LIGHT.background
    assert LIGHT.accent in qapp.styleSheet()


def test_nobody_is_told_of_what_is_as_it_was(theme: Theme) -> None:
    """A choice that changes nothing dresses no widget anew; the next that does is told once."""
    told: list[float] = []
    theme.changed.connect(lambda: told.append(theme.zoom))
    theme.set_mode(Mode.LIGHT)
    theme.set_zoom(100)
    assert told == []
    theme.set_zoom(125)
    assert told == [1.25]


@pytest.mark.parametrize(("asked", "got"), [(100, 100), (10, 80), (1000, 200), (125, 125)])
def test_zoom_scales_every_size(theme: Theme, asked: int, got: int) -> None:
    """One factor on sizes and fonts, 80 to 200 %."""
    theme.set_zoom(asked)
    assert theme.zoom_percent == got
    assert theme.px(20) == round(20 * got / 100)
    assert theme.font(15).pixelSize() == round(15 * got / 100)


def test_what_asks_the_module_gets_the_theme_in_force(theme: Theme) -> None:
    """Nobody has to be handed the theme: the module answers for it, also after a change."""
    assert current() is theme
    theme.set_zoom(150)
    theme.set_mode(Mode.DARK)
    assert (px(8), tokens(), colour("danger").name()) == (12, DARK, DARK.danger)
    theme.set_zoom(100)


def test_gaps_follow_the_zoom(theme: Theme, qtbot: QtBot) -> None:
    """Margins and spacing are given once; a second time they replace the first."""
    holder = QWidget()
    qtbot.addWidget(holder)
    grid = space(QGridLayout(holder), (16, 8), (1, 2, 3, 4))
    theme.set_zoom(200)
    margins = grid.contentsMargins()
    assert (grid.horizontalSpacing(), grid.verticalSpacing()) == (32, 16)
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (2, 4, 6, 8)
    space(grid, 6)
    theme.set_zoom(100)
    assert (grid.horizontalSpacing(), grid.verticalSpacing(), grid.contentsMargins().left()) == (6, 6, 0)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_an_icon_has_the_colour_of_the_moment(theme: Theme, ratio: float) -> None:
    """Set once, it is dark on light and light on dark, sharp at the scale of the screen."""
    sign = icon("check", "danger")
    for mode, ink in ((Mode.LIGHT, LIGHT.danger), (Mode.DARK, DARK.danger), (Mode.LIGHT, LIGHT.danger)):
        theme.set_mode(mode)
        picture = sign.pixmap(QSize(18, 18), ratio).toImage()
        assert picture.width() == round(18 * ratio)
        inked = {
            picture.pixelColor(x, y).name()
            for x in range(picture.width())
            for y in range(picture.height())
            if picture.pixelColor(x, y).alpha() == 255
        }
        assert inked == {ink}


def test_an_icon_outlives_what_asked_for_it(theme: Theme, qtbot: QtBot) -> None:
    """Who held it is collected in a circle with it, and a copy with a picture of its own goes."""
    button = QToolButton()
    qtbot.addWidget(button)

    class Holder:
        def __init__(self) -> None:
            self.me, self.icon = self, icon("check", "success")

    for _ in range(3):
        button.setIcon(Holder().icon)
        own = QIcon(Holder().icon)
        own.addPixmap(QPixmap(8, 8))  # here Qt makes another engine of the one in Python
        del own
        gc.collect()
        assert not button.icon().pixmap(16).isNull()


def test_a_label_follows_theme_and_zoom_by_the_style_sheet(theme: Theme, qtbot: QtBot) -> None:
    """It has no style sheet of its own; another colour is taken at once."""
    label = Label("XQZ", SMALL_PX, bold=True, colour="secondary")
    qtbot.addWidget(label)
    ink = QPalette.ColorRole.WindowText
    assert (label.styleSheet(), label.font().pixelSize()) == ("", 13)
    assert label.palette().color(ink).name() == LIGHT.secondary
    label.set_colour("danger")
    assert label.palette().color(ink).name() == LIGHT.danger
    theme.set_mode(Mode.DARK)
    theme.set_zoom(200)
    assert (label.palette().color(ink).name(), label.font().pixelSize()) == (DARK.danger, 26)


def test_zoom_steps(theme: Theme) -> None:
    """Up and down go through the steps and stop at the ends."""
    seen = [theme.step_zoom(1) for _ in range(7)]
    assert seen == [110, 125, 150, 175, 200, 200, 200]
    assert theme.step_zoom(0) == 100
    assert [theme.step_zoom(-1) for _ in range(3)] == [90, 80, 80]


def test_high_contrast_uses_no_colour_of_ours(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    """With high contrast the style sheet names no colour, and painting uses the system's palette."""
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    for ours in {getattr(LIGHT, field.name) for field in fields(Tokens)}:
        assert ours not in theme.style_sheet()
    assert theme.tokens == tokens_of(theme._system_palette)


def test_hints_in_empty_fields_can_be_read_in_high_contrast(
    theme: Theme, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system paints them half transparent they get the colour of the text."""
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    role, system = QPalette.ColorRole, QPalette(QColor("#000000"))
    system.setColor(role.Base, QColor("#000000"))
    system.setColor(role.Text, QColor("#ffff00"))
    system.setColor(role.PlaceholderText, QColor(255, 255, 0, 100))
    theme._system_palette = system
    theme.apply()
    assert qapp.palette().color(role.PlaceholderText).name() == "#ffff00"
    system.setColor(role.PlaceholderText, QColor("#c0c000"))
    theme._system_palette = system
    theme.apply()
    assert qapp.palette().color(role.PlaceholderText).name() == "#c0c000"


def test_high_contrast_comes_and_goes_while_running(
    theme: Theme, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's palette is that of the moment, not of the start; afterwards our colours are back."""
    preference = Qt.ContrastPreference.HighContrast
    monkeypatch.setattr(Theme, "_contrast_preference", lambda _self: preference)
    for yellow in ("#ffff00", "#00ff00"):  # the user goes from one contrast theme to another
        system = QPalette(qapp.palette())
        system.setColor(QPalette.ColorRole.WindowText, yellow)
        system.setColor(QPalette.ColorRole.Window, "#000000")
        monkeypatch.setattr(Theme, "_system_palette_now", lambda _self, system=system: QPalette(system))
        told: list[str] = []
        theme.changed.connect(lambda told=told: told.append(theme.tokens.text))
        theme._on_contrast_changed()
        assert told == [yellow]
        assert qapp.palette().windowText().color().name() == yellow
        assert LIGHT.accent not in qapp.styleSheet()
        assert theme.is_dark
    preference = Qt.ContrastPreference.NoPreference
    theme._on_contrast_changed()
    assert theme.tokens == LIGHT
    assert LIGHT.accent in qapp.styleSheet()
    QCoreApplication.processEvents()


def test_the_palette_of_the_system_can_be_read_again(theme: Theme, qapp: QApplication) -> None:
    """What this program has set does not hide it."""
    theme.set_mode(Mode.DARK)
    assert qapp.palette().window().color().name() == DARK.background
    theme._hints.unsetColorScheme()
    standard = qapp.style().standardPalette().window().color().name()
    assert theme._system_palette_now().window().color().name() == standard != DARK.background


def test_every_colour_is_in_the_table_of_contrasts() -> None:
    """A new token of text or of a control cannot be forgotten here."""
    decorative = {"hairline"}
    checked = {name for pair in TEXT_ON for name in pair} | {"control_border", "accent", "focus"}
    assert {field.name for field in fields(Tokens)} - decorative <= checked


def test_system_colours_under_our_names() -> None:
    """Text and background come from the palette that is given."""
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.WindowText, "#ffff00")
    palette.setColor(QPalette.ColorRole.Base, "#000000")
    tokens = tokens_of(palette)
    assert (tokens.text, tokens.secondary, tokens.background) == ("#ffff00", "#ffff00", "#000000")


@pytest.mark.parametrize("path", sorted(folder().glob("*.svg")), ids=lambda path: path.stem)
@pytest.mark.parametrize("size_px", [16, 20, 24, 32])
def test_icons_draw_something_everywhere(qapp: QApplication, path: object, size_px: int) -> None:
    """Every icon shows a shape at every size a tray or button asks for, and leaves its corners free."""
    name = path.stem  # type: ignore[attr-defined]
    image = pixmap(name, "#ff0000", size_px).toImage()
    inked = sum(image.pixelColor(x, y).alpha() > 60 for x in range(size_px) for y in range(size_px))
    assert size_px * size_px * 0.04 < inked < size_px * size_px * 0.97
    assert image.pixelColor(0, 0).alpha() < 60


@pytest.mark.parametrize("state", ["idle", "busy", "attention", "error"])
def test_tray_states_differ_by_shape(qapp: QApplication, state: str) -> None:
    """In one colour and 16 px the four states are four different pictures."""
    others = {"idle", "busy", "attention", "error"} - {state}
    mine = pixmap(f"tray-{state}", "#171717", 16).toImage()
    for other in others:
        theirs = pixmap(f"tray-{other}", "#171717", 16).toImage()
        different = sum(
            abs(mine.pixelColor(x, y).alpha() - theirs.pixelColor(x, y).alpha()) > 80
            for x in range(16)
            for y in range(16)
        )
        assert different >= 6


def test_icons_hold_no_script_and_no_address() -> None:
    """The icons are plain drawings."""
    for path in folder().glob("*.svg"):
        text = svg(path.stem)
        assert "script" not in text
        assert "href" not in text


def colours_in(widget: QWidget) -> set[str]:
    """All colours that a widget is drawn with."""
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


@pytest.mark.parametrize(
    ("high_contrast", "bar", "meter"),
    [(True, "#ffff00", "#00ffff"), (False, LIGHT.control_border, LIGHT.accent)],
)
def test_scroll_bars_and_meters_can_be_seen(
    theme: Theme,
    qapp: QApplication,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    high_contrast: bool,
    bar: str,
    meter: str,
) -> None:
    """In the system's own colours too: the handle of a bar, and how far a meter has come."""
    system = QPalette(qapp.palette())
    system.setColor(QPalette.ColorRole.WindowText, "#ffff00")
    system.setColor(QPalette.ColorRole.Highlight, "#00ffff")
    system.setColor(QPalette.ColorRole.Window, "#000000")
    choice = Qt.ContrastPreference.HighContrast if high_contrast else Qt.ContrastPreference.NoPreference
    monkeypatch.setattr(Theme, "_contrast_preference", lambda _self: choice)
    monkeypatch.setattr(Theme, "_system_palette_now", lambda _self: QPalette(system))
    theme._on_contrast_changed()
    scroll, progress = QScrollBar(Qt.Orientation.Vertical), QProgressBar()
    for each in (scroll, progress):
        qtbot.addWidget(each)
    scroll.setRange(0, 100)
    scroll.resize(12, 200)
    progress.setRange(0, 100)
    progress.setValue(50)
    progress.setTextVisible(False)
    progress.resize(200, 8)
    assert bar in colours_in(scroll)
    assert meter in colours_in(progress)
    monkeypatch.undo()
    theme._on_contrast_changed()


def test_tooltips_are_small_and_have_full_contrast(theme: Theme) -> None:
    """12 px at 100 %, in the colour of text."""
    rules = [line for line in theme.style_sheet().splitlines() if line.startswith("QToolTip")]
    assert any("font-size: 12px" in line for line in rules)
    assert any(f"color: {LIGHT.text}" in line for line in rules)


def test_code_is_of_one_width_on_a_hebrew_desktop() -> None:
    """There the system's own fixed-width font is one with Hebrew letters, which are of many widths."""
    made = (
        "from PySide6.QtWidgets import QApplication; from PySide6.QtGui import QFontInfo;"
        "from desktop.ui.theme import Theme; app = QApplication([]);"
        "print(QFontInfo(Theme(app).mono_font()).fixedPitch())"
    )
    spoken = {"LANG": "he_IL.UTF-8", "LC_ALL": "he_IL.UTF-8", "LANGUAGE": "", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", made],
        cwd=ROOT,
        env=os.environ | spoken,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "True"


def test_margins_begin_at_the_side_of_the_window(theme: Theme, qtbot: QtBot) -> None:
    """Qt mirrors what is in a layout, and not what is around it."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    margins = space(QVBoxLayout(widget), 8, (40, 1, 12, 2)).contentsMargins()
    assert (margins.left(), margins.right()) == (px(12), px(40))
