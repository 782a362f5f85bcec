"""Which reminder a request means, and which request means none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.reminder_intents import at_its_hour, has_second_time, shifted
from desktop.errors import UserFacing
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.time_translations import in_english
from tests.chat.test_intents import Empty

MONDAY = datetime(2026, 11, 23, 8, 10, tzinfo=UTC)
BREAD, TOM, TOM_AGAIN = (1, "buy bread"), (2, "call Tom"), (3, "write to Tom")


class Reminded(Empty):
    """A workspace with nothing in it, beside these reminders, on Monday 23 November at ten past eight."""

    def __init__(self, *reminders: tuple[int, str]) -> None:
        self.open = reminders

    def time_in(self, words: str, language: str) -> str:
        english = in_english(words, language)
        try:
            read_when(english, MONDAY, thorough=False)
        except UserFacing:
            return ""
        return english

    def reminders(self) -> Sequence[tuple[int, str]]:
        return self.open


def cancelled(request: str, *reminders: tuple[int, str], last: int = 0) -> list[str] | None:
    """The numbers of those that are cancelled, or what is asked; None where it is left to the model."""
    plan = Intents(Reminded(*reminders)).plan(request, Past(reminder=last))
    if plan is None:
        return None
    return [
        str(step.call.arguments["reminder"]) if step.call is not None else step.text for step in plan.steps
    ]


@pytest.mark.parametrize(
    "request_",
    [
        "forget the bread",
        "cancel the bread one",
        "drop the bread after all",
        "lösche die Erinnerung ans Brot",
        "das bread kannst du streichen",
        "cancel reminder 1",
    ],
)
def test_a_reminder_that_is_there_is_cancelled(request_: str) -> None:
    """By its words or number, also where the request does not say "reminder"."""
    named = (1, "buy bread Brot")
    assert cancelled(request_, named, TOM) == ["1"]


@pytest.mark.parametrize(
    "request_",
    [
        "Forget the last sentence",
        "skip the introduction",
        "den Satz bitte streichen",
        "drop the idea after all",
    ],
)
@pytest.mark.parametrize("reminders", [(), (BREAD,), (BREAD, TOM)])
def test_what_names_no_reminder_cancels_none(request_: str, reminders: tuple[tuple[int, str], ...]) -> None:
    """ "Forget" and "skip" are said of anything; nothing is answered about reminders then."""
    assert cancelled(request_, *reminders, last=1) is None


def test_several_that_fit_are_asked_about() -> None:
    """A guess would cancel the wrong one half of the time."""
    asked = cancelled("forget Tom", TOM, TOM_AGAIN)
    assert asked is not None
    assert len(asked) == 1
    assert asked[0] not in ("2", "3")


def test_it_is_the_one_that_was_spoken_of() -> None:
    """And of something else where none was."""
    assert cancelled("cancel it", BREAD, TOM, last=2) == ["2"]
    assert cancelled("cancel it", BREAD, TOM) is None


def test_where_none_is_set_that_is_said() -> None:
    """Only to whoever speaks of reminders."""
    said = cancelled("cancel the reminder about bread")
    assert said is not None
    assert "remind" in said[0]


@pytest.mark.parametrize(
    ("request_", "texts"),
    [
        ("Set two timers, one for 5 minutes and one for 12", ["timer", "timer"]),
        ("set 3 timers for 5, 10 and 15 minutes", ["timer"] * 3),
        ("Set a timer for 5 minutes and one for 12", ["timer", "timer"]),
        ("Set two timers: 3 minutes for the eggs and 10 for the rice", ["the eggs", "the rice"]),
        ("Stell zwei Timer, einen auf 5 Minuten und einen auf 12", ["Timer", "Timer"]),
        ("Mets deux minuteurs, un de 5 minutes et l'autre de 12", ["minuteur", "minuteur"]),
        ("Pon dos temporizadores, uno de 5 minutos y otro de 12", ["temporizador", "temporizador"]),
        # As many as it says, or it is left to be asked.
        ("Set two timers for 5 minutes", None),
        ("Set two timers, one for the eggs and one for the rice", None),
    ],
)
def test_several_are_set_with_a_time_each(request_: str, texts: list[str] | None) -> None:
    plan = Intents(Reminded()).plan(request_, Past())
    assert (plan and [call.arguments["text"] for call in plan.calls]) == texts


@pytest.mark.parametrize("request_", ["and one for 25", "another one for 25", "one for 25"])
def test_a_bare_number_has_the_unit_of_the_timer_before(request_: str) -> None:
    """A timer of 25 minutes behind one of ten, and no reminder "25" at one o'clock."""
    before = ParsedCall("set_reminder", {"text": "timer", "when": "10 min"})
    past = Past(reminder=1, calls=(before,), asked="set a timer for 10 min")
    plan = Intents(Reminded((1, "timer"))).plan(request_, past)
    assert plan is not None
    assert [dict(call.arguments) for call in plan.calls] == [{"text": "timer", "when": "25 min"}]


