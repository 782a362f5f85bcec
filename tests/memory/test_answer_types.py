"""What answers a question about oneself is told, and what only lies near it is not."""

from __future__ import annotations

import pytest

from desktop.memory.answer_types import is_of_family
from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory
from desktop.memory.text import read_vocabulary
from desktop.paths import resources
from tests.memory.test_statements import told

NEAR = [
    # A year or a place in a row is no number that was asked for.
    ("My passport runs out in February 2027.", "What's my passport number?"),
    ("I'm learning the cello, on my third teacher already.", "What do I pay for a cello lesson?"),
    ("we pay 38 quid a month for broadband", "How much do I earn in a month?"),
    # What is done is another thing.
    ("I keep six hens at the bottom of the garden.", "What do I feed the hens?"),
    ("Unser Hund heißt Karlsson.", "Was frisst unser Hund?"),
    ("Mum's birthday is the 9th of October.", "What does Mum want for her birthday?"),
    # What is one's own is the last word: the cake, and not the wedding.
    ("Me and Jo are getting married in Whitby.", "who's making our wedding cake"),
    # A yes or no is about what stands last.
    ("I'm scared stiff of wasps.", "Am I afraid of heights?"),
    ("I'm allergic to nickel.", "Am I allergic to cats?"),
    # What one likes best is not whatever is of the kind.
    ("Laktose vertrage ich nicht.", "Was ist mein Lieblingsessen?"),
    # A floor is no other place, a word of the question none at all, and both eyes are none.
    ("Ins Büro fahr ich jeden Tag mit der S3.", "In welchem Stock liegt mein Büro?"),
    ("Zur Arbeit fahre ich mit dem Rad.", "Wo arbeite ich?"),
    ("I'm minus four in both eyes.", "Where did I buy my glasses?"),
    # The noun behind "which", and no verb behind it.
    ("I broke my wrist snowboarding.", "Which doctor set my wrist?"),
    # A teacher is no form of tea, and what is asked for names nobody.
    ("I have a new teacher for the violin, three in all.", "how many sugars do I take in tea"),
    ("we pay 38 quid a month for broadband", "Who's our broadband with?"),
    ("Our Imogen and her two boys are up in Halifax these days.", "What does Imogen do for work?"),
]
ANSWERED = [
    ("I was born in 1987.", "How old am I?"),
    ("My passport number is C4471902.", "What's my passport number?"),
    ("My cello lessons cost 30 pounds.", "What do I pay for a cello lesson?"),
    ("I feed the hens corn and kitchen scraps.", "What do I feed the hens?"),
    ("Unser Hund frisst nur Trockenfutter.", "Was frisst unser Hund?"),
    ("Mein Lieblingsessen sind Rouladen.", "Was ist mein Lieblingsessen?"),
    ("Mein Büro liegt im dritten Stock.", "In welchem Stock liegt mein Büro?"),
    ("Ich arbeite in Aalen.", "Wo arbeite ich?"),
    ("I'm afraid of heights, always was.", "Am I afraid of heights?"),
    ("We named our sister's cake shop Crumbs.", "What is our sister's cake shop called?"),
    ("My favourite colour is teal.", "Which shade do I like best?"),
]


@pytest.mark.parametrize(("fact", "question"), NEAR)
def test_what_lies_near_is_not_told(memory: Memory, fact: str, question: str) -> None:
    memory.record("earlier", "user", fact, MemorySource.USER)
    assert told(memory, question) == ""


@pytest.mark.parametrize(("fact", "question"), ANSWERED)
def test_what_answers_is_told(memory: Memory, fact: str, question: str) -> None:
    memory.record("earlier", "user", fact, MemorySource.USER)
    assert fact in told(memory, question)


@pytest.mark.parametrize(
    ("question", "is_own"),
    [
        ("¿Qué desayuno?", True),
        ("¿Qué oposición quiero sacar?", True),
        ("¿A qué hermandad pertenezco?", True),
        ("¿A quién debo dinero?", True),
        ("¿Dónde nací?", True),
        ("¿Qué no como?", True),
        ("¿Qué le da alergia a papá?", True),
        ("Dans quel village repose papa ?", True),
        ("when is dad's birthday", True),
        ("¿Cuánto es un kilo?", False),
        ("¿Cuál es el río más largo del mundo?", False),
        ("¿En qué año empezó la guerra?", False),
        ("¿Quién pintó el Guernica?", False),
        ("¿Qué vino va con el pescado?", False),
        ("¿Cuánto dinero cuesta un coche?", False),
        ("¿Cómo hago una tortilla?", False),
        ("What is a dad?", False),
    ],
)
def test_a_question_about_oneself_is_known_without_an_i(question: str, is_own: bool) -> None:
    """Spanish says it by the verb, and family is called by its name."""
    vocabulary = read_vocabulary(resources() / "memory" / "words.toml")
    assert (vocabulary.is_personal(question) or is_of_family(question)) == is_own
