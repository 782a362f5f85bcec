"""The bundle of the last build, made by `dev.py package cpu`; without one there is nothing to look at."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def bundle() -> Path:
    """STEWARD_BUNDLE, or dist/steward."""
    folder = Path(os.environ.get("STEWARD_BUNDLE") or ROOT / "dist" / "steward").absolute()
    if not (folder / "manifest.json").exists():
        pytest.skip("there is no bundle; build one with: python3 dev.py package cpu")
    return folder


@pytest.fixture(scope="session")
def manifest(bundle: Path) -> dict[str, Any]:
    return dict(json.loads((bundle / "manifest.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Where screenshots and lists of files go, to be looked at."""
    folder = Path(os.environ.get("STEWARD_TEST_ARTEFACTS", ROOT / "test-artefacts")) / "packaging"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
