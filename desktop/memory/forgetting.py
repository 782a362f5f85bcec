"""What a wish to forget takes: the notes, the turns and the commands that have to do with it.

"Forget my landlord Quibblethorn" means whatever was said of him, also in passing. So it is looked for by his
name, by all words of the wish, and by the topic that it names ("where I live"). What is called by one word
and told in others ("my salary": "I earn 3,870") is found by `resources/memory/forgetting.toml`; there the
sentences that have most of the wish are taken. Of a turn the sentences about it go, the rest of it stays. The
plan can be shown before anything is done.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from desktop.memory.context import states_something
from desktop.memory.item import Item, MemoryKind, MemorySource
from desktop.memory.meanings import everyday_meanings
from desktop.memory.search import Search
from desktop.memory.statement_patterns import any_case
from desktop.memory.store import EVERYWHERE, MemoryStore
from desktop.memory.text import Finder, asks, normalised, sentences, singular, stem
from desktop.paths import resources

FOUND = 200  # memories that are looked at for one wish
SHORTEST_NAME = 3  # letters
SHORTEST_PART = 5  # letters of a word that may stand inside another: "schenk" in "Geschenk"
SHORTEST_PIECE = 8  # letters of a text that is a sentence cut short, as titles are
SHOWN = 8  # sentences that may be meant
_NAME = re.compile(r"(?<!^)\b[A-ZÄÖÜ][\w'’-]{2,}|\b\w*\d\w*\b")
_CAPITAL = re.compile(r"(?<!^)\b[A-ZÄÖÜÉ]\w+")
_OF_NUMBERS = any_case(
    r"\b(?:digits?|numbers?|figures?|codes?|pin|sum|amount|zahl\w*|ziffer\w*|nummer\w*|betrag\w*|summe)\b"
)


@dataclass(frozen=True)
class ForgottenSubject:
    """What a wish is about. A sentence is taken that has one of the `names`, or where there are none all of
    the `words`, or that states something about one of the `topics`."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()
    exactly: str = ""  # a note in its own words: what holds all of it is taken, and nothing else
    said: frozenset[str] = frozenset()  # sentences, normalised: these are taken, and nothing else

    @property
    def finder(self) -> Finder:
        return Finder(self.names or self.words)


@dataclass(frozen=True)
class ForgetPlan:
    """`items` are the memories that a wish takes, wholly or in part; the oldest first."""

    subject: ForgottenSubject
    items: tuple[Item, ...] = ()
    in_chats: tuple[str, ...] = ()  # sentences that stand in conversations alone
    is_near: bool = False  # what comes nearest to the wish, and may not be what was meant

    @property
    def notes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind is MemoryKind.NOTE)

    @property
    def is_plain(self) -> bool:
        """Whether it takes one note, with what that replaced, and the turns in which they were told word for
        word: that needs no second question."""
        if self.is_near:
            return False
        if sum(note.superseded_by is None for note in self.notes) != 1:
            return False
        said = [normalised(note.text) for note in self.notes]
        return all(any(words in normalised(item.text) for words in said) for item in self.items)


