"""The gate's tables, step by step. A step is never edited after a release."""

from __future__ import annotations

from desktop.database import Connection, Migration

ROOM = "gate"


def _journal(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE journal (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            tool TEXT NOT NULL,
            call TEXT NOT NULL,
            action TEXT NOT NULL,
            state TEXT NOT NULL,
            root TEXT NOT NULL,
            path TEXT NOT NULL,
            to_root TEXT NOT NULL DEFAULT '',
            to_path TEXT NOT NULL DEFAULT '',
            before_sha256 TEXT NOT NULL DEFAULT '',
            after_sha256 TEXT NOT NULL DEFAULT '',
            kept INTEGER NOT NULL DEFAULT 0,
            size_bytes INTEGER NOT NULL DEFAULT 0,
            mode INTEGER NOT NULL DEFAULT 0,
            accessed_ns INTEGER NOT NULL DEFAULT 0,
            modified_ns INTEGER NOT NULL DEFAULT 0,
            folders_made INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX journal_kept ON journal (before_sha256) WHERE kept")


def _audit(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            at REAL NOT NULL,
            kind TEXT NOT NULL,
            record TEXT NOT NULL,
            hash TEXT NOT NULL
        )
        """
    )
    # A slip of ours must not rewrite history; somebody with the file can, which the chain shows.
    for change in ("UPDATE", "DELETE"):
        connection.execute(
            f"""
            CREATE TRIGGER audit_no_{change.lower()} BEFORE {change} ON audit
            BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END
            """
        )


def _grants(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            scope TEXT NOT NULL,
            tool TEXT NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            folder TEXT NOT NULL,
            chat TEXT NOT NULL,
            granted_at REAL NOT NULL,
            used_at REAL NOT NULL,
            uses INTEGER NOT NULL DEFAULT 0,
            ended_at REAL,
            ended_because TEXT NOT NULL DEFAULT ''
        )
        """
    )
    connection.execute("CREATE INDEX grants_by_tool ON grants (tool) WHERE ended_at IS NULL")
    connection.execute("CREATE VIEW grants_in_use AS SELECT * FROM grants WHERE ended_at IS NULL")


def _projects(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE projects (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            folder TEXT NOT NULL,
            begun REAL NOT NULL,
            until REAL,
            used_at REAL NOT NULL,
            uses INTEGER NOT NULL DEFAULT 0,
            ended_at REAL,
            ended_because TEXT NOT NULL DEFAULT ''
        )
        """
    )
    connection.execute("ALTER TABLE grants ADD COLUMN until REAL")


# Also when the log is gone on with: a program that dropped the table must not end the log by that.
AUDIT_END = """
    CREATE TABLE IF NOT EXISTS audit_end (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        number INTEGER NOT NULL,
        hash TEXT NOT NULL,
        code TEXT NOT NULL
    )
"""


def _audit_end(connection: Connection) -> None:
    connection.execute(AUDIT_END)
    connection.execute(
        "INSERT INTO audit_end SELECT 1, number, hash, '' FROM audit ORDER BY number DESC LIMIT 1"
    )
    connection.execute(
        """
        CREATE TRIGGER audit_end_no_delete BEFORE DELETE ON audit_end
        BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END
        """
    )


def _project_copies(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE project_files (
            root TEXT NOT NULL,
            path TEXT NOT NULL,
            kind TEXT NOT NULL,
            mode INTEGER NOT NULL,
            size_bytes INTEGER NOT NULL,
            accessed_ns INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            stamp TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            PRIMARY KEY (root, path)
        ) WITHOUT ROWID
        """
    )
    connection.execute(
        "CREATE TABLE project_calls (call TEXT PRIMARY KEY, root TEXT NOT NULL, at REAL NOT NULL)"
    )
    connection.execute("CREATE INDEX journal_call ON journal (call)")


def _agent_consents(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE agent_consents (
            agent TEXT NOT NULL,
            file TEXT NOT NULL,
            digest TEXT NOT NULL,
            agreed_at REAL NOT NULL,
            PRIMARY KEY (agent, file)
        ) WITHOUT ROWID
        """
    )


MIGRATIONS = (
    Migration(1, "undo journal", _journal, ROOM),
    Migration(2, "audit log", _audit, ROOM),
    Migration(3, "grants", _grants, ROOM),
    Migration(4, "project mode, and grants for a time", _projects, ROOM),
    Migration(5, "end of the audit log", _audit_end, ROOM),
    Migration(6, "copies of projects", _project_copies, ROOM),
    Migration(7, "agents' own rules", _agent_consents, ROOM),
)
