"""Changes of tables, lists and checklists in anybody's words: the model writes a statement, the program finds
the rows and writes their lines.

"Sadie came for the frog, put collected" is `UPDATE t SET status = 'collected' WHERE customer = 'Sadie'`. A
condition counts only where the message speaks of it, a value is words that were said or one that other rows
have, and where several rows fit, the user is asked which one (`table_words.py`). Nothing is changed here:
what comes of it are steps, each shown before it is made. Any thread; blocks while the model reads and writes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

import structlog

from desktop.chat import file_judgements
from desktop.chat.command_grounding import SAYS_GONE
from desktop.chat.content_search import forms_of, shares
from desktop.chat.corrections import reworded
from desktop.chat.described_files import likely_of, put_into
from desktop.chat.file_judgements import DONE_OVER_NOT, done_over_not, ranked
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import LANGUAGES, language_of, plain_letters, say
from desktop.chat.orders import is_order
from desktop.chat.prompts import behind_examples, read_ahead
from desktop.chat.references import Past
from desktop.chat.repeated_calls import steps_of
from desktop.chat.request_kinds import is_act
from desktop.chat.speech_acts import may_only_tell
from desktop.chat.table_questions import rows_shown, words_that_cells_have
from desktop.chat.table_words import CLAUSES, NUMBER, TableWords
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import says_several
from desktop.engine.requests import FinishReason, GenerateRequest, Message
from desktop.paths import resources
from desktop.tools import calendar_files
from desktop.tools.amounts import amount_in
from desktop.tools.table_cells import dated_in
from desktop.tools.table_queries import DONE, SECTION, names_of
from desktop.tools.table_statements import (
    ITEM,
    NO_STATEMENT,
    Assignment,
    Statement,
    Verb,
    added_line,
    cells_of,
    editable_rows,
    grammar_of_statements,
    line_before,
    statements_in,
)
from desktop.tools.tables import Table

log = structlog.get_logger(__name__)

CONVERSATION = "table-changes"  # of all chats: what stands before the table is always the same
MOST_TOKENS = 160
LONGEST = 300  # characters of a message
LONGEST_CELL = 60  # characters of one that is shown
LONGEST_TABLE = 400  # rows
MOST_COLUMNS = 12
MOST_NAMED = 6  # rows that are told where one of them is meant
FEW_ROWS = 3  # that are told where nobody can tell what is to become of them
ENDINGS = (".csv", ".tsv", ".md", ".txt", ".json", *calendar_files.ENDINGS)
# Nats over none, chosen on tests/bench/table_changes.toml: remarks that change nothing came to 3.2 at most,
# what changes a table to 4.1 and more but for one.
OVER_NONE = 3.6
OVER_NONE_UNLIKELY = 4.0  # of a file that the ranking puts far behind another
OVER_NONE_GOING_ON = 2.4  # where the last turn changed the same file
OVER_NONE_OF_A_PART = 1.5  # where another part of the message changes it
FILE_OVER_NONE = -1.0  # of a file that nothing was done with before
CLOSE_FILES, MOST_TRIED, MOST_SAYING = 3.5, 4, 2  # nats below the likeliest; files
INSERT_BELOW = 4.0  # nats below UPDATE, by which a row may be new of which nobody has heard
WELL_FITTING = 0.8  # share of the words, by which no other file is tried
FITTING_AGAIN = 0.5  # in the file of the last turn
LEAST_FITTING = 0.34
FITTING_UNLIKELY = 0.6
FOR_HISTORY = 0.6  # of that share, for amounts of dated rows that would be reckoned with
SAID_FOR_UNSAID = 4.0  # nats for which a value that was said stands for one that only other rows have
FEW_WORDS = 8  # of a message that may go on from the last
_SYSTEM = """You write SQLite statements that change the table t as somebody asks. Use only its columns, the \
values in it, and words that were said. What asks for no change of it: none"""
_VERBS = tuple(each.value for each in Verb)

_IN = r"(?:under|in|into|to|for|at|on|unter|bei|auf|zu|sous|dans|à|sur|en|de|para|bajo)"
# "Tick it", "erledigt", "ya está".
TICKS = re.compile(
    r"\b(?:tick\w*|check(?:ed)? (?:it|that|them|off)|cross\w* off|done|finished|abhak\w*|hak\w*|erledigt|"
    r"fertig|gemacht|geschafft|coche\w*|fait\w*|c['’]est bon|terminé\w*|m[aá]rca\w*|t[aá]cha\w*|hech[oa]s?|"
    r"list[oa]s?|ya est[áa]n?|terminad[oa]s?|noch nicht|not yet|todavía no|pas encore)\b",
    re.IGNORECASE,
)
# Off the hook, and not off the list.
_TICKS_OFF = re.compile(r"\b(?:tick|check)\w*(?: \w+){0,4}? off\b", re.IGNORECASE)
# What a list is for, also where nobody orders anything.
NEEDS = re.compile(
    r"\b(?:need\w*|want|get|buy|out of|run(?:ning)? (?:out|low)|missing|forgot|list|brauch\w*|fehl\w*|"
    r"kauf\w*|leer|liste|drauf|faut|manque\w*|achet\w*|falta\w*|necesit\w*|compra\w*|lista|hace falta)\b",
    re.IGNORECASE,
)
# "Not yet", "untick it": what is done is open again.
REOPENS = re.compile(
    r"\b(?:not|un(?:tick|check|do)\w*|again|still|re-?open\w*|back|isn['’]?t|wasn['’]?t|didn['’]?t|nicht|wieder|"
    r"nochmal|noch|offen|pas|encore|décoche\w*|à refaire|no|otra vez|todavía|aún|desmarca\w*|reabre)\b",
    re.IGNORECASE,
)
_PUT = re.compile(
    r"^(?:and |und |et |y )?(?:put|add|write|note|get|buy|setze?|schreib|pack|ajoute|rajoute|mets|pon|"
    r"ponme|añade|apunta)\s+(?=\S)",
    re.IGNORECASE,
)
# "And add: ask Tom for the lead": a line more, whatever words the others have.
_ADDS = re.compile(
    r"\W*(?:(?:and|und|et|y|also|auch|aussi|también|please|bitte|oh|ok|then|dann|puis|luego)\W+){0,3}"
    r"(?:add|append|ergänz\w*|(?:r)?ajoute[rz]?|añad\w*|agrega\w*|apunta\w*)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[^\W\d_][.!;])\s+|\n+")
# The first and the last line of a letter are things of no list.
_LETTER = re.compile(
    r"^\s*(?:dear|hi|hello|hallo|liebe[rs]?|sehr geehrte[rs]?|guten tag|bonjour|cher|chère|madame|monsieur|"
    r"hola|estimad[oa]s?|querid[oa]s?|buenos días)\b[^.?!:]{0,60}[,:!]?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
# "No, 6", "and the others", "ay no, el forro era el negro".
_GOES_ON = re.compile(
    r"\W*(?:(?:oh|ah|ach|ay|uy|oops|hm+)\W+)?(?:and|und|et|y|also|auch|aussi|también|no|nope|nein|nee|non|sorry|"
    r"actually|pardon|perd[oó]n|doch|wait|moment|the|der|die|das|le|la|el)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Held:
    """What statements come to: rows by their numbers with what their lines become ("" for one that goes), the
    rows that are added, each with the line below which, and those of which one is meant."""

    edits: tuple[tuple[int, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    which: tuple[int, ...] = ()
    said: str = ""  # the values that are set where one of several rows is meant
    may_be_new: bool = False  # whether a new row is nearly as likely as a change of one that is there
    is_wanted: bool = False  # whether a change is likelier than none, whatever comes of it
    is_reckoned: bool = False  # an amount was added to, or taken from

    def __bool__(self) -> bool:
        return bool(self.edits or self.added or self.which)

    def answered(self, table: Table) -> str:
        """The cells of the rows as they were and are."""
        rows = [table.rows[at] for at in (*(at for at, _ in self.edits), *self.which)]
        rows += [cells_of(new, table) for _, new in (*self.edits, *self.added)]
        return "\n".join((*(cell for row in rows for cell in row), self.said))


class _Rewritten:
    """A workspace in which one file has another text."""

    def __init__(self, around: Surroundings, name: str, text: str) -> None:
        self._around, self._name, self._text = around, name, text

    def whole(self, name: str) -> str:
        return self._text if name == self._name else self._around.whole(name)

    def text(self, name: str) -> str:
        return self._text if name == self._name else self._around.text(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._around, name)


@dataclass(frozen=True)
class TableChanges:
    """Of one turn. `around` is the workspace, `submit` the engine's, `today` the user's."""

    around: Surroundings
    past: Past
    submit: Submit
    today: date

    def plan(self, asked: str) -> IntentPlan | None:
        """The changes of a table or list that `asked` wants; None where it wants none that is clear."""
        if len(asked) > LONGEST:
            return None
        if (again := self._said_otherwise(asked)) is not None:
            return again
        best: tuple[float, IntentPlan] | None = None
        unclear: IntentPlan | None = None
        for at, (name, over_none) in enumerate(self._files(asked)):
            if lost := self._number_of_no_row(asked, name):
                told = say("no_such_row", language_of(asked), a=name, b=lost)
                return IntentPlan(language_of(asked), (Step(text=told),))
            found = self._plan_for(asked, name, over_none)
            least = FITTING_UNLIKELY if over_none >= OVER_NONE_UNLIKELY else LEAST_FITTING
            if found is not None and found[0] >= least and (best is None or found[0] > best[0]):
                best = found
            if found is not None and not found[1].calls and not found[0] and at == 0:
                unclear = found[1]
            enough = WELL_FITTING if name != self._lately() else FITTING_AGAIN
            if best is not None and best[0] >= enough:
                break
        return best[1] if best is not None else unclear

    def _said_otherwise(self, asked: str) -> IntentPlan | None:
        """What the last message changed taken back and made anew with the word that was wrong exchanged: "no,
        it was Gwen, not Lucy"; None where `asked` is no such correction."""
        name, said = self._lately(), reworded(asked, self.past.asked)
        undone = self._undone(name) if said and self.past.undo else ""
        if not undone:
            return None
        before = replace(self, around=_Rewritten(self.around, name, undone), past=Past())
        found = before._plan_for(said, name, OVER_NONE_GOING_ON)
        if found is None or not found[1].calls:
            return None
        return replace(found[1], steps=(*steps_of(self.past.undo), *found[1].steps))

    def _undone(self, name: str) -> str:
        """The text of the file `name` before the last message changed it; "" where that cannot be told."""
        whole = self.around.whole(name)
        for call in reversed(self.past.calls):
            given = {key: str(value) for key, value in call.arguments.items()}
            if given.get("path") != name:
                return ""
            new, old = (
                (given.get("new", ""), given.get("old", "")) if call.name == "replace_text" else ("", "")
            )
            if call.name == "append_text" and given.get("text"):
                new, old = f"{given['text']}\n", ""
            if not new or whole.count(new) != 1:
                return ""
            whole = whole.replace(new, old)
        return whole

    def row(self, asked: str, name: str) -> str:
        """The row of the file `name` that `asked` tells, as a line of it; "" where it tells none."""
        table = self._table(name)
        if table is None or not table.head_line or len(asked) > LONGEST:
            return ""
        words = TableWords(asked, asked, self._before(name, table), table, self.today)
        return next((line for _, line in self._row(words)), "")

    # -- which file ---------------------------------------------------------------------------

    def _files(self, asked: str) -> Iterator[tuple[str, float]]:
        """The files that may be meant, each with how clear a change has to be: the one that is named, else
        the one of the last turn, else the likeliest."""
        files = [each for each in self.around.files() if self._table(each) is not None]
        named = files_in(asked) or list(filter(None, (put_into(asked, self.around.files()),)))
        if named:
            yield from ((each, OVER_NONE_GOING_ON) for each in files if each in named)
            return
        lately = self._lately()
        if lately in files and (len(asked.split()) <= FEW_WORDS or _GOES_ON.match(asked)):
            yield lately, OVER_NONE_GOING_ON
        found = ranked(asked, files, self.around, self.submit, self.today)
        near = [each.name for each in found if each.over >= max(FILE_OVER_NONE, found[0].over - CLOSE_FILES)]
        # A small model overlooks the file whose rows say most of it.
        words = shares(asked, self.around)
        most = max((words.get(each, 0.0) for each in files), default=0.0)
        saying = [each for each in files if most and words.get(each, 0.0) == most]
        tried = dict.fromkeys((*near[: MOST_TRIED - 1], *saying[:MOST_SAYING], *near[MOST_TRIED - 1 :]))
        for each in list(tried)[:MOST_TRIED]:
            if each != lately:
                yield each, OVER_NONE if each in near else OVER_NONE_UNLIKELY

    def _number_of_no_row(self, asked: str, name: str) -> str:
        """The number by which a row is called that the file does not have, with the name of its first column:
        "hive 9" of seven; "" for none."""
        table = self._table(name)
        if table is None or not table.head_line or not table.header[0]:
            return ""
        numbers = [row[0] for row in table.rows]
        if len(set(numbers)) < len(numbers) or not all(map(str.isdigit, numbers)):
            return ""
        number = r"[ #]{0,2}(?:(?:no|nr|nº|n°|number|nummer|numéro|número)\W{0,2})?(?P<number>\d+)\b"
        found = re.search(rf"\b{re.escape(table.header[0])}s?{number}", asked, re.IGNORECASE)
        return found[0] if found is not None and found["number"] not in numbers else ""

    def _lately(self) -> str:
        """The one file that the last turn changed, or asked about; "" for none."""
        if (asked := self._asked_which()) is not None:
            return asked[0]
        changed = {
            str(call.arguments.get("path", ""))
            for call in self.past.calls or self.past.lately
            if call.name in ("replace_text", "append_text")
        }
        return changed.pop() if len(changed) == 1 else ""

    def _asked_which(self) -> tuple[str, str] | None:
        """The file and the rows of which one is meant, where that was the last answer."""
        for language in LANGUAGES:
            opening, _, rest = say("which_row", language, a="\n", b="\r").partition("\n")
            middle = rest.partition("\r")[0]
            form = rf"{re.escape(opening)}(?P<name>.+?){re.escape(middle)}(?P<rows>.+)"
            if (found := re.match(form, self.past.text)) is not None:
                return found["name"], found["rows"]
        return None

    def _table(self, name: str) -> Table | None:
        whole = self.around.whole(name) if name.casefold().endswith(ENDINGS) else ""
        table = editable_rows(whole) if whole and not _LETTER.search(whole) else None
        fits = table is not None and table.width <= MOST_COLUMNS and len(table.rows) <= LONGEST_TABLE
        return table if fits else None

    # -- what is changed ----------------------------------------------------------------------

    def _plan_for(self, asked: str, name: str, over_none: float) -> tuple[float, IntentPlan] | None:
        """The plan for a file, and which share of the words it answers to."""
        table = self._table(name)
        if table is None:
            return None
        linked, linked_by = self._linked(asked, name, table)
        words = TableWords(asked, asked, self._before(name, table), table, self.today, linked)
        moved = words.day_instead()
        first = _Held(edits=(moved,), is_wanted=True) if moved else self._held(words, over_none)
        ways = [self._clauses(words, name, [first])]
        sentences = [each for each in _SENTENCES.split(asked) if each.strip(" .!")]
        if len(sentences) > 1 and self._fit(words, name, ways[0]) < WELL_FITTING:
            ways.append([self._held(replace(words, part=each), over_none) for each in sentences])
        best = max(self._fit(words, name, each) for each in ways)
        # "And Nan: book token, 15 quid" is no other price of what Nan gets already.
        if (
            table.head_line
            and best < WELL_FITTING
            and any(each.may_be_new and each.edits for each in ways[0])
        ):
            ways.append([_Held(added=tuple(self._row(words)))])
        # "6 jars to Mrs Petersen today, enter that" is no row that is there, but all of a new one.
        elif table.head_line and not best and first.is_wanted and _may_add(words):
            new = [_Held(added=tuple(self._row(words)))]
            ways += [new] if self._fit(words, name, new) >= WELL_FITTING else []
        held = max(ways, key=lambda each: self._fit(words, name, each))
        is_linked = bool(linked) and any(at in linked for each in held for at, _ in each.edits)
        # A number that nobody can place says that it was not understood.
        changed = "\n".join(each.answered(table) for each in held)
        if not any(held) or (words.unplaced(f"{changed}\n{name}") and not any(each.added for each in held)):
            return self._unclear(words, name) if ways[0][0].is_wanted else None
        by = f"{name}\n{linked_by}" if is_linked else name
        fit = self._fit(words, by, held)
        if moved:  # the day that goes stands in the row that is named
            fit = max(fit, WELL_FITTING)
        return (
            (fit, self._steps(asked, name, table, held))
            if fit >= LEAST_FITTING
            else self._unclear(words, name)
        )

    def _unclear(self, words: TableWords, name: str) -> tuple[float, IntentPlan] | None:
        """What is told of a few rows that are surely spoken of, where nobody can tell what is to become of
        them: nothing was changed, and how they stand."""
        # Which column is asked for only where a verb or a number says that something is to be changed.
        is_told = bool(NUMBER.search(words.asked)) and not may_only_tell(words.asked)
        is_asked_for = is_order(words.asked) or is_act(words.asked) or is_told
        has_columns = words.table.head_line and not calendar_files.is_of_events(words.table)
        rows = words.rows_spoken_of_most() if has_columns and is_asked_for else ()
        if not 0 < len(rows) <= FEW_ROWS:
            return None
        language, shown = language_of(words.asked), "; ".join(_told_row(words.table, at) for at in rows)
        return 0.0, IntentPlan(language, (Step(text=say("row_unchanged", language, a=name, b=shown)),))

    def _clauses(self, words: TableWords, name: str, held: list[_Held]) -> list[_Held]:
        """`held`, with what the clauses say that nothing of it answers to."""
        for clause in CLAUSES.split(words.asked) if any(held) else ():
            answered = "\n".join(each.answered(words.table) for each in held)
            is_part = clause.strip(" .!") != words.asked.strip(" .!")
            # "Márcalos" is of what was named before.
            is_part = is_part and TICKS.fullmatch(clause.strip(" .!¡?")) is None
            if is_part and words.lacks(clause, f"{answered}\n{name}", _has_items(words.table)):
                more = self._held(
                    replace(words, part=clause, before=_done_so_far(words, held) or words.before),
                    OVER_NONE_OF_A_PART,
                )
                # A row is told by all of a message.
                which = () if any(each.added for each in held) else more.which
                held.append(replace(more, added=(), which=which) if words.table.head_line else more)
        return _without_doubles(held)

    def _fit(self, words: TableWords, name: str, held: Sequence[_Held]) -> float:
        """Which share of the words the changes answer to."""
        table = words.table
        if not any(held):
            return 0.0
        # "Tick it" is answered by the tick.
        ticks = TICKS.findall(words.asked) if DONE in table.header else ()
        sections = {row[0] for row in table.rows} if table.header[0] == SECTION and _has_items(table) else ()
        answered = "\n".join(
            (*(each.answered(table) for each in held), *table.header, *sections, *ticks, name)
        )
        new = [line for each in held for _, line in (*each.edits, *each.added)]
        was = "\n".join(cell for each in held for at, _ in each.edits for cell in table.rows[at])
        fit = words.fit(answered, new, was)
        # What a dated row tells has been, and is not used up.
        is_history = any(each.is_reckoned for each in held) and bool(dated_in(table))
        return fit - (FOR_HISTORY if is_history else 0.0)

    def _linked(self, asked: str, name: str, table: Table) -> tuple[tuple[int, ...], str]:
        """The row that one row of another table, which the message speaks of, leads to, and what that says:
        they share a column by name and value, as plot 6 has a name in the list of members."""
        for other_name in self.around.files() if table.head_line else ():
            other = self._table(other_name) if other_name != name else None
            shared = set(table.header) & set(other.header) if other is not None and other.head_line else set()
            if other is None or not shared:
                continue
            rows = TableWords(asked, asked, "", other, self.today).spoken_rows()
            keys = {(column, other.rows[at][other.header.index(column)]) for at in rows for column in shared}
            found = tuple(
                at
                for at, row in enumerate(table.rows)
                if any(row[table.header.index(column)] == value and value for column, value in keys)
            )
            if len(rows) == 1 and len(found) == 1:
                return found, "\n".join(other.rows[rows[0]])
        return (), ""

    def _steps(self, asked: str, name: str, table: Table, held: Sequence[_Held]) -> IntentPlan:
        language, whole = language_of(asked), self.around.whole(name)
        steps = []
        for at, new in (each for one in held for each in one.edits):
            old, becomes = _in_text(table, at, new, whole)
            steps.append(Step(ParsedCall("replace_text", {"path": name, "old": old, "new": becomes})))
        for under, line in (each for one in held for each in one.added):
            is_last = under == table.lines[-1] and not table.foot.strip()
            given = {"text": line} if is_last else {"old": under, "new": f"{under}{table.newline}{line}"}
            steps.append(
                Step(ParsedCall("append_text" if is_last else "replace_text", {"path": name, **given}))
            )
        for which in dict.fromkeys(each.which for each in held if each.which):
            rows = "; ".join(_told_row(table, at) for at in which[:MOST_NAMED])
            steps.append(Step(text=say("which_row", language, a=name, b=rows)))
        return IntentPlan(language, tuple(steps))

    def _held(self, words: TableWords, over_none: float) -> _Held:
        """What the model's statements for a part of a message come to."""
        table, request = words.table, _request(words)
        likely = likely_of(self.submit, request, (NO_STATEMENT, *_VERBS))
        over = max((likely.get(each, 0.0) for each in _VERBS), default=0.0) - likely.get(NO_STATEMENT, 0.0)
        log.info("change of a table weighed", over=round(over, 2), columns=table.width)
        if over < over_none:
            return _Held()
        may_be_new = likely[Verb.INSERT] >= likely[Verb.UPDATE] - INSERT_BELOW
        edits: dict[tuple[int, str], None] = {}
        added: dict[tuple[str, str], None] = {}
        which: tuple[int, ...] = ()
        statements = tuple(_as_tick(each, words) for each in self._meant(words, request))
        for each in statements:
            if each.verb is Verb.INSERT or words.adds_a_thing(each):
                added |= dict.fromkeys(_added(each, words)) if _may_add(words) else {}
                continue
            rows = words.rows(each, may_be_new)
            goes = words.is_done(each) and not _TICKS_OFF.search(words.asked)
            goes = goes and words.says_gone(rows, SAYS_GONE)
            if not goes and self._is_unsaid(each, words, rows):
                continue
            if len(rows) > 1 and not says_several(words.asked):
                which = which or rows
                continue
            rows = tuple(at for at in rows if words.before or not words.only_names(at))
            found = ((at, "") if goes else words.edit(each, at) for at in rows)
            edits |= {edit: None for edit in found if edit is not None}
        # Of no row that is there: a new one.
        if may_be_new and table.head_line and not edits and not added and not which:
            added |= dict.fromkeys(self._row(words))
        is_reckoned = bool(edits) and any(
            one.sign and not words.is_named(one.column) for each in statements for one in each.sets
        )
        said = "\n".join(one.value for each in statements for one in each.sets) if which else ""
        return _Held(tuple(edits), tuple(added), which, said, may_be_new, bool(statements), is_reckoned)

    def _meant(self, words: TableWords, request: GenerateRequest) -> tuple[Statement, ...]:
        """The model's statements: one that adds a line where that is said, and amounts in the columns that
        are named."""
        statements = self._statements(words, request)
        is_added = any(each.verb is Verb.INSERT or words.adds_a_thing(each) for each in statements)
        if _adds_a_line(words) and not is_added:
            statements = self._statements(words, request, is_new=True)
        if calendar_files.is_of_events(words.table):
            statements = tuple(
                _of_words(each, words.table) for each in statements if each.verb is not Verb.INSERT
            )
        return tuple(map(words.in_named_column, statements))

    def _is_unsaid(self, statement: Statement, words: TableWords, rows: Sequence[int]) -> bool:
        """Whether rows would go, a task be ticked or opened again without a word for it."""
        if statement.verb is Verb.DELETE:
            return not SAYS_GONE.search(_TICKS_OFF.sub("", words.asked))
        if words.is_open_again(statement):
            return not REOPENS.search(words.asked)
        return words.is_done(statement) and not self._is_told_done(words, rows)

    def _is_told_done(self, words: TableWords, rows: Sequence[int]) -> bool:
        """Whether the message says that a task is done, and does not only want it done."""
        # "The other one too" goes on from what was said to be done.
        if TICKS.search(f"{words.asked} {words.before}"):
            return True
        at = words.table.header.index("task")
        tasks = [words.table.rows[row][at] for row in rows]
        return all(done_over_not(each, words.asked, self.submit) >= DONE_OVER_NOT for each in tasks)

    def _row(self, words: TableWords) -> Iterator[tuple[str, str]]:
        """The line of a row that the message tells, below the last."""
        if calendar_files.is_of_events(words.table):  # an event is no row that a model may make
            return
        for each in self._statements(words, _request(words), is_new=True):
            yield from _added(each, words)

    def _statements(
        self, words: TableWords, request: GenerateRequest, is_new: bool = False
    ) -> tuple[Statement, ...]:
        written = self._written(words, request, is_new)
        statements = statements_in(written, words.table)
        if is_new or not any(words.is_unsaid(each) for each in statements):
            return statements
        # "Put collected" is none of the states that other rows have.
        said = self._written(words, request, only_said=True)
        weights = {}
        for text in (written, said):
            stream = self.submit(replace(request, weighed=text))
            stream.text()
            weights[text] = stream.scores.get(text, float("-inf"))
        is_said = said in weights and weights[said] >= weights[written] - SAID_FOR_UNSAID
        log.info("a value that was said weighed", below=round(weights[written] - weights[said], 2))
        return statements_in(said, words.table) if is_said else statements

    def _written(
        self, words: TableWords, request: GenerateRequest, is_new: bool = False, only_said: bool = False
    ) -> str:
        """What the model writes under the grammar; "" where it was stopped."""
        grammar = grammar_of_statements(
            words.table,
            words_that_cells_have(words.part),
            words.span_rules(),
            words.of_columns(),
            is_new,
            only_said,
        )
        stream = self.submit(replace(request, grammar=grammar))
        written = stream.text().strip()
        return written if stream.finish is FinishReason.STOP else ""

    # -- what was before ----------------------------------------------------------------------

    def _before(self, name: str, table: Table) -> str:
        """The sentence before and what was done for it in the same file, as statements; "" for none."""
        if (which := self._asked_which()) is not None and which[0] == name:
            return f"{self.past.asked} -> which one is meant: {which[1]}"
        calls = [each for each in self.past.calls or self.past.lately if each.arguments.get("path") == name]
        whole = self.around.whole(name)
        done = [each for call in calls for each in _as_statements(call, table, whole, self.past.asked)]
        return f"{self.past.asked} -> {'; '.join(done)}" if done else ""


