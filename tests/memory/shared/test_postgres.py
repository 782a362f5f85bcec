"""Logins of one group on a real PostgreSQL: who made the tables, who may share, who may only read."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemorySource
from desktop.memory.shared.postgres import PostgresStore, administration_sql
from desktop.memory.shared.store import SharedItem, StoreRole
from tests.memory.shared.servers import postgres

NOTE = SharedItem(
    "i1", Layer.TEAM, "the stand-up is at nine", MemorySource.USER, "anna", 1.0, 0.0, "ab", "cd"
)
_databases = itertools.count()

OLD_TABLES = """
CREATE TABLE steward_memory (
    tenant TEXT NOT NULL, id TEXT NOT NULL, layer TEXT NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL,
    author TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED,
    PRIMARY KEY (tenant, id)
);
CREATE TABLE steward_memory_state (tenant TEXT PRIMARY KEY, version BIGINT NOT NULL);
INSERT INTO steward_memory VALUES ('shop', 'old', 'team', 'the office is in Leipzig', 'user', 'bert', 1.0);
"""


class Group:
    """A database of a cluster whose logins have passwords, as its administrator sees it."""

    def __init__(self, server: str, name: str) -> None:
        self.server, self.name = server, name

    def run(self, statements: str, database: str = "") -> None:
        import psycopg

        address = self.server.replace("/postgres?", f"/{database or self.name}?")
        with psycopg.connect(address, password="steward", autocommit=True) as connection:
            connection.execute(statements)

    def store(self, login: str) -> PostgresStore:
        """The group's memory, as this login reaches it."""
        address = self.server.replace("//steward@/postgres?", f"//{login}@/{self.name}?")
        return PostgresStore(address, "shop", login)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory(prefix="steward-") as folder,
        postgres(Path(folder), "scram-sha-256") as address,
    ):
        made = Group(address, "postgres")
        for login in ("anna", "bert", "cleo", "dora"):
            made.run(f"CREATE ROLE {login} LOGIN PASSWORD '{login}'")
        yield address


@pytest.fixture
def group(server: str) -> Group:
    """A fresh database in which only the administrator may create anything, as PostgreSQL 15 makes them."""
    group = Group(server, f"group{next(_databases)}")
    group.run(f"CREATE DATABASE {group.name}", "postgres")
    return group


def refused(act: Callable[[], object]) -> UserFacing:
    with pytest.raises(UserFacing) as caught:
        act()
    return caught.value


def test_three_logins_share_what_the_administrator_set_up(group: Group) -> None:
    """Each may what its role says: the owner and a member share, a reader reads; all see the same."""
    group.run(administration_sql("anna", ["bert"], ["cleo"]))
    anna, bert, cleo = (group.store(login) for login in ("anna", "bert", "cleo"))
    assert [each.role for each in (anna, bert, cleo)] == [StoreRole.OWNER, StoreRole.MEMBER, StoreRole.READER]
    bert.add(NOTE)
    assert anna.latest((Layer.TEAM,)) == bert.latest((Layer.TEAM,)) == cleo.latest((Layer.TEAM,)) == (NOTE,)
    assert [each.text for each in cleo.search((Layer.TEAM,), ("stand",))] == [NOTE.text]
    for act in (lambda: cleo.add(NOTE), lambda: cleo.forget(("i1",))):
        error = refused(act)
        assert (error.code, error.not_lost) == (
            "shared-memory-read-only",
            "Nothing was sent and nothing was deleted.",
        )
    assert cleo.version() == anna.version() == 1
    assert anna.forget(("i1",)) == 1
    for each in (anna, bert, cleo):
        each.close()


def test_the_administrators_lines_may_run_again(group: Group) -> None:
    """They let one more person in and lose nothing."""
    group.run(administration_sql("anna", ["bert"], []))
    bert = group.store("bert")
    bert.add(NOTE)
    assert refused(lambda: group.store("dora")).code == "shared-memory-no-rights"
    group.run(administration_sql("anna", ["bert", "dora"], ["cleo"]))
    dora = group.store("dora")
    assert dora.role is StoreRole.MEMBER
    assert dora.latest((Layer.TEAM,)) == (NOTE,)
    bert.close()
    dora.close()


