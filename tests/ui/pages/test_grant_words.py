"""What the Permissions page says of a grant."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from desktop.gate.grants import Covers, Grant, Kind, Scope
from desktop.ui.pages.grant_words import GrantLine, about, history

NOW = datetime(2026, 3, 4, 12).timestamp()
COVERS = Covers("Bash of claude-code", Kind.PROGRAM, "go test", Path("/home/me/project"))


@pytest.mark.parametrize("scope", Scope)
def test_every_scope_has_words(scope: Scope) -> None:
    """No grant is listed without how long it holds."""
    assert "Scope: " in about(GrantLine(Grant(1, scope, COVERS, "", NOW, NOW, 0)))


def test_a_grant_for_a_time_says_when_it_ends() -> None:
    """Used or not, it ends on its day; others end after 90 days without use."""
    week = Grant(1, Scope.WEEK, COVERS, "", NOW, NOW, 3, until=datetime(2026, 3, 11, 12).timestamp())
    assert history(week, NOW).endswith("ends on 11 Mar 2026")
    assert history(Grant(1, Scope.ALWAYS, COVERS, "", NOW, NOW, 3), NOW).endswith("unless it is used")
