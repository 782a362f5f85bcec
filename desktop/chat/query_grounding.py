"""A query that a model wrote for a question about rows, held against the words of the question.

A small model that writes one begins conditions that nobody spoke of, loses the "not" in "not yet paid", and
of August to November takes the two that are named. Here a query gets the conditions that its question speaks
for: no narrower than its words, the other way round where they deny, with a whole span, and in a follow-up
with those of the question before. Pure; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from desktop.chat.content_search import forms_of
from desktop.chat.intent_words import language_of, plain_letters
from desktop.tools.amounts import amount_in
from desktop.tools.dates import MONTH, month_number
from desktop.tools.periods import WEEKDAYS, named_times
from desktop.tools.table_queries import (
    OF_TIME,
    SECTION,
    TODAY,
    Aggregate,
    Comparison,
    Condition,
    Expression,
    TableQuery,
    amounts_in,
    dates_in,
    rows_of,
)
from desktop.tools.tables import Table

MOST_STATES = 3  # values of a column such as yes, no and half
SHORTEST_STEM, LONGEST_ENDING = 3, 2  # letters
DAY_NAMES = frozenset(plain_letters(day) for names in WEEKDAYS for day in names)


@dataclass(frozen=True)
class Before:
    """The question before, which the same table answered, what was told, and the conditions in that. In one
    sentence, "how many are left and what do they cost in all", it is about these alone."""

    asked: str
    told: str
    where: tuple[Condition, ...] = ()
    is_same_sentence: bool = False


GOES_ON = re.compile(r"\W*(?:(?:and|so|then|und|dann|et|alors|y|entonces)\b|n(?=\s))", re.IGNORECASE)
_OF_ALL = re.compile(
    r"\b(?:of (?:them )?all|all of (?:them|these)|overall|von (?:ihnen )?allen|überhaupt|insgesamt|"
    r"de tou(?:s|tes)|en tout|de tod[oa]s|en general)\b",
    re.IGNORECASE,
)


def as_said(
    query: TableQuery, table: Table, question: str, before: Before | None = None
) -> TableQuery | None:
    """`query` with conditions that the question speaks for: as wide as its words are, without those that a
    small model makes up, and in a follow-up with those of the question before. None where none is left."""
    where = tuple(filter(None, (_condition(each, table, question, before) for each in query.where)))
    where = _as_spoken(where, table, question)
    if not any(map(_denies, where)):
        where = tuple(_as_denied(each, table, question) for each in where)
    if before is not None:
        # "And their numbers, please" is of those that were asked for, however the model has them.
        kept = {each.column: each for each in before.where}
        where = tuple(kept.get(each.column, each) if is_unsaid(each, question) else each for each in where)
    names_time = bool(query.periods or months_in(question)) and any(
        dates_in(table, at) is not None for at in range(table.width)
    )
    if query.where and not where and not names_time:
        return None
    goes_on = before is not None and (before.is_same_sentence or GOES_ON.match(question) is not None)
    if before is not None and not before.is_same_sentence and _OF_ALL.search(question):
        where = tuple(each for each in where if each not in before.where)
    elif before is not None and goes_on:
        fixed = {each.column for each in where} | _named_times(query, table, question)
        where = (*where, *(each for each in before.where if each.column not in fixed))
    elif before is not None and not where and query.order is None:
        where = before.where
    query = _of_named_column(query, table, question)
    if _IN_ALL.search(question):
        query, where = _added_up(query, table), tuple(x for x in where if not _is_assumed(x, table, question))
    return _in_time(replace(query, where=tuple(dict.fromkeys(where))), table, question)


_SUMMED = re.compile(r"\d \+ .* = ")
MOST_WORDS_OF_ANOTHER = 4


def of_other_column(question: str, before: Before, table: Table, today: date) -> TableQuery | None:
    """The sum of the question before, of the other column that this one only names: "und der Strom?". None
    where it is no such question."""
    amounts = amounts_in(table) if table.header else ()
    named = [at for at in amounts if spoken_words(table.header[at], question)]
    is_short = len(question.split()) <= MOST_WORDS_OF_ANOTHER and GOES_ON.match(question) is not None
    if not is_short or len(named) != 1 or not _SUMMED.search(before.told):
        return None
    periods = named_times(before.asked, language_of(before.asked), today)
    query = TableQuery((Expression(named[0]),), Aggregate.SUM, before.where, periods=periods)
    return without_wide_times(_in_time(query, table, before.asked), table, today)


_IN_ALL = re.compile(
    r"\b(?:in total|in all|altogether|all told|all together|together|insgesamt|zusammen|alles in allem|"
    r"en tout|au total|en total|entre tod[oa]s)\b",
    re.IGNORECASE,
)


def _added_up(query: TableQuery, table: Table) -> TableQuery:
    """`query` for what its rows come to, where one column of amounts is shown."""
    amounts = [each for each in query.shown if each.sign or each.column in amounts_in(table)]
    if query.aggregate is not None or query.order is not None or len(amounts) != 1 or len(query.shown) != 1:
        return query
    return replace(query, aggregate=Aggregate.SUM, shown=tuple(amounts))


# What a state is called that holds, and one that does not.
_HOLDS = frozenset("yes y true done ok x ✓ ja j wahr erledigt oui o vrai fait si sí s hecho".split())
_FAILS = frozenset("no n false nein falsch non faux open offen".split())
_DENIES = re.compile(
    r"\b(?:not|never|nicht|pas|jamais|nunca|sin|ohne|sans|without|no(?![\s]*[,.;:!?]))\b|n['’]t\b",
    re.IGNORECASE,
)
_STATES = 2  # that a column of states has: paid and unpaid
_NEAR_WORDS = 3  # behind what denies them: "not yet been paid"


def _is_assumed(condition: Condition, table: Table, question: str) -> bool:
    """Whether rows are to be of a state that holds, of which the question says nothing: "how much did he
    claim in total" is not of what was approved."""
    is_state = condition.comparison is Comparison.EQUAL and condition.value.casefold() in _HOLDS
    is_named = bool(table.header) and bool(spoken_words(table.header[condition.column], question))
    return is_state and bool(table.head_line) and not is_named and is_unsaid(condition, question)


