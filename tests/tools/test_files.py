"""The tools about files: short answers, refusals in words, and a way back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest

from desktop.errors import UserFacing
from desktop.gate.undo import undo
from desktop.sandbox.workspace import Workspace
from desktop.tools.files import FileOperations, FileTools
from desktop.tools.trash import Trash
from tests.tools.conftest import Desk
from tests.tools.pdfs import pdf

GREETING = "Grüße, 5 € – ßäöü und ein langer Satz, damit man die Kodierung erkennt.\n"


def _refusal(use: Callable[[], object]) -> str:
    with pytest.raises(UserFacing) as refusal:
        use()
    return refusal.value.code


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_texts_of_common_encodings_are_read(desk: Desk, encoding: str) -> None:
    """As it was written, whatever the encoding; UTF-16 needs its mark."""
    data = GREETING.encode(encoding)
    (desk.root / "a.txt").write_bytes(b"\xff\xfe" + data if encoding == "utf-16-le" else data)
    assert desk.tools.read_file("a.txt").text == GREETING


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Straße\n", "latin-1"),
        ("Café crème à la carte", "cp1252"),
        ("Привет, это обычный русский текст для проверки.", "cp1251"),
        ("これは日本語のテキストです。", "shift_jis"),
        ("Zażółć gęślą jaźń, to jest tekst", "cp1250"),
    ],
)
def test_old_encodings_are_recognised(desk: Desk, text: str, encoding: str) -> None:
    """Western ones by their letters, others by what the text looks like."""
    (desk.root / "a.txt").write_bytes(text.encode(encoding))
    assert desk.tools.read_file("a.txt").text == text


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG picture"),
        (b"%PDF-1.7\n%\xe2", "a PDF document"),
        (b"PK\x03\x04\x14", "a ZIP archive"),
        (b"text\0more", "a binary file"),
        (b"SQLite format 3\x00", "an SQLite database"),
    ],
)
def test_what_is_no_text_is_refused_with_its_kind(desk: Desk, data: bytes, kind: str) -> None:
    """The model learns what it is instead of seeing rubbish."""
    (desk.root / "x").write_bytes(data)
    with pytest.raises(UserFacing, match=kind):
        desk.tools.read_file("x")


def test_a_long_file_shows_its_beginning_and_end_and_is_read_on(desk: Desk) -> None:
    """About 4 KB at once, a notice that says how to go on, and no character cut in two."""
    lines = [f"Zeile {number} mit Umläuten äöü\n" for number in range(1000)]
    (desk.root / "a.txt").write_text("".join(lines))
    first = desk.tools.read_file("a.txt").text
    assert first.startswith(lines[0])
    assert first.endswith(lines[-1])
    assert "read on with offset 3072" in first
    assert len(first.encode()) < 4400
    assert "\ufffd" not in first
    collected, offset = "", 0
    while True:
        part = desk.tools.read_file("a.txt", offset or 1).text.split("\n[… ")[0]
        collected += part
        offset += 4096 if offset else 4097
        if offset >= (desk.root / "a.txt").stat().st_size:
            break
    assert collected.count("Zeile") == 999 or collected.count("Zeile") == 1000
    assert "has only" in desk.tools.read_file("a.txt", 10**6).text


def test_an_empty_file_is_said_to_be_empty(desk: Desk) -> None:
    """A small model would take nothing for a failure."""
    (desk.root / "a.txt").write_bytes(b"")
    assert desk.tools.read_file("a.txt").text == "a.txt is empty."


def test_a_diff_has_the_lines_that_are_written_and_no_others(desk: Desk) -> None:
    """Only an end of line ends one: not U+2028, a form feed or a return, behind which no end is missing."""
    diff = desk.tools.preview_write("x", "a\u2028b\x0cc\rd\n")
    assert [line[0] for line in diff.split("\n") if line] == ["-", "+", "@", "+"]
    assert "No newline" not in diff


def test_writing_makes_parents_shows_a_diff_and_is_undone(desk: Desk) -> None:
    """The diff is what happens, the file is UTF-8, and undo removes file and folders."""
    assert "+Grüße" in desk.tools.preview_write("deep/below/a.txt", "Grüße\n")
    written = desk.tools.write_file("deep/below/a.txt", "Grüße\n")
    assert (desk.root / "deep/below/a.txt").read_bytes() == "Grüße\n".encode()
    diff = desk.tools.preview_write("deep/below/a.txt", "Grüße")
    assert diff.splitlines()[-3:] == ["-Grüße", "+Grüße", "\\ No newline at end of file"]
    assert desk.tools.preview_write("deep/below/a.txt", "Grüße\n") == ""
    for change in reversed(written.changes):
        undo(desk.journal, change)
    assert list(desk.root.iterdir()) == []


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda tools: tools.write_file("a", "x" * 65_537), "file-too-large"),
        (lambda tools: tools.write_file("a", "\udc80"), "tool-arguments"),
        (lambda tools: tools.write_file("../a", "x"), "path-up"),
        (lambda tools: tools.write_file("link/a", "x"), "path-link"),
        (lambda tools: tools.read_file("link/hostname"), "path-link"),
        (lambda tools: tools.read_file("missing"), "path-missing"),
        (lambda tools: tools.read_file("full"), "path-is-folder"),
        (lambda tools: tools.read_file("/etc/hostname"), "path-outside"),
        (lambda tools: tools.list_directory("link"), "path-link"),
        (lambda tools: tools.find_files("*", "link"), "path-link"),
        (lambda tools: tools.find_files("*", "missing"), "path-missing"),
        (lambda tools: tools.search_text("x", "link"), "path-link"),
        (lambda tools: tools.search_text("", "."), "tool-arguments"),
        (lambda tools: tools.make_directory("link/a"), "path-link"),
        (lambda tools: tools.move_file("full", "../full"), "path-up"),
        (lambda tools: tools.move_file("missing", "new/place"), "path-missing"),
        (lambda tools: tools.move_file("full/a", "full/b"), "path-exists"),
        (lambda tools: tools.delete_file("link"), "path-link"),
        (lambda tools: tools.delete_file("full"), "path-not-empty"),
        (lambda tools: tools.delete_file("."), "path-not-empty"),
    ],
)
def test_refusals_change_nothing(desk: Desk, use: Callable[[FileOperations], object], code: str) -> None:
    """Whatever a model comes up with."""
    (desk.root / "full").mkdir()
    (desk.root / "full" / "a").write_bytes(b"a")
    (desk.root / "full" / "b").write_bytes(b"b")
    (desk.root / "link").symlink_to("/etc")
    assert _refusal(lambda: use(desk.tools)) == code
    assert sorted(path.name for path in desk.root.rglob("*")) == ["a", "b", "full", "link"]
    assert desk.journal.entries() == []


def test_a_folder_is_listed_with_kinds_sizes_and_the_rest(desk: Desk) -> None:
    """Fifty names, then a count; the largest file is named, for that is often the question."""
    (desk.root / "a folder").mkdir()
    (desk.root / "b link").symlink_to("/etc")
    for number in range(60):
        (desk.root / f"file{number:02}").write_bytes(b"x" * number * 100)
    lines = desk.tools.list_directory().text.splitlines()
    assert lines[:4] == ["a folder (folder)", "b link (link)", "file00 (0 bytes)", "file01 (100 bytes)"]
    assert lines[-2:] == ["… and 12 more", "Largest file: file59 (5.9 kB)"]
    assert len(lines) == 52
    assert desk.tools.list_directory("a folder").text == "a folder is empty."


def _project(root: Path) -> None:
    for name, text in {
        ".gitignore": "*.log\n/build/\n!keep.log\n",
        "notes.txt": "The Door\nis open\n",
        "a.log": "door\n",
        "keep.log": "door\n",
        "build/out.txt": "door\n",
        "src/main.py": "def door(): ...\n",
        "src/build/x.py": "DOOR = 1\n",
        "src/.gitignore": "secret*\n!*.log\n",
        "src/secret.txt": "door\n",
        "src/b.log": "door\n",
        ".git/config": "door\n",
        "picture.png": "\0door",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "loop").symlink_to(root)


def test_files_are_found_by_name_and_gitignore_is_honoured(desk: Desk) -> None:
    """Rules of each folder hold below it, the deepest decides; links are not followed."""
    _project(desk.root)
    found = {line.split(" (")[0] for line in desk.tools.find_files("*").text.splitlines()}
    assert found == {
        *(".gitignore", "notes.txt", "keep.log", "picture.png"),
        *("src/main.py", "src/build/x.py", "src/.gitignore", "src/b.log"),
    }
    assert desk.tools.find_files("MAIN").text == "src/main.py (16 bytes)"
    assert "src/build/x.py" in desk.tools.find_files("src/*.py").text
    assert desk.tools.find_files("*.py", "src/build").text == "x.py (9 bytes)"
    assert desk.tools.find_files("*.rs").text.startswith("No file")


def test_lines_are_found_in_upper_and_lower_case(desk: Desk) -> None:
    """With file and number; pictures and ignored files have none."""
    _project(desk.root)
    assert desk.tools.search_text("door").text.splitlines() == [
        "keep.log:1: door",
        "notes.txt:1: The Door",
        "src/b.log:1: door",
        "src/main.py:1: def door(): ...",
        "src/build/x.py:1: DOOR = 1",
    ]
    assert desk.tools.search_text("open", "notes.txt").text == "notes.txt:2: is open"
    assert desk.tools.search_text("window").text.startswith("No line")


def test_many_hits_are_cut_with_a_word(desk: Desk) -> None:
    """Fifty, then that there are more."""
    (desk.root / "a").write_text("hit\n" * 80)
    lines = desk.tools.search_text("hit").text.splitlines()
    assert (len(lines), lines[-1]) == (51, "… and more")


def test_moving_into_a_folder_keeps_the_name(desk: Desk) -> None:
    """As people say it; parents of a new place are made, and all of it is undone."""
    (desk.root / "a.txt").write_bytes(b"a")
    desk.tools.make_directory("folder")
    assert desk.tools.move_file("a.txt", "folder").text == "Moved a.txt to folder/a.txt."
    moved = desk.tools.move_file("folder/a.txt", "new/place/b.txt")
    assert (desk.root / "new/place/b.txt").read_bytes() == b"a"
    for change in reversed(moved.changes):
        undo(desk.journal, change)
    assert sorted(str(path.relative_to(desk.root)) for path in desk.root.rglob("*")) == [
        "folder",
        "folder/a.txt",
    ]


def test_deleted_files_are_in_the_trash_and_come_back(desk: Desk) -> None:
    """Two of the same name keep apart, the note says where they came from, and undo restores the bytes."""
    changes: list[int] = []
    for folder in ("one", "two"):
        (desk.root / folder).mkdir()
        (desk.root / folder / "ä b.txt").write_text(folder)
        changes += desk.tools.delete_file(f"{folder}/ä b.txt").changes
    assert sorted(path.name for path in (desk.trash / "files").iterdir()) == ["ä b 1.txt", "ä b.txt"]
    note = (desk.trash / "info" / "ä b 1.txt.trashinfo").read_text()
    assert unquote(note.splitlines()[1]) == f"Path={desk.root}/two/ä b.txt"
    assert note.startswith("[Trash Info]\n")
    for change in changes:
        undo(desk.journal, change)
    assert (desk.root / "two" / "ä b.txt").read_text() == "two"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_a_trash_on_another_drive_gets_a_copy(desk: Desk, tmp_path: Path) -> None:
    """The file is gone only when the copy is whole."""
    import shutil
    import tempfile

    other = Path(tempfile.mkdtemp(dir="/dev/shm"))
    if os.stat(other).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("the same file system")
    try:
        (desk.root / "a").write_bytes(b"x" * 600_000)
        place = desk.tools._workspace.place("a")
        Trash(other).put(place)
        assert (other / "files" / "a").read_bytes() == b"x" * 600_000
        assert not (desk.root / "a").exists()
    finally:
        shutil.rmtree(other)


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("line\n" * 412, "one line", "This replaces 412 lines with 1."),
        ("line\n" * 412, "", "This replaces 412 lines with 0."),
        ("line\n" * 10, "line\n" * 6, ""),
        ("line\n" * 3, "one", ""),
        ("line\n" * 10, "line\n" * 500, ""),
    ],
)
def test_the_question_warns_where_little_replaces_much(
    desk: Desk, before: str, after: str, warning: str
) -> None:
    """A whole file for a line of text is what nobody means, and what a small model does."""
    (desk.root / "budget.csv").write_text(before, encoding="utf-8")
    tools = FileTools(desk.tools, desk.tools._workspace, desk.journal, {}).tools()
    plan = next(tool.plan for tool in tools if tool.name == "write_file")
    assert plan is not None
    assert str(plan(path="budget.csv", content=after).warning or "") == warning


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, "milk\n"), ("", "milk\n"), ("eggs\n", "eggs\nmilk\n"), ("eggs", "eggs\nmilk\n")],
)
def test_text_is_added_on_a_line_of_its_own(desk: Desk, before: str | None, after: str) -> None:
    """Nothing of what stood there is written anew, and the journal has the way back."""
    path = desk.root / "list.txt"
    if before is not None:
        path.write_text(before, encoding="utf-8")
    result = desk.tools.append_text("list.txt", "milk", "c")
    assert path.read_text(encoding="utf-8") == after
    undo(desk.journal, result.changes[-1])
    assert (path.read_text(encoding="utf-8") if path.exists() else None) == before


def test_the_question_says_that_most_of_the_file_stays(desk: Desk) -> None:
    """Adding a line overwrites nothing; a file that is new is written."""
    tools = FileTools(desk.tools, desk.tools._workspace, desk.journal, {}).tools()
    plans = {each.name: each.plan for each in tools}
    add, change = plans["append_text"], plans["replace_text"]
    assert add is not None
    assert change is not None
    (desk.root / "a.txt").write_text("one\n", encoding="utf-8")
    assert str(add(path="a.txt", text="two").title) == "Add to a.txt?"
    assert str(change(path="a.txt", old="one", new="two").title) == "Change a.txt?"
    assert str(change(path="a.txt", old="one", new="two").says).startswith("Replaces one passage.")
    assert str(change(path="a.txt", old="one", new="").says).startswith("Removes one passage.")
    assert str(add(path="b.txt", text="two").title) == "Write b.txt?"


def test_a_passage_is_replaced(desk: Desk) -> None:
    """Everywhere it stands; a whole line that is taken out leaves no empty one."""
    path = desk.root / "a.txt"
    path.write_text("one\ntwo\nthree two\n", encoding="utf-8")
    desk.tools.replace_text("a.txt", "two", "2")
    assert path.read_text(encoding="utf-8") == "one\n2\nthree 2\n"
    desk.tools.replace_text("a.txt", "2", "")
    assert path.read_text(encoding="utf-8") == "one\nthree 2\n"


def test_a_passage_that_is_not_there_is_refused(desk: Desk) -> None:
    """And nothing is written."""
    (desk.root / "a.txt").write_text("one\n", encoding="utf-8")
    assert _refusal(lambda: desk.tools.replace_text("a.txt", "four", "4")) == "passage-not-found"
    assert (desk.root / "a.txt").read_text(encoding="utf-8") == "one\n"


@pytest.mark.parametrize(("old", "new"), [("32", "30 mantas"), ('  "linternas": 6', "")])
def test_a_part_of_a_json_file_leaves_it_json(desk: Desk, old: str, new: str) -> None:
    """Else no program could read it; a number for a number is exchanged."""
    text = '{\n  "mantas": 32,\n  "linternas": 6\n}\n'
    (desk.root / "stock.json").write_text(text, encoding="utf-8")
    assert _refusal(lambda: desk.tools.replace_text("stock.json", old, new)) == "breaks-json"
    assert _refusal(lambda: desk.tools.append_text("stock.json", "10")) == "breaks-json"
    assert (desk.root / "stock.json").read_text(encoding="utf-8") == text
    desk.tools.replace_text("stock.json", "32", "30")
    assert '"mantas": 30,' in (desk.root / "stock.json").read_text(encoding="utf-8")


def test_a_part_of_a_calendar_leaves_it_one(desk: Desk) -> None:
    """What no program could read any more is refused, and nothing is changed."""
    event = "BEGIN:VEVENT\nDTSTART:20261202T093000\nSUMMARY:Dentist\nEND:VEVENT"
    text = f"BEGIN:VCALENDAR\n{event}\nEND:VCALENDAR\n"
    (desk.root / "diary.ics").write_text(text, encoding="utf-8")
    assert _refusal(lambda: desk.tools.append_text("diary.ics", "boiler at ten")) == "breaks-calendar"
    assert _refusal(lambda: desk.tools.replace_text("diary.ics", "SUMMARY:Dentist", "")) == "breaks-calendar"
    assert (desk.root / "diary.ics").read_text(encoding="utf-8") == text
    desk.tools.replace_text("diary.ics", f"{event}\n", "")
    assert "VEVENT" not in (desk.root / "diary.ics").read_text(encoding="utf-8")


def test_a_file_too_large_to_be_read_whole_is_not_added_to(desk: Desk) -> None:
    """Written back, the part beyond would be lost."""
    (desk.root / "a.txt").write_text("x" * 70_000, encoding="utf-8")
    assert _refusal(lambda: desk.tools.append_text("a.txt", "y"))
    assert (desk.root / "a.txt").stat().st_size == 70_000


def test_the_question_of_a_move_says_from_where_to_where(desk: Desk) -> None:
    """In one line, without the names that the tool's arguments have in our code."""
    desk.tools.write_file("a.txt", "x", "c")
    tools = {each.name: each for each in FileTools(desk.tools, Workspace(desk.root), desk.journal).tools()}
    plan = tools["move_file"].plan
    assert plan is not None
    assert plan(source="a.txt", destination="old/a.txt").places == "a.txt → old/a.txt"


