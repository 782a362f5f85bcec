"""The sections of the Permissions page: the table of wrappers in the settings file, and project mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.projects import Projects
from desktop.gate.request import AgentRule
from desktop.ui.language import left_words
from desktop.ui.pages.permission_sections import _MOST_RULES_SHOWN, AgentRuleList, AllRules
from desktop.ui.pages.permissions import AgentPermissions, PermissionsPage
from desktop.ui.tray import ProjectTray, Tray
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


LEFT = Qt.MouseButton.LeftButton
NOW = 1_800_000_000.0


@pytest.fixture
def projects(world: World, tmp_path: Path) -> Projects:
    return Projects(world.database, bus=world.bus, now=lambda: NOW, home=tmp_path / "home")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


def project_words(page: PermissionsPage) -> str:
    assert page.projects is not None
    return words(page.projects)


def test_a_running_project_is_listed_and_ended(world: World, projects: Projects, shop: Path) -> None:
    """With its promise and its time; ending can be taken back."""
    page = PermissionsPage(
        world.grants, world.settings, world.relay, world.background, agents=AgentPermissions(projects)
    )
    world.show(page)
    assert page.projects is not None
    assert not page.projects.isVisible()
    projects.begin(shop, None)
    world.until(page.projects.isVisible)
    assert str(shop) in project_words(page)
    assert "commands change only this folder, which can be undone" in project_words(page)
    assert "until you end it" in project_words(page)
    end = page.projects.findChild(QPushButton)
    assert end is not None
    world.qtbot.mouseClick(end, LEFT)
    world.until(lambda: page.projects is not None and not page.projects.isVisible())
    assert projects.of(shop) is None
    world.until(page.toast.isVisible)
    page.toast.button.click()
    world.until(lambda: projects.of(shop) is not None)


def test_the_tray_names_it_and_ends_it(world: World, projects: Projects, shop: Path) -> None:
    """In the tooltip too, as long as it is on."""
    tray = Tray()
    ProjectTray(tray, projects, world.relay, world.background, now=lambda: NOW)
    assert tray.tooltip == "Steward"
    project = projects.begin(shop, NOW + 3 * 3600)
    world.until(lambda: "Project mode is on in shop." in tray.tooltip)
    action = next(
        each
        for menu in tray.menu.actions()
        if menu.menu() is not None
        for each in menu.menu().actions()  # type: ignore[attr-defined]
        if each.objectName() == f"tray_end_project_{project.id}"
    )
    assert action.text() == "End in shop (3 h left)"
    action.trigger()
    world.until(lambda: tray.tooltip == "Steward")
    assert projects.of(shop) is None
    tray.close()


@pytest.mark.parametrize(
    ("left_s", "said"),
    [
        (None, "until you end it"),
        (90.0, "2 min left"),
        (3 * 3600.0, "3 h left"),
        (47 * 3600.0, "47 h left"),
        (6.4 * 86_400, "6 days left"),
        (-5.0, "0 min left"),
    ],
)
def test_the_time_left_in_words(left_s: float | None, said: str) -> None:
    """As much of it as matters."""
    assert left_words(None if left_s is None else NOW + left_s, NOW) == said
