"""What a wish to forget takes: all that was said about it, in whatever words the wish is put."""

from __future__ import annotations

import pytest

from desktop.memory.forgetting import forget_request, likeliest_meant, that_tell
from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory, RequestKind, parse_request, says_yes
from tests.memory.conftest import Clock

SAID = (
    "My landlord Quibblethorn raised the rent again.",
    "I had lunch with Quibblethorn today. The soup was cold.",
    "Mein Vermieter Quibblethorn will die Heizung tauschen.",
    "I live in Hamburg and my sister Zelda lives in Kiel.",
    "My bank is Volksbank.",
    "Meine Zahnärztin ist Dr. Wurmb.",
    "I weigh 82 kilos.",
    "The soup at the office is good.",
)
KEPT = "The soup at the office is good."

WISHES = (
    ("Forget my landlord Quibblethorn", "quibblethorn"),
    ("forget Quibblethorn", "quibblethorn"),
    ("Please forget everything about Quibblethorn.", "quibblethorn"),
    ("Forget what I told you about Quibblethorn", "quibblethorn"),
    ("forget all about Quibblethorn!", "quibblethorn"),
    ("Forget everything I said about my landlord Quibblethorn", "quibblethorn"),
    ("Forget everything you know about Quibblethorn", "quibblethorn"),
    ("Forget anything about Quibblethorn, please", "quibblethorn"),
    ("Can you forget Quibblethorn?", "quibblethorn"),
    ("could you please forget what I said about Quibblethorn", "quibblethorn"),
    ("I want you to forget Quibblethorn", "quibblethorn"),
    ("You can forget Quibblethorn", "quibblethorn"),
    ("stop remembering Quibblethorn", "quibblethorn"),
    ("Don't remember Quibblethorn any more", "quibblethorn"),
    ("Delete what you know about Quibblethorn", "quibblethorn"),
    ("Erase Quibblethorn from your memory", "quibblethorn"),
    ("Remove everything about Quibblethorn from your memory.", "quibblethorn"),
    ("/forget Quibblethorn", "quibblethorn"),
    ("Forget where I live", "hamburg"),
    ("forget my bank", "volksbank"),
    ("Vergiss meinen Vermieter Quibblethorn", "quibblethorn"),
    ("Vergiss Quibblethorn bitte", "quibblethorn"),
    ("Vergiss alles über Quibblethorn.", "quibblethorn"),
    ("vergiss bitte, was ich dir über Quibblethorn gesagt habe", "quibblethorn"),
    ("Vergiss alles, was du über Quibblethorn weißt", "quibblethorn"),
    ("Vergiss alles was ich über Quibblethorn erzählt habe", "quibblethorn"),
    ("Du kannst Quibblethorn vergessen", "quibblethorn"),
    ("Kannst du Quibblethorn vergessen?", "quibblethorn"),
    ("Lösche alles über Quibblethorn aus deinem Gedächtnis", "quibblethorn"),
    ("Streich Quibblethorn aus dem Gedächtnis", "quibblethorn"),
    ("Vergiss, wer meine Zahnärztin ist", "wurmb"),
    ("vergiss dass meine Zahnärztin Dr. Wurmb ist", "wurmb"),
)

NO_WISHES = (
    "Forget the last sentence and go on",
    "I always forget my keys",
    "Forget it.",
    "Did you forget me?",
    "vergiss es",
    "Delete the file notes.txt",
    "Remove the second paragraph",
    "How do I forget an ex?",
)


@pytest.fixture
def told_much(memory: Memory, clock: Clock) -> Memory:
    for number, text in enumerate(SAID):
        memory.record(str(number), "user", text, MemorySource.USER)
        memory.record(str(number), "Steward", f"I see: {text}", MemorySource.MODEL)
        clock.days(1)
    return memory


def texts(memory: Memory) -> str:
    return "\n".join(item.text for item in memory.store.latest(limit=1000)).casefold()


@pytest.mark.parametrize(("typed", "word"), WISHES)
def test_nothing_of_it_is_left(told_much: Memory, typed: str, word: str) -> None:
    """Neither what was said in passing nor what was answered; what it has nothing to do with stays."""
    wish = parse_request(typed)
    assert wish is not None
    assert wish.want is RequestKind.FORGET
    assert word in texts(told_much)
    reply = told_much.fulfil(wish)
    assert reply.plan is not None
    assert reply.done or word in reply.says.casefold()
    told_much.carry_out(reply.plan)
    assert word not in texts(told_much)
    assert KEPT.casefold() in texts(told_much)
    row = told_much.store.database.read(
        lambda c: c.execute(
            "SELECT count(*) FROM memory_words WHERE memory_words MATCH ?", (word,)
        ).fetchone()
    )
    assert row[0] == 0