def _of_words(statement: Statement, table: Table) -> Statement:
    """A statement to a calendar without its days and hours, which `calendar_requests.py` reads."""
    worded = (calendar_files.SUMMARY, calendar_files.LOCATION)
    return replace(
        statement, sets=tuple(each for each in statement.sets if table.header[each.column] in worded)
    )


def _as_tick(statement: Statement, words: TableWords) -> Statement:
    """A tick where a task would go that is only said to be done: "kannst du abhaken"."""
    is_said = TICKS.search(words.asked) and not SAYS_GONE.search(_TICKS_OFF.sub("", words.asked))
    if statement.verb is not Verb.DELETE or DONE not in words.table.header or not is_said:
        return statement
    return Statement(Verb.UPDATE, (Assignment(words.table.header.index(DONE), "yes"),), statement.where)


def _without_doubles(held: Sequence[_Held]) -> list[_Held]:
    """Each row once, as the first statement has it."""
    found: list[_Held] = []
    rows: set[int] = set()
    lines: set[str] = set()
    for each in held:
        fresh = {at: new for at, new in reversed(each.edits) if at not in rows}
        edits = tuple((at, fresh[at]) for at in reversed(fresh))
        added = tuple(pair for pair in each.added if pair[1] not in lines)
        which = each.which if not set(each.which) & {*rows, *(at for at, _ in edits)} else ()
        rows |= {at for at, _ in edits}
        lines |= {line for _, line in added}
        found.append(replace(each, edits=edits, added=added, which=which))
    return found


