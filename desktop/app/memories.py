"""What is remembered, and how it is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from desktop.app.guard import Guard
from desktop.paths import resources
from desktop.settings import MemorySettings, SettingsChanged

if TYPE_CHECKING:
    from desktop.chat.lessons import Lessons
    from desktop.chat.remembering import Project, Remembering
    from desktop.chat.store import ChatStore
    from desktop.memory.memory import Memory
    from desktop.memory.notes.capture import CaptureMode
    from desktop.memory.search import Ranker
    from desktop.memory.shared.opening import Passwords
    from desktop.memory.shared.team import Team
    from desktop.memory.vectors.better import BetterSearch
    from desktop.memory.vectors.ranker import Vectors
    from desktop.memory.vectors.writer import VectorWriter


class Memories(Guard):
    """Memory, and what tells it what happened."""

    @cached_property
    def memory(self) -> Memory:
        from desktop.chat.blocks import Blocks
        from desktop.memory.events import MemoryForgotten
        from desktop.memory.memory import Memory

        blocks = Blocks(self.database)

        def forget(event: MemoryForgotten) -> None:
            """What was told to a model goes too, whoever forgets it: the window or the command line."""
            blocks.forget(event.ids)

        self.bus.subscribe(MemoryForgotten, forget)
        self.team.warm()
        return Memory(
            self.database,
            self.redactor,
            resources() / "memory",
            (self._meaning(),),
            self._capture_mode,
            bus=self.bus,
            beyond=self.team,
            meaning=self._meaning_of,
        )

    @cached_property
    def team(self) -> Team:
        """The memory of a group, where one is set up."""
        from desktop.memory.shared.team import Team

        def wanted() -> MemorySettings:
            return self.settings.current.memory

        return Team(wanted, self._team_passwords, self.network, self.bus, self._meaning_of)

    def _team_passwords(self) -> Passwords:
        from desktop.memory.shared.opening import Passwords
        from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD

        return Passwords(self.secrets.get(TEAM_PASSWORD), self.secrets.get(TEAM_CACHE_PASSWORD))

    def _meaning_of(self, text: str) -> Sequence[float]:
        """The meaning of a text as numbers; none while search by meaning is off."""
        if not self.settings.current.memory.meaning or not self.vectors.is_on:
            return ()
        try:
            return [float(number) for number in self.vectors.embedder.question(text)]
        except (OSError, ValueError):
            return ()  # of which the search by meaning tells

    def _meaning(self) -> Ranker:
        from desktop.memory.late import LateRanker

        return LateRanker("meaning", 1.0, lambda: self.settings.current.memory.meaning, lambda: self.vectors)

    @cached_property
    def vectors(self) -> Vectors:
        from desktop.memory.vectors.model import MINILM, MiniLM
        from desktop.memory.vectors.ranker import Vectors

        pieces = resources() / "memory" / "wordpieces.txt"
        return Vectors(
            self.database,
            MiniLM(self.paths.embedding / MINILM.file_name, pieces),
            lambda: self.settings.current.memory.meaning,
            lambda: self.settings.current.memory.least_likeness,
        )

    @cached_property
    def vector_writer(self) -> VectorWriter:
        """Begun with the first look at it."""
        from desktop.memory.events import MemoryChanged
        from desktop.memory.vectors.writer import VectorWriter

        writer = VectorWriter(self.database, self.vectors, lambda: not self.engine.is_busy)
        writer.start()
        for kind in (MemoryChanged, SettingsChanged):
            self.bus.subscribe(kind, lambda _event: writer.wake())
        return writer

    @cached_property
    def better_search(self) -> BetterSearch:
        from desktop.memory.vectors.better import BetterSearch
        from desktop.models.single_file import SingleFile

        def set_on(wanted: bool) -> None:
            self.settings.change("memory", "meaning", wanted)

        files = SingleFile(self.network, self.bus, self.paths.embedding)
        return BetterSearch(files, self.vectors, self.vector_writer, set_on)

    def _capture_mode(self) -> CaptureMode:
        from desktop.memory.notes.capture import CaptureMode, Mode

        wanted = self.settings.current.memory
        if not wanted.enabled or wanted.paused:
            return CaptureMode(Mode.OFF)
        return CaptureMode(Mode(wanted.capture.value), wanted.capture_one_in)

    def _project(self) -> Project:
        from desktop.chat.remembering import Project

        return Project(str(self.workspace.root), bool(self.settings.current.chat.workspace))

    def remembering_for(self, store: ChatStore) -> Remembering:
        """Memory for the turns of `store`; what is said in the user's own history is kept."""
        from desktop.chat.blocks import Blocks
        from desktop.chat.remembering import Remembering

        return Remembering(
            self.memory,
            Blocks(store.database),
            self.bus,
            lambda: self.settings.current.memory,
            self.engine.count_tokens,
            self._project,
            keeps=store.database is self.database,
        )

    @cached_property
    def remembering(self) -> Remembering:
        return self.remembering_for(self.store)

    @cached_property
    def lessons(self) -> Lessons:
        from desktop.chat.lessons import Lessons

        return Lessons(self.memory, self.bus, lambda: self.settings.current.memory, self._project)
