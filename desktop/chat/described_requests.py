"""What a request comes to whose file is described and not named: "schreib Butter auf die Einkaufsliste".

The tables say first whether all of it would be understood if only the file were known; a file that nobody
has stands in its place. Only then the model is asked which one is meant (`described_files.py`), and the
request is read once more with that. Nothing is moved, renamed or deleted by a description, and where a text
is to be made of the user's own things and no file has them, nothing is written. Nothing is changed here. Any
thread; blocks while the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop.chat.compositions import kept_composition
from desktop.chat.content_search import Mention, mentions, names_of_both
from desktop.chat.described_files import UNKNOWN, FileChoice, FileMeant, place_named
from desktop.chat.file_judgements import (
    ANSWERED_BY_NAME,
    ANSWERED_OVER_NOT,
    ANSWERED_THOUGH_OF_WORLD,
    Ranked,
    answered_over_not,
    ranked,
)
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import (
    LANGUAGES,
    asks_own_affairs,
    describes_file,
    expression,
    is_listed,
    language_of,
    last_part,
    quotation,
    say,
    stems,
)
from desktop.chat.intents import LONGEST, Intents
from desktop.chat.orders import is_order, only_tells
from desktop.chat.query_grounding import GOES_ON
from desktop.chat.references import Past
from desktop.chat.request_kinds import (
    ASKS_IF_STANDS,
    LETTERS,
    OUT_OF_REACH,
    OWN_ELSEWHERE,
    asks_if_done,
    asks_of_today,
    is_act,
)
from desktop.chat.table_questions import TableQuestions
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in, own_hints
from desktop.tools.table_queries import tables_in, writable_rows
from desktop.tools.tables import table_in

_ADDS = frozenset(("append_text", "replace_text"))
_ALL_MAY = frozenset(("append_text", "replace_text", "read_file", "write_file"))
# A text that is thought up, whatever it is about.
_WRITES = re.compile(
    r"\b(?:write|draft|compose|reply|answer to|schreib\w*|verfass\w*|entwirf|formulier\w*|écri\w*|ecri\w*|"
    r"rédig\w*|redig\w*|escrib\w*|redact\w*)\b",
    re.IGNORECASE,
)
# Why something is so, and what "a" thing is or does, no file of somebody's own tells.
_GENERAL = re.compile(
    r"\W*(?:why|warum|wieso|weshalb|pourquoi|por qué|what(?:['’]?s| is| are| does) an?\b|"
    r"was (?:ist|sind|macht|heißt) eine?n?\b|qu['’]est-ce qu['’]une?\b|que (?:fait|veut dire) une?\b|"
    r"qué (?:es|son|hace) una?\b|how (?:do|does|can|should) (?:you|one|i|we|an?)\b|"
    r"wie (?:macht|kocht|lange|oft) (?:man|ein)\b|comment (?:on|faire|fait)\b|cómo se\b)",
    re.IGNORECASE,
)
# What somebody may, should or can do is asked of the world, and not of rows of their own.
_ADVICE = re.compile(
    r"\b(?:(?:can|could|should|may|must|shall|would) (?:i|we|you)|what (?:can|could|should|shall) (?:i|we)|"
    r"how (?:can|do|should|could) (?:i|we)|(?:do|does) (?:i|we) need|(?:i|we) need|tell me an?|"
    r"(?:kann|soll|sollte|darf|könnte|brauche|möchte) (?:ich|wir|man)|"
    r"(?:ich|wir) (?:möchte|brauche|will|wollen)|"
    r"(?:kannst|könntest) du|können sie|wie (?!viel|oft|lange|hoch|weit)\w+e ich|"
    r"(?:peux|pourrais)-tu|pouvez-vous|puis-je|dois-je|que faire|comment (?:je|on|faire)|"
    r"qué (?:hago|puedo|debo)|(?:puedo|debo|puedes|podrías)|cómo (?:hago|puedo))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’]m|i['’]ve|my|me|we|our|us|ich|mein\w*|mir|mich|wir|uns(?:er\w*)?|je|j['’]\w*|mon|ma|mes|moi|"
    r"m['’]\w+|nous|notre|nos|yo|mis?|me|tengo|tenemos|nuestr\w*)\b",
    re.IGNORECASE,
)
READABLE = (".csv", ".tsv", ".md", ".txt", ".pdf", ".json", ".ics")
LINE_SHOWN = 90  # characters of a line that speaks of it
MOST_JUDGED = 2  # files that speak of it
SECOND = 0.6  # of the weight of the first, by which a second one is looked into as well
MOST_QUOTED = 14  # lines of one
# Nats over no file at all: of those whose rows are asked, and of a text that is read.
LEAST_OVER_NONE, TEXT_OVER_NONE = -1.0, 1.0
LEAST_WHERE_SURE = -4.0  # where it is clear that one of them has the answer
CLOSE_FILES, MOST_TRIED = 3.5, 3  # nats below the likeliest; files
FOR_LAST_FILE = 3.0  # nats for the file that was just changed, or looked into
CLOSE_TEXT = 1.0  # nats below the likeliest
NAMED = 2  # words of a file's name, by which it is as good as named
FEW_WORDS = 6  # which say nothing by themselves
_ASKED_FIRST = 3  # words before the one that asks: "and then, what …"


@dataclass(frozen=True)
class DescribedRequests:
    """Of one turn. `around` is the workspace, `submit` the engine's; `asks_own` says that the question is
    clearly about things of their own, whatever its words look like."""

    around: Surroundings
    past: Past
    submit: Submit
    tables: TableQuestions
    asks_own: bool = False

    def plan(self, asked: str, read: IntentPlan | None) -> IntentPlan | None:
        """What is to be done for `asked` with the file that it describes, or that has what it asks for;
        `read` is what the tables made of it. None where there is none, or nobody knows which: then it is as
        before."""
        if read is None and (more := self._asked_on(asked)) is not None:
            return more
        found = self._described(asked, read)
        return found if found is not None or read is not None else self._answered_by_content(asked)

    def _described(self, asked: str, read: IntentPlan | None) -> IntentPlan | None:
        if read is None and (named := self._answered(asked)):
            return self._for(self.past.asked, named, not is_question(self.past.asked))
        if not self._may_describe(asked, read):
            return None
        kept = kept_composition(asked)
        if kept is not None and not kept.names:
            return self._kept(asked, kept.making, kept.target, read)
        named = place_named(asked, self.around.files())
        if named and (is_question(asked) or asks_own_affairs(asked)):
            return self._looked(asked, named)
        would = self._with(asked, UNKNOWN) if describes_file(asked) else None
        if would is not None and (not would.is_asked or is_question(asked)):
            return self._chosen(asked, to_change=any(call.name in _ADDS for call in would.calls))
        is_own = asks_own_affairs(asked) or (describes_file(asked) and is_question(asked))
        return self._chosen(asked, to_change=False) if is_own and read is None else None

    def _may_describe(self, asked: str, read: IntentPlan | None) -> bool:
        if len(asked) > LONGEST or (read is not None and not _lacks_file(read)):
            return False
        if not (describes_file(asked) or asks_own_affairs(asked) or place_named(asked, self.around.files())):
            return False
        # What is asked of the world costs nothing; a file that is named is none that is described.
        kept = kept_composition(asked)
        others = [each for each in files_in(asked) if kept is None or each != kept.target]
        is_world = own_hints().needs_nothing(asked) and not describes_file(asked)
        tells = only_tells(asked) and not is_question(asked)
        return not (others or is_world or tells) and not _is_of_no_file(asked)

    def _answered_by_content(self, asked: str) -> IntentPlan | None:
        """A question that names and describes no file, and is answered by what stands in one: the model says
        whether it is about that file. What goes on from such a question is answered by the same file."""
        if len(asked) > LONGEST or files_in(asked) or _is_of_no_file(asked):
            return None
        if not self.asks_own and (not is_question(asked) or _GENERAL.match(asked)):
            return None
        is_world = not self.asks_own and own_hints().needs_nothing(asked)
        found = mentions(asked, self.around, documents=not is_world)
        # A letter that is as good as named is read, whatever tables have a word of it.
        is_named = bool(found) and found[0].named >= NAMED and not self._has_rows(found[0].name)
        rows = self._of_rows(asked, _unrivalled(found[:MOST_JUDGED])) if not is_named else None
        if rows is not None:
            return rows
        # Where two have a word each, both are looked into: the answer stands in one of them.
        near = [each for each in found[:MOST_JUDGED] if each.weight >= found[0].weight * SECOND]
        having = [each for each in near if self._answers(asked, each, is_world)]
        if having and all(map(self._is_of_lines, having)):
            return self._quoted(asked, having)
        if having:
            return self._looked(asked, *(each.name for each in having))
        own = self._of_own(asked) if not is_world and not is_named else None
        if own is None and self._goes_on(asked, is_world):
            # What names another file goes on in that.
            named = [each.name for each in found if each.named >= NAMED]
            name = next(iter(named), self._looked_at())
            # Of rows that answer nothing a small model tells those that were told before.
            return self._looked(asked, name) if not (self.asks_own and self._has_rows(name)) else None
        return own

    def _has_rows(self, name: str) -> bool:
        return bool(tables_in(self.around.whole(name) or self.around.document(name)))

    def _is_text(self, name: str) -> bool:
        """Whether it is read as a text where its rows, if it has any, answer nothing."""
        return writable_rows(self.around.whole(name)) is None

    def _asked_on(self, asked: str) -> IntentPlan | None:
        """A few words that go on asking what rows just answered, "and october": of the file that they name,
        or of the same one."""
        looked = self._looked_at()
        is_of_rows = bool(looked) and self.past.text.startswith((f"{looked}:", f"{looked} (", f"{looked},"))
        if not is_of_rows or not GOES_ON.match(asked) or len(asked.split()) > FEW_WORDS or is_act(asked):
            return None
        named = [each.name for each in mentions(asked, self.around) if each.named]
        return self._of_rows(asked, tuple(dict.fromkeys((*named[:1], looked)))[:1])

    def _of_own(self, asked: str) -> IntentPlan | None:
        """A question of somebody about themselves, or about somebody whom files name, which words that few
        files have do not tell: the model ranks the files, and their rows answer or do not; a text is read
        where it comes first and answers."""
        files = own_files(asked, self.around)
        if not files and self.asks_own:
            files = tuple(each for each in self.around.files() if each.casefold().endswith(READABLE))
        least = LEAST_WHERE_SURE if self.asks_own else LEAST_OVER_NONE
        bare = GOES_ON.sub("", asked, count=1)
        found = ranked(bare, files, self.around, self.submit, self.tables.today) if files else ()
        found = self._of_last_file(asked, found)
        near = [each for each in found if each.over >= max(least, found[0].over - CLOSE_FILES)]
        with_rows = [each.name for each in near[:MOST_TRIED] if self._has_rows(each.name)]
        rows = self._of_rows(asked, with_rows, is_ranked=True)
        texts = [each for each in near if each.name not in with_rows or self._is_text(each.name)]
        texts = [each for each in texts if each.over >= TEXT_OVER_NONE]
        if rows is not None or not texts or texts[0].over < near[0].over - CLOSE_TEXT:
            return rows
        mention = Mention(texts[0].name, 1.0, frozenset())
        return self._looked(asked, mention.name) if self._answers(asked, mention, is_world=False) else None

    def _of_last_file(self, asked: str, found: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
        """`found`, where a few words right behind an act or a look are rather about that file: "what's still
        missing" behind two ticks, "how much was it again" behind a bill."""
        on = {str(each.arguments.get("path", "")) for each in self.past.calls}
        if not on or len(asked.split()) > FEW_WORDS:
            return found
        weighed = [replace(each, over=each.over + FOR_LAST_FILE * (each.name in on)) for each in found]
        return tuple(sorted(weighed, key=lambda each: -each.over))

    def _of_rows(self, asked: str, names: Sequence[str], is_ranked: bool = False) -> IntentPlan | None:
        """What the rows of one of the files answer; None where they answer nothing."""
        with_rows = [each for each in names if self.tables.has_rows(each)]
        reads = tuple(Step(ParsedCall("read_file", {"path": each}), changes=False) for each in with_rows)
        read = IntentPlan(language_of(asked), reads, is_asked=True)
        plan = self.tables.plan(asked, read, is_ranked) if reads else None
        return plan if plan is not read else None

    def _answers(self, asked: str, found: Mention, is_world: bool) -> bool:
        """Whether the file that speaks of it answers the question."""
        # "Who has the blue Dawes" is asked of nobody else where one line has both words.
        if found.together >= 1 or (found.is_plain and not is_world):
            return True
        # Of a document that is found by its name no line was read.
        text = "" if found.lines else self.around.text(found.name) or self.around.document(found.name)
        line = next((each for each in (*found.lines, *text.splitlines()) if each.strip()), "")
        over = answered_over_not(asked, found.name, line.strip()[:LINE_SHOWN], self.submit)
        if found.named >= NAMED:
            # "My van insurance" is van insurance.pdf.
            is_it = stems(last_part(found.name).rpartition(".")[0]) <= stems(asked)
            return over >= ANSWERED_BY_NAME or (is_it and not is_world)
        return over >= (ANSWERED_THOUGH_OF_WORLD if is_world else ANSWERED_OVER_NOT)

    def _is_of_lines(self, found: Mention) -> bool:
        """Whether what speaks of it is a list, a log or a table, in which a line is an answer."""
        text = self.around.whole(found.name)
        return bool(found.lines) and (is_listed(text) or table_in(text) is not None)

    def _quoted(self, asked: str, having: Sequence[Mention]) -> IntentPlan:
        """Their lines as they stand: what a small model makes of a row, or of several, is often wrong."""
        language = language_of(asked)
        steps = []
        for each in having:
            table = table_in(self.around.whole(each.name))
            rows = [line for line in each.lines if table is None or line != table.head_line]
            # Where only a heading speaks of it, all below it does.
            rows = rows or list(table.lines if table is not None else each.lines)
            head = [table.head_line] if table is not None and table.header else []
            lines = [*head, *rows][:MOST_QUOTED]
            told = f"{say('in_the_text', language, a=each.name)}\n\n{quotation(lines)}"
            call = ParsedCall("read_file", {"path": each.name})
            steps.append(Step(call, changes=False, quoted=told))
        return IntentPlan(language, tuple(steps))

    def _looked_at(self) -> str:
        """The one file that was looked into for the sentence before, where nothing else was done; else ""."""
        looked = {str(call.arguments.get("path", "")) for call in self.past.calls}
        only = all(call.name == "read_file" for call in self.past.calls)
        return looked.pop() if only and len(looked) == 1 else ""

    def _goes_on(self, asked: str, is_world: bool) -> bool:
        """Whether a few words ask for more of what was just looked into: "und wann treffen die sich"."""
        if is_world or not self._looked_at():
            return False
        return GOES_ON.match(asked) is not None or len(asked.split()) <= FEW_WORDS

    def _chosen(self, asked: str, to_change: bool) -> IntentPlan | None:
        found = FileChoice(self.submit).meant(asked, self.around.files(), to_change)
        # "Ma liste de courses" is courses.txt: all words of its name are said, and of no other.
        said = stems(asked)
        names = {each: stems(last_part(each).rpartition(".")[0]) for each in found.near}
        named = [each for each, of in names.items() if of and of <= said]
        name = named[0] if len(named) == 1 else found.name
        if found.near and not name:
            return _which(asked, found)
        return self._for(asked, name, to_change) if name else None

    def _for(self, asked: str, name: str, to_change: bool) -> IntentPlan | None:
        """`asked` with the file `name`, which is looked into where it is only asked about."""
        return self._with(asked, name) or (None if to_change else self._looked(asked, name))

    def _looked(self, asked: str, *names: str) -> IntentPlan:
        """The files are read before `asked` is answered. What is still to be done or bought is the list
        itself, which a small model would only talk about."""
        reads = tuple(Step(ParsedCall("read_file", {"path": each}), changes=False) for each in names)
        text = self.around.text(names[0]) if len(names) == 1 else ""
        is_answer = asks_own_affairs(asked) and is_listed(text) and not re.search(r"\d", text)
        return IntentPlan(language_of(asked), reads, is_asked=not is_answer)

    def _answered(self, asked: str) -> str:
        """The file that `asked` names where it was just asked which one is meant; else ""."""
        said = asked.strip(" .!").casefold()
        told = ((key, each) for key in ("which_of", "from_which") for each in LANGUAGES)
        openings = {say(key, each, a="\n").partition("\n")[0] for key, each in told}
        if not self.past.text.startswith(tuple(openings)):
            return ""
        files = self.around.files()
        named = [each for each in files if said in (each.casefold(), last_part(each).casefold())]
        named = named or [each for each in files if last_part(each).rsplit(".", 1)[0].casefold() == said]
        return named[0] if len(named) == 1 else ""

    def _kept(self, asked: str, making: str, target: str, read: IntentPlan | None) -> IntentPlan | None:
        """Something that is made of the user's own things and kept in `target`: never without a source."""
        is_asked = asks_own_affairs(making) or (describes_file(making) and not _WRITES.search(making))
        if not is_asked:
            return None
        files = [each for each in self.around.files() if each != target]
        found = FileChoice(self.submit).meant(making, files, to_change=False)
        language = read.language if read is not None else language_of(asked)
        if found.name and (plan := self._with(asked, found.name)) is not None:
            return plan
        if found.near:
            return _which(asked, found)
        return IntentPlan(language, (Step(text=say("from_which", language, a=target)),))

    def _with(self, asked: str, name: str) -> IntentPlan | None:
        """The plan for `asked` where it describes the file `name`; None where it is not understood whole, or
        does more with that file than is done by a description."""
        plan = Intents(self.around, name).plan(asked, self.past)
        if plan is None or not any(call.arguments.get("path") == name for call in plan.calls):
            return None
        written = [step.call for step in plan.steps if step.call is not None]
        allowed = all(call.name in _ALL_MAY for call in written)
        replaced = any(call.name == "write_file" and call.arguments.get("path") == name for call in written)
        return plan if allowed and not replaced else None


