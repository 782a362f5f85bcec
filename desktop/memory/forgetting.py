"""What a wish to forget takes: the notes, the turns and the commands that have to do with it.

"Forget my landlord Quibblethorn" means whatever was said of him, also in passing. So it is looked for by his
name, by all words of the wish, and by the topic that it names ("where I live"). Of a turn the sentences about
it go, the rest of it stays. The plan can be shown before anything is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from desktop.memory.item import Item, MemoryKind
from desktop.memory.search import Search
from desktop.memory.store import EVERYWHERE, MemoryStore
from desktop.memory.text import Finder, normalised, sentences, singular

FOUND = 200  # memories that are looked at for one wish
SHORTEST_NAME = 3  # letters
_NAME = re.compile(r"(?<!^)\b[A-ZÄÖÜ][\w'’-]{2,}|\b\w*\d\w*\b")


@dataclass(frozen=True)
class ForgottenSubject:
    """What a wish is about. A sentence is taken that has one of the `names`, or where there are none all of
    the `words`, or that states something about one of the `topics`."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()
    exactly: str = ""  # a note in its own words: what holds all of it is taken, and nothing else

    @property
    def finder(self) -> Finder:
        return Finder(self.names or self.words)


@dataclass(frozen=True)
class ForgetPlan:
    """`items` are the memories that a wish takes, wholly or in part; the oldest first."""

    subject: ForgottenSubject
    items: tuple[Item, ...] = ()

    @property
    def notes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind is MemoryKind.NOTE)

    @property
    def is_plain(self) -> bool:
        """Whether it takes one note, with what that replaced, and the turns in which they were told word for
        word: that needs no second question."""
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
        subject = self._subject(wish.strip(" .!"))
        found: dict[int, Item] = {}
        question = self._search.question(" ".join(subject.names or subject.words), EVERYWHERE)
        for item_id in self._search.scores(question):
            if len(found) >= FOUND:
                break
            for item in self._store.items([item_id]):
                if any(self.takes(subject, each) for each in sentences(item.text)):
                    found[item.id] = item
        for item in self._store.items(self._store.stating(subject.topics)):
            found[item.id] = item
        return ForgetPlan(subject, tuple(sorted(self._with_history(found.values()), key=lambda i: i.id)))

    def plan_of(self, note: Item) -> ForgetPlan:
        """Of one note: what it replaced, and the turns in which it was told."""
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
        self._store.forget(gone)
        return len(plan.items)

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
        found = subject.finder.in_text(sentence) if subject.names or subject.words else ()
        wanted = subject.names or subject.words
        if found and (subject.names or len(found) == len(wanted)):
            return True
        return bool(subject.topics) and any(
            each.topic in subject.topics for each in self._store.statements(sentence)
        )

    # -- inside -------------------------------------------------------------------------------

    def _subject(self, wish: str) -> ForgottenSubject:
        words = self._search.question(wish).terms
        names = tuple(dict.fromkeys(name.casefold() for name in _NAME.findall(wish) if self._is_name(name)))
        topics = frozenset(self._store.topics_in(wish)) if not names else frozenset[str]()
        if not names and len(words) == 1 and self._is_name(words[0]):
            names = words
        return ForgottenSubject(words, names, topics)

    def _is_name(self, word: str) -> bool:
        """No noun of everyday life, which German writes with a capital too."""
        folded = singular(word.casefold())
        return len(folded) >= SHORTEST_NAME and not self._store.is_everyday(folded)

    def _with_history(self, items: Iterable[Item]) -> tuple[Item, ...]:
        chains = (self._store.history(item.id) for item in items)
        return tuple({item.id: item for chain in chains for item in chain}.values())
