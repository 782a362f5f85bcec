"""The known problems on disk, and finding one again.

By hash first; then among the problems with like words or the same cause; then, where none of them is like
enough in words and search by meaning is on, by meaning. That last step is strict, because a wrong fix is
worse than none: of the look-alikes in tests/memory/hindsight/cases.py the most alike has 0.80. A vector takes
some 10 ms to make, so a lookup makes few and keeps them; those that it has no time for are made by later
ones.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from desktop.database import AMONG, Connection, Row, among
from desktop.memory.hindsight.fixes import Fix, filled
from desktop.memory.hindsight.signature import Signature
from desktop.memory.item import Layer
from desktop.memory.text import any_of

ALIKE = 0.6  # measured on the pairs of tests/memory/hindsight/cases.py
LOOKED_AT = 50
FEWEST_WORDS = 3  # of a message that stands in another; fewer do by chance
LESS = 0.9
_CAUSE, _WORDS, _CONTEXT = 0.45, 0.3, 0.25  # how much a shared cause, words and surroundings count
_WORDS_ALONE = 0.8  # where no cause is known
SURE = 0.86  # of the cosine
TIME_S = 0.025  # after which a lookup makes no more vectors
KEPT = 512

FIXES = (
    "SELECT f.*, p.tool AS tool, p.message AS message FROM memory_fixes f"
    " JOIN memory_problems p ON p.id = f.problem_id"
)
Vector = Sequence[float]

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
    # Last, because it is the slowest and the least sure.
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


def _near(connection: Connection, signature: Signature) -> list[Row]:
    same = "tool = ? AND program = ? AND cause = ?"
    values = (signature.tool, signature.program, signature.cause)
    # Marks such as <path> stand in nearly every message.
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


def likeness(one: Signature, other: Signature) -> float:
    """0 to 1. Different tools, programs, causes or codes are different problems, however alike they read."""
    if (one.tool, one.program) != (other.tool, other.program) or one.cause != other.cause:
        return 0.0
    # Of one cause a program may tell several codes: a name is unresolved with errno -2 and with -3.
    codes, others = (each.named_codes if one.cause else frozenset(each.codes) for each in (one, other))
    if codes and others and not codes & others:
        return 0.0
    if one.error_class and other.error_class and one.error_class != other.error_class:
        return 0.0
    words = _shared(one.tokens, other.tokens)
    context = _jaccard(frozenset(one.context), frozenset(other.context))
    if one.cause or one.named_codes & other.named_codes:
        return _CAUSE + _WORDS * words + _CONTEXT * context
    return _WORDS_ALONE * words + (1 - _WORDS_ALONE) * context


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """How alike two messages are. One version says more than the other of the same: then what the shorter one
    says counts, a little less."""
    shorter = min(len(one), len(other))
    inside = len(one & other) / shorter if shorter >= FEWEST_WORDS else 0.0
    return max(_jaccard(one, other), LESS * inside if inside == 1.0 else 0.0)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Two that are empty are alike."""
    return len(one & other) / len(one | other) if one or other else 1.0


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


class MeaningCache:
    """May be called on any thread."""

    def __init__(
        self, vector: Callable[[str], Vector], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """`vector` gives a text's meaning with length 1, () where that is off."""
        self._vector = vector
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vector] = OrderedDict()

    def likeness(self, message: str, others: Sequence[str]) -> dict[str, float]:
        """Of those of `others` that there was time for, and that surely say the same: the cosine."""
        until = self._clock() + TIME_S
        asked = self._of(message, until)
        found = {}
        for other in others if asked else ():
            vector = self._of(other, until)
            cosine = sum(a * b for a, b in zip(asked, vector, strict=False)) if vector else 0.0
            if cosine >= SURE:
                found[other] = cosine
        return found

    def forget(self) -> None:
        """Drop everything that was kept in memory."""
        with self._lock:
            self._known.clear()

    def _of(self, text: str, until: float) -> Vector:
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        made = self._vector(text) if self._clock() < until else ()
        if made:
            with self._lock:
                self._known[text] = made
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return made


