"""The Rules page: what the user's rules say, what is never done, and which of them decides a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.gate.never import NEVER, Never
from desktop.gate.rules import Rule, rule_of
from desktop.gate.trial import Trial
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import GateRule, RuleEffect, SettingsChanged, SettingsFile
from desktop.ui.error_card import ErrorCard
from desktop.ui.labels import Label, button
from desktop.ui.language import later, told, tr
from desktop.ui.models.page import clear
from desktop.ui.pages.page import Page
from desktop.ui.pages.rows import Row, RowList, small
from desktop.ui.pages.rule_form import RuleForm
from desktop.ui.pages.rule_trial import RuleTrial, Try
from desktop.ui.pages.scroll import ScrollColumn
from desktop.ui.permission.visible import visible
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX, Theme
from desktop.ui.toast import Toast

SAYS = later("What holds for every coding agent and for Steward's own assistant, in every mode.")
ORDER = later(
    "Never and refuse beat ask, ask beats allow, in whatever order the rules stand. Never also holds while "
    "the gate is paused."
)
NO_RULES = later("You have made no rules. What only reads is allowed, and the rest is asked.")
ALWAYS = later("No rule, permission, mode or click lets this through, and a pause does not either.")
ICONS = {
    RuleEffect.NEVER: ("lock", "danger"),
    RuleEffect.DENY: ("denied", "danger"),
    RuleEffect.ASK: ("question", "warning"),
    RuleEffect.ALLOW: ("check", "success"),
}
SHORT = {
    RuleEffect.NEVER: later("Never"),
    RuleEffect.DENY: later("Refuse"),
    RuleEffect.ASK: later("Ask"),
    RuleEffect.ALLOW: later("Allow"),
}
Shown = tuple[int, GateRule, bool]  # its place, the rule, whether it decides the line of the trial


class RulesPage(Page):
    """Writes the settings file; follows what others write there. Main thread only."""

    title = later("Rules")
    icon = "lock"

    def __init__(
        self,
        theme: Theme,
        settings_file: SettingsFile,
        try_line: Try,
        agents: Sequence[tuple[str, str]],
        relay: Relay,
        background: Background,
    ) -> None:
        """`try_line` decides a line without running it, on the pool; `agents` are names with titles."""
        super().__init__(theme, tr(SAYS))
        self._file = settings_file
        self._background = background
        self._deciding: Rule | None = None
        self._form: RuleForm | None = None
        self.trial = RuleTrial(theme, try_line, agents, background)
        self.trial.decided.connect(self._on_decided)
        self._build(theme)
        relay.listen(SettingsChanged, lambda _event: self._on_settings_changed())
        self._show_rules()

    @property
    def form(self) -> RuleForm | None:
        """The rule that is being written."""
        return self._form

    def shown(self) -> None:
        """Read again what the settings say."""
        self._show_rules()

    # -- what is shown ----------------------------------------------------------------------------

    def _on_settings_changed(self) -> None:
        self._show_rules()
        self.trial.refresh()

    def _on_decided(self, trial: Trial | None) -> None:
        self._deciding = trial.decision.rule if trial is not None else None
        self._show_rules()

    def _show_rules(self) -> None:
        rules = self._file.current.gate.rules
        rows = [(number, rule, rule_of(rule) == self._deciding) for number, rule in enumerate(rules)]
        self.list.show_rows([(number, row) for number, row in enumerate(rows)])
        self.empty.show_text("" if rules else tr(NO_RULES))
        self.never.show_rows([(each.code, each) for each in NEVER])

    # -- doing ------------------------------------------------------------------------------------

    def _open_form(self, place: int | None = None, rule: GateRule | None = None) -> None:
        self._close_form()
        form = RuleForm(self.theme, rule)
        form.saved.connect(partial(self._save, place))
        form.left.connect(self._close_form)
        self._form = form
        self._form_place.addWidget(form)
        self.add.hide()
        form.effect.setFocus()

    def _close_form(self) -> None:
        if self._form is not None:
            clear(self._form_place)
            self._form = None
            self.add.show()
            self.add.setFocus()

    def _save(self, place: int | None, rule: GateRule) -> None:
        self._close_form()
        self._write(partial(self._put, place, rule))

    def _put(self, place: int | None, rule: GateRule) -> None:
        """On the pool. A changed rule keeps its place."""
        if place is not None:
            self._file.remove("gate", "rules", place)
        self._file.insert("gate", "rules", self._end if place is None else place, as_table(rule))

    @property
    def _end(self) -> int:
        return len(self._file.current.gate.rules)

    def _remove(self, place: int, rule: GateRule) -> None:
        def undo() -> None:
            self._write(partial(self._file.insert, "gate", "rules", min(place, self._end), as_table(rule)))

        self._write(
            partial(self._file.remove, "gate", "rules", place),
            lambda: self.toast.offer(tr("The rule was removed."), tr("Undo"), undo),
        )

    def _write(self, act: Callable[[], object], then: Callable[[], None] = lambda: None) -> None:
        self._background.run(act, done=lambda _settings: then(), failed=self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserFacing):
            raise error
        clear(self._problem)
        self._problem.addWidget(ErrorCard(error, [(tr("Close"), lambda: clear(self._problem))]))

    # -- building ---------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        self.list: RowList[Shown] = RowList(theme, "rules", self._rule_row)
        self.never: RowList[Never] = RowList(theme, "never_rules", self._never_row)
        self.empty = Label(theme, "", SMALL_PX, colour="secondary", name="rules_empty")
        self.add = button(tr("Add a rule"), "rule_add")
        small(self.add)
        self.add.clicked.connect(lambda _checked: self._open_form())
        self._problem, self._form_place = QVBoxLayout(), QVBoxLayout()
        scroll = ScrollColumn(theme, "rules_scroll")
        body = scroll.body
        body.addLayout(self._problem)
        body.addWidget(_heading(theme, tr("Which rule decides this line?")))
        body.addWidget(self.trial)
        body.addWidget(_heading(theme, tr("Your rules")))
        body.addWidget(Label(theme, tr(ORDER), CAPTION_PX, colour="secondary", name="rules_order"))
        for widget in (self.empty, self.list):
            body.addWidget(widget)
        body.addLayout(self._form_place)
        body.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        body.addWidget(_heading(theme, tr("What is never done")))
        body.addWidget(Label(theme, tr(ALWAYS), CAPTION_PX, colour="secondary", name="rules_always"))
        body.addWidget(self.never)
        body.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.toast = Toast(theme, self)

    def _rule_row(self, shown: Shown) -> QWidget:
        place, rule, decides = shown
        words = f"{tr(SHORT[rule.effect])}: {rule_of(rule).in_words()}"
        edit = button(tr("Edit"), f"rule_change_{place}", described=tr("Edit: {words}", words=words))
        edit.clicked.connect(lambda _checked: self._open_form(place, rule))
        remove = button(tr("Remove"), f"rule_remove_{place}", described=tr("Remove: {words}", words=words))
        remove.clicked.connect(lambda _checked: self._remove(place, rule))
        captions = (visible(rule.reason), tr("This rule decides the line above.") if decides else "")
        icon, ink = ICONS[rule.effect]
        row = Row(self.theme, icon, ink, words, captions, (edit, remove))
        row.setProperty("deciding", decides)  # for the style sheet
        return row

    def _never_row(self, never: Never) -> QWidget:
        return Row(self.theme, "lock", "secondary", told(never.words), (never.code,))


def as_table(rule: GateRule) -> dict[str, str]:
    """What is said of a rule, as the settings file keeps it."""
    return {name: str(value) for name, value in rule.model_dump(mode="json").items() if value}


def _heading(theme: Theme, text: str) -> Label:
    label = Label(theme, text, BODY_PX, bold=True, name="section_heading")
    label.setContentsMargins(0, theme.px(8), 0, 0)
    return label
