"""Projects: a folder, instructions, a memory, a model and chats under one name.

A project owns nothing but its name: its folder's files are the user's, and its chats are chats like any
other, which may be moved to another project or to none. What is remembered in its chats belongs to the
project's layer of memory, which a folder shares with the coding agents that work in it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.chat.conversation_memory import MemoryProject
from desktop.chat.reasons import ChatReason
from desktop.database import AMONG, Connection, Database, Row, among
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.sandbox.workspace import Workspace

if TYPE_CHECKING:
    from desktop.chat.tool_mode import ToolRuntime


LONGEST_NAME = 60  # characters
TOLD_TOKENS = 800  # of instructions, which every prompt of the project's chats begins with
BYTES_OF_A_TOKEN = 3  # few texts have less, so that the limit holds for every model
# Most conversations have none.
PROJECT_OF = (
    "SELECT chat_projects.* FROM chat_projects JOIN conversation_projects ON project_id = chat_projects.id"
    " WHERE conversation_id = ?"
)


@dataclass(frozen=True)
class ChatProject:
    """`folder` "" for none, else absolute. `model` is the id of a model file, "" for that of the settings.
    `id` 0: not stored yet."""

    name: str
    folder: str = ""
    instructions: str = ""
    model: str = ""
    id: int = 0

    @classmethod
    def read(cls, row: Row) -> ChatProject:
        return cls(row["name"], row["folder"], row["instructions"], row["model"], row["id"])

    @property
    def memory(self) -> MemoryProject:
        """The layer of memory that its chats read and write."""
        # Without a folder nothing else can name the layer; no path begins like this.
        return MemoryProject(self.folder or f"project:{self.id}", chosen=True)


@dataclass(frozen=True)
class ChatProjectsChanged(Event):
    """One was made, changed or deleted, or chats were moved."""


class ChatProjects:
    """Any thread; writes return when they are committed."""

    def __init__(self, database: Database, bus: Bus, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._bus = bus
        self._clock = clock

    def all(self) -> tuple[ChatProject, ...]:
        """By name."""
        rows = self._database.read(
            lambda c: c.execute("SELECT * FROM chat_projects ORDER BY name").fetchall()
        )
        return tuple(map(ChatProject.read, rows))

    def named(self, name: str) -> ChatProject:
        """Raises UserFacing where there is none."""
        found = next((each for each in self.all() if each.name.casefold() == name.strip().casefold()), None)
        if found is None:
            raise UserFacing(ChatReason.NO_PROJECT.of(name=name.strip()))
        return found

    def of(self, conversation_id: int) -> ChatProject | None:
        row = self._database.read(lambda c: c.execute(PROJECT_OF, (conversation_id,)).fetchone())
        return ChatProject.read(row) if row is not None else None

    def chats(self, project_id: int) -> tuple[int, ...]:
        """Those that there are, the one that was used last first."""
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT id FROM conversations JOIN conversation_projects ON conversation_id = id"
                " WHERE project_id = ? AND deleted_at IS NULL ORDER BY updated_at DESC, id DESC",
                (project_id,),
            ).fetchall()
        )
        return tuple(row["id"] for row in rows)

    def chat_counts(self) -> dict[int, int]:
        """How many chats each project has, by its number; those without any are left out."""
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT project_id, count(*) AS chats FROM conversations"
                " JOIN conversation_projects ON conversation_id = id WHERE deleted_at IS NULL"
                " GROUP BY project_id"
            ).fetchall()
        )
        return {row["project_id"]: row["chats"] for row in rows}

    def save(self, project: ChatProject) -> ChatProject:
        """Keep a new project or a changed one. Raises UserFacing where its name is taken, its instructions
        are too long, or its folder is none."""
        checked = _checked(project)
        values = (checked.name, checked.folder, checked.instructions, checked.model)

        def write(connection: Connection) -> int:
            taken = connection.execute(
                "SELECT 1 FROM chat_projects WHERE name = ? AND id != ?", (checked.name, checked.id)
            ).fetchone()
            if taken is not None:
                raise UserFacing(ChatReason.PROJECT_NAME_TAKEN.of(name=checked.name))
            if checked.id:
                connection.execute(
                    "UPDATE chat_projects SET name = ?, folder = ?, instructions = ?, model = ? WHERE id = ?",
                    (*values, checked.id),
                )
                return checked.id
            made = connection.execute(
                "INSERT INTO chat_projects (name, folder, instructions, model, made_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (*values, self._clock()),
            )
            return int(made.lastrowid or 0)

        saved = replace(checked, id=self._database.write(write))
        self._bus.publish(ChatProjectsChanged())
        return saved

    def move(self, conversation_ids: Sequence[int], project_id: int) -> None:
        """Into a project, 0: out of any. What was remembered in them stays where it is."""

        def write(connection: Connection) -> None:
            ids = among(conversation_ids)
            connection.execute(
                f"DELETE FROM conversation_projects WHERE conversation_id {AMONG}",  # noqa: S608 - no value
                (ids,),
            )
            if project_id:
                connection.executemany(
                    "INSERT INTO conversation_projects VALUES (?, ?)",
                    [(each, project_id) for each in conversation_ids],
                )

        self._database.write(write)
        self._bus.publish(ChatProjectsChanged())

    def delete(self, project_id: int) -> None:
        """The name and what hangs on it; chats, memories and the folder's files stay."""
        self._database.write(lambda c: c.execute("DELETE FROM chat_projects WHERE id = ?", (project_id,)))
        self._bus.publish(ChatProjectsChanged())