class Forgetting:
    """Makes plans, and carries them out in memory. All methods may be called on any thread."""

    def __init__(self, store: MemoryStore, search: Search) -> None:
        self._store = store
        self._search = search

    def plan(self, wish: str) -> ForgetPlan:
        """What a wish takes, whatever layer or project it is in; no items where nothing fits."""
        wish = wish.strip(" .!")
        subject = self._subject(wish)
        found = self._found(subject)
        nearer = self.nearest(wish, [item.text for item in found.values()]) if subject.names else None
        if nearer is not None:
            # "What I give Lena" is one thing of all that was said of her.
            subject = nearer
            found = {key: item for key, item in found.items() if self._takes_of(subject, item)}
        elif not found:
            candidates = self._candidates(wish)
            nearer = self.nearest(wish, [item.text for item in candidates])
            subject = nearer or subject
            found = {item.id: item for item in candidates if self._takes_of(subject, item)}
        items = tuple(sorted(self._with_history(found.values()), key=lambda item: item.id))
        return ForgetPlan(subject, items, is_near=nearer is not None)

    def plan_in(self, wish: str, texts: Sequence[str]) -> ForgetPlan | None:
        """The plan for texts that are no memories; None where nothing in them fits."""
        wish = wish.strip(" .!")
        subject = self._subject(wish)
        stated = tuple(each for text in texts for each in sentences(text) if not asks(each))
        taken = tuple(each for each in stated if self.takes(subject, each))
        nearer = self.nearest(wish, taken or stated)
        if nearer is not None and (subject.names or not taken):
            subject, taken = nearer, tuple(each for each in stated if self.takes(nearer, each))
        return ForgetPlan(subject, in_chats=tuple(dict.fromkeys(taken))) if taken else None

    def may_be_meant(self, wish: str, said: Sequence[str]) -> tuple[str, ...]:
        """The sentences of memory, and of what the user said in chats, the oldest first, that a wish may be
        about; where it names somebody, those that name them. () where nothing was told."""
        latest = self._store.latest(EVERYWHERE, limit=FOUND)
        own = [each.text for each in latest if each.source is MemorySource.USER]
        stated = [
            each
            for text in (*own, *reversed(said[-FOUND:]))
            for each in sentences(text)
            if not asks(each) and self._store.vocabulary.says_something(each)
        ]
        # Behind nothing but requests "away with all of it" is of what they were about.
        if not any(states_something(each, self._store.vocabulary) for each in stated):
            return ()
        candidates = list({normalised(each): each for each in reversed(stated)}.values())[::-1]
        subject = self._subject(wish)
        names = Finder(subject.names)
        if subject.names and (named := [each for each in candidates if names.in_text(each)]):
            candidates = named
        telling = [each.word for each in self._wanted(wish, ())]
        return likeliest_meant(wish, candidates, telling)

    def plan_of_sentences(self, chosen: Sequence[str], wish: str) -> ForgetPlan:
        """What takes the sentences that were chosen, and of the wish what says them too."""
        small = self._store.vocabulary.small
        said = (*chosen, *that_tell(sentences(wish), chosen, small))
        subject = ForgottenSubject(said=frozenset(map(normalised, said)))
        latest = self._store.latest(EVERYWHERE, limit=FOUND)
        found = (each for text in chosen for each in self._candidates(text))
        taken = {each.id: each for each in (*latest, *found) if self._takes_of(subject, each)}
        items = tuple(sorted(self._with_history(taken.values()), key=lambda item: item.id))
        return ForgetPlan(subject, items, in_chats=tuple(chosen))

    def nearest(self, wish: str, texts: Iterable[str]) -> ForgottenSubject | None:
        """The sentences of `texts` that have most of what a wish names, at least half of it, in its words or
        in others for the same; None where none has, or where there is nothing but a name to go by."""
        wanted = self._wanted(wish, self._subject(wish).names)
        if not wanted or all(each.is_name for each in wanted):
            return None
        stated = [each for text in texts for each in sentences(text) if not asks(each)]
        named = [each for each in wanted if each.is_name]
        covers = {each: sum(one.is_in(each) for one in wanted) for each in stated}
        kept = {each: cover for each, cover in covers.items() if all(one.is_in(each) for one in named)}
        most = max(kept.values(), default=0)
        if most <= len(named) or 2 * most < len(wanted):
            return None
        said = frozenset(normalised(each) for each, n in kept.items() if n == most)
        # A wish that says the name or the number itself must not go on saying it.
        tells = any(each.is_name or any(map(str.isdigit, each.word)) for each in wanted)
        return ForgottenSubject(said=said | ({normalised(wish)} if tells else frozenset()))

    def plan_of(self, note: Item) -> ForgetPlan:
        """The plan for one note: it, what it replaced, and the turns in which it was said."""
        subject = ForgottenSubject(exactly=normalised(note.text))
        found = {item.id: item for item in self._store.history(note.id)}
        for old in tuple(found.values()):
            question = self._search.question(old.text, EVERYWHERE, (MemoryKind.EPISODE,))
            # Only turns with the whole note: to forget one thing must not take its neighbours along.
            words = normalised(old.text)
            turns = (hit.item for hit in self._search.hits(question, FOUND))
            found.update((turn.id, turn) for turn in turns if words in normalised(turn.text))
        return ForgetPlan(subject, tuple(sorted(found.values(), key=lambda item: item.id)))

    def carry_out(self, plan: ForgetPlan) -> int:
        """Take it out of memory for good; returns how many memories were taken or cut."""
        gone: list[int] = []
        for item in plan.items:
            rest = "" if item.kind is not MemoryKind.EPISODE else self.rest(plan.subject, item.text)
            if rest and self._store.vocabulary.says_something(rest):
                self._store.change(item.id, rest)
            else:
                gone.append(item.id)
        if plan.items:
            self._store.forget(gone)
        return len(plan.items) or len(plan.in_chats)

    def rest(self, subject: ForgottenSubject, text: str, mark: str = "") -> str:
        """`text` without the sentences that are taken, with `mark` in the place of each."""
        for sentence in sentences(text):
            if self.takes(subject, sentence):
                # In its place, so that lines and paragraphs around it stay as they are.
                text = text.replace(sentence, mark, 1)
        return text.strip()

    def takes(self, subject: ForgottenSubject, sentence: str) -> bool:
        """Whether a sentence is about what is to be forgotten."""
        if subject.exactly:
            return subject.exactly in normalised(sentence)
        if subject.said:
            return _is_one_of(normalised(sentence), subject.said)
        found = subject.finder.in_text(sentence) if subject.names or subject.words else ()
        wanted = subject.names or subject.words
        if found and (subject.names or len(found) == len(wanted)):
            return True
        return bool(subject.topics) and any(
            each.topic in subject.topics for each in self._store.statements(sentence)
        )

    # -- inside -------------------------------------------------------------------------------

    def _found(self, subject: ForgottenSubject) -> dict[int, Item]:
        found: dict[int, Item] = {}
        question = self._search.question(" ".join(subject.names or subject.words), EVERYWHERE)
        for item_id in self._search.scores(question):
            if len(found) >= FOUND:
                break
            for item in self._store.items([item_id]):
                if self._takes_of(subject, item):
                    found[item.id] = item
        found |= {item.id: item for item in self._store.items(self._store.stating(subject.topics))}
        return found

    def _takes_of(self, subject: ForgottenSubject, item: Item) -> bool:
        return any(self.takes(subject, each) for each in sentences(item.text))

    def _candidates(self, wish: str) -> tuple[Item, ...]:
        """What may be meant, by its words or by any other for the same; the latest where that is nothing."""
        ids = list(self._search.scores(self._search.question(wish, EVERYWHERE)))[:FOUND]
        latest = self._store.latest(EVERYWHERE, limit=FOUND)
        return tuple({item.id: item for item in (*self._store.items(ids), *latest)}.values())

    def _wanted(self, wish: str, names: Sequence[str]) -> tuple[_Wanted, ...]:
        vocabulary = self._store.vocabulary
        terms = self._search.question(wish).terms
        telling = [each for each in terms if each not in vocabulary.stop and each not in vocabulary.weak]
        people = self._store.statement_reader.people
        # "My landlord Quibblethorn": what he is narrows nothing that was said of him.
        words = [each for each in telling if not names or singular(each) not in people]
        parts = {part for name in names for part in re.findall(r"\w+", name)}
        return tuple(_Wanted(each, each in parts, _told_in(each)) for each in words)

    def _subject(self, wish: str) -> ForgottenSubject:
        terms = self._search.question(wish).terms
        # "The name of the vet" is about the vet.
        words = tuple(each for each in terms if each not in self._store.vocabulary.weak) or terms
        names = tuple(dict.fromkeys(name.casefold() for name in _NAME.findall(wish) if self._is_name(name)))
        topics = frozenset(self._store.topics_in(wish)) if not names else frozenset[str]()
        if not names and len(words) == 1 and self._is_name(words[0]) and _told_in(words[0]) is None:
            names = words
        return ForgottenSubject(words, names, topics)

    def _is_name(self, word: str) -> bool:
        """No noun of everyday life, which German writes with a capital too."""
        folded = singular(word.casefold())
        return len(folded) >= SHORTEST_NAME and not self._store.is_everyday(folded)

    def _with_history(self, items: Iterable[Item]) -> tuple[Item, ...]:
        chains = (self._store.history(item.id) for item in items)
        return tuple({item.id: item for chain in chains for item in chain}.values())


