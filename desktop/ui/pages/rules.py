"""The Rules page: what the user's rules say, what is never done, and which of them decides a line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pydantic import ValidationError
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.gate.gatekeeper import Trial
from desktop.gate.policy import Basis
from desktop.gate.rules import NEVER, Never, Rule, rule_of
from desktop.gate.shell.classifier import SHELLS
from desktop.gate.verdict import Gate
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import GateRule, RuleEffect, SettingsChanged, SettingsFile
from desktop.ui import theme
from desktop.ui.language import tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.permission.words import marks
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, ComboBox, action
from desktop.ui.widgets.cards import EntryForm, FormPlace, OutcomeLine, Row
from desktop.ui.widgets.labels import Badge, Label, SectionHeading, Sign
from desktop.ui.widgets.layout import FlowLayout, ScrollColumn, clear, named
from desktop.ui.widgets.lists import EmptyState, EmptyWords, RowList

SAYS = tr_noop("What holds for every coding agent and for Steward's own assistant, in every mode.")
ORDER = tr_noop(
    "Never and refuse beat ask, and ask beats allow, whatever the order of the rules. Never "
    "also holds while the gate is paused."
)

NO_RULES = tr_noop("You have no rules. What only reads is allowed, and the rest is asked about.")
ALWAYS = tr_noop("No rule, permission, mode or click lets this through, and a pause does not either.")
ICONS = {
    RuleEffect.NEVER: ("lock", "danger"),
    RuleEffect.DENY: ("denied", "danger"),
    RuleEffect.ASK: ("question", "warning"),
    RuleEffect.ALLOW: ("check", "success"),
}

SHORT = {
    RuleEffect.NEVER: tr_noop("Never"),
    RuleEffect.DENY: tr_noop("Refuse"),
    RuleEffect.ASK: tr_noop("Ask"),
    RuleEffect.ALLOW: tr_noop("Allow"),
}

Shown = tuple[int, GateRule, bool]  # its place, the rule, whether it decides the line of the trial


class RulesPage(Page):
    """Writes the settings file; follows what others write there. Main thread only."""

    title = tr_noop("Rules")
    icon = "lock"

    def __init__(
        self,
        settings_file: SettingsFile,
        try_line: Try,
        agents: Sequence[tuple[str, str]],
        relay: Relay,
        background: Background,
    ) -> None:
        """`try_line` decides a line without running it, on the pool; `agents` are names with titles."""
        super().__init__(tr(SAYS))
        self._file = settings_file
        self._background = background
        self._deciding: Rule | None = None
        self.trial = RuleTrial(try_line, agents, background)
        self.trial.decided.connect(self._on_decided)
        self._build()
        relay.listen(SettingsChanged, lambda _event: self._on_settings_changed())
        self._show_rules()

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
        # Equal rules decide alike, so it does not matter which of two is marked.
        rows = [(number, rule, rule_of(rule) == self._deciding) for number, rule in enumerate(rules)]
        self.list.show_rows([(number, row) for number, row in enumerate(rows)])
        self.empty.show_for(len(rules), is_narrowed=False)
        self.never.show_rows([(each.code, each) for each in NEVER])

    # -- doing ------------------------------------------------------------------------------------

    def _open_form(self, place: int | None = None, rule: GateRule | None = None) -> None:
        form = RuleForm(rule)
        form.saved.connect(partial(self._save, place))
        self.form_place.open(form, form.effect)

    def _save(self, place: int | None, rule: GateRule) -> None:
        self.form_place.close()
        self._write(partial(self._put, place, rule))

    def _put(self, place: int | None, rule: GateRule) -> None:
        """On the pool. A changed rule keeps its place."""
        if place is None:
            self._file.insert("gate", "rules", self._end, as_table(rule))
        else:
            self._file.replace("gate", "rules", place, as_table(rule))

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
        self._background.run(act, done=lambda _settings: then(), failed=self._outcome.refuse)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.list: RowList[Shown] = RowList("rules", self._rule_row)
        self.never: RowList[Never] = RowList("never_rules", self._never_row)
        self.empty = EmptyState("rules_empty", EmptyWords(NO_RULES))
        self.add = action(tr("Add a rule"), "rule_add", self._open_form)
        self._outcome = OutcomeLine("rules_result")
        self.trial.refused.connect(self._outcome.refuse)
        self.form_place: FormPlace[RuleForm] = FormPlace(self.add)
        scroll = ScrollColumn("rules_scroll")
        body = scroll.body
        body.addLayout(self._outcome)
        body.addWidget(SectionHeading(tr("Which rule decides this line?")))
        body.addWidget(self.trial)
        body.addWidget(SectionHeading(tr("Your rules")))
        body.addWidget(Label(tr(ORDER), CAPTION_PX, colour="secondary", name="rules_order"))
        for widget in (self.empty, self.list):
            body.addWidget(widget)
        body.addLayout(self.form_place)
        body.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        body.addWidget(SectionHeading(tr("What is never done")))
        body.addWidget(Label(tr(ALWAYS), CAPTION_PX, colour="secondary", name="rules_always"))
        body.addWidget(self.never)
        body.addStretch(1)
        self.column.addWidget(scroll, 1)

    def _rule_row(self, shown: Shown) -> QWidget:
        place, rule, decides = shown
        words = f"{tr(SHORT[rule.effect])}: {words_of(rule_of(rule).in_words())}"
        edit = action(
            tr("Edit"),
            f"rule_change_{place}",
            lambda: self._open_form(place, rule),
            described=tr("Edit: {words}", words=words),
        )
        remove = action(
            tr("Remove"),
            f"rule_remove_{place}",
            lambda: self._remove(place, rule),
            described=tr("Remove: {words}", words=words),
        )
        captions = (visible(rule.reason), tr("This rule decides the line above.") if decides else "")
        icon, ink = ICONS[rule.effect]
        row = Row(icon, ink, words, captions, (edit, remove))
        row.setProperty("deciding", decides)  # for the style sheet
        return row

    def _never_row(self, never: Never) -> QWidget:
        return Row("lock", "secondary", words_of(never.words), (never.code,))


def as_table(rule: GateRule) -> dict[str, str]:
    """What is said of a rule, as the settings file keeps it."""
    return {name: str(value) for name, value in rule.model_dump(mode="json").items() if value}


FIELDS = ("program", "path", "agent", "tool", "reason")


class RuleForm(EntryForm):
    """`saved` comes with a `GateRule` that says something. Main thread only."""

    def __init__(self, rule: GateRule | None = None) -> None:
        super().__init__("rule_form")
        fields = GateRule.model_fields
        self.effect = ComboBox("rule_effect", tr(fields["effect"].title or ""))
        # It takes the width of its column, and the longest of its words must not widen the page.
        self.effect.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for effect in RuleEffect:
            self.effect.addItem(tr(effect.words), effect.value)
        self.effect.setCurrentIndex(
            self.effect.findData(rule.effect.value if rule else RuleEffect.DENY.value)
        )
        self.texts: dict[str, QLineEdit] = {}
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._caption(tr(fields["effect"].title or "")), 0, 0)
        self._grid.addWidget(self.effect, 0, 1)
        for line, name in enumerate(FIELDS, 1):
            title = tr(fields[name].title or "")
            text = named(QLineEdit(getattr(rule, name) if rule else ""), f"rule_{name}", title)
            text.setPlaceholderText(tr(fields[name].description or ""))
            text.setFont(theme.font(SMALL_PX))
            text.textChanged.connect(lambda _text: self._check())
            # A form of six lines is done with Enter from any of them.
            text.returnPressed.connect(self._on_save)
            self.texts[name] = text
            self._grid.addWidget(self._caption(title), line, 0)
            self._grid.addWidget(text, line, 1)
        self.problem = Label("", CAPTION_PX, colour="secondary", name="rule_problem")
        self.save = action(tr("Save"), "rule_save", self._on_save, described=tr("Save the rule"))
        described = tr("Leave the rule as it is")
        self.leave = action(tr("Cancel"), "rule_leave", self.left.emit, described=described)
        self.effect.currentIndexChanged.connect(lambda _index: self._check())
        self._lay_out()
        self._check()

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
            problem = tr("This rule cannot be saved yet: {reason}.", reason=tr(said))
        self.problem.show_text(problem)
        self.save.setEnabled(not problem)

    def _on_save(self) -> None:
        if self.save.isEnabled():
            self.saved.emit(self._rule())

    def _caption(self, text: str) -> Label:
        label = Label(text, SMALL_PX, colour="secondary", name="rule_caption")
        label.setWordWrap(False)
        return label

    def _lay_out(self) -> None:
        column = theme.space(QVBoxLayout(self), 8)
        self._grid.setHorizontalSpacing(theme.px(12))
        self._grid.setVerticalSpacing(theme.px(6))
        column.addLayout(self._grid)
        column.addWidget(self.problem)
        column.addLayout(ActionRow(self.save, self.leave))


def _field(name: str, words: str, hint: str) -> QLineEdit:
    made = named(QLineEdit(), name, words)
    made.setPlaceholderText(hint)
    made.setClearButtonEnabled(True)
    made.setFont(theme.font(SMALL_PX))
    return made


READ_AFTER_MS = 200
MOST_COMMANDS = 6
NOT_TRIED = tr_noop(
    "Not looked at here: project mode and the rules of an agent's own settings. Where you switched these on, "
    "they may allow it without a question."
)

ANSWERS = {
    Gate.ALLOW: ("check", "success", tr_noop("Allowed: {reason}.")),
    Gate.ASK: ("question", "warning", tr_noop("Asked: {reason}.")),
    Gate.DENY: ("denied", "danger", tr_noop("Denied: {reason}.")),
}

GROUNDS = {
    Basis.HARD_RULE: tr_noop("the list of what is never done"),
    Basis.UNTRUSTED: tr_noop("text from elsewhere in the conversation"),
    Basis.GRANT: tr_noop("a permission of yours"),
    Basis.PROGRAM_GRANT: tr_noop("a permission of yours"),
    Basis.AGENT_RULE: tr_noop("a rule of the agent's own"),
    Basis.READING: tr_noop("the reading of the command line"),
    Basis.UNCONFIRMED: tr_noop("a setting"),
    Basis.SKIPPED: tr_noop("a setting"),
    Basis.NOTHING: tr_noop("no rule and no permission"),
}

Try = Callable[[str, str, Path, str | None], Trial]


class RuleTrial(QWidget):
    """A line, who runs it, where, in which shell; and what would happen. Main thread only."""

    decided = Signal(object)  # Trial, or None where nothing is written
    refused = Signal(object)  # Exception

    def __init__(self, try_line: Try, agents: Sequence[tuple[str, str]], background: Background) -> None:
        """`try_line` is called on the pool. `agents` are names with their titles."""
        super().__init__()
        self._try = try_line
        self._background = background
        self._readings = 0
        self.setObjectName("rule_trial")
        self.line = _field("trial_line", tr("Command line"), "sudo git push --force")
        self.folder = _field("trial_folder", tr("Folder"), tr("Your home folder"))
        self.agent = ComboBox("trial_agent", tr("Agent"))
        for name, title in (*agents, ("steward", "Steward")):
            self.agent.addItem(visible(title), name)
        self.shell = ComboBox("trial_shell", tr("Shell"))
        self.shell.addItem(tr("Shell: detected"), None)
        for shell in SHELLS:
            self.shell.addItem(shell, shell)
        self._sign = Sign("question", "secondary", BODY_PX)
        self.answer = Label("", SMALL_PX, name="trial_answer")
        self.rule = Label("", CAPTION_PX, colour="secondary", name="trial_rule")
        self.runs = Label("", CAPTION_PX, colour="secondary", name="trial_runs")
        self.limits = Label("", CAPTION_PX, colour="secondary", name="trial_limits")
        self._marks = QWidget()
        self._flow = FlowLayout(self._marks)
        self._lay_out()
        self._timer = QTimer(self, singleShot=True, interval=READ_AFTER_MS)
        self._timer.timeout.connect(self.refresh)
        for text in (self.line, self.folder):
            text.textChanged.connect(lambda _text: self._timer.start())
        for choice in (self.agent, self.shell):
            choice.currentIndexChanged.connect(lambda _index: self._timer.start())
        self._show(None)

    def refresh(self) -> None:
        """Decide again, as after a change of the rules."""
        self._readings += 1
        # Each key decides anew on the pool, and the answers may come in another order.
        number, line = self._readings, self.line.text()
        if not line.strip():
            self._show(None)
            return
        # As agents name folders; one that does not exist is read all the same.
        folder = Path(os.path.expanduser(self.folder.text().strip() or "~"))
        wanted = (line, self.agent.currentData(), folder, self.shell.currentData())
        self._background.run(
            self._try, *wanted, done=lambda trial: self._on_tried(number, trial), failed=self.refused.emit
        )

    def _on_tried(self, number: int, trial: Trial) -> None:
        if number == self._readings:
            self._show(trial)

    def _show(self, trial: Trial | None) -> None:
        clear(self._flow)
        for widget in (self._sign, self._marks):
            widget.setVisible(trial is not None)
        if trial is None:
            for label in (self.answer, self.rule, self.runs, self.limits):
                label.show_text("")
        else:
            self._show_trial(trial)
        self.decided.emit(trial)

    def _show_trial(self, trial: Trial) -> None:
        verdict, decision = trial.verdict, trial.decision
        icon, ink, words = ANSWERS[decision.gate]
        self._sign.show_sign(icon, ink)
        reason = words_of(decision.reason).removesuffix(".")
        self.answer.show_text(breakable(tr(words, reason=visible(reason))))
        by = tr(GROUNDS.get(decision.ground, decision.ground.value))
        if decision.rule is not None:
            by = visible(words_of(decision.rule.in_words()))
        self.rule.show_text(breakable(tr("Decided by: {part}", part=by)))
        for mark in marks(verdict.effect.name, sorted(flag.value for flag in verdict.flags)):
            badge = Badge(mark.icon, tr(mark.word), tr(mark.sentence), mark.colour)
            self._flow.addWidget(badge)
        listed = " · ".join(map(visible, verdict.commands[:MOST_COMMANDS]))
        self.runs.show_text(breakable(tr("It comes to: {commands}", commands=listed)) if listed else "")
        # Both can only turn a question into a yes, and a rule of the user's own goes before them.
        is_open = decision.gate is Gate.ASK and decision.rule is None
        self.limits.show_text(tr(NOT_TRIED) if is_open else "")

    def _lay_out(self) -> None:
        # The boxes go below one another where large letters leave no room for both beside the folder.
        boxes = FlowLayout()
        for each in (self.agent, self.shell):
            boxes.addWidget(each)
        where = theme.space(QHBoxLayout(), 8)
        where.addWidget(self.folder, 1)
        where.addLayout(boxes)
        said = theme.space(QHBoxLayout(), 8)
        said.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self.answer, 1)
        column = theme.space(QVBoxLayout(self), 6)
        column.addWidget(self.line)
        column.addLayout(where)
        column.addLayout(said)
        for widget in (self._marks, self.rule, self.runs, self.limits):
            column.addWidget(widget)
