"""The look: colours, sizes and fonts of the design brief, light, dark or as the system says.

The composition root makes one `Theme`, which gives the application its palette, font and style sheet. Most
widgets never ask for more: the style sheet knows them by their class or by a property. What paints or
measures by itself asks this module (`theme.px(8)`, `theme.colour("danger")`), which answers for the theme
that is valid now. Sizes are given on the 4 px grid at 100 % and scaled by one zoom factor. Main thread only.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, fields
from functools import cache
from typing import ClassVar, TypeVar

from PySide6.QtCore import QMargins, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QGridLayout, QLayout, QWidget

from desktop.paths import resources
from desktop.settings import Theme as Mode
from desktop.ui import icons

L = TypeVar("L", bound=QLayout)
ZOOM_STEPS_PERCENT = (80, 90, 100, 110, 125, 150, 175, 200)

BODY_PX, SMALL_PX, CAPTION_PX, MONO_PX = 15.0, 13.0, 12.0, 13.5
LABEL_SIZES_PX = (12.0, 13.0, 13.5, 15.0, 17.0, 18.0, 20.0, 24.0)
LINE_HEIGHT = 1.55


@dataclass(frozen=True)
class Tokens:
    """Colours by purpose. Text reaches 4.5 : 1 on every surface it is used on, control borders 3 : 1."""

    background: str
    surface_1: str
    surface_2: str
    text: str
    secondary: str
    hairline: str
    control_border: str
    accent: str
    on_accent: str
    danger: str
    warning: str
    warning_surface: str
    success: str
    link: str
    focus: str
    selection: str  # behind the selected row
    on_selection: str
    code_keyword: str
    code_string: str
    code_number: str
    code_name: str


LIGHT = Tokens(
    background="#ffffff",
    surface_1="#fafafa",
    surface_2="#f5f5f5",
    text="#171717",
    secondary="#525252",
    hairline="#e5e5e5",
    control_border="#8f8f8f",
    accent="#2563eb",
    on_accent="#ffffff",
    danger="#b91c1c",
    warning="#92400e",
    warning_surface="#fffbeb",
    success="#15803d",
    link="#2563eb",
    focus="#2563eb",
    selection="#e5e5e5",
    on_selection="#171717",
    code_keyword="#86198f",
    code_string="#166534",
    code_number="#9a3412",
    code_name="#1d4ed8",
)
DARK = Tokens(
    background="#171717",
    surface_1="#1f1f1f",
    surface_2="#262626",
    text="#ededed",
    secondary="#a3a3a3",
    hairline="#303030",
    control_border="#6b6b6b",
    accent="#60a5fa",
    on_accent="#171717",
    danger="#f87171",
    warning="#fbbf24",
    warning_surface="#171717",
    success="#4ade80",
    link="#60a5fa",
    focus="#60a5fa",
    selection="#303030",
    on_selection="#ededed",
    code_keyword="#f0abfc",
    code_string="#86efac",
    code_number="#fdba74",
    code_name="#93c5fd",
)

LEAST_CONTRAST = 4.5  # of text


def contrast(first: str, second: str) -> float:
    """The WCAG 2 contrast ratio of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance; the constants are those of WCAG 2.1, "relative luminance"."""
    parts = QColor(colour)
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (parts.redF(), parts.greenF(), parts.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def tokens_of(palette: QPalette) -> Tokens:
    """The system's own colours under our names, for high contrast."""
    role = QPalette.ColorRole

    def name(which: QPalette.ColorRole) -> str:
        return palette.color(QPalette.ColorGroup.Active, which).name()

    text, window = name(role.WindowText), name(role.Window)
    values = {field.name: text for field in fields(Tokens)}
    values.update(
        background=name(role.Base),
        surface_1=window,
        surface_2=window,
        warning_surface=name(role.Base),
        accent=name(role.Highlight),
        on_accent=name(role.HighlightedText),
        link=name(role.Link),
        selection=name(role.Highlight),
        on_selection=name(role.HighlightedText),
    )
    return Tokens(**values)