def _as_denied(condition: Condition, table: Table, question: str) -> Condition:
    """`condition` the other way round where the question denies the state that it is of: who has "not yet
    paid" are all that have no "paid", also those of whom nothing is entered."""
    value, column = condition.value.casefold(), condition.column
    cells = {row[column] for row in table.rows}
    is_state = condition.comparison is Comparison.EQUAL and len(cells - {""}) <= _STATES
    if not is_state or not value or not table.head_line:
        return condition
    if value in _FAILS:
        # What is not entered is not so either.
        held = [each for each in cells if each.casefold() in _HOLDS]
        is_other = "" in cells and len(held) == 1 and _is_denied(table.header[column], question)
        return Condition(column, Comparison.OTHER, held[0]) if is_other else condition
    if _DENIES.search(value):
        return condition
    named = table.header[column] if value in _HOLDS else condition.value
    return replace(condition, comparison=Comparison.OTHER) if _is_denied(named, question) else condition


def _denies(condition: Condition) -> bool:
    """Whether the model has put the "not" of a question into this condition."""
    is_nothing = condition.comparison is Comparison.EQUAL and not condition.value and condition.other is None
    return is_nothing or condition.comparison in (Comparison.OTHER, Comparison.UNLIKE)


def _is_denied(words: str, question: str) -> bool:
    """Whether the question denies one of `words`."""
    return any(
        spoken_words(words, " ".join(question[each.end() :].split()[:_NEAR_WORDS]))
        for each in _DENIES.finditer(question)
    )


