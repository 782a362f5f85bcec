"""A folder that a chat looks into: what is indexed of it, found in it, never read, and left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.chat.attachments import Attachment, AttachmentKind
from desktop.chat.chat_folders import LARGEST_BYTES, ChatFolders
from desktop.chat.events import FolderRead, MessageChanged
from desktop.chat.messages import Role
from desktop.chat.sources import SourceKind, used_by
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.text import read_vocabulary
from desktop.paths import Paths, resources
from tests.chat.rooms import Room, room
from tests.fakes.scripted_model import ScriptedBackend

RENT = "The rent of the boathouse is 840 euros a month, due on the third."
FILES = {
    "contract.txt": "\n".join(["A contract between two people.", "", *["filler line"] * 40, RENT]),
    "notes/garden.md": "# Garden\n\nTulips are planted in October.",
    "code.py": "def rent():\n    return 840\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def folders(database: Database, bus: Bus, store: ChatStore, tmp_path: Path) -> ChatFolders:
    vocabulary = read_vocabulary(resources() / "memory" / "words.toml")
    return ChatFolders(database, bus, (tmp_path / "profile",), vocabulary)


def words(text: str) -> int:
    return len(text.split())


def look(folders: ChatFolders, chat: int, folder: Path, question: str) -> tuple[Attachment, ...]:
    folders.index(chat, str(folder.resolve()))
    return folders.found(chat, question, 400, words)


def given(folders: ChatFolders, store: ChatStore, folder: Path) -> int:
    chat = store.create().id
    folders.choose(chat, str(folder))
    return chat


def indexed(database: Database) -> set[str]:
    rows = database.read(lambda c: c.execute("SELECT name FROM folder_files").fetchall())
    return {row["name"] for row in rows}


def test_the_passage_that_speaks_of_the_question_is_found_with_its_lines(
    folders: ChatFolders, store: ChatStore, folder: Path
) -> None:
    """The file, its line, and where it is, so that it can be opened; the words of others stay theirs."""
    chat = given(folders, store, folder)
    best = look(folders, chat, folder, "What is the rent of the boathouse?")[0]
    assert RENT in best.text
    assert best.about.name.startswith("contract.txt:")
    assert best.text.startswith("[lines ")
    assert best.about.kind is AttachmentKind.FOLDER
    assert Path(best.about.path) == (folder / "contract.txt").resolve()
    assert best.about.tainted_by == "contract.txt"
    (garden,) = look(folders, chat, folder, "When do I plant tulips?")
    assert garden.about.name == "notes/garden.md:1"


@pytest.mark.parametrize("question", ["Hello, how are you?", "And what is that?", "", "!?", '"tulip" OR'])
def test_small_words_find_nothing_and_no_sign_is_a_query(
    folders: ChatFolders, store: ChatStore, folder: Path, question: str
) -> None:
    """Nothing is put to a greeting; quotes and operators of the index's own language are words."""
    chat = given(folders, store, folder)
    found = look(folders, chat, folder, question)
    assert [each.about.name for each in found] == (["notes/garden.md:1"] if "tulip" in question else [])


def test_changes_are_seen_at_the_next_question(
    folders: ChatFolders, store: ChatStore, folder: Path, bus: Bus
) -> None:
    """A new file, another text, a file that is gone: only these are read."""
    chat = given(folders, store, folder)
    look(folders, chat, folder, "anything")
    read: list[FolderRead] = []
    bus.subscribe(FolderRead, read.append)
    look(folders, chat, folder, "anything")
    assert read == []
    (folder / "notes/garden.md").write_text("Roses are cut in March.", encoding="utf-8")
    (folder / "boat.txt").write_text("The boat is called Otter.", encoding="utf-8")
    (folder / "contract.txt").unlink()
    assert look(folders, chat, folder, "When are roses cut?")[0].about.name == "notes/garden.md:1"
    assert [(each.done, each.total) for each in read] == [(0, 2), (1, 2)]
    assert look(folders, chat, folder, "What is the boat called?")[0].about.name == "boat.txt:1"
    assert look(folders, chat, folder, "What is a boathouse?") == ()


