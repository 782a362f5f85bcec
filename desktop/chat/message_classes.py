"""What a message is, learned from examples: a danger to somebody, a question about Steward, a wish that
something be forgotten, or none of these.

Wordings have no end. Tables of expressions that must understand a message whole, and lists of words that
weigh, reached half of what people say who had not seen them. So a linear model is learned from thousands of
messages in four languages (`dev.py learn`, from `tests/bench/message_examples/`): each word, each pair of
neighbours and each run of two to five letters speaks for a class or against it, the rare ones more than the
common ones. It is the classical classifier of texts, reads a message in a millisecond, and needs no language
model; what it cannot do is understand. docs/measurements.md has how it does on messages of others.

`resources/message_classes.bin`: a line of JSON, and behind it, for each of the buckets of its parts, a byte
that says how rare its features are and one signed byte for each column. Features are put into buckets by
their CRC-32, so that the table needs no list of them.

Pure functions over a table that is read once; any thread.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from desktop.paths import resources

# The classes that exclude each other; behind them in the table the kinds of danger, the topics of questions,
# the languages and the speech acts, by the names that the examples have.
DANGER, OWN, FORGET, OTHER = "danger", "own", "forget", "other"
CLASSES = (DANGER, OWN, FORGET, OTHER)
LANGUAGE, ACT = "language", "act"
TELL = "tell"  # the speech act of who only tells something

SHORTEST_RUN, LONGEST_RUN = 2, 5  # letters
LONGEST_MESSAGE = 600  # letters; a longer one is a text that was pasted, and nobody in danger writes a page

# In nats, chosen by examples that were left out in turn (docs/measurements.md).
IS_DANGER = 0.0  # from here on it is answered as a danger
MAY_BE_DANGER = -1.0  # from here on a line stands before the model's own answer
IS_OWN = -0.75  # from here on it is a question about Steward
IS_SURELY_OWN = 1.0  # and from here on one whoever else could be meant
WANTS_FORGETTING = -1.0  # from here on it is asked what is to be forgotten
MAY_WANT_FORGETTING = -3.0  # and from here on where the rules read a wish and find nothing
CLEAR_TOPIC = 0.5  # more than for the next topic, where it is not sure that Steward is asked about
CLEAR_KIND = 0.7  # more than for the next kind
KEPT_MESSAGES = 8  # one is asked about several times in a turn

# As people type them: without the apostrophe, or by a letter.
_SHORTENED = """
    don't can't won't didn't isn't doesn't aren't wasn't i'm i've he's she's what's who's that's j'ai c'est
    u=you ur=your pls=please plz=please hab=habe gibts=gibt_es gehts=geht_es nen=einen ne=eine q=que
