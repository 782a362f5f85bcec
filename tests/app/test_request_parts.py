"""What is said to a message that only tells something, and to which no sentence of ours is."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from desktop.app.request_parts import reply_to_remark, reply_to_story
from desktop.app.services import Services
from desktop.chat.message_purposes import Purpose, PurposeJudge
from desktop.chat.messages import Role
from desktop.chat.turn_context import TurnContext
from tests.chat.test_file_judgements import Judging, ToldChangesAround


def context_of(asked: str) -> TurnContext:
    said = SimpleNamespace(role=Role.USER, text=asked, sent=asked, model="")
    about = {"project": None, "tools": object(), "attached_names": (), "question": said, "messages": [said]}
    return cast(TurnContext, SimpleNamespace(asked=asked, profile=SimpleNamespace(is_guided=True), **about))


@pytest.mark.parametrize(
    ("asked", "purpose", "is_answered"),
    [
        ("moreau was so kind to us in lyon", None, True),
        ("moreau was so kind to us in lyon", Purpose.TALK, True),
        # Taken for a remark by its words alone.
        ("moreau was so kind to us in lyon", Purpose.WRITE, False),
    ],
)
def test_what_is_clearly_no_remark_gets_no_sentence_of_ours(
    asked: str, purpose: Purpose | None, is_answered: bool, tmp_path: Path
) -> None:
    """Where the request was read, and the model took it for something else."""
    (tmp_path / "club.csv").write_text("name,town\nMoreau,Lyon\n")
    judge = PurposeJudge()
    if purpose is not None:
        judge.of(asked, "", Judging(purposes={purpose: 5.0}))
    settings = SimpleNamespace(current=SimpleNamespace(chat=SimpleNamespace(workspace=str(tmp_path))))
    services = SimpleNamespace(
        purposes=judge, settings=settings, names_around=lambda _context: ToldChangesAround()
    )
    reply = reply_to_remark(cast(Services, services), context_of(asked), Judging())
    assert (reply is not None) is is_answered


def test_a_wish_for_a_text_is_no_story(tmp_path: Path) -> None:
    """Though its words are told like one."""
    (tmp_path / "club.csv").write_text("name,town\nMoreau,Lyon\n")
    told = "phew, six hours with moreau in lyon and it finally holds, off home"
    settings = SimpleNamespace(current=SimpleNamespace(chat=SimpleNamespace(workspace=str(tmp_path))))
    for purpose, is_answered in ((Purpose.CHANGE, False), (Purpose.TALK, True), (Purpose.WRITE, False)):
        judge = PurposeJudge()
        judge.of(told, "", Judging(purposes={purpose: 5.0}))
        services = SimpleNamespace(
            purposes=judge, settings=settings, names_around=lambda _context: ToldChangesAround()
        )
        reply = reply_to_story(cast(Services, services), context_of(told), Judging())
        assert (reply is not None) is is_answered, purpose
