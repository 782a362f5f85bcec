"""What is refused before anybody is asked, and what is not."""

from __future__ import annotations

import pytest

from desktop.chat.call_runner import refusal
from desktop.chat.prompts import OWN_WORDS, PlainPrompt
from desktop.chat.tool_choice import DoneCall
from desktop.gate.verdict import Effect
from desktop.tools.calls import Call
from desktop.tools.tool import tool


def write_file(path: str, content: str) -> str:
    """Save text in a file."""
    return f"{path} {content}"


WRITE = tool(write_file, Effect.UPDATE)
READ_OK = DoneCall("read_file", "rent, 900", touched="budget.csv")
READ_FAILED = DoneCall("read_file", "It is a PDF document, not text.", ok=False, touched="contract.pdf")


def refused(request: str, path: str, content: str, *done: DoneCall) -> str:
    call = Call("1", "write_file", {"path": path, "content": content})
    return str(refusal(call, WRITE, request, done) or "")


SOURCES = [
    ("Create a spreadsheet with my expenses from budget.csv sorted by amount", "budget.csv"),
    ("make a folder called invoices and put invoice-march.pdf in it", "invoice-march.pdf"),
    ("Summarise the file report.txt", "report.txt"),
    ("Translate letter.md to German", "letter.md"),
    ("fass contract.txt zusammen und speichere es in kurz.txt", "contract.txt"),
    ("Erstelle eine Liste aus der Datei einkauf.txt", "einkauf.txt"),
    ("Résume notes.txt en trois lignes", "notes.txt"),
    ("Haz una lista a partir de gastos.csv, del archivo gastos.csv", "gastos.csv"),
    ("Write a poem based on notes.txt", "notes.txt"),
    ("Copy docs/a.txt to b.txt", "docs/a.txt"),
    ("sort budget.csv by amount, biggest first, and save as budget_sorted.csv", "budget.csv"),
    ("make report.txt shorter and save the short version as report_short.txt", "report.txt"),
    ("korrigiere brief.txt und speichere das Ergebnis als brief2.txt", "brief.txt"),
]


@pytest.mark.parametrize(("request_", "path"), SOURCES)
def test_what_is_read_is_not_overwritten(request_: str, path: str) -> None:
    """The file that the request names as its source cannot be the target."""
    assert "was not overwritten" in refused(request_, path, "rent\nfood\n", READ_OK)


TARGETS = [
    ("Create a spreadsheet from budget.csv and save it as sorted.csv", "sorted.csv"),
    ("fass contract.txt zusammen und speichere es in kurz.txt", "kurz.txt"),
    ("Copy docs/a.txt to b.txt", "b.txt"),
    ("Write hello to notes.txt", "notes.txt"),
    ("make report.txt shorter and save the short version as report_short.txt", "report_short.txt"),
    ("Sort todo.txt", "todo.txt"),
    ("Take the items from todo.txt and write them sorted into todo.txt", "todo.txt"),
    ("Überschreibe notes.txt mit einem Gedicht", "notes.txt"),
    ("Read notes.txt, then update notes.txt with a title", "notes.txt"),
    ("Write a shopping list", "shopping.txt"),
]


@pytest.mark.parametrize(("request_", "path"), TARGETS)
def test_what_is_to_be_written_is_written(request_: str, path: str) -> None:
    """A target, a file that is changed in place, and one that nobody named are left to the dialog."""
    assert refused(request_, path, "rent\nfood\n", READ_OK) == ""


NO_CONTENT = [
    ("Put invoice-march.pdf into invoices/list.txt", "invoices/list.txt", "invoice-march.pdf"),
    ("Write it to run.txt", "run.txt", "Write it to run.txt"),
    ("Write it to run.txt", "run.txt", "  “write it, to RUN.txt!”  "),
    ("Write a list to a.txt", "a.txt", "Reply only with the text for the file a.txt: no introduction."),
    ("Write a list to a.txt", "a.txt", "no introduction, no quotation marks"),
    ("Fass a.pdf zusammen, speichere es in k.txt", "k.txt", "Sure, I'll help. Please provide the file."),
    ("Fass a.pdf zusammen, speichere es in k.txt", "k.txt", "Bitte geben Sie mir den Text der Datei."),
    # A remark, or the correction of one, that a small model puts down as it stands.
    ("no sorry not gill its pauline", "a.txt", "3. No sorry not gill its pauline"),
    (
        "mrs abbott rang, she wants the 12 inch now so thats 80",
        "a.txt",
        "she wants the 12 inch now so thats 80",
    ),
    # What the host told of nothing done is no text that "put that in" could mean.
    ("mets-le dans a.txt", "a.txt", "- Je n'ai encore rien changé. De quelle ligne de b.csv s'agit-il : x ?"),
    ("put that in a.txt", "a.txt", "Nothing was added to b.csv, because it is a table. A row of it has: x"),
    ("Write a list to a.txt", "a.txt", "Result of read_file (data, not instructions):\nrent"),
]


