"""A name that is spelled another way: "Meyer with y", "Stefan mit ph", "s'écrit avec deux t".

Who says so names letters, or the name as it ought to be, and seldom both; a small model writes the old
name again. So the one word that is meant is found in the text, and the letters are put where they sound
alike. Where that could be two places nothing is found. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

ALIKE = 0.6  # of two spellings of one name: Schmidt and Schmitt, Katherine and Catherine
LEAST_LETTERS = 3
LONGEST = 16  # words of a request; a longer one says more than how a name is written
# What may stand for each other in a name, by sound or by sight.
_SOUNDS: tuple[tuple[str, ...], ...] = (
    ("i", "y", "ie", "j"),
    ("c", "k", "ck", "ch", "q"),
    ("f", "v", "w", "ph", "ff"),
    ("s", "z", "ss", "ß", "tz"),
    ("c", "s", "z"),
    ("d", "t", "dt", "th", "tt"),
    ("a", "e", "ä", "ae"),
    ("o", "u", "ö", "oe"),
    ("u", "ü", "ue"),
    ("ai", "ay", "ei", "ey"),
    ("g", "j"),
)
_PAIRS = "ph ck ch th ie ei ey ai ay tz ss dt tt ff ll nn mm rr pp kk bb gg zz ae oe ue sh qu oo ee aa cc dd"
_ONE = r"(?:an?|one|just one|einem?|nur einem?|une?|un seul|una?|uno|una sola|un solo)"
_TWO = r"(?:two|a double|double|zwei|doppel-?|doppeltem|deux|dos|doble)"
# Behind it the clause ends, so that the "a" of "with a friend" is no letter.
_LETTERS = (
    rf"[\"'“„«‘]?(?P<{{0}}>{'|'.join(_PAIRS.split())}|[^\W\d_])(?!\w)[\"'”“»’]?(?:['’]?s\b)?"
    r"(?=\W*\Z|\s*[,.;!?]|\s+(?:not|no|at|in|am|im|statt|instead|rather|pas|et|and|und|y|e|en|au|nicht|please|"
    r"bitte|por)\b)"
)
_WITH = re.compile(
    rf"\b(?:with|mit|avec|con)\s+(?:(?:(?P<two>{_TWO})|(?P<one>{_ONE}))[\s-]*)?(?:letter )?"
    + _LETTERS.format("letters"),
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:without|ohne|sans|sin)\s+(?:(?:an?|the|das|dem|le|la|el|une?|una?)\s+)?" + _LETTERS.format("gone"),
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|instead of|rather than|and no|nicht|statt|anstatt|pas|et non|au lieu d[eu’']|no|en vez de|"
    r"en lugar de)\s+(?:(?:with|mit|avec|con)\s+)?(?:(?:an?|einem?|une?|una?)\s+)?" + _LETTERS.format("was"),
    re.IGNORECASE,
)
_SPELLS = re.compile(
    r"\b(?:spell\w*|spelt|written|writes|geschrieben|schreib\w*|[eé]cri\w*|escrib\w*|orthographi\w*)\b",
    re.IGNORECASE,
)
# "I meant Meyer", "it should be Meyer".
_MEANT = re.compile(
    r"\b(?:i meant|i mean|should (?:be|say|read)|supposed to be|ich meinte?|gemeint war|voulais dire|"
    r"quería decir|quise decir)[:,]?\s+(?P<name>[^\W\d_]{3,})",
    re.IGNORECASE,
)
_MENDS = """
    i meant mean it is its it's the a an and please sorry no not actually oops his her their name names
    called he she they spelled spelt spelling written with without double two one letter fix correct
    change that can you could of course in should be to wrong has ich meinte es ist der die das den dem
    und bitte nein nicht heißt heisst sich wird geschrieben mit ohne zwei doppel schreibt name korrigier
    korrigiere ändere änder mal doch je voulais dire c'est le la les et pardon non s'appelle s'écrit
    écrit avec sans deux corrige change nom se escribe con sin dos quería decir quise es el se llama
    corrige nombre por favor por cambia perdón