def _added(statement: Statement, words: TableWords) -> Iterator[tuple[str, str]]:
    """The line of a row, or those of several things of a list, that are added, below which line."""
    table = words.table
    if table.head_line:
        row = words.new_row(statement)
        line = added_line(table, row) if row is not None else None
        if line is not None:
            yield table.lines[-1], line
        return
    if not _has_items(table):
        return
    column = table.header.index(ITEM if ITEM in table.header else "task")
    told = [(each.column, each.value) for each in statement.sets]
    told += [(each.column, each.value) for each in statement.where]
    section = next((value for at, value in told if table.header[at] == SECTION), "")
    for each in statement.sets:
        thing = _PUT.sub("", _without_section(each.value, section), count=1)
        if each.column != column or not words.is_thing(thing, may_order=_adds_a_line(words)):
            continue
        cells = [section if at == 0 and table.header[0] == SECTION else "" for at in range(table.width)]
        cells[column] = thing
        line = added_line(table, cells)
        if line is not None and line not in table.lines:
            yield line_before(table, cells), line


def _without_section(thing: str, section: str) -> str:
    """ "Sweep flue" of "sweep flue under inside"."""
    if not section:
        return thing
    place = rf"\s+{_IN}\s+(?:\w+\s+)?{re.escape(section)}\W*$"
    return re.sub(place, "", thing, flags=re.IGNORECASE) or thing


