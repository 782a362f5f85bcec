"""The table of wrappers on the Permissions page, in the settings file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.request import AgentRule
from desktop.ui.pages.permission_sections import _MOST_RULES_SHOWN, AgentRuleList, AllRules
from desktop.ui.pages.permissions import AgentPermissions, PermissionsPage
from desktop.ui.widgets.buttons import CheckBox
from tests.ui.pages.conftest import World


def opened(world: World) -> PermissionsPage:
    page = PermissionsPage(world.grants, world.settings, world.relay, world.background)
    world.show(page, height=900)
    return page


def listed(page: PermissionsPage) -> list[str]:
    labels = page.wrappers.list.findChildren(QLabel, "row_words")
    return [label.text().replace("\u200b", "") for label in labels]


def test_a_wrapper_is_added_once_removed_and_put_back(world: World) -> None:
    """The file says what the page says."""
    page = opened(world)
    for _ in range(2):
        page.wrappers.name.setText(" rtk ")
        page.wrappers.add.click()
        world.until(lambda: listed(page) == ["rtk … is judged as what stands behind it"])
    assert world.settings.current.gate.wrappers == ["rtk"]
    remove = page.wrappers.list.findChild(QPushButton, "wrapper_remove_rtk")
    assert remove is not None
    remove.click()
    world.until(lambda: listed(page) == [] and page.toast.isVisible())
    assert world.settings.current.gate.wrappers == []
    page.toast.button.click()
    world.until(lambda: world.settings.current.gate.wrappers == ["rtk"])


def test_what_is_no_name_cannot_be_added(world: World) -> None:
    """A path, options, or nothing at all."""
    page = opened(world)
    for text in ("", "/usr/bin/rtk", "rtk -x", "-x"):
        page.wrappers.name.setText(text)
        assert not page.wrappers.add.isEnabled()
        page.wrappers.name.returnPressed.emit()
        assert page.wrappers.problem.text() == "" if not text else page.wrappers.problem.isVisible()
    assert world.settings.current.gate.wrappers == []


def test_what_others_write_to_the_settings_is_shown(world: World) -> None:
    """By hand, or from the command line."""
    page = opened(world)
    world.settings.change("gate", "wrappers", ["mywrap"])
    page.shown()
    assert listed(page) == ["mywrap … is judged as what stands behind it"]


def rules(*commands: str) -> RuleFile:
    made = tuple(AgentRule.of(f"Bash({command})", command) for command in commands)
    return RuleFile("claude-code", Path("/home/me/.claude/settings.json"), made)


class Opened:
    """The page with the files of `found`, which a test may change."""

    def __init__(self, world: World, *found: RuleFile) -> None:
        self.world, self.found = world, list(found)
        self.consents = AgentConsents(world.database)
        self.list = AgentRuleList(lambda: self.found, self.consents, world.background)
        self.page = PermissionsPage(
            world.grants,
            world.settings,
            world.relay,
            world.background,
            agents=AgentPermissions(rules=self.list),
        )
        world.show(self.page, height=900)

    @property
    def box(self) -> CheckBox:
        box = self.list.findChild(CheckBox, "honour_claude-code")
        assert box is not None
        return box


def words(widget: QWidget) -> str:
    return "\n".join(label.text().replace("\u200b", "") for label in widget.findChildren(QLabel))


def test_a_switch_honours_the_rules_of_a_file_and_undo_takes_it_back(world: World) -> None:
    """Off at first; both ways can be taken back in the line that says what happened."""
    listed = rules("npm test:*", "make")
    opened = Opened(world, listed)
    world.until(opened.list.isVisible)
    assert "Claude Code: 2 rules" in words(opened.list)
    assert "/home/me/.claude/settings.json" in words(opened.list)
    assert "Bash(npm test:*), Bash(make)" in words(opened.list)
    assert not opened.box.isChecked()
    opened.box.click()
    world.until(lambda: opened.consents.of(listed) is Consent.GIVEN and opened.page.toast.isVisible())
    world.until(lambda: opened.box.isChecked())  # noqa: PLW0108 - the box is made anew
    opened.page.toast.button.click()
    world.until(lambda: opened.consents.of(listed) is Consent.NONE)
    world.until(lambda: not opened.box.isChecked())


def test_a_changed_list_is_off_and_says_so(world: World) -> None:
    """Until the user agrees to what is there now."""
    opened = Opened(world, rules("make"))
    opened.consents.agree(rules("make"))
    opened.found[:] = [rules("make", "rm:*")]
    opened.page.shown()
    world.until(lambda: "Changed since you agreed" in words(opened.list))
    assert not opened.box.isChecked()
    opened.box.click()
    world.until(lambda: opened.consents.of(opened.found[0]) is Consent.GIVEN)
    world.until(lambda: "Changed since you agreed" not in words(opened.list))


def test_what_is_never_honoured_says_why(world: World) -> None:
    """A file with nothing else has no switch to press."""
    opened = Opened(world, rules("*", "git * main"))
    world.until(opened.list.isVisible)
    assert "Never honoured, because it means every command: Bash(*)" in words(opened.list)
    assert "a pattern that Steward does not follow: Bash(git * main)" in words(opened.list)
    assert not opened.box.isEnabled()


@pytest.mark.parametrize(("count", "said"), [(_MOST_RULES_SHOWN, False), (_MOST_RULES_SHOWN + 3, True)])
def test_a_long_list_is_cut(world: World, count: int, said: bool) -> None:
    """With how many more there are, and a button that shows every line."""
    opened = Opened(world, rules(*(f"make t{number}" for number in range(count))))
    world.until(opened.list.isVisible)
    assert ("and 3 more" in words(opened.list)) is said
    assert (opened.list.findChild(AllRules) is not None) is said


def test_all_rules_of_a_long_file_can_be_read(world: World) -> None:
    """Folded at first; a line each, with those that never count, also behind the first twelve."""
    opened = Opened(world, rules(*(f"make t{number}" for number in range(40)), "*"))
    world.until(opened.list.isVisible)
    shown = opened.list.findChild(AllRules)
    assert shown is not None
    assert not shown.text.isVisible()
    assert shown.button.text() == "Show all 41 rules"
    assert "Never honoured, because it means every command: Bash(*)" in words(opened.list)
    shown.button.click()
    lines = shown.text.toPlainText().split("\n")
    assert shown.text.isVisible()
    assert lines[0] == "Bash(make t0)"
    assert lines[39] == "Bash(make t39)"
    assert lines[40] == "Never honoured, because it means every command: Bash(*)"
    shown.button.click()
    assert not shown.text.isVisible()
    assert shown.button.text() == "Show all 41 rules"


def test_nothing_is_shown_where_no_agent_allows_anything(world: World) -> None:
    """No heading without rules below it."""
    opened = Opened(world)
    world.until(opened.page.rows.empty.isVisible)
    assert not opened.list.isVisible()
