"""The Memory page on a real store: everything that it offers is done, on the disk too."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from desktop.database import Connection
from desktop.memory.hindsight.fixes import Fix
from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.item import Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.vectors.minilm import MINILM
from desktop.ui.memory.list import CAPTION, PAGE, Tab, facts
from desktop.ui.memory.page import MemoryPage
from desktop.ui.widgets.error_card import ErrorCard
from tests.processor_time import processor_time
from tests.ui.memory.conftest import Desk, fill, learn


def texts(page: MemoryPage) -> list[str]:
    return [row.item.text for row in page.model.rows]


def choose(page: MemoryPage, text: str) -> None:
    row = next(n for n, each in enumerate(texts(page)) if text in each)
    page.list.setCurrentIndex(page.model.index(row, 0))


def at(desk: Desk, tab: Tab) -> MemoryPage:
    page = desk.opened()
    page.show_tab(tab)
    desk.world.until(lambda: page.model.rowCount() > 0)
    return page


def raw(desk: Desk) -> bytes:
    return b"".join(path.read_bytes() for path in desk.world.paths.data.glob("memory.sqlite3*"))


@pytest.mark.parametrize("tab", list(Tab))
def test_an_empty_tab_says_what_will_stand_there(desk: Desk, tab: Tab) -> None:
    """A sentence in the place of the list, another for a search that finds nothing."""
    page = desk.opened()
    page.show_tab(tab)
    label = page.learned.rows.empty if tab is Tab.LEARNED else page.empty
    desk.world.until(lambda: label.isVisible() and len(label.text()) > 40)
    assert not page.splitter.isVisible()
    # In line with the search above it, in every tab.
    assert label.mapTo(page, label.rect().topLeft()).x() == page.search.mapTo(page, page.rect().topLeft()).x()


def test_each_tab_has_its_own(desk: Desk) -> None:
    """What is pinned is also a note; turns and suggestions stand apart."""
    fill(desk.memory)
    page = desk.opened()
    counts = {}
    for tab in (Tab.PINNED, Tab.NOTES, Tab.SUGGESTIONS, Tab.EPISODES):
        page.show_tab(tab)
        desk.world.until(lambda: page.model.rowCount() > 0)
        counts[tab] = {row.item.status for row in page.model.rows}, {row.item.kind for row in page.model.rows}
    assert counts[Tab.PINNED] == ({MemoryStatus.PINNED}, {MemoryKind.NOTE})
    assert counts[Tab.NOTES] == (
        {MemoryStatus.KEPT, MemoryStatus.PINNED},
        {MemoryKind.NOTE, MemoryKind.DIGEST},
    )
    assert counts[Tab.SUGGESTIONS] == ({MemoryStatus.SUGGESTED}, {MemoryKind.NOTE})
    assert counts[Tab.EPISODES] == ({MemoryStatus.KEPT}, {MemoryKind.EPISODE})
    assert page.tabs.tabText(2) == "Suggestions (2)"


def test_what_the_user_said_reads_as_their_own_words(desk: Desk) -> None:
    """No name of a role before it; what the assistant said has its name."""
    desk.memory.record("1", "user", "I live in Bremen.", MemorySource.USER)
    desk.memory.record("1", "Steward", "Good to know.", MemorySource.MODEL)
    page = at(desk, Tab.EPISODES)
    lines = [page.model.data(page.model.index(n, 0)) for n in range(2)]
    assert sorted(lines) == ["I live in Bremen.", "Steward: Good to know."]
    captions = [page.model.data(page.model.index(n, 0), CAPTION) for n in range(2)]
    assert [caption.split(" ·")[0] for caption in captions] == ["The assistant", "You"]
    told = [[value for _, value in facts(row.item)] for row in page.model.rows]
    assert not any("user" in values for values in told)


def test_search_ranks_as_for_an_answer_and_says_why(desk: Desk) -> None:
    """The same order and scores as the core's search; the row says which words, day, layer and score."""
    fill(desk.memory)
    page = at(desk, Tab.NOTES)
    page.search.setText("when does the shop open")
    desk.world.until(lambda: bool(page.model.rows) and page.model.rows[0].score is not None)
    search = desk.memory.search
    hits = search.hits(
        search.question("when does the shop open", kinds=(MemoryKind.NOTE, MemoryKind.DIGEST)), 100
    )
    assert [(row.item.id, row.score) for row in page.model.rows] == [(h.item.id, h.score) for h in hits]
    said = page.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    for words in (
        "The shop opens at nine",
        "You",
        "6 Nov 2026",
        "Project shop",
        "has shop, open",
        "score 0.",
    ):
        assert words in said
    page.search.setText("zeppelin")
    desk.world.until(lambda: page.empty.text().startswith("Nothing matches"))