def _checked(project: ChatProject) -> ChatProject:
    name = " ".join(project.name.split())
    if not name or len(name) > LONGEST_NAME:
        raise UserFacing(ChatReason.PROJECT_NAME.of(limit=LONGEST_NAME))
    instructions = project.instructions.strip()
    tokens = len(instructions.encode()) // BYTES_OF_A_TOKEN
    if tokens > TOLD_TOKENS:
        raise UserFacing(ChatReason.PROJECT_INSTRUCTIONS.of(tokens=tokens, limit=TOLD_TOKENS))
    return replace(project, name=name, instructions=instructions, folder=_folder(project.folder))


def _folder(written: str) -> str:
    if not written.strip():
        return ""
    folder = Path(written.strip()).expanduser()
    # A folder that is made for a slip of the pen would be looked for elsewhere.
    if not folder.is_absolute() or not os.path.isdir(folder):
        raise UserFacing(ChatReason.PROJECT_FOLDER.of(folder=folder))
    return str(folder.resolve())


# -- their folders -----------------------------------------------------------------------------

# The folders of projects, each opened when a chat of its project is first answered.


@dataclass(frozen=True)
class _AtWork:
    workspace: Workspace
    tools: ToolRuntime
    where: tuple[int, int]  # device and number of the folder


class ProjectFolders:
    """Tools by the folder that they work in. Any thread.

    What was allowed in a folder holds there: grants go by the folder that a call is made in.
    """

    def __init__(self, forbidden: tuple[Path, ...], at_work: Callable[[Workspace], ToolRuntime]) -> None:
        """`forbidden`: where no tool has anything to look for. `at_work` makes the tools of a folder."""
        self._forbidden = forbidden
        self._at_work = at_work
        self._lock = threading.Lock()
        self._open: dict[str, _AtWork] = {}

    def tools(self, folder: str) -> ToolRuntime:
        """Raises UserFacing where the folder is gone or may not be used."""
        return self._at(folder).tools

    def workspace(self, folder: str) -> Workspace:
        """The same for the folder itself."""
        return self._at(folder).workspace

    def close(self) -> None:
        with self._lock:
            for each in self._open.values():
                each.workspace.close()

    def _at(self, folder: str) -> _AtWork:
        with self._lock:
            # Never made: an empty folder in the place of one that is unplugged would look like lost files.
            # It was kept as it is without links: one in its place by now leads where nobody agreed to.
            # Asked this way, since a drive that does not answer, or a folder above that was closed to us,
            # is "gone" and no bug.
            if not os.path.isdir(folder) or os.path.realpath(folder) != folder:
                raise UserFacing(ChatReason.PROJECT_FOLDER_GONE.of(folder=folder))
            found = self._open.get(folder)
            # One that was deleted and made anew is another: the old handle would write where nobody looks.
            if found is not None and not _is_same(found.where, Path(folder)):
                found.workspace.close()
                found = None
            if found is None:
                self._open[folder] = found = self._made(folder)
            return found

    def _made(self, folder: str) -> _AtWork:
        try:
            facts = Path(folder).stat()
            workspace = Workspace(Path(folder), forbidden=self._forbidden)
        except OSError as error:
            reason = ChatReason.PROJECT_FOLDER_REFUSED.of(folder=folder, strerror=str(error.strerror))
            raise UserFacing(reason) from error
        # Looked at again once it is held: a link may have taken its place in between.
        if workspace.root != Path(folder):
            workspace.close()
            raise UserFacing(ChatReason.PROJECT_FOLDER_GONE.of(folder=folder))
        return _AtWork(workspace, self._at_work(workspace), (facts.st_dev, facts.st_ino))


def _is_same(where: tuple[int, int], folder: Path) -> bool:
    facts = folder.stat()
    return where == (facts.st_dev, facts.st_ino)
