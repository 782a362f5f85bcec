"""Text in pictures, read by the real Tesseract."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.process import Child
from desktop.tools.ocr import Ocr

INVOICE = Path(__file__).parent / "pictures" / "invoice.png"
needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")


def confined() -> Method:
    return available().best


@needs_tesseract
def test_text_of_a_picture() -> None:
    """The words on a picture come out, line by line, though the reader may write nowhere else."""
    text = Ocr(confined).read(INVOICE.read_bytes())
    assert text.splitlines() == ["Invoice 4711", "Total: 12.50 euro"]


@needs_tesseract
@pytest.mark.parametrize("data", [b"", b"no picture", INVOICE.read_bytes()[:200]])
def test_what_is_no_picture(data: bytes) -> None:
    """Empty, foreign and cut files are refused in words."""
    with pytest.raises(UserFacing, match="not a picture") as refused:
        Ocr(confined).read(data)
    assert refused.value.code == "ocr"


def test_large_pictures_are_refused() -> None:
    """Nothing larger than 20 MB is even started on."""
    with pytest.raises(UserFacing, match="20 MB"):
        Ocr(confined, program="unused").read(b"x" * 20_000_001)


def test_without_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is missing, the message says how to get it."""
    monkeypatch.setenv("PATH", "")
    ocr = Ocr(confined)
    assert not ocr.is_here
    with pytest.raises(UserFacing) as refused:
        ocr.read(INVOICE.read_bytes())
    assert refused.value.code == "ocr-missing"
    assert "tesseract" in refused.value.action.casefold()


def test_a_reader_that_hangs_is_ended(tmp_path: Path) -> None:
    """Stop ends the reader, and its folder is gone."""
    program = tmp_path / "slow"
    program.write_text('#!/bin/sh\n[ "$1" = --list-langs ] || exec sleep 60\n')
    program.chmod(0o755)
    seen: list[Path] = []

    def cancel_soon(child: Child) -> None:
        seen.append(child._command.folder)
        threading.Timer(0.2, child.cancel).start()

    with pytest.raises(UserFacing):
        Ocr(lambda: Method.NONE, str(program)).read(INVOICE.read_bytes(), cancel_soon)
    assert not seen[0].exists()