def test_where_it_came_from_is_an_icon_and_a_word(desk: Desk) -> None:
    """User, tool, page and assistant are told apart without colours."""
    fill(desk.memory)
    page = at(desk, Tab.NOTES)
    said = [page.model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(8)]
    assert any("A page: example.org" in each for each in said)
    assert any("A tool: run_command" in each for each in said)
    assert any(". You · " in each for each in said)


def test_words_are_changed_and_the_old_ones_are_gone(desk: Desk) -> None:
    """Edited in place, found by the new words, not in the file under the old ones."""
    desk.memory.store.add(NewItem("The gate code is Zanzibar"))
    page = at(desk, Tab.NOTES)
    choose(page, "Zanzibar")
    desk.world.qtbot.mouseClick(page.details.change, Qt.MouseButton.LeftButton)
    page.details.text.setPlainText("The gate has no code")
    desk.world.qtbot.keyClick(page.details.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.world.until(lambda: texts(page) == ["The gate has no code"])
    assert b"Zanzibar" not in raw(desk)


def test_esc_keeps_the_words_and_the_window(desk: Desk) -> None:
    """Editing is given up; the page stays."""
    desk.memory.store.add(NewItem("The shop opens at nine"))
    page = at(desk, Tab.NOTES)
    choose(page, "nine")
    page.details.edit()
    page.details.text.setPlainText("nonsense")
    desk.world.qtbot.keyClick(page.details.text, Qt.Key.Key_Escape)
    assert not page.details.is_editing
    assert page.details.text.toPlainText().startswith("The shop opens at nine\n\nKind: Note")
    assert page.isVisible()


def test_what_others_change_does_not_take_half_written_words_away(desk: Desk) -> None:
    """A new note comes in while one is being edited."""
    desk.memory.store.add(NewItem("The shop opens at nine"))
    page = at(desk, Tab.NOTES)
    choose(page, "nine")
    page.details.edit()
    page.details.text.setPlainText("half writ")
    desk.memory.store.add(NewItem("Anna has two cats"))
    page.read_again()
    desk.world.qtbot.wait(200)
    assert page.details.is_editing
    assert page.details.text.toPlainText() == "half writ"


def test_forgotten_is_gone_at_once_and_undo_brings_it_back(desk: Desk) -> None:
    """Del forgets; before the toast ends it is not in the file any more, and Undo restores it."""
    desk.memory.store.add(NewItem("Anna has two cats"))
    desk.memory.store.add(NewItem("The gate code is Zanzibar"))
    page = at(desk, Tab.NOTES)
    choose(page, "Zanzibar")
    desk.world.qtbot.keyClick(page.list, Qt.Key.Key_Delete)
    desk.world.until(page.toast.isVisible)
    assert texts(page) == ["Anna has two cats"]
    assert b"Zanzibar" not in raw(desk)
    desk.world.qtbot.mouseClick(page.toast.button, Qt.MouseButton.LeftButton)
    desk.world.until(lambda: len(texts(page)) == 2)
    assert page.details.item is not None
    assert page.details.item.text == "The gate code is Zanzibar"


def test_pinning_fills_the_meter(desk: Desk) -> None:
    """The bar says tokens and budget; what does not fit is named in the meter and in its row."""
    for number in range(9):
        desk.memory.store.add(
            NewItem(f"Rule {number}: write short sentences, no foreign words, and no lists")
        )
    page = at(desk, Tab.NOTES)
    for number in range(9):
        choose(page, f"Rule {number}")
        desk.world.qtbot.mouseClick(page.details.pin, Qt.MouseButton.LeftButton)
        desk.world.until(
            lambda n=number: any(
                row.item.status is MemoryStatus.PINNED
                for row in page.model.rows
                if f"Rule {n}" in row.item.text
            )
        )
    page.show_tab(Tab.PINNED)
    desk.world.until(lambda: page.model.rowCount() == 9)
    assert page.meter.bar.maximum() == 150
    assert 0 < page.meter.bar.value() <= 150
    assert "left out" in page.meter.words.text()
    left_out = [row for row in page.model.rows if row.note]
    assert 0 < len(left_out) < 9


def test_what_the_user_did_not_write_has_no_pin(desk: Desk) -> None:
    """Nor has a turn of a conversation."""
    fill(desk.memory)
    page = at(desk, Tab.NOTES)
    choose(page, "Opening hours")
    assert not page.details.pin.isVisible()
    choose(page, "dentist is Doctor Braun")
    assert page.details.pin.isVisible()


def test_promotion_shows_what_is_kept_and_waits_for_yes(desk: Desk) -> None:
    """No leaves it; yes moves exactly what was shown."""
    fill(desk.memory)
    page = at(desk, Tab.NOTES)
    choose(page, "Mill Lane")
    note = page.details.item
    assert note is not None
    for agreed in (False, True):
        desk.world.qtbot.mouseClick(page.details.promote, Qt.MouseButton.LeftButton)
        desk.world.until(page.confirm.isVisible)
        assert "anna@example.org" not in page.confirm.words.text()
        assert "[redacted: e-mail]" in page.confirm.words.text()
        page.confirm.answer(agreed)
        assert page.list.isVisible()
    desk.world.until(lambda: desk.memory.store.get(note.id).layer is Layer.USER)
    assert "[redacted: e-mail]" in desk.memory.store.get(note.id).text


def test_a_note_is_shared_after_a_yes_to_what_is_sent(desk: Desk) -> None:
    """Where there is a group; without the address in it, while the note itself stays as it is."""
    desk.memory.store.add(NewItem("Deliveries are announced to anna@example.org by noon"))
    page = desk.opened(shared=True)
    page.show_tab(Tab.NOTES)
    desk.world.until(lambda: page.model.rowCount() == 1)
    choose(page, "Deliveries")
    for agreed in (False, True):
        assert desk.shared == []
        desk.world.qtbot.mouseClick(page.details.promote, Qt.MouseButton.LeftButton)
        desk.world.until(page.confirm.isVisible)
        assert "your own note stays as it is" in page.confirm.words.text()
        page.confirm.answer(agreed)
    sent = "Deliveries are announced to [redacted: e-mail] by noon"
    desk.world.until(lambda: desk.shared == [(sent, Layer.TEAM)])
    assert desk.memory.store.get(1).text.startswith("Deliveries are announced to anna@example.org")


@pytest.mark.parametrize(("button", "left"), [("accept", MemoryStatus.KEPT), ("decline", None)])
def test_a_suggestion_is_shown_with_its_quote_and_answered(
    desk: Desk, button: str, left: MemoryStatus | None
) -> None:
    """Accepted it is a note, declined it is gone."""
    fill(desk.memory)
    page = at(desk, Tab.SUGGESTIONS)
    choose(page, "Mara")
    item = page.details.item
    assert item is not None
    assert "my sister Mara has moved to Leipzig" in page.details.text.toPlainText()
    assert not page.details.pin.isVisible()
    desk.world.qtbot.mouseClick(getattr(page.details, button), Qt.MouseButton.LeftButton)
    desk.world.until(lambda: page.model.rowCount() == 1)
    wanted = [left] if left else []
    desk.world.until(lambda: [each.status for each in desk.memory.store.items((item.id,))] == wanted)
    desk.world.until(lambda: page.tabs.tabText(2) == "Suggestions (1)")


def test_everything_is_deleted_after_two_answers(desk: Desk) -> None:
    """The first no and the second no keep all; afterwards nothing is left, and the copies are named."""
    fill(desk.memory)
    copy = desk.world.paths.data / "memory.sqlite3.before-memory-1"
    copy.write_bytes(b"old")
    page = at(desk, Tab.NOTES)
    count = sum(desk.memory.store.counts().values())
    for answers in ((False,), (True, False), (True, True)):
        desk.world.qtbot.mouseClick(page.delete, Qt.MouseButton.LeftButton)
        for agreed in answers:
            desk.world.until(page.confirm.isVisible)
            said = page.confirm.words.text()
            page.confirm.answer(agreed)
        if answers != (True, True):
            assert sum(desk.memory.store.counts().values()) == count
    assert copy.name in said
    desk.world.until(lambda: not desk.memory.store.counts())
    desk.world.until(lambda: page.findChild(QLabel, "memory_result") is not None)
    assert desk.memory.hindsight.fixes() == ()
    result = page.findChild(QLabel, "memory_result")
    assert isinstance(result, QLabel)
    assert copy.name in result.text()
    desk.world.until(page.empty.isVisible)
    assert b"Weiss" not in raw(desk)


def test_pause_and_resume(desk: Desk) -> None:
    """While it pauses, a line says so in every tab; the keyboard goes to the button that takes it back."""
    page = desk.opened()
    assert not page.paused_bar.isVisible()
    page.pause.setFocus()
    desk.world.qtbot.keyClick(page.pause, Qt.Key.Key_Space)
    assert desk.paused
    assert page.paused_bar.isVisible()
    assert page.paused_bar.button.hasFocus()
    desk.world.qtbot.keyClick(page.paused_bar.button, Qt.Key.Key_Space)
    assert not desk.paused
    assert not page.paused_bar.isVisible()
    assert page.pause.hasFocus()


def test_export_writes_markdown_or_says_why_not(desk: Desk, tmp_path: Path) -> None:
    """The result is said on the page, a refusal as cause and way out."""
    fill(desk.memory)
    page = desk.opened()
    page.acts.export(tmp_path / "all.md")
    desk.world.until(lambda: page.findChild(QLabel, "memory_result") is not None)
    assert "Doctor Braun" in (tmp_path / "all.md").read_text(encoding="utf-8")
    page.acts.export(tmp_path / "missing" / "all.md")
    desk.world.until(lambda: page.findChild(ErrorCard) is not None)


def test_fixes_are_listed_searched_forbidden_promoted_and_forgotten(desk: Desk) -> None:
    """Each with how often it worked; only a proven one can be offered everywhere, after a look."""
    learn(desk.memory)
    page = desk.opened()
    page.show_tab(Tab.LEARNED)
    desk.world.until(lambda: len(page.learned.rows.list.rows) == 2)
    fixes = {fix.tool: fix for fix in desk.memory.hindsight.fixes()}
    proven, single = fixes["run_command"], fixes["read_file"]

    def press(name: str) -> None:
        found = page.findChild(QPushButton, name)
        assert found is not None
        desk.world.qtbot.mouseClick(found, Qt.MouseButton.LeftButton)

    press(f"memory_fix_promote_{proven.id}")
    desk.world.until(page.confirm.isVisible)
    assert "git push --set-upstream origin HEAD" in page.confirm.words.text()
    page.confirm.answer(True)
    desk.world.until(lambda: fix_of(desk.memory.hindsight, proven.id).layer is Layer.USER)
    press(f"memory_fix_forbid_{single.id}")
    desk.world.until(lambda: fix_of(desk.memory.hindsight, single.id).forbidden)
    page.search.setText("upstream")
    desk.world.until(lambda: len(page.learned.rows.list.rows) == 1)
    press(f"memory_fix_forget_{proven.id}")
    desk.world.until(page.confirm.isVisible)
    page.confirm.answer(True)
    desk.world.until(lambda: [fix.id for fix in desk.memory.hindsight.fixes()] == [single.id])
    desk.world.until(lambda: page.learned.rows.empty.text() == "No fix matches the search.")


def fix_of(hindsight: Hindsight, fix_id: int) -> Fix:
    return hindsight.fix(fix_id)


def test_a_hundred_thousand_memories_open_at_once(desk: Desk) -> None:
    """One page is read and shown; the rest comes while scrolling."""
    many(desk, 100_000)
    with processor_time() as spent:
        page = at(desk, Tab.EPISODES)
        desk.world.until(lambda: page.model.rowCount() == PAGE)
    assert spent.at_rest_s < 2.0
    assert page.count.text() == "The newest 100 memories"
    page.list.scrollToBottom()
    desk.world.until(lambda: page.model.rowCount() == 2 * PAGE)
    assert len({row.item.id for row in page.model.rows}) == 2 * PAGE
    page.show_tab(Tab.PINNED)
    desk.world.until(page.empty.isVisible)


def many(desk: Desk, count: int) -> None:
    """Rows as the store writes them; their words are not indexed."""

    def insert(connection: Connection) -> None:
        connection.executemany(
            "INSERT INTO memory_items (layer, scope, kind, source, status, text, at)"
            " VALUES ('user', '', 'episode', 'user', 'kept', ?, 0)",
            ((f"turn {number}",) for number in range(count)),
        )

    desk.memory.store.database.write(insert)


def test_the_list_follows_what_others_write(desk: Desk) -> None:
    """A note kept in a chat appears while the page is open; the choice stays."""
    desk.memory.store.add(NewItem("Anna has two cats"))
    page = at(desk, Tab.NOTES)
    choose(page, "cats")
    desk.memory.store.add(NewItem("The shop opens at nine", source=MemorySource.MODEL))
    page.read_again()
    desk.world.until(lambda: page.model.rowCount() == 2)
    assert page.list.currentIndex().row() == 1


def test_ctrl_f_goes_to_the_search(desk: Desk) -> None:
    """From wherever the focus is on the page."""
    desk.memory.store.add(NewItem("Anna has two cats"))
    page = at(desk, Tab.NOTES)
    page.list.setFocus()
    desk.world.qtbot.keyClick(page.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    desk.world.until(page.search.hasFocus)


def walk(desk: Desk, page: MemoryPage) -> list[str]:
    """The names of what Tab reaches, from the tabs on."""
    page.tabs.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    while (focused := QApplication.focusWidget()) is not None and focused not in seen:
        seen.append(focused)
        desk.world.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    return [widget.objectName() for widget in seen]


def test_tab_reaches_everything_once(desk: Desk) -> None:
    """In the order in which it is read."""
    fill(desk.memory)
    page = at(desk, Tab.NOTES)
    choose(page, "Mill Lane")
    seen = walk(desk, page)
    wanted = ["memory_tabs", "memory_search", "memory_list", "memory_text", "memory_edit", "memory_pin"]
    wanted += ["memory_promote", "memory_forget", "memory_pause", "memory_export", "memory_delete_all"]
    assert [name for name in seen if name in wanted] == wanted


def test_better_search_is_offered_fetched_and_switched_off(desk: Desk) -> None:
    """What it costs stands on the button; offline it is refused with a reason and nothing is changed."""
    desk.memory.store.add(NewItem("automobile"))
    page = at(desk, Tab.NOTES)
    line = page.meaning
    assert line is not None
    desk.world.until(lambda: line.button.text() == "Better search (91 MB)…")
    desk.world.settings.change("network", "offline", True)
    desk.world.qtbot.mouseClick(line.button, Qt.MouseButton.LeftButton)
    desk.world.until(lambda: page.findChild(ErrorCard) is not None)
    assert not desk.better.state().is_on
    file = desk.world.paths.embedding / MINILM.file_name
    file.write_bytes(b"as if it had been fetched")
    line.read()
    desk.world.until(lambda: line.button.text() == "Better search")
    desk.world.qtbot.mouseClick(line.button, Qt.MouseButton.LeftButton)
    desk.world.until(lambda: line.button.text() == "Words only")
    assert "1 memory is still to be read" in line.words.text()
    desk.world.qtbot.mouseClick(line.button, Qt.MouseButton.LeftButton)
    desk.world.until(lambda: line.button.text() == "Better search")


@pytest.mark.parametrize("tab", [Tab.PINNED, Tab.NOTES, Tab.SUGGESTIONS, Tab.EPISODES])
def test_the_page_opens_where_something_stands(desk: Desk, tab: Tab) -> None:
    """The first time only; afterwards it stays on the tab that was in sight."""
    desk.memory.store.add(NewItem("Three basins.", kind=tab.kinds[0], status=tab.statuses[0]))
    page = desk.opened()
    desk.world.until(lambda: page.model.rowCount() == 1)
    assert page.tab is tab
    page.show_tab(Tab.PINNED)
    page.shown()
    assert page.tab is Tab.PINNED


def test_a_row_is_as_high_as_its_words(desk: Desk) -> None:
    """One line of words takes less than two; a wider window may need one less."""
    long = "My dentist is in Mill Lane, behind the old station, and opens at seven on Mondays, at nine else."
    for text in (long, "Tea, no sugar."):
        desk.memory.store.add(NewItem(text))
    page = desk.opened()
    page.show_tab(Tab.NOTES)
    desk.world.qtbot.waitUntil(lambda: page.model.rowCount() == 2)

    def heights() -> tuple[int, ...]:
        return tuple(page.list.visualRect(page.model.index(row, 0)).height() for row in range(2))

    page.resize(520, 680)
    desk.world.qtbot.waitUntil(lambda: heights()[0] < heights()[1])
    page.resize(1600, 680)
    desk.world.qtbot.waitUntil(lambda: heights()[0] == heights()[1])