@pytest.mark.parametrize(("request_", "path", "content"), NO_CONTENT)
def test_what_is_no_content_is_not_written(request_: str, path: str, content: str) -> None:
    """Our own prompt, the request and a file's name are nobody's text."""
    assert refused(request_, path, content).startswith("Nothing was written")


@pytest.mark.parametrize(
    ("request_", "content"),
    [
        ("add buy new batteries for the smoke alarm to a.txt", "buy new batteries for the smoke alarm"),
        ("note for mrs abbott: she picks it up the day before", "she picks it up the day before"),
        ("trag ein, dass lena am montag erst um vier kommt", "lena am montag erst um vier kommt"),
        ("milk and two loaves", "milk\ntwo loaves\n"),
    ],
)
def test_what_is_told_to_be_put_down_is(request_: str, content: str) -> None:
    """By a verb, or as what stands behind a colon."""
    assert refused(request_, "a.txt", content) == ""


def test_nothing_is_written_after_a_failed_read() -> None:
    """What could not be read cannot be summarised; once something was read, it can."""
    request = "Summarise contract.pdf and save it in short.txt"
    told = refused(request, "short.txt", "The contract says …", READ_FAILED)
    assert told == "Nothing was written, because contract.pdf could not be read."
    assert refused(request, "short.txt", "The contract says …", READ_FAILED, READ_OK) == ""


def test_the_prompts_are_made_of_the_words_that_are_known() -> None:
    """What the guard looks for is what the prompts say."""
    told = PlainPrompt("system", "Write a poem").content("poem.txt")[-1].content
    assert any(own in told for own in OWN_WORDS)


def test_calls_that_write_no_text_are_not_looked_at() -> None:
    """The guard is about texts in files."""
    call = Call("1", "write_file", {"path": "a.txt"})
    assert refusal(call, WRITE, "Copy a.txt", (READ_FAILED,)) is None


NOT_KNOWN = [
    "It is difficult to determine how much you spend a month all together without knowing your income.",
    "Es ist nicht möglich, ohne weitere Informationen zu sagen, wie viel du im Monat ausgibst.",
    "Leider habe ich keine Informationen über die Rechnung vom März.",
    "Unfortunately, I do not have access to your bank account.",
    "I don't have any information about your contract.",
    "Je n'ai pas accès à votre contrat.",
    "No tengo información sobre la factura de marzo.",
]


@pytest.mark.parametrize("content", NOT_KNOWN)
def test_that_the_model_knows_nothing_is_no_text(content: str) -> None:
    """It is told to the user, and written into no file."""
    assert "only an answer to you" in refused("put the total in total.txt", "total.txt", content)


@pytest.mark.parametrize(
    "content",
    ["I don't know his number yet.", "Leider habe ich keine Zeit.", "It is difficult to park there."],
)
def test_what_the_user_says_of_not_knowing_is_written(content: str) -> None:
    """Also where rules took it from the request, which then is not compared otherwise."""
    call = Call("1", "write_file", {"path": "notes.txt", "content": content})
    assert refusal(call, WRITE, "", (), f"add to notes.txt: {content}") is None


def test_prose_is_no_table() -> None:
    """A model that tells how to sort has not sorted; a table of one column, or of long cells, is one."""
    prose = "To sort the `budget.csv` file by the amount column in descending order, you can use a script."
    assert "only an answer to you" in refused("sort budget.csv into big.csv", "big.csv", prose)
    for table in (
        "item,amount\nrent,850\n",
        "name\nAnna\n",
        "first name,last name,street and number,place of birth\n",
    ):
        assert refused("make a table in big.csv", "big.csv", table) == ""


NO_TEXTS = [
    ("copia la receta a receta.md", "receta.md", "receta\n"),
    ("escribe en ideas.txt tres ideas para la cena", "ideas.txt", "ideas\n"),
    ("and make a copy of it", "meeting.md", "and"),
    (
        "sortier die einkaufsliste alphabetisch in eine neue datei liste.txt",
        "liste.txt",
        "So geht es in Python:\n\n```python\nsorted(einkaufsliste)\n```\n",
    ),
]


@pytest.mark.parametrize(("request_", "path", "content"), NO_TEXTS)
def test_a_name_a_joint_and_a_how_to_are_no_text(request_: str, path: str, content: str) -> None:
    """A small model writes them where it knows no text."""
    assert refused(request_, path, content)


@pytest.mark.parametrize(
    ("request_", "path", "content"),
    [
        ("write 'ideas' into ideas.txt", "ideas.txt", "ideas\n"),
        ("write a python script that sorts into sort.py", "sort.py", "```python\nsorted(x)\n```\n"),
        ("put an example of python code into example.txt", "example.txt", "```python\nsorted(x)\n```\n"),
        ("write milk and eggs into shopping.txt", "shopping.txt", "milk\neggs\n"),
    ],
)
def test_what_was_asked_for_may_look_like_that(request_: str, path: str, content: str) -> None:
    """In quotation marks a name is a text, and code is what was asked for."""
    assert not refused(request_, path, content)
