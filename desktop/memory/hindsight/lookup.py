"""Has this been seen before? By hash, then among the problems with like words or the same cause, then, where
none of them is like enough in words, by meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from desktop.database import Connection, Row
from desktop.memory.hindsight.signature import Signature
from desktop.memory.words import any_of

ALIKE = 0.6  # measured on the pairs of tests/memory/hindsight/cases.py
LOOKED_AT = 50
_CAUSE, _WORDS, _CONTEXT = 0.45, 0.3, 0.25  # how much a shared cause, words and surroundings count
_WORDS_ALONE = 0.8  # where no cause is known


# Of a message and others: those that surely mean the same, with their likeness.
ByMeaning = Callable[[str, Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True)
class Match:
    """A known problem and how sure it is that this is it: 1.0 by hash."""

    problem_id: int
    likeness: float


def find(connection: Connection, signature: Signature, by_meaning: ByMeaning | None = None) -> list[Match]:
    """The best first; under a few milliseconds, whatever is stored, and what `by_meaning` takes."""
    row = connection.execute("SELECT id FROM memory_problems WHERE hash = ?", (signature.hash,)).fetchone()
    sure = [Match(row["id"], 1.0)] if row is not None else []
    near = {each["id"]: as_signature(each) for each in _near(connection, signature)}
    maybe = [Match(problem_id, likeness(signature, other)) for problem_id, other in near.items()]
    seen = {match.problem_id for match in sure}
    good = [match for match in maybe if match.likeness >= ALIKE and match.problem_id not in seen]
    if not sure and not good and by_meaning is not None:
        good = _alike(signature, [(near[match.problem_id], match) for match in maybe], by_meaning)
    return sure + sorted(good, key=lambda match: -match.likeness)


def _alike(
    signature: Signature, near: Sequence[tuple[Signature, Match]], by_meaning: ByMeaning
) -> list[Match]:
    """Those that mean the same; what is another problem by its rules stays one. Never surer than words."""
    may_be = [(other.message, match.problem_id) for other, match in near if match.likeness > 0]
    found = by_meaning(signature.message, [message for message, _ in may_be])
    return [Match(problem_id, ALIKE * found[text]) for text, problem_id in may_be if text in found]


def likeness(one: Signature, other: Signature) -> float:
    """0 to 1. Different tools, programs, causes or codes are different problems, however alike they read."""
    if (one.tool, one.program) != (other.tool, other.program) or one.cause != other.cause:
        return 0.0
    if one.codes and other.codes and not set(one.codes) & set(other.codes):
        return 0.0
    if one.error_class and other.error_class and one.error_class != other.error_class:
        return 0.0
    words = _jaccard(one.tokens, other.tokens)
    context = _jaccard(frozenset(one.context), frozenset(other.context))
    if one.cause:
        return _CAUSE + _WORDS * words + _CONTEXT * context
    return _WORDS_ALONE * words + (1 - _WORDS_ALONE) * context


def as_signature(row: Row) -> Signature:
    return Signature(
        tool=row["tool"],
        program=row["program"],
        error_class=row["error_class"],
        cause=row["cause"],
        codes=tuple(json.loads(row["codes"])),
        message=row["message"],
        context=tuple(json.loads(row["context"])),
    )


def _near(connection: Connection, signature: Signature) -> list[Row]:
    same = "tool = ? AND program = ? AND cause = ?"
    values = (signature.tool, signature.program, signature.cause)
    words = any_of(sorted(token for token in signature.tokens if not token.startswith("<")))
    rows = connection.execute(
        f"SELECT * FROM memory_problems WHERE {same} ORDER BY last_at DESC LIMIT ?",  # noqa: S608 - from above
        (*values, LOOKED_AT),
    ).fetchall()
    if words:
        rows += connection.execute(
            "SELECT memory_problems.* FROM memory_problem_words JOIN memory_problems"  # noqa: S608 - from above
            f" ON memory_problems.id = memory_problem_words.rowid WHERE memory_problem_words MATCH ?"
            f" AND {same} ORDER BY rank LIMIT ?",
            (words, *values, LOOKED_AT),
        ).fetchall()
    return list({row["id"]: row for row in rows}.values())


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Two that are empty are alike."""
    return len(one & other) / len(one | other) if one or other else 1.0
