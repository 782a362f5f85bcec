"""The Servers page: what is set up, adding, switching, agreeing, trying, taking over a list."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton

from desktop.app import Services, build_core
from desktop.asking import ALLOWED_ONCE, Answer, Question
from desktop.mcp.servers import ServerState, run_tool
from desktop.paths import Paths
from desktop.ui.pages.servers import ServerActions, ServersPage
from tests.mcp.conftest import HOSTILE, needs_confinement
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton
COMMAND = f"{sys.executable} -I -S {HOSTILE}"


class Agreeing:
    """The user who says yes, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return ALLOWED_ONCE


@pytest.fixture
def core(tmp_path: Path, world: World) -> Iterator[Services]:
    made = build_core(Paths.under(tmp_path / "servers"))
    made.asker = Agreeing()
    yield made
    world.background.close()  # what still reads on the pool must not open what is closed
    made.close()


@pytest.fixture
def page(world: World, core: Services) -> ServersPage:
    def try_tool(server: str, tool: str, arguments: str) -> str:
        return run_tool(core.servers, core.acting.executor, server, tool, arguments).text

    acts = ServerActions(lambda: core.servers, lambda: core.server_setup, try_tool)
    made = ServersPage(acts, world.relay, world.background)
    world.show(made)
    made.shown()
    return made


def press(page: ServersPage, world: World, name: str) -> None:
    def found() -> list[QPushButton]:
        # A row that was made anew is hidden at once, and deleted a little later.
        return [each for each in page.findChildren(QPushButton, name) if each.isVisible()]

    world.until(lambda: len(found()) == 1)
    world.qtbot.mouseClick(found()[0], LEFT)


def add(page: ServersPage, world: World, words: str = "plain") -> None:
    press(page, world, "server_add")
    assert page.form_place.form is not None
    page.form_place.form.name.setText("it")
    page.form_place.form.where.setText(f"{COMMAND} {words}")
    press(page, world, "server_save")
    world.until(lambda: len(page.servers.list.rows) == 1 and page.form_place.form is None)


def test_a_server_is_added_started_and_shown(page: ServersPage, world: World, core: Services) -> None:
    """With what it may do in words, its tools and its log."""
    world.until(lambda: "There are no servers" in page.servers.empty.text())
    add(page, world)
    world.until(lambda: page.details.isVisible() and len(page.details.tools.rows) == 2)
    assert core.servers.view("it").state is ServerState.RUNS
    said = page.servers.list.rows[0].accessibleDescription()
    assert "2 tools" in said
    assert core.servers.access("it").in_words().in_language("en") in said
    world.until(lambda: "Started in" in page.details.log.toPlainText())


def test_a_form_that_says_too_little_cannot_be_saved(page: ServersPage, world: World) -> None:
    """Esc leaves it, and nothing is added."""
    press(page, world, "server_add")
    form = page.form_place.form
    assert form is not None
    assert not form.save.isEnabled()
    form.name.setText("it")
    form.where.setText("program 'half")
    assert "quotation mark" in form.problem.text()
    world.qtbot.keyClick(form.where, Qt.Key.Key_Escape)
    assert page.form_place.form is None


def test_what_cannot_be_started_is_told_and_not_kept(page: ServersPage, world: World, core: Services) -> None:
    """In the place of the action."""
    press(page, world, "server_add")
    assert page.form_place.form is not None
    page.form_place.form.name.setText("it")
    page.form_place.form.where.setText("no-such-program-anywhere")
    press(page, world, "server_save")
    world.until(lambda: page.outcome.count() == 1 and not core.settings.current.mcp.servers)


def test_a_tool_is_tried_through_the_gate(page: ServersPage, world: World, core: Services) -> None:
    """What came of it stands below; a server that nothing holds is asked about first."""
    add(page, world)
    world.until(lambda: page.details.tool.count() == 2)
    page.details.arguments.setText('{"text": "hello"}')
    press(page, world, "server_try")
    world.until(lambda: page.details.result.toPlainText() == "hello")
    core.server_setup.change("it", confined=False)
    press(page, world, "server_try")
    assert isinstance(core.asker, Agreeing)
    asked = core.asker.asked
    world.until(lambda: len(asked) == 1)
    assert "echo" in str(asked[0].title)
    world.until(lambda: page.details.result.toPlainText() == "hello")
    page.details.arguments.setText("{")
    press(page, world, "server_try")
    world.until(lambda: page.outcome.count() == 1)


def test_tools_and_servers_are_switched(page: ServersPage, world: World, core: Services) -> None:
    """The settings say so, and a server that is off is ended."""
    add(page, world)
    world.until(lambda: len(page.details.tools.rows) == 2)
    box = page.details.findChild(QCheckBox, "server_tool_act")
    assert box is not None
    box.click()
    world.until(lambda: core.settings.current.mcp.servers["it"].tools_off == ["act"])
    press(page, world, "server_switch_it")
    world.until(lambda: core.servers.view("it").state is ServerState.OFF)
    world.until(lambda: page.findChild(QPushButton, "server_remove_it") is not None)
    press(page, world, "server_remove_it")
    assert "secrets" in page.confirm.words.text()
    press(page, world, "server_confirm_no")
    assert "it" in core.settings.current.mcp.servers
    press(page, world, "server_remove_it")
    press(page, world, "server_confirm_yes")
    world.until(lambda: not core.settings.current.mcp.servers and not page.servers.list.rows)


