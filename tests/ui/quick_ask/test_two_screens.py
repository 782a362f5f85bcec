"""Quick-ask comes where the pointer is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="Quick-ask is a window")

ROOT = Path(__file__).resolve().parents[3]


def test_on_the_screen_of_the_pointer() -> None:
    """In the middle of it and in its upper part, also on a second one at 150 %, and back."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.ui.quick_ask.two_screens"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    left, right, again = json.loads(done.stdout)
    assert left == ["left", (1280 - 680) // 2, 160, 680]
    assert right == ["right", 1280 + (1600 - 680) // 2, 180, 680]
    assert again == left