# Each as one of four people types it, on a Monday morning: small letters, short forms, slips, no small words.
TYPED = [
    ("remind me tmrw 9 to ring the vet", "ring the vet", "2026-11-24 09:00"),
    ("remind me tomorrow 9am to take the bins out", "take the bins out", "2026-11-24 09:00"),
    ("remind me to ring mum tomoz at 6pm", "ring mum", "2026-11-24 18:00"),
    ("remind me mon morning to chase the invoice", "chase the invoice", "2026-11-30 09:00"),
    ("remind me friday 2pm dentist", "dentist", "2026-11-27 14:00"),
    ("remind me in half an hour to turn the oven off", "turn the oven off", "2026-11-23 08:40"),
    ("remind me in half hour to turn the oven off", "turn the oven off", "2026-11-23 08:40"),
    ("remind me half 4 to pick up the kids", "pick up the kids", "2026-11-23 16:30"),
    ("remind me weds 930 engineer", "engineer", "2026-11-25 09:30"),
    ("remind me 5 dec to pay the rent", "pay the rent", "2026-12-05 09:00"),
    ("remind me tonight 8 to put the washing on", "put the washing on", "2026-11-23 20:00"),
    ("remind me thursday lunchtime to ring the bank", "ring the bank", "2026-11-26 12:00"),
    ("remind me tommorow 8am gym", "gym", "2026-11-24 08:00"),
    ("remind me this afternoon 4ish to move the car", "move the car", "2026-11-23 16:00"),
    ("remind me next tues 10 to sign the lease", "sign the lease", "2026-12-01 10:00"),
    ("remind me sat 11.30 haircut", "haircut", "2026-11-28 11:30"),
    ("remind me to ring the surveyor mon 10", "ring the surveyor", "2026-11-30 10:00"),
    ("erinner mich morgen 9 uhr an die mülltonnen", "die mülltonnen", "2026-11-24 09:00"),
    ("erinner mich morgen früh an die tabletten", "die tabletten", "2026-11-24 08:00"),
    ("erinner mich in ner halben stunde an die nudeln", "die nudeln", "2026-11-23 08:40"),
    ("erinner mich in ner stunde an die wäsche", "die wäsche", "2026-11-23 09:10"),
    ("erinner mich freitag 15 uhr an den zahnarzt", "den zahnarzt", "2026-11-27 15:00"),
    ("erinner mich mo 8 uhr an die post", "die post", "2026-11-30 08:00"),
    ("erinner mich heute abend 8 uhr an die blumen", "die blumen", "2026-11-23 20:00"),
    ("erinner mich halb 5 an den termin", "den termin", "2026-11-23 16:30"),
    ("erinner mich viertel nach 3 an den anruf", "den anruf", "2026-11-23 15:15"),
    ("erinnere mich uebermorgen mittag ans essen", "essen", "2026-11-25 12:00"),
    ("erinner mich nächsten dienstag 10 uhr an den tüv", "den tüv", "2026-12-01 10:00"),
    ("erinner mich 18.30 an die probe", "die probe", "2026-11-23 18:30"),
    ("erinner mich am 5.12. an die miete", "die miete", "2026-12-05 09:00"),
    ("erinner mich in 20 min an den tee", "den tee", "2026-11-23 08:30"),
    ("erinner mich mittwoch früh an den müll", "den müll", "2026-11-25 08:00"),
    ("errinner mich morgen 7 uhr an die bahn", "die bahn", "2026-11-24 07:00"),
    ("erinner mich an den ölwechsel do 14 uhr", "den ölwechsel", "2026-11-26 14:00"),
    ("erinner mich in na viertelstunde ans bad", "bad", "2026-11-23 08:25"),
    ("rappelle moi d'appeler la mairie demain 9h", "appeler la mairie", "2026-11-24 09:00"),
    ("rappelle-moi lundi matin d'appeler le garage", "appeler le garage", "2026-11-30 09:00"),
    ("rappelle moi demain 18h30 de sortir les poubelles", "sortir les poubelles", "2026-11-24 18:30"),
    ("rappelle moi mercredi midi pour le bois", "le bois", "2026-11-25 12:00"),
    ("rappelle moi ds 20 min pour le four", "le four", "2026-11-23 08:30"),
    ("rappelle moi vendredi 14h le dentiste", "le dentiste", "2026-11-27 14:00"),
    ("rappelle moi ce soir 20h de fermer le gaz", "fermer le gaz", "2026-11-23 20:00"),
    ("rappelle moi dans une demi heure de sortir la tarte", "sortir la tarte", "2026-11-23 08:40"),
    ("rappelle moi dans un quart d'heure de baisser le feu", "baisser le feu", "2026-11-23 08:25"),
    ("rappelle moi samedi aprem d'acheter du pain", "acheter du pain", "2026-11-28 15:00"),
    ("rappelle moi apres demain 10h le garage", "le garage", "2026-11-25 10:00"),
    ("rappelle moi le 5 décembre de payer le loyer", "payer le loyer", "2026-12-05 09:00"),
    ("rapelle moi demain matin de prendre les clés", "prendre les clés", "2026-11-24 09:00"),
    ("rappelle moi mardi prochain 9h la réunion", "la réunion", "2026-11-24 09:00"),
    ("rappelle moi dans 1h30 de bouger la voiture", "bouger la voiture", "2026-11-23 09:40"),
    ("rappelle moi jeudi 8h et demie la banque", "la banque", "2026-11-26 08:30"),
    ("rappelle moi samedi 9h le marché", "le marché", "2026-11-28 09:00"),
    ("rappelle moi demain vers 17 heures de rentrer le linge", "rentrer le linge", "2026-11-24 17:00"),
    ("recuérdame mañana 9h llamar al ayuntamiento", "llamar al ayuntamiento", "2026-11-24 09:00"),
    ("recuerdame mañana a las 9 llamar a lucía", "llamar a lucía", "2026-11-24 09:00"),
    ("recuérdame en media hora sacar el pan", "sacar el pan", "2026-11-23 08:40"),
    ("recuérdame el lunes por la mañana llamar al banco", "llamar al banco", "2026-11-30 09:00"),
    ("recuérdame el viernes 10:30 la prueba", "la prueba", "2026-11-27 10:30"),
    ("recuérdame manana por la tarde comprar hilo", "comprar hilo", "2026-11-24 15:00"),
    ("recuérdame a las 5 recoger a las niñas", "recoger a las niñas", "2026-11-23 17:00"),
    ("recuérdame en un cuarto de hora apagar el horno", "apagar el horno", "2026-11-23 08:25"),
    ("recuérdame dentro de 20 min apagar el fuego", "apagar el fuego", "2026-11-23 08:30"),
    ("recuérdame el 5 de diciembre pagar el alquiler", "pagar el alquiler", "2026-12-05 09:00"),
    ("recuérdame esta noche a las 9 tender la ropa", "tender la ropa", "2026-11-23 21:00"),
    ("recuérdame lunes 8 de la mañana el médico", "el médico", "2026-11-30 08:00"),
    ("avísame mañana al mediodia de llamar a pilar", "llamar a pilar", "2026-11-24 12:00"),
    ("recuérdame pasado mañana 11h la entrega", "la entrega", "2026-11-25 11:00"),
    ("recuérdame mañana temprano regar", "regar", "2026-11-24 08:00"),
    ("recuérdame en hora y media mirar el horno", "mirar el horno", "2026-11-23 09:40"),
    ("avisame el miercoles a las 6 y media de la tarde de la cena", "la cena", "2026-11-25 18:30"),
    ("recuérdame jueves tarde ir a correos", "ir a correos", "2026-11-26 15:00"),
    ("remind me to take the cat to the vet thurs half 2", "take the cat to the vet", "2026-11-26 14:30"),
    ("remind me wendesday 11 to ring neil", "ring neil", "2026-11-25 11:00"),
    ("remind me next monday to buy coal", "buy coal", "2026-11-30 09:00"),
    ("rmind me at quarter to 5 to feed the fish", "feed the fish", "2026-11-23 16:45"),
    ("remind me in an hour and a half that the bread is done", "the bread is done", "2026-11-23 09:40"),
    ("remind me sunday eve to put the bins out", "put the bins out", "2026-11-29 19:00"),
    ("remind me 1st dec 9.15 mot", "mot", "2026-12-01 09:15"),
    ("remind me in a couple of hours to check the boiler", "check the boiler", "2026-11-23 10:10"),
    ("remind me 2moro arvo to phone gran", "phone gran", "2026-11-24 15:00"),
    ("erinner mich an die steuer sonntag abend", "die steuer", "2026-11-29 19:00"),
    ("erinner mich donerstag um halb neun an die schule", "die schule", "2026-11-26 08:30"),
    ("erinner mich in anderthalb stunden an den kuchen", "den kuchen", "2026-11-23 09:40"),
    ("erinnere mich mal fr 13:30 an den friseur", "den friseur", "2026-11-27 13:30"),
    ("erinner mich in zwei wochen an den zahnarzt", "den zahnarzt", "2026-12-07 08:10"),
    ("erinner mich heut abend an die wäsche", "die wäsche", "2026-11-23 19:00"),
    (
        "rappelle-moi jeudi 17h30 d'aller chercher les enfants",
        "aller chercher les enfants",
        "2026-11-26 17:30",
    ),
    ("rappelle moi mercredi apres midi de passer à la poste", "passer à la poste", "2026-11-25 15:00"),
    ("rappelle moi d'acheter du pain ce soir", "acheter du pain", "2026-11-23 19:00"),
    ("rappelle moi dans 2h de tourner le rôti", "tourner le rôti", "2026-11-23 10:10"),
    ("rappelle moi vendredi en fin de journée de fermer", "fermer", "2026-11-27 18:00"),
    ("rappelle moi 9h demain le dentiste", "le dentiste", "2026-11-24 09:00"),
    ("rappelle moi lundi prochain a 8h d'appeler le notaire", "appeler le notaire", "2026-11-30 08:00"),
    ("rappelle moi le 12 à 14h la visite", "la visite", "2026-12-12 14:00"),
    ("recuérdame mañana a primera hora llamar al taller", "llamar al taller", "2026-11-24 08:00"),
    ("recuerdame el sabado a las 11 el mercado", "el mercado", "2026-11-28 11:00"),
    ("recuérdame en 2h mirar el horno", "mirar el horno", "2026-11-23 10:10"),
    ("recuérdame el proximo lunes pagar la luz", "pagar la luz", "2026-11-30 09:00"),
    ("recuérdame hoy a las 8 de la tarde sacar al perro", "sacar al perro", "2026-11-23 20:00"),
    ("recuérdame dentro de tres cuartos de hora tender", "tender", "2026-11-23 08:55"),
    ("recuérdame el domingo noche preparar la mochila", "preparar la mochila", "2026-11-29 19:00"),
    ("recuérdame llamar al medico el jueves 9 y media", "llamar al medico", "2026-11-26 09:30"),
]