class Theme(QObject):
    """Colours, sizes and fonts that are valid now; `changed` says that all of them may be new.

    Main thread only.
    """

    rescaled = Signal()  # what keeps gaps and sizes takes the new ones, before anybody measures
    changed = Signal()
    _valid: ClassVar[Theme | None] = None

    def __init__(self, app: QApplication, mode: Mode = Mode.SYSTEM, zoom_percent: int = 100) -> None:
        super().__init__()
        Theme._valid = self
        self._app = app
        # Kept, because the wrapper of what `accessibility()` returns dies with the wrapper of its parent.
        self._hints = app.styleHints()
        self._styles = resources() / "styles"
        self.mode = mode
        self.zoom_percent = zoom_percent
        # Before ours is set: high contrast goes back to it.
        self._system_palette = QPalette(app.palette())
        # What the system says of itself, whatever was chosen here: the tray's panel follows the system.
        self.system_is_dark = app.palette().window().color().lightnessF() < 0.5
        # The one style that is the same on all systems and that a style sheet can reshape whole.
        app.setStyle("Fusion")
        self._follow_system()
        self._set_scheme()
        self.apply()

    # -- what is valid now --------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """The factor on every size, 0.8 to 2."""
        return self.zoom_percent / 100

    @property
    def is_dark(self) -> bool:
        if self.high_contrast:
            return self._system_palette.window().color().lightnessF() < 0.5
        if self.mode is Mode.SYSTEM:
            return self._hints.colorScheme() == Qt.ColorScheme.Dark
        return self.mode is Mode.DARK

    @property
    def high_contrast(self) -> bool:
        """The system asks for high contrast: its own palette is used, and no colour of ours."""
        return self._contrast_preference() == Qt.ContrastPreference.HighContrast

    @property
    def tokens(self) -> Tokens:
        if self.high_contrast:
            return tokens_of(self._system_palette)
        return DARK if self.is_dark else LIGHT

    @property
    def reduced_motion(self) -> bool:
        """The system asks for less motion."""
        style = self._app.style()
        return style.styleHint(style.StyleHint.SH_Widget_Animation_Duration) == 0

    def px(self, size: float) -> int:
        """A size of the 100 % design in pixels now."""
        return round(size * self.zoom)

    def colour(self, name: str) -> QColor:
        """The token called `name`."""
        return QColor(getattr(self.tokens, name))

    def font(self, size: float = BODY_PX, bold: bool = False) -> QFont:
        """The system's UI font in a size of the 100 % design."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setPixelSize(self.px(size))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def mono_font(self, size: float = MONO_PX) -> QFont:
        """The system's fixed-width font."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(self.px(size))
        if not QFontInfo(font).fixedPitch():
            font.setFamily(_fixed_family() or font.family())
        return font

    # -- changing it --------------------------------------------------------------------------

    def set_mode(self, mode: Mode) -> None:
        """Light, dark, or as the system says; applied at once."""
        self.mode = mode
        self._set_scheme()
        self.apply()

    def set_zoom(self, percent: int) -> None:
        """80 to 200; applied at once."""
        self.zoom_percent = max(ZOOM_STEPS_PERCENT[0], min(ZOOM_STEPS_PERCENT[-1], percent))
        self.apply()

    def step_zoom(self, direction: int) -> int:
        """One step up (1), down (-1) or back to 100 % (0); returns the new percentage."""
        if direction == 0:
            self.set_zoom(100)
        elif direction > 0:
            self.set_zoom(next((s for s in ZOOM_STEPS_PERCENT if s > self.zoom_percent), 200))
        else:
            self.set_zoom(next((s for s in reversed(ZOOM_STEPS_PERCENT) if s < self.zoom_percent), 80))
        return self.zoom_percent

    def apply(self) -> None:
        """Give palette, font and style sheet to the application and tell everyone.

        Not where all are as they were: systems tell of one change more than once, and each time every widget
        would be dressed anew.
        """
        system = with_readable_hints(self._system_palette)
        palette = system if self.high_contrast else palette_of(self.tokens)
        font, sheet = self.font(), self.style_sheet()
        if (palette, font, sheet) == (self._app.palette(), self._app.font(), self._app.styleSheet()):
            return
        self._app.setPalette(palette)
        # Before the style sheet, which goes before both where it says something.
        self._app.setFont(font)
        self._app.setStyleSheet(sheet)
        # With the first sheet Qt changes the style, and takes the system's own fonts for buttons and menus
        # again where its theme names some, as that of GTK does: these would not follow the text size.
        # The stubs say bytes for the name of the class, which raises ValueError; a str is what Qt takes.
        if QApplication.font("QPushButton") != self._app.font():  # type: ignore[call-overload]
            self._app.setFont(self.font())
        # In two steps: whoever measures at `changed` must find all sizes and gaps new.
        self.rescaled.emit()
        self.changed.emit()

    def style_sheet(self) -> str:
        """`shape.qss`, and `colour.qss` unless the system's own colours are wanted."""
        names = ("shape.qss",) if self.high_contrast else ("shape.qss", "colour.qss")
        text = "\n".join((self._styles / name).read_text(encoding="utf-8") for name in names)
        return _Template(text).substitute(self._values()) + self._label_rules()

    def _label_rules(self) -> str:
        """The sizes and colours that a `Label` may be made with."""
        rules = [f'Label[letters="{size:g}"] {{ font-size: {self.px(size)}px; }}' for size in LABEL_SIZES_PX]
        if not self.high_contrast:
            rules += [
                f'Label[colour="{each.name}"] {{ color: {getattr(self.tokens, each.name)}; }}'
                for each in fields(Tokens)
            ]
        return "\n".join(rules)

    # -- inside -------------------------------------------------------------------------------

    def _values(self) -> dict[str, str]:
        sizes = {f"px{n}": f"{self.px(n)}px" for n in range(1, 61)}
        colours = {field.name: str(getattr(self.tokens, field.name)) for field in fields(Tokens)}
        others = {"mono_family": self.mono_font().family(), "icons": icons.folder().as_posix()}
        return sizes | colours | self._edges() | others

    def _edges(self) -> dict[str, str]:
        """Borders: of controls, of quiet frames, and of surfaces that only high contrast outlines."""
        if self.high_contrast:
            return dict.fromkeys(("edge", "quiet_edge", "outline"), "palette(window-text)")
        return {
            "edge": self.tokens.control_border,
            "quiet_edge": self.tokens.hairline,
            "outline": "transparent",
        }

    def _contrast_preference(self) -> Qt.ContrastPreference:
        return self._hints.accessibility().contrastPreference()

    def _follow_system(self) -> None:
        self._hints.colorSchemeChanged.connect(self._on_system_changed)
        self._hints.accessibility().contrastPreferenceChanged.connect(self._on_contrast_changed)

    def _on_contrast_changed(self) -> None:
        """Some systems hand the new colours over a moment after they said that the contrast is another."""
        self._take_over_contrast()
        QTimer.singleShot(0, self, self._take_over_contrast)

    def _take_over_contrast(self) -> None:
        """The colours of the system as they are now, whatever they were at the start."""
        if self.high_contrast:
            self._hints.unsetColorScheme()  # what was chosen here would colour what is read
            self._system_palette = self._system_palette_now()
        else:
            self._set_scheme()
        self.apply()

    def _system_palette_now(self) -> QPalette:
        """What the platform says, without what this program has set over it."""
        self._app.setPalette(QPalette())
        return QPalette(self._app.palette())

    def _on_system_changed(self) -> None:
        if self.mode is Mode.SYSTEM:  # otherwise what is reported is our own choice
            self.system_is_dark = self._hints.colorScheme() == Qt.ColorScheme.Dark
        if self.high_contrast:
            self._system_palette = self._system_palette_now()
        if self.mode is Mode.SYSTEM or self.high_contrast:
            self.apply()

    def _set_scheme(self) -> None:
        """Window frames and native dialogs follow the choice too."""
        if self.mode is Mode.SYSTEM or self.high_contrast:
            self._hints.unsetColorScheme()
        else:
            dark = self.mode is Mode.DARK
            self._hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)


