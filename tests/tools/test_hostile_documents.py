"""PDF, pictures and packed documents that mean harm, attached as a user does it: each ends in its box."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from desktop.app import build_core
from desktop.backup.restore import inspect
from desktop.chat.attachments import Attachment, AttachmentReader
from desktop.chat.chat_imports import read_chats
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser, ParserLimits
from desktop.tools import ocr as ocr_module
from desktop.tools import pdf
from desktop.tools.ocr import Ocr
from tests.processor_time import processor_time
from tests.tools.hostile_documents import BOMB, DOCUMENTS, PICTURES, deflated, page, stream

SHORT_S = 2.0  # a document that has no end takes all of it
MORE_BYTES = 400_000_000  # that Steward itself may take meanwhile: a file, its copy, and what comes back

pytestmark = pytest.mark.children


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> AttachmentReader:
    monkeypatch.setattr(pdf, "LIMITS", ParserLimits(time_s=SHORT_S))
    monkeypatch.setattr(ocr_module, "TIME_S", SHORT_S)
    return patient_reader()


def patient_reader() -> AttachmentReader:
    """With the times of the program."""

    def confinement() -> object:
        return available().best

    return AttachmentReader(Ocr(confinement), Parser(confinement))  # type: ignore[arg-type]


def attached(reader: AttachmentReader, folder: Path, name: str, content: bytes) -> Attachment | UserFacing:
    """What comes of it: the text, or a sentence. Nothing else, nothing left behind, nothing taken."""
    file = folder / "inbox" / name
    file.parent.mkdir()
    file.write_bytes(content)
    process = psutil.Process()
    running = process.children(recursive=True)
    before_bytes, there = process.memory_info().rss, sorted(folder.rglob("*"))
    said: Attachment | UserFacing
    try:
        said = reader.file(file)
    except UserFacing as refusal:
        said = refusal
    assert process.memory_info().rss - before_bytes < MORE_BYTES
    assert sorted(folder.rglob("*")) == there
    assert file.read_bytes() == content
    assert process.children(recursive=True) == running
    return said


def is_a_sentence(said: UserFacing) -> bool:
    """Cause, what was not lost and one thing to do, without the words of a library."""
    text = str(said)
    return bool(said.cause and said.not_lost and said.action) and not any(
        word in text for word in ("Traceback", "Error", "Exception", "pypdf", "0x")
    )


def test_a_packing_that_nobody_knows_is_no_password(reader: AttachmentReader, tmp_path: Path) -> None:
    """A page that is packed as pictures are needs a package that Steward has not."""
    content = page(stream(b"\x97JB2\r\n\x1a\n" * 100, b"/Filter /JBIG2Decode"))
    said = attached(reader, tmp_path, "scan.pdf", content)
    assert isinstance(said, UserFacing)
    assert is_a_sentence(said)
    assert "password" not in str(said)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_that_means_harm_ends(kind: str, reader: AttachmentReader, tmp_path: Path) -> None:
    """With its text or with a sentence, whatever it says of its sizes and of itself."""
    said = attached(reader, tmp_path, "invoice.pdf", DOCUMENTS[kind]())
    assert isinstance(said, Attachment) or is_a_sentence(said), said


def test_a_document_that_reaches_out_is_text_and_nothing_more(tmp_path: Path) -> None:
    """Scripts, programs to start, addresses and files in it: what is read is what stands on its page."""
    said = attached(patient_reader(), tmp_path, "invoice.pdf", DOCUMENTS["what reaches out"]())
    assert isinstance(said, Attachment)
    assert said.text == "Invoice 4711"
    assert not list(tmp_path.parent.glob("escaped*"))


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="there is no reader of pictures here")
@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_that_means_harm_ends(kind: str, reader: AttachmentReader, tmp_path: Path) -> None:
    """With a sentence; none of them has words. A list of other pictures is none of these."""
    said = attached(reader, tmp_path, "photo.png", PICTURES[kind]())
    assert isinstance(said, UserFacing), said
    assert is_a_sentence(said), said


def packed(files: dict[str, bytes], way: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", way) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx(document: bytes, more: dict[str, bytes] | None = None) -> bytes:
    types = (
        b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    )
    return packed({"[Content_Types].xml": types, "word/document.xml": document, **(more or {})})


ENTITIES = b"<!DOCTYPE a [" + b"".join(
    b'<!ENTITY x%d "%s">' % (n, b"&x%d;" % (n - 1) * 10 if n else b"ha" * 9) for n in range(12)
) + b"]><a>&x11;</a>"  # fmt: skip
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
LINKED = (
    b'<Relationships><Relationship Type="attachedTemplate" TargetMode="External" '
    b'Target="http://127.0.0.1:9/evil.dotm"/></Relationships>'
)
PACKED: dict[str, Callable[[], bytes]] = {
    "a Word document": lambda: docx(b"<w:document><w:t>Invoice 4711</w:t></w:document>"),
    "entities that double": lambda: docx(ENTITIES),
    "an entity of another file": lambda: docx(OUTSIDE),
    "a template of another computer": lambda: docx(b"<a/>", {"word/_rels/settings.xml.rels": LINKED}),
    "macros": lambda: docx(b"<a/>", {"word/vbaProject.bin": b'Attribute VB_Name = "x"\r\nShell "calc"'}),
    "names that lead out": lambda: packed({"../../../escaped": b"x", "/tmp/escaped-too": b"x"}),
    "a bomb": lambda: packed({"word/document.xml": b" " * 200_000_000}),
    "lists in lists": lambda: docx(b"<w:p>" * 1_000_000),
    "a head and nothing": lambda: b"PK\x03\x04",
    "an old Word document": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100_000),
    "gzip": lambda: b"\x1f\x8b\x08\0\0\0\0\0\0\3" + deflated(BOMB)[2:],
}


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_document_is_refused_unopened(kind: str, reader: AttachmentReader, tmp_path: Path) -> None:
    """Word's documents and archives are not read, so that nothing in them unpacks or is asked for."""
    with processor_time() as spent:
        said = attached(reader, tmp_path, "letter.docx", PACKED[kind]())
    assert isinstance(said, UserFacing), said
    assert is_a_sentence(said), said
    assert spent.at_rest_s < SHORT_S
    assert not os.path.exists("/tmp/escaped-too")


@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_document_is_neither_chats_nor_backup_nor_extension(
    kind: str, paths: Paths, tmp_path: Path
) -> None:
    """Whichever way in somebody takes with it: a sentence, and nothing of it on the disk."""
    file = tmp_path / "inbox.zip"
    file.write_bytes(PACKED[kind]())
    core = build_core(paths)
    try:
        ways: dict[str, Callable[[], object]] = {
            "chats": lambda: read_chats(file, Parser.confined()),
            "a backup": lambda: inspect(file, core.known),
            "an extension": lambda: core.extensions.registry.install(file),
            "a model": lambda: core.library.import_file(file),
        }
        there = sorted(paths.data.rglob("*"))
        for way in ways.values():
            with pytest.raises(UserFacing) as refused:
                way()
            assert is_a_sentence(refused.value), refused.value
        more = {each.name for each in set(paths.data.rglob("*")) - set(there)}
        assert not {name for name in more if "escaped" in name or name.endswith((".xml", ".bin"))}
    finally:
        core.close()
    assert not os.path.exists("/tmp/escaped-too")
