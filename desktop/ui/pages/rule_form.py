"""One rule to be written or changed: what it says, and of which program, place, agent and tool."""

from __future__ import annotations

from pydantic import ValidationError
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QVBoxLayout

from desktop.settings import GateRule, RuleEffect
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import told, tr
from desktop.ui.pages.choice import Choice
from desktop.ui.pages.rows import small
from desktop.ui.theme import CAPTION_PX, SMALL_PX, Theme

FIELDS = ("program", "path", "agent", "tool", "reason")


class RuleForm(QFrame):
    """`saved` comes with a rule that says something. Main thread only."""

    saved = Signal(object)  # GateRule
    left = Signal()

    def __init__(self, theme: Theme, rule: GateRule | None = None) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("rule_form")
        fields = GateRule.model_fields
        self.effect = Choice(theme, "rule_effect", told(fields["effect"].title or ""))
        for effect in RuleEffect:
            self.effect.addItem(told(effect.words), effect.value)
        self.effect.setCurrentIndex(
            self.effect.findData(rule.effect.value if rule else RuleEffect.DENY.value)
        )
        self.texts: dict[str, QLineEdit] = {}
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._caption(told(fields["effect"].title or "")), 0, 0)
        self._grid.addWidget(self.effect, 0, 1)
        for line, name in enumerate(FIELDS, 1):
            title = told(fields[name].title or "")
            text = QLineEdit(getattr(rule, name) if rule else "")
            text.setObjectName(f"rule_{name}")
            text.setAccessibleName(title)
            text.setPlaceholderText(told(fields[name].description or ""))
            text.setFont(theme.font(SMALL_PX))
            text.textChanged.connect(lambda _text: self._check())
            text.returnPressed.connect(self._on_save)
            self.texts[name] = text
            self._grid.addWidget(self._caption(title), line, 0)
            self._grid.addWidget(text, line, 1)
        self.problem = Label(theme, "", CAPTION_PX, colour="secondary", name="rule_problem")
        self.save = button(tr("Save"), "rule_save", described=tr("Save the rule"))
        self.leave = button(tr("Cancel"), "rule_leave", described=tr("Leave the rule as it is"))
        self.save.clicked.connect(lambda _checked: self._on_save())
        self.leave.clicked.connect(lambda _checked: self.left.emit())
        self.effect.currentIndexChanged.connect(lambda _index: self._check())
        self._lay_out()
        self._check()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Esc leaves the form before it closes the window."""
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def _rule(self) -> GateRule:
        """Raises ValidationError."""
        said = {name: text.text().strip() for name, text in self.texts.items()}
        return GateRule.model_validate({"effect": self.effect.currentData(), **said})

    def _check(self) -> None:
        problem = ""
        try:
            self._rule()
        except ValidationError as error:
            said = error.errors()[0]["msg"].removeprefix("Value error, ")
            problem = tr("This rule cannot be saved yet: {reason}.", reason=told(said))
        self.problem.show_text(problem)
        self.save.setEnabled(not problem)

    def _on_save(self) -> None:
        if self.save.isEnabled():
            self.saved.emit(self._rule())

    def _caption(self, text: str) -> Label:
        label = Label(self._theme, text, SMALL_PX, colour="secondary", name="rule_caption")
        label.setWordWrap(False)
        return label

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(8))
        self._grid.setHorizontalSpacing(px(12))
        self._grid.setVerticalSpacing(px(6))
        row = FlowLayout()
        for each in (self.save, self.leave):
            small(each)
            row.addWidget(each)
        column.addLayout(self._grid)
        column.addWidget(self.problem)
        column.addLayout(row)