def test_the_last_call_is_undone_whole(desk: Desk) -> None:
    """By its number or as the latest, and named before; a second time there is nothing left."""
    tools = FileTools(desk.tools, Workspace(desk.root), desk.journal)
    by_name = {each.name: each for each in tools.tools()}
    desk.tools.write_file("new/a.txt", "x", "c")
    plan, title = by_name["undo_change"].plan, by_name["undo_change"].title
    assert plan is not None
    assert title is not None
    for arguments in ({}, {"change": 1}, {"change": "2"}):
        assert str(title(arguments)) == "Undo creating a.txt and 1 more change"
    for unknown in ({"change": 900}, {"change": "the last"}, {"change": None}):
        assert title(unknown) is None
    assert set(plan().parts) == {str(desk.root / "new"), str(desk.root / "new" / "a.txt")}
    # What the dialog shows, in place of a number of the journal's.
    assert set(plan(change=2).places.splitlines()) == set(plan().parts)
    assert "-x" in plan().diff.splitlines()
    tools.undo_change()
    assert not (desk.root / "new").exists()
    assert _refusal(plan) == "nothing-to-undo"
    assert title({}) is None


def test_a_document_is_read_as_text(desk: Desk) -> None:
    """By the reader that the program gives; on from a byte where one is named."""
    data = pdf(["Rent: 850 EUR"])
    (desk.root / "a.pdf").write_bytes(data)
    seen: list[bytes] = []

    def document(found: bytes) -> str:
        seen.append(found)
        return "Rent: 850 EUR"

    files = FileOperations(Workspace(desk.root), desk.journal, Trash(desk.trash).put, document)
    assert files.read_file("a.pdf").text == "Rent: 850 EUR"
    assert files.read_file("a.pdf", 6).text == "850 EUR"
    assert seen == [data, data]
