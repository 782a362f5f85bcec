"""The allow rules of agents' own settings, a switch for each file: off until the user says yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.agents.adapters import adapter
from desktop.gate.agent_consents import AgentConsents, Consent
from desktop.gate.agent_rules import RuleFile, Unfit
from desktop.qt.background import Background
from desktop.ui.check_box import CheckBox
from desktop.ui.labels import Label
from desktop.ui.language import later, plural, tr
from desktop.ui.pages.rows import Row, RowList
from desktop.ui.permission.visible import visible
from desktop.ui.theme import BODY_PX, CAPTION_PX, Theme

MOST_SHOWN = 12  # rules of one file; the file shows all
SAYS = later(
    "What your agents' own settings allow. Steward asks about it all the same, unless you switch it on here; "
    "even then it asks for what deletes, sends, reads secrets or leaves the project. A rule covers whole "
    "words of one command. When the list changes, Steward asks you anew."
)
UNFIT = {
    Unfit.EVERYTHING: later("every command"),
    Unfit.PATTERN: later("a pattern that Steward does not follow"),
    Unfit.NOT_PLAIN: later("not one plain command"),
}


@dataclass(frozen=True)
class RuleFileLine:
    """A file of rules, and what the user said about it."""

    rules: RuleFile
    consent: Consent


class AgentRuleList(QWidget):
    """Hidden where no agent has such rules. Read on the pool. Main thread only."""

    honoured = Signal(object)  # RuleFile
    withdrawn = Signal(object)  # RuleFile
    failed = Signal(object)  # Exception

    def __init__(
        self,
        theme: Theme,
        listed: Callable[[], Sequence[RuleFile]],
        consents: AgentConsents,
        background: Background,
    ) -> None:
        """`listed` looks at the disk; it is called on the pool."""
        super().__init__()
        self._theme = theme
        self._listed = listed
        self._consents = consents
        self._background = background
        self._readings = 0
        self.setObjectName("agent_rules")
        self.heading = Label(
            theme, tr("What agents allow in their own settings"), BODY_PX, bold=True, name="section_heading"
        )
        self.says = Label(theme, tr(SAYS), CAPTION_PX, colour="secondary", name="agent_rules_says")
        self.list: RowList[RuleFileLine] = RowList(theme, "agent_rule_files", self._row)
        self.heading.setContentsMargins(0, theme.px(8), 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.heading, self.says, self.list):
            column.addWidget(widget)
        self.hide()

    def refresh(self) -> None:
        """Read the files again."""
        self._readings += 1
        number = self._readings
        self._background.run(
            self._read, done=lambda found: self._show(number, found), failed=self.failed.emit
        )

    def agree(self, rules: RuleFile) -> None:
        """Honour these."""
        self._change(self._consents.agree, rules, self.honoured.emit)

    def withdraw(self, rules: RuleFile) -> None:
        """Ask again about what they allow."""
        self._change(self._consents.withdraw, rules, self.withdrawn.emit)

    def _change(
        self, act: Callable[[RuleFile], None], rules: RuleFile, done: Callable[[RuleFile], object]
    ) -> None:
        def on_done(_none: None) -> None:
            self.refresh()
            done(rules)

        def on_failed(error: Exception) -> None:
            self.refresh()
            self.failed.emit(error)

        self._background.run(act, rules, done=on_done, failed=on_failed)

    def _read(self) -> list[RuleFileLine]:
        """On the pool."""
        return [RuleFileLine(each, self._consents.of(each)) for each in self._listed()]

    def _show(self, number: int, found: Sequence[RuleFileLine]) -> None:
        if number != self._readings:
            return
        self.list.show_rows([((line.rules.agent, str(line.rules.file)), line) for line in found])
        self.setVisible(bool(found))

    def _row(self, line: RuleFileLine) -> QWidget:
        rules = line.rules
        title = _title(rules.agent)
        words = plural("{agent}: {count} rule", "{agent}: {count} rules", len(rules.rules), agent=title)
        row = Row(self._theme, "shield", _INKS[line.consent], words, _captions(line))
        box = CheckBox(self._theme, tr("Honour these"), f"honour_{rules.agent}")
        box.setAccessibleName(tr("Honour the rules of {agent}", agent=title))
        box.setAccessibleDescription(visible(str(rules.file)))
        box.setChecked(line.consent is Consent.GIVEN)
        box.setEnabled(any(rule.unfit is None for rule in rules.rules))
        box.toggled.connect(lambda on: self.agree(rules) if on else self.withdraw(rules))
        row.column.addWidget(box)
        return row


_INKS = {Consent.NONE: "secondary", Consent.GIVEN: "success", Consent.OUTDATED: "warning"}


def _title(agent: str) -> str:
    known = adapter(agent)
    return known.title if known is not None else visible(agent)


def _captions(line: RuleFileLine) -> tuple[str, ...]:
    """File, what changed, what the rules say, and those that never count."""
    rules = line.rules.rules
    changed = tr("Changed since you agreed: Steward asks until you switch it on again.")
    return (
        visible(str(line.rules.file)),
        changed if line.consent is Consent.OUTDATED else "",
        _texts([visible(rule.text) for rule in rules if rule.unfit is None]),
        *(
            tr(
                "Never honoured, because it means {what}: {text}",
                what=tr(UNFIT[rule.unfit]),
                text=visible(rule.text),
            )
            for rule in rules[:MOST_SHOWN]
            if rule.unfit is not None
        ),
    )


def _texts(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:MOST_SHOWN])
    more = len(texts) - MOST_SHOWN
    return tr("{texts} and {count} more", texts=shown, count=more) if more > 0 else shown
