"""The classifier with the tables of the product, loaded once."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.paths import resources


@pytest.fixture(scope="session")
def tables() -> Tables:
    return Tables(resources() / "commands")


@pytest.fixture(scope="session")
def classifier(tables: Tables) -> Classifier:
    """Remembers nothing, so that every row is judged."""
    return Classifier(tables, remember=False)