@pytest.mark.parametrize(("request_", "text", "at"), TYPED)
def test_a_time_is_read_as_people_type_it(request_: str, text: str, at: str) -> None:
    """And parted from what it is about, wherever it stands."""
    plan = Intents(Reminded()).plan(request_, Past())
    assert plan is not None
    (call,) = plan.calls
    assert (call.name, call.arguments["text"]) == ("set_reminder", text)
    assert f"{read_when(str(call.arguments['when']), MONDAY).at:%Y-%m-%d %H:%M}" == at


@pytest.mark.parametrize(
    ("request_", "text", "at"),
    [
        ("recuérdame no llegar tarde mañana a las 9", "no llegar tarde", "2026-11-24 09:00"),
        ("remind me at 9 to ring Eve", "ring Eve", "2026-11-23 09:00"),
        ("remind me tomorrow of the mooring fee", "the mooring fee", "2026-11-24 09:00"),
        ("erinner mich morgen um 9 an die Montage", "die Montage", "2026-11-24 09:00"),
        ("remind me of the things to do 5pm", "the things to do", "2026-11-23 17:00"),
        ("mets une minuterie de 2 heures", "minuterie", "2026-11-23 10:10"),
    ],
)
def test_words_like_those_of_a_time_stay_in_the_text(request_: str, text: str, at: str) -> None:
    """A name, a fee, and what only begins like a weekday."""
    test_a_time_is_read_as_people_type_it(request_, text, at)