@dataclass(frozen=True)
class _Wanted:
    """A word of a wish. `told` says the same in other words, None where nothing is known to."""

    word: str
    is_name: bool = False
    told: re.Pattern[str] | None = None
    _stem: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "_stem", stem(self.word))

    def is_in(self, sentence: str) -> bool:
        folded = sentence.casefold()
        if self.told is not None and self.told.search(folded):
            return True
        inside = len(self._stem) >= SHORTEST_PART and not self.is_name
        return re.search(rf"{'' if inside else chr(92) + 'b'}{re.escape(self._stem)}", folded) is not None


@cache
def _subjects() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    table = tomllib.loads((resources() / "memory" / "forgetting.toml").read_text(encoding="utf-8"))
    return tuple(
        (frozenset(each["named"].split()), re.compile("|".join(each["told"]))) for each in table.values()
    )


def _told_in(word: str) -> re.Pattern[str] | None:
    """How people tell what a wish calls by this word."""
    return next((told for named, told in _subjects() if word in named), None)


def _is_one_of(text: str, said: frozenset[str]) -> bool:
    """Whether `text` is one of these sentences, holds one, or is one cut short, as titles are."""
    if any(each in text for each in said):
        return True
    return len(text) >= SHORTEST_PIECE and any(text in each for each in said)


