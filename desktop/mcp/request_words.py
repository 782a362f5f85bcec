"""The words of a request, as far as they say which tool of a server is meant.

Names and descriptions of tools are nearly always English and name things in one way; people ask in four
languages and in many. `resources/tool_words.toml` says which of their words mean which of the tools'.

Pure; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from desktop.chat.intent_words import language_of
from desktop.chat.request_kinds import DRAFTS, KEEPS
from desktop.chat.tool_args import NUMBER_WORDS
from desktop.chat.tool_choice import files_in
from desktop.paths import resources

SHORTEST_STEM = 4
# More than that behind the beginning of a word is another word: Zeitmaschine is no time that it is.
LONGEST_ENDING = 5
MOST_BETWEEN = 2  # words behind a number that may be what it counts: "20 dernières lignes"
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "e")
_POLITE = (
    r"(?:can|could|would|will) you|kannst du|könntest du|würdest du|können sie|könnten sie|peux-tu"
    r"|pourrais-tu|tu peux|pouvez-vous|pourriez-vous|(?:me )?puedes|podrías|podría usted"
    r"|(?:can|could|may) i have"
)
_LET = r"let (?:me|us)|lets|let['’]s|lass?t? (?:mich|uns)|laisse[sz]?[- ](?:moi|nous)|d[ée]ja(?:me|nos)"
_LEAD = rf"^\W*(?:(?:please|bitte|hey|ok|s'il te plaît|por favor|{_POLITE}|{_LET})\W+)*"
# A clause before the one that says what is wanted: "Before I commit, show me …". One that begins with "when"
# may be the question itself ("When was it changed, and by whom?"), unless somebody stands behind it.
_SUBORDINATE = re.compile(
    r"^\W*(?:before|after|once|while|until|unless|if|since|as (?:soon|long) as|in case|now that"
    r"|bevor|ehe|nachdem|wenn|falls|sobald|solange|während|seit|avant (?:de|que)|après|dès que|tant que|si"
    r"|antes de|después de|en cuanto|mientras"
    r"|(?:when(?:ever)?|quand|lorsque?|cuando) (?:i|you|we|they|it|he|she|everything"
    r"|je|tu|on|nous|vous|c['’]est|yo|tú|hay[aás]*)\b)"
    r"\b[^,.?!:\n]{1,200},\s*(?:then\s+|dann\s+)?(?=\S)",
    re.IGNORECASE,
)
# An address says no more than that it is one; what stands in quotation marks is a value, whatever its words
# mean. Single ones are apostrophes too often.
_ADDRESS = re.compile(r"\b(https?)://\S+", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]{1,300})"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«\s?([^»\n]{1,300}?)\s?»')
# A text that the request brings along, to be worked on: "this sentence: the dog ate the cake".
_BROUGHT = re.compile(
    r"\b(?:this|these|the following|dies\w*|folgende\w*|cett?e|ces|est[aeo]s?|siguientes?)\b"
    r"[^:.?!\n]{0,60}:\s*\S",
    re.IGNORECASE,
)
# Numbers that stand alone, and files of a kind: all .csv, *.log, PDF files.
_COUNTED = re.compile(r"(?<![\w.,:/-])-?\d+(?:[.,]\d+)?(?![\w:/-])")
_ENDING = re.compile(
    r"(?<![\w/])\*?\.[a-z]\w{1,4}\b|\b[A-Z0-9]{3,4}[- ]?(?:files|[Dd]ateien|fichiers|archivos|ficheros)\b"
)
# A word that is denied: what is "not staged" is what a tool calls unstaged.
_DENIED = re.compile(
    r"\b(?:not|never|\w+n['’]t|nicht|nie|pas|jamais|no|nunca)\s+"
    r"(?:(?:yet|been|ever|noch|encore|été|aún|sido)\s+)*([^\W\d_]{4,})",
    re.IGNORECASE,
)
# What is not to be done is no state: "Don't commit anything yet".
_FORBIDDEN = re.compile(
    r"(?:^|[.,;!:])\W*(?:(?:please|but|just|s'il te plaît|por favor|pero) )?"
    r"(?:don['’]t|do not|ne|no)\s+([^\W\d_]{4,})",
    re.IGNORECASE,
)
# A German participle, whose verb may be anybody's: gestaged, gepusht, gelöscht.
_PARTICIPLE = re.compile(r"ge(?=\w{4,}(?:t|d|en)$)")
# A German order whose verb has its first part at the end: "Trag … ein" is eintragen.
_SEPARATED = re.compile(
    r"^\W*(?:bitte\s+)?([^\W\d_]{3,}?)(?:e|t|en)?\b[^,.!?\n]{1,200}?\s"
    r"(hinzu|zurück|fest|raus|rein|rüber|zusammen|heraus|an|auf|aus|ab|ein|her|mit|nach|um|vor|weg|zu)(?=\s*(?:[,.:!?]|$))",
    re.IGNORECASE,
)
# What stands behind a kind of text that is given, not wanted: a commit with the message "First version".
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_GIVEN = re.compile(r"""\s*(?:["“„«]|:\s*\S)""")
# Something of the user's own, or of this place.
_MINE = re.compile(
    r"\b(?:my|mine|our|ours|here|this|these|mein\w*|unser\w*|hier|dies\w*|mon|ma|mes|notre|nos|ici|cette|ces|mis?"
    r"|nuestr\w*|aquí|est[aeo]s?)\b",
    re.IGNORECASE,
)
# Advice between two things, what happens when, and what is best of its kind.
_IN_GENERAL = re.compile(
    r"\b(?:should|shall) (?:i|we|one|you|people)\b[^.?!]{0,200}\bor\b"
    r"|\bsoll(?:te)?n? (?:ich|man|wir)\b[^.?!]{0,200}\boder\b"
    r"|\b(?:devrais-je|dois-je|faut-il|vaut-il mieux)\b[^.?!]{0,200}\bou\b"
    r"|\b(?:debería|debo|conviene)\b[^.?!]{0,200}\bo\b"
    r"|\bwhat happens (?:when|if)\b|\bwas (?:passiert|geschieht),? wenn\b"
    r"|\b(?:que se passe-t-il|qu['’]arrive-t-il|que se passe) (?:quand|lorsque|si)\b"
    r"|\bqué (?:pasa|ocurre|sucede) (?:cuando|si)\b"
    r"|\b(?:as a rule|in general|generally|typical(?:ly)?|usual(?:ly)?|im allgemeinen|in der regel"
    r"|normalerweise|üblich\w*|typischerweise|en général|généralement|d['’]habitude|d['’]ordinaire"
    r"|por lo general|en general|generalmente|normalmente)\b"
    r"|\b(?:what|which|who|welche\w*|was|wer|quel\w*|cuál\w*|qué|quién)\b[^.?!]{0,200}"
    r"\b(?:best|better|worst|easiest|safest|besser|am besten|beste[nrsm]?|meilleure?s?|mieux|mejor(?:es)?)\b",
    re.IGNORECASE,
)
# A list of things that a tool may have: of the newest commits.
_LIST_OF = re.compile(
    r"\b(?:list|overview|liste|übersicht|lista|aperçu) (?:of|with|der|aller|von|mit|des|de|con|avec)\b"
    r"([^.?!,]{1,60})",
    re.IGNORECASE,
)
# A word that only says which kind of another thing is meant: the time complexity of, about the echo sounder.
_KIND_OF = re.compile(
    r"\b(?:the|an?) ([a-z]+) ([a-z]{3,})(?= (?:of|for|in)\b)"
    r"|\b(?:of|about|on|for|with|in) (?:the |an? )?([a-z]+) ([a-z]{3,})(?=\s*(?:[.?!]|$))"
)
# A server that is there, under whatever name: "the test server", "vom Testserver"; a server as such is none.
_THE_SERVER = re.compile(
    r"\b(?:(?:the|my|our|that|this) (?:[\w-]+ ){0,2}servers?\b(?! (?:room|rack|farm)s?\b)"
    r"|(?:der|den|dem|des|vom|beim|zum|mein\w*|unser\w*|diese[rmns]) (?:[\w-]+ ){0,2}[\w-]*server[ns]?\b"
    r"|(?:le|du|au|ce|mon|notre) serveur\b|(?:el|del|al|este|mi|nuestro) servidor\b)",
    re.IGNORECASE,
)
# Somebody asks for a reason, who asks it of whom does not matter.
_ASKS_WHY = re.compile(
    r"\b(?:asks?|asked|asking|wonders?|wondering|wants? to know|fragt\w*|will wissen|demande\w*|veut savoir"
    r"|pregunta\w*|quiere saber),? (?:me |mich |mir |uns |us )?"
    r"(?:why|warum|wieso|weshalb|pourquoi|por qué)\b",
    re.IGNORECASE,
)
# What somebody tells of themselves, and a wish, which may begin alike.
_TOLD = re.compile(
    r"^\W*(?:(?:yesterday|today|last \w+|gestern|heute|hier|ayer|finally|so|and|well)[, ]+)?"
    r"(?:i|we|ich|wir|je|j['’]|nous|yo|my \w+|mein\w* \w+|mon \w+|ma \w+|mi \w+)\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"[?]|\b(?:please|want|need|wish|would|could|like you|let['’]?s|bitte|will|möchte\w*|brauch\w*"
    r"|hätte\w*|soll\w*|kannst|voudrais|veux|besoin|aimerais|peux|s['’]il|quiero|quisiera|necesito"
    r"|puedes|por favor)\b",
    re.IGNORECASE,
)
# What tools call what a thing has, rather than what it is called.
_PARTS_OF_THINGS = ("tree", "size", "log", "diff", "content", "info", "status")
# What stands before a thing and says nothing but which one, or how it is.
_NO_NAME_BEFORE = re.compile(
    r"new|fresh|old|current|whole|entire|complete|full|same|other|another|remote|local|latest|last|next|first|second"
    r"|third|right|wrong|correct|default|active|empty|big|small|huge|tiny|separate|different|public|private|open"
    r"|closed|single|specific|certain|only|very|parent|wh(?:at|ich|ose)|\w+(?:ed|ing|ous|ful|able|est|ly|ary)"
)
# A clause that says something, and of whom: "that she plays", "dass Nora die Chefin von Emil ist".
_CLAUSE = re.compile(
    r"\b(?:that|dass|que|qu['’])\s?(?P<of>he|she|it|they|er|sie|il|elle|ils|elles|ella|ellos|ellas|él)?\b"
    r"(?P<rest>[^.?!]*)",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<![.?!:] )(?<!^)\b[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*)*")
_ABOUT = re.compile(r"\b(?:about|über|sobre|à propos de) (?!it\b|this\b|that\b|me\b|mich\b)[^\W\d_]{3,}")
_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][a-z]+")
# A text of some kind about something, and things that are thought up.
_MADE_UP = re.compile(
    r"^\W*(?:please |bitte )?(?:"
    r"(?:write|compose|draft|schreib\w*|dichte|verfass\w*|écri\w*|compos\w*|rédig\w*|escrib\w*|redact\w*)\b"
    r"(?: (?:me|us|mir|uns|moi|nous))?(?:-moi)? (?:an?|eine?n?|une?) (?:\w+ )?(?P<kind>[^\W\d_]+)"
    r" (?:about|on|for|in which|über|zum|zur|für|sur|pour|sobre|para)\b"
    r"|(?:give|tell|sing|gib|erzähl\w*|donne|raconte|dame|cuénta\w*|cuenta)\b"
    r"(?:[ -](?:me|us|mir|uns|moi|nous))? (?:an?|eine?n?|une?|una?) (?:\w+ )?(?P<told>[^\W\d_]+)"
    r" (?:about|über|sur|sobre)\b"
    r"|(?:make up|invent|imagine|think of|come up with|suggest|erfinde?|denk dir|stell dir|überleg dir"
    r"|invente|propose|inventa|imagina|sugiere|propón)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class RequestWords:
    """One request. `said` are its words without endings, `meant` what they mean in names of tools, by the
    word that says it. `values` are files and quoted texts, whose words mean nothing. `looks`: it only wants
    to see something, or tells something. `ordered` is the word that an order begins with, "" where it is
    none. `denied`: words without endings that it says not to hold, which `said` has with "un" before them.
    `spelled`: how it writes words that the others hold otherwise. `called`: names of things in it, each with
    what it is the name of. `retells`: the request that a model has put into these words."""

    text: str
    said: tuple[str, ...]
    meaning: Mapping[str, frozenset[str]]
    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    looks: bool = False
    ordered: str = ""
    denied: frozenset[str] = frozenset()
    spelled: Mapping[str, str] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)
    retells: RequestWords | None = None

    @classmethod
    def of(cls, request: str) -> RequestWords:
        files = tuple(files_in(request))
        bare, quoted = _without_values(request, files)
        forbidden = {word.casefold() for word in _FORBIDDEN.findall(bare)}
        words = [word for word in _words(bare) if word not in empty_words() and word not in forbidden]
        plain = {_bare_verb(word): word for word in words}
        separated = _SEPARATED.match(bare)
        if separated is not None:
            plain[f"{separated[2]}{separated[1]}".casefold()] = separated[1].casefold()
        looks = _looks(request)
        table = _means_of(bool(files), looks, counted=not files and len(_COUNTED.findall(bare)) > 1)
        denied = {_bare_verb(word.casefold()) for word in _DENIED.findall(bare)}
        meaning = {word: _meant_by(word, table) for word in plain}
        # "Not committed" is a state, which uncommitted means, too; to undo it is not what is said.
        undone = {word: _meant_by(f"un{word}", table) - acting_words() for word in denied & plain.keys()}
        meaning |= {word: meant for word, meant in undone.items() if meant}
        said = {("un" if word in denied else "") + stem(word): word for word in plain}
        # Where a file is named, a file is meant; by the name itself, since no other word may say so.
        of_files = ("file", "path", *(("multiple",) if len(files) > 1 else ()))
        meaning |= {name.casefold(): frozenset(map(stem, of_files)) for name in files}
        endings = [found[0].casefold() for found in _ENDING.finditer(bare)] if not files else []
        meaning |= {each: frozenset(map(stem, ("search", "find", "pattern"))) for each in endings}
        return cls(
            request,
            tuple(said),
            {word: meant for word, meant in meaning.items() if meant},
            (*quoted, *files),
            files,
            looks,
            "" if looks else _ordered(request),
            frozenset(map(stem, denied)),
            {
                each: plain[word]
                for each, word in (*said.items(), *zip(plain, plain, strict=True))
                if not plain[word].startswith(each)
            },
        )

    @property
    def meant(self) -> frozenset[str]:
        return frozenset(each for meant in self.meaning.values() for each in meant)

    @property
    def is_general(self) -> bool:
        """Whether it asks what is so, or better, in general, and about nothing of the user's own."""
        if _ASKS_WHY.search(self.text):
            return not self.values
        return _IN_GENERAL.search(self.text) is not None and not self._is_of_something()

    @property
    def speaks_of_a_server(self) -> bool:
        """Whether something is wanted of a server that is there, under whatever name."""
        return _THE_SERVER.search(self.text) is not None

    def without_names(self, of_tools: Collection[str]) -> RequestWords:
        """Without the names that stand behind what bears them: staging of "the branch staging" is no change
        that is staged. `of_tools` are the words of the tools' names: of "the file info" none is a name."""
        # "The page https://…": an address is no name.
        text = _ADDRESS.sub(" ", self.text.casefold())
        pairs = [*re.findall(r"\b([^\W\d_]+)(?= ([^\W\d_]{3,}))", text), *_named_before(text)]
        behind = {word for thing, word in pairs if thing in named_things()} - named_things() - empty_words()
        # Of "the folder structure" the second word says what of the first is meant.
        names = {
            word
            for word in behind
            if not {word, word.removesuffix("s"), f"{word}s"} & set(of_tools)
            and self.meaning.get(word, frozenset()).isdisjoint(map(stem, _PARTS_OF_THINGS))
        }
        if not names or names <= {each.casefold() for each in self.values}:
            return self
        stemmed = frozenset(map(stem, names))
        said = tuple(word for word in self.said if word not in stemmed)
        meaning = {word: meant for word, meant in self.meaning.items() if word not in names}
        # "Did Paula commit anything": what is also something done bears no name there.
        things = named_things() - acting_words()
        called = {word: thing for thing, word in pairs if word in names and thing in things}
        values = (*self.values, *sorted(names))
        return replace(self, said=said, meaning=meaning, values=values, called=called)

    def without_kinds(self, known: Collection[str]) -> RequestWords:
        """Without the words that only say of which kind another thing is, of which no tool knows: "time" of
        the time complexity. `known` are the words of the tools."""
        if self._is_of_something() or _names_something(self.text):
            return self
        pairs = ((found[1] or found[3], found[2] or found[4]) for found in _KIND_OF.finditer(self.text))
        kinds = {
            stem(word)
            for word, head in pairs
            if word not in named_things() and not self._is_known(head, known)
        }
        if not kinds:
            return self
        said = tuple(word for word in self.said if word not in kinds)
        meaning = {word: meant for word, meant in self.meaning.items() if stem(word) not in kinds}
        return replace(self, said=said, meaning=meaning)

    def _is_known(self, word: str, known: Collection[str]) -> bool:
        return word in self.meaning or word in empty_words() or any(alike(stem(word), each) for each in known)

    def _is_of_something(self) -> bool:
        """Whether it names a file, an address, a text, or something of the user's own."""
        return bool(self.values or _ADDRESS.search(self.text) or _MINE.search(self.text))

    def names_something(self, known: Collection[str]) -> bool:
        """Whether a name stands in it, or what something is about. `known` are the words of the tools."""
        own = self.text if self.retells is None else self.retells.text
        named = (word for found in _PROPER.findall(own) for word in _words(found))
        strange = [word for word in named if word not in empty_words() and word not in self.meaning]
        return _ABOUT.search(own) is not None or any(
            not any(alike(stem(word), each) for each in known) for word in strange
        )

    @property
    def tells_of(self) -> int:
        """Of how many something is told that is to be kept: of one where a clause only points at somebody, of
        two where it names them; 0 where that cannot be said."""
        own = self.text if self.retells is None else self.retells.text
        clause = _CLAUSE.search(own)
        if clause is None:
            return 0
        if clause["of"]:
            return 1
        return 2 if len(_PROPER.findall(f"x {clause['rest']}")) > 1 else 0

    @property
    def given(self) -> str:
        """All that may hold a value: what was said, and how it was put since."""
        return self.text if self.retells is None else f"{self.retells.text}\n{self.text}"

    def counts(self, word: str) -> bool:
        """Whether it says how many of what tools call `word`: "les 20 dernières lignes" are lines."""
        bare = _without_values(self.text, self.files)[0]
        ends = [found.end() for pattern in (_COUNTED, NUMBER_WORDS) for found in pattern.finditer(bare)]
        behind = {each for end in ends for each in _words(bare[end:])[:MOST_BETWEEN]}
        return any(
            alike(stem(word), stem(each)) or stem(word) in self.meaning.get(each, frozenset())
            for each in behind
        )

    def has(self, word: str) -> bool:
        """Whether it says a word of a tool's name, or one that means it."""
        return any(alike(word, each) for each in self.said) or word in self.meant

    def speaking_for(self, named: Collection[str]) -> list[str]:
        """Beginnings of its own words, as it says them, that stand in a name or mean a word of it."""
        direct = [word for word in self.said if any(alike(word, other) for other in named)]
        meant = [word for word, means in self.meaning.items() if means & frozenset(named)]
        return list(dict.fromkeys(self.spelled.get(word, word) for word in (*direct, *meant)))

    def left_by(self, known: Iterable[str]) -> list[str]:
        """Its words that are none of `known`, and mean none of them: what could be a value."""
        if self.values:
            return list(self.values)
        words = tuple(known)
        means_known = {stem(word) for word, means in self.meaning.items() if means & frozenset(words)}
        return [
            word
            for word in self.said
            if word not in means_known and not any(alike(word, each) for each in words)
        ]


def _names_something(request: str) -> bool:
    """Whether a number or a name stands in it; in German every noun has a capital."""
    if re.search(r"\d", request):
        return True
    return language_of(request) != "de" and _NAME.search(request) is not None


def _named_before(text: str) -> list[tuple[str, str]]:
    """Things and their names, where these come first: "the develop branch", "den develop-Branch"."""
    found = re.findall(r"\b(?:the|my|our|your) ([^\W\d_]{3,}) ([^\W\d_]+)|\b([^\W\d_]{3,})-([^\W\d_]+)", text)
    pairs = ((thing or other, name or same) for name, thing, same, other in found)
    return [(thing, name) for thing, name in pairs if _NO_NAME_BEFORE.fullmatch(name) is None]


def alike(word: str, other: str) -> bool:
    """The same word, or the beginning of the other one: repo of repository."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= SHORTEST_STEM and long.startswith(short)


def stems(text: str) -> list[str]:
    """The words of a text that say something, without their endings."""
    return [stem(word) for word in _words(text) if word not in empty_words()]


def stem(word: str) -> str:
    """A word without its English ending: changes, changed and changing are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM - 1:
            return word[: -len(ending)]
    return word


def acting_words() -> frozenset[str]:
    """First words of names of tools that do something."""
    return frozenset(_tables()["acts"].split())


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 1]


def brings_text(asked: RequestWords) -> bool:
    """Whether the text that a request speaks of is said in it: a commit with the message "First version"."""
    drafts = DRAFTS.search(asked.text)
    return drafts is not None and _GIVEN.match(asked.text, drafts.end()) is not None


def wants_words(asked: RequestWords, tool_words: Collection[str]) -> bool:
    """Whether a text is wanted and nothing is to be done with it: a limerick, or what the request brings
    along in other words. `tool_words` are those of the tools, of which one may be what is to be written."""
    request = asked.text
    # "Translate: the folder is on the table": what is worked on says nothing of where it goes.
    drafts = DRAFTS.match(request)
    head = request.partition(":")[0] if drafts is not None else request
    if asked.files or _ADDRESS.search(request) or KEEPS.search(head):
        return False
    listed = _LIST_OF.search(request)
    if listed is not None and any(stem(word) in tool_words for word in _words(listed[1])):
        return False
    made = _MADE_UP.match(request)
    kind = (made["kind"] or made["told"] or "") if made is not None else ""
    if kind and stem(kind.casefold()) in tool_words:
        return False
    return made is not None or _BROUGHT.search(request) is not None or DRAFTS.search(request) is not None


def _without_values(request: str, files: Iterable[str]) -> tuple[str, list[str]]:
    """The request without the texts in quotation marks and the names of files, and those texts."""
    quoted = [next(filter(None, found)) for found in _QUOTED.findall(request)]
    bare = _ADDRESS.sub(r"\1", _QUOTED.sub(" ", request))
    for name in files:
        bare = bare.replace(name, " ")
    return bare, quoted


def _meant_by(word: str, table: Mapping[str, frozenset[str]]) -> frozenset[str]:
    # The longest beginning: "lese" is not what "les" is. What is short begins many a word: "lis" is no list.
    fitting = [
        said
        for said in table
        if word in (said, said.rstrip("$"))
        or (len(said) >= SHORTEST_STEM and word.startswith(said) and len(word) - len(said) <= LONGEST_ENDING)
    ]
    return table[max(fitting, key=len)] if fitting else frozenset()


def _bare_verb(word: str) -> str:
    return _PARTICIPLE.sub("", word)


def _looks(request: str) -> bool:
    wanted = _main_clause(request)
    if _looking().search(wanted):
        return True
    # "I finally deleted my old account!" wants nothing deleted; "I need a folder" does.
    if _TOLD.search(request) and not _WISHES.search(request) and len(_SENTENCE_END.split(request)) == 1:
        return True
    # "Is it bad to commit to main?" commits nothing; "Can you commit this?" does.
    last = _main_clause(_SENTENCE_END.split(request.strip())[-1])
    return last.endswith("?") and re.match(rf"^\W*(?:{_POLITE})\b", last, re.IGNORECASE) is None


def _ordered(request: str) -> str:
    """The word that a request begins with, as far as it may be a verb."""
    wanted = _main_clause(request)
    first = re.match(r"[^\W\d_]+", re.sub(_LEAD, "", wanted, flags=re.IGNORECASE))
    return first[0].casefold() if first is not None else ""


def _main_clause(request: str) -> str:
    """A request without what comes before it says what is wanted."""
    return _SUBORDINATE.sub("", request)


@cache
def _tables() -> Mapping[str, str]:
    return tomllib.loads((resources() / "tool_words.toml").read_text(encoding="utf-8"))


@cache
def empty_words() -> frozenset[str]:
    """Those that stand in nearly every request."""
    return frozenset(_tables()["empty"].split())


@cache
def same_words() -> Mapping[str, str]:
    """For a word of a tool's name the first of those that mean the same there, without endings."""
    lines = (line.split() for line in _tables()["same"].strip().splitlines())
    return {stem(each): stem(words[0]) for words in lines for each in words}


@cache
def named_things() -> frozenset[str]:
    """Those behind which a name stands: the folder invoices."""
    return frozenset(_tables()["named"].split())


@cache
def _means_of(of_file: bool, looks: bool, counted: bool) -> Mapping[str, frozenset[str]]:
    """Where a file is named, "changed" asks about its date and not what Git calls a change, and "change" is
    an order to do it. `counted`: there are numbers to add up."""
    if not of_file:
        return {**_table("means"), **(_table("means_of_numbers") if counted else {})}
    more = _table("questions_of_file") if looks else _table("orders_of_file")
    return {**_table("means"), **_table("means_of_file"), **more}


def _table(name: str) -> Mapping[str, frozenset[str]]:
    lines = (line.partition(":") for line in _tables()[name].strip().splitlines())
    return {said.strip(): frozenset(stem(each) for each in means.split()) for said, _, means in lines}


@cache
def _looking() -> re.Pattern[str]:
    pattern = "".join(_tables()["looks"].split("\n"))
    return re.compile(rf"{_LEAD}{pattern}(?!\w)", re.IGNORECASE)
