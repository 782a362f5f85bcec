"""What a sentence is about, and whether it answers a question, as the chat model itself reads them.

Words find nothing where a question shares none with what was told ("What's my job?", "I mend clocks for
a living"), and a small model that chooses among memories takes the one that sounds alike. But what it
would write next behind "about my" is the same for both: *job*, *work*, *profession*. So a text is read
once, and how likely each of some hundred English words is behind it are its numbers, in whatever language
it is. Two texts are held against each other by the cosine of these.

Near it lies what is about the same thing and answers something else ("What colour is our Golf?", "The Golf
has done 187,000"). So the best few are each read together with the question, and the model says whether they
answer it: yes or no, which a small one knows of one sentence far better than it chooses among several.

Everything before a text is always the same, so the KV cache has it: a text costs its own tokens and some ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.memory.vectors.minilm import Array

VERSION = "subjects 1"  # of the words and the prompt: numbers of others do not compare
SUBJECTS = "what a text is about"  # of all texts: what stands before them is always the same
ANSWERS = "whether it answers a question"
LONGEST = 400  # characters of a text that are read
UNLIKELY = -9.0  # of the logarithm; what is less likely than that is so by chance
_BEGUN = "about my"
_SAY_WHAT = "Whatever is said is about one thing of the life of the one who says it. Say which, in English."
_ABOUT: tuple[tuple[str, str], ...] = (
    ("Auntie teaches the violin in Porto, poor thing.", "aunt's job"),
    ("Wie komme ich morgens ins Büro?", "way to work"),
    ("On garde la clé de la cave derrière le compteur.", "cellar key"),
    ("never could stand aniseed", "dislikes"),
    ("Would I like liquorice?", "dislikes"),
    ("El vuelo de mamá llega el jueves a las siete.", "mother's flight"),
    ("What does Mira do for a living?", "aunt's job"),
    ("Seit Montag fahr ich mit dem Rad, das Auto ist verkauft.", "way to work"),
)
_SAY_WHETHER = """Somebody told something of their own life, and later asks a question. Say yes where what \
was told answers just this question, and no where it only is about the same."""
YES, NO = "yes", "no"
_WHETHER: tuple[tuple[str, str, str], ...] = (
    ("I never could stand the taste of aniseed.", "Is liquorice a good present for me?", YES),
    (
        "Seit Montag fahr ich mit dem Rad ins Büro, das Auto ist verkauft.",
        "Wie lange brauche ich zur Arbeit?",
        NO,
    ),
    ("On garde la clé de la cave derrière le compteur.", "Où est la clé de la cave ?", YES),
    ("My aunt Mira teaches the violin in Porto.", "How old is my aunt?", NO),
    ("My aunt Mira teaches the violin in Porto.", "What does Mira do for a living?", YES),
    ("Our hamster Pip has chewed through the cable again.", "What is my dog called?", NO),
    (
        "El vuelo de mamá llega el jueves a las siete.",
        "¿Cuándo voy al aeropuerto a buscar a mi madre?",
        YES,
    ),
    ("I take a size 41 in boots.", "What colour are my boots?", NO),
    ("Seit Montag fahr ich mit dem Rad ins Büro, das Auto ist verkauft.", "Habe ich noch ein Auto?", YES),
    ("Ma nièce apprend la harpe.", "Qui donne des cours de harpe à ma nièce ?", NO),
    ("The gas man comes on the 4th", "when do I have to be home for the meter", YES),
    ("Wir haben unser Haus 2009 gekauft.", "Was hat unser Haus gekostet?", NO),
)
# Told and asked, of no one thing: what the model writes of all texts is taken off the numbers of each.
NEUTRAL: tuple[tuple[str, ...], tuple[str, ...]] = (
    (
        "My sister moved to a flat near the harbour in spring.",
        "I only drink decaf after lunch.",
        "the car goes in for its service on the 14th",
        "We keep the fuse box key in the blue jar.",
        "Mein Chef heißt Brandt und ist immer vor acht da.",
        "Unser Kater frisst nur das teure Futter.",
        "hab am 3. Mai Geburtstag, wie mein Opa",
        "Je fais de l'escalade le mardi avec Inès.",
        "Le loyer part le cinq du mois.",
        "Mi hija estudia enfermería en Salamanca.",
        "Tengo alergia al polen desde pequeño.",
        "My left ear has been bad since the concert.",
    ),
    (
        "Where does my sister live?",
        "what time is my train tomorrow",
        "Which tablets do I take in the morning?",
        "How much do I pay for the gym?",
        "Wie heißt mein Chef?",
        "Wann hat mein Opa Geburtstag?",
        "Was frisst unser Kater?",
        "C'est quoi mon sport du mardi ?",
        "Quand est-ce que je paie le loyer ?",
        "¿Qué estudia mi hija?",
        "¿A qué tengo alergia?",
        "Who repaired our roof?",
    ),
)


def read_words(path: Path) -> tuple[str, ...]:
    """The words of `resources/memory/subjects.txt`."""
    return tuple(path.read_text(encoding="utf-8").split())


class SubjectReader:
    """May be called on any thread that may wait for the engine; never on its own."""

    def __init__(self, submit: Callable[[GenerateRequest], Stream], words: Sequence[str]) -> None:
        """`words` are those that may stand behind "about my"; each gives one number."""
        self._submit = submit
        self._labels = tuple(f" {word}" for word in words)

    @property
    def dimensions(self) -> int:
        return len(self._labels)

    def read(self, text: str, priority: Priority) -> Array | None:
        """The logarithm of how likely each word is behind `text`; None where the model was stopped."""
        request = GenerateRequest(
            SUBJECTS,
            (*_shown(_SAY_WHAT, ((said, f"{_BEGUN} {what}") for said, what in _ABOUT)), _user(text)),
            Sampling(temperature=0, max_tokens=1),
            priority,
            answer_start=_BEGUN,
            labels=self._labels,
        )
        stream = self._submit(request)
        stream.text()
        scores = stream.scores
        if not scores:
            return None
        logits = np.array([scores[label] for label in self._labels], np.float32)
        highest = float(logits.max())
        return logits - (highest + math.log(float(np.exp(logits - highest).sum())))

    def answers(self, asked: str, statement: str, priority: Priority) -> float | None:
        """How much likelier it is that what was told answers what is asked than not: the logarithm
        of the odds as the model gives them. None where it was stopped."""
        examples = ((_both(said, question), answer) for said, question, answer in _WHETHER)
        request = GenerateRequest(
            ANSWERS,
            (*_shown(_SAY_WHETHER, examples), Message("user", _both(statement, asked))),
            Sampling(temperature=0, max_tokens=1),
            priority,
            labels=(YES, NO),
        )
        stream = self._submit(request)
        stream.text()
        scores = stream.scores
        return scores[YES] - scores[NO] if scores else None


def _both(statement: str, asked: str) -> str:
    return f"Told: {_flat(statement)}\nAsked: {_flat(asked)}"


def _shown(system: str, examples: Iterable[tuple[str, str]]) -> tuple[Message, ...]:
    messages = [Message("system", system)]
    for said, written in examples:
        messages += [Message("user", said), Message("assistant", written)]
    return tuple(messages)


def _user(text: str) -> Message:
    return Message("user", _flat(text))


def _flat(text: str) -> str:
    return " ".join(text[:LONGEST].split())