def test_whoever_may_create_makes_the_tables_and_the_others_hear_what_to_do(group: Group) -> None:
    """Before there are tables a login without the right is told so, not that the server is silent."""
    error = refused(lambda: group.store("bert"))
    assert error.code == "shared-memory-no-tables"
    assert error.action.endswith("steward memory team sql")
    group.run("GRANT CREATE ON SCHEMA public TO anna")
    anna = group.store("anna")
    assert anna.role is StoreRole.OWNER
    anna.add(NOTE)
    assert refused(lambda: group.store("bert")).code == "shared-memory-no-rights"
    anna.close()


@pytest.mark.parametrize(
    ("password", "code", "said"),
    [
        (None, "shared-memory-locked", "asks for a password, and none was given"),
        ("wrong", "shared-memory-refused", "did not let this login in"),
    ],
)
def test_a_login_that_is_not_let_in_hears_why(
    group: Group, password: str | None, code: str, said: str
) -> None:
    """A server that asks for a password answers; it is not to be sought in the connection."""
    address = group.server.replace("//steward@/postgres?", f"//anna@/{group.name}?")
    error = refused(lambda: PostgresStore(address, "shop", password))
    assert error.code == code
    assert said in error.cause


def test_a_login_kept_out_of_the_schema_hears_the_same(group: Group) -> None:
    """To it the tables do not exist, whether they do or not."""
    group.run(administration_sql("anna", [], []))
    group.run("REVOKE USAGE ON SCHEMA public FROM PUBLIC")
    assert refused(lambda: group.store("bert")).code == "shared-memory-no-tables"


def test_a_right_taken_while_connected_is_said(group: Group) -> None:
    """The next write says that a right is missing, and reading goes on."""
    group.run(administration_sql("anna", ["bert"], []))
    bert = group.store("bert")
    group.run("REVOKE INSERT, UPDATE, DELETE ON steward_memory FROM bert")
    assert refused(lambda: bert.add(NOTE)).code == "shared-memory-read-only"
    assert bert.latest((Layer.TEAM,)) == ()
    bert.close()


def test_tables_of_an_earlier_version_are_completed_by_their_owner(group: Group) -> None:
    """Until then the others share without signatures; what was there stays, unsigned."""
    group.run(OLD_TABLES + "GRANT SELECT, INSERT, UPDATE, DELETE ON steward_memory TO bert;")
    group.run("GRANT SELECT, INSERT, UPDATE ON steward_memory_state TO bert")
    bert = group.store("bert")
    bert.add(NOTE)
    (new, old) = sorted(bert.latest((Layer.TEAM,)), key=lambda item: item.id)
    assert (new.text, new.signature, old.text) == (NOTE.text, "", "the office is in Leipzig")
    bert.close()
    group.run("ALTER TABLE steward_memory OWNER TO anna; ALTER TABLE steward_memory_state OWNER TO anna")
    group.store("anna").close()
    bert = group.store("bert")
    bert.add(NOTE)
    assert sorted(each.signature for each in bert.latest((Layer.TEAM,))) == ["", "cd"]
    bert.close()


def test_two_who_connect_first_at_once_both_get_in(group: Group) -> None:
    """One makes the tables while the other waits for it."""
    group.run("GRANT CREATE ON SCHEMA public TO anna")
    found: list[Any] = []
    gate = threading.Barrier(4)

    def connect() -> None:
        gate.wait()
        try:
            found.append(group.store("anna"))
        except UserFacing as error:
            found.append(error)

    threads = [threading.Thread(target=connect) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [each.role for each in found] == [StoreRole.OWNER] * 4
    for each in found:
        each.close()


def test_a_logins_name_is_no_statement() -> None:
    """Whatever is in it, it stays one name between quotation marks."""
    text = administration_sql('a"; DROP TABLE x; --', ["Bert Müller"], [])
    assert 'OWNER TO "a""; DROP TABLE x; --";' in text
    assert 'TO "Bert Müller";' in text