def problem_seen(connection: Connection, signature: Signature, now: float) -> int:
    """The id of the problem, which is stored when it is new."""
    row = connection.execute("SELECT id FROM memory_problems WHERE hash = ?", (signature.hash,)).fetchone()
    if row is not None:
        connection.execute(
            "UPDATE memory_problems SET seen = seen + 1, last_at = ? WHERE id = ?", (now, row["id"])
        )
        return int(row["id"])
    cursor = connection.execute(
        "INSERT INTO memory_problems (hash, tool, program, error_class, cause, codes, message, context, seen,"
        " first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (
            *(signature.hash, signature.tool, signature.program, signature.error_class, signature.cause),
            *(json.dumps(signature.codes), signature.message, json.dumps(signature.context), now, now),
        ),
    )
    assert cursor.lastrowid is not None
    connection.execute(
        "INSERT INTO memory_problem_words (rowid, message) VALUES (?, ?)",
        (cursor.lastrowid, signature.message),
    )
    return cursor.lastrowid


def count_success(
    connection: Connection, values: tuple[object, ...], example: str, now: float, on_trial: int | None
) -> int:
    """Count a success of the fix with these values. One that was being tried has its application counted
    already.
    """
    row = connection.execute(
        "SELECT id FROM memory_fixes WHERE problem_id = ? AND before = ? AND after = ? AND layer = ?"
        " AND scope = ?",
        values,
    ).fetchone()
    # A fix that was pressed is the one that helped, whatever the arguments look like now.
    fix_id = on_trial if on_trial is not None else row["id"] if row is not None else None
    if fix_id is not None:
        connection.execute(
            "UPDATE memory_fixes SET successes = successes + 1, applications = applications + ?, last_at = ?"
            " WHERE id = ?",
            (int(on_trial is None), now, fix_id),
        )
        return int(fix_id)
    cursor = connection.execute(
        "INSERT INTO memory_fixes (problem_id, before, after, layer, scope, example, applications, successes,"
        " last_at) VALUES (?, ?, ?, ?, ?, ?, 1, 1, ?)",
        (*values, example, now),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def fixes_of(connection: Connection, problems: list[int], project: str) -> list[Row]:
    """The fixes that may be offered in a project."""
    statement = (
        f"{FIXES} WHERE f.problem_id {AMONG} AND NOT f.forbidden AND (f.layer != 'project' OR f.scope = ?)"
    )
    return connection.execute(statement, (among(problems), project)).fetchall()


def as_fix(row: Row, names: tuple[str, ...] | list[str]) -> Fix:
    slots = tuple(names)
    return Fix(
        id=row["id"],
        problem_id=row["problem_id"],
        tool=row["tool"],
        before=filled(row["before"], slots) or {},
        after=filled(row["after"], slots) or {},
        applications=row["applications"],
        successes=row["successes"],
        last_at=row["last_at"],
        layer=Layer(row["layer"]),
        scope=row["scope"],
        message=row["message"],
        forbidden=bool(row["forbidden"]),
    )


def tidy(connection: Connection, all_of_them: bool = False) -> None:
    """Problems without a fix are kept only while they may still get one; their words go with them."""
    where = "1" if all_of_them else "id NOT IN (SELECT problem_id FROM memory_fixes)"
    gone = f"SELECT id FROM memory_problems WHERE {where}"  # noqa: S608 - from above
    connection.execute(f"DELETE FROM memory_problem_words WHERE rowid IN ({gone})")  # noqa: S608 - the same
    connection.execute(f"DELETE FROM memory_problems WHERE {where}")  # noqa: S608 - the same
    connection.execute("INSERT INTO memory_problem_words (memory_problem_words) VALUES ('optimize')")