"""
_SHORT_FORMS = {
    short.replace("'", ""): (whole or short).replace("_", " ")
    for short, _, whole in (each.partition("=") for each in _SHORTENED.split())
}


def plain_words(text: str) -> str:
    """Small letters without accents and marks, one space between words, short forms written out."""
    folded = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    words = re.sub(r"[,;:!?¿¡.()\"“”„«»*…-]+", " ", bare).split()
    return " ".join(_SHORT_FORMS.get(word, word) for word in words)


# Words that ask politely, whatever is asked: "would you be so kind as to tell me". Whoever is asked so is
# spoken to, and that alone is like a question about Steward.
_TELL_ME = r"(?: (?:please )?(?:tell|let) me(?: know)?)?"
_COURTESY = re.compile(
    r"(?<!\w)(?:"
    r"(?:would|could|will|might|can|if) you (?:now |also |would |could |please |perhaps ){0,3}(?:"
    r"be (?:so|very|really|as) (?:kind|good|nice)(?: as to| and| to)?|"
    r"be (?:kind|good|nice) enough (?:to|and)|be a dear and|kindly|please|mind(?: awfully)?(?: telling me)?|"
    r"do me the (?:kindness|favou?r) of|"
    rf"happen to know){_TELL_ME}|"
    rf"(?:please )?be so (?:kind|good) as to{_TELL_ME}|"
    r"i(?:['’]d| should| would) be (?:so |very |most |much ){0,2}(?:grateful|obliged)"
    rf"(?: to (?:know|hear)| if you (?:would|could|might){_TELL_ME})?|i (?:should|would) like to know|"
    r"(?:may|might|could) i (?:please )?(?:ask you to|trouble you to|ask|enquire|inquire)|"
    rf"i wonder(?: if| whether)? you (?:would|could|might)(?: kindly)?{_TELL_ME}|"
    r"if (?:i may(?: ask)?|you please|it is (?:not too much|no) trouble|it isn['’]t too much trouble)|"
    r"(?:could|would) you(?=[^.!?]*\bplease\b)|please|kindly|"
    r"(?:könnten?|würden?|wären?|hätten?|sind|seien) (?:sie|du) (?:bitte |wohl |doch |vielleicht ){0,3}(?:"
    r"so (?:freundlich|nett|gut|lieb)(?: sein)?(?:,? und)?|mir den gefallen tun|"
    r"die (?:güte|freundlichkeit))(?:,? mir (?:bitte )?zu sagen)?|"
    r"(?:könnten|würden) sie (?:mir bitte|bitte mir) sagen|(?:könnten|würden) sie(?=[^.!?]*\bbitte\b)|"
    r"(?:darf|dürfte) ich (?:sie )?(?:höflich )?(?:fragen|bitten)|wenn ich fragen darf|bitte|"
    r"freundlicherweise|ich wäre (?:ihnen )?(?:sehr )?dankbar(?:,? wenn sie(?: mir)?)?|"
    r"auriez-vous (?:l['’]amabilité|la (?:gentillesse|bonté)|l['’]obligeance) (?:de |d['’])"
    r"(?:me (?:dire|indiquer|rappeler)(?= (?:quand|où|si|ce |qui|quel|comment|combien)))?|"
    r"(?:pourriez|voudriez)-vous (?:aussi )?(?:me dire|m['’]indiquer)|"
    r"(?:pourriez|voudriez)-vous(?=[^.!?]*\b(?:s['’]il vous pla[iî]t|je vous prie))|"
    r"seriez-vous assez aimable pour(?: me dire)?|puis-je (?:vous )?demander|"
    r"je vous serais (?:très )?reconnaissante? de(?: me dire)?|si je (?:peux|puis) me permettre|"
    r"s['’]il (?:vous|te) pla[iî]t|je vous prie|"
    r"(?:sería|serías) (?:usted )?tan (?:amable|gentil) de(?: decirme)?|"
    r"tendría (?:usted )?la (?:amabilidad|bondad) de(?: decirme)?|podría (?:usted )?decirme|"
    r"podría(?: usted)?(?=[^.!?]*\bpor favor\b)|por favor|(?:le )?puedo preguntar(?:le)?|"
    r"le agradecería(?: mucho)?(?: que me dijera)?|si me permite(?: la pregunta)?|si es tan amable|"
    # thanks before what is wanted
    r"(?:(?:thank you|thanks)(?: (?:so much|very much|kindly|indeed|a lot))?(?:,? (?:dear|love))?|"
    r"that(?: is|['’]s) (?:so |very |most |really )?(?:kind|good|lovely|nice|helpful|sweet)(?: of you)?|"
    r"(?:vielen |herzlichen |besten |lieben )?dank(?:e(?: (?:schön|sehr|dir|ihnen))?)?|"
    r"das ist (?:sehr |wirklich |aber )?(?:nett|lieb|freundlich)(?: von (?:ihnen|dir))?|"
    r"merci(?: (?:beaucoup|bien|à vous))?|"
    r"c['’]est (?:très |bien )?(?:gentil|aimable)(?: à vous| de votre part)?|"
    r"(?:muchas |mil )?gracias|es (?:usted )?muy amable)[.!,]+(?=\s+\w)"
    r")(?!\w)",
    re.IGNORECASE,
)


@lru_cache(maxsize=KEPT_MESSAGES)
def without_courtesy(text: str) -> str:
    """`text` without the words that only ask politely; as it is where it has none, is too long, or is nothing
    else."""
    if len(text) > LONGEST_MESSAGE:
        return text
    bare, count = _COURTESY.subn(" ", text)
    bare = re.sub(r"\s+(?=[,.;!?])", "", bare)
    return " ".join(bare.split()).strip(" ,") if count and re.search(r"\w", bare) else text


@dataclass(frozen=True)
class MessageScores:
    """Log-odds of each class against the others, in nats: 0 is as likely as not. `kinds`, `topics`,
    `languages` and `acts` are log-likelihoods up to a constant, and compare only among themselves."""

    danger: float
    own: float
    forget: float
    kinds: Mapping[str, float]
    topics: Mapping[str, float]
    languages: Mapping[str, float]  # en, de, fr and es, as kinds
    acts: Mapping[str, float]  # ask, order, tell and task, as kinds

    @property
    def language(self) -> str:
        return max(self.languages, key=lambda name: self.languages[name], default="en")

    @property
    def may_have_fixed_answer(self) -> bool:
        """Whether one of the bounds is reached from which the host says something."""
        return self.danger >= MAY_BE_DANGER or self.own >= IS_OWN


NOTHING = MessageScores(-math.inf, -math.inf, -math.inf, {}, {}, {}, {})


@lru_cache(maxsize=KEPT_MESSAGES)
def message_scores(text: str) -> MessageScores:
    """Of `text`; `NOTHING` where it is empty or too long. The latest few are kept."""
    if not text.strip() or len(text) > LONGEST_MESSAGE:
        return NOTHING
    scores = {name: score for part in _parts() for name, score in part.scores(text).items()}
    whole = [scores[name] for name in CLASSES]
    kinds, topics, languages, acts = (_named(scores, name) for name in (DANGER, OWN, LANGUAGE, ACT))
    danger, own, forget = (_over_others(whole, CLASSES.index(name)) for name in (DANGER, OWN, FORGET))
    return MessageScores(danger, own, forget, kinds, topics, languages, acts)


def is_likeliest_told(text: str) -> bool:
    """Whether somebody who says `text` rather tells something than does anything else with it."""
    acts = message_scores(text).acts
    return bool(acts) and clearest(acts)[0] == TELL


def clearest_language(text: str) -> tuple[str, float]:
    """The one that `text` is most like, and by how much more than the next; English by nothing where there is
    nothing to read."""
    languages = message_scores(text).languages
    return clearest(languages) if languages else ("en", 0.0)


def _named(scores: Mapping[str, float], of: str) -> Mapping[str, float]:
    return {name.removeprefix(f"{of}:"): score for name, score in scores.items() if name.startswith(f"{of}:")}


def clearest(scores: Mapping[str, float]) -> tuple[str, float]:
    """The name with most behind it, and how much more than the next has."""
    best, second = sorted(scores, key=lambda name: -scores[name])[:2]
    return best, scores[best] - scores[second]


def buckets_of(text: str, bits: int) -> Sequence[int]:
    """Where the features of `text` stand in a table of 2 to the power of `bits`; each once, sorted."""
    size = 1 << bits
    return sorted({zlib.crc32(feature.encode()) % size for feature in _features(text)})


def _features(text: str) -> Iterable[str]:
    words = plain_words(text).split()
    if "?" in text:
        yield "?"
    line = ("^", *words, "$")
    for first, second in pairwise(line):
        yield f"b{first} {second}"
    for word in words:
        yield f"w{word}"
        spaced = f" {word} "
        for length in range(SHORTEST_RUN, LONGEST_RUN + 1):
            for start in range(len(spaced) - length + 1):
                yield f"c{spaced[start : start + length]}"


def _over_others(scores: Sequence[float], index: int) -> float:
    others = [score for place, score in enumerate(scores) if place != index]
    most = max(others)
    return scores[index] - most - math.log(sum(math.exp(score - most) for score in others))


@dataclass(frozen=True)
class _Part:
    """Some columns of the table: `weights` has for each bucket its rarity, and behind it a weight of each
    column, in its step."""

    bits: int
    columns: tuple[str, ...]
    bias: tuple[float, ...]
    steps: tuple[float, ...]
    weights: memoryview

    def scores(self, text: str) -> Mapping[str, float]:
        width = len(self.columns) + 1
        sums, squares = [0.0] * len(self.columns), 0.0
        for bucket in buckets_of(text, self.bits):
            rarity, *row = self.weights[bucket * width : (bucket + 1) * width].tolist()
            squares += rarity * rarity
            for column, weight in enumerate(row):
                sums[column] += rarity * weight
        length = math.sqrt(squares) or 1.0
        return {
            name: self.bias[column] + self.steps[column] * sums[column] / length
            for column, name in enumerate(self.columns)
        }


@cache
def _parts() -> tuple[_Part, ...]:
    head, _, rest = (resources() / "message_classes.bin").read_bytes().partition(b"\n")
    weights, parts, start = memoryview(rest).cast("b"), [], 0
    for said in json.loads(head)["parts"]:
        columns = tuple(said["columns"])
        end = start + (len(columns) + 1 << said["bits"])
        parts.append(
            _Part(said["bits"], columns, tuple(said["bias"]), tuple(said["steps"]), weights[start:end])
        )
        start = end
    return tuple(parts)
