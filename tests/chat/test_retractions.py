"""An order that its own message takes back is not begun; one that goes on is."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.chat.intent_words import MAY_TAKE_BACK
from desktop.chat.messages import MessageStatus
from desktop.chat.retractions import is_taken_back
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import days
from tests.processor_time import processor_time

TAKEN_BACK = [
    "delete todo.txt, no wait, don't",
    "delete todo.txt no wait don't",
    "rename scan1.txt to a.txt. actually never mind",
    "remind me at 5 to call Tom, no, forget it",
    "throw away report.txt… on second thought, don't",
    "delete scan1, no, keep it",
    "forget my landlord, no don't",
    "lösch bitte notes.txt, ach ne halt, doch nicht",
    "lösch scan3.txt, nein",
    "verschieb contract.pdf in den ordner wohnung, ach quatsch, lass es",
    "supprime recipe.md, euh non attends, laisse le",
    "supprime scan1.txt, finalement non",
    "ajoute du beurre à shopping.txt, non, oublie",
    "borra shopping.txt... no no, mejor no",
    "borra scan2.txt, espera, no lo borres",
    "mueve contract.pdf a docs, mejor no",
]
GOES_ON = [
    "delete todo.txt",
    "delete scan1.txt, no wait, scan2.txt",
    "lösch scan1.txt, nein scan2.txt",
    "tell anna i don't",
    "remind me to say no",
    "add 'no wait' to todo.txt",
    'write "oh no" into notes.txt',
    "schreib in notes.txt: nein, doch nicht",
    "append to notes.txt: maybe not",
    "move the file and keep it",
    "add milk, please",
    "remind me to stop",
    "add bread to the list, not milk",
    "remind me tomorrow not to forget it",
    "supprime scan1.txt s'il te plaît",
    "is it raining, no?",
    "qué hay en la lista, no?",
    "don't",
    "never mind",
    "no",
]


@pytest.mark.parametrize("message", TAKEN_BACK)
def test_an_order_is_taken_back_by_its_own_end(message: str) -> None:
    """And the first look, which every message gets, sees that it may be."""
    assert is_taken_back(message)
    assert MAY_TAKE_BACK.search(message)


@pytest.mark.parametrize("message", GOES_ON)
def test_what_says_more_is_an_order_still(message: str) -> None:
    """Another object, words that are to be written, a courtesy, or nothing that was asked before."""
    assert not is_taken_back(message)


@pytest.mark.parametrize(
    "message", ["delete a.txt " + "mejor no " * 40 + "x", "delete a.txt, " + "no " * 120 + "y"]
)
def test_a_long_row_of_such_words_ends(message: str) -> None:
    """Each is read once, so that the work goes with the length and not with its power."""
    with processor_time() as spent:
        assert not is_taken_back(message)
    assert spent.at_rest_s < 1


def test_nothing_is_done_for_it_and_it_says_so(tmp_path: Path) -> None:
    """The file stays, nobody is asked, and no list of what might be forgotten is shown."""
    backend = ScriptedBackend("(the model)", template=HERMES_TEMPLATE)
    chosen = installed(tmp_path / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", chosen, backend, tmp_path / "Steward") as used:
        file = used.root / "todo.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("call the plumber\n")
        for said in ("My dentist is Dr Quill.", "add stamps to todo.txt"):
            used.say(said)
        answer = used.say("delete todo.txt, no wait, don't")
        assert answer.status is MessageStatus.COMPLETE
        assert answer.text == "All right. I have done nothing."
        assert used.say("lösch todo.txt, ach ne, lass es").text == "In Ordnung. Ich habe nichts getan."
        assert file.read_text() == "call the plumber\nstamps\n"
