"""Sections of the Permissions page: the switches of the settings section `permissions`, with the titles and
help that it declares, and where project mode is on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.agents.agent_list import agent_named
from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.projects import Project, ProjectModeChanged, Projects
from desktop.gate.request import AgentRule, Unfit
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.settings import PermissionSettings, SettingsFile
from desktop.ui import theme
from desktop.ui.language import left_words, moment_words, plural, tr, tr_noop
from desktop.ui.pages.setting_switch import SettingSwitch
from desktop.ui.permission.visible import visible
from desktop.ui.theme import BODY_PX, CAPTION_PX
from desktop.ui.widgets.buttons import AskingSwitch, action, relabel
from desktop.ui.widgets.cards import Confirm, Row, SwitchCard, SwitchRow, line_field
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.labels import Label, SectionHeading
from desktop.ui.widgets.lists import RowList

NEVER_ASK = "dangerously_skip_permissions"
SECTION = "permissions"


class PermissionSwitches(QWidget):
    """One switch per setting; turning questions off is confirmed in place. Main thread only."""

    refused = Signal(object)  # Exception

    def __init__(self, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._settings_file = settings_file
        self._background = background
        self.rows = {name: self._made(name) for name in PermissionSettings.model_fields}
        self.setObjectName("permission_switches")
        self.confirm = Confirm("never_ask_confirm")
        card = SwitchCard(*self.rows.values())
        card.column.insertWidget(card.column.indexOf(self.rows[NEVER_ASK]) + 1, self.confirm)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)

    def refresh(self) -> None:
        """Show what is set now."""
        for row in self.rows.values():
            row.refresh()

    def _made(self, name: str) -> SettingSwitch:
        key, danger = f"{SECTION}.{name}", name == NEVER_ASK
        row = SettingSwitch(self._settings_file, self._background, key, f"switch_{name}", danger=danger)
        row.refused.connect(self.refused)
        if danger:
            row.guard = self._ask_never
        return row

    def _ask_never(self, switch_on: Callable[[], None]) -> None:
        self.confirm.ask(
            tr(
                "Work without asking? The assistant and coding agents can then delete files, run commands "
                "and send data without a question, until you switch this off."
            ),
            tr("Never ask"),
            tr("Keep asking"),
            switch_on,
            self.rows[NEVER_ASK].control.setFocus,
        )


_WRAPPERS_SAY = tr_noop(
    "Programs that only run what follows: what they run is judged in their place, and its "
    "permissions apply. A program that Steward knows keeps its meaning."
)

_NOT_A_NAME = tr_noop(
    "That is not the name of a program: letters, digits, dots and hyphens, no path and no options."
)

_NAME = re.compile(r"[A-Za-z][\w.-]*")


class WrapperList(QWidget):
    """Writes `gate.wrappers` to the settings file, on the pool. Main thread only."""

    removed = Signal(str)
    failed = Signal(object)  # Exception

    def __init__(self, settings_file: SettingsFile, background: Background) -> None:
        super().__init__()
        self._file = settings_file
        self._background = background
        self.setObjectName("wrappers")
        self.heading = SectionHeading(tr("Wrappers"))
        self.says = Label(tr(_WRAPPERS_SAY), CAPTION_PX, colour="secondary", name="wrappers_says")
        self.list: RowList[str] = RowList("wrapper_rows", self._row)
        self.name = line_field("wrapper_name", tr("Name of a wrapper"), tr("A program, such as rtk"))
        self.name.returnPressed.connect(self._on_add)
        self.name.textChanged.connect(lambda _text: self._check())
        self.problem = Label("", CAPTION_PX, colour="danger", name="wrapper_problem")
        self.add = action(tr("Add"), "wrapper_add", self._on_add, described=tr("Add the wrapper"))
        line = QHBoxLayout()
        line.addWidget(self.name, 1)
        line.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.heading, self.says, self.list):
            column.addWidget(widget)
        column.addLayout(line)
        column.addWidget(self.problem)
        self.refresh()
        self._check()

    def refresh(self) -> None:
        """Show what the settings say."""
        # Keyed by name, so that the row whose Remove has the focus keeps it.
        self.list.show_rows([(name, name) for name in self._file.current.gate.wrappers])

    def put(self, name: str) -> None:
        """Add a wrapper; one that is there already stays."""
        self._write(lambda known: known if name in known else [*known, name])

    def remove(self, name: str) -> None:
        self._write(lambda known: [each for each in known if each != name], partial(self.removed.emit, name))

    def _write(
        self, changed: Callable[[list[str]], list[str]], then: Callable[[], object] = lambda: None
    ) -> None:
        def write() -> None:
            # Read on the pool too: the list may have been changed by hand since the window read it.
            self._file.change("gate", "wrappers", changed(list(self._file.current.gate.wrappers)))

        def on_done(_none: None) -> None:
            self.refresh()
            then()

        self._background.run(write, done=on_done, failed=self.failed.emit)

    def _check(self) -> None:
        text = self.name.text().strip()
        is_name = bool(_NAME.fullmatch(text))
        self.problem.show_text("" if is_name or not text else tr(_NOT_A_NAME))
        self.add.setEnabled(is_name)

    def _on_add(self) -> None:
        if self.add.isEnabled():
            self.put(self.name.text().strip())
            self.name.clear()

    def _row(self, name: str) -> QWidget:
        words = tr("{name} … is judged as what stands behind it", name=name)
        described = tr("Remove: {words}", words=words)
        remove = action(
            tr("Remove"), f"wrapper_remove_{name}", lambda: self.remove(name), described=described
        )
        return Row("check", "secondary", words, (), (remove,))


_MOST_RULES_SHOWN = 12  # rules of one file, until all are asked for
_LINES_AT_ONCE = 10  # of all rules; the rest is scrolled to
_AGENT_RULES_SAY = tr_noop(
    "What your agents' own settings allow. Steward asks about it all the same, unless you switch it on here; "
    "even then it asks about what deletes, sends, reads secrets or leaves the project. A rule covers whole "
    "words of one command. When the list changes, Steward asks you again."
)

_UNFIT = {
    Unfit.EVERYTHING: tr_noop("every command"),
    Unfit.PATTERN: tr_noop("a pattern that Steward does not follow"),
    Unfit.NOT_PLAIN: tr_noop("not one plain command"),
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
        listed: Callable[[], Sequence[RuleFile]],
        consents: AgentConsents,
        background: Background,
    ) -> None:
        """`listed` looks at the disk; it is called on the pool."""
        super().__init__()
        self._listed = listed
        self._consents = consents
        self._background = background
        self._reading = Latest(background)
        self.setObjectName("agent_rules")
        self.heading = SectionHeading(tr("What agents allow in their own settings"))
        self.says = Label(tr(_AGENT_RULES_SAY), CAPTION_PX, colour="secondary", name="agent_rules_says")
        self.list: RowList[RuleFileLine] = RowList("agent_rule_files", self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.heading, self.says, self.list):
            column.addWidget(widget)
        self.hide()

    def refresh(self) -> None:
        """Read the files again."""
        self._reading.run(self._read, done=self._show, failed=self.failed.emit)

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

    def _show(self, found: Sequence[RuleFileLine]) -> None:
        self.list.show_rows([((line.rules.agent, str(line.rules.file)), line) for line in found])
        self.setVisible(bool(found))

    def _row(self, line: RuleFileLine) -> QWidget:
        rules = line.rules
        title = _title(rules.agent)
        words = plural("{agent}: {count} rule", "{agent}: {count} rules", len(rules.rules), agent=title)
        row = Row("shield", _INKS[line.consent], words, _captions(line))
        control = AskingSwitch(f"honour_{rules.agent}")
        control.setChecked(line.consent is Consent.GIVEN)
        # A yes to a file of which nothing can be honoured would promise what does not happen.
        control.setEnabled(any(rule.unfit is None for rule in rules.rules))
        control.asked.connect(lambda on: self.agree(rules) if on else self.withdraw(rules))
        spoken = tr("Honour the rules of {agent}", agent=title)
        row.add_below(SwitchRow(control, tr("Honour these"), spoken=spoken))
        control.setAccessibleDescription(visible(str(rules.file)))
        if len(rules.rules) > _MOST_RULES_SHOWN:
            row.column.addWidget(AllRules(rules))
        return row


class AllRules(QWidget):
    """Every rule of a long file, a line each, folded until somebody asks. Main thread only."""

    def __init__(self, rules: RuleFile) -> None:
        super().__init__()
        self.setObjectName("all_rules")
        self._count = len(rules.rules)
        title = _title(rules.agent)
        self.button = action("", f"show_rules_{rules.agent}", self._turn)
        self.text = DetailText("rule_lines", tr("All rules of {agent}", agent=title))
        self.text.setPlainText("\n".join(_line_of(rule) for rule in rules.rules))
        height = _LINES_AT_ONCE * self.text.fontMetrics().lineSpacing()
        self.text.setFixedHeight(height + theme.px(12))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        theme.space(column, 6)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.text)
        self.text.hide()
        self._label()

    def _turn(self) -> None:
        self.text.setVisible(self.text.isHidden())
        self._label()

    def _label(self) -> None:
        is_folded = self.text.isHidden()
        words = plural("Show all {count} rules", "Show all {count} rules", self._count)
        relabel(self.button, words if is_folded else tr("Show fewer rules"))


def _line_of(rule: AgentRule) -> str:
    text = visible(rule.text)
    if rule.unfit is None:
        return text
    return tr("Never honoured, because it means {what}: {text}", what=tr(_UNFIT[rule.unfit]), text=text)


_INKS = {Consent.NONE: "secondary", Consent.GIVEN: "success", Consent.OUTDATED: "warning"}


def _title(agent: str) -> str:
    known = agent_named(agent)
    return known.title if known is not None else visible(agent)


def _captions(line: RuleFileLine) -> tuple[str, ...]:
    """File, what changed, what the rules say, and those that never count."""
    rules = line.rules.rules
    changed = tr("Changed since you agreed: Steward asks until you switch it on again.")
    return (
        visible(str(line.rules.file)),
        changed if line.consent is Consent.OUTDATED else "",
        _texts([visible(rule.text) for rule in rules if rule.unfit is None]),
        *[_line_of(rule) for rule in rules if rule.unfit is not None][:_MOST_RULES_SHOWN],
    )


def _texts(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_MOST_RULES_SHOWN])
    more = len(texts) - _MOST_RULES_SHOWN
    return tr("{texts} and {count} more", texts=shown, count=more) if more > 0 else shown


MINUTE_MS = 60_000
PROMISE = tr_noop(
    "Agents work here without asking: commands change only this folder, which can be undone, and caches of "
    "their tools; they reach only this computer and package indexes."
)


class ProjectModes(QWidget):
    """Hidden while project mode is on nowhere. Read on the pool, when told and once a minute."""

    ended = Signal(object)  # Project
    failed = Signal(object)  # Exception

    def __init__(self, projects: Projects, relay: Relay, background: Background) -> None:
        super().__init__()
        self._projects = projects
        self._background = background
        self._reading = Latest(background)
        self.setObjectName("project_modes")
        self.heading = Label(tr("Project mode"), BODY_PX, bold=True, name="section_heading")
        self.list: RowList[tuple[Project, str]] = RowList("projects", self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self.list)
        self._timer = QTimer(self)
        self._timer.setInterval(MINUTE_MS)
        self._timer.timeout.connect(self.refresh)
        relay.listen(ProjectModeChanged, lambda _event: self.refresh())
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        """Read again what is on."""
        self._reading.run(self._projects.listed, done=self._show, failed=self.failed.emit)

    def end(self, project: Project) -> None:
        """Agents ask again there from now on."""
        self._background.run(
            self._projects.end,
            project.id,
            done=lambda _none: self.ended.emit(project),
            failed=self.failed.emit,
        )

    def restore(self, project: Project) -> None:
        """Take that back."""
        self._background.run(self._projects.restore, project.id, failed=self.failed.emit)

    def _show(self, found: Sequence[Project]) -> None:
        # The words are part of the value: a row is made anew only when its minutes have changed.
        self.list.show_rows([(each.id, (each, left_words(each.until, time.time()))) for each in found])
        self.setVisible(bool(found))
        # Without project mode nothing ticks.
        if found:
            self._timer.start()
        else:
            self._timer.stop()

    def _row(self, shown: tuple[Project, str]) -> QWidget:
        project, left = shown
        folder = visible(str(project.folder))
        end = action(
            tr("End now"),
            f"end_project_{project.id}",
            lambda: self.end(project),
            described=tr("End project mode in {folder}", folder=folder),
        )
        used = plural("{count} command", "{count:,} commands", project.uses)
        begun = moment_words(project.begun, time.time())
        facts = tr("Started {begun} · {used} · {left}", begun=begun, used=used, left=left)
        return Row("folder", "accent", folder, (tr(PROMISE), facts), (end,))