@pytest.mark.parametrize(
    ("asked", "when", "language", "kept"),
    [
        ("make that thurs, im out weds", "thursday", "en", "thursday at 15:00"),
        ("thursday at 9", "thursday at 9", "en", "thursday at 9"),
        ("make it every wed actually", "wed", "en", "every wed at 15:00"),
        ("rather in two hours", "in 2 hours", "en", "in 2 hours"),
        ("lieber donnerstag", "donnerstag", "de", "donnerstag at 15:00"),
        ("nein, morgen um 20 uhr", "morgen um 20 uhr", "de", "morgen um 20 uhr"),
        ("morgen früh", "morgen früh", "de", "morgen früh"),
        ("mejor mañana a las 9", "mañana a las 9", "es", "mañana a las 9"),
    ],
)
def test_a_reminder_that_is_moved_to_a_day_keeps_its_hour(
    asked: str, when: str, language: str, kept: str
) -> None:
    """Whoever wrote the call: "make that thurs, im out weds" names none, and nine is not meant."""
    cancel = Step(ParsedCall("cancel_reminder", {"reminder": "1"}))
    step = Step(ParsedCall("set_reminder", {"text": "buy bread", "when": when}))
    moved = at_its_hour(IntentPlan(language, (step, cancel)), asked, Reminded(BREAD, TOM))
    assert [call.arguments.get("when", "") for call in moved.calls] == [kept, ""]
    alone = IntentPlan(language, (step,))
    assert at_its_hour(alone, asked, Reminded(BREAD, TOM)) == alone