def _unrivalled(found: Sequence[Mention]) -> list[str]:
    """The names of those of `found` that have all the words that others, about as heavy, have: the tasks of
    Jonas say nothing of the hiking day that a letter speaks of."""
    return [
        each.name
        for each in found
        if not any(other.words - each.words for other in found if other.weight >= each.weight * SECOND)
    ]


def own_files(asked: str, around: Surroundings) -> tuple[str, ...]:
    """The files that a question of somebody about themselves may be about, or those of which one says a name
    that it has; () for any other message."""
    if not is_question(asked) or _is_of_no_file(asked) or _GENERAL.match(asked) or len(asked) > LONGEST:
        return ()
    files = [each for each in around.files() if each.casefold().endswith(READABLE)]
    if _ADVICE.search(asked):
        return ()
    if _FIRST_PERSON.search(asked):
        return tuple(files)
    return tuple(files) if any(names_of_both(asked, around.whole(each)) for each in files) else ()


# "What did I ask you to remember" is memory's.
_OF_MEMORY = re.compile(
    r"\b(?:ask|asked|told|tell) you\b|\b(?:do|did) you (?:remember|recall)\b|"
    r"\bremember(?:ed)? (?:about|for) me\b|\bdir (?:gesagt|erzählt|gemerkt)\b|\bmerken sollt\w*|"
    r"\bweißt du (?:noch|über mich)\b|\bhast du dir gemerkt\b|"
    r"\bt['’](?:ai-je )?(?:dit|demandé)\b|\bte souviens\b|\bte (?:dije|conté|pedí)\b|\brecuerdas\b",
    re.IGNORECASE,
)