def _may_add(words: TableWords) -> bool:
    """Whether a line may be added to a list: a remark adds none, but for what is needed or goes on."""
    said = words.asked
    is_wanted = any(each.search(said) for each in (NEEDS, _ADDS, _PUT)) or is_order(said) or is_act(said)
    return bool(words.table.head_line or words.before or is_wanted)


def _adds_a_line(words: TableWords) -> bool:
    """Whether a message, or a part of it, tells a line that a list is to have more."""
    return _has_items(words.table) and _ADDS.match(words.part) is not None


def _has_items(table: Table) -> bool:
    """Whether its lines are things that are added as they were said."""
    return not table.head_line and bool({ITEM, "task"} & set(table.header))


def _told_row(table: Table, at: int) -> str:
    """A row in few words."""
    return ", ".join(each for each in table.rows[at] if each)[: LONGEST_CELL * 2]


def _in_text(table: Table, at: int, new: str, whole: str) -> tuple[str, str]:
    """The line of a row and what it becomes, with as many lines above it as tell it from others like it."""
    if calendar_files.is_of_events(table):  # of several lines
        return (table.lines[at], new) if new else (f"{table.lines[at]}{table.newline}", "")
    every = whole.splitlines()
    line = table.lines[at]
    same = [number for number, each in enumerate(every) if each == line]
    here = same[table.lines[:at].count(line)] if same else 0
    first = here
    while first > 0 and whole.count("\n".join(every[first : here + 1])) > 1:
        first -= 1
    above = every[first:here]
    after = "\n".join((*above, new)) if new or not above else "\n".join(above)
    return "\n".join((*above, line)), after


