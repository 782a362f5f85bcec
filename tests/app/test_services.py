"""Building, sharing and closing the parts of a profile's services."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.app.chat_parts import answers_by_rule, fixed_answer
from desktop.app.services import Lazy, made_of
from desktop.events import Bus
from desktop.paths import Paths
from desktop.reasons import LANGUAGES
from desktop.settings import SettingsFile


class Part:
    """Notes when it is built and closed."""

    def __init__(self, name: str, log: list[str], breaks: bool = False) -> None:
        self.name = name
        self._log = log
        self._breaks = breaks
        log.append(f"built {name}")

    def close(self) -> None:
        self._log.append(f"closed {self.name}")
        if self._breaks:
            raise OSError("the disk is gone")


class Small(Services):
    """With parts of its own."""

    def __init__(self, paths: Paths) -> None:
        bus = Bus()
        super().__init__(paths, bus, SettingsFile(paths.settings, bus))
        self.log: list[str] = []
        self.refusals: list[Exception] = []
        self.breaks = False

    upper: Lazy[Part] = Lazy(Part.close)
    lower: Lazy[Part] = Lazy(Part.close)
    other: Lazy[Part] = Lazy(Part.close)


@Small.lower.built_by
def build_lower(services: Small) -> Part:
    if services.refusals:
        raise services.refusals.pop()
    for _ in range(50):
        time.sleep(0)  # others get the processor: they would build one, too
    return Part("lower", services.log)


@Small.upper.built_by
def build_upper(services: Small) -> Part:
    services.lower  # noqa: B018 - which it stands on
    return Part("upper", services.log, breaks=services.breaks)


@Small.other.built_by
def build_other(services: Small) -> Part:
    return Part("other", services.log)


@pytest.fixture
def small(paths: Paths) -> Small:
    return Small(paths)


def test_what_nobody_asked_for_is_neither_built_nor_closed(small: Small) -> None:
    """Building one part builds what it stands on, and no more."""
    first = small.upper
    assert small.upper is first
    assert Small.other.if_built(small) is None
    small.close()
    assert small.log == ["built lower", "built upper", "closed upper", "closed lower"]


def test_parts_close_in_the_reverse_order_of_their_building(small: Small) -> None:
    """Not in that of their names, and not in that of the list."""
    for part in (small.other, small.upper):
        assert part.name in ("other", "upper")
    small.close()
    assert small.log[3:] == ["closed upper", "closed lower", "closed other"]


def test_all_parts_close_where_one_fails(small: Small) -> None:
    """And the error is told when they are."""
    small.breaks = True
    assert small.upper
    with pytest.raises(OSError, match="the disk is gone"):
        small.close()
    assert small.log[-1] == "closed lower"


def test_threads_that_ask_at_once_get_one_object(small: Small) -> None:
    """Whoever comes second waits until the first has built it."""
    parts: list[Part] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        parts.append(small.lower)

    threads = [threading.Thread(target=ask) for _ in range(start.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert small.log == ["built lower"]
    assert parts == [small.lower] * start.parties


def test_a_part_waits_for_no_other_that_is_being_built(small: Small) -> None:
    """A window that needs a small part is not held up by a big one."""
    begun, go_on = threading.Event(), threading.Event()

    slow: Lazy[None] = Lazy()

    @slow.built_by
    def build_slowly(_services: Services) -> None:
        begun.set()
        go_on.wait()

    thread = threading.Thread(target=lambda: slow.__get__(small, Small))
    thread.start()
    begun.wait()
    assert small.lower.name == "lower"
    assert thread.is_alive()
    go_on.set()
    thread.join()


def test_a_build_that_failed_is_tried_again(small: Small) -> None:
    """A folder that was not there may be there the next time."""
    small.refusals.append(OSError("not yet"))
    with pytest.raises(OSError, match="not yet"):
        assert small.upper
    assert small.upper.name == "upper"


def test_another_part_can_be_put_in_place(small: Small) -> None:
    """It is used by whatever stands on it, and closed in its turn."""
    fake = Part("fake", small.log)
    small.lower = fake
    assert small.upper
    assert small.lower is fake
    small.close()
    assert small.log == ["built fake", "built upper", "closed upper", "closed fake"]


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    made = build_core(paths)
    made.settings.change("chat", "workspace", str(paths.data.parent / "workspace"))
    yield made
    made.close()


def test_every_part_stands_on_those_above_it(core: Services) -> None:
    """The list in `Services` reads from top to bottom; each part can be built."""
    parts = [part for part in vars(Services).values() if isinstance(part, Lazy)]
    for number, part in enumerate(parts):
        part.__get__(core, Services)
        assert set(core.built) <= set(parts[: number + 1]), f"the part {number} needs a later one"
    assert len(core.built) == len(parts)


def test_a_part_is_imported_when_it_is_built(paths: Paths) -> None:
    """A verb that reads the settings pays for neither a model, a window nor a database."""
    heavy = ("PySide6", "llama_cpp", "httpx", "aiohttp", "sqlite3", "desktop.engine", "desktop.agents")
    code = (
        "import sys; from pathlib import Path; from desktop.app import build_core; "
        "from desktop.paths import Paths; core = build_core(Paths.under(Path(sys.argv[1]))); "
        "core.settings.current; core.close(); "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(paths.data)], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_every_tool_says_what_its_card_does(core: Services) -> None:
    """In a sentence about what it is called with; no two tools say the same."""
    verbs = [tool.verb.of(what="a.txt") for tool in core.toolbox if tool.verb is not None]
    lines = [verb.in_language(language) for verb in verbs for language in LANGUAGES]
    assert all("a.txt" in line for line in lines)
    assert len(set(lines)) == len(lines) == 2 * len(core.toolbox)


def test_every_tool_is_in_the_manual(core: Services) -> None:
    """By the name under which the log and the rules know it."""
    manual = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
    assert [name for name in core.toolbox.names if not re.search(rf"\b{name}\b", manual)] == []


def test_dangers_and_own_facts_are_answered_before_the_model(core: Services) -> None:
    """A danger to life goes first, then sums and dates, then what Steward is and does at this moment."""
    answer = answers_by_rule(core)
    danger = answer("I have chest pain and my left arm is numb")
    assert danger is not None
    assert danger.text.startswith("**Call ")
    own = fixed_answer(core, "Do you send my data anywhere?")
    assert own is not None
    assert "it has sent no request" in own.text
    reach = fixed_answer(core, "Can you see my files?")
    assert reach is not None
    assert str(core.paths.workspace) in reach.text
    total = answer("12 * 12")
    assert total is not None
    assert total.text == "12 * 12 = 144"
    assert answer("Why is the sky blue?") is None
    assert fixed_answer(core, "Why is the sky blue?") is None


def test_what_is_made_of_settings_is_made_anew_when_they_change() -> None:
    """And not with every look: a hook of an agent takes several."""
    source = [("a",)]
    made: list[tuple[str, ...]] = []

    def make(value: tuple[str, ...]) -> str:
        made.append(value)
        return value[0]

    look = made_of(lambda: source[0], make)
    assert [look(), look()] == ["a", "a"]
    source[0] = ("b",)
    assert [look(), look()] == ["b", "b"]
    assert made == [("a",), ("b",)]


def test_an_address_for_the_commands_of_a_project_ends_with_its_mode(paths: Paths, tmp_path: Path) -> None:
    """What a command has left running gets out through it no more; other projects keep theirs."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
    with closing(build_core(paths)) as core:
        one, _ = (core.projects.begin(folder, None) for folder in folders)
        before = [core.index_proxy.address(str(folder)) for folder in folders]
        core.projects.end(one.id)
        after = [core.index_proxy.address(str(folder)) for folder in folders]
    assert after[0] != before[0]
    assert after[1] == before[1]
