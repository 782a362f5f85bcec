"""`steward chat`, with the real small model on a pipe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Steward

pytestmark = pytest.mark.model


def test_questions_clear_and_quit(steward: Steward, with_model: Path) -> None:
    """Each answer has its line of figures; clear starts anew; quit ends; what follows is not asked."""
    done = steward("chat", stdin="Say hello.\nclear\nSay goodbye.\nquit\nNever asked.\n")
    assert done.returncode == 0
    figures = re.findall(r"^\d+ tokens · [\d.]+ tok/s · [\d.]+ seconds", done.stderr, re.MULTILINE)
    assert len(figures) == 2
    assert "A new conversation." in done.stderr


def test_the_banner_names_what_runs(steward: Steward, with_model: Path) -> None:
    """Backend, file, size, context and GPU layers stand in one line and in the log."""
    done = steward("chat", stdin="Say hello.\nexit\n")
    banner = next(line for line in done.stderr.splitlines() if "llama.cpp on" in line)
    for part in (with_model.name, "98 MB", "context 1024", "0 GPU layers"):
        assert part in banner


def test_a_session_file_is_kept_and_gone_on_with(steward: Steward, with_model: Path, tmp_path: Path) -> None:
    """The file has both turns after two runs, and the second run says how many messages it found."""
    session = tmp_path / "talk.json"
    steward("chat", "--session", str(session), stdin="Say hello.\n")
    first = json.loads(session.read_text(encoding="utf-8"))["messages"]
    assert [message["role"] for message in first] == ["user", "assistant"]
    again = steward("chat", "--session", str(session), stdin="And goodbye.\n")
    assert "2 earlier messages" in again.stderr
    second = json.loads(session.read_text(encoding="utf-8"))["messages"]
    assert second[:2] == first
    assert len(second) == 4