SHORT_WISH = 8  # words
_ME_OR_YOU = re.compile(
    r"\b(?:i|i['’]\w+|me|my|mine|you|your|u|we|us|our|let['’]s|ich|mich|mir|mein\w*|du|dich|dir|dein\w*|wir|uns\w*|"
    r"je|j['’]\w+|moi|m['’]\w+|mon|ma|mes|tu|t['’]\w+|toi|te|ton|tes|nous|notre|nos|yo|mi|mis|tú|ti|nuestr\w*|"
    r"please|bitte|s['’]il|stp|svp|por favor|porfa)\b",
    re.IGNORECASE,
)


def likeliest_meant(wish: str, told: Iterable[str], telling: Sequence[str]) -> tuple[str, ...]:
    """Of the sentences `told`, the latest first, those that a wish may be about, the likeliest first: what
    shares a word with it, or one of the same meaning, then what was told last; () where none shares anything
    with a long one that speaks neither of the user nor to Steward. `telling` are the words of the wish that
    say something."""
    meant = everyday_meanings().of(wish)
    asks_for_number = _OF_NUMBERS.search(wish) is not None
    stems = [stem(word) for word in telling]
    told = tuple(dict.fromkeys(told))

    def share(sentence: str) -> float:
        words = normalised(sentence).split()
        same = sum(any(word.startswith(each) for word in words) for each in stems)
        alike = len(meant & everyday_meanings().of(sentence))
        return same + alike / 2 + (0.5 if asks_for_number and re.search(r"\d", sentence) else 0.0)

    # "Beryl stood the whole of Thursday, bless her" is told of somebody else, and asks nobody for anything.
    is_told = len(wish.split()) > SHORT_WISH and _ME_OR_YOU.search(wish) is None
    if is_told and not any(map(share, told)):
        return ()
    return tuple(sorted(told, key=share, reverse=True)[:SHOWN])


def that_tell(wish: Iterable[str], chosen: Collection[str], small: Collection[str]) -> Iterator[str]:
    """The sentences of a wish that say what was chosen, by a name or any word but `small` ones: they must go
    with it."""
    words = {
        word for each in chosen for word in normalised(each).split() if word not in small and len(word) > 1
    }
    names = {name for each in chosen for name in _CAPITAL.findall(each)}
    for sentence in wish:
        if words & set(normalised(sentence).split()) or names & set(_CAPITAL.findall(sentence)):
            yield sentence


# -- whether a message wants something forgotten -----------------------------------------------

# Whether a message wants something forgotten, and what: in English, German, French and Spanish.
#
# People say it straight ("forget my PIN"), from behind ("the wifi password, strike that from your notes")
# and around it ("you don't have to know what I earn"). So no whole sentence is known here. A wish is
# known by its verb and by who is to do it, a deletion also by what it names: your memory, what I told
# you, that it is nobody's business. What the sentence has beside that is what is meant.
#
# Pure; any thread.

