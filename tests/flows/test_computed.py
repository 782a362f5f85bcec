"""Figures of the user's own files through a whole turn: the gate, the files, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.asking import DENIED
from desktop.chat.messages import Role
from tests.bench.requests import TEXTS
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

INVENTED = "It is difficult to determine how much you spend."
SORTED = "item,amount\nrent,850\nfood,310\ntrain,95\nbooks,45\ngym,30\nphone,20\n"
DOUBLE = "# Pancakes\n\n- 500 g flour\n- 6 eggs\n- 1000 ml milk\n\nMix, rest for 20 minutes, fry.\n"


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Days]:
    backend = ScriptedBackend(INVENTED, template=HERMES_TEMPLATE)
    model = installed(tmp_path / "profile" / "models", chat_template=HERMES_TEMPLATE)
    with days(tmp_path / "profile", model, backend) as used:
        for name, text in TEXTS.items():
            path = used.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield used


def answer(lived: Days, chat: int) -> str:
    shown = lived.core.store.messages(chat, limit=None)
    return next(each.text for each in reversed(shown) if each.role is Role.ASSISTANT and each.text)


@pytest.mark.parametrize(
    ("asked", "name", "content", "told"),
    [
        ("add up budget.csv and put the total in total.txt", "total.txt", "1350\n", "gym 30 = 1350"),
        (
            "sort budget.csv by amount, biggest first, and save that as budget-sorted.csv. keep the original",
            "budget-sorted.csv",
            SORTED,
            "6 rows",
        ),
        ("double the recipe and save as recipe-double.md", "recipe-double.md", DOUBLE, "eggs 3 → 6"),
        (
            "put the 3 scans into one file called allscans.txt in the right order",
            "allscans.txt",
            "first page\nsecond page\nthird page\n",
            "scan1.txt, scan2.txt, scan3.txt",
        ),
    ],
)
def test_the_file_holds_what_was_computed(
    lived: Days, asked: str, name: str, content: str, told: str
) -> None:
    """Written by the program, after the difference was shown; the model's words are nowhere, and every source
    is as it was."""
    chat = lived.chat()
    lived.say(asked, chat)
    assert (lived.root / name).read_text(encoding="utf-8") == content
    assert told in answer(lived, chat)
    assert INVENTED not in answer(lived, chat)
    assert len(lived.person.questions) == 1
    for source, text in TEXTS.items():
        assert (lived.root / source).read_text(encoding="utf-8") == text


def test_a_no_leaves_everything_as_it_was(lived: Days) -> None:
    """The figure was asked for too and is told; the file is not there, and that is said."""
    chat = lived.chat()
    lived.person.answer = DENIED
    lived.say("add up budget.csv and put the total in total.txt", chat)
    assert not (lived.root / "total.txt").exists()
    assert "= 1350" in answer(lived, chat)
    assert "total.txt" in answer(lived, chat)


def test_what_was_told_goes_on(lived: Days) -> None:
    """The recipe is doubled, its milk is asked for, and that much is put on the list."""
    chat = lived.chat()
    lived.say("make the recipe for double the amount and save as recipe-double.md", chat)
    lived.say("how much milk is that now?", chat)
    assert answer(lived, chat) == "recipe-double.md: 1000 ml milk"
    lived.say("add that much milk to shopping.txt", chat)
    assert (lived.root / "shopping.txt").read_text(encoding="utf-8") == "bread\nmilk\neggs\n1000 ml milk\n"


def test_what_is_on_the_list_is_not_added_again(lived: Days) -> None:
    """Nothing is asked, since nothing is to be done."""
    chat = lived.chat()
    lived.say("add milk to shopping.txt if its not on there yet", chat)
    assert (lived.root / "shopping.txt").read_text(encoding="utf-8") == TEXTS["shopping.txt"]
    assert answer(lived, chat) == "milk is on shopping.txt already, so nothing was added."
    assert lived.person.questions == []


def test_an_entry_of_a_table_stands_for_its_row(lived: Days) -> None:
    """ "Change food to 290" is about its amount, and with an entry its row goes."""
    chat = lived.chat()
    lived.say("what's in budget.csv", chat)
    lived.say("change food to 290", chat)
    lived.say("take the gym out of budget.csv", chat)
    lived.say("phone too", chat)
    expected = "item,amount\nrent,850\nfood,290\ntrain,95\nbooks,45\n"
    assert (lived.root / "budget.csv").read_text(encoding="utf-8") == expected
