"""What a message says of a table: which rows it speaks of, and what its words are in a column.

A small model that writes a statement takes a row that nobody spoke of, or a name for a state. Here its
conditions and values are held against the words of the message. Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

from desktop.chat.content_search import forms_of
from desktop.chat.intent_words import language_of, plain_letters
from desktop.chat.orders import is_order
from desktop.chat.query_grounding import DAY_NAMES, spoken_words
from desktop.chat.request_commands import span_rules, spans
from desktop.tools.amounts import amount_in
from desktop.tools.dates import ANY_DATE, date_said
from desktop.tools.periods import periods_in
from desktop.tools.table_cells import as_in_column, dated_in, day_like, shared_values
from desktop.tools.table_queries import DONE, SECTION, Condition, amounts_in, dates_in, times_in
from desktop.tools.table_statements import Assignment, Statement, Verb, line_with, rows_meant
from desktop.tools.tables import Table

MOST_OF_A_THING = 7  # words of a line that is added to a list
YES_AND_NO = 2  # values
FEWEST_FILLED = 2  # cells of a row that is added
SHORTEST_BEGINNING = 4  # letters of a word that is short for another
FOR_A_DAY = 1.5  # words that a day or a time counts for
NEAR_DAYS = 1  # days from today that have names of their own
MOST_MONTHS = 12
MOST_YEARS = 20  # of a log
LEAP_YEAR = 2024  # in which every day of a month is one
FOR_WORDS_ADDED = 0.5  # of a word that a new row takes as it stands
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CLOCK = re.compile(
    r"\b(?P<hours>[01]?\d|2[0-4])(?:[:.h](?P<minutes>[0-5]\d))?\s?(?P<half>[ap](?=\.?m\b))?\.?"
    r"(?:m\b\.?|h\b|uhr\b)?(?!\w)",
    re.IGNORECASE,
)
_NOT = r"\b(?:not|isn['’]t|nicht|noch nicht|pas(?: encore)?|no|todavía no) "
_NO = frozenset(("no", "nein", "non", "n"))
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|in place of|anstatt|statt|anstelle von|au lieu d(?:e|['’])|à la place d(?:e|['’])|"
    r"en vez de|en lugar de)\s*(?P<old>(?:[^,.;]|(?<=\d)[.,](?=\d))+)",
    re.IGNORECASE,
)
# A small model stops after the first of several parts, or loses the last.
CLAUSES = re.compile(
    r"(?:(?<=[^\W\d_])[.!;,]|,)\s+(?:and |und |et |y |e )?|\s+(?:and|und|et|y|e)\s+|\n+", re.IGNORECASE
)
_PIECES = re.compile(r"\s*[,;:]\s+|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(
    r"(?<![\d.,:])(?<!\bà )(?P<day>[12]?\d|3[01])(?:(?:st|nd|rd|th|er|\.)(?!\w|[.,:]\d)|(?![\w,:]|\.\d))"
)
# What was wrong before is set anew, and nothing is added to it.
CORRECTS = re.compile(
    r"\W*(?:(?:oh|ah|ach|ay|uy|oops|hm+)\W+)?(?:no|nope|nein|nee|nicht|non|sorry|actually|pardon|perd[oó]n|"
    r"doch|wait|moment)\b",
    re.IGNORECASE,
)
# What is left is a new amount, and no other is added to it.
_IS_LEFT = re.compile(
    r"\b(?:only|just|left|down to|nur noch|noch|übrig|bleiben|plus que|reste\w*|quedan?|sólo|solo)\b",
    re.IGNORECASE,
)


_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)+")
_MARKED = re.compile(r":|\d\s?(?:[ap]\.?m|h|uhr)", re.IGNORECASE)


def _spans_of_days(text: str) -> tuple[tuple[int, int], ...]:
    """Where days of the calendar stand: "8 dec", "27.12."."""
    return tuple(each.span() for each in ANY_DATE.finditer(text) if date_said(each[0], LEAP_YEAR) is not None)


# "10 till 11.30", "von 10 bis 12": times of a day, both of them.
_FROM_TILL = re.compile(
    r"(?<![\d.,:/])(?P<first>(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d)?)\s*(?:uhr|h|am|pm)?\s*"
    r"(?:till?|until|to|bis|à|a las|a|al|hasta|[-–])\s*(?:las )?"
    r"(?P<last>(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d|\s?(?:uhr|h|am|pm)\b))",
    re.IGNORECASE,
)


def _span_of_times(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(each.span() for each in _FROM_TILL.finditer(text))


def _lies_in(match: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= match.start() and match.end() <= last for first, last in spans)


def _in_any_year(days: Sequence[date]) -> Iterator[date]:
    """The same days of the years around: in December the 2nd of January is one of the next."""
    for day in days:
        for year in (day.year - 1, day.year, day.year + 1):
            if (found := _day_of(year, day.month, day.day)) is not None:
                yield found


def _numbers_apart_from_days(text: str) -> list[str]:
    others = (*_spans_of_days(text), *_span_of_times(text))
    return [each[0] for each in NUMBER.finditer(text) if not _lies_in(each, others)]


@dataclass(frozen=True)
class TableWords:
    """A `part` of the message `asked`, to a table. `before` is what was said and done before, as the model is
    shown it."""

    part: str
    asked: str
    before: str
    table: Table
    today: date
    linked: tuple[int, ...] = ()  # the rows that another table names: of plot 6, which is Krause's there

    # -- what the grammar takes ---------------------------------------------------------------

    def span_rules(self) -> Mapping[str, str]:
        """The rules of a grammar of which `text` is any run of the words of the part."""
        return {"text": spans("t", self.part), **span_rules("t", self.part)}

    def of_columns(self) -> Mapping[int, Sequence[str]]:
        """What may stand in the columns of dates, times and amounts; any other takes words."""
        table = self.table
        # Of "1pm" the 1 is no price.
        clocks = " ".join(each for each in self._clocks if _MARKED.search(each)) if times_in(table) else ""
        hours = NUMBER.findall(clocks)
        free = (each for each in _numbers_apart_from_days(self.part) if each not in hours)
        numbers = tuple(dict.fromkeys(free))
        found: dict[int, Sequence[str]] = dict.fromkeys(amounts_in(table), numbers)
        found |= dict.fromkeys(times_in(table), self._clocks)
        return found | dict.fromkeys(dated_in(table), tuple(self.days))

    @cached_property
    def _clocks(self) -> tuple[str, ...]:
        """The times of a day that are said, those with minutes or a sign first where there are any."""
        days = _spans_of_days(self.part)
        found = [each[0].strip() for each in _CLOCK.finditer(self.part) if not _lies_in(each, days)]
        spans = [each for match in _FROM_TILL.finditer(self.part) for each in match.group("first", "last")]
        marked = [each for each in found if not each.isdigit()]
        return tuple(dict.fromkeys((*spans, *(each for each in marked or found if not spans))))

    @cached_property
    def days(self) -> Mapping[str, tuple[date, ...]]:
        """The days that the message names, by its words: of a weekday also the last one and the one after, of
        a day of the month those that the rows are of."""
        found: dict[str, tuple[date, ...]] = {}
        for each in periods_in(self.asked, language_of(self.asked), self.today):
            if each.first == each.last:
                week = timedelta(days=7)
                is_named = abs((each.first - self.today).days) <= NEAR_DAYS or " " in each.words
                near = (each.first,) if is_named else (each.first, each.first - week, each.first + week)
                found[each.words] = near
        for match in ANY_DATE.finditer(self.asked):
            if (day := date_said(match[0], self.today.year)) is not None:
                found[match[0]] = (day,)
        for match in _DAY_OF_MONTH.finditer(self.asked):
            months = {(self.today.year, self.today.month)}
            for at in dated_in(self.table):
                months |= {(each.year, each.month) for each in dates_in(self.table, at) or ()}
            days = (_day_of(year, month, int(match["day"])) for year, month in sorted(months))
            if known := tuple(each for each in days if each is not None):
                found.setdefault(match[0], known)
        # Beside "8 dec" a 10 is an hour, or so many of something.
        is_named = any(not re.fullmatch(r"\d+\w{0,2}\.?", each) for each in found)
        return {words: days for words, days in found.items() if not (is_named and words.isdigit())}

    # -- which rows ---------------------------------------------------------------------------

    def rows(self, statement: Statement, may_be_new: bool = False) -> tuple[int, ...]:
        """The rows that a statement means: by those of its conditions that were spoken of, else those that
        the message speaks of, where it is of no new one. () for none."""
        where = [each for each in statement.where if self._is_spoken(each)]
        # A heading, a state or a number alone tells no row.
        where = where if any(not self._is_loose(each.column) for each in where) else []
        rows = rows_meant(where, self.table) if where else ()
        while where and not rows:
            where = where[:-1]
            rows = rows_meant(where, self.table) if where else ()
        rows = rows or (self._spoken_of(statement) if not may_be_new else ()) or self.linked
        rows = tuple(at for at in rows if not self._is_of_a_day(at, statement))
        rows = tuple(at for at in rows if not self._is_of_another_day(at, statement))
        if len(rows) > 1:
            rows = self._narrowed(rows, statement)
        if len(rows) > 1 and statement.verb is Verb.UPDATE:
            rows = tuple(at for at in rows if self.edit(statement, at) is not None) or rows
        return rows

    def spoken_rows(self) -> tuple[int, ...]:
        """The rows that have a word of the message."""
        return tuple(at for at in range(len(self.table.rows)) if self._said_of(at, set()) >= 1)

    def rows_spoken_of_most(self) -> tuple[int, ...]:
        """Those of them of which the message says most."""
        scores = {at: self._said_of(at, set()) for at in self.spoken_rows()}
        return tuple(at for at in scores if scores[at] == max(scores.values()))

    def only_names(self, at: int) -> bool:
        """Whether the message has no word but those of a row: what is to become of it nobody said."""
        if not self.table.head_line:
            return False
        tokens, row = self._tokens(self.asked), " ".join(self.table.rows[at])
        return bool(tokens) and all(is_in(each, row) for each in tokens)

    def adds_a_thing(self, statement: Statement) -> bool:
        """Whether what is written as a change of a list is a new line of it: under a heading, and of no line
        that the message speaks of."""
        names = (
            {self.table.header[each.column] for each in statement.sets} if not self.table.head_line else set()
        )
        has_row = any(self._is_spoken(each) and not self._is_loose(each.column) for each in statement.where)
        return bool({"task", "item"} & names) and not has_row

    def is_done(self, statement: Statement) -> bool:
        """Whether a statement ticks a task."""
        return self._sets_done(statement, "yes")

    def is_open_again(self, statement: Statement) -> bool:
        """Whether it takes the tick away."""
        return self._sets_done(statement, "no")

    def _sets_done(self, statement: Statement, value: str) -> bool:
        table = self.table
        names = (
            {table.header[each.column]: each.value for each in statement.sets} if not table.head_line else {}
        )
        return statement.verb is Verb.UPDATE and names.get(DONE) == value

    def says_gone(self, rows: Sequence[int], gone: re.Pattern[str]) -> bool:
        """Whether the clause that speaks of these rows says that they go: "the wood is done, and the coffee
        maker off"."""
        cells = " ".join(cell for at in rows for cell in self.table.rows[at])
        clauses = [each for each in CLAUSES.split(self.asked) if any(is_in(w, cells) for w in forms_of(each))]
        return bool(rows) and bool(clauses) and all(gone.search(each) for each in clauses)

    def is_unsaid(self, statement: Statement) -> bool:
        """Whether a cell of words gets a value that nobody said and that is none of yes and no."""
        table = self.table
        return statement.verb is Verb.UPDATE and any(
            not spoken_words(each.value, f"{self.part} {self.before}")
            and len(shared_values(table, each.column)) > YES_AND_NO
            and each.value in shared_values(table, each.column)
            for each in statement.sets
            if table.head_line and not each.sign
        )

    def _spoken_of(self, statement: Statement) -> tuple[int, ...]:
        """The rows of a table with named columns that have a word of the message."""
        if not self.table.head_line:
            return ()
        columns = {each.column for each in statement.sets}
        return tuple(at for at in range(len(self.table.rows)) if self._said_of(at, columns) >= 1)

    def _is_of_a_day(self, at: int, statement: Statement) -> bool:
        """Whether only a day tells a row in which words would take the place of others."""
        table = self.table
        typed = {*amounts_in(table), *dated_in(table), *times_in(table)}
        shared = {column for column in range(table.width) if shared_values(table, column)}
        sets_words = any(
            each.column not in typed
            and (each.column not in shared or each.value not in shared_values(table, each.column))
            for each in statement.sets
        )
        if not table.head_line or not sets_words:
            return False
        said = {word for cell in table.rows[at] for word in self._spoken(cell, f"{self.asked} {self.before}")}
        return not {each for each in said if each not in DAY_NAMES}

    def _is_of_another_day(self, at: int, statement: Statement) -> bool:
        """Whether a row of a log, in which all that stands has been, is of another day than the one that the
        message names: what was read today is none of October's."""
        table, dated = self.table, dated_in(self.table)
        dates = dates_in(table, dated[0]) if len(dated) == 1 and table.head_line else None
        named = {words: found for words, found in self.days.items() if re.search(r"[^\W\d]", words)}
        days = {each for found in named.values() if len(found) == 1 for each in found}
        if dates is None or len(days) != 1 or any(each.column == dated[0] for each in statement.sets):
            return False
        # A day without a year is of no year that is known.
        has_year = dates[0].year >= self.today.year - MOST_YEARS
        is_log = has_year and list(dates) == sorted(dates) and dates[-1] <= self.today
        return is_log and statement.verb is Verb.UPDATE and dates[at] not in days

    def _is_loose(self, column: int) -> bool:
        is_heading = not self.table.head_line and self.table.header[column] in (SECTION, DONE)
        return is_heading or column in amounts_in(self.table)

    def _is_spoken(self, condition: Condition) -> bool:
        if condition.column in dated_in(self.table):
            days = {each for found in self.days.values() for each in found}
            day = date_said(condition.value, self.today.year)
            return day is not None and (day in days or condition.value in self.before)
        said = f"{self.asked} {self.before}"
        return bool(self._spoken(condition.value, said)) or is_in(condition.value, said)

    def _spoken(self, value: str, said: str) -> set[str]:
        """The words of a cell that are said, in another form or by their beginning: "mozza". Those that say
        nothing of what is meant do not count."""
        beginnings = tuple(each for each in plain_words(said) if len(each) >= SHORTEST_BEGINNING)
        telling = {plain_letters(each) for each in forms_of(value)}
        found = {each for each in plain_words(value) if each.startswith(beginnings)}
        return {each for each in (*spoken_words(value, said), *found) if each in telling}

    def _narrowed(self, rows: Sequence[int], statement: Statement) -> tuple[int, ...]:
        """Those of several rows of which the part says most."""
        set_columns = {each.column for each in statement.sets}
        scores = {at: self._said_of(at, set_columns) for at in rows}
        most = max(scores.values())
        return tuple(at for at in rows if scores[at] == most)

    def _said_of(self, at: int, set_columns: set[int]) -> float:
        """How many words of the part the row has, days and times among them; what is set does not count, but
        for what it was."""
        row, table = self.table.rows[at], self.table
        days = {each for found in self.days.values() for each in found}
        clocks = {time_like(each) for each in self._clocks}
        score = 0.0
        for column, cell in enumerate(row):
            dates = dates_in(table, column) if column in dated_in(table) else None
            if dates is not None:
                score += FOR_A_DAY if dates[at] in days else 0.0
            elif column in times_in(table):
                score += FOR_A_DAY if cell in clocks else 0.0
            elif (
                column not in set_columns
                and column not in amounts_in(table)
                and column not in dated_in(table)
            ):
                score += len(self._spoken(cell, self.part))
        return score

    def day_instead(self) -> tuple[int, str] | None:
        """The one row of which a day is to be another, and its line then: "they come on the 27th instead of
        the 26th". A small model takes such days for prices. None where it is not said, or not of one row."""
        said = _INSTEAD_OF.search(self.part)
        if said is None or not self.table.head_line:
            return None
        old = {
            day
            for words, days in self.days.items()
            if words.rstrip(".") in said["old"]
            for day in _in_any_year(days)
        }
        new = [days for words, days in self.days.items() if words in self.part[: said.start()]]
        found = [
            (at, column, day)
            for column in dated_in(self.table)
            for at, day in enumerate(dates_in(self.table, column) or ())
            if day in old and any(self._spoken(cell, self.part) for cell in self.table.rows[at])
        ]
        if len(found) != 1 or len(new) != 1:
            return None
        at, column, was = found[0]
        day = min(_in_any_year(new[0]), key=lambda each: abs((each - was).days))
        value = day_like(day, self.table.rows[at][column])
        line = line_with(self.table, at, (Assignment(column, value),)) if value else None
        return (at, line) if line is not None and line != self.table.lines[at] else None

    # -- which values -------------------------------------------------------------------------

    def edit(self, statement: Statement, at: int) -> tuple[int, str] | None:
        """A row, and what its line becomes ("" where it goes); None where nothing of it is to be another."""
        if statement.verb is Verb.DELETE:
            return at, ""
        columns = [each.column for each in statement.sets]
        if len(set(columns)) < len(columns):
            return None
        given = statement.sets
        replaced = self._replaced(at) if len(given) == 1 and not given[0].sign else None
        if replaced is not None:
            given = (replace(given[0], column=replaced),)
        sets = tuple(found for each in given if (found := self._set(each, at)) is not None)
        new = line_with(self.table, at, sets) if sets else None
        return (at, new) if new is not None and new != self.table.lines[at] else None

    def in_named_column(self, statement: Statement) -> Statement:
        """A statement that sets one amount, with it in the one column of amounts that the message names,
        where that is another: "paid 100 of the deposit" takes nothing from the total. A state that the rows
        of one other column have is set there: "lista" is no kind of work."""
        if statement.verb is Verb.UPDATE:
            statement = replace(statement, sets=tuple(map(self._in_column_of_state, statement.sets)))
        amounts = [each for each in amounts_in(self.table) if self.is_named(each)]
        one = statement.sets[0] if len(statement.sets) == 1 else None
        is_other = one is not None and one.column in amounts_in(self.table) and len(amounts) == 1
        if one is None or not is_other or one.column == amounts[0]:
            return statement
        return replace(statement, sets=(replace(one, column=amounts[0], sign="+" if one.sign else ""),))

    def _in_column_of_state(self, one: Assignment) -> Assignment:
        value = one.value.casefold()
        having = [
            column
            for column in range(self.table.width if self.table.head_line and not one.sign else 0)
            if any(each.casefold() == value for each in shared_values(self.table, column))
        ]
        is_here = any(row[one.column].casefold() == value for row in self.table.rows)
        return replace(one, column=having[0]) if len(having) == 1 and not is_here else one

    def is_named(self, column: int) -> bool:
        """Whether the message says the heading of a column."""
        return bool(self.table.head_line and spoken_words(self.table.header[column], self.part))

    def _replaced(self, at: int) -> int | None:
        """The column of the one cell that something else is to stand in: "Lucia instead of Tomas"; None where
        no cell is named so."""
        found = _INSTEAD_OF.search(self.part)
        words = set(forms_of(found["old"])) if found is not None else set()
        row = self.table.rows[at]
        fitting = [column for column, cell in enumerate(row) if any(is_in(each, cell) for each in words)]
        return fitting[0] if len(fitting) == 1 else None

    def _set(self, assignment: Assignment, at: int) -> Assignment | None:
        """`assignment` with its value as the column writes such values; None where it is none of it."""
        table, column = self.table, assignment.column
        if not table.head_line and table.header[column] in (DONE, SECTION):
            return assignment
        if assignment.sign:
            corrects = bool(self.before) and CORRECTS.match(self.part) is not None
            # "Plus que 9 kg de mozza, 150 boîtes": of the boxes no more is said than how many.
            row = " ".join(table.rows[at])
            is_bare = self.part != self.asked and all(is_in(each, row) for each in forms_of(self.part))
            near = self.asked if is_bare else self._near(assignment.value)
            is_anew = corrects or _IS_LEFT.search(near) is not None
            return replace(assignment, sign="") if is_anew else assignment
        if not table.parted_by and not self._is_about(assignment.value, table.rows[at][column]):
            return None
        value = self.written(column, assignment.value, table.rows[at][column])
        # A word that tells the row is no value of another cell of it.
        if value is None or self._tells_row(value, at, column):
            return None
        return replace(assignment, value=value)

    def written(self, column: int, value: str, beside: str = "") -> str | None:
        """A value as the column writes such values; None where it is none of them. `beside` is a cell near
        which a day is, where the words mean several."""
        table = self.table
        cells = [row[column] for row in table.rows if row[column]]
        if column in dated_in(table):
            days = self.days.get(value) or tuple(filter(None, (date_said(value, self.today.year),)))
            if not days or not _is_clear(cells, language_of(self.asked)):
                return None
            own = (date_said(beside, self.today.year) if beside else None) or self.today
            # Moved to the 18th it is another day than it was, and no later month.
            day = min(days, key=lambda each: abs((each - own).days) or MOST_MONTHS * 31)
            return day_like(day, cells[-1])
        if column in times_in(table):
            return time_like(value)
        if column in amounts_in(table):
            return as_in_column(table, column, value) if amount_in(value) is not None else None
        shared = shared_values(table, column)
        spoken = [each for each in shared if set(plain_words(each)) <= set(plain_words(self.part))]
        # "Marché de Lussan", where Lussan is another place.
        spoken = [
            each
            for each in spoken
            if not any(each != one and each.casefold() in one.casefold() for one in spoken)
        ]
        if len(spoken) == 1 and not (value in shared and spoken_words(value, self.part)):
            return spoken[0]
        if value in shared and spoken and value.casefold() in spoken[0].casefold():
            return spoken[0]
        if value not in shared and (self._is_told_to(value) or not _is_like(value, cells)):
            return None
        return as_in_column(table, column, _cased(value, cells))

    def _is_told_to(self, value: str) -> bool:
        """Whether words tell somebody to do something: behind a colon they are what is written down."""
        is_dictated = value in self.asked.partition(":")[2]
        return not is_dictated and is_order(value)

    def _near(self, number: str) -> str:
        """The words before a number, back to the one before it."""
        before = self.part.partition(number)[0]
        return NUMBER.split(before)[-1]

    def _tells_row(self, value: str, at: int, column: int) -> bool:
        said = set(plain_words(value))
        others = (cell for other, cell in enumerate(self.table.rows[at]) if other != column)
        return value not in shared_values(self.table, column) and any(
            said <= set(plain_words(cell)) for cell in others
        )

    def _is_about(self, value: str, old: str) -> bool:
        """Whether a line may become `value`: it is of the same thing, or all of the old one is named."""
        said = set(forms_of(self.part))
        words = set(forms_of(old))
        shares = bool(words & set(forms_of(value)))
        return shares or bool(
            words
            and all(any(form.search(plain_letters(each)) for each in said) for form in forms_of(old).values())
        )

    def new_row(self, statement: Statement) -> tuple[str, ...] | None:
        """The cells of a row that is added; None where too little of it was said, what a row is of among
        that, or where it is there already."""
        table = self.table
        row = [""] * table.width
        for each in statement.sets:
            row[each.column] = self._of_new(each) or row[each.column]
        self._in_order(row)
        self._fill_in(row)
        named = [each for each in self.days if not each.isdigit()]
        told = [at for at in range(table.width) if row[at]]
        for at in dated_in(table):
            dates = dates_in(table, at)
            is_log = dates is not None and list(dates) == sorted(dates) and len(dated_in(table)) == 1
            if not row[at] and is_log:
                # Of what nobody dates, the day is today.
                row[at] = (
                    self.written(at, named[0]) if named else day_like(self.today, table.rows[-1][at])
                ) or ""
        cells = [each.value for each in statement.sets if each.column not in times_in(table)]
        numbers = [each for cell in cells for each in NUMBER.findall(cell)]
        said = NUMBER.findall(self.asked)
        is_doubled = any(numbers.count(each) > said.count(each) for each in numbers if each in said)
        # What a row is of stands in its first columns of words.
        worded = [at for at in table.worded if at not in (*dated_in(table), *times_in(table))]
        # A cell that several rows have is a kind: "full groom" is not whose.
        names = [at for at in worded[:2] if not shared_values(table, at)] or worded[:2]
        is_named = any(row[at] for at in names) or not worded
        always = {at for at in range(table.width) if all(cells[at] for cells in table.rows)}
        always -= {at for at in dated_in(table) if at not in told}
        filled = [each for each in row if each]
        is_little = len(filled) < FEWEST_FILLED or len(always & set(told)) * 2 < len(always)
        return None if is_doubled or is_little or not is_named or tuple(row) in table.rows else tuple(row)

    def _of_new(self, assignment: Assignment) -> str:
        """The value as a new row has it; "" for what nobody said, but for a yes or a no."""
        table, column = self.table, assignment.column
        value = self.written(column, assignment.value)
        states = shared_values(table, column)
        if value is None or value not in states:
            # "Same as last time" names nothing that a row could be of.
            says_nothing = value is not None and _WORDS.fullmatch(value) and not forms_of(value)
            return "" if says_nothing else value or ""
        if len(states) != YES_AND_NO:
            return value if spoken_words(value, self.part) else ""
        # "Not bought yet", of a column "bought".
        is_denied = re.search(rf"{_NOT}(?:\w+ )?{re.escape(table.header[column])}", self.part, re.IGNORECASE)
        denied = next((each for each in states if each.casefold() in _NO), value)
        return denied if is_denied else value

    def _fill_in(self, row: list[str]) -> None:
        """Put into the cells that all other rows have what the model left out of them and only one of them
        can take: a value that other rows have and that is said, the one number, the one piece of the message
        that no cell has."""
        table = self.table
        empty = [at for at in range(table.width) if not row[at] and all(each[at] for each in table.rows)]
        for at in empty:
            said = [
                each
                for each in shared_values(table, at)
                if set(plain_words(each)) <= set(plain_words(self.part))
            ]
            row[at] = said[0] if len(said) == 1 else ""
        numbers = [each for each in NUMBER.findall(self.part) if not is_in(each, " ".join(row))]
        amounts = [at for at in empty if at in amounts_in(table) and not row[at]]
        is_day = bool(dated_in(table)) and any(each in day for each in numbers for day in self.days)
        if len(amounts) == len(numbers) == 1 and not is_day:
            row[amounts[0]] = as_in_column(table, amounts[0], numbers[0])
        typed = {*dated_in(table), *times_in(table)}
        worded = [at for at in empty if not row[at] and at in table.worded and at not in typed]
        known = " ".join((*row, *table.header))
        left = [
            each.strip(" .!")
            for each in _PIECES.split(self.part)
            if forms_of(each) and not NUMBER.search(each) and not any(is_in(w, known) for w in forms_of(each))
        ]
        # "New booking: yoga, small room, usual rate": behind the colon the first is what the row is of.
        told = self.part.partition(":")[2]
        left = [each for each in left if each in told][:1] if told and len(left) > 1 else left
        if len(worded) == len(left) == 1 and not self._is_told_to(left[0]):
            row[worded[0]] = as_in_column(table, worded[0], left[0])

    def _in_order(self, row: list[str]) -> None:
        """Put as many times as there are columns of them in the order in which they were said."""
        times, clocks = times_in(self.table), [time_like(each) for each in self._clocks]
        if len(times) > 1 and len(clocks) == len(times):
            for at, clock in zip(times, clocks, strict=True):
                row[at] = clock or row[at]

    def is_thing(self, value: str, may_order: bool) -> bool:
        """Whether words may be a line of a list: not the whole of a message, and no order but where one is
        told to be added, as a task is."""
        is_told = len(value.split()) > MOST_OF_A_THING or (not may_order and is_order(value))
        return bool(value.strip()) and not is_told and value != self.asked

    # -- how much of it is answered to --------------------------------------------------------

    def lacks(self, clause: str, answered: str, has_items: bool) -> bool:
        """Whether a clause of the message has something that no change answers to: a number, or a word that
        tells a row, or where lines are added as they were said any. `answered` is what the changed rows
        were and are."""
        left = {each for each in self._tokens(clause) if not is_in(each, answered)} - self._sums(answered)
        if has_items:
            return bool(left)
        cells = " ".join(cell for row in self.table.rows for cell in row)
        return any(each[:1].isdigit() or is_in(each, cells) for each in left)

    def fit(self, answered: str, new: Sequence[str], was: str = "") -> float:
        """Which share of the words of the message stands in the changed rows, before or after, with the names
        of columns and of the file; of those that a `new` line takes as they stand, and that stood in no row
        as it `was`, only a part counts."""
        tokens = self._tokens(self.asked)
        found = {each for each in tokens if is_in(each, answered)} | (self._sums(answered) & tokens)
        found |= self._days_in(answered) & tokens
        taken = {each for each in found if any(is_in(each, line) for line in new) and not is_in(each, was)}
        taken = {each for each in taken if not each[:1].isdigit()}
        worth = len(found - taken) + FOR_WORDS_ADDED * len(taken)
        return worth / max(len(tokens), 1)

    def unplaced(self, answered: str) -> set[str]:
        """The numbers of the message that no changed row has, as a number, a day, a time or a sum."""
        clocks = {
            number
            for each in self._clocks
            if is_in(time_like(each) or "", answered)
            for number in NUMBER.findall(each)
        }
        days = {number for each in self._days_in(answered) for number in NUMBER.findall(each)}
        numbers = NUMBER.findall(self.asked)
        values = {found.value for each in NUMBER.findall(answered) if (found := amount_in(each)) is not None}
        same = {each for each in numbers if (found := amount_in(each)) is not None and found.value in values}
        known = clocks | days | same | self._sums(answered)
        return {each for each in numbers if each not in known and not is_in(each, answered)}

    def _days_in(self, answered: str) -> set[str]:
        """The words for days that the changed rows have."""
        found = (date_said(each[0], self.today.year) for each in ANY_DATE.finditer(answered))
        days = {each for each in found if each is not None}
        return {word for word, of in self.days.items() if days & set(of)}

    def _tokens(self, text: str) -> set[str]:
        days = (each for each in self.days if each in text.casefold())
        return {*forms_of(text), *_numbers_apart_from_days(text), *days}

    def _sums(self, answered: str) -> set[str]:
        """The numbers by which amounts of the changed rows became others."""
        amounts = [each.value for word in NUMBER.findall(answered) if (each := amount_in(word)) is not None]
        return {
            number
            for number in NUMBER.findall(self.asked)
            if (by := amount_in(number)) is not None
            and any(one - other == by.value for one in amounts for other in amounts)
        }


