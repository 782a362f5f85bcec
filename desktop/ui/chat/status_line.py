"""The line under the composer: model, device, speed, context, network. Each part is a button."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyleOptionToolButton, QStylePainter, QToolButton, QWidget

from desktop.chat.context_use import NEARLY_FULL
from desktop.ui.buttons import WordsButton
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.language import decimal_point, later, number_words, plural, told, tr
from desktop.ui.theme import CAPTION_PX, Theme

METER_WIDTH = 32
LONGEST_PRESET = 24
UNGUARDED_HELP = later(
    "Never ask is on: files can be deleted and data sent without a question. Click to change it."
)


@dataclass(frozen=True)
class LineFacts:
    """What the line shows. `loading` is 0 to 1 while a model loads."""

    model_name: str = ""
    device: str = ""
    threads: int = 0
    gpu_layers: int = 0
    tokens_per_s: float = 0.0
    context_used: int = 0
    context_tokens: int = 0
    context_estimated: bool = False  # no model is loaded that could count
    loading: float | None = None
    offline: bool = False
    network: str = ""  # what has left this computer, in words
    unguarded: bool = False  # nothing is asked before it is done
    report: str = ""  # that the last run ended unexpectedly
    note: str = ""  # a standing remark about this window, with `note_help`
    note_help: str = ""
    device_notice: str = ""  # why the graphics card is not used

    @property
    def context_share(self) -> float:
        return self.context_used / self.context_tokens if self.context_tokens else 0.0


class StatusLine(QWidget):
    """Shows `LineFacts`. Main thread only."""

    model_clicked = Signal()
    device_clicked = Signal()
    speed_clicked = Signal()
    context_clicked = Signal()
    network_clicked = Signal()
    note_clicked = Signal()
    report_clicked = Signal()
    unguarded_clicked = Signal()
    preset_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("status_line")
        self.unguarded = self._part("status_unguarded", self.unguarded_clicked)
        self.model = self._part("status_model", self.model_clicked)
        self.preset = self._part("status_preset", self.preset_clicked)
        self.device = self._part("status_device", self.device_clicked)
        self.speed = self._part("status_speed", self.speed_clicked)
        self.context = _ContextPart(theme, self)
        self.context.clicked.connect(self.context_clicked)
        self.network = self._part("status_network", self.network_clicked)
        self.note = self._part("status_note", self.note_clicked)
        self.report = self._part("status_report", self.report_clicked)
        self._parts = (
            self.unguarded,
            self.model,
            self.preset,
            self.device,
            self.speed,
            self.context,
            self.network,
            self.note,
            self.report,
        )
        self._flow = FlowLayout(self)
        for part in self._parts:
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._flow.addWidget(part)
        theme.changed.connect(self._restyle)
        self._facts = LineFacts()
        self._preset = ""
        self._restyle()

    def show_facts(self, facts: LineFacts) -> None:
        self._facts = facts
        _fill(self.unguarded, tr("never asks") if facts.unguarded else "", tr(UNGUARDED_HELP))
        _fill(self.model, model_words(facts), tr("Choose and manage models"))
        _fill(self.device, device_words(facts), device_help(facts))
        speed = tr("{speed:.1f} tok/s", speed=facts.tokens_per_s) if facts.tokens_per_s else ""
        _fill(self.speed, speed, tr("How fast the latest answer was written"))
        self.context.show_context(facts)
        self._show_network(facts)
        _fill(self.note, facts.note, facts.note_help)
        _fill(
            self.report, facts.report, tr("Show the report. It is kept on this computer; nothing was sent.")
        )
        self._flow.invalidate()

    def show_preset(self, name: str) -> None:
        """The preset of the open chat; "" for none, which is an icon without words."""
        self._preset = name
        words = name if len(name) <= LONGEST_PRESET else f"{name[: LONGEST_PRESET - 1]}…"
        help_words = tr("Instructions and manner of this chat: {name}. Click to choose others.", name=name)
        plain = tr("Give this chat instructions and a manner of its own")
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        self.preset.setToolButtonStyle(beside if name else alone)
        _fill(self.preset, words or tr("No preset"), help_words if name else plain)
        self._flow.invalidate()

    @property
    def parts(self) -> tuple[QToolButton, ...]:
        """From left to right."""
        return self._parts

    def height_for(self, width: int) -> int:
        return self._flow.heightForWidth(width)

    def _show_network(self, facts: LineFacts) -> None:
        words = facts.network or (tr("offline") if facts.offline else "")
        refused = f"{tr('Offline: every network request is refused.')} " if facts.offline else ""
        _fill(self.network, words, refused + tr("Click to see every request of this computer's Steward."))

    def _part(self, name: str, clicked: object) -> QToolButton:
        button = WordsButton(self)
        button.setObjectName(name)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.clicked.connect(clicked)
        return button

    def _restyle(self) -> None:
        side = self._theme.px(14)
        for part in self._parts:
            part.setFont(self._theme.font(CAPTION_PX))
            part.setIconSize(QSize(side, side))
        self.show_preset(self._preset)
        self.preset.setIcon(self._theme.icon("edit"))
        self.unguarded.setIcon(self._theme.icon("warning", "danger"))
        self.model.setIcon(self._theme.icon("model"))
        self.context.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.network.setIcon(self._theme.icon("shield"))
        self.note.setIcon(self._theme.icon("warning", "warning"))
        self.show_facts(self._facts)


class _ContextPart(WordsButton):
    """ "context 1.2k/8k" with a small meter that turns when the context is nearly full."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts = LineFacts()
        self.setObjectName("status_context")

    def show_context(self, facts: LineFacts) -> None:
        self._facts = facts
        words = tr(
            "context {used}/{all}",
            used=("≈" if facts.context_estimated else "") + short_count(facts.context_used),
            all=short_count(facts.context_tokens),
        )
        full = facts.context_share >= NEARLY_FULL
        if full:
            words = tr("{words} · nearly full", words=words)
        self.setIcon(self._theme.icon("warning", "warning") if full else QIcon())
        _fill(self, words if facts.context_tokens else "", context_help(facts))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + self._theme.px(METER_WIDTH + 8), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        px = self._theme.px
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.rect.setRight(option.rect.right() - px(METER_WIDTH + 8))  # the words keep clear of the meter
        self.paint_in(painter, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        width, height = px(METER_WIDTH), px(4)
        left, top = self.width() - width - px(4), (self.height() - height) // 2
        painter.setBrush(self._theme.colour("hairline"))
        painter.drawRoundedRect(left, top, width, height, height / 2, height / 2)
        share = min(1.0, self._facts.context_share)
        full = self._facts.context_share >= NEARLY_FULL
        painter.setBrush(self._theme.colour("warning" if full else "secondary"))
        painter.drawRoundedRect(left, top, max(height, round(width * share)), height, height / 2, height / 2)


def model_words(facts: LineFacts) -> str:
    if facts.loading is not None:
        return tr(
            "Loading {name} {percent:.0f} %",
            name=facts.model_name or tr("model"),
            percent=facts.loading * 100,
        )
    return facts.model_name or tr("Choose a model")


def device_words(facts: LineFacts) -> str:
    if not facts.device:
        return ""
    name = {"cpu": "CPU", "cuda": "CUDA", "metal": "Metal", "vulkan": "Vulkan"}.get(
        facts.device, facts.device
    )
    threads = plural("{count} thread", "{count} threads", facts.threads)
    return f"{name} · {threads}" if facts.threads else name


def device_help(facts: LineFacts) -> str:
    layers = ", " + tr("{count} layers on the GPU", count=facts.gpu_layers) if facts.gpu_layers > 0 else ""
    notice = f". {told(facts.device_notice)}" if facts.device_notice else ""
    return tr("Where the model computes") + layers + notice


def context_help(facts: LineFacts) -> str:
    return tr(
        "{used:,} of {all:,} tokens that the model can see at once are used ({share:.0%})",
        used=facts.context_used,
        all=facts.context_tokens,
        share=facts.context_share,
    )


def short_count(number: int) -> str:
    """1234 as "1.2k"."""
    return (
        str(number)
        if number < 1000
        else number_words(number / 1000, 1).removesuffix(f"{decimal_point()}0") + "k"
    )


def _fill(button: QToolButton, words: str, tip: str) -> None:
    button.setText(words)
    button.setToolTip(tip)
    button.setAccessibleName(words)
    button.setAccessibleDescription(tip)
    button.setVisible(bool(words))
