"""Files found by what is in them, with the real small model: looked into, ticked off, or left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.flows.real_model import Talk, installed_model, talking
from tests.tools.pdfs import pdf

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(1200)]

FILES = {
    "Aufgaben.md": "# Diese Woche\n- [ ] Müll rausbringen (Jonas)\n- [ ] Rasen mähen (Papa)\n",
    "todo.md": "# To do\n- [ ] call the dentist\n- [ ] fix bike light\n",
    "timetable.csv": "day,time,course\nMon,09:00,Statistics\nWed,09:00,Neurobiology\nFri,10:00,Colloquium\n",
    "werkstatt.txt": "03.03. Kreissäge gereinigt (Tom)\n06.03. Hobelmaschine: Messer gewechselt (Ayse)\n",
}
LETTER = ("Wandertag der Klasse 1b am Donnerstag, 12. Juni", "Mitbringen: Trinkflasche, Regenjacke, Brotdose")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    with talking(tmp_path_factory.mktemp("content"), installed_model()) as made:
        yield made


@pytest.fixture(autouse=True)
def begun(talk: Talk) -> None:
    talk.begin(1, FILES)
    (talk.root / "Elternbrief.pdf").write_bytes(pdf(LETTER))


@pytest.mark.parametrize(
    ("asked", "name", "answer"),
    [
        ("was muss jonas zum wandertag mitnehmen", "Elternbrief.pdf", "Trinkflasche"),
        ("wann war zuletzt was mit der hobelmaschine", "werkstatt.txt", "Messer"),
        ("when is neurobio", "timetable.csv", "09:00"),
    ],
)
def test_a_question_is_answered_from_the_file_that_speaks_of_it(
    talk: Talk, asked: str, name: str, answer: str
) -> None:
    """Though the question neither names nor describes one."""
    step = talk.ask(asked)
    assert name in [call[1].get("path") for call in step.calls]
    assert answer in step.text


@pytest.mark.parametrize("asked", ["why is the sky blue", "how many calories are in a banana"])
def test_a_question_about_the_world_looks_into_no_file(talk: Talk, asked: str) -> None:
    (talk.root / "fruit.txt").write_text("- bananas\n- pears\n", encoding="utf-8")
    assert talk.ask(asked).calls == ()


def test_a_task_that_is_told_to_be_done_is_ticked_off_and_undone(talk: Talk) -> None:
    """It is asked before, like any other change."""
    step = talk.ask("jonas hat den müll rausgebracht")
    assert len(step.questions) == 1
    assert "- [x] Müll rausbringen (Jonas)" in (talk.root / "Aufgaben.md").read_text(encoding="utf-8")
    talk.ask("doch nicht, mach das rückgängig")
    assert (talk.root / "Aufgaben.md").read_text(encoding="utf-8") == FILES["Aufgaben.md"]


@pytest.mark.parametrize("said", ["i really hate the dentist", "my bike light broke again yesterday"])
def test_what_only_speaks_of_a_task_changes_nothing(talk: Talk, said: str) -> None:
    step = talk.ask(said)
    assert (talk.root / "todo.md").read_text(encoding="utf-8") == FILES["todo.md"]
    assert not step.questions


def test_an_hour_is_written_into_its_cell(talk: Talk) -> None:
    """The rest of the table stays to the letter."""
    talk.ask("neurobio moved to 13:00, fix that in my timetable")
    text = (talk.root / "timetable.csv").read_text(encoding="utf-8")
    assert text == FILES["timetable.csv"].replace("Wed,09:00", "Wed,13:00")


def test_what_is_no_row_is_not_added_to_a_table(talk: Talk) -> None:
    """The columns are named instead."""
    step = talk.ask("add the new prices to timetable.csv")
    assert (talk.root / "timetable.csv").read_text(encoding="utf-8") == FILES["timetable.csv"]
    assert "day, time, course" in step.text