def is_in(word: str, text: str) -> bool:
    """Whether `text` says a word of a message, in this form or another."""
    plain = plain_letters(text.casefold())
    form = forms_of(word).get(word.casefold())
    if form is not None:
        # "Cols bike" is Col's.
        owner = (
            rf"(?<!\w){re.escape(plain_letters(word.casefold())[:-1])}(?!\w)"
            if word.endswith("s")
            else r"(?!)"
        )
        return form.search(plain) is not None or re.search(owner, plain) is not None
    return re.search(rf"(?<![\w.,]){re.escape(word.casefold())}(?!\w|[.,]\d)", text.casefold()) is not None


def plain_words(text: str) -> list[str]:
    """Its words without case and accents."""
    return re.findall(r"\w+", plain_letters(text.casefold()))


def time_like(said: str) -> str | None:
    """A time of day as 14:00; None where it is none."""
    found = _CLOCK.fullmatch(said.strip())
    if found is None:
        return None
    hours, half = int(found["hours"]), (found["half"] or "").casefold()
    hours += 12 if half == "p" and hours < 12 else -12 if half == "a" and hours == 12 else 0
    return f"{hours:02d}:{found['minutes'] or '00'}" if hours < 24 else None


def _day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # there is no 31 February
        return None


def _is_clear(cells: Sequence[str], language: str) -> bool:
    """Whether it is known which number of such dates is the day: 03/04 is the 3rd of April everywhere but in
    America."""
    slashed = [each for each in cells if "/" in each]
    first = [int(each.split("/")[0]) for each in slashed]
    return not slashed or language != "en" or any(each > MOST_MONTHS for each in first)


def _is_like(value: str, cells: Sequence[str]) -> bool:
    """Whether a value may stand beside `cells`: 10 is no telephone number, and a name none either."""
    digits = sum(each.isdigit() for each in value)
    others = [sum(sign.isdigit() for sign in each) for each in cells]
    if not others or min(others) == 0:
        return not (digits and digits == len(value) and others and max(others) == 0)
    return digits * 2 >= min(others)


def _cased(value: str, cells: Sequence[str]) -> str:
    """`value` with capital letters where all others have them: names that were typed small."""
    words = [word for each in cells for word in each.split()]
    if value != value.casefold() or not words or any(not each[:1].isupper() for each in cells):
        return value
    if not all(each[:1].isupper() for each in words if each[:1].isalpha()):
        return value[:1].upper() + value[1:]
    return " ".join(each[:1].upper() + each[1:] for each in value.split())
