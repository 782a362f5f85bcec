"""Secrets and other people's numbers do not reach the disk."""

from __future__ import annotations

import json

import pytest

from desktop.gate.redaction import Cleaner, Redactor, Strictness
from desktop.memory.item import MemoryKind, MemorySource, NewItem
from desktop.memory.store import MemoryStore
from desktop.paths import Paths

# Invented, in the forms that their issuers document; put together here so that no scanner finds a secret.
SECRETS = {
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx\n-----END RSA PRIVATE KEY-----",
    "github-token": "ghp_" + "a1B2c3D4e5" * 4,
    "assigned-secret": "password=" + "hunter2hunter2",
    "card": "4111 1111 1111 1111",
    "card without spaces": "5500005555555559",
    "account": "DE89 3704 0044 0532 0130 00",
    "account without spaces": "GB82WEST12345698765432",
}
PERSONAL = {
    "e-mail": "anna.weber@example.org",
    "phone": "+49 151 23456789",
    "phone at home": "0221 / 470 11 22",
    "phone in America": "(212) 555-0147",
    "phone with dots": "212.555.0147",
}
HARMLESS = [
    "2026-11-20 09:30",
    "20.11.2026",
    "version 3.14.159",
    "192.168.100.200",
    "build 20261120123456",
    "order 4111 1111 1111 1112",
    "pi is 3.14159265358979",
    "ISBN 978-3-16-148410-0",
    "1,234,567,890",
]


@pytest.fixture(scope="module")
def cleaner(redactor: Redactor) -> Cleaner:
    return Cleaner(redactor)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_always_taken_out(cleaner: Cleaner, name: str) -> None:
    """Of the user's own notes too; the words around it stay."""
    for strictness in Strictness:
        clean = cleaner.text(f"it is {SECRETS[name]} for now", strictness)
        assert SECRETS[name][4:] not in clean
        assert clean.startswith("it is ")
        assert clean.endswith(" for now")


@pytest.mark.parametrize("name", PERSONAL)
def test_an_address_is_kept_only_where_the_user_wants_it(cleaner: Cleaner, name: str) -> None:
    """A note keeps Anna's number; what passes by in a tool's arguments does not."""
    text = f"Anna: {PERSONAL[name]}, call her"
    assert cleaner.text(text, Strictness.SECRETS) == text
    clean = cleaner.text(text)
    assert PERSONAL[name] not in clean
    assert clean.endswith(", call her")


@pytest.mark.parametrize("text", HARMLESS)
def test_other_numbers_stay(cleaner: Cleaner, text: str) -> None:
    """Dates, versions, addresses of computers, and cards whose checksum is wrong."""
    assert cleaner.text(f"It is {text}, really.") == f"It is {text}, really."


def test_its_owner_recognises_what_was_there(cleaner: Cleaner) -> None:
    """The kind and the last two characters."""
    assert cleaner.text("pay with 4111 1111 1111 1111") == "pay with [redacted: card, ends 11]"
    assert cleaner.text("to DE89 3704 0044 0532 0130 00 today") == "to [redacted: account, ends 00] today"


def test_no_planted_secret_is_in_the_file(store: MemoryStore, paths: Paths) -> None:
    """Whatever kind of item, the bytes on the disk have none of them; nor addresses of other people."""
    for secret in SECRETS.values():
        store.add(NewItem(f"note {secret}"))
    for text in (*SECRETS.values(), *PERSONAL.values()):
        store.add(NewItem(f"turn {text}", kind=MemoryKind.EPISODE, thread="1"))
        store.add(NewItem(f"page {text}", source=MemorySource.WEB))
    bytes_on_disk = b"".join(file.read_bytes() for file in paths.data.iterdir())
    for text in (*SECRETS.values(), *PERSONAL.values()):
        for line in text.splitlines():
            if "-----" not in line:
                assert line.encode() not in bytes_on_disk, line


def test_values_are_cleaned_all_the_way_down(cleaner: Cleaner) -> None:
    """Arguments of a tool, with the names that tell that a value is secret."""
    value = {"to": ["anna.weber@example.org"], "auth": {"api_token": "plain"}, "n": 3}
    assert json.dumps(cleaner.value(value)) == json.dumps(
        {"to": ["[redacted: e-mail]"], "auth": {"api_token": "[redacted: named-secret]"}, "n": 3}
    )
