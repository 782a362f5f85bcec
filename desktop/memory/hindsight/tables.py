"""The rows of problems and fixes: `memory_problems`, its words, and `memory_fixes`."""

from __future__ import annotations

import json

from desktop.database import Connection, Row
from desktop.memory.hindsight.fixes import Fix, filled
from desktop.memory.hindsight.signature import Signature
from desktop.memory.item import Layer

FIXES = (
    "SELECT f.*, p.tool AS tool, p.message AS message FROM memory_fixes f"
    " JOIN memory_problems p ON p.id = f.problem_id"
)


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
    """Those that may be offered in a project."""
    marks = ", ".join("?" * len(problems))
    statement = (
        f"{FIXES} WHERE f.problem_id IN ({marks}) AND NOT f.forbidden"
        " AND (f.layer != 'project' OR f.scope = ?)"
    )
    return connection.execute(statement, (*problems, project)).fetchall()


def tidy(connection: Connection, all_of_them: bool = False) -> None:
    """Problems without a fix are kept only while they may still get one; their words go with them."""
    where = "1" if all_of_them else "id NOT IN (SELECT problem_id FROM memory_fixes)"
    gone = f"SELECT id FROM memory_problems WHERE {where}"  # noqa: S608 - from above
    connection.execute(f"DELETE FROM memory_problem_words WHERE rowid IN ({gone})")  # noqa: S608 - the same
    connection.execute(f"DELETE FROM memory_problems WHERE {where}")  # noqa: S608 - the same
    connection.execute("INSERT INTO memory_problem_words (memory_problem_words) VALUES ('optimize')")
