"""The text of PDF documents, read by the real reader in a real child process."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser, ParseRefused
from desktop.tools import confined_parsers
from desktop.tools.pdf import read_pdf
from tests.tools.pdfs import encrypted, pdf

PARSER = Parser(lambda: available().best)

LETTER = pdf(["Invoice 4711 for the Café Müller", "Total 99.50 euro"], ["Page two"])


def test_the_text_of_all_pages() -> None:
    """The words come out page after page, though the reader may write nowhere else."""
    found = read_pdf(LETTER, PARSER)
    assert found.text == "Invoice 4711 for the Café Müller\nTotal 99.50 euro\n\nPage two"
    assert (found.pages, found.read) == (2, 2)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (encrypted(LETTER, "secret"), "protected by a password"),
        (LETTER[:300], "damaged or not a PDF"),
        (b"%PDF-1.7 and nothing else", "damaged or not a PDF"),
        (b"", "damaged or not a PDF"),
        (pdf([]), "pictures without text"),
    ],
    ids=["password", "cut", "head only", "empty", "no text"],
)
def test_what_cannot_be_read_says_why(data: bytes, cause: str) -> None:
    """Every refusal names its reason, and what to do."""
    with pytest.raises(UserFacing, match=cause) as refused:
        read_pdf(data, PARSER)
    assert refused.value.action


def test_a_document_that_everybody_may_open_is_read() -> None:
    """Encrypted with an empty password, as forms often are."""
    assert read_pdf(encrypted(LETTER, ""), PARSER).pages == 2


def test_a_cancelled_reader_leaves_nothing_behind() -> None:
    """Whoever does not want to wait ends the child; it is said as a refusal."""
    with pytest.raises(UserFacing):
        read_pdf(LETTER, PARSER, lambda child: child.cancel())


def test_a_long_document_says_how_much_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit of pages nothing is read, and the numbers tell."""
    monkeypatch.setattr(confined_parsers, "PAGES", 1)
    (tmp_path / "long.pdf").write_bytes(LETTER)
    said = confined_parsers.read_document(tmp_path / "long.pdf")
    assert (said["pages"], said["read"]) == (2, 1)


def test_damaged_documents_never_break_the_reader(tmp_path: Path) -> None:
    """With bytes changed or gone anywhere, there is a text or a reason."""
    chance = random.Random(4711)
    file = tmp_path / "damaged.pdf"
    for _ in range(60):
        data = bytearray(LETTER)
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        file.write_bytes(bytes(data[: chance.randint(1, len(data))]))
        assert _told(file) in ("", "damaged", "encrypted", "no-text")


def _told(file: Path) -> str:
    """Why it cannot be read; "" where it was."""
    try:
        confined_parsers.read_document(file)
    except ParseRefused as refusal:
        return str(refusal)
    return ""