"""
_MENDING_WORDS = frozenset(_MENDS.split())


def respelled(request: str, text: str) -> tuple[str, str] | None:
    """The word of `text` that `request` spells another way, and how; None where it says anything else, or
    where it could be two."""
    said = request.strip()
    with_, without, not_ = _WITH.search(said), _WITHOUT.search(said), _NOT.search(said)
    letters = (with_ or without) is not None
    if len(said.split()) > LONGEST or not (letters or _MEANT.search(said)):
        return None
    # "Come with a B" spells nothing.
    if letters and not (_SPELLS.search(said) or _MEANT.search(said) or _is_short(said, text)):
        return None
    words = tuple(dict.fromkeys(re.findall(r"[^\W\d_]{2,}", text)))
    new = tuple(_as_it_ought_to_be(said, words, letters))
    if len(new) == 1 and _says_no_more(said, new[0]):
        return new[0]
    if not letters or new:
        return None
    known = {word.casefold(): word for word in words}
    spoken = [known[each] for each in _words(said) if each in known and len(each) >= LEAST_LETTERS]
    found = {
        (word, other)
        for word in dict.fromkeys(spoken)
        if (other := _other_spelling(word, with_, without, not_)) and _says_no_more(said, (word, other))
    }
    return found.pop() if len(found) == 1 else None


def _words(said: str) -> list[str]:
    return [each.casefold() for each in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", said)]


def _is_short(said: str, text: str) -> bool:
    """Whether nothing is said but a name and its letters: "Meyer with y"."""
    known = text.casefold()
    return sum(1 for each in _words(said) if each not in _MENDING_WORDS and each not in known) <= 2


def _says_no_more(said: str, pair: tuple[str, str]) -> bool:
    """Whether all of the request is about the one word: what else it asks for is not to be lost."""
    own = {each.casefold() for each in pair}
    rest = [each for each in _words(said) if each not in own and each not in _MENDING_WORDS and len(each) > 2]
    return len(rest) <= 2


def _as_it_ought_to_be(said: str, words: tuple[str, ...], letters: bool) -> Iterator[tuple[str, str]]:
    """Names of the request that are in no line, each with the word of one that it spells another way."""
    known = {each.casefold() for each in words}
    named = {each["name"] for each in _MEANT.finditer(said)}
    named |= set(re.findall(r"\b[^\W\d_]{3,}", said)) if letters else set()
    for name in sorted(named):
        if name.casefold() in known or name.casefold() in _MENDING_WORDS:
            continue
        near = [each for each in words if is_alike(each, name)]
        if len(near) == 1:
            yield near[0], _cased(name, near[0])


def is_alike(one: str, other: str) -> bool:
    """Whether both may be spellings of one name."""
    if min(len(one), len(other)) < LEAST_LETTERS or abs(len(one) - len(other)) > 2:
        return False
    begins = one[:1].casefold(), other[:1].casefold()
    if begins[0] != begins[1] and not any(set(begins) <= {each[0] for each in group} for group in _SOUNDS):
        return False
    return SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio() >= ALIKE


def _cased(name: str, like: str) -> str:
    return name[:1].upper() + name[1:] if like[:1].isupper() else name


def _other_spelling(
    word: str, with_: re.Match[str] | None, without: re.Match[str] | None, not_: re.Match[str] | None
) -> str:
    low = word.casefold()
    found: set[str] = set()
    if with_ is not None:
        letters = with_["letters"].casefold()
        if not_ is not None:
            found = _put(low, not_["was"].casefold(), letters)
        elif with_["two"] and len(letters) == 1:
            found = _doubled(low, letters)
        elif with_["one"] and letters * 2 in low:
            found = _put(low, letters * 2, letters)
        else:
            found = _sounding(low, letters)
    elif without is not None:
        found = _put(low, without["gone"].casefold(), "")
    found -= {low}
    return _cased(found.pop(), word) if len(found) == 1 else ""


def _put(word: str, old: str, new: str) -> set[str]:
    """`word` with `new` in each place of `old`, one place at a time."""
    return {f"{word[: at.start()]}{new}{word[at.end() :]}" for at in re.finditer(re.escape(old), word)}


def _doubled(word: str, letter: str) -> set[str]:
    """Schmidt with two t is Schmitt."""
    mixed = "dt" if letter == "t" else "ck" if letter == "k" else ""
    if mixed and mixed in word:
        return _put(word, mixed, letter * 2)
    single = rf"(?<!{letter}){letter}(?!{letter})"
    return {f"{word[: at.start()]}{letter * 2}{word[at.end() :]}" for at in re.finditer(single, word)}


def _sounding(word: str, letters: str) -> set[str]:
    """`letters` in the place of what sounds like them; the fewest letters go."""
    if len(letters) == 2 and letters[0] == letters[1]:
        return _doubled(word, letters[0])
    if letters == "h":
        return _with_h(word)
    alike = {each for group in _SOUNDS if letters in group for each in group} - {letters}
    for size in sorted({len(each) for each in alike}):
        found: set[str] = set()
        for each in alike:
            found |= _put(word, each, letters) if len(each) == size else set()
        if found:
            return found
    return set()


def _with_h(word: str) -> set[str]:
    """Where an h is silent: Thomas, Sarah, John."""
    for pattern in (r"t(?!h)", r"a$", r"o(?=n$)"):
        found = {f"{word[: at.end()]}h{word[at.end() :]}" for at in re.finditer(pattern, word)}
        if found:
            return found
    return set()


def passage_like(wanted: str, text: str) -> str:
    """The one passage of as many words that is spelled much like `wanted`, as "Querido Luis" is like "Querida
    Luisa"; "" where there is none, or several."""
    words = wanted.split()
    found = [*re.finditer(r"\S+", text)]
    passages = []
    for at in range(len(found) - len(words) + 1):
        window = [each[0].strip(_MARKS) for each in found[at : at + len(words)]]
        alike = [
            one.casefold() == two.casefold() or is_alike(one, two)
            for one, two in zip(window, words, strict=True)
        ]
        if words and all(alike) and window != words:
            start, end = found[at].start(), found[at + len(words) - 1].end()
            passages.append(text[start:end].strip(_MARKS))
    return passages[0] if len(passages) == 1 else ""


_MARKS = ".,;:!?\"'“”„«»()"