class _Template(string.Template):
    delimiter = "@"


def palette_of(tokens: Tokens) -> QPalette:
    """The same colours as a palette, for what style sheets do not reach."""
    role = QPalette.ColorRole
    palette = QPalette()
    for which, colour in (
        (role.Window, tokens.background),
        (role.Base, tokens.background),
        (role.AlternateBase, tokens.surface_1),
        (role.Button, tokens.surface_1),
        (role.WindowText, tokens.text),
        (role.Text, tokens.text),
        (role.ButtonText, tokens.text),
        (role.PlaceholderText, tokens.secondary),
        (role.Highlight, tokens.accent),
        (role.Accent, tokens.accent),
        (role.HighlightedText, tokens.on_accent),
        (role.Link, tokens.accent),
        (role.LinkVisited, tokens.accent),
        (role.ToolTipBase, tokens.surface_2),
        (role.ToolTipText, tokens.text),
        (role.Mid, tokens.control_border),
        (role.Midlight, tokens.hairline),
        (role.Light, tokens.surface_2),
    ):
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.control_border))
    return palette


def with_readable_hints(palette: QPalette) -> QPalette:
    """A system's palette whose hints in empty fields can be read: many systems, and Qt where one names none,
    paint them half transparent, which high contrast is meant to end."""
    made = QPalette(palette)
    if hint_contrast(palette) < LEAST_CONTRAST:
        made.setColor(QPalette.ColorRole.PlaceholderText, palette.color(QPalette.ColorRole.Text))
    return made


