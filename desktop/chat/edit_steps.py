"""The steps of a plan that edit files, held against what stands there.

What a table of words or a small model takes for a passage is often a part of one: a cell of a row, a day
behind its label, an amount without the name of what it counts. What is exchanged is the whole row, the label
stays, and a table gets no line that is no row of it. Pure but for the row that a model puts into cells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from desktop.chat.content_search import forms_of
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import plain_letters, say, whole_line
from desktop.chat.template_letters import is_template
from desktop.tools.table_statements import cells_of
from desktop.tools.tables import Table, table_in

_ADDS_TO = re.compile(
    r"\b(?:add|append|below|underneath|at the (?:end|bottom)|as well|too|noch|dazu|rein|hinzu|unten|ans ende|"
    r"ajoute\w*|en bas|à la fin|aussi|añad\w*|agrega\w*|abajo|al final|también)\b",
    re.IGNORECASE,
)
_WRITES_ANEW = re.compile(
    r"\b(?:over\w*write|replace|instead|from scratch|anew|überschreib\w*|ersetz\w*|statt|neu|écrase\w*|"
    r"remplace\w*|sobrescrib\w*|reemplaza\w*)\b",
    re.IGNORECASE,
)


class ToldRows(Protocol):
    """A message, and what it tells of files."""

    @property
    def asked(self) -> str:
        """The message."""
        ...

    def speaks_of(self, path: str) -> bool:
        """Whether it names the file, or something was just done with it."""
        ...

    def line(self, name: str) -> str:
        """The row of the file `name` that it tells; "" for none."""
        ...


def in_rows(plan: IntentPlan, around: Surroundings, told: ToldRows) -> IntentPlan:
    """With whole rows of tables where a cell of theirs is named: "change food to 290" is about its amount;
    and with nothing added to a table that is no row of it."""
    steps: list[Step] = []
    for step in plan.steps:
        if _is_of_a_template(step, around, told):
            found = Step(text=say("nothing_done", plan.language))
        else:
            found = _in_row(step, around, plan.language, told)
        # What is added, or cannot be, is so once, however many pieces it was taken for.
        if found is step or not any(_is_same(found, each) for each in steps):
            steps.append(found)
    return replace(plan, steps=tuple(steps))


def _is_same(one: Step, other: Step) -> bool:
    """Whether two steps do the same, or say the same of pieces that were not understood."""
    return one == other or (one.call is None and other.call is None and one.text == other.text)


def _in_row(step: Step, around: Surroundings, language: str, told: ToldRows) -> Step:
    name = step.call.name if step.call is not None else ""
    if step.call is not None and name == "write_file":
        return _added_to(step, step.call, around, told.asked)
    if step.call is None or name not in ("replace_text", "append_text"):
        return step
    given = {key: str(value) for key, value in step.call.arguments.items()}
    path = given.get("path", "")
    is_removal = name == "replace_text" and not given.get("new", "")
    if is_removal and (line := whole_line(given.get("old", ""), around.whole(path))):
        return replace(step, call=ParsedCall(name, {**step.call.arguments, "old": line}))
    if not path.casefold().endswith((".csv", ".tsv")):
        line = line_of(given.get("old", ""), around.whole(path))
        kept = with_its_label(given.get("old", ""), given.get("new", ""), told.asked)
        kept = kept or number_alone(given.get("old", ""), given.get("new", ""), line)
        return replace(step, call=ParsedCall(name, {**step.call.arguments, "new": kept})) if kept else step
    from desktop.tools.table_cells import row_of

    table = table_in(around.whole(path))
    if table is None:
        return step
    if name == "append_text":
        rows = [row_of(table, each) for each in given.get("text", "").splitlines() if each.strip()]
        if not all(rows) and (line := told.line(path)):
            rows = [line]
        if not all(rows):
            columns = ", ".join(table.header) or str(table.width)
            return Step(text=say("no_row", language, a=path, b=columns), unread=given.get("text", ""))
        return replace(step, call=ParsedCall(name, {**step.call.arguments, "text": "\n".join(rows)}))
    return _edited_row(step, table, given, language)


_NUMBER_OF = re.compile(r"(?P<number>-?\d+(?:[.,]\d+)*)\s+(?P<what>[^\W\d_][^\d]*)")


def line_of(old: str, text: str) -> str:
    """The one line of `text` in which `old` stands; "" where that is none or several."""
    found = [each for each in text.splitlines() if old and old in each]
    return found[0] if len(found) == 1 else ""


def number_alone(old: str, new: str, line: str) -> str:
    """The number of `new` for the number `old`, where the line says already of what: "30 blankets" in the
    line of the blankets. "" where it says more than that."""
    found = _NUMBER_OF.fullmatch(new.strip())
    if found is None or not re.fullmatch(r"-?\d+(?:[.,]\d+)*", old.strip()):
        return ""
    said, there = forms_of(found["what"], with_common=True).values(), plain_letters(line.casefold())
    return found["number"] if said and all(form.search(there) for form in said) else ""


_LABELLED = re.compile(r"(?P<head>\W*)(?P<label>[^\W\d][\w .'’-]{1,30}):[ \t]+\S.*\d.*")


def with_its_label(old: str, new: str, asked: str) -> str:
    """`new`, a day or an amount, behind the label of the line `old` whose value it is, where the message
    speaks of that: "- MOT: 10 Dec" becomes "- MOT: 14 Dec" and no bare "- 14 Dec". "" where nothing goes
    before it."""
    found = _LABELLED.fullmatch(old.strip("\n"))
    value = re.sub(r"^\W*(?:\[[ xX]\]\s*)?", "", new.strip("\n"))
    if found is None or not re.search(r"\d", value) or ":" in re.sub(r"\d:\d", "", value):
        return ""
    label = found["label"].strip()
    is_spoken_of = any(form.search(plain_letters(label.casefold())) for form in forms_of(asked).values())
    is_there = plain_letters(label.casefold()) in plain_letters(new.casefold())
    return "" if is_there or not is_spoken_of else f"{found['head']}{label}: {value}"


def _edited_row(step: Step, table: Table, given: Mapping[str, str], language: str) -> Step:
    """`step`, which exchanges something in a table, with whole rows; or why nothing is changed."""
    from desktop.tools.table_cells import row_edit

    edit = row_edit(table, given.get("old", ""), given.get("new", ""))
    old, new = edit or (given.get("old", ""), given.get("new", ""))
    if old in table.lines and not stays_rows(table, old, new):
        shown = ", ".join(each for each in cells_of(old, table) if each)
        told = say("row_unchanged", language, a=given.get("path", ""), b=shown)
        return Step(text=told, unread=given.get("new", ""))
    if edit is None or step.call is None:
        return step
    return replace(step, call=ParsedCall(step.call.name, {**step.call.arguments, "old": old, "new": new}))


def stays_rows(table: Table, old: str, new: str) -> bool:
    """Whether the row `old` becomes one or more, or goes: as many cells, no words in an amount's place."""
    from desktop.tools.table_queries import amounts_in

    rows = [cells_of(each, table) for each in new.splitlines() if each.strip()]
    was = cells_of(old, table)
    return all(
        len(row) == table.width
        and all(row[at] == was[at] or not row[at] or re.search(r"\d", row[at]) for at in amounts_in(table))
        for row in rows
    )


def _is_of_a_template(step: Step, around: Surroundings, told: ToldRows) -> bool:
    """Whether a line of a text with slots is to be another that the message does not speak of."""
    if step.call is None or step.call.name not in ("replace_text", "append_text"):
        return False
    path = str(step.call.arguments.get("path", ""))
    return is_template(around.whole(path)) and not told.speaks_of(path)


def _added_to(step: Step, call: ParsedCall, around: Surroundings, asked: str) -> Step:
    """`step`, which writes a file, with its text put below what stands there, where that is what is asked:
    "in die alte winter.txt unten noch rein"."""
    path, text = str(call.arguments.get("path", "")), str(call.arguments.get("content", ""))
    is_there = path in around.files() and bool(around.whole(path)) and path in asked
    if not is_there or not _ADDS_TO.search(asked) or _WRITES_ANEW.search(asked):
        return step
    return replace(step, call=ParsedCall("append_text", {"path": path, "text": text.strip("\n")}))