def test_a_reminder_that_is_set_for_its_own_moment_is_not_lost() -> None:
    """It would be the same one, and go with the old."""
    steps = (
        Step(ParsedCall("set_reminder", {"text": "buy bread", "when": "27 november at 15:00"})),
        Step(ParsedCall("cancel_reminder", {"reminder": "1"})),
    )
    kept = at_its_hour(IntentPlan("en", steps), "friday please", Reminded(BREAD, TOM))
    assert not kept.calls
    assert "already" in kept.steps[0].text


@pytest.mark.parametrize(
    ("request_", "texts"),
    [
        (
            "remind me tomorrow at 7 to get diesel and on thursday at 8pm to call paco",
            ["get diesel", "call paco"],
        ),
        (
            "erinner mich morgen um 8 an die tonne und am freitag um 9 an den zahnarzt",
            ["die tonne", "den zahnarzt"],
        ),
        (
            "recuérdame mañana a las 7 echar gasoil y el jueves a las 8 de la tarde llamar a paco",
            ["echar gasoil", "llamar a paco"],
        ),
        (
            "remind me tomorrow at 9 about the meeting and the 10 o'clock call",
            ["the meeting and the 10 o'clock call"],
        ),
    ],
)
def test_a_second_time_begins_a_second_reminder(request_: str, texts: list[str]) -> None:
    """And is no part of the text of the first, which would be shown too early for half of it."""
    plan = Intents(Reminded()).plan(request_, Past())
    assert plan is not None
    assert [call.arguments["text"] for call in plan.calls] == texts
    assert len({str(call.arguments["when"]) for call in plan.calls}) == len(texts)


@pytest.mark.parametrize(
    "text", ["get diesel and on thursday at 8 call Paco", "die tonne und am freitag um 9 an den zahnarzt"]
)
def test_the_text_of_a_reminder_that_has_another_time_is_known(text: str) -> None:
    """Of a time that is what the reminder is about it is not."""
    assert any(has_second_time(text, each) for each in ("en", "de"))
    assert not has_second_time("the meeting and the 10 o'clock call", "en")


