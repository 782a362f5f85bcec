"""The table of what a confined command may do, against what the gate reads off the text."""

from __future__ import annotations

import pytest

from desktop.gate.shell.secret_places import SAMPLES, holds_secrets
from desktop.sandbox.rights import hosts, secret_places


@pytest.mark.parametrize("place", secret_places())
def test_what_is_hidden_is_secret_by_its_text(place: str) -> None:
    """A command that names it asks, so that the user is not puzzled by a refusal."""
    assert holds_secrets(place) or holds_secrets(f"{place}/x")


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_secret_by_its_place_is_hidden(sample: list[str]) -> None:
    """But what may lie in any project (.env, id_rsa) or outside the home folder."""
    path = "/".join(sample)
    hidden = [place.removeprefix("~/").lower() for place in secret_places()]
    known = any(f"{path}/".startswith(f"{each}/") or f"{each}/".startswith(f"{path}/") for each in hidden)
    assert known or not path.startswith(".") or path.startswith(".env")


def test_hosts_are_names() -> None:
    """Without a scheme, a port or a pattern: they are compared as they stand."""
    assert hosts()
    for name in hosts():
        assert name == name.lower().strip("/:* ")
        assert "." in name