LONGEST = 300  # characters; more is a text with such words in it
LONGEST_FRONT = 9  # words before "…, forget it" that name a thing and are no sentence of their own
_I = re.IGNORECASE


@dataclass(frozen=True)
class ForgetRequest:
    """`is_straight`: said in so many words; else it may be talk, and is asked about before it is done.
    `if_remembered`: it names something of the user's own and no place, so that it may be a file's as well."""

    what: str
    language: str
    is_straight: bool
    if_remembered: bool = False


@dataclass(frozen=True)
class _Wording:
    """How one language says it. `forget` and `delete` begin a clause, the others stand anywhere; of `unkept`
    ("you need not know") what is meant stands before or behind it. Behind `object_of` comes what is meant
    ("what I told you about"), and `fillers` say nothing of it."""

    language: str
    polite: str
    asked: str
    forget: str
    delete: str
    it: str
    place: str
    told: str
    unkept: str
    pretend: str
    private: str
    reason: str
    fillers: str
    thing: str  # a front that names something: "La surprise d'Inès, tu peux l'oublier"
    mine: str  # before what is the user's own
    clause: str = "(?!)"  # behind a comma, what is still the object of the verb

    def read(self, text: str) -> ForgetRequest | None:
        lead = rf"(?:^|[.,;:!–—]\s*)(?:{self.polite})*(?:{self.asked})?(?:{self.polite})*"
        forget = re.search(rf"{lead}(?P<verb>{self.forget})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        delete = re.search(rf"{lead}(?P<verb>{self.delete})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        around = [re.search(each, text, _I) for each in (self.unkept, self.pretend)]
        # "Delete all of the drafts" speaks of nothing that was told or known.
        is_told = any(_SAID_OR_KNOWN.search(each[0]) for each in re.finditer(self.told, text, _I))
        is_theirs = is_told or re.search(rf"{self.place}|{self.private}", text, _I) is not None
        is_around = any(each is not None for each in around)
        if delete is not None and not (is_theirs or is_around):
            if forget is None and (own := self._own(text, delete)):
                return ForgetRequest(own, self.language, is_straight=False, if_remembered=True)
            delete = None
        verb = forget or delete
        if verb is None and not is_around:
            return None
        what = self._object(text, verb, is_theirs or is_around)
        is_straight = verb is not None and not is_around and verb.start() == 0
        # "Forget the bank one" may be of a reminder.
        is_straight = is_straight and not what.endswith(" one")
        return ForgetRequest(what, self.language, is_straight) if what else None

    def _own(self, text: str, verb: re.Match[str]) -> str:
        """The user's own thing, where the verb and it are all that is said: "entferne mein Kennzeichen"."""
        rest = (
            rf"\s+(?P<what>(?:{self.mine})(?:\s+(?!{_PLACED})[^\s,.;]+){{1,3}})(?:\s+(?:{self.polite}))*\W*"
        )
        found = re.fullmatch(rest, text[verb.end() :], _I)
        is_whole = _ERASES.match(verb["verb"]) is not None and not text[: verb.start()].strip(" ¿¡")
        return self._bare(found["what"]) if found is not None and is_whole else ""

    def _object(self, text: str, verb: re.Match[str] | None, has_reason: bool) -> str:
        """What is meant: behind the verb, or before it where only a pronoun or nothing follows."""
        if verb is None:
            return self._bare(text)
        before, behind = text[: verb.start()], text[verb.end() :]
        pronoun = re.match(rf"[\s-]*(?:{self.it})(?![\w'’])", behind, _I)
        behind_it = behind[pronoun.end() :] if pronoun is not None else behind
        small = rf"(?:\s*(?:{self.place}|{self.polite}|{self.fillers}))*"
        # "Vergiss, wer …" goes on behind the comma, "vergiss es, was gibt es" does not.
        goes_on = f"(?!\\s*(?:{self.clause}))" if pronoun is None else ""
        nothing = rf"{small}\s*(?:[.;!–—]|$|,{goes_on})"
        is_hung = re.search(r"(?:l['’]|l[oae]s? )$", text[: verb.start("verb")], _I) is not None
        if re.match(rf"\s*(?:{self.told})", behind, _I) or re.match(nothing, behind_it, _I) is None:
            first = next(iter(sentences(behind.lstrip(" ,:"))), "")
            rest = re.split(rf"[;!–—]\s|,\s*(?:{self.reason})\b", first, flags=_I)[0]
            is_talk = re.match(rf"\s*(?:{_OF_TALK})", rest, _I) and not re.search(self.told, rest, _I)
            return "" if is_talk else self._bare(rest)
        # "I lost my keys. Forget it": of the keys nothing is to be forgotten.
        names_a_thing = re.match(rf"\W*(?:{self.polite})*(?:{self.thing})", before, _I) is not None
        is_short = len(before.split()) <= LONGEST_FRONT and re.search(r"[.!?]\s*$", before) is None
        is_meant = (pronoun is not None or is_hung) and names_a_thing and is_short
        return self._bare(before) if has_reason or is_meant else ""

    def _bare(self, text: str) -> str:
        """The text without what only says that something is to be forgotten."""
        left = f" {text} "
        for each in (self.place, self.told, self.pretend, self.unkept, self.private):
            left = re.sub(each, " ", left, flags=_I)
        for _ in range(3):
            left = re.sub(rf"(?<![\w'’])(?:{self.fillers}|{self.polite})(?![\w'’])", " ", left, flags=_I)
        left = re.sub(
            rf"[,.;–—]\s*(?:{self.delete})(?:[\s-]*(?:{self.it}))?\s*[.!]*\s*$", " ", left, flags=_I
        )
        left = re.sub(rf"^[\s,.;:–—]*(?:{self.it})(?![\w'’])", " ", left, flags=_I)
        return " ".join(left.split()).strip(" .,;:!?–—-")


# "Take my coat" and "drop my sister a line" take nothing out of a memory.
_ERASES = re.compile(
    r"delet|eras|remov|wipe|lösch|streich|entfern|tilg|effac|supprim|élimin|borr|bórr|elimin", _I
)
_PLACED = r"(?:from|off|out|in|on|aus|auf|von|vom|im|dans|sur|du|des|en)\b"
_SAID_OR_KNOWN = re.compile(
    r"\b(?:i|you|we|ich|du|wir|je|tu|te|sabes|dicho|memor(?:y|ies)|erinnerung(?:en)?)\b|t['’]", _I
)
# "Forget what I just asked": what was said, and nothing that it was about.
_OF_TALK = (
    r"(?:what|das,? was|was|ce que|lo que) (?:i|ich|je|te|j['’]|yo|acabo)\b.{0,25}?\b(?:ask|sa[iy]|type"
    r"|wrote|meant?|frag|gefragt|gesagt"
    r"|geschrieben|demand|dit|écrit|pregunt|dich|dij|escri)\w*|(?:that )?i (?:said|asked|mentioned|wrote)\b"
)

# "Remove milk from shopping.txt" is for the file.
_FILE = re.compile(r"\b[\w-]+\.[A-Za-z]\w{1,4}\b(?!\.)")


@cache
def _wordings() -> tuple[_Wording, ...]:
    """Those of `resources/memory/forget_requests.toml`."""
    tables = tomllib.loads((resources() / "memory" / "forget_requests.toml").read_text(encoding="utf-8"))

    def whole(said: str | list[str]) -> str:
        return said if isinstance(said, str) else "|".join(said)

    return tuple(
        _Wording(language, **{name: whole(said) for name, said in table.items()})
        for language, table in tables.items()
    )


@cache
def request_beginnings() -> re.Pattern[str]:
    """Without any of these a message wants nothing forgotten, as most do. For one space between words."""
    verbs = (rf"(?<!\w)(?:{verb})" for each in _wordings() for verb in (each.forget, each.delete))
    around = (rf"(?:{around})" for each in _wordings() for around in (each.unkept, each.pretend))
    return re.compile("|".join((*verbs, *around)), _I)


def forget_request(text: str) -> ForgetRequest | None:
    """What the message wants forgotten; None where it wants nothing or not that."""
    asked = " ".join(text.split())
    if len(asked) > LONGEST or _FILE.search(asked):
        return None
    return next(_readings(asked), None)


def _readings(asked: str) -> Iterator[ForgetRequest]:
    for wording in _wordings():
        found = wording.read(asked)
        if found is not None:
            yield found