@pytest.mark.parametrize("typed", NO_WISHES)
def test_what_is_no_wish_takes_nothing(told_much: Memory, typed: str) -> None:
    """Talk of forgetting is no leave to delete."""
    before, wish = texts(told_much), parse_request(typed)
    if wish is not None:
        reply = told_much.fulfil(wish)
        assert (reply.done, reply.items) == (False, ())
    assert texts(told_much) == before


def test_only_the_sentence_about_it_goes(told_much: Memory) -> None:
    """The rest of a turn had other things to say."""
    wish = parse_request("Forget Quibblethorn")
    assert wish is not None
    plan = told_much.fulfil(wish).plan
    assert plan is not None
    told_much.carry_out(plan)
    assert "the soup was cold." in texts(told_much)


def test_what_it_will_take_is_shown_before(told_much: Memory) -> None:
    """With days and numbers; nothing is deleted until the user has agreed."""
    before, wish = texts(told_much), parse_request("Vergiss alles über Quibblethorn")
    assert wish is not None
    reply = told_much.fulfil(wish)
    assert reply.done is False
    lines = reply.says.splitlines()
    assert lines[0] == "Diese 6 Einträge im Gedächtnis würden vergessen:"
    assert lines[1] == "1. 2025-11-17: My landlord Quibblethorn raised the rent again."
    assert texts(told_much) == before


@pytest.mark.parametrize(
    ("typed", "agrees"),
    [
        ("yes", True),
        ("Ja, bitte.", True),
        ("ok do it", True),
        ("Forget them all of it", True),
        ("mach das", True),
        ("no", False),
        ("yes but keep the first", False),
        ("Yesterday I met Anna", False),
        ("", False),
    ],
)
def test_only_a_plain_yes_agrees(typed: str, agrees: bool) -> None:
    """Whatever else is said means something else."""
    assert says_yes(typed) is agrees


@pytest.mark.parametrize(
    ("told", "wish", "gone"),
    [
        ("I take bisoprolol twice a day.", "Forget which tablets I take", "bisoprolol"),
        ("Je touche 2100 euros par mois.", "Oublie mon salaire", "2100"),
        ("Cobro 1700 euros.", "Olvida mi sueldo", "1700"),
        ("Ich verdiene 3100 Euro.", "Vergiss mein Gehalt", "3100"),
    ],
)
def test_what_is_told_in_other_words_is_found_and_asked_about(
    memory: Memory, told: str, wish: str, gone: str
) -> None:
    """Never at once: it is what comes nearest."""
    memory.record("1", "user", told, MemorySource.USER)
    memory.record("1", "user", KEPT, MemorySource.USER)
    request = parse_request(wish)
    assert request is not None
    reply = memory.fulfil(request)
    assert reply.plan is not None
    assert not reply.done
    assert gone in reply.says
    memory.carry_out(reply.plan)
    assert gone not in texts(memory)
    assert KEPT.casefold() in texts(memory)


def test_of_somebody_only_the_thing_that_is_named_goes(memory: Memory) -> None:
    for told in ("The present for Lina is a kite.", "Lina is allergic to nuts."):
        memory.record("1", "user", told, MemorySource.USER)
    request = parse_request("Forget what I told you about Lina's present")
    assert request is not None
    plan = memory.fulfil(request).plan
    assert plan is not None
    memory.carry_out(plan)
    assert "kite" not in texts(memory)
    assert "nuts" in texts(memory)


def test_a_near_match_takes_no_other_thing_at_once(memory: Memory) -> None:
    memory.record("1", "user", "My gym appointment is on Monday.", MemorySource.USER)
    request = parse_request("Forget my dentist appointment")
    assert request is not None
    assert not memory.fulfil(request).done
    assert "gym" in texts(memory)


def test_what_shares_a_word_or_a_number_is_shown_first() -> None:
    """And else what was told last."""
    told = ("my bike is blue", "the code is 4826", "I sing in a choir")
    assert likeliest_meant("those four digits, wipe them", told, ("digits",))[0] == "the code is 4826"
    assert likeliest_meant("the choir, drop it", told, ("choir",))[0] == "I sing in a choir"
    assert likeliest_meant("drop that", told, ()) == told


