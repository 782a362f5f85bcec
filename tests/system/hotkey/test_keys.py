"""Hotkeys as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.settings import WindowSettings
from desktop.system.hotkey.keys import Keys, Modifier, _table


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ctrl+Shift+Space", "Ctrl+Shift+Space"),
        ("shift+ctrl+space", "Ctrl+Shift+Space"),
        (" Alt + F4 ", "Alt+F4"),
        ("F9", "F9"),
        ("Meta+j", "Meta+J"),
    ],
)
def test_read(text: str, same: str) -> None:
    """However it is written, it comes out one way."""
    assert str(Keys.read(text)) == same


@pytest.mark.parametrize(
    "text",
    ["", "A", "Shift+A", "Space", "Ctrl", "Ctrl+", "Ctrl+Ctrl+A", "Hyper+A", "Ctrl+Ä", "Ctrl+A+B", "+"],
)
def test_no_hotkey(text: str) -> None:
    """What people type in other programs is not taken from them, and unknown words are none."""
    assert Keys.read(text) is None


def test_the_default_can_be_read() -> None:
    """On every system."""
    assert Keys.read(WindowSettings().hotkey) is not None


@given(st.frozensets(st.sampled_from(list(Modifier))), st.sampled_from(sorted(_table())))
def test_what_is_written_is_read_back(modifiers: frozenset[Modifier], key: str) -> None:
    """Every hotkey survives the settings file."""
    text = str(Keys(modifiers, key))
    read = Keys.read(text)
    assert read is None or (read == Keys(modifiers, key) and str(read) == text)


def test_every_key_has_its_codes() -> None:
    """No two keys of one system are the same, but for the two Return keys on Windows."""
    codes = list(_table().values())
    assert len({code.x11 for code in codes}) == len(codes)
    assert len({code.macos for code in codes}) == len(codes)
    assert len({code.portal for code in codes}) == len(codes)
    assert len({code.windows for code in codes}) == len(codes) - 1
