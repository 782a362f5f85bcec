"""Verdicts, the page's side of the handler, and a page in a window of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.agents.action import HookChoice
from desktop.agents.events import DecidedBy, HookAsked, HookDecided
from desktop.agents.hook_handler import Pause
from desktop.events import Bus
from desktop.gate.reasons import GateReason
from desktop.ui.pages.activity import ActivityPage
from tests.shipped import redactor
from tests.ui.pages.conftest import World

FIRST = HookDecided(
    id=1,
    at=1_790_000_000.0,
    agent="claude-code",
    session="3f2a",
    folder="/home/me/shop",
    tool="Bash",
    text="ls && rm -rf build",
    classed="DELETE",
    flags=("OUTSIDE",),
    reason=GateReason.AS_SAID.of(text="rm removes something"),
    span=(6, 18),
    tier=2,
    choice=HookChoice.DENY,
    by=DecidedBy.USER,
    ms=8230.0,
)
READ = replace(
    FIRST,
    text="git status",
    classed="READ",
    flags=(),
    reason=GateReason.ONLY_READS.of(name="git status"),
    choice=HookChoice.ALLOW,
    by=DecidedBy.READING,
    ms=0.4,
)
ASKED = HookAsked(900, 1_790_000_900.0, "codex", "s", "/home/me/api", "shell", "rm -rf node_modules")


class Hooks:
    """The page's side of the handler: its list, and the real pause."""

    def __init__(self, bus: Bus, recent: tuple[HookDecided, ...] = ()) -> None:
        self.recent = recent
        self.waiting: tuple[HookAsked, ...] = ()
        self._pause = Pause(bus)

    @property
    def paused_until(self) -> float | None:
        return self._pause.until

    def pause(self, seconds: float) -> None:
        self._pause.begin(seconds)

    def resume(self) -> None:
        self._pause.end()

    def close(self) -> None:
        self._pause.close()


@pytest.fixture(name="hooks")
def hooks_fixture(bus: Bus) -> Iterator[Hooks]:
    hooks = Hooks(bus)
    yield hooks
    hooks.close()


@pytest.fixture(name="open_page")
def open_page_fixture(world: World, hooks: Hooks) -> Callable[..., ActivityPage]:
    def open_it(*recent: HookDecided, width: int = 760, height: int = 680) -> ActivityPage:
        hooks.recent = recent
        page = ActivityPage(hooks, world.relay, world.background, redactor())
        world.show(page, width, height)
        return page

    return open_it


def tell(world: World, page: ActivityPage, *events: HookAsked | HookDecided) -> None:
    for event in events:
        world.bus.publish(event)
    ids = {event.id for event in events}
    world.until(lambda: ids <= {row.id for row in page.model.rows})
    QApplication.processEvents()
    page.flush()


def shown(page: ActivityPage, column: int) -> list[str]:
    return [page.chosen.index(n, column).data() for n in range(page.chosen.rowCount())]


def words(page: QWidget, name: str) -> str:
    found = page.findChild(QLabel, name)
    assert found is not None
    return found.text().replace("\u200b", "")


def many(count: int, first: int = 1) -> tuple[HookDecided, ...]:
    return tuple(replace(READ, id=n, text=f"git show {n}") for n in range(first, first + count))