@pytest.mark.parametrize(
    "remark",
    [
        "beryl is SO much better on that new knee, stood the whole of thursday bless her",
        "der neue hund vom nachbarn ist gestern durch den ganzen garten gerannt und weg war er",
    ],
)
def test_what_is_told_of_somebody_else_is_no_wish(remark: str) -> None:
    """A long remark that speaks neither of the user nor to Steward, and shares no word with what was told, is
    about none of it."""
    assert likeliest_meant(remark, ("I sing in a choir", "the code is 4826"), ("knee", "hund")) == ()


def test_of_the_wish_goes_what_says_it_too() -> None:
    """A name in the wish would else stay in the chat."""
    wish = ("Darren and me are done.", "Never name him again.")
    assert tuple(that_tell(wish, ("Off to Skegness with Darren",), frozenset(("and", "me")))) == wish[:1]
    assert tuple(that_tell(("Drop all of Si",), ("I owe Si three hundred",), frozenset(("si",)))) != ()


def test_of_a_turn_only_the_sentence_that_was_picked_goes(memory: Memory) -> None:
    """The rest of it stays."""
    memory.record("1", "user", "My studio is in Hebden. I was in prison in 2012.", MemorySource.USER)
    wish = "My time inside is over, take that out of your memory."
    told = memory.forgetting.may_be_meant(wish, ())
    assert set(told) == {"My studio is in Hebden.", "I was in prison in 2012."}
    memory.carry_out(memory.forgetting.plan_of_sentences(("I was in prison in 2012.",), wish))
    assert [item.text for item in memory.store.latest()] == ["My studio is in Hebden."]


# -- whether a message wants something forgotten -----------------------------------------------

FORGET_REQUESTS_WISHES = (
    ("Please stop remembering the garage code", "the garage code"),
    ("My shoe size, take that out of your memory again.", "My shoe size"),
    ("You needn't know about Theodora", "Theodora"),
    ("What I said about my knee was private. Delete it.", "my knee"),
    ("Pretend I never told you about the loan", "the loan"),
    ("Von meiner Narbe sollst du nichts mehr wissen.", "meiner Narbe"),
    ("Mein Kontostand geht dich nichts an, lösch das.", "Mein Kontostand"),
    ("Tu so, als hätte ich dir nie von dem Kredit erzählt", "dem Kredit"),
    ("Ich will nicht mehr, dass du weißt, wo ich schlafe", "wo ich schlafe"),
    ("Efface de ta mémoire le numéro de mon passeport", "numéro de mon passeport"),
    ("Mon poids, tu peux l'oublier.", "Mon poids"),
    ("Je ne veux plus que tu saches où je dors", "où je dors"),
    ("Borra de tu memoria mi talla", "mi talla"),
    ("Mi deuda, olvídala.", "Mi deuda"),
    ("Ya no hace falta que sepas mi peso", "mi peso"),
)
FORGET_REQUESTS_NO_WISHES = (
    "Forget it, what's for lunch?",
    "I lost my gloves. Forget it.",
    "Forget what I just asked and sing",
    "Delete all of the drafts",
    "Remove everything about Mars from essay.txt",
    "I will never forget this summer",
    "Vergiss nicht den Müll",
    "Das habe ich glatt vergessen.",
    "Vergiss es, was gibt es zu essen?",
    "N'oublie pas le sel",
    "Oublie, on parle d'autre chose",
    "No te olvides de la sal",
    "Olvídalo, háblame del mar",
    "Take my word for it",
    "Drop my sister a line",
    "Remove my name from the list",
)


@pytest.mark.parametrize(("said", "what"), FORGET_REQUESTS_WISHES)
def test_a_wish_is_read_with_what_it_means(said: str, what: str) -> None:
    found = forget_request(said)
    assert found is not None
    assert found.what.casefold() == what.casefold()


@pytest.mark.parametrize("said", FORGET_REQUESTS_NO_WISHES)
def test_talk_of_forgetting_is_none(said: str) -> None:
    assert forget_request(said) is None


def test_only_what_is_said_straight_needs_no_question() -> None:
    straight, around = forget_request("Forget my shoe size"), forget_request("You needn't know my shoe size")
    assert straight is not None
    assert straight.is_straight
    assert around is not None
    assert not around.is_straight


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Delete my shoe size.", "my shoe size"),
        ("Entferne mein Kennzeichen", "mein Kennzeichen"),
        ("Supprime mon adresse", "mon adresse"),
        ("Por favor, borra mi matrícula", "mi matrícula"),
    ],
)
def test_the_own_thing_alone_is_a_wish_where_it_is_remembered(said: str, what: str) -> None:
    """A file may be called so: only what is remembered tells."""
    found = forget_request(said)
    assert found is not None
    assert (found.what, found.if_remembered, found.is_straight) == (what, True, False)