def test_a_time_that_is_changed_and_another_reminder_are_one_message() -> None:
    """Each sentence as if it came alone; where one of them is not understood, none is begun."""
    before = ParsedCall("set_reminder", {"text": "unlock", "when": "thursday quarter to 6"})
    past = Past(reminder=1, calls=(before,), asked="remind me thursday quarter to 6 to unlock")
    asked = "make that half 5. and another one friday 9am, ring tully about the vessel"
    plan = Intents(Reminded((1, "unlock"))).plan(asked, past)
    assert plan is not None
    assert [call.name for call in plan.calls] == ["set_reminder", "cancel_reminder", "set_reminder"]
    assert [call.arguments.get("when") for call in plan.calls] == ["thursday 5:30", None, "friday 9am"]
    assert Intents(Reminded((1, "unlock"))).plan("make that half 5. and the blue thing", past) is None


# -- by how much one is moved ------------------------------------------------------------------

DUE = datetime(2026, 12, 5, 9, 30)


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("lieber schon am abend vorher um 19 uhr", "4 December 2026 19:00"),
        ("rather the evening before at 7", "4 December 2026 19:00"),
        ("the day before please", "4 December 2026 09:30"),
        ("the day before at 7", "4 December 2026 07:00"),
        ("plutôt la veille à 18h", "4 December 2026 18:00"),
        ("mejor el día antes a las 8", "4 December 2026 08:00"),
        ("make it the night before at 9pm", "4 December 2026 21:00"),
        ("am Vorabend um 20:15", "4 December 2026 20:15"),
        ("an hour later", "5 December 2026 10:30"),
        ("eine halbe Stunde früher", "5 December 2026 09:00"),
    ],
)
def test_a_reminder_is_moved_from_the_time_that_it_has(asked: str, when: str) -> None:
    """By so much, or to the day before; an evening's hour is one of the afternoon."""
    assert shifted(asked, DUE) == when


@pytest.mark.parametrize(
    "asked",
    [
        "i was there the day before and it rained",
        "the day before at 27",
        "tomorrow at 9",
        "an hour",
        "la veille de noël",
    ],
)
def test_what_says_more_moves_nothing(asked: str) -> None:
    """It is read by somebody else."""
    assert shifted(asked, DUE) == ""


def test_a_reminder_without_a_time_is_not_moved() -> None:
    """One that repeats has none."""
    assert shifted("the day before", None) == ""


@pytest.mark.parametrize(
    ("asked", "text", "when"),
    [
        (
            "Please remind me tomorrow at a quarter past nine to feed the hens.",
            "feed the hens",
            "tomorrow at a quarter past nine",
        ),
        ("remind me a quarter to ten tomorrow to ring Ann", "ring Ann", "a quarter to ten tomorrow"),
        ("remind me at noon to eat", "eat", "at noon"),
        ("remind me to call Ann tomorrow at twenty to three", "call Ann", "tomorrow at twenty to three"),
        (
            "Erinnere mich am Freitag um drei viertel neun an den Kuchen",
            "den Kuchen",
            "am Freitag um drei viertel neun",
        ),
        ("erinner mich um halb drei an den Kuchen", "den Kuchen", "um halb drei"),
        ("Rappelle-moi demain à trois heures moins vingt de manger", "manger", "tomorrow at 2:40"),
        ("rappelle-moi de manger vendredi à midi et demi", "manger", "friday at 12:30 pm"),
        ("Recuérdame mañana a las nueve y cuarto que coma", "coma", "tomorrow at 9:15"),
        ("recuérdame comer el viernes a las cuatro menos diez", "comer", "friday at 3:50"),
    ],
)
def test_an_hour_in_words_is_no_word_of_the_text(asked: str, text: str, when: str) -> None:
    """A quarter, a half and minutes, before or behind the day and the text."""
    plan = Intents(Reminded()).plan(asked, Past())
    assert plan is not None
    (call,) = plan.calls
    assert call.arguments == {"text": text, "when": when}


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("move the bread reminder to quarter to ten", "27 November 2026 at quarter to ten"),
        ("move the bread reminder to saturday quarter to ten", "saturday quarter to ten"),
    ],
)
def test_a_reminder_that_is_named_is_moved_on_its_day(asked: str, when: str) -> None:
    """An hour alone is of the day that the reminder is for, and an hour in words is one."""
    around = Reminded(BREAD, TOM)
    plan = Intents(around).plan(asked, Past())
    assert plan is not None
    (anew, gone) = at_its_hour(plan, asked, around).calls
    assert (anew.arguments["when"], gone.arguments) == (when, {"reminder": "1"})
