"""Which hook client an agent's settings name."""

from __future__ import annotations

import sys

import pytest

from desktop.agents.client_command import hook_client
from desktop.errors import UserFacing


def test_a_checkout_uses_the_python_file() -> None:
    """With this interpreter, alone: no site packages, no variables of the user."""
    words = hook_client().words
    assert words[:3] == (sys.executable, "-I", "-S")
    assert words[3].endswith("client.py")


def test_an_appimage_names_no_program_that_is_gone_tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent whose hook cannot be started runs unprotected or not at all."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("APPIMAGE", "/home/ada/Steward.AppImage")
    with pytest.raises(UserFacing) as refused:
        hook_client()
    assert refused.value.code == "no-hook-client"
    assert "--appimage-extract" in refused.value.action
