"""Which files a message is about: as the model ranks them, and by the words that they share."""

from __future__ import annotations

from datetime import date

from desktop.chat.file_judgements import NO_FILE, ranked, told_first
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_table_changes import Around

TODAY = date(2026, 11, 29)
TEXTS = {
    "plan.csv": "date,team,place\n2026-12-01,Rovers,home\n2026-12-04,United,away\n",
    "members.csv": "name,town\nRossi,Rome\nWeber,Bonn\n",
    "letter.txt": "Dear Eva,\n\nthe boiler is checked on Tuesday.\n",
    "sun.txt": "panel readings, Wh\n22/11  310\n23/11  145\n24/11  90\n",
}


def likely(**scores: float):  # type: ignore[no-untyped-def]  # a model, by what it says
    asked: list[GenerateRequest] = []

    def submit(request: GenerateRequest) -> Stream:
        asked.append(request)
        stream = Stream(lambda: None)
        stream.put_scores({each: scores.get(each.partition(".")[0], 0.0) for each in request.labels})
        stream.end(FinishReason.STOP, Metrics())
        return stream

    submit.asked = asked  # type: ignore[attr-defined]
    return submit


def names(said: str, submit) -> list[str]:  # type: ignore[no-untyped-def]
    return [each.name for each in ranked(said, tuple(TEXTS), Around(TEXTS), submit, TODAY) if each.over > 0]


def test_the_model_ranks_by_names_and_beginnings() -> None:
    """It is shown the columns and a row of a table, and the first lines of a text, or of notes whose columns
    have no names."""
    submit = likely(plan=3.0, members=1.0, letter=-2.0)
    assert names("who do we play", submit) == ["plan.csv", "members.csv"]
    shown = submit.asked[0].messages[-1].content
    assert "plan.csv: date, team, place (2026-12-04 | United | away)" in shown
    assert "letter.txt: Dear Eva, / the boiler is checked on Tuesday." in shown
    assert "sun.txt: panel readings, Wh / 22/11  310 / 23/11  145 / 24/11  90" in shown
    assert submit.asked[0].labels == (*TEXTS, NO_FILE)


def test_a_word_that_only_one_file_has_speaks_for_it() -> None:
    """As does a day of which it has a row."""
    assert names("weber moved to ulm", likely(plan=0.5, members=0.2)) == ["members.csv", "plan.csv"]
    assert names("what is on friday", likely()) == ["plan.csv"]


def test_nothing_is_ranked_where_the_model_was_stopped() -> None:
    """Or where there is no file."""

    def stopped(request: GenerateRequest) -> Stream:
        stream = Stream(lambda: None)
        stream.end(FinishReason.CANCELLED, Metrics())
        return stream

    assert ranked("who", tuple(TEXTS), Around(TEXTS), stopped, TODAY) == ()
    assert ranked("who", (), Around({}), likely(), TODAY) == ()


def test_examples_name_a_file_of_their_folder_or_none() -> None:
    """A name that is not shown would teach to make one up."""
    folder = ""
    for shown, name in zip(told_first()[1::2], told_first()[2::2], strict=True):
        folder = shown.content if ": " in shown.content.partition("Said: ")[0] else folder
        assert name.content == NO_FILE or f"{name.content}: " in folder
