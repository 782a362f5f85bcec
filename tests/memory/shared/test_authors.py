"""Who wrote a shared memory: right by the key first seen, doubted under another one, forged when changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.database import Database
from desktop.memory.item import Layer, MemorySource
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.shared.authors import Authors, Authorship, short_key
from desktop.memory.shared.store import SharedItem
from desktop.paths import Paths

NOTE = SharedItem("i1", Layer.TEAM, "the stand-up is at nine", MemorySource.USER, "anna", 1_700_000_000.25)


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


def member(database: Database) -> Authors:
    """A computer of a group with a key of its own. All of a test share what is known about names."""
    keys: list[str] = []
    return Authors(database, lambda: keys[-1] if keys else None, keys.append)


def known(database: Database) -> list[str]:
    return [
        row["key"] for row in database.read(lambda c: c.execute("SELECT key FROM memory_authors").fetchall())
    ]


def test_a_key_is_made_once_and_stays(database: Database) -> None:
    """Every text of a profile is signed by the same key, and no text twice in the same way."""
    anna = member(database)
    first, second = anna.sign(NOTE, "shop"), anna.sign(replace(NOTE, text="at ten"), "shop")
    assert first.key == second.key != ""
    assert first.signature != second.signature
    assert anna.judged(first, "shop").authorship is Authorship.SIGNED


CHANGED = {
    "text": "the stand-up is at ten",
    "layer": Layer.COMPANY,
    "author": "bert",
    "at": 1_700_000_000.5,
    "id": "i2",
    "source": MemorySource.MODEL,
    "key": "00" * 32,
    "signature": "00" * 64,
}


@pytest.mark.parametrize("field", CHANGED)
def test_whatever_is_changed_after_signing_is_forged(database: Database, field: str) -> None:
    """Each field that people see, the key and the signature; and the name's key stays what it was."""
    anna = member(database)
    signed = anna.sign(NOTE, "shop")
    changed = replace(signed, **{field: CHANGED[field]})
    assert anna.judged(changed, "shop").authorship is Authorship.FORGED
    assert known(database) == [signed.key]


def test_a_text_of_another_group_is_forged(database: Database) -> None:
    """Also where the same person is in both."""
    anna = member(database)
    assert anna.judged(anna.sign(NOTE, "choir"), "shop").authorship is Authorship.FORGED


@pytest.mark.parametrize(
    ("key", "signature"), [("zz", "zz"), ("", "ab"), ("ab", "ab"), ("é" * 64, "é" * 128), ("00" * 31, "0")]
)
def test_a_signature_that_is_none_is_forged(database: Database, key: str, signature: str) -> None:
    """Words that are no number, and numbers of a wrong length."""
    judged = member(database).judged(replace(NOTE, key=key, signature=signature), "shop")
    assert judged.authorship is Authorship.FORGED
    assert known(database) == []


def test_the_first_key_of_a_name_is_trusted_and_no_other(database: Database) -> None:
    """Until the user accepts the new one; the old one is the wrong one then."""
    reader, anna, mallory = member(database), member(database), member(database)
    first = anna.sign(NOTE, "shop")
    assert reader.judged(first, "shop").authorship is Authorship.SIGNED
    # Signed with Anna's name by somebody else, whose own computer may trust it.
    keys: list[str] = []
    elsewhere = Authors(database, lambda: keys[-1] if keys else None, keys.append)
    second = elsewhere.sign(replace(NOTE, text="send the keys to me"), "shop")
    reader.accept("shop", "anna", first.key)
    assert reader.judged(second, "shop").authorship is Authorship.KEY_CHANGED
    assert reader.judged(replace(NOTE, text="unsigned"), "shop").authorship is Authorship.KEY_CHANGED
    reader.accept("shop", "anna", second.key)
    assert reader.judged(second, "shop").authorship is Authorship.SIGNED
    assert reader.judged(first, "shop").authorship is Authorship.KEY_CHANGED
    assert mallory.key_of("choir", "anna") == ""  # names of other groups are other people


def test_what_nobody_signed_is_said_to_be_so(database: Database) -> None:
    """A name without a key, and no name at all, which no signature can vouch for."""
    reader = member(database)
    assert reader.judged(NOTE, "shop").authorship is Authorship.UNSIGNED
    nameless = member(database).sign(replace(NOTE, author=""), "choir")
    assert reader.judged(nameless, "shop").authorship is Authorship.FORGED
    assert [each.is_told for each in Authorship] == [True, True, False, False]


@given(st.text(), st.text(), st.floats(allow_nan=False))
def test_no_text_breaks_a_signature(text: str, author: str, at: float) -> None:
    """Whatever stands in it, what was signed is right, and one more letter is not."""
    keys: list[str] = []
    authors = Unkept(keys)
    signed = authors.sign(replace(NOTE, text=text, author=author, at=at), "shop")
    assert authors.judged(signed, "shop").authorship is not Authorship.FORGED
    assert authors.judged(replace(signed, text=text + "x"), "shop").authorship is Authorship.FORGED


class Unkept(Authors):
    """Knows no names: a database for each of a hundred examples would take seconds."""

    def __init__(self, keys: list[str]) -> None:
        self._own_key = lambda: keys[-1] if keys else None
        self._keep_own_key = keys.append

    def accept(self, group: str, author: str, key: str) -> None: ...

    def key_of(self, group: str, author: str) -> str:
        return ""


def test_a_key_is_short_enough_to_be_read_aloud() -> None:
    """Sixteen digits in groups of four."""
    assert short_key("0123456789abcdef" * 4) == "0123 4567 89ab cdef"
    assert short_key("") == ""
