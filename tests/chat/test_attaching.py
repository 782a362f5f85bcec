"""Reading what is to go along with a question, from real files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.attaching import Attacher
from desktop.chat.attachments import Kind
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.tools.ocr import Ocr
from tests.tools.pdfs import encrypted, pdf

PICTURES = Path(__file__).parent.parent / "tools" / "pictures"
TEXT = "Straße, naïve café: 12 € für Müller\n" * 3


def attacher(count: object = None) -> Attacher:
    ocr = Ocr(lambda: available().best)
    if count is None:
        return Attacher(ocr, Parser(lambda: available().best))
    return Attacher(ocr, Parser(lambda: available().best), count)  # type: ignore[arg-type]


def words(text: str) -> int:
    """A tokenizer that counts words."""
    return len(text.split())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_texts_in_any_common_encoding(tmp_path: Path, encoding: str) -> None:
    """The text is read as it was written, with its size and where it comes from."""
    file = tmp_path / "notes.txt"
    file.write_bytes(TEXT.encode(encoding))
    made = attacher(words).file(file)
    assert made.text == TEXT
    about = made.about
    assert (about.name, about.kind, about.path) == ("notes.txt", Kind.FILE, str(file))
    assert (about.tokens, about.is_estimate) == (words(TEXT), False)
    assert about.tainted_by == "notes.txt"


def test_a_pdf_by_what_it_is_and_not_by_its_name(tmp_path: Path) -> None:
    """A document without the usual ending is read as one."""
    file = tmp_path / "report"
    file.write_bytes(pdf(["Chapter one"]))
    made = attacher().file(file)
    assert (made.text, made.about.kind) == ("Chapter one", Kind.PDF)
    assert made.about.is_estimate


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
def test_text_in_a_picture() -> None:
    """A picture goes along as the text in it, which is the words of others."""
    made = attacher().file(PICTURES / "invoice.png")
    assert "Invoice 4711" in made.text
    assert (made.about.kind, made.about.tainted_by) == (Kind.PICTURE, "invoice.png")


def test_a_picture_without_a_reader_says_how_to_get_one() -> None:
    """Where Tesseract is missing, the refusal names the package."""
    ocr = Ocr(lambda: available().best, program="")
    ocr._program = None
    with pytest.raises(UserFacing, match="Tesseract") as refused:
        Attacher(ocr).file(PICTURES / "invoice.png")
    assert "Install it" in refused.value.action


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"PK\x03\x04 and more", "office document"),
        (b"\x7fELF and more", "a program"),
        (b"one\0two", "binary file"),
        (b"", "no text in it"),
        (b" \n\t ", "no text in it"),
        (encrypted(pdf(["x"]), "secret"), "protected by a password"),
        (b"a" * 5_000_001, "far more than any model reads"),
    ],
    ids=["archive", "program", "binary", "empty", "blank", "password", "huge"],
)
def test_what_cannot_go_along_says_why(tmp_path: Path, data: bytes, cause: str) -> None:
    """Each refusal has a cause and something to do, and nothing is cut."""
    file = tmp_path / "thing"
    file.write_bytes(data)
    with pytest.raises(UserFacing, match=cause) as refused:
        attacher().file(file)
    assert refused.value.action


def test_only_ordinary_files(tmp_path: Path) -> None:
    """Folders, pipes and what is not there are refused at once, without waiting for anything."""
    os.mkfifo(tmp_path / "pipe")
    for name, cause in (
        ("", "folder"),
        ("pipe", "no ordinary file"),
        ("gone", "does not exist|not there|missing"),
    ):
        with pytest.raises(UserFacing, match=cause):
            attacher().file(tmp_path / name)


@given(st.text(min_size=1, max_size=2000).filter(str.strip), st.integers(1, 100))
def test_the_beginning_has_so_many_tokens_and_says_so(text: str, tokens: int) -> None:
    """The beginning of a text is a beginning of it, within the room, and knows the size of the whole."""
    maker = attacher(len)  # a token is a letter
    whole = maker.text(text, Kind.PASTE, "Pasted text")
    part = maker.beginning(whole, tokens)
    assert text.startswith(part.text)
    assert part.about.tokens <= max(tokens, 1)
    if len(text) > tokens:
        assert part.about.whole_tokens == whole.about.tokens
        assert part.about.tokens >= int(tokens * 0.9) - 1
    else:
        assert part == whole


def test_a_long_text_is_reckoned_from_its_beginning() -> None:
    """Beyond some hundred pages the size is an estimate, and marked as one."""
    made = attacher(words).text("word " * 200_000, Kind.PASTE, "Pasted text")
    assert made.about.is_estimate
    assert abs(made.about.tokens - 200_000) < 2_000


def test_whose_words_they_are() -> None:
    """Only a text that the user keeps in the program is nobody else's."""
    sources = {kind: attacher().text("x", kind, "name").about.tainted_by for kind in Kind}
    assert sources.pop(Kind.TEXT) == ""
    assert all(sources.values())
    assert sources[Kind.CLIPBOARD] == "the clipboard"
