"""The Rules page: written, changed, removed; the line that is tried names the rule that decides it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.gate.commands import CommandPlaces, Commands
from desktop.gate.gatekeeper import Gatekeeper, Trial, try_line
from desktop.gate.policy import PolicySettings
from desktop.gate.rules import NEVER, rules_of
from desktop.gate.shell.classifier import Classifier
from desktop.ui.pages.rules import RulesPage
from desktop.ui.widgets.layout import ScrollColumn
from tests.shipped import command_tables
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton
COMMANDS = Commands(Classifier(command_tables()), around=CommandPlaces.of())


@pytest.fixture
def page(world: World) -> RulesPage:
    keeper = Gatekeeper(world.grants, PolicySettings, lambda: rules_of(world.settings.current.gate))

    def tried(line: str, agent: str, folder: Path, shell: str | None) -> Trial:
        return try_line(COMMANDS, keeper, line, agent, folder, shell)

    agents = [("claude-code", "Claude Code"), ("codex", "Codex")]
    made = RulesPage(world.settings, tried, agents, world.relay, world.background)
    world.show(made)
    return made


def rows(page: RulesPage) -> list[str]:
    return [row.accessibleName() for row in page.list.rows]


def text(label: QLabel) -> str:
    return label.text().replace("\u200b", "")


def press(page: RulesPage, world: World, name: str) -> None:
    def found() -> list[QPushButton]:
        # A row that was made anew is hidden at once, and deleted a little later.
        return [each for each in page.findChildren(QPushButton, name) if each.isVisible()]

    until(world, lambda: len(found()) == 1)
    world.qtbot.mouseClick(found()[0], LEFT)


def write(page: RulesPage, world: World, **fields: str) -> None:
    press(page, world, "rule_add")
    assert page.form_place.form is not None
    for name, value in fields.items():
        if name == "effect":
            page.form_place.form.effect.setCurrentIndex(page.form_place.form.effect.findData(value))
        else:
            page.form_place.form.texts[name].setText(value)
    press(page, world, "rule_save")


def until(world: World, holds: Callable[[], bool]) -> None:
    world.until(holds)


def test_what_is_never_done_stands_there_and_cannot_be_removed(page: RulesPage) -> None:
    """Also where the user has made no rule."""
    assert "have no rules" in text(page.empty)
    assert len(page.never.rows) == len(NEVER)
    assert not any(row.findChildren(QPushButton) for row in page.never.rows)


def test_a_rule_is_written_changed_and_removed(page: RulesPage, world: World) -> None:
    """It is in the settings file at once; a removal can be taken back."""
    write(page, world, effect="deny", program="git push --force", reason="History stays.")
    until(world, lambda: rows(page) == ["Refuse: git push --force"])
    assert 'program = "git push --force"' in world.settings.path.read_text()
    press(page, world, "rule_change_0")
    assert page.form_place.form is not None
    assert page.form_place.form.texts["reason"].text() == "History stays."
    page.form_place.form.texts["agent"].setText("codex")
    press(page, world, "rule_save")
    until(world, lambda: rows(page) == ["Refuse: git push --force · by codex"])
    press(page, world, "rule_remove_0")
    until(world, lambda: rows(page) == [] and page.toast.isVisible())
    page.toast.button.click()
    until(world, lambda: rows(page) == ["Refuse: git push --force · by codex"])


def test_a_rule_that_says_nothing_cannot_be_saved(page: RulesPage, world: World) -> None:
    """The form says what is missing; Esc leaves it."""
    press(page, world, "rule_add")
    assert page.form_place.form is not None
    assert not page.form_place.form.save.isEnabled()
    assert "must name a program" in text(page.form_place.form.problem)
    page.form_place.form.effect.setCurrentIndex(page.form_place.form.effect.findData("allow"))
    page.form_place.form.texts["agent"].setText("codex")
    assert not page.form_place.form.save.isEnabled()
    page.form_place.form.texts["tool"].setText("WebFetch")
    assert page.form_place.form.save.isEnabled()
    world.qtbot.keyClick(page.form_place.form, Qt.Key.Key_Escape)
    assert page.form_place.form is None


def test_the_line_names_the_rule_that_decides(page: RulesPage, world: World) -> None:
    """By agent, in any coat, and again when the rules change; its row is marked."""
    page.trial.line.setText("sudo git -C x push")
    until(world, lambda: "Asked" in text(page.trial.answer))
    assert "no rule and no permission" in text(page.trial.rule)
    assert "git -C x push" in text(page.trial.runs)
    assert "project mode" in text(page.trial.limits)
    write(page, world, effect="never", program="git push", agent="claude-code")
    until(world, lambda: "Denied" in text(page.trial.answer))
    assert "Decided by: git push · by claude-code" in text(page.trial.rule)
    assert not page.trial.limits.isVisible()
    assert page.list.rows[0].property("deciding") is True
    page.trial.agent.setCurrentIndex(page.trial.agent.findData("codex"))
    until(world, lambda: "Asked" in text(page.trial.answer))
    assert page.list.rows[0].property("deciding") is False
    page.trial.line.clear()
    until(world, lambda: not page.trial.answer.isVisible())


def test_ruin_is_named_as_what_is_never_done(page: RulesPage, world: World) -> None:
    """No rule decides it."""
    page.trial.line.setText("bash -c 'rm -rf ~'")
    until(world, lambda: "never done" in text(page.trial.answer))
    assert "the list of what is never done" in text(page.trial.rule)


def test_what_others_write_into_the_settings_is_shown(page: RulesPage, world: World) -> None:
    """`steward rules add` beside the open window."""
    world.settings.insert("gate", "rules", 0, {"effect": "ask", "path": "/srv"})
    until(world, lambda: rows(page) == ["Ask: /srv"])


def test_at_200_percent_the_page_fits_a_small_window(page: RulesPage, world: World) -> None:
    """Nothing is wider than the page of a window of 800 pixels, the form for a rule included."""
    page.add.click()
    world.theme.set_zoom(200)
    page.resize(620, 560)
    QCoreApplication.processEvents()
    scroll = page.findChild(ScrollColumn)
    assert scroll is not None
    inside = scroll.widget()
    assert inside.minimumSizeHint().width() <= scroll.viewport().width()