def hint_contrast(palette: QPalette) -> float:
    """The contrast of a hint in an empty field."""
    hint = palette.color(QPalette.ColorRole.PlaceholderText)
    ground = palette.color(QPalette.ColorRole.Base)
    return contrast(_blended(hint, ground), ground.name())


def _blended(ink: QColor, ground: QColor) -> str:
    share = ink.alphaF()

    def mixed(over: int, under: int) -> int:
        return round(over * share + under * (1 - share))

    return QColor(
        mixed(ink.red(), ground.red()), mixed(ink.green(), ground.green()), mixed(ink.blue(), ground.blue())
    ).name()


# -- the theme that is valid now --------------------------------------------------------------


def current() -> Theme:
    """The theme of the application. Raises RuntimeError before the first one is made."""
    if Theme._valid is None:
        raise RuntimeError("no theme has been made yet")
    return Theme._valid


def is_high_contrast() -> bool:
    """Whether the system asks for it; no before the first theme, for what is shown without one."""
    return Theme._valid is not None and Theme._valid.high_contrast


def px(size: float) -> int:
    """A size of the 100 % design in pixels now."""
    return current().px(size)


def tokens() -> Tokens:
    """The colours that are valid now."""
    return current().tokens


def colour(name: str) -> QColor:
    """The token called `name`."""
    return current().colour(name)


def font(size: float = BODY_PX, bold: bool = False) -> QFont:
    """The system's UI font in a size of the 100 % design."""
    return current().font(size, bold)


def mono_font(size: float = MONO_PX) -> QFont:
    """The system's fixed-width font."""
    return current().mono_font(size)


@cache  # also keeps it: an engine written in Python must outlive every copy of its icon that Qt holds
def icon(name: str, ink: str = "secondary") -> QIcon:
    """An icon of resources/icons, always in the colour that the token called `ink` has when it is painted."""
    return icons.tinted(name, lambda: str(getattr(tokens(), ink)))


@cache
def _fixed_family() -> str:
    """A fixed-width font for Latin letters; empty where there is none.

    For a system whose own is none: on a Hebrew desktop fontconfig takes one with Hebrew letters first.
    """
    families = [
        name
        for name in QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
        if QFontDatabase.isSmoothlyScalable(name) and QFontInfo(QFont(name)).fixedPitch()
    ]
    return min(families, key=lambda name: ("Sans" not in name, name), default="")


def sides(widget: QWidget | None, left: int, top: int, right: int, bottom: int) -> QMargins:
    """Margins as `widget` takes them: Qt mirrors what is in a layout, but not what is around it."""
    direction = widget.layoutDirection() if widget is not None else QGuiApplication.layoutDirection()
    if direction == Qt.LayoutDirection.RightToLeft:
        left, right = right, left
    return QMargins(left, top, right, bottom)


class _Spacing(QObject):
    """Keeps the margins and the spacing of one layout in step with the zoom."""

    def __init__(self, layout: QLayout) -> None:
        super().__init__(layout)
        self.margins: tuple[float, float, float, float] = (0, 0, 0, 0)
        self.spacing = (0.0, 0.0)
        current().rescaled.connect(self.apply)

    def apply(self) -> None:
        layout = self.parent()
        assert isinstance(layout, QLayout)
        left, top, right, bottom = (px(side) for side in self.margins)
        layout.setContentsMargins(sides(layout.parentWidget(), left, top, right, bottom))
        if isinstance(layout, QGridLayout):
            layout.setHorizontalSpacing(px(self.spacing[0]))
            layout.setVerticalSpacing(px(self.spacing[1]))
        else:
            layout.setSpacing(px(self.spacing[0]))


def space(
    layout: L,
    spacing: float | tuple[float, float] = 0,
    margins: tuple[float, float, float, float] = (0, 0, 0, 0),
) -> L:
    """Give `layout` this spacing and these margins (left, top, right, bottom), in pixels at 100 %.
    Where windows begin at the right, so does `left`.

    A pair is the spacing of a grid, sideways and downwards.
    They hold through every change of the zoom, until this is called for the layout again. Returns `layout`.
    """
    found = layout.findChild(_Spacing, options=Qt.FindChildOption.FindDirectChildrenOnly)
    kept = found if found is not None else _Spacing(layout)
    kept.margins = margins
    kept.spacing = spacing if isinstance(spacing, tuple) else (spacing, spacing)
    kept.apply()
    return layout