def test_what_is_none_of_its_business_is_never_read(
    folders: ChatFolders, store: ChatStore, database: Database, folder: Path, tmp_path: Path
) -> None:
    """Secrets by name and place, hidden files, what is ignored, binaries, large files, links out of it."""
    outside = tmp_path / "outside.txt"
    outside.write_text("wanted", encoding="utf-8")
    (folder / ".gitignore").write_text("build/\n*.log\n", encoding="utf-8")
    for name in ("build/made.txt", "run.log", ".env", ".hidden/a.txt", "id_rsa", "wallet.kdbx"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("wanted", encoding="utf-8")
    (folder / "picture.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "large.txt").write_text("wanted " * (LARGEST_BYTES // 7 + 2), encoding="utf-8")
    (folder / "link.txt").symlink_to(outside)
    os.link(outside, folder / "second_name.txt")
    chat = given(folders, store, folder)
    assert look(folders, chat, folder, "wanted") == ()
    assert indexed(database) - {"picture.bin"} == set(FILES)
    content = folders.of(chat)
    assert content is not None
    assert content.left_out == 1


@pytest.mark.parametrize("name", ["profile", "profile/data", "gone", ".ssh"])
def test_a_folder_that_must_stay_closed_is_refused(
    folders: ChatFolders, store: ChatStore, tmp_path: Path, name: str
) -> None:
    """Steward's own data, a secret place, and what is no folder; the chat has none then."""
    if name != "gone":
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    chat = store.create().id
    with pytest.raises(UserFacing):
        folders.choose(chat, str(tmp_path / name))
    assert folders.of(chat) is None


@pytest.mark.parametrize("swapped", ["papers", "papers/notes"])
@pytest.mark.parametrize("by", ["link", "folder above"])
def test_a_folder_that_became_another_is_not_read(
    folders: ChatFolders, store: ChatStore, database: Database, folder: Path, swapped: str, by: str
) -> None:
    """A link in its place, or in that of one above it, leads where the user never agreed to."""
    chosen = folder.parent / swapped
    private = folder.parent / "private"
    (private / "notes").mkdir(parents=True)
    for place in (private, private / "notes"):
        (place / "diary.txt").write_text("the wanted words", encoding="utf-8")
    chat = given(folders, store, chosen)
    target = chosen if by == "link" else folder
    target.rename(folder.parent / "moved")
    target.symlink_to(private)
    # As a turn looks: with what was kept when it was chosen.
    content = folders.of(chat)
    assert content is not None
    with pytest.raises(UserFacing):
        folders.index(chat, content.folder)
    assert indexed(database) == set()


def test_nothing_is_left_when_folder_or_chat_go(
    folders: ChatFolders, store: ChatStore, database: Database, folder: Path
) -> None:
    """Taken away, exchanged or deleted with the conversation: no passage and no word stays."""

    def rows() -> tuple[int, ...]:
        tables = ("conversation_folders", "folder_files", "folder_passages", "folder_words")
        return database.read(
            lambda c: tuple(c.execute(f"SELECT count(*) FROM {each}").fetchone()[0] for each in tables)
        )

    chat = given(folders, store, folder)
    look(folders, chat, folder, "rent")
    assert all(rows())
    folders.choose(chat, "")
    assert rows() == (0, 0, 0, 0)
    chat = given(folders, store, folder)
    look(folders, chat, folder, "rent")
    folders.choose(chat, str(folder / "notes"))
    assert rows() == (1, 0, 0, 0)
    look(folders, chat, folder / "notes", "tulips")
    database.write(lambda c: c.execute("DELETE FROM conversations WHERE id = ?", (chat,)))
    assert rows() == (0, 0, 0, 0)


# -- in a chat ------------------------------------------------------------------------------------


@pytest.fixture
def chat(paths: Paths, store: ChatStore, tmp_path: Path, folders: ChatFolders) -> Iterator[Room]:
    with room(paths, store, tmp_path, ScriptedBackend("840 euros.")) as made:
        made.turns._services = replace(made.turns._services, folders=lambda: folders)
        yield made


def test_an_answer_is_told_the_passages_and_names_them(
    chat: Room, folders: ChatFolders, store: ChatStore, folder: Path
) -> None:
    """They go along with the question as chips, open their file under the answer, and are found once."""
    number = given(folders, store, folder)
    chat.turns.run(number, "What is the rent of the boathouse?")
    assert RENT in chat.backend.prompts[-1]
    question, answer = (each for each in store.messages(number, limit=None) if each.role is not Role.NOTICE)
    assert question.attachments[0].name.startswith("contract.txt:")
    assert chat.of(MessageChanged)
    (first, *_) = used_by(answer, (question,))
    assert (first.kind, first.where) == (SourceKind.PASSAGE, str((folder / "contract.txt").resolve()))
    assert question.attachments[0].name.removeprefix("contract.txt:").split(",")[0] == str(first.line)
    assert "contract.txt" in chat.turns.context(number).untrusted
    count = len(question.attachments)
    chat.turns.regenerate(number)
    assert len(store.message(question.id).attachments) == count


def test_a_folder_that_is_gone_is_told_and_the_answer_comes(
    chat: Room, folders: ChatFolders, store: ChatStore, folder: Path
) -> None:
    """A line says so; the question is answered without it."""
    number = given(folders, store, folder)
    folder.rename(folder.with_name("moved"))
    assert chat.turns.run(number, "What is the rent?").text == "840 euros."
    notices = [each.text for each in store.messages(number, limit=None) if each.role is Role.NOTICE]
    assert len(notices) == 1
    assert "could not be read" in notices[0]
