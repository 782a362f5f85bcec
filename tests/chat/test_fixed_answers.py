"""What is said to a remark."""

from __future__ import annotations

import pytest

from desktop.chat.fixed_answers import Mood, is_answered_here, is_rather_told, mood_of, reply_to
from desktop.chat.intent_words import LANGUAGES, sentences
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.chat.test_file_judgements import likely


def test_the_model_weighs_moods_and_writes_nothing() -> None:
    """The sentence is from a table, in the language of the remark."""
    submit = likely(sad=3.0, glad=1.0)
    assert reply_to("mi abuela está en el hospital otra vez", submit, False) == "Lo siento mucho."
    assert submit.asked[0].labels == tuple(Mood)
    assert submit.asked[0].sampling.max_tokens == 1


def test_of_what_stands_in_files_it_is_said_that_none_was_changed() -> None:
    """So that nobody thinks that it was put down."""
    told = reply_to("tess got mabel a new coat, very posh", likely(glad=3.0), True)
    assert told == "That's good to hear! I have changed no file; say so if it is to be written down."


def test_a_stopped_model_leaves_a_plain_sentence() -> None:
    """No mood was weighed."""

    def stopped(_request: GenerateRequest) -> Stream:
        stream = Stream(lambda: None)
        stream.end(FinishReason.CANCELLED, Metrics())
        return stream

    assert mood_of("it rained all night", stopped) is Mood.NEUTRAL


@pytest.mark.parametrize(
    ("message", "of_files", "is_answered"),
    [
        ("sam played a blinder though to be fair", True, True),
        ("I had a terrible day at work.", False, True),
        ("Scrivi una breve poesia sulla primavera.", False, False),
        ("put it in the money one as well", True, False),
        ("who still owes us money", True, False),
    ],
)
def test_only_what_tells_is_answered_so(message: str, of_files: bool, is_answered: bool) -> None:
    """Where no file speaks of it, only where that is sure: a poem that is wanted is the model's."""
    assert is_answered_here(message, of_files) is is_answered


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_mood_has_its_sentence(language: str) -> None:
    """In every language, and each another."""
    told = {each: sentences()["remarks"][each][language] for each in Mood}
    assert len(set(told.values())) == len(Mood)


@pytest.mark.parametrize(
    ("message", "is_story"),
    [
        ("phew. six hours on that chappell and it finally holds. off to the pub, as a guest this time", True),
        ("laval quand même... le rideau coincé et inès qui improvise 5 minutes, le public a adoré", True),
        ("milk and eggs", False),
        ("write a short poem on spring for my mum who likes tulips and rain", False),
        ("is it true that the school choir sings on the twelfth of december?", False),
        ("put the yoga people into the small room on the eighth, ten till half eleven", False),
    ],
)
def test_a_story_of_which_nothing_could_be_made_is_known(message: str, is_story: bool) -> None:
    """Whatever asks, orders or wants a text is none, nor is a word or two."""
    assert is_rather_told(message) is is_story
