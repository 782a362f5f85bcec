"""The Memory page on a real store, with things in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from desktop.database import Database
from desktop.memory import migrations
from desktop.memory.hindsight.signature import Failure
from desktop.memory.housekeeping import Housekeeping
from desktop.memory.item import Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.memory import Memory, RecallSources
from desktop.memory.vectors.ranker import BetterSearch, VectorRanker
from desktop.memory.vectors.vector_store import VectorWriter
from desktop.models.download import SingleFile
from desktop.network import Network
from desktop.ui.memory.page import MemoryPage
from tests.memory.conftest import count
from tests.memory.vectors.conftest import ByMeaning
from tests.shipped import redactor
from tests.ui.pages.conftest import World, theme, world

__all__ = ["theme", "world"]
NOW = 1_795_305_600.0  # 22 November 2026, 00:00 UTC
DAY_S = 86_400.0


@dataclass
class Desk:
    """A page and what it is made of."""

    world: World
    memory: Memory
    better: BetterSearch
    paused: bool = False
    shared: list[tuple[str, Layer]] = field(default_factory=list)  # what was sent to others

    def page(self, shared: bool = False) -> MemoryPage:
        world = self.world
        keeping = Housekeeping(
            self.memory, count, lambda text, layer, _source: self.shared.append((text, layer))
        )
        page = MemoryPage(
            keeping, world.relay, world.background, lambda: self.paused, lambda: shared, self.better
        )
        page.pause_wanted.connect(self.on_pause(page))
        return page

    def on_pause(self, page: MemoryPage) -> Callable[[bool], None]:
        def set_paused(paused: bool) -> None:
            self.paused = paused
            page.show_pause()

        return set_paused

    def opened(self, width: int = 760, height: int = 680, shared: bool = False) -> MemoryPage:
        page = self.page(shared)
        self.world.show(page, width, height)
        return page


@pytest.fixture
def desk(world: World) -> Iterator[Desk]:
    database = Database(world.paths.data / "memory.sqlite3", migrations.MIGRATIONS)
    on = [False]
    vectors = VectorRanker(database, ByMeaning(), lambda: on[0])
    memory = Memory(database, redactor(), RecallSources((vectors,)), clock=lambda: NOW)
    network = Network(lambda: world.settings.current.network)
    files = SingleFile(network, world.bus, world.paths.embedding)
    writer = VectorWriter(database, vectors)

    def set_on(wanted: bool) -> None:
        on[0] = wanted

    yield Desk(world, memory, BetterSearch(files, vectors, writer, set_on))
    world.background.blockSignals(True)  # what is under way is not handed to the page any more
    world.background.close()
    network.close()
    memory.close()
    database.close()


def fill(memory: Memory) -> None:
    """Some of everything."""
    store = memory.store
    days = iter(range(20, 0, -1))

    def day() -> float:
        return NOW - next(days) * DAY_S

    store.add(NewItem("always answer in short sentences", status=MemoryStatus.PINNED, at=day()))
    store.add(NewItem("I am vegetarian and allergic to peanuts", status=MemoryStatus.PINNED, at=day()))
    store.add(NewItem("my dentist is Doctor Weiss", at=day()))
    store.add(NewItem("my dentist is Doctor Braun, Hauptstraße 12", at=day()))
    store.add(
        NewItem(
            "The shop opens at nine on weekdays and at ten on Saturdays; deliveries come through the yard in "
            "Mill Lane, where the bell does not work, so call anna@example.org before you drive there.",
            Layer.PROJECT,
            "/home/me/shop",
            at=day(),
        )
    )
    store.add(NewItem("عيد ميلاد ليلى في الثالث من مايو", at=day()))
    store.add(NewItem("Opening hours: 9 to 17", source=MemorySource.WEB, origin="example.org", at=day()))
    store.add(
        NewItem(
            "run_command in shop: 12 times, 2 failed; after “No such file” `mkdir -p` helped",
            kind=MemoryKind.DIGEST,
            source=MemorySource.TOOL,
            origin="run_command",
            at=day(),
        )
    )
    for text, quote in (
        ("The user's sister Mara lives in Leipzig.", "my sister Mara has moved to Leipzig"),
        ("The user prefers tea to coffee.", "I'd rather have tea than coffee"),
    ):
        store.add(
            NewItem(
                text, source=MemorySource.MODEL, status=MemoryStatus.SUGGESTED, origin=f"“{quote}”", at=day()
            )
        )
    for number in range(6):
        store.add(
            NewItem(
                f"What about the garden in week {number + 12}?" if number % 2 == 0 else "Sow the peas then.",
                kind=MemoryKind.EPISODE,
                source=MemorySource.USER if number % 2 == 0 else MemorySource.MODEL,
                speaker="" if number % 2 == 0 else "Steward",
                thread="7",
                at=NOW - 3 * DAY_S + number * 60,
            )
        )
    learn(memory)


def learn(memory: Memory) -> None:
    """One fix that worked three times in a project, one that worked once."""
    for number in range(3):
        failed = Failure(
            "run_command",
            f"fatal: The current branch topic-{number} has no upstream branch.",
            arguments={"command": "git push"},
            session=str(number),
            project="/home/me/shop",
        )
        memory.hindsight.failed(failed)
        fixed = {"command": "git push --set-upstream origin HEAD"}
        memory.hindsight.worked("run_command", fixed, str(number), "/home/me/shop")
    failed = Failure(
        "read_file", "there is no file 'Notes.txt'", arguments={"path": "Notes.txt"}, session="9"
    )
    memory.hindsight.failed(failed)
    memory.hindsight.worked("read_file", {"path": "notes.txt"}, "9")