def _as_statements(call: ParsedCall, table: Table, whole: str, asked: str) -> Iterator[str]:
    """What a call changed in `table`, which is the text `whole` since, as statements."""
    given = {key: str(value) for key, value in call.arguments.items()}
    names = names_of(table)
    if call.name == "append_text":
        added = [each for each in given.get("text", "").splitlines() if each in table.lines]
        for line in added:
            row = table.rows[table.lines.index(line)]
            sets = ", ".join(f"{name} = '{cell}'" for name, cell in zip(names, row, strict=True) if cell)
            yield f"INSERT INTO t SET {sets}"
        return
    old, new = given.get("old", ""), given.get("new", "")
    was = editable_rows(whole.replace(new, old, 1)) if new and new in whole else None
    if was is None or was.header != table.header or len(was.rows) != len(table.rows):
        return
    for row, before in zip(table.rows, was.rows, strict=True):
        if row != before and (statement := _as_update(names, before, row, asked)):
            yield statement


def _as_update(names: Sequence[str], before: Sequence[str], row: Sequence[str], asked: str) -> str:
    """The statement by which a row became another, told by those of its cells that were spoken of; "" where
    none was."""
    forms = tuple(forms_of(asked).values())
    cells = tuple(zip(names, before, row, strict=True))
    sets = ", ".join(_becomes(name, one, other, asked) for name, one, other in cells if one != other)
    where = [
        f"{name} = '{one}'"
        for name, one, other in cells
        if one == other and one and any(form.search(plain_letters(one.casefold())) for form in forms)
    ]
    return f"UPDATE t SET {sets} WHERE {' AND '.join(where)}" if where else ""  # noqa: S608  # shown to a model