def _is_of_no_file(asked: str) -> bool:
    """Whether it is about a letter that is to be written, about today, about what was done or said before, or
    about what stands in no file here."""
    if LETTERS.match(asked) or asks_if_done(asked) or asks_of_today(asked):
        return True
    return any(each.search(asked) for each in (ASKS_IF_STANDS, OUT_OF_REACH, OWN_ELSEWHERE, _OF_MEMORY))


def _lacks_file(plan: IntentPlan) -> bool:
    """Whether all that keeps `plan` from being done is a file: one that was not found, or that a text is to
    be made of."""
    if plan.written is not None:
        return not plan.calls
    return any(step.lacks_file for step in plan.steps)


def is_question(asked: str) -> bool:
    """Whether something is asked, and nothing is to be done: "the invoice that …" asks nothing."""
    asks_behind = _ASKS_BEHIND.search(asked) is not None
    if is_act(asked) or (is_order(asked) and not _READS.search(asked) and not asks_behind):
        return False
    first = " ".join(asked.split()[:_ASKED_FIRST])
    asks = any(re.search(expression("asks", each), first, re.IGNORECASE) for each in LANGUAGES)
    return asks_behind or asks or "?" in asked or _READS.search(asked) is not None


# As French is spoken: "zoé a fait combien d'heures", "il arrive quand".
_ASKS_BEHIND = re.compile(
    r"\b(?:a|ai|as|est|sont|ont|fait|coûte|arrive|part)\b.*\b(?:combien|quand|où|à quelle)\b", re.IGNORECASE
)
_READS = re.compile(
    r"^\W*(?:(?:please|bitte|hey|ok|can you|could you|kannst du|peux-tu|tu peux|puedes|me puedes) )*"
    r"(?:read|show|summari[sz]e|sum up|lies|lese|zeig\w*|fass\w*|lis|montre\w*|résum\w*|resum\w*|lee\w*|"
    r"muestra\w*|tell me|sag mir|dis-moi|dime)\b",
    re.IGNORECASE,
)


def _which(asked: str, found: FileMeant) -> IntentPlan:
    language = language_of(asked)
    either = {"en": "or", "de": "oder", "fr": "ou", "es": "o"}[language]
    *first, last = found.near
    names = f"{', '.join(first)} {either} {last}"
    return IntentPlan(language, (Step(text=say("which_of", language, a=names)),))