def _of_named_column(query: TableQuery, table: Table, question: str) -> TableQuery:
    """`query` of the one column of amounts that the question names, where the model has worked out another:
    "how many cows trimmed" is no sum of the blocks."""
    amounts = amounts_in(table)
    named = [at for at in amounts if table.header and spoken_words(table.header[at], question)]
    one = query.shown[0] if len(query.shown) == 1 else None
    is_other = one is not None and not one.sign and one.column in amounts and one.column not in named
    if query.aggregate is None or query.aggregate is Aggregate.COUNT or not is_other or len(named) != 1:
        return query
    return replace(query, shown=(Expression(named[0]),))


def _named_times(query: TableQuery, table: Table, question: str) -> set[int]:
    """The columns of dates, where the question names a time."""
    names_time = bool(query.periods or months_in(question))
    return {at for at in range(table.width) if names_time and dates_in(table, at) is not None}


NEXT = re.compile(r"\b(?:next|nächste[nrsm]?|prochaine?s?|próxim[oa]s?)\b", re.IGNORECASE)


def _in_time(query: TableQuery, table: Table, question: str) -> TableQuery:
    """`query` for the time that the question names, also where the model left it out."""
    dated = [at for at in range(table.width) if dates_in(table, at) is not None]
    if len(dated) != 1 or query.is_any or any(each.column == dated[0] for each in query.where):
        return query
    months = months_in(question)
    if len(query.periods) == 1:
        named = Condition(dated[0], Comparison.IN_PERIOD, query.periods[0].words)
    elif len(months) == 1:
        named = Condition(dated[0], Comparison.IN_MONTH, str(months[0]))
    elif not query.periods and NEXT.search(question) and query.aggregate is None:
        named = Condition(dated[0], Comparison.AT_LEAST, TODAY)
        query = replace(query, order=dated[0], is_falling=False, limit=1)
    else:
        return query
    return replace(query, where=(*query.where, named))


def without_wide_times(query: TableQuery, table: Table, today: date) -> TableQuery:
    """Without a time that all rows are of: a file of November needs no "in November"."""
    all_rows = len(table.rows)
    where = tuple(
        each
        for each in query.where
        if each.comparison not in OF_TIME
        or len(rows_of(TableQuery((), where=(each,), periods=query.periods), table, today)) < all_rows
    )
    return replace(query, where=where)


def without_half_said(query: TableQuery, table: Table, question: str, today: date) -> TableQuery:
    """Where no row fits all conditions, without the one of which only a part was said: "the church flowers
    this Sunday" are not of the church fund."""
    if query.is_any or len(query.where) < 2 or rows_of(query, table, today):
        return query
    for each in query.where:
        is_whole = len(spoken_words(each.value, question)) == len(_words(each.value))
        is_worded = each.comparison is Comparison.EQUAL and dates_in(table, each.column) is None
        if not is_worded or not each.value or is_whole:
            continue
        fewer = replace(query, where=tuple(one for one in query.where if one != each))
        if rows_of(fewer, table, today):
            return fewer
    return query


def _as_spoken(where: tuple[Condition, ...], table: Table, question: str) -> tuple[Condition, ...]:
    """`where` with the cell that the question names in the place of one that nobody spoke of: "diesel" and
    not Tesco. A yes or no is seldom spoken of by its name."""
    unsaid = [each for each in where if is_unsaid(each, question) and has_many_values(table, each.column)]
    fixed = {each.column for each in where if each not in unsaid}
    named = [
        Condition(at, Comparison.EQUAL, cell)
        for at in table.worded
        if at not in fixed
        for cell in dict.fromkeys(row[at] for row in table.rows)
        if _words(cell) and len(spoken_words(cell, question)) == len(_words(cell))
    ]
    # In the place of a time that is named, too.
    if unsaid and any(each.comparison in OF_TIME for each in where):
        where = tuple(each for each in where if each not in unsaid)
    if not unsaid or len(named) != 1:
        return where
    return (*(each for each in where if each not in unsaid), named[0])


