"""A reminder before an event of a file, through a whole turn: the files, the gate, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.chat.messages import Role
from desktop.engine.engine import Engine, start_thread
from desktop.paths import Paths
from desktop.tools.times import local_now
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.asker import FakeAsker
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.tools.pdfs import pdf


@pytest.fixture
def core(paths: Paths, tmp_path: Path) -> Iterator[Services]:
    core = build_core(paths)
    core.asker = FakeAsker()
    backend = ScriptedBackend("I have set it.", template=HERMES_TEMPLATE)
    core.engine = Engine(core.paths, core.bus, lambda: core.settings.current.model, backend)
    core.engine.use(installed(tmp_path, chat_template=HERMES_TEMPLATE))
    thread = start_thread(core.engine)
    try:
        yield core
    finally:
        core.engine.close()
        thread.join()
        core.close()


@pytest.fixture
def soon(core: Services) -> datetime:
    """Three weeks from now, on which files have a deposit, a wedding and two deliveries."""
    day = local_now() + timedelta(days=21)
    later = day + timedelta(days=7)
    root = core.workspace.root
    (root / "hall offer.pdf").write_bytes(pdf(["HALL HIRE", f"Deposit due by {day.day} {day:%B} {day.year}"]))
    (root / "agenda.ics").write_text(
        f"BEGIN:VEVENT\nDTSTART:{day:%Y%m%d}T160000\nSUMMARY:Hochzeit Bilal\nEND:VEVENT\n", encoding="utf-8"
    )
    (root / "entregas.csv").write_text(
        f"prenda;entrega\nfalda gris;{day:%d/%m/%Y}\nfalda azul;{later:%d/%m/%Y}\n", encoding="utf-8"
    )
    return day


def said(core: Services, chat: int, text: str) -> str:
    core.turns.run(chat, text)
    shown = core.store.messages(chat, limit=None)
    return next(each.text for each in reversed(shown) if each.role is Role.ASSISTANT and each.text)


def reminders(core: Services) -> list[tuple[str, str]]:
    return [(f"{each.due:%Y-%m-%d %H:%M}", each.text) for each in core.reminders.open()]


def before(day: datetime, days: int, hour: str = "09:00") -> str:
    return f"{day - timedelta(days=days):%Y-%m-%d} {hour}"


def test_a_reminder_is_set_before_what_a_document_says(core: Services, soon: datetime) -> None:
    """Its day and its file stand in the question, in the reminder and in what is told."""
    chat = core.store.create().id
    told = said(core, chat, "remind me 3 days before the hall deposit is due")
    ((at, text),) = reminders(core)
    assert at == before(soon, 3)
    for each in (text, told, *(each.arguments for each in core.asker.questions)):  # type: ignore[attr-defined]
        assert f"{soon.day} {soon:%B} {soon.year}" in each
        assert "hall offer.pdf" in each


def test_a_calendar_has_the_hour(core: Services, soon: datetime) -> None:
    """From which hours and halves are counted."""
    told = said(
        core, core.store.create().id, "erinner mich ne halbe stunde bevor die hochzeit von bilal anfängt"
    )
    assert [at for at, _ in reminders(core)] == [before(soon, 0, "15:30")]
    assert "agenda.ics" in told


def test_of_two_days_the_user_says_which(core: Services, soon: datetime) -> None:
    """Nothing is set before."""
    chat = core.store.create().id
    asked = said(core, chat, "avísame el día antes de la entrega de la falda")
    assert (asked.count("\n- "), reminders(core)) == (2, [])
    said(core, chat, "la azul")
    assert [at for at, _ in reminders(core)] == [before(soon, -6)]


def test_what_no_file_says_is_not_set(core: Services, soon: datetime) -> None:
    """That is said, and no time from now is taken for it."""
    told = said(core, core.store.create().id, "rappelle-moi deux jours avant le contrôle technique")
    assert "contrôle technique" in told
    assert reminders(core) == []
