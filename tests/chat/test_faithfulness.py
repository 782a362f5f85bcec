"""What a text states, and whether its source bears it: tables, and properties of what is read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.faithfulness import FaultKind, SourceText, faults, next_end, sentences_of
from desktop.chat.quantities import quantities, told_share, values_of
from desktop.chat.source_guard import Length, about, asked_length, cut_to, denies, extract, is_there
from tests.bench.requests import PDFS, TEXTS

BENCH = Path(__file__).resolve().parents[1] / "bench"
ALARMS = 1 / 30  # of right summaries, at most


def found(sentence: str, language: str = "") -> list[tuple[str, float]]:
    return [(each.kind.value, max(each.values)) for each in quantities(sentence, language)]


@pytest.mark.parametrize(
    ("sentence", "language", "states"),
    [
        ("12,400 visitors", "en", [("number", 12400)]),
        ("12.400 Besucher", "de", [("number", 12400)]),
        ("12 400 visiteurs", "fr", [("number", 12400)]),
        ("1,2 Millionen Euro", "de", [("number", 1_200_000)]),
        ("two hundred and fifty guests", "en", [("number", 250)]),
        ("zweihundertfünfzig Gäste", "de", [("number", 250)]),
        ("quatre-vingt-dix-sept invités", "fr", [("number", 97)]),
        ("treinta y un invitados", "es", [("number", 31)]),
        ("a third more", "en", [("share", 1 / 3)]),
        ("drei Mal mehr", "de", [("multiple", 3)]),
        ("dreimal so viele", "de", [("multiple", 3)]),
        ("une trentaine de fois plus", "fr", [("multiple", 30)]),
        ("el doble que antes", "es", [("multiple", 2)]),
        ("40 Prozent weniger", "de", [("share", 0.4)]),
        ("three quarters of them", "en", [("share", 0.75)]),
        ("am 31. März", "de", [("date", 331)]),
        ("le 1er septembre", "fr", [("date", 901)]),
        ("on March 3rd", "en", [("date", 303)]),
        ("um 14:30 Uhr", "de", [("time", 870)]),
        ("vers 16 h 30", "fr", [("time", 990)]),
        ("at 4:30 pm", "en", [("time", 990)]),
        ("it may be that they march", "en", []),
        ("once upon a time", "en", []),
        ("the third floor", "en", []),
    ],
)
def test_what_a_sentence_states(sentence: str, language: str, states: list[tuple[str, float]]) -> None:
    read = found(sentence, language)
    assert [kind for kind, _ in read] == [kind for kind, _ in states]
    assert [value for _, value in read] == pytest.approx([value for _, value in states])


def test_more_and_less_are_told_apart() -> None:
    (more,) = quantities("a third more", "en")
    (less,) = quantities("ein Drittel weniger", "de")
    assert (more.way, less.way) == (1, -1)
    (limit,) = quantities("moins de 200 visiteurs", "fr")
    assert limit.way == -1


@given(st.integers(min_value=1000, max_value=999_999))
def test_a_number_is_the_same_in_every_custom(number: int) -> None:
    for mark in (",", ".", " ", "’", "\u202f"):
        assert number in values_of(f"{number:,}".replace(",", mark))


@given(st.lists(st.integers(min_value=2, max_value=9_999), min_size=1, max_size=5))
def test_every_number_has_support_in_its_own_text_and_none_in_another(numbers: list[int]) -> None:
    text = ". ".join(f"We counted {each} birds" for each in numbers) + "."
    assert faults(text, SourceText([text])) == []
    other = max(numbers) + 10_001
    assert faults(f"We counted {other} birds.", SourceText([text]))


@given(st.text(max_size=400))
def test_whatever_is_written_its_sentences_are_read_to_the_end(text: str) -> None:
    joined = "".join("".join(each.split()) for each in sentences_of(text))
    assert sum(each.isalnum() for each in joined) == sum(each.isalnum() for each in text)
    assert faults(text, SourceText([text])) == [] or any(each.isupper() for each in text)
    assert 0 <= next_end(text) <= len(text)


def _table() -> list[tuple[str, str, list[list[str]]]]:
    texts = tomllib.loads((BENCH / "faithful.toml").read_text(encoding="utf-8"))["text"]
    return [(each["text"], one["says"], one["wrong"]) for each in texts for one in each["summary"]]


def test_right_summaries_pass_and_altered_ones_are_found() -> None:
    """In four languages, of texts in four languages: hardly a right one is thrown away."""
    table = _table()
    alarms = [says for text, says, _ in table if faults(says, SourceText([text]))]
    assert len(alarms) <= len(table) * ALARMS, alarms
    altered = [
        (kind, bool(faults(says.replace(words, other), SourceText([text]))))
        for text, says, wrong in table
        for kind, words, other in wrong
    ]
    sure = [is_found for kind, is_found in altered if kind in ("number", "fraction", "name")]
    assert sum(sure) >= 0.95 * len(sure)
    assert sum(is_found for _, is_found in altered) >= 0.9 * len(altered)


def test_a_text_bears_itself() -> None:
    """Whatever stands in the files of the benchmarks: each is a right account of itself."""
    for text in (*TEXTS.values(), *("\n".join(lines) for lines in PDFS.values())):
        assert faults(text, SourceText([text])) == []


@pytest.mark.parametrize(
    ("asked", "length"),
    [
        ("fass report.txt in drei stichpunkten zusammen", Length(items=3)),
        ("resume report.txt en una frase y guardalo", Length(sentences=1)),
        ("résume-le en deux phrases", Length(sentences=2)),
        ("summarise it in at most 50 words", Length(words=50)),
        ("a one-sentence summary", Length(sentences=1)),
        ("in einem einzigen Satz", Length(sentences=1)),
        ("summarise it and put a line below", Length()),
        ("summarise report.txt", Length()),
    ],
)
def test_the_length_that_is_asked_for(asked: str, length: Length) -> None:
    assert asked_length(asked) == length


def test_a_text_is_cut_at_the_ends_of_sentences() -> None:
    text = "On 3.5. Dr. Weber paid 12.50 euros. Then she left. Nobody saw it."
    assert cut_to(text, Length(sentences=1)) == "On 3.5. Dr. Weber paid 12.50 euros."
    assert cut_to(text, Length(sentences=2)).endswith("left.")
    assert cut_to(text, Length(words=9)).endswith("left.") or cut_to(text, Length(words=9)).endswith("euros.")
    assert cut_to("- a b\n- c d\n- e f", Length(items=2)) == "- a b\n- c d"
    assert cut_to("Three points:\n- a b\n- c d\n- e f", Length(items=2)) == "Three points:\n- a b\n- c d"
    assert cut_to(text, Length()) == text


@given(st.text(max_size=300), st.integers(min_value=1, max_value=4))
def test_what_is_cut_is_the_beginning(text: str, count: int) -> None:
    assert text.startswith(cut_to(text, Length(sentences=count)))


def test_an_extract_is_made_of_the_texts_own_sentences() -> None:
    text = _table()[0][0]
    for count in (1, 2, 3):
        lines = extract(text, Length(sentences=count))
        assert len(lines) == count
        assert all(each in text for each in lines)


def test_the_passage_that_speaks_of_a_question() -> None:
    notes = "Buy milk, eggs and bread.\nCall Anna on Friday at noon.\nThe rent is due on the 3rd.\n"
    assert about(notes, "was steht nochmal in den notizen wegen anna?") == ("Call Anna on Friday at noon.",)
    assert about(notes, "what do the notes say about the dentist") == ()


@pytest.mark.parametrize(
    ("sentence", "is_denial"),
    [
        ("The report.txt does not mention anything about the roof.", True),
        ("In den Notizen steht nichts über Anna.", True),
        ("Leider habe ich keine Notizen über den Fall „Anna“ gefunden.", True),
        ("Le rapport ne mentionne pas le toit.", True),
        ("El informe no menciona el tejado.", True),
        ("I don't have access to your account information.", True),
        ("The roof is not repaired before November.", False),
        ("Hunde sind nicht erlaubt.", False),
        ("Les chiens ne sont pas admis.", False),
        ("No se admiten perros.", False),
    ],
)
def test_denials_that_something_stands_there(sentence: str, is_denial: bool) -> None:
    assert denies(sentence) is is_denial


@pytest.mark.parametrize(
    ("denial", "asked", "there"),
    [
        ("The report.txt does not mention anything about the roof.", "what about the roof", True),
        ("No, it does not say that.", "does it say when the roof is repaired?", True),
        ("La factura no menciona la fecha de pago.", "cuándo hay que pagarla", True),
        ("In der Rechnung steht kein Betrag.", "wie hoch ist sie", True),
        ("The report does not mention a garden.", "what about the garden", False),
        ("Le rapport ne mentionne pas le jardin.", "et le jardin ?", False),
        ('The result "18,000 euros" does not provide any information about who it is.', "who is it", False),
    ],
)
def test_what_is_denied_and_stands_there(denial: str, asked: str, there: bool) -> None:
    """By its words, or as a date or an amount in another language."""
    text = "The roof of hall 2 leaks. The repair costs 18,000 euros, to be paid by 31 March."
    assert is_there(denial, text, asked) is there


def test_the_same_length_of_time_in_another_unit() -> None:
    source = SourceText(["The notice period is three months. It takes 30 minutes."])
    assert faults("Die Frist beträgt 90 Tage.", source) == []
    assert faults("Es dauert eine halbe Stunde.", source) == []
    assert [each.kind for each in faults("Die Frist beträgt drei Tage.", source)] == [FaultKind.NUMBER]


def test_a_share_that_is_compared_is_no_part_of_a_whole() -> None:
    source = SourceText(["The museum had a third more visitors than the year before."])
    assert faults("Das war ein Drittel der Besucher.", source)
    assert faults("Das war ein Drittel mehr.", source) == []


def test_what_several_numbers_come_to_is_no_new_number() -> None:
    source = SourceText(["item,amount\nrent,850\nfood,310\ntrain,95\n"])
    assert faults("Zusammen sind das 1255.", source) == []
    assert faults("Zusammen sind das 1355.", source)
    assert faults("The rent is 1255.", source)


def test_shares_are_told_in_the_language_that_is_wanted() -> None:
    assert told_share(1 / 3, "de") == "ein Drittel"
    assert told_share(0.5, "es") == "la mitad"
    assert told_share(0.37, "en") == ""


def test_many_lines_may_be_counted() -> None:
    """ "Sixty entries" stands in no line of sixty, and is right; any other number is not."""
    source = SourceText(["\n".join(f"entry{at:03} " + "word " * 20 for at in range(60))])
    assert not faults("Sixty entries.", source)
    assert faults("Eighty entries.", source)
