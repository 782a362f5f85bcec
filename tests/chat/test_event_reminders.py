"""Reminders that are told from an event of the user's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from desktop.chat.event_reminders import MAY_BE_TOLD_FROM_EVENT, EventReminders, wish_in
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.references import Past
from desktop.errors import UserFacing
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminder_words import reminder_in
from desktop.tools.time_translations import in_english
from tests.chat.test_file_judgements import likely
from tests.chat.test_table_changes import Around

NOW = datetime(2026, 11, 29, 10, tzinfo=UTC)  # a Sunday
TEXTS = {
    "repairs.csv": (
        "no,client,item,due\n31,Ines Karlsen,accordion,2026-12-11\n32,Col Ray,flute,2026-12-03\n"
        "33,Col Ray,oboe,2026-12-18\n34,Ada Moor,violin,2026-11-20\n"
    ),
    "Termine.csv": (
        "Datum;Uhrzeit;Wer;Was\n30.11.2026;10:00;Bilal Demir;Probe\n07.12.2026;;Nora Heise;Vorspiel\n"
    ),
    "fêtes.ics": (
        "BEGIN:VEVENT\nDTSTART:20261212T150000\nSUMMARY:Concert de Noël Albi\nEND:VEVENT\n"
        "BEGIN:VEVENT\nDTSTART:20261205T160000\nSUMMARY:Concert de Noël Gaillac\nEND:VEVENT\n"
    ),
    "fichas/Elena Soto.md": (
        "# Elena Soto\n\nPrimera clase: 10/11/2026. Segunda clase: 9/12/2026 a las 18:00.\n"
    ),
    "visitors.md": "- Mum, 23 to 27 Dec\n- Priya, 28 Dec to 2 Jan\n",
    "habitaciones.csv": "huésped;entrada;salida\nFamilia Otero;05/12/2026;08/12/2026\n",
    "van.ics": "BEGIN:VEVENT\nDTSTART:20261209T083000\nSUMMARY:MOT\nEND:VEVENT\n",
    "hire.pdf": "",
    "liability insurance.pdf": "",
}
DOCUMENTS = {
    "hire.pdf": "HALL HIRE - OFFER 88\nHeld: 12 to 16 April 2027, deposit 150.00 due by 15 December 2026",
    "liability insurance.pdf": "Policy 7\nPeriod: 15 January 2026 to 14 January 2027",
}


class Dated(Around):
    """A workspace of these texts, with two reminders."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        super().__init__(texts)

    def document(self, name: str) -> str:
        return DOCUMENTS.get(name, "")

    def reminders(self) -> Sequence[tuple[int, str]]:
        return [(4, "ring the piano tuner")]

    def due(self, number: int) -> datetime | None:
        return datetime(2026, 12, 3, 15, tzinfo=UTC)

    def time_in(self, words: str, language: str) -> str:
        english = in_english(words, language)
        try:
            read_when(english, NOW, thorough=False)
        except UserFacing:
            return ""
        return english


def planned(asked: str, past: Past | None = None, submit=None) -> IntentPlan | None:  # type: ignore[no-untyped-def]
    return EventReminders(Dated(), past or Past(), submit, NOW).plan(asked)


def set_for(plan: IntentPlan | None) -> tuple[str, str]:
    """The text and the time of the reminder that is set."""
    assert plan is not None
    assert [each.name for each in plan.calls] == ["set_reminder"], plan.steps
    given = plan.calls[0].arguments
    return str(given["text"]), f"{read_when(str(given['when']), NOW).at:%Y-%m-%d %H:%M}"


SET = [
    ("remind me the evening before the mot, 7pm, to find the papers", "find the papers", "2026-12-08 19:00"),
    ("remind me about the hire deposit 3 days before its due", "the hire deposit", "2026-12-12 09:00"),
    ("remind me 3 days before the hire deposit is due", "the hire deposit is due", "2026-12-12 09:00"),
    ("a week before ines accordion is due remind me to ring her", "ring her", "2026-12-04 09:00"),
    ("remind me the day before the insurance runs out", "the insurance runs out", "2027-01-13 09:00"),
    ("remind me the evening before priya comes to air the room", "air the room", "2026-12-27 19:00"),
    ("remind me a week before mum comes", "mum comes", "2026-12-16 09:00"),
    ("remind me an hour before the piano tuner", "the piano tuner", "2026-12-03 14:00"),
    ("remind me the day before cols oboe is due at 5pm", "cols oboe is due", "2026-12-17 17:00"),
    ("erinner mich morgen ne halbe stunde bevor bilal kommt", "bilal kommt", "2026-11-30 09:30"),
    ("erinner mich zwei tage vor dem vorspiel von nora", "dem vorspiel von nora", "2026-12-05 09:00"),
    ("erinner mich einen tag vorher an noras vorspiel", "noras vorspiel", "2026-12-06 09:00"),
    ("rappelle-moi la veille du concert d'albi à 18h", "concert d'albi", "2026-12-11 18:00"),
    ("rappelle-moi la veille du concert d'albi a 18h", "concert d'albi", "2026-12-11 18:00"),
    ("préviens moi une heure avant le concert de gaillac", "le concert de gaillac", "2026-12-05 15:00"),
    ("avísame dos días antes de la segunda clase de Elena", "la segunda clase de Elena", "2026-12-07 09:00"),
    ("recuérdame media hora antes de la segunda clase de elena", "la segunda clase", "2026-12-09 17:30"),
    (
        "rappelle moi 2 jours avant le concert d'albi d'acheter des fleurs",
        "acheter des fleurs",
        "2026-12-10 09:00",
    ),
    ("recuérdame el día antes de la segunda clase de elena comprar tiza", "comprar tiza", "2026-12-08 09:00"),
    ("recuérdame un día antes de que lleguen los otero", "lleguen los otero", "2026-12-04 09:00"),
    ("recuérdame un día antes de la salida de los otero", "la salida de los otero", "2026-12-07 09:00"),
    ("remind me the day before the mot", "the mot", "2026-12-08 09:00"),
    ("ne halbe stunde bevor bilal kommt erinner mich ans notenpult", "notenpult", "2026-11-30 09:30"),
    ("sag mir eine stunde vor bilals probe bescheid", "bilals probe", "2026-11-30 09:00"),
    ("remind me 2 days before christmas to wrap the presents", "wrap the presents", "2026-12-23 09:00"),
]