def test_a_changed_tool_shows_its_difference_until_agreed(
    page: ServersPage, world: World, core: Services, tmp_path: Path
) -> None:
    """It is held back meanwhile."""
    mark = tmp_path / "mark"
    add(page, world, f"changes {mark}")
    core.servers.stop("it")
    mark.touch()
    core.servers.look("it")
    page.shown()
    world.until(page.details.agree.isVisible)
    assert "+Deletes everything." in page.details.changed.toPlainText()
    press(page, world, "server_agree")
    world.until(lambda: not page.details.agree.isVisible())
    assert [each.pin.name for each in core.servers.offered()] == ["echo"]


@needs_confinement
def test_what_it_may_do_is_changed_on_the_page(
    page: ServersPage, world: World, core: Services, tmp_path: Path
) -> None:
    """An imported server is of no use to whoever cannot let it write or reach the network."""
    add(page, world)
    world.until(page.details.access.isVisible)
    (tmp_path / "my notes").mkdir()
    page.details.folders.setText(f"'{tmp_path}/my notes'")
    page.details.network.click()
    press(page, world, "server_allow")
    world.until(lambda: core.servers.view("it").settings.network)
    assert core.servers.view("it").settings.folders == [f"{tmp_path}/my notes"]
    page.details.folders.setText("'open")
    press(page, world, "server_allow")
    world.until(lambda: page.outcome.count() == 1)
    assert core.servers.view("it").settings.folders == [f"{tmp_path}/my notes"]


@needs_confinement
def test_what_is_typed_outlives_the_answer_to_what_was_sent(
    page: ServersPage, world: World, core: Services, tmp_path: Path
) -> None:
    """The pool may be slow: whoever types on meanwhile must not lose it."""
    add(page, world)
    world.until(page.details.access.isVisible)
    page.details.folders.setText(f"'{tmp_path}'")
    page.details.allow.click()
    page.details.folders.setText("typed meanwhile")  # before the page could hear of the change
    world.until(lambda: core.servers.view("it").settings.folders == [str(tmp_path)])
    page.details.show_server(core.servers.view("it"), ())
    assert page.details.folders.text() == "typed meanwhile"


def test_another_programs_list_is_shown_before_it_is_taken(
    page: ServersPage, world: World, core: Services, tmp_path: Path
) -> None:
    """Each command with all its words; what is taken is off."""
    file = tmp_path / "mcp.json"
    servers = {"files": {"command": "npx", "args": ["-y", "server"]}, "it": {"command": COMMAND}, "odd": {}}
    file.write_text(json.dumps({"mcpServers": servers}))
    page.file.setText(str(file))
    press(page, world, "servers_look")
    world.until(lambda: len(page.found.rows) == 2)
    (words,) = page.findChildren(QLabel, "servers_result")
    assert words.text().endswith(": odd.")
    assert "npx -y server" in page.found.rows[0].accessibleDescription()
    press(page, world, "server_take_files")
    world.until(lambda: len(page.found.rows) == 1 and "files" in core.settings.current.mcp.servers)
    assert not core.settings.current.mcp.servers["files"].enabled


def test_tools_that_are_asked_for_come_into_sight(page: ServersPage, world: World, core: Services) -> None:
    """They stand below all servers; the button that shows them hides them again."""
    for number in range(12):
        core.settings.put("mcp", "servers", f"s{number}", {"command": ["true"], "enabled": False})
    page.shown()
    world.until(lambda: len(page.servers.list.rows) == 12)
    press(page, world, "server_show_s0")
    world.until(lambda: not page.details.heading.visibleRegion().isEmpty())
    press(page, world, "server_show_s0")
    world.until(lambda: not page.details.isVisible())


def test_many_are_searched_by_name_command_and_tool(
    page: ServersPage, world: World, core: Services, tmp_path: Path
) -> None:
    """A page of rows at a time; a few servers need no search."""
    add(page, world)
    assert not page.servers.search.isVisible()
    for number in range(60):
        command = ["true", f"/srv/{number}"]
        core.settings.put("mcp", "servers", f"s{number}", {"command": command, "enabled": False})
    page.shown()
    world.until(lambda: len(page.servers.list.rows) == 50)
    assert page.servers.rows.found == 61
    fives = ["s5", *(f"s{number}" for number in range(50, 60))]
    for words, names in (("s17", ["s17"]), ("/srv/5", fives), ("echo", ["it"])):
        page.servers.search.setText(words)
        world.until(lambda names=names: sorted(shown_names(page)) == sorted(names))
    page.servers.search.setText("nobody")
    world.until(lambda: "No server matches" in page.servers.empty.text())


def test_tab_goes_from_row_to_row_and_then_on(page: ServersPage, world: World, core: Services) -> None:
    """Rows are made late, and what stands below them was before them."""
    for number in range(3):
        core.settings.put("mcp", "servers", f"s{number}", {"command": ["true"], "enabled": False})
    page.shown()
    world.until(lambda: len(page.servers.list.rows) == 3)
    wanted = [*page.servers.list.stops, page.add, page.file]
    chain, widget = [], page.servers.search.nextInFocusChain()
    while widget is not page.servers.search:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    assert [each for each in chain if each in wanted] == wanted


def shown_names(page: ServersPage) -> list[str]:
    return [row.accessibleName() for row in page.servers.list.rows]
