"""Sentences that claim something without a call that did it, and those that do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.chat.claims import Claim, claim_in, not_done, not_known, not_looked_at, not_told, out_of_reach
from desktop.chat.intent_words import sentences as request_sentences
from desktop.chat.request_kinds import ASKS_WHAT_IS_DUE
from desktop.chat.streaming import ClaimGuard
from desktop.chat.turn_context import guard_for

FEW_WORDS = 5  # of which two are before the claim
# Those of `told` that say a call did something.
RECEIPTS = [
    "moved",
    "renamed",
    "deleted",
    "folder",
    "wrote",
    "added",
    "reminder_set",
    "replaced",
    "taken_out",
    "undone",
    "cancelled",
]


CASES = Path(__file__).with_name("cases")


def sentences(name: str) -> list[str]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not re.match(r"# (?!the file)", line)]


def shown_of(guard: ClaimGuard, text: str, size: int) -> str:
    """What of `text` is shown that comes in pieces of `size` characters."""
    return "".join(guard.feed(text[at : at + size]) for at in range(0, len(text), size)) + guard.finish()


@pytest.mark.parametrize("sentence", sentences("claims.txt"))
def test_a_claim_is_never_let_by(sentence: str) -> None:
    """Whatever the pieces are that it comes in: two words of it at most are shown, and nothing behind it."""
    for size in (1, 3, 7, 400):
        guard = ClaimGuard()
        shown = shown_of(guard, f"All right. {sentence} More of it.", size)
        assert guard.claimed, (size, shown)
        assert shown.startswith("All right.")
        assert len(re.findall(r"\w+", shown)) <= FEW_WORDS, (size, shown)


@pytest.mark.parametrize(
    "opener", ["Sure, ", "Of course, ", "Klar, ", "Bien sûr, ", "Claro, ", "Okay, sure, "]
)
def test_words_that_only_begin_an_answer_go_with_its_claim(opener: str) -> None:
    """ "Sure, " before "I have not changed anything" would say the contrary; before words it stays."""
    for size in (1, 3, 7, 400):
        guard = ClaimGuard()
        assert shown_of(guard, f"{opener}I've added milk to your list.", size) == ""
        assert guard.claimed
        harmless = f"{opener}a whale is a mammal."
        assert shown_of(ClaimGuard(), harmless, size) == harmless
        assert shown_of(ClaimGuard(), opener, size) == opener


@pytest.mark.parametrize("sentence", sentences("claims.txt"))
def test_no_claim_is_let_by_where_the_world_was_asked_about(sentence: str) -> None:
    """There "The" waits for no noun; the claim itself is cut off all the same."""
    for size in (1, 3, 7, 400):
        guard = guard_for("Why is the sky blue?")
        assert guard is not None
        shown = shown_of(guard, f"All right. {sentence} More of it.", size)
        assert guard.claimed, (size, shown)
        assert len(re.findall(r"\w+", shown)) <= FEW_WORDS, (size, shown)
        assert claim_in(shown.removeprefix("All right. ")) is None, (size, shown)


@pytest.mark.parametrize("line", sentences("no_claims.txt"))
def test_what_claims_nothing_is_shown_whole(line: str) -> None:
    """Explanations, questions, offers, refusals, quotations, and words of a text that was asked for."""
    asked, bar, sentence = line.rpartition(" | ")
    for size in (1, 3, 7, 400):
        guard = guard_for(asked) if bar else ClaimGuard()
        text = f"All right. {sentence} More of it."
        if guard is not None:
            assert (shown_of(guard, text, size), guard.claimed) == (text, None)


@pytest.mark.parametrize("sentence", sentences("disclaimers.txt"))
def test_an_answer_that_begins_with_an_excuse_is_held_back(sentence: str) -> None:
    """Nothing of it is shown, whatever its pieces are; what it said is kept, should nothing stand for it."""
    for size in (1, 3, 7, 400):
        guard = ClaimGuard(may_lack=False)
        assert shown_of(guard, f"{sentence} You could ask somebody else.", size) == ""
        assert guard.claimed is Claim.LACK
        assert guard.held.startswith(sentence)
        text = f"A whale is a mammal. {sentence}"
        assert shown_of(ClaimGuard(may_lack=False), text, size) == text
        assert shown_of(ClaimGuard(), sentence, size) == sentence


@pytest.mark.parametrize("beginning", ['{query: "Who paid?"', '{"question": "who paid"', '{ "answer" : 3'])
def test_the_question_in_the_form_of_an_object_is_no_answer(beginning: str) -> None:
    """A small model writes it where it knows none; other objects may be what was asked for."""
    guard = ClaimGuard(may_lack=False)
    assert shown_of(guard, f'{beginning}, result: "38 pieces"}} and so on.', 5) == ""
    assert guard.claimed is Claim.LACK


@pytest.mark.parametrize("sentence", sentences("no_disclaimers.txt"))
def test_what_only_begins_like_an_excuse_is_shown(sentence: str) -> None:
    """What somebody says of the world, of a text, or as advice."""
    for size in (1, 3, 7, 400):
        guard = ClaimGuard(may_lack=False)
        assert (shown_of(guard, f"{sentence} And more.", size), guard.claimed) == (
            f"{sentence} And more.",
            None,
        )


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_receipt_that_nobody_gave_is_a_claim(language: str) -> None:
    """What the program itself says of its calls is known when a model says it."""
    for key in RECEIPTS:
        said = request_sentences()["told"][key][language].format(a="notes.txt", b="todo.txt", c="milk")
        assert claim_in(said), said


@pytest.mark.parametrize(
    ("asked", "is_guarded"),
    [
        ("add syrup to the list", True),
        ("write 'milk' to shopping.txt", True),
        ("write down that I owe Tom 5 euros", True),
        ("have you sent the email?", True),
        ("Write an email to my boss and save it as mail.txt", True),
        ("Fasse report.txt zusammen und speichere es", True),
        ("make a note: buy milk", True),
        ("Write an email to my boss", False),
        ("Erzähl mir eine Geschichte", False),
        ("Raconte-moi une histoire", False),
        ("Escribe un poema sobre el mar", False),
        ("Translate to German: I saved the file", False),
        ("Write a Python function that deletes a file", False),
    ],
)
def test_a_text_for_somebody_else_is_not_guarded(asked: str, is_guarded: bool) -> None:
    """Unless it is to be kept or sent as well."""
    assert (guard_for(asked) is not None) is is_guarded


def test_code_in_a_named_fence_claims_nothing() -> None:
    """A fence without a language may hold an invented receipt."""
    code = "Try this:\n```python\nx = 1  # I have saved the file.\nI saved the file.\n```\nThat is all.\n"
    guard = ClaimGuard()
    assert shown_of(guard, code, 3) == code
    guard = ClaimGuard()
    shown_of(guard, "Here:\n```\nWrote 23 bytes to shopping.txt.\n```\n", 3)
    assert guard.claimed is Claim.ACT


def test_what_was_looked_at_may_be_told() -> None:
    """A look of this chat has its receipt; a deed still has none."""
    guard = ClaimGuard(may_look=True)
    assert shown_of(guard, "I found three photos in your workspace.", 3)
    assert not guard.claimed
    shown_of(guard, " I deleted them.", 3)
    assert guard.claimed is Claim.ACT


@pytest.mark.parametrize(
    "nod", ["Got it.", "Okay.", "Sure! Will do.", "Alles klar.", "D'accord !", "Entendido.", "Okay, got it!"]
)
def test_a_nod_to_an_order_is_a_claim(nod: str) -> None:
    """Alone it says that it was done; before a question, or where nothing was ordered, it says nothing."""
    for size in (1, 3, 7, 400):
        guard = ClaimGuard(is_order=True)
        assert (shown_of(guard, nod, size), guard.claimed) == ("", Claim.ACT), size
        assert shown_of(ClaimGuard(), nod, size) == nod
        for text in (f"{nod} Which file do you mean?", "Grüße aus Rom.", "Okapis are mammals.", ""):
            guard = ClaimGuard(is_order=True)
            assert (shown_of(guard, text, size), guard.claimed) == (text, None), (text, size)


def test_the_first_word_is_not_held() -> None:
    """Of an answer that begins as most do; and of any, where no file was asked for."""
    assert ClaimGuard().feed("Paris") == "Paris"
    assert ClaimGuard().feed("The") == ""
    assert ClaimGuard(is_general=True).feed("The") == "The"


@pytest.mark.parametrize("say", [not_done, not_known, not_looked_at, not_told, out_of_reach])
def test_what_is_said_instead_claims_nothing(say: object) -> None:
    """In the language of the request."""
    assert callable(say)
    requests = ("undo that please", "mach das bitte rückgängig", "annule ça pour moi", "deshaz eso por favor")
    said = [say(each) for each in requests]
    assert len(set(said)) == 4
    assert not any(claim_in(each) for each in said)


@pytest.mark.children
def test_a_word_without_end_takes_no_time() -> None:
    """A model server may send 400,000 letters in a row; a claim beside them is found all the same."""
    # In a process of its own: while an expression is matched nothing else runs, no time limit of a test.
    asks = "from desktop.chat.claims import Claim, claim_in\n"
    asks += "assert claim_in('a_' * 200_000) is None\n"
    asks += "assert claim_in('a.' * 200_000 + ' I have deleted notes.txt for you.') is Claim.ACT\n"
    subprocess.run([sys.executable, "-c", asks], check=True, timeout=100)


@pytest.mark.parametrize(
    "sentence",
    [
        "2 reminder(s).",
        "There are no entries scheduled for tomorrow.",
        "You have two reminders.",
        "Du hast keine Termine.",
        "No tienes ninguna cita.",
    ],
)
def test_a_count_that_nobody_took_is_a_claim(sentence: str) -> None:
    """Where it is asked what there is to come, whatever was looked at before."""
    assert ASKS_WHAT_IS_DUE.search("how many do I have?")
    assert ASKS_WHAT_IS_DUE.search("what have I got on tomorrow?")
    for size in (1, 3, 7, 400):
        guard = ClaimGuard(counts=True)
        assert (shown_of(guard, sentence, size), guard.claimed) == ("", Claim.LOOK), size
        assert shown_of(ClaimGuard(counts=True), "A week has seven days.", size) == "A week has seven days."


ROWS = (
    "club.csv (paid = no):\n- Dubois, alto\n",
    "Packing list.md ([ ]): [ ] lead\n",
    "club.csv, 2 of 8 rows:\n- Dubois\n",
    "membres.csv (payé = non), 3 lignes sur 8 :\n",
)


@pytest.mark.parametrize("said", ROWS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_form_in_which_rows_are_told_is_the_programs(said: str, size: int) -> None:
    """A model that has seen it makes figures of its own in it: nothing of them is shown."""
    shown = shown_of(ClaimGuard(), said, size)
    assert "(" not in shown
    assert "rows" not in shown
    assert "Dubois" not in shown


def test_a_file_may_be_spoken_of() -> None:
    """In brackets behind it, too."""
    said = "You can open notes.txt (a small text file): it has three lines. "
    assert shown_of(ClaimGuard(), said, 3) == said
