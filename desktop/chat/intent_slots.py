"""The slots of an intent: which file, folder or text the words of a request stand for.

A slot is filled from what is there, what was named last, or the words themselves. Where it could be two
things it stays empty, and the model is asked. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from desktop.chat.described_files import is_description
from desktop.chat.intent_plan import PlanState
from desktop.chat.intent_words import (
    COUNTS,
    HAS_ENDING,
    LIST_BREAK,
    LIST_WORDS,
    USER_FOLDERS,
    ending_of,
    endings_of,
    expression,
    is_plural,
    is_quoted,
    last_part,
    shape_of,
    stems,
    unquoted,
    words,
)
from desktop.chat.tool_choice import files_in

_AMOUNT = re.compile(
    r"(?<![\w.,])(?:[$€£] ?)?\d[\d.,]*\d(?:\s?(?:%|[$€£]|EUR|USD|GBP|euros?|dollars?|m?[lg]|[cd]l|kg|[ck]?m|"
    r"lit(?:re|er|ro)s?|gramm?e?s?|kilos?)(?!\w))?(?![\w-])",
    re.IGNORECASE,
)
_THE_ONE = re.compile(r"the (?:[\w'’-]+ ){1,2}one", re.IGNORECASE)
_ORIGINAL = re.compile(r"(?:l['’]|el |le |das )?original(?: one| file|e|es)?", re.IGNORECASE)
_PLACED = re.compile(
    r"(?P<what>.+?) (?:in|inside|from|of|aus|im|von|dans|de|du|en|del) (?P<where>.+)", re.IGNORECASE
)
_BOTH = re.compile(r"^(?:both|beide|les deux|ambos|ambas)\s+(?:of\s+)?(?=\S|$)", re.IGNORECASE)


_DEFINITE = re.compile(
    r"(?:the|my|our|die|der|das|den|dem|mein\w*|le|la|les|mon|ma|el|los|las|mi)\s|l['’]", re.IGNORECASE
)
_COUNTED = re.compile(
    r"(?P<all>(?:all|both|alle|beide|tous|toutes|tod[oa]s|amb[oa]s)\s+(?:of\s+)?)?"
    r"(?:(?:the|my|these|those|die|meine|diese|les|mes|ces|los|las|mis|estos|esos)\s+)?"
    r"(?:(?P<count>\d|two|three|four|five|six|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|dos|tres|cuatro|"
    r"cinco|seis)\s+)?(?P<what>[^\W\d_]+)(?:\s+(?:files|dateien|fichiers|archivos))?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:(?:the|die|der|das|le|la|el|number|no\.?|nummer|nr\.?|numéro|número)\s+)*(?P<number>\d{1,3})(?:\.|st|nd|rd|th)?",
    re.IGNORECASE,
)


def _series_name(path: str) -> frozenset[str]:
    """The words of a name that has a number, without it: scan of scan2.txt."""
    stem = last_part(path).rsplit(".", 1)[0]
    return stems(re.sub(r"[\s_-]*\d+$", "", stem)) if stem[-1:].isdigit() else frozenset()


SHORTEST_FORM = 4  # letters that two forms of a word have in common


def _is_one_of(word: str, said: Collection[str]) -> bool:
    """Whether it is one of the words of a name, or another form of one: "kurze" of rede_kurz.txt."""
    return any(
        word == each
        or (min(len(word), len(each)) >= SHORTEST_FORM and (word.startswith(each) or each.startswith(word)))
        for each in said
    )


def _told_of(thing: str, text: str) -> str:
    """The amount of `thing` in "recipe.md: 500 ml milk, 3 eggs", with it; "" where none was told."""
    parts = re.split(r"[,;\n]\s+|=\s*", text.partition(": ")[2] or text)
    found = [each.strip(" .") for each in parts if re.search(r"\d", each) and stems(thing) <= stems(each)]
    return found[-1] if found else ""


@dataclass(frozen=True)
class Slots:
    """Fills the slots of requests in one language. `described` is the file that the request describes, as
    it was chosen (`described_files.py`); "" where none was."""

    language: str
    described: str = ""

    def file(self, phrase: str, state: PlanState) -> str | None:
        """The file that is there and meant; None where that cannot be told."""
        found = self._by_name(phrase, state)
        if found is None and self.described and is_description(phrase, self.language):
            return self.described
        return found

    def _by_name(self, phrase: str, state: PlanState) -> str | None:
        if self.is_it(phrase) or self.is_there(phrase):
            called = self._called_so(phrase, state)
            is_any = self.without_the(phrase).casefold() in LIST_WORDS
            return (state.past.file or called if is_any else called or state.past.file) or None
        if (counted := self.nth(phrase, state.past.files)) is not None:
            return counted
        bare = unquoted(self.without_the(phrase))
        if _ORIGINAL.fullmatch(bare):
            return self.original(state)
        named = [
            each for each in state.files if bare.casefold() in (each.casefold(), last_part(each).casefold())
        ]
        if named:
            return named[0] if len(named) == 1 or bare in named else None
        if HAS_ENDING.fullmatch(bare) or not bare:
            return None
        is_any = bare.casefold() in LIST_WORDS and bool(state.past.file)
        if not is_any and (called := self._called_so(bare, state)):
            return called
        wanted = stems(bare) - LIST_WORDS
        names = {each: stems(last_part(each).rsplit(".", 1)[0]) - LIST_WORDS for each in state.files}
        fitting = [each for each, said in names.items() if wanted and said == wanted]
        if not fitting and _THE_ONE.fullmatch(phrase.strip()):
            return self.one_of_series(phrase, state)
        if fitting or not wanted or not _DEFINITE.match(phrase.strip()):
            return fitting[0] if len(fitting) == 1 else None
        # "The draft" is minutes-draft.txt, where only one is called so among other words.
        partly = [each for each, said in names.items() if all(_is_one_of(word, said) for word in wanted)]
        return partly[0] if len(partly) == 1 else None

    def _called_so(self, phrase: str, state: PlanState) -> str:
        """ "The poem" is poem.txt where that is there, whatever was touched last."""
        bare = unquoted(self.without_the(phrase)).casefold()
        named = [each for each in state.files if last_part(each).rpartition(".")[0].casefold() == bare]
        return named[0] if len(named) == 1 else ""

    def original(self, state: PlanState) -> str | None:
        """What the last request made a copy of."""
        named = files_in(state.past.asked)
        written = [str(call.arguments["path"]) for call in state.past.calls if call.name == "write_file"]
        is_copy = len(named) > 1 and last_part(named[1]) in map(last_part, written)
        return named[0] if is_copy and named[0] in state.files else None

    def files(self, phrase: str, state: PlanState) -> tuple[str, ...] | None:
        """All files that `phrase` means, folders too where one is named; None where one is not there."""
        if self.is_it(phrase):
            several = state.past.files if is_plural(phrase) else ()
            return several or ((state.past.file,) if state.past.file else None)
        if words("others", self.language).fullmatch(phrase.strip()):
            return self.others(state) or None
        phrase = _BOTH.sub("", phrase)
        if (kind := self._of_kind(phrase, state)) is not None:
            return kind or None
        single = self.file(phrase, state)
        if single is not None:
            return (single,)
        if series := self.series(phrase, state):
            return series
        names = [self.file(each, state) for each in LIST_BREAK.split(phrase) if each.strip()]
        if len(names) > 1 and all(names):
            return tuple(each for each in names if each)
        folder = self.folder(phrase, state) if self.says_folder(phrase) else None
        return (folder,) if folder is not None else None

    def _of_kind(self, phrase: str, state: PlanState) -> tuple[str, ...] | None:
        """The files of a kind, "photos", ".log files in logs", in the workspace itself or the folder that is
        named; None where no kind is."""
        there = {ending_of(each) for each in state.files}
        placed, folder = _PLACED.fullmatch(phrase.strip()), ""
        if placed is not None and (found := self.folder(placed["where"], state)) in state.folders:
            phrase, folder = placed["what"], str(found)
        endings = endings_of(unquoted(self.without_the(phrase)), there)
        here = (each for each in state.files if each.rpartition("/")[0] == folder)
        return tuple(each for each in here if ending_of(each) in endings) if endings else None

    def nth(self, phrase: str, of: Sequence[str]) -> str | None:
        """The one of `of` that "the second one" means; None for other words, or where there are fewer."""
        found = words("nth", self.language).fullmatch(phrase.strip())
        if found is None or len(of) < 2:
            return None
        which = next(name for name, said in found.groupdict().items() if said)
        at = len(of) if which == "last" else int(which[1:])
        return of[at - 1] if at <= len(of) else None

    def others(self, state: PlanState) -> tuple[str, ...]:
        """Those that are named like what was named last, but for their numbers: scan2 beside scan1."""
        was = {str(call.arguments.get("source", call.arguments.get("path", ""))) for call in state.past.calls}
        shapes = {shape_of(each) for each in was if shape_of(each) != each}
        two = state.past.files
        # Of two that were named together, the one that nothing was done to since.
        if not shapes and len(two) == 2 and state.past.file in two:
            return tuple(each for each in two if each != state.past.file and each in state.files)
        found = sorted(each for each in state.files if shape_of(each) in shapes and each not in was)
        return tuple(found) if found or shapes else self._beside(was, state)

    def _beside(self, was: Collection[str], state: PlanState) -> tuple[str, ...]:
        """The one other file in the folder of the one that was touched."""
        if len(was) != 1:
            return ()
        now = {str(call.arguments.get("destination", "")).removeprefix("./") for call in state.past.calls}
        folder = next(iter(was)).rpartition("/")[0]
        beside = [
            each
            for each in state.files
            if each.rpartition("/")[0] == folder and each not in was and each not in now
        ]
        return tuple(beside) if len(beside) == 1 else ()

    def series(self, phrase: str, state: PlanState) -> tuple[str, ...]:
        """All files that are called so but for their numbers: "the three scans", "alle scans". () where
        another number of them is said, or one of them would be enough."""
        counted = _COUNTED.fullmatch(phrase.strip())
        if counted is None:
            return ()
        # "The scan" is one of them.
        is_several = _DEFINITE.match(phrase.strip()) is not None and counted["what"].endswith("s")
        if not (counted["all"] or counted["count"] or is_several):
            return ()
        wanted = stems(counted["what"])
        fitting = [each for each in state.files if _series_name(each) == wanted]
        shapes = {(each.rpartition("/")[0], shape_of(last_part(each))) for each in fitting}
        said = counted["count"] or ("2" if _BOTH.match(counted["all"] or "") else "")
        count = str(COUNTS.get(said.casefold(), said))
        if len(fitting) < 2 or len(shapes) > 1 or (count and count != str(len(fitting))):
            return ()
        return tuple(sorted(fitting))

    def is_of_series(self, word: str, state: PlanState) -> bool:
        """Whether it is called like files that are there but for its number: scan9 beside scan1.txt."""
        name = _series_name(word) if "." not in word else frozenset()
        return bool(name) and any(_series_name(each) == name for each in state.files)

    def numbered(self, phrase: str, state: PlanState) -> str:
        """The file beside the one touched last that has the number which is said: "the 2", "number 3"."""
        found = _NUMBERED.fullmatch(phrase.strip())
        if found is None:
            return ""
        fitting = [
            each for each in self.others(state) if re.findall(r"\d+", last_part(each)) == [found["number"]]
        ]
        return fitting[0] if len(fitting) == 1 else ""

    def one_of_series(self, phrase: str, state: PlanState) -> str | None:
        """The file beside the one touched last that is told from it by a word of its own, or by being the
        other: "the green one" of sketch_blue.txt and sketch_green.txt, "the other sketch"."""
        others = self.others(state)
        if words("other_one", self.language).search(phrase):
            return others[0] if len(others) == 1 else None
        said = stems(phrase)
        own = {each: stems(last_part(each).rsplit(".", 1)[0].replace("_", " ")) for each in others}
        shared = frozenset.intersection(*own.values()) if len(own) > 1 else frozenset()
        touched = self._stems_touched(state)
        fitting = [each for each, of in own.items() if (of - shared - touched) & said]
        return fitting[0] if len(fitting) == 1 else None

    def _stems_touched(self, state: PlanState) -> frozenset[str]:
        names = [
            str(call.arguments.get("source", call.arguments.get("path", ""))) for call in state.past.calls
        ]
        return stems(" ".join(last_part(each).rsplit(".", 1)[0].replace("_", " ") for each in names))

    def folder(self, phrase: str, state: PlanState) -> str | None:
        """The folder that is there and meant, one of the user's own by its name; None otherwise."""
        bare = unquoted(self.without_the(phrase)).strip("/")
        name = re.sub(
            rf"\s*\b{expression('folder', self.language)}\b\s*", " ", bare, flags=re.IGNORECASE
        ).strip()
        if not name and (self.is_it(phrase) or self.is_there(phrase) or bare):
            return state.past.folder or None
        found = [each for each in state.folders if each.casefold() in (name.casefold(), bare.casefold())]
        found = found or [each for each in state.folders if last_part(each).casefold() == name.casefold()]
        if not found and name.casefold() in USER_FOLDERS:
            return name
        return found[0] if len(found) == 1 else None

    def target_folder(self, to: str, state: PlanState) -> str | None:
        """Where something is moved to; one that is not there yet where its name can be nothing else."""
        if not to or self.is_there(to) or self.is_it(to):
            return state.past.folder or None
        if (counted := self.nth(to, state.made)) is not None:
            return counted
        known = self.folder(to, state)
        if known is not None:
            return known
        bare = unquoted(self.without_the(to))
        if self.is_workspace(bare):
            return "."
        called = re.match(
            rf"(?:new |neuen |neues |nouveau |nueva )?{expression('folder', self.language)}\s+"
            r"(?:called |named |namens |appelé |nommé |llamad[ao] )?(?=\S)",
            bare,
            re.IGNORECASE,
        )
        if called is not None and len(bare[called.end() :].split()) <= 3 and "," not in bare:
            return unquoted(bare[called.end() :])
        name = re.sub(
            rf"\s*\b{expression('folder', self.language)}\b\s*", " ", bare, flags=re.IGNORECASE
        ).strip()
        is_named = self.says_folder(to) or bare.endswith("/") or is_quoted(to)
        plain = re.fullmatch(r"[\w./-]{1,40}", name) is not None and not HAS_ENDING.fullmatch(name)
        # A word alone after "to" is a place; "my sister" is none.
        return name.strip("/") if plain and (is_named or len(bare.split()) == 1) else None

    def append_target(self, to: str, state: PlanState) -> str | None:
        """The file that something is added to, also one that is not there yet and named with its ending."""
        if not to:
            return state.past.file or None
        found = self.file(to, state)
        if found is not None:
            return found
        bare = unquoted(self.without_the(to))
        # "A la lista" of the list that was read last; one with a name is looked for, or made.
        if bare.casefold() in LIST_WORDS and state.past.file:
            return state.past.file
        return bare if HAS_ENDING.fullmatch(bare) and not bare[0].isdigit() else None

    def new_file(self, phrase: str, state: PlanState) -> str | None:
        """The file that something is saved to: one that is there, or the path of a new one."""
        known = self.file(phrase, state)
        if known is not None:
            return known
        bare = unquoted(self.without_the(phrase))
        path = re.fullmatch(r"(?:[\w .-]+/)*[\w .-]+", bare)
        return (
            bare
            if path is not None and HAS_ENDING.fullmatch(last_part(bare)) and len(bare.split()) < 5
            else None
        )

    def content(self, what: str, state: PlanState) -> str:
        """What is added: the user's own words, or what "it" stands for."""
        if self.is_it(what):
            return state.past.value or state.past.kept_text
        if is_quoted(what):
            return unquoted(what)
        much = words("that_much", self.language).fullmatch(what.strip())
        if much is not None:
            return _told_of(much["thing"], state.past.text)
        amount = re.compile(expression("that_amount", self.language), re.IGNORECASE)
        if amount.search(what):
            # Of several numbers nobody knows which is meant.
            found = _AMOUNT.findall(state.past.value or state.past.kept_text)
            return amount.sub(found[0].strip(), what).strip(" :") if len(found) == 1 else ""
        return self.without_a(what).strip(" :")

    def without_there(self, phrase: str) -> str:
        """ "scan2.txt there too" without the place, which the last request has named."""
        place = re.search(rf"\s+{expression('there', self.language)}$", phrase, re.IGNORECASE)
        return phrase[: place.start()] if place is not None else phrase

    def without_a(self, phrase: str) -> str:
        """ "Agrega a Lucía": the word before a person is no part of the name."""
        person = re.match(r"a (?=[A-ZÁÉÍÓÚÑ])", phrase) if self.language == "es" else None
        return phrase[person.end() :] if person is not None else phrase

    def is_it(self, phrase: str) -> bool:
        return words("it", self.language).fullmatch(phrase.strip()) is not None

    def is_there(self, phrase: str) -> bool:
        return words("there", self.language).fullmatch(phrase.strip()) is not None

    def is_workspace(self, phrase: str) -> bool:
        bare = self.without_the(phrase)
        return words("workspace", self.language).fullmatch(bare) is not None

    def says_folder(self, phrase: str) -> bool:
        return words("folder", self.language).search(phrase) is not None

    def without_the(self, phrase: str) -> str:
        """`phrase` without articles and "file called"; what is quoted stays as it is."""
        bare = phrase.strip()
        if is_quoted(bare):
            return bare
        bare = re.sub(rf"^{expression('the', self.language)}+", "", bare, flags=re.IGNORECASE)
        called = r"(?:called|named|namens|mit dem namen|appelé|nommé|llamad[ao])\s+"
        return re.sub(
            rf"^{expression('file', self.language)}\s+(?:{called})?(?=\S)", "", bare, flags=re.IGNORECASE
        ).strip()

    def several_names(self, what: str) -> str:
        """`these three: a.txt, b.txt and c.txt` without the words before the names."""
        found = re.match(rf"(?:{expression('it', self.language)})\s*[:,]\s*(?=\S)", what, re.IGNORECASE)
        return what[found.end() :] if found is not None else what
