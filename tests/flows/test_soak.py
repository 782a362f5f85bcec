"""What only shows after a while: memory, threads, kills again and again. Part of `dev.py test --full`."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop.app import Services, build_core
from desktop.chat.store import MessageStatus
from desktop.engine.engine import start_thread
from desktop.paths import Paths
from tests.flows.desktop_session import ROOT
from tests.flows.profile import answers

pytestmark = [pytest.mark.slow, pytest.mark.model, pytest.mark.timeout(900)]

TOPICS = ("the sea", "bread", "Rome", "a cat", "the moon", "rain")


@pytest.fixture
def core(tmp_path: Path, smollm2: Path) -> Iterator[Services]:
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("model", "context_tokens", 1024)
    core.settings.change("model", "max_answer_tokens", 16)
    core.engine.use(core.library.import_file(smollm2))
    thread = start_thread(core.engine)
    yield core
    core.close()
    thread.join()


def test_two_hundred_turns_cost_no_memory_and_no_thread(core: Services) -> None:
    """Six conversations in turn, far past the context: every answer ends, memory and threads stay flat.

    Parked conversations come and go, so the peaks of two stretches are compared.
    """
    conversations = [core.store.create().id for _ in TOPICS]
    process = psutil.Process()
    used_mb: list[float] = []
    threads: set[int] = set()
    for number in range(200):
        which = number % len(TOPICS)
        question = f"Tell me fact number {number} about {TOPICS[which]}. " + "Please be exact. " * 6
        answer = core.turns.run(conversations[which], question)
        assert answer.status in (MessageStatus.COMPLETE, MessageStatus.LENGTH)
        used_mb.append(process.memory_full_info().uss / 1e6)
        threads.add(threading.active_count())
    assert max(used_mb[150:]) - max(used_mb[100:150]) < 20
    assert len(threads) == 1
    assert all(core.store.seen_from(conversation) > 0 for conversation in conversations)


def test_killed_ten_times_and_nothing_that_was_announced_is_lost(tmp_path: Path, smollm2: Path) -> None:
    """At each kill the texts that were announced are on disk, and the next start goes on."""
    profile = tmp_path / "profile"
    build_core(Paths.under(profile)).library.import_file(smollm2)
    script = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from desktop.app import Services, build_core, start_logging
        from desktop.chat.events import AnswerGrew
        from desktop.engine.engine import start_thread
        from desktop.paths import Paths
        paths = Paths.under(Path({str(profile)!r}))
        start_logging(paths, None)
        core = build_core(paths)
        core.engine.use(core.library.installed()[0], insist=True)
        start_thread(core.engine)
        core.bus.subscribe(AnswerGrew, lambda e: print(e.text.replace(chr(10), ' '), end='|', flush=True))
        core.turns.run(core.store.create().id, "Write a very long story about the sea.")
        """
    )
    chance = random.Random(7)
    for round_number in range(1, 11):
        program = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        assert program.stdout is not None
        shown = program.stdout.read(chance.randrange(10, 200))
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
        heard = shown.rsplit("|", 1)[0].replace("|", "")
        core = build_core(Paths.under(profile))
        assert core.store.conversations()  # opening joins what the killed process left
        core.close()
        kept = answers(profile, "interrupted")
        assert len(kept) == round_number
        assert kept[-1].replace("\n", " ").startswith(heard)
