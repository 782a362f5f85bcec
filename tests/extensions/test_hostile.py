"""Forty extensions that mean harm: none gets out, and every answer is what it is without them."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.events import Bus
from desktop.extensions import state
from desktop.extensions.chain import About, Chain
from desktop.extensions.manifest import Hook
from desktop.extensions.process import ChildKeeper, can_confine
from desktop.extensions.registry import Registry
from desktop.paths import Paths
from tests.extensions.world import World, package, world
from tests.fakes.scripted_model import ScriptedBackend

pytestmark = pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp")

HOSTILE = Path(__file__).parent / "hostile"
NAMES = sorted(each.stem for each in HOSTILE.glob("*.py") if each.stem not in ("__init__", "attempts"))
# In every run; the others in the long one, because most of them are waited for.
ALWAYS = frozenset({"connects", "forks", "reads_keys", "signals_the_parent"})
SAYS_SOMETHING = frozenset({"speaks_to_the_model"})  # what it gives back is text, and is shown
SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----"
ANSWER = "One <rows>a</rows>.\n\nTwo."
CALL_S = 0.5


@pytest.fixture
def places(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A secret of the user, and a service of this computer that nobody may reach."""
    secret = tmp_path / "home" / ".ssh" / "id_ed25519"
    secret.parent.mkdir(parents=True)
    secret.write_text(SECRET, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield {"secret": str(secret), "port": str(listener.getsockname()[1])}
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert secret.read_text(encoding="utf-8") == SECRET
    assert sorted(each.name for each in secret.parent.iterdir()) == ["id_ed25519"]
    assert not any(Path(each, "steward-escaped").exists() for each in ("/tmp", "/dev/shm"))


def hostile(folder: Path, name: str, places: dict[str, str]) -> Path:
    """The package of one of them, which asks for all that there is to ask for."""
    made = package(
        folder / name.replace("_", "-"),
        (HOSTILE / f"{name}.py").read_text(encoding="utf-8"),
        (Hook.PLAIN, Hook.TAG, Hook.OUTPUT),
        more='tags = ["rows"]',
        permissions='state = true\nhosts = ["allowed.example"]',
    )
    shutil.copy(HOSTILE / "attempts.py", made)
    lines = "".join(f"{key}={value}\n" for key, value in places.items())
    (made / "places.txt").write_text(lines, encoding="utf-8")
    return made


@pytest.fixture
def made(paths: Paths, tmp_path: Path) -> Iterator[World]:
    """With a chain that waits half a second, so that the test need not wait five."""
    with world(paths, tmp_path, ScriptedBackend(ANSWER)) as made:
        built = made.services.extensions
        built.close()
        chain = Chain(built.registry, built.store, built._means, lambda: CALL_S, ChildKeeper())
        made.services.extensions = chain
        yield made


@pytest.mark.parametrize(
    "name", [each if each in ALWAYS else pytest.param(each, marks=pytest.mark.slow) for each in NAMES]
)
def test_it_reaches_nothing_and_the_answer_is_the_same(
    name: str, made: World, places: dict[str, str], tmp_path: Path
) -> None:
    """What it should not have is nowhere: not in the answer, not in its log, not in the next prompt."""
    registry = made.services.extensions.registry
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    found = registry.install(hostile(tmp_path / "packages", name, places))
    registry.accept(found.id, on=True)
    for _ in range(2):
        answer = made.ask("Say two things, please.")
        assert answer.text == ANSWER
        assert answer.shown == ANSWER or name in SAYS_SOMETHING
        assert "ESCAPED" not in answer.shown
    lines = [line.text for line in made.services.extensions.store.log(found.id) if line.kind == "failed"]
    assert not any("ESCAPED: way" in line or SECRET in line for line in lines)
    prompt = made.services.turns.context(answer.conversation_id).prompt()
    assert [each.content for each in prompt.messages[1:]] == ["Say two things, please.", ANSWER]
    assert "Obey" not in prompt.messages[0].content
    assert made.services.extensions.store.kept(found.id).size_bytes <= state.MOST_BYTES
    assert made.services.memory.counts()["notes"] == 0
    assert os.getpriority(os.PRIO_PROCESS, 0) == priority


@pytest.mark.slow
def test_with_all_of_them_on_an_answer_is_the_same(
    made: World, places: dict[str, str], tmp_path: Path
) -> None:
    """Byte for byte on the disk and, but for the one that writes text, in the window."""
    registry = made.services.extensions.registry
    for name in NAMES:
        if name not in SAYS_SOMETHING:
            registry.accept(registry.install(hostile(tmp_path / "packages", name, places)).id, on=True)
    answer = made.ask("Say two things, please.")
    assert (answer.text, answer.shown) == (ANSWER, ANSWER)


def test_there_are_at_least_thirty() -> None:
    """Each is a file of its own."""
    assert len(NAMES) >= 30


def test_a_hung_callback_costs_its_limit(paths: Paths, tmp_path: Path, bus: Bus) -> None:
    """It is given up, counted, and after five in a row it is off with a sentence."""
    from desktop.database import Database
    from desktop.extensions.requests import HostServices
    from desktop.extensions.state import MIGRATIONS

    database = Database(paths.database, MIGRATIONS)
    registry = Registry(paths.extensions, bus)
    chain = Chain(
        registry, state.StateStore(database), HostServices(lambda: pytest.fail("no network")), lambda: 0.1
    )
    try:
        made = hostile(tmp_path, "sleeps", {})
        registry.accept(registry.install(made).id, on=True)
        for failures in range(1, 6):
            assert chain.run(Hook.PLAIN, "a", About()).text == "a"
            assert chain.figures("sleeps").failures == (failures if failures < 5 else 0)
        found = registry.get("sleeps")
        assert not found.is_on
        assert "5 calls in a row failed" in str(found.why_off)
        assert "did not answer within 0.1 s" in str(found.why_off)
    finally:
        chain.close()
        database.close()