def _done_so_far(words: TableWords, held: Sequence[_Held]) -> str:
    """What the message changes already, where that is one row: what else it says is of that; else ""."""
    table = words.table
    edits = [edit for each in held for edit in each.edits if edit[1]]
    if len(edits) != 1 or not table.head_line:
        return ""
    at, new = edits[0]
    statement = _as_update(names_of(table), table.rows[at], cells_of(new, table), words.asked)
    return f"{words.asked} -> {statement}" if statement else ""


def _becomes(name: str, before: str, cell: str, asked: str) -> str:
    """What a cell was set to: "stock = stock - 2" where the difference was said."""
    one, other = amount_in(before), amount_in(cell)
    if one is not None and other is not None:
        by = other.value - one.value
        said = {found.value: each for each in NUMBER.findall(asked) if (found := amount_in(each)) is not None}
        if other.value not in said and abs(by) in said:
            return f"{name} = {name} {'+' if by > 0 else '-'} {said[abs(by)]}"
    return f"{name} = '{cell}'"


# -- the prompt -------------------------------------------------------------------------------


def _request(words: TableWords) -> GenerateRequest:
    table = words.table
    lines = [" | ".join(names_of(table))]
    lines += [
        " | ".join(cell[:LONGEST_CELL] for cell in table.rows[at]) for at in rows_shown(words.part, table)
    ]
    lines += [f"Before: {words.before}"] if words.before else []
    shown = "\n".join((*lines, f"Said: {' '.join(words.part.split())}"))
    return behind_examples(CONVERSATION, told_first(), shown, MOST_TOKENS)


def beginnings() -> tuple[GenerateRequest, ...]:
    """What is the same in all these prompts and in those about files, to be read while nobody waits."""
    shared = ((file_judgements.CONVERSATION, file_judgements.told_first()), (CONVERSATION, told_first()))
    return tuple(read_ahead(conversation, messages) for conversation, messages in shared)


@cache
def told_first() -> tuple[Message, ...]:
    """What is the same in all these prompts: what is asked, and examples."""
    read: Mapping[str, Any] = tomllib.loads((resources() / "table_changes.toml").read_text(encoding="utf-8"))
    messages = [Message("system", _SYSTEM)]
    for each in read["examples"]:
        before = f"\nBefore: {each['before']}" if "before" in each else ""
        messages.append(
            Message("user", f"{read['tables'][each['table']].strip()}{before}\nSaid: {each['said']}")
        )
        messages.append(Message("assistant", "\n".join(each["statements"]) or NO_STATEMENT))
    return tuple(messages)