def is_unsaid(condition: Condition, question: str) -> bool:
    is_named = condition.comparison in (Comparison.EQUAL, Comparison.OTHER) and bool(condition.value)
    is_none = condition.value == "0" and _SAYS_NONE.search(question) is not None
    return is_named and not is_none and not spoken_words(condition.value, question)


def has_many_values(table: Table, column: int) -> bool:
    is_section = not table.head_line and table.header[column] == SECTION
    return is_section or len({row[column] for row in table.rows}) > MOST_STATES


# "On how many days was there no rain": 0.
_SAYS_NONE = re.compile(
    r"\b(?:no|none|nothing|zero|kein\w*|nichts|null|aucune?|rien|zéro|pas|ning[uú]n\w*|nada|cero|sin)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"0*(\d+)(?:st|nd|rd|th|er|º|ª)?")


def _condition(condition: Condition, table: Table, question: str, before: Before | None) -> Condition | None:
    if condition.comparison not in (Comparison.EQUAL, Comparison.OTHER) or not condition.value:
        return condition
    value = condition.value
    own, said = _words(value), spoken_words(value, question)
    if not said:
        # A number, an hour or a room that nobody spoke of is made up; a word may be one of another language.
        is_said = value.casefold() in question.casefold() or not is_unsaid(condition, question)
        is_said = is_said or is_none(condition, table, question)
        return condition if is_said or not re.search(r"\d", value) or value == TODAY else None
    # "Statistics" is the lecture and the lab; "payée" is not "non payée".
    said = spoken_words(value, f"{before.asked} {question}") if before is not None else said
    others = [_words(row[condition.column]) for row in table.rows if row[condition.column] != value]
    like = [each for each in others if set(said) <= set(each)]
    if len(said) < len(own) and like and all(len(each) > len(said) for each in like):
        by = Comparison.LIKE if condition.comparison is Comparison.EQUAL else Comparison.UNLIKE
        return Condition(condition.column, by, max(said, key=len))
    return condition


_NOT = re.compile(
    r"\b(?:not|no|none|never|without|yet|nicht|kein\w*|ohne|pas|aucune?|sans|rien|ningun\w*|sin|nada)\b|n['’]t\b",
    re.IGNORECASE,
)


def is_none(condition: Condition, table: Table, question: str) -> bool:
    """Whether an amount of nothing stands for what the question says there is none of: "qui n'a pas versé
    d'acompte"."""
    amount = amount_in(condition.value)
    is_named = bool(table.header) and bool(spoken_words(table.header[condition.column], question))
    return amount is not None and not amount.value and is_named and _NOT.search(question) is not None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", plain_letters(text.casefold()))


def spoken_words(value: str, question: str) -> list[str]:
    """The words of `value` that the question says, in this form or another: 05/11 is the 5th."""
    forms, words = forms_of(question), _words(question)
    numbers = {found[1] for each in words if (found := _ORDINAL.fullmatch(each)) is not None}
    return [
        each
        for each in _words(value)
        if (each.isdigit() and (each in words or each.lstrip("0") in numbers))
        or any(form.search(each) for form in forms.values())
        or (len(each) >= SHORTEST_STEM and any(_is_form(word, each) or _is_day(word, each) for word in words))
    ]


def _is_day(word: str, short: str) -> bool:
    """Whether `short` is how a table may write the weekday `word`."""
    return word.startswith(short) and word in DAY_NAMES


def _is_form(word: str, stem: str) -> bool:
    return word.startswith(stem) and len(word) - len(stem) <= LONGEST_ENDING


def months_in(question: str) -> tuple[int, ...]:
    """The months that are named, by their numbers."""
    words = re.findall(r"[^\W\d_]+", question.casefold())
    return tuple(
        dict.fromkeys(month_number(each) for each in words if re.fullmatch(MONTH, each, re.IGNORECASE))
    )
