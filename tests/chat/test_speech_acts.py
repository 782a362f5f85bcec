"""What somebody does with a message: ask, order or tell."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from desktop.chat.speech_acts import SpeechAct, may_want_change, only_asks, only_remarks, speech_act

NINTH = Path(__file__).parents[1] / "bench" / "ninth_stranger.toml"


@pytest.mark.parametrize(
    ("message", "act"),
    [
        ("who still owes us money", SpeechAct.LOOK),
        ("y cuantos vegetarianos llevamos de momento", SpeechAct.LOOK),
        ("c quoi leurs tel", SpeechAct.ASK),
        ("what is inflation and why does it happen", SpeechAct.ASK),
        ("wie entsteht ein gewitter?", SpeechAct.ASK),
        ("put it in the money one as well", SpeechAct.ORDER),
        ("dann kann die fassung ja von der einkaufsliste runter", SpeechAct.ORDER),
        ("remind me weds 6pm to wash the kit", SpeechAct.ORDER),
        ("uff, was für ein tag", SpeechAct.TELL),
        ("en fin ya veremos, q estrés de boda", SpeechAct.TELL),
        ("sam played a blinder though to be fair", SpeechAct.TELL),
    ],
)
def test_a_message_asks_orders_or_tells(message: str, act: SpeechAct) -> None:
    """By verbs, question words and a sign; else by what was learned."""
    assert speech_act(message) is act


def test_an_order_is_never_taken_for_a_question_or_a_remark() -> None:
    """A verb that tells somebody to do something decides, whatever else is learned."""
    for message in ("add milk to the list", "lösch die notiz", "mets du pain sur la liste", "borra la nota"):
        assert not only_asks(message)
        assert not only_remarks(message)


def test_a_change_is_wanted_by_a_verb_or_by_what_has_happened() -> None:
    """Of what only shares a word with a file nothing is written down."""
    for message in (
        "sadie came for the frog, put collected",
        "we used 2.3 of the linen",
        "non, 160 les boîtes",
    ):
        assert may_want_change(message)
    for message in ("tess got mabel a new coat, tartan, very posh", "i hate fire safety trainings"):
        assert not may_want_change(message)


def test_what_a_stranger_says_is_told_as_it_was_measured() -> None:
    """Of a ninth stranger's messages, from which nothing was learned: kinds of talks by what theirs are."""
    told: Counter[tuple[str, bool]] = Counter()
    kind = ""
    for line in NINTH.read_text(encoding="utf-8").splitlines():
        kind = line.removeprefix("# kind: ") if line.startswith("# kind: ") else kind
        if line.startswith("say = "):
            for message in tomllib.loads(line)["say"]:
                told[kind, only_remarks(message)] += 1
    assert told["remark", True] >= 3
    assert sum(told[each, True] for each in ("act", "reminder", "question", "absent")) <= 1