@pytest.mark.parametrize(("asked", "text", "at"), SET)
def test_it_is_set_so_long_before_what_a_file_says(asked: str, text: str, at: str) -> None:
    """Of all that is on a day, the one that has the words is meant; no model is asked."""
    said, when = set_for(planned(asked))
    assert said.startswith(text)
    assert when == at


def test_what_was_found_is_told_and_stands_in_the_reminder() -> None:
    """With its file and day, in the language of the request."""
    plan = planned("avísame dos días antes de la segunda clase de Elena")
    assert set_for(plan)[0].endswith("(miércoles 9 de diciembre de 2026 a las 18:00, Elena Soto.md)")
    assert plan is not None
    assert plan.steps[0].text == (
        "En fichas/Elena Soto.md pone: Segunda clase: 9/12/2026 a las 18:00. "
        "Eso es el miércoles 9 de diciembre de 2026 a las 18:00."
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("rappelle-moi la veille du contrôle technique", "aucune date pour « contrôle technique »"),
        ("remind me 2 weeks before ines accordion is due", "Friday 27 November 2026, 09:00, which is over"),
        (
            "remind me a month before ines accordion is due",
            "Wednesday 11 November 2026, 09:00, which is over",
        ),
        ("remind me 2 days before adas violin is due", "Friday 20 November 2026 and is over"),
        ("erinner mich eine stunde vor noras vorspiel", "aber keine Uhrzeit"),
    ],
)
def test_why_none_is_set_is_said(asked: str, told: str) -> None:
    """Nothing found, over already, or a day without an hour for which one is needed."""
    plan = planned(asked)
    assert plan is not None
    assert plan.calls == ()
    assert told in plan.steps[-1].text


@pytest.mark.parametrize(
    ("answer", "at"),
    [
        ("the second", "2026-12-17 09:00"),
        ("the flute", "2026-12-02 09:00"),
        ("the oboe one", "2026-12-17 09:00"),
    ],
)
def test_of_two_that_fit_it_is_asked_which(answer: str, at: str) -> None:
    """And set by the answer, which names one of them."""
    asked = "remind me the day before cols repair is due"
    plan = planned(asked)
    assert plan is not None
    assert plan.calls == ()
    said = plan.steps[0].text
    assert [each.partition(":")[0] for each in said.splitlines()[2:]] == [
        "- Thursday 3 December 2026",
        "- Friday 18 December 2026",
    ]
    assert set_for(planned(answer, Past(asked=asked, text=said)))[1] == at
    assert planned("thanks", Past(asked=asked, text=said)) is None


def test_who_leaves_is_not_known() -> None:
    """Guests do on the last day of their stay, their hosts on the first of theirs."""
    plan = planned("avísame dos días antes de que se vayan los otero")
    assert plan is not None
    assert plan.calls == ()
    assert plan.steps[0].text.count("\n- ") == 2


def test_of_a_few_that_fit_the_model_may_say_which() -> None:
    """Only where it is clear: of two that it holds alike the user is asked."""
    asked = "remind me the day before cols woodwind is due"
    assert set_for(planned(asked, submit=_numbered(0.0, 6.0)))[1] == "2026-12-17 09:00"
    unclear = planned(asked, submit=_numbered(5.0, 6.0))
    assert unclear is not None
    assert unclear.calls == ()


def _numbered(*scores: float):  # type: ignore[no-untyped-def]
    return likely(**{str(at): score for at, score in enumerate(scores, 1)})


@pytest.mark.parametrize(
    "asked",
    [
        "remind me tomorrow at 9 to be there 10 minutes before the start",
        "remind me in 3 days to call Anna",
        "remind me to eat before I leave",
        "erinner mich 10 minuten vor 5 an den hund",
        "remind me every friday an hour before the lesson",
        "what was here 3 days before the fire",
        "tell me what happened 3 days before the war",
        "what happened the day before the hire deposit was due? remind me",
        "remind me what was said the day before priya came",
        "remind me the day before",
        "rappelle-moi demain à 9h d'appeler avant midi",
    ],
)
def test_other_reminders_are_none_of_these(asked: str) -> None:
    """No file is read for them."""

    class Unread(Dated):
        def files(self) -> Sequence[str]:
            raise AssertionError

    assert EventReminders(Unread(), Past(), None, NOW).plan(asked) is None


def test_a_long_message_is_told_apart_at_once() -> None:
    """Of a hundred thousand signs no expression tries every beginning."""
    assert wish_in("before " * 20_000, Dated()) is None
    assert MAY_BE_TOLD_FROM_EVENT.match("remind " * 20_000) is None


@pytest.mark.parametrize(("asked", "_text", "_at"), SET)
def test_the_time_before_an_event_is_no_time_from_now(asked: str, _text: str, _at: str) -> None:
    """ "3 days before it is due" was once set for three days later."""
    assert reminder_in(asked, NOW) is None
